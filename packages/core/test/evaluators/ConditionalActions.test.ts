import {
  parseAction,
  parseConditionalActions,
  parseConditionalActionsText,
  printAction,
  printConditionalActions
} from "@earshot/core"
import { EvaluatorKit } from "@earshot/test-kit"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import { opening } from "./fixtures.js"

const errorsOf = (input: unknown) => Either.getOrThrow(Either.flip(parseConditionalActions(input)))

describe("parsing an action", () => {
  for (const { check, name } of EvaluatorKit.actionProperties({ parse: parseAction, print: printAction }))
    it(name, check)

  it.each([
    [`<silence />`, "is not well formed"],
    [`<silence time="0" />`, "positive"],
    [`<hold time="-1" />`, "positive"],
    [`<hold time="x" />`, "positive"],
    [`<silence time="2">`, "is not well formed"],
    [`<endcall>`, "is not well formed"],
    [`<sing />`, "Unknown tag"],
    [`</hold>`, "Unknown tag"],
    [`<silence time="1e3" />`, "positive"]
  ])("rejects %s", (text, messages) => {
    expect(Either.getOrThrow(Either.flip(parseAction(text)))[0]).toContain(messages)
  })
})

describe("conditional actions", () => {
  const syntax = {
    parse: parseConditionalActions,
    parseText: parseConditionalActionsText,
    print: printConditionalActions
  }
  for (const { check, name } of EvaluatorKit.conditionalActionsProperties(syntax)) it(name, check)

  it("are rejected with every error under its path", () => {
    expect(
      errorsOf({
        role: 7,
        mood: "bad",
        conditions: [
          { ...opening, condition: "Anything", id: 1 },
          { id: 1, condition: 1, action: "<sing />", type: "dance", fixed_message: "yes", when: 1 },
          { id: 2, condition: 9, action: " " },
          { id: 3, condition: "FIRST_MESSAGE" },
          "no object",
          { id: 5, condition: 1.5, action: "x" },
          { id: 6, condition: [1], action: null }
        ]
      })
    ).toEqual({
      role: ["Not a valid string."],
      mood: ["Unknown field."],
      "conditions[0].id": ["Ids count up from 0 without gaps: expected 0."],
      "conditions[0].condition": ['The condition of item 0 must be "FIRST_MESSAGE".'],
      "conditions[1].condition": ["Conditions refer to each other in a cycle."],
      "conditions[1].action": ["Unknown tag <sing />."],
      "conditions[1].type": [expect.stringContaining('"dance" is not a valid choice. Choose from ')],
      "conditions[1].fixed_message": ["Must be a valid boolean."],
      "conditions[1].when": ["Unknown field."],
      "conditions[2].condition": ["No condition has the id 9."],
      "conditions[2].action": ["This field may not be blank."],
      "conditions[3].condition": ['Only item 0 may have the condition "FIRST_MESSAGE".'],
      "conditions[3].action": ["This field is required."],
      "conditions[4]": ["Expected an object."],
      "conditions[5].condition": ["A valid integer is required."],
      "conditions[6].condition": ["Expected a text or the id of another condition."],
      "conditions[6].action": ["This field may not be null."]
    })
  })

  it("may refer forward and back, but not in a cycle of any length", () => {
    const chain = (of: (id: number, count: number) => unknown, count: number) => ({
      role: "x",
      conditions: [
        opening,
        ...Array.from({ length: count - 1 }, (_, at) => ({ id: at + 1, condition: of(at + 1, count), action: "x" }))
      ]
    })
    expect(Either.isRight(parseConditionalActions(chain((id) => id - 1, 500)))).toBe(true)
    expect(Either.isRight(parseConditionalActions(chain((id, count) => (id + 1 < count ? id + 1 : 0), 500)))).toBe(true)
    expect(Object.keys(errorsOf(chain((id, count) => (id + 1 < count ? id + 1 : 1), 500)))).toHaveLength(499)
    // What leads into a circle is not in it.
    expect(Object.keys(errorsOf(chain((id) => (id === 1 ? 2 : id === 2 ? 1 : id - 1), 5)))).toEqual([
      "conditions[1].condition",
      "conditions[2].condition"
    ])
  })

  it("are rejected beyond any depth and length without overflowing the stack", () => {
    const deep = Array.from({ length: 50_000 }).reduce<unknown>((inner) => [inner], 0)
    for (const input of [deep, { role: deep, conditions: [deep] }, { conditions: Array(501).fill({}) }]) {
      expect(Either.isLeft(parseConditionalActions(input))).toBe(true)
    }
    expect(errorsOf(JSON.parse('{"__proto__": 1, "role": "x", "conditions": []}'))).toEqual({
      ["__proto__"]: ["Unknown field."],
      conditions: ["Ensure this field has at least 1 elements."]
    })
  })
})
