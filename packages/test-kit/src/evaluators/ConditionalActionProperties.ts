/**
 * Properties of the parser of conditional actions. Source: interface, Evaluator, Conditional-actions instructions; design,
 * section 5.
 */
import type { ActionPart, ConditionalActions, ConditionalActionsWire, FieldErrors } from "@earshot/core"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { expectEqual, invariant, type Property, property, expectEvery, expectOrdered } from "../Property.js"
import { arbitraryAction, arbitraryConditionalActions } from "./EvaluatorArbitraries.js"
import { invalidAction, invalidConditionalActions, wrongMarkers } from "./InvalidConditionalActions.js"

/** A parser and printer of actions. */
export interface ActionSyntax {
  /** Speech and markers, or a message for each invalid marker. */
  readonly parse: (text: string) => Either.Either<ReadonlyArray<ActionPart>, ReadonlyArray<string>>
  readonly print: (parts: ReadonlyArray<ActionPart>) => string
}

/** A parser and printer of conditional actions. */
export interface ConditionalActionsSyntax {
  /** The structure, or every error by its path. */
  readonly parse: (input: unknown) => Either.Either<ConditionalActions, FieldErrors.FieldErrors>
  /** As `parse`, from JSON text. */
  readonly parseText: (text: string) => Either.Either<ConditionalActions, FieldErrors.FieldErrors>
  readonly print: (actions: ConditionalActions) => string
}

const shortOf = (part: ActionPart): string =>
  part.kind === "silence" || part.kind === "hold" ? `${part.kind} ${part.seconds}` : part.kind

/** Properties of a parser of actions: texts with markers. */
export const actionProperties = ({ parse, print }: ActionSyntax): ReadonlyArray<Property> => [
  invariant("speech, silence, hold, laughter and endcall are parsed with their seconds", () => {
    const text = `Well <silence time="2" />hm [laughter]<hold time='5.5'/> 5 < 6 <endcall/>`
    const read = Either.map(parse(text), (parts) => parts.map(shortOf).join(", "))
    expectEqual("the parts", Either.merge(read), "speech, silence 2, speech, laughter, hold 5.5, speech, endcall")
  }),
  property("a valid action is printed as it was parsed", [arbitraryAction], (text) => {
    expectEqual("the printed action", Either.merge(Either.map(parse(text), print)), text)
  }),
  property("silences and holds have a positive duration", [arbitraryAction], (text) => {
    expectEvery(
      "Either.getOrThrow(parse(text))",
      Either.getOrThrow(parse(text)),
      (part) => !("seconds" in part) || part.seconds > 0
    )
  }),
  ...wrongMarkers.map(([wrong, marker]) =>
    invariant(`${wrong} is a fault of an action: ${marker}`, () => {
      expectEqual("what it is parsed to", Either.getRight(parse(`Well ${marker} [laughter]`)), Option.none())
    })
  ),
  property("an invalid marker anywhere is reported with a message", [invalidAction], (text) => {
    expectEqual(
      "Either.match(parse(text), { onLeft: (messages) => messages.length > 0 && messages.every...",
      Either.match(parse(text), {
        onLeft: (messages) => messages.length > 0 && messages.every((one) => one.trim() !== ""),
        onRight: () => false
      }),
      true
    )
  }),
  property(
    "any text is parsed without loss or rejected",
    [fc.string({ unit: fc.constantFrom("<", ">", "/", "silence", "hold", " time=", '"', "2", "[laughter]", "é") })],
    (text) => {
      expectEqual(
        "Either.match(parse(text), { onLeft: (messages) => messages.length > 0, onRight: (parts)...",
        Either.match(parse(text), {
          onLeft: (messages) => messages.length > 0,
          onRight: (parts) => print(parts) === text
        }),
        true
      )
    }
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

/** The references of all items but the first; there may be cycles. */
const references = fc
  .integer({ min: 1, max: 7 })
  .chain((count) => fc.array(fc.integer({ min: 0, max: count }), { minLength: count, maxLength: count }))

/** The items in a cycle of references. */
const inCircles = (all: ReadonlyArray<number>): ReadonlyArray<string> =>
  all.flatMap((_, at) => {
    let next = all[at] ?? 0
    for (let steps = 0; steps < all.length && next !== at + 1 && next !== 0; steps++) next = all[next - 1] ?? 0
    return next === at + 1 ? [`conditions[${at + 1}].condition`] : []
  })

/** Properties of a parser of conditional actions. */
export const conditionalActionsProperties = ({
  parse,
  parseText,
  print
}: ConditionalActionsSyntax): ReadonlyArray<Property> => {
  const pathsOf = (read: Either.Either<unknown, FieldErrors.FieldErrors>): ReadonlyArray<string> =>
    Either.match(read, { onLeft: Object.keys, onRight: () => [] })
  return [
    property("valid conditional actions are printed as they were parsed", [arbitraryConditionalActions], (wire) => {
      const text = JSON.stringify(wire)
      expectEqual("the faults", pathsOf(parse(wire)), [])
      expectEqual("what is printed", Either.merge(Either.map(parse(wire), print)), text)
      expectEqual("what is printed of a text", Either.merge(Either.map(parseText(text), print)), text)
    }),
    property("an item without type is standard and not spoken verbatim", [arbitraryConditionalActions], (wire) => {
      const short = wire.conditions.map(({ fixed_message: _, type: __, ...rest }) => rest)
      const full = short.map((rest) => ({ ...rest, type: "standard", fixed_message: false }))
      expectEqual(
        "Either.merge(Either.map(parse({ ...wire, conditions: short }), print))",
        Either.merge(Either.map(parse({ ...wire, conditions: short }), print)),
        JSON.stringify({ ...wire, conditions: full })
      )
    }),
    property(
      "an error of conditional actions is reported under its path only",
      [invalidConditionalActions()],
      (one) => {
        expectEqual("the faults", pathsOf(parse(one.input)), one.paths)
        expectEqual("the faults of the same as text", pathsOf(parseText(JSON.stringify(one.input))), one.paths)
      }
    ),
    property(
      "every error of conditional actions is reported, not only the first",
      [invalidConditionalActions(4)],
      ({ input, paths }) => {
        expectEqual("the faults", pathsOf(parse(input)).toSorted(), [...paths].toSorted())
      }
    ),
    property("references are acyclic, and every item of a cycle is reported", [references], (all) => {
      expectEqual("the faults", pathsOf(parse(chain(all))).toSorted(), [...inCircles(all)].toSorted())
    }),
    invariant("the first item has the condition FIRST_MESSAGE, and there is at least one item", () => {
      const [opening] = chain([]).conditions
      expectEqual("the faults of none", pathsOf(parse({ role: "x", conditions: [] })), ["conditions"])
      const late = { role: "x", conditions: [{ ...opening, condition: "says hello" }] }
      expectEqual("the faults without an opening", pathsOf(parse(late)), ["conditions[0].condition"])
    }),
    property(
      "any value is parsed as conditional actions or has errors",
      [
        fc.oneof(fc.anything(), fc.jsonValue(), fc.record({ role: fc.anything(), conditions: fc.array(fc.anything()) }))
      ],
      (input) => {
        const read = parse(input)
        if (Either.isLeft(read)) {
          expectOrdered("the number of messages", Object.values(read.left).flat().length, ">", 0)
        }
      }
    ),
    property("any text is parsed as conditional actions or has errors", [fc.oneof(fc.string(), fc.json())], (text) => {
      const read = parseText(text)
      if (Either.isLeft(read)) {
        expectOrdered("the number of messages", Object.values(read.left).flat().length, ">", 0)
      }
    })
  ]
}
