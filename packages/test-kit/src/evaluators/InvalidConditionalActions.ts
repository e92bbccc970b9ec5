/** Invalid conditional actions, with the paths of their errors. Source: interface, Evaluator. */
import type { ConditionalActionsWire } from "@earshot/core"
import * as fc from "fast-check"
import { arbitraryAction, arbitraryConditionalActions } from "./EvaluatorArbitraries.js"

type Item = Readonly<Record<string, unknown>>

/** One error: in an item, or in what contains the items. */
export interface ConditionalActionsFlaw {
  /** A description for failures. */
  readonly wrong: string
  readonly of: "item" | "whole"
  readonly patch: Item
  /** The field of the error; blank for the item as a whole. */
  readonly path: string
}

export interface InvalidConditionalActions {
  readonly wrong: ReadonlyArray<string>
  readonly input: Item
  /** The paths of all errors. */
  readonly paths: ReadonlyArray<string>
}

/** Invalid markers, each alone in its action. */
export const wrongMarkers: ReadonlyArray<readonly [wrong: string, marker: string]> = [
  ["silence for no time", '<silence time="0" />'],
  ["silence for no time, to the decimals", '<silence time="0.000" />'],
  ["a hold for no time", "<hold time='0'/>"],
  ["a hold for less than no time", '<hold time="-1" />'],
  ["a time that is no number", '<silence time="soon" />'],
  ["a time that is blank", '<hold time="" />'],
  ["no time", "<silence />"],
  ["a time without quotes", "<hold time=5 />"],
  ["a tag that is not closed", '<silence time="2">'],
  ["a tag that never ends", '<hold time="2" /'],
  ["an end of the call with a time", '<endcall time="1" />'],
  ["an end of the call that is not closed", "<endcall>"],
  ["an unknown tag", "<whisper />"],
  ["an unknown tag around words", "<b>now</b>"],
  ["the end of a tag", "</hold>"],
  ["a tag of another language", "<break time='2s'/>"]
]

const item = (wrong: string, field: string, value: unknown): ConditionalActionsFlaw => ({
  wrong,
  of: "item",
  patch: { [field]: value },
  path: field
})

const whole = (wrong: string, field: string, value: unknown): ConditionalActionsFlaw => ({
  ...item(wrong, field, value),
  of: "whole"
})

/** Errors of an item other than the first. */
export const conditionalActionsFlaws: ReadonlyArray<ConditionalActionsFlaw> = [
  ...wrongMarkers.map(([wrong, marker]) => item(wrong, "action", `Well ${marker} [laughter]`)),
  item("nothing to do", "action", undefined),
  item("nothing but blanks to do", "action", " \n"),
  item("null to do", "action", null),
  item("a list to do", "action", ["Hello"]),
  item("NUL to say", "action", "a\0"),
  item("no condition", "condition", undefined),
  item("a blank condition", "condition", "  "),
  item("a condition of an item that is not there", "condition", 1000),
  item("a condition of an item before the first", "condition", -1),
  item("a condition of half an item", "condition", 0.5),
  item("a condition that is an object", "condition", { id: 0 }),
  item("another first message", "condition", "FIRST_MESSAGE"),
  item("no id", "id", undefined),
  item("an id out of order", "id", 1001),
  item("an id that is a text", "id", "1"),
  item("an unknown type", "type", "dance"),
  item("a type that is null", "type", null),
  item("a flag that is a word", "fixed_message", "yes"),
  item("an unknown field", "mood", "bad"),
  whole("no role", "role", undefined),
  whole("a role that is a number", "role", 7),
  whole("an unknown field beside the role", "mood", "bad")
]

/** With these fields replaced; undefined removes a field. */
const patched = (fields: object, patch: Item): Item =>
  Object.fromEntries(Object.entries({ ...fields, ...patch }).filter(([, value]) => value !== undefined))

const atLeastTwo = arbitraryConditionalActions.map(({ conditions, role }): ConditionalActionsWire => ({
  role,
  conditions: [
    ...conditions,
    { id: conditions.length, condition: "says goodbye", action: "Bye", type: "standard", fixed_message: false }
  ]
}))

/** Conditional actions with one or several errors, in distinct fields. */
export const invalidConditionalActions = (most = 1): fc.Arbitrary<InvalidConditionalActions> =>
  fc
    .tuple(
      atLeastTwo,
      fc.nat(),
      fc.uniqueArray(fc.constantFrom(...conditionalActionsFlaws), {
        minLength: 1,
        maxLength: most,
        selector: ({ of, patch }) => `${of} ${Object.keys(patch).join()}`
      })
    )
    .map(([{ conditions, role }, pick, flaws]) => {
      const position = 1 + (pick % (conditions.length - 1))
      const withEntry = (of: ConditionalActionsFlaw["of"]): Item =>
        Object.fromEntries(flaws.filter((one) => one.of === of).flatMap(({ patch }) => Object.entries(patch)))
      return {
        wrong: flaws.map(({ wrong }) => wrong),
        input: patched(
          { role, conditions: conditions.map((one, at) => (at === position ? patched(one, withEntry("item")) : one)) },
          withEntry("whole")
        ),
        paths: flaws.map(({ of, path }) => (of === "whole" ? path : `conditions[${position}].${path}`))
      }
    })

/** An action with one invalid marker. */
export const invalidAction: fc.Arbitrary<string> = fc
  .tuple(
    arbitraryAction,
    fc.oneof(
      fc.constantFrom(...wrongMarkers.map(([, marker]) => marker)),
      fc
        .stringMatching(/^[a-z]{1,12}$/)
        .filter((tag) => !["silence", "hold", "endcall"].includes(tag))
        .map((tag) => `<${tag} />`)
    ),
    arbitraryAction
  )
  .map((pieces) => pieces.join(" "))
