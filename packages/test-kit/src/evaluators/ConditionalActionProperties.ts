/**
 * What any reader of conditional actions has to keep to. Source: interface, Evaluator, Conditional-actions instructions;
 * design, section 5.
 */
import type { ActionPart, ConditionalActions, ConditionalActionsWire, FieldErrors } from "@earshot/core"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { expectEqual, invariant, type Property, property } from "../Property.js"
import { arbitraryAction, arbitraryConditionalActions } from "./EvaluatorArbitraries.js"
import { invalidAction, invalidConditionalActions, wrongMarkers } from "./InvalidConditionalActions.js"

/** What reads an action, and writes it as it was. */
export interface ActionSyntax {
  /** Speech and markers, or a sentence for each marker that is wrong. */
  readonly parse: (text: string) => Either.Either<ReadonlyArray<ActionPart>, ReadonlyArray<string>>
  readonly print: (parts: ReadonlyArray<ActionPart>) => string
}

/** What reads conditional actions, and writes them as they were. */
export interface ConditionalActionsSyntax {
  /** The structure, or every fault by its path. */
  readonly parse: (input: unknown) => Either.Either<ConditionalActions, FieldErrors.FieldErrors>
  /** The same out of JSON text. */
  readonly parseText: (text: string) => Either.Either<ConditionalActions, FieldErrors.FieldErrors>
  readonly print: (actions: ConditionalActions) => string
}

const shortOf = (part: ActionPart): string =>
  part.kind === "silence" || part.kind === "hold" ? `${part.kind} ${part.seconds}` : part.kind

/** What every reader of an action has to keep to: text that may hold markers. */
export const actionProperties = ({ parse, print }: ActionSyntax): ReadonlyArray<Property> => [
  invariant("speech, silence, a hold, laughter and the end of the call are told apart, with their seconds", () => {
    const text = `Well <silence time="2" />hm [laughter]<hold time='5.5'/> 5 < 6 <endcall/>`
    const read = Either.map(parse(text), (parts) => parts.map(shortOf).join(", "))
    expectEqual("the parts", Either.merge(read), "speech, silence 2, speech, laughter, hold 5.5, speech, endcall")
    return true
  }),
  property("an action that is right is read, and printed as it was", [arbitraryAction], (text) =>
    Either.match(parse(text), { onLeft: () => false, onRight: (parts) => print(parts) === text })
  ),
  property("silences and holds last longer than no time", [arbitraryAction], (text) =>
    Either.getOrThrow(parse(text)).every((part) => !("seconds" in part) || part.seconds > 0)
  ),
  ...wrongMarkers.map(([wrong, marker]) =>
    invariant(`${wrong} is a fault of an action: ${marker}`, () => Either.isLeft(parse(`Well ${marker} [laughter]`)))
  ),
  property("one wrong marker anywhere is a fault of an action, told in a sentence", [invalidAction], (text) =>
    Either.match(parse(text), {
      onLeft: (said) => said.length > 0 && said.every((one) => one.trim() !== ""),
      onRight: () => false
    })
  ),
  property(
    "any text is read without loss, or refused",
    [fc.string({ unit: fc.constantFrom("<", ">", "/", "silence", "hold", " time=", '"', "2", "[laughter]", "é") })],
    (text) =>
      Either.match(parse(text), { onLeft: (said) => said.length > 0, onRight: (parts) => print(parts) === text })
  )
]

const chain = (references: ReadonlyArray<number>): ConditionalActionsWire => ({
  role: "Somebody",
  conditions: ["FIRST_MESSAGE", ...references].map((condition, id) => ({
    id,
    condition,
    action: "Hm",
    type: "standard",
    fixed_message: false
  }))
})

/** What each item but the first refers to: any item, so that there may be circles. */
const references = fc
  .integer({ min: 1, max: 7 })
  .chain((count) => fc.array(fc.integer({ min: 0, max: count }), { minLength: count, maxLength: count }))

/** The items from which following references leads back to them. */
const inCircles = (all: ReadonlyArray<number>): ReadonlyArray<string> =>
  all.flatMap((_, at) => {
    let next = all[at] ?? 0
    for (let steps = 0; steps < all.length && next !== at + 1 && next !== 0; steps++) next = all[next - 1] ?? 0
    return next === at + 1 ? [`conditions[${at + 1}].condition`] : []
  })

/** What every reader of conditional actions has to keep to. */
export const conditionalActionsProperties = ({
  parse,
  parseText,
  print
}: ConditionalActionsSyntax): ReadonlyArray<Property> => {
  const pathsOf = (read: Either.Either<unknown, FieldErrors.FieldErrors>): ReadonlyArray<string> =>
    Either.match(read, { onLeft: Object.keys, onRight: () => [] })
  return [
    property("conditional actions that are right are printed as they were", [arbitraryConditionalActions], (wire) => {
      const text = JSON.stringify(wire)
      expectEqual("the faults", pathsOf(parse(wire)), [])
      expectEqual("what is printed", Either.merge(Either.map(parse(wire), print)), text)
      expectEqual("what is printed of a text", Either.merge(Either.map(parseText(text), print)), text)
      return true
    }),
    property(
      "what an item may leave out is standard, and not said word for word",
      [arbitraryConditionalActions],
      (wire) => {
        const short = wire.conditions.map(({ fixed_message: _, type: __, ...rest }) => rest)
        const full = short.map((rest) => ({ ...rest, type: "standard", fixed_message: false }))
        return (
          Either.merge(Either.map(parse({ ...wire, conditions: short }), print)) ===
          JSON.stringify({ ...wire, conditions: full })
        )
      }
    ),
    property(
      "a fault of conditional actions is told at its place, and nowhere else",
      [invalidConditionalActions()],
      (one) => {
        expectEqual("the faults", pathsOf(parse(one.input)), one.paths)
        expectEqual("the faults of the same as text", pathsOf(parseText(JSON.stringify(one.input))), one.paths)
        return true
      }
    ),
    property(
      "every fault of conditional actions is told at its place, not the first",
      [invalidConditionalActions(4)],
      ({ input, paths }) => {
        expectEqual("the faults", pathsOf(parse(input)).toSorted(), [...paths].toSorted())
        return true
      }
    ),
    property("references lead in no circle, and all that are in one are told", [references], (all) => {
      expectEqual("the faults", pathsOf(parse(chain(all))).toSorted(), [...inCircles(all)].toSorted())
      return true
    }),
    invariant("the first item opens the conversation, and there is one at least", () => {
      const [opening] = chain([]).conditions
      expectEqual("the faults of none", pathsOf(parse({ role: "x", conditions: [] })), ["conditions"])
      const late = { role: "x", conditions: [{ ...opening, condition: "says hello" }] }
      expectEqual("the faults without an opening", pathsOf(parse(late)), ["conditions[0].condition"])
      return true
    }),
    property(
      "whatever is given for conditional actions is read or its faults are told",
      [
        fc.oneof(fc.anything(), fc.jsonValue(), fc.record({ role: fc.anything(), conditions: fc.array(fc.anything()) }))
      ],
      (input) => {
        const read = parse(input)
        return Either.isRight(read) || Object.values(read.left).some((said) => said.length > 0)
      }
    ),
    property(
      "whatever text is given for conditional actions is read or its faults are told",
      [fc.oneof(fc.string(), fc.json())],
      (text) => {
        const read = parseText(text)
        return Either.isRight(read) || Object.values(read.left).some((said) => said.length > 0)
      }
    )
  ]
}
