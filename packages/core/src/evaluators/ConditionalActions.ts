import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import {
  type FieldErrors,
  fieldError,
  hasFieldErrors,
  mergeFieldErrors,
  NON_FIELD,
  noFieldErrors,
  Messages,
  underPath
} from "../kernel/FieldErrors.js"
import { isPlainObject } from "../kernel/Json.js"
import { isWithin, textError } from "../kernel/Text.js"
import { type ActionPart, parseAction, printAction } from "./ActionMarkup.js"

export const ConditionType = Schema.Literal("standard", "action_followup")
export type ConditionType = typeof ConditionType.Type

/** The condition of the item that opens the conversation. */
export const FIRST_MESSAGE = "FIRST_MESSAGE"

/** What triggers an item: the start, something that the main agent does, or another item. */
export type Trigger =
  | { readonly on: "first_message" }
  /** What the main agent does, in the third person; matched semantically. */
  | { readonly on: "description"; readonly description: string }
  | { readonly on: "condition"; readonly id: number }

export interface ConditionalAction {
  readonly id: number
  readonly trigger: Trigger
  /** What the caller then does; `printAction` returns the text. */
  readonly action: ReadonlyArray<ActionPart>
  readonly type: ConditionType
  /** Whether the speech is spoken verbatim. */
  readonly fixedMessage: boolean
}

/** A caller's behavior as rules. Source: interface, Conditional-actions instructions; docs/suites.md. */
export interface ConditionalActions {
  /** Who the caller is. */
  readonly role: string
  readonly conditions: ReadonlyArray<ConditionalAction>
}

/** The wire form; as JSON text it is the `instructions` of a `conditional_actions` evaluator. */
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

/** The wire form's schema, for API descriptions; `parseConditionalActions` parses it. */
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

const textOf = (value: unknown, path: string, max: number): Either.Either<string, FieldErrors> => {
  if (value === undefined) return Either.left(fieldError(path, Messages.required))
  if (value === null) return Either.left(fieldError(path, Messages.notNull))
  if (typeof value !== "string") return Either.left(fieldError(path, Messages.notAString))
  const error = textError(value) ?? (isWithin(max, value) ? undefined : Messages.tooLong(max))
  return error === undefined ? Either.right(value) : Either.left(fieldError(path, error))
}

const notBlank = (path: string, text: Either.Either<string, FieldErrors>): Either.Either<string, FieldErrors> =>
  Either.filterOrLeft(
    text,
    (value) => value.trim() !== "",
    () => fieldError(path, Messages.notBlank)
  )

const own = (object: Record<string, unknown>, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined

const unknownKeys = (object: Record<string, unknown>, known: ReadonlyArray<string>): FieldErrors =>
  mergeFieldErrors(
    ...Object.keys(object)
      .filter((key) => !known.includes(key))
      .slice(0, 20)
      .map((key) => fieldError(textError(key) === undefined ? key.slice(0, 100) : NON_FIELD, Messages.unknownField))
  )

const parseTrigger = (value: unknown, id: number, count: number): Either.Either<Trigger, FieldErrors> => {
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) return Either.left(fieldError("condition", Messages.notAnInteger))
    if (id === 0) return Either.left(fieldError("condition", `The condition of item 0 must be "${FIRST_MESSAGE}".`))
    return value < 0 || value >= count
      ? Either.left(fieldError("condition", `No condition has the id ${value}.`))
      : Either.right({ on: "condition", id: value })
  }
  if (typeof value === "boolean" || (typeof value === "object" && value !== null)) {
    return Either.left(fieldError("condition", "Expected a text or the id of another condition."))
  }
  return Either.flatMap(
    notBlank("condition", textOf(value, "condition", MAX_TEXT)),
    (text): Either.Either<Trigger, FieldErrors> =>
      (text === FIRST_MESSAGE) === (id === 0)
        ? Either.right(id === 0 ? { on: "first_message" } : { on: "description", description: text })
        : Either.left(
            fieldError(
              "condition",
              id === 0
                ? `The condition of item 0 must be "${FIRST_MESSAGE}".`
                : `Only item 0 may have the condition "${FIRST_MESSAGE}".`
            )
          )
  )
}

const parseActionField = (value: unknown): Either.Either<ReadonlyArray<ActionPart>, FieldErrors> =>
  Either.flatMap(notBlank("action", textOf(value, "action", MAX_TEXT)), (text) =>
    Either.mapLeft(parseAction(text), (messages) => fieldError("action", ...messages))
  )

const parseType = (value: unknown): Either.Either<ConditionType, FieldErrors> => {
  const type = ConditionType.literals.find((one) => one === (value === undefined ? "standard" : value))
  return type === undefined
    ? Either.left(
        fieldError("type", value === null ? Messages.notNull : Messages.notAChoice(value, ConditionType.literals))
      )
    : Either.right(type)
}

const parseFlag = (value: unknown): Either.Either<boolean, FieldErrors> =>
  value === undefined
    ? Either.right(false)
    : typeof value === "boolean"
      ? Either.right(value)
      : Either.left(fieldError("fixed_message", value === null ? Messages.notNull : Messages.notABoolean))

const idErrors = (value: unknown, position: number): FieldErrors =>
  value === undefined
    ? fieldError("id", Messages.required)
    : value === position
      ? noFieldErrors
      : typeof value === "number" && Number.isSafeInteger(value)
        ? fieldError("id", `Ids count up from 0 without gaps: expected ${position}.`)
        : fieldError("id", value === null ? Messages.notNull : Messages.notAnInteger)

const leftOf = <A>(either: Either.Either<A, FieldErrors>): FieldErrors =>
  Either.isLeft(either) ? either.left : noFieldErrors

const parseItem = (value: unknown, position: number, count: number): Either.Either<ConditionalAction, FieldErrors> => {
  if (!isPlainObject(value))
    return Either.left(fieldError(NON_FIELD, value === null ? Messages.notNull : Messages.notAnObject))
  const trigger = parseTrigger(own(value, "condition"), position, count)
  const action = parseActionField(own(value, "action"))
  const type = parseType(own(value, "type"))
  const fixedMessage = parseFlag(own(value, "fixed_message"))
  const errors = mergeFieldErrors(
    unknownKeys(value, ["id", "condition", "action", "type", "fixed_message"]),
    idErrors(own(value, "id"), position),
    leftOf(trigger),
    leftOf(action),
    leftOf(type),
    leftOf(fixedMessage)
  )
  return Either.isRight(trigger) &&
    Either.isRight(action) &&
    Either.isRight(type) &&
    Either.isRight(fixedMessage) &&
    !hasFieldErrors(errors)
    ? Either.right({
        id: position,
        trigger: trigger.right,
        action: action.right,
        type: type.right,
        fixedMessage: fixedMessage.right
      })
    : Either.left(errors)
}

/**
 * Errors for items in a cycle of references. Each item refers to at most one other, so following the references from each
 * item, up to items that were visited before, finds every cycle in linear time.
 */
const circularReferenceErrors = (references: ReadonlyArray<number | undefined>): FieldErrors => {
  const visitedFrom = new Map<number, number>()
  const circular: Array<number> = []
  references.forEach((_, start) => {
    let at: number | undefined = start
    while (at !== undefined && !visitedFrom.has(at)) {
      visitedFrom.set(at, start)
      at = references[at]
    }
    if (at === undefined || visitedFrom.get(at) !== start) return
    const first = at
    do {
      circular.push(at)
      at = references[at]
    } while (at !== undefined && at !== first)
  })
  return mergeFieldErrors(
    ...circular.map((id) => fieldError(`conditions[${id}].condition`, "Conditions refer to each other in a cycle."))
  )
}

/** Parses conditional actions: the structure, or every error by its relative path. Total on any value. */
export const parseConditionalActions = (input: unknown): Either.Either<ConditionalActions, FieldErrors> => {
  if (!isPlainObject(input))
    return Either.left(fieldError(NON_FIELD, input === null ? Messages.notNull : Messages.notAnObject))
  const role = textOf(own(input, "role"), "role", MAX_ROLE)
  const given = own(input, "conditions")
  const topErrors = mergeFieldErrors(unknownKeys(input, ["role", "conditions"]), leftOf(role))
  if (!Array.isArray(given)) {
    const message = given === undefined ? Messages.required : given === null ? Messages.notNull : Messages.notAList
    return Either.left(mergeFieldErrors(topErrors, fieldError("conditions", message)))
  }
  if (given.length === 0 || given.length > MAX_CONDITIONS) {
    const message = given.length === 0 ? Messages.tooFew(1) : Messages.tooMany(MAX_CONDITIONS)
    return Either.left(mergeFieldErrors(topErrors, fieldError("conditions", message)))
  }
  const items = given.map((item: unknown, position) => parseItem(item, position, given.length))
  const references = given.map((item: unknown, position) => {
    const reference = isPlainObject(item) ? own(item, "condition") : undefined
    return position > 0 && typeof reference === "number" && Number.isSafeInteger(reference) && reference < given.length
      ? reference
      : undefined
  })
  const errors = mergeFieldErrors(
    topErrors,
    ...items.map((item, position) => underPath(`conditions[${position}]`, leftOf(item))),
    circularReferenceErrors(references.map((id) => (id !== undefined && id >= 0 ? id : undefined)))
  )
  return hasFieldErrors(errors) || Either.isLeft(role)
    ? Either.left(errors)
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

/** The wire form; every action as the text it was parsed from. */
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

/** The JSON text, which parses to the same structure. */
export const printConditionalActions = (actions: ConditionalActions): string =>
  JSON.stringify(toConditionalActionsWire(actions))

const fromJson = (text: string): Either.Either<unknown, FieldErrors> =>
  Either.try({
    try: (): unknown => JSON.parse(text),
    catch: () => fieldError(NON_FIELD, "Instructions of conditional actions must be valid JSON.")
  })

/** Parses conditional actions from JSON text. */
export const parseConditionalActionsText = (text: string): Either.Either<ConditionalActions, FieldErrors> =>
  Either.flatMap(fromJson(text), parseConditionalActions)
