import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type Faults, fault, isFaulty, mergeFaults, NON_FIELD, noFaults, Messages, underPath } from "../kernel/Faults.js"
import { isPlainObject } from "../kernel/Json.js"
import { isWithin, textFault } from "../kernel/Text.js"
import { type ActionPart, parseAction, printAction } from "./ActionMarkup.js"

export const ConditionType = Schema.Literal("standard", "action_followup")
export type ConditionType = typeof ConditionType.Type

/** The condition of the item that opens the conversation. */
export const FIRST_MESSAGE = "FIRST_MESSAGE"

/** When an item applies: at the start, when the main agent does something, or after another item. */
export type Trigger =
  | { readonly on: "first_message" }
  /** What the main agent does, in the third person; matched by meaning. */
  | { readonly on: "description"; readonly description: string }
  | { readonly on: "condition"; readonly id: number }

export interface ConditionalAction {
  readonly id: number
  readonly trigger: Trigger
  /** What the caller does then, its markers read; `printAction` gives the text back. */
  readonly action: ReadonlyArray<ActionPart>
  readonly type: ConditionType
  /** Whether the speech is said word for word. */
  readonly fixedMessage: boolean
}

/** How a caller behaves, as rules. Source: interface, Conditional-actions instructions; design, section 5. */
export interface ConditionalActions {
  /** Who the caller is. */
  readonly role: string
  readonly conditions: ReadonlyArray<ConditionalAction>
}

/** The wire form, which is what `instructions` of a `conditional_actions` evaluator holds as JSON text. */
export interface ConditionalActionsWire {
  readonly role: string
  readonly conditions: ReadonlyArray<{
    readonly id: number
    readonly condition: string | number
    readonly action: string
    readonly type: ConditionType
    readonly fixed_message: boolean
  }>
}

/** The wire form's schema, for doors that describe it; `parseConditionalActions` is what reads it. */
export const ConditionalActionsWire: Schema.Schema<ConditionalActionsWire> = Schema.Struct({
  role: Schema.String,
  conditions: Schema.Array(
    Schema.Struct({
      id: Schema.Int,
      condition: Schema.Union(Schema.String, Schema.Int),
      action: Schema.String,
      type: ConditionType,
      fixed_message: Schema.Boolean
    })
  )
})

export const MAX_CONDITIONS = 500
const MAX_ROLE = 10_000
const MAX_TEXT = 10_000

const textOf = (value: unknown, path: string, max: number): Either.Either<string, Faults> => {
  if (value === undefined) return Either.left(fault(path, Messages.required))
  if (value === null) return Either.left(fault(path, Messages.notNull))
  if (typeof value !== "string") return Either.left(fault(path, Messages.notAString))
  const wrong = textFault(value) ?? (isWithin(max, value) ? undefined : Messages.tooLong(max))
  return wrong === undefined ? Either.right(value) : Either.left(fault(path, wrong))
}

const notBlank = (path: string, text: Either.Either<string, Faults>): Either.Either<string, Faults> =>
  Either.filterOrLeft(
    text,
    (said) => said.trim() !== "",
    () => fault(path, Messages.notBlank)
  )

const own = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

const unknownKeys = (object: Record<string, unknown>, known: ReadonlyArray<string>): Faults =>
  mergeFaults(
    ...Object.keys(object)
      .filter((key) => !known.includes(key))
      .slice(0, 20)
      .map((key) => fault(textFault(key) === undefined ? key.slice(0, 100) : NON_FIELD, Messages.unknownField))
  )

const readTrigger = (value: unknown, id: number, count: number): Either.Either<Trigger, Faults> => {
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) return Either.left(fault("condition", Messages.notAnInteger))
    if (id === 0) return Either.left(fault("condition", `The condition of item 0 must be "${FIRST_MESSAGE}".`))
    return value < 0 || value >= count
      ? Either.left(fault("condition", `No condition has the id ${value}.`))
      : Either.right({ on: "condition", id: value })
  }
  if (typeof value === "boolean" || (typeof value === "object" && value !== null)) {
    return Either.left(fault("condition", "Expected a text or the id of another condition."))
  }
  return Either.flatMap(
    notBlank("condition", textOf(value, "condition", MAX_TEXT)),
    (text): Either.Either<Trigger, Faults> =>
      (text === FIRST_MESSAGE) === (id === 0)
        ? Either.right(id === 0 ? { on: "first_message" } : { on: "description", description: text })
        : Either.left(
            fault(
              "condition",
              id === 0
                ? `The condition of item 0 must be "${FIRST_MESSAGE}".`
                : `Only item 0 may have the condition "${FIRST_MESSAGE}".`
            )
          )
  )
}

const readAction = (value: unknown): Either.Either<ReadonlyArray<ActionPart>, Faults> =>
  Either.flatMap(notBlank("action", textOf(value, "action", MAX_TEXT)), (text) =>
    Either.mapLeft(parseAction(text), (said) => fault("action", ...said))
  )

const readType = (value: unknown): Either.Either<ConditionType, Faults> => {
  const type = ConditionType.literals.find((one) => one === (value === undefined ? "standard" : value))
  return type === undefined
    ? Either.left(fault("type", value === null ? Messages.notNull : Messages.notAChoice(value)))
    : Either.right(type)
}

const readFlag = (value: unknown): Either.Either<boolean, Faults> =>
  value === undefined
    ? Either.right(false)
    : typeof value === "boolean"
      ? Either.right(value)
      : Either.left(fault("fixed_message", value === null ? Messages.notNull : Messages.notABoolean))

const readId = (value: unknown, position: number): Faults =>
  value === undefined
    ? fault("id", Messages.required)
    : value === position
      ? noFaults
      : typeof value === "number" && Number.isSafeInteger(value)
        ? fault("id", `Ids count up from 0 without gaps: expected ${position}.`)
        : fault("id", value === null ? Messages.notNull : Messages.notAnInteger)

const leftOf = <A>(either: Either.Either<A, Faults>): Faults => (Either.isLeft(either) ? either.left : noFaults)

const readItem = (value: unknown, position: number, count: number): Either.Either<ConditionalAction, Faults> => {
  if (!isPlainObject(value)) return Either.left(fault(NON_FIELD, value === null ? Messages.notNull : Messages.notAnObject))
  const trigger = readTrigger(own(value, "condition"), position, count)
  const action = readAction(own(value, "action"))
  const type = readType(own(value, "type"))
  const fixedMessage = readFlag(own(value, "fixed_message"))
  const faults = mergeFaults(
    unknownKeys(value, ["id", "condition", "action", "type", "fixed_message"]),
    readId(own(value, "id"), position),
    leftOf(trigger),
    leftOf(action),
    leftOf(type),
    leftOf(fixedMessage)
  )
  return Either.isRight(trigger) &&
    Either.isRight(action) &&
    Either.isRight(type) &&
    Either.isRight(fixedMessage) &&
    !isFaulty(faults)
    ? Either.right({
        id: position,
        trigger: trigger.right,
        action: action.right,
        type: type.right,
        fixedMessage: fixedMessage.right
      })
    : Either.left(faults)
}

/**
 * The items that go round in a circle of references. Each refers to one other at most, so one walk from each item, over
 * items that no earlier walk has seen, finds every circle in linear time.
 */
const circleFaults = (references: ReadonlyArray<number | undefined>): Faults => {
  const walkOf = new Map<number, number>()
  const circular: Array<number> = []
  references.forEach((_, start) => {
    let at: number | undefined = start
    while (at !== undefined && !walkOf.has(at)) {
      walkOf.set(at, start)
      at = references[at]
    }
    if (at === undefined || walkOf.get(at) !== start) return
    const first = at
    do {
      circular.push(at)
      at = references[at]
    } while (at !== undefined && at !== first)
  })
  return mergeFaults(
    ...circular.map((id) => fault(`conditions[${id}].condition`, "Conditions refer to each other in a circle."))
  )
}

/** Reads and checks conditional actions: the structure, or every fault keyed by path from here. Total on any value. */
export const parseConditionalActions = (input: unknown): Either.Either<ConditionalActions, Faults> => {
  if (!isPlainObject(input)) return Either.left(fault(NON_FIELD, input === null ? Messages.notNull : Messages.notAnObject))
  const role = textOf(own(input, "role"), "role", MAX_ROLE)
  const given = own(input, "conditions")
  const above = mergeFaults(unknownKeys(input, ["role", "conditions"]), leftOf(role))
  if (!Array.isArray(given)) {
    const said = given === undefined ? Messages.required : given === null ? Messages.notNull : Messages.notAList
    return Either.left(mergeFaults(above, fault("conditions", said)))
  }
  if (given.length === 0 || given.length > MAX_CONDITIONS) {
    const said = given.length === 0 ? Messages.tooFew(1) : Messages.tooMany(MAX_CONDITIONS)
    return Either.left(mergeFaults(above, fault("conditions", said)))
  }
  const items = given.map((item: unknown, position) => readItem(item, position, given.length))
  const references = given.map((item: unknown, position) => {
    const reference = isPlainObject(item) ? own(item, "condition") : undefined
    return position > 0 && typeof reference === "number" && Number.isSafeInteger(reference) && reference < given.length
      ? reference
      : undefined
  })
  const faults = mergeFaults(
    above,
    ...items.map((item, position) => underPath(`conditions[${position}]`, leftOf(item))),
    circleFaults(references.map((id) => (id !== undefined && id >= 0 ? id : undefined)))
  )
  return isFaulty(faults) || Either.isLeft(role)
    ? Either.left(faults)
    : Either.right({ role: role.right, conditions: Either.getOrElse(Either.all(items), () => []) })
}

const triggerWire = (trigger: Trigger): string | number => {
  switch (trigger.on) {
    case "first_message":
      return FIRST_MESSAGE
    case "description":
      return trigger.description
    case "condition":
      return trigger.id
  }
}

/** The wire form; every action as the text it was read from. */
export const toConditionalActionsWire = (actions: ConditionalActions): ConditionalActionsWire => ({
  role: actions.role,
  conditions: actions.conditions.map((item) => ({
    id: item.id,
    condition: triggerWire(item.trigger),
    action: printAction(item.action),
    type: item.type,
    fixed_message: item.fixedMessage
  }))
})

/** As JSON text, which reads back to the same structure. */
export const printConditionalActions = (actions: ConditionalActions): string =>
  JSON.stringify(toConditionalActionsWire(actions))

const fromJson = (text: string): Either.Either<unknown, Faults> =>
  Either.try({
    try: (): unknown => JSON.parse(text),
    catch: () => fault(NON_FIELD, "Instructions of conditional actions must be valid JSON.")
  })

/** Reads conditional actions out of JSON text. */
export const parseConditionalActionsText = (text: string): Either.Either<ConditionalActions, Faults> =>
  Either.flatMap(fromJson(text), parseConditionalActions)
