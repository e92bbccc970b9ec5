/** Properties of the check of assertions. Source: docs/suites.md, Assertions. */
import type { AssertedSpeaker, Assertion, Conversation, Criterion, JsonObject, ToolCall, Turn } from "@earshot/core"
import * as fc from "fast-check"
import { at } from "../Documents.js"
import { expectEqual, type Property, property, expectPresent } from "../Property.js"

export type CheckAssertion = (assertion: Assertion, position: number, of: Conversation) => Criterion

const words = ["Booked", "booked", "a", "table", "É", "no", "Two people"] as const
const speaker = fc.constantFrom<Turn["speaker"]>("main_agent", "testing_agent")
const asserted = fc.constantFrom<AssertedSpeaker>("main_agent", "testing_agent", "any")
const text = fc.array(fc.constantFrom(...words), { minLength: 1, maxLength: 4 }).map((some) => some.join(" "))

/** Turns whose times are in order, with every answer `gap` milliseconds after the turn before it. */
const timedTurns = fc
  .array(fc.record({ speaker, content: text, gap: fc.integer({ min: 0, max: 3_000 }) }), { minLength: 1, maxLength: 6 })
  .map((some) => {
    let clock = 0
    return some.map(({ content, gap, speaker: by }): Turn & { readonly gap: number } => {
      const startTime = clock + gap / 1000
      clock = startTime + 1
      return { speaker: by, content, startTime, endTime: clock, words: [], gap }
    })
  })

const json = fc.jsonValue({ maxDepth: 2 }).map((value) => JSON.stringify({ value, size: 4 }))
const toolNames = fc.constantFrom("find_table", "book_table", "hang_up")
const toolCallOf = (name: string, text: string): ToolCall => ({
  name,
  arguments: text,
  id: undefined,
  result: undefined,
  succeeded: undefined,
  startTime: 0,
  endTime: 0
})
const toolCall = fc
  .tuple(toolNames, fc.oneof(json, fc.constant("not json")))
  .map(([name, text]): ToolCall => toolCallOf(name, text))

/** Arguments that are equal as texts, not in type, and lists that contain one another. */
const collidingArguments: ReadonlyArray<JsonObject> = [
  {},
  { size: 4 },
  { size: "4" },
  { size: 1 },
  { size: true },
  { size: "true" },
  { size: null },
  { size: "null" },
  { size: 4, at: "noon" },
  { list: [1, 2] },
  { list: [2, 1] },
  { list: [1] },
  { list: ["1"] }
]

const conversation = fc.record({
  turns: timedTurns,
  toolCalls: fc.array(toolCall, { maxLength: 5 }),
  endedReason: fc.constantFrom("main_agent_ended_call", "testing_agent_ended_call", "too_many_messages", null)
})

/** An assertion of any type, as a suite's plan stores it. */
export const assertion: fc.Arbitrary<Assertion> = fc.oneof(
  fc.record({
    type: fc.constantFrom("contains" as const, "not_contains" as const),
    text,
    speaker: asserted,
    case_sensitive: fc.boolean()
  }),
  fc.record({
    type: fc.constant("regex" as const),
    pattern: fc.constantFrom("^Booked", "(?i)two", "x+"),
    speaker: asserted
  }),
  fc.record({
    type: fc.constant("tool_called" as const),
    tool: toolNames,
    arguments: fc.constantFrom<Extract<Assertion, { readonly type: "tool_called" }>["arguments"]>(null, {}, { size: 4 })
  }),
  fc.record({ type: fc.constant("tool_order" as const), tools: fc.array(toolNames, { minLength: 2, maxLength: 4 }) }),
  fc.record({ type: fc.constant("max_latency" as const), milliseconds: fc.integer({ min: 1, max: 3_000 }) }),
  fc.record({
    type: fc.constant("turns" as const),
    min: fc.option(fc.integer({ min: 1, max: 6 })),
    max: fc.constant(6)
  }),
  fc.record({ type: fc.constant("ended_by" as const), speaker })
)

const isSubsequence = (wanted: ReadonlyArray<string>, all: ReadonlyArray<string>): boolean => {
  const [first, ...rest] = wanted
  if (first === undefined) return true
  const at = all.indexOf(first)
  return at >= 0 && isSubsequence(rest, all.slice(at + 1))
}

export const assertionProperties = (check: CheckAssertion): ReadonlyArray<Property> => {
  const passes = (of: Conversation, one: Assertion): boolean => check(one, 0, of).passed === true
  return [
    property("an assertion is met or not, and has a reason where it is not", [assertion, conversation], (one, of) => {
      const { criterion, passed, reason } = check(one, 7, of)
      expectEqual("the criterion", criterion, "assertion:7")
      expectEqual("whether there is a reason", reason === null, passed)
      expectPresent("passed", passed)
    }),
    property("no assertion is met by a run without a transcript", [assertion, conversation], (one, of) => {
      expectEqual("whether it is met", passes({ ...of, turns: [] }, one), false)
    }),
    property(
      "contains and not_contains are opposites",
      [conversation, text, asserted, fc.boolean()],
      (of, one, by, exact) => {
        const whole = { text: one, speaker: by, case_sensitive: exact }
        expectEqual(
          "not_contains",
          passes(of, { type: "not_contains", ...whole }),
          !passes(of, { type: "contains", ...whole })
        )
      }
    ),
    property(
      "contains is met by exactly the texts that a turn of the speaker contains",
      [conversation, text, asserted, fc.boolean()],
      (of, one, by, exact) => {
        const turns = of.turns.filter((turn) => by === "any" || turn.speaker === by)
        const expected = turns.some(({ content }) =>
          exact ? content.includes(one) : content.toUpperCase().includes(one.toUpperCase())
        )
        expectEqual(
          "contains",
          passes(of, { type: "contains", text: one, speaker: by, case_sensitive: exact }),
          expected
        )
      }
    ),
    property(
      "a tool order is met if the calls have it as a subsequence",
      [conversation, fc.array(toolNames, { minLength: 2, maxLength: 4 })],
      (of, tools) => {
        const names = of.toolCalls.map(({ name }) => name)
        expectEqual("the order", passes(of, { type: "tool_order", tools }), isSubsequence(tools, names))
      }
    ),
    property(
      "arguments of a tool are asserted by their keys, in type and value, and lists as wholes",
      [fc.array(fc.constantFrom(...collidingArguments), { maxLength: 3 }), fc.constantFrom(...collidingArguments)],
      (given, wanted) => {
        const toolCalls = given.map((one): ToolCall => ({ ...toolCallOf("book_table", JSON.stringify(one)) }))
        const turns = [{ speaker: "main_agent" as const, content: "a", startTime: 0, endTime: 1, words: [] }]
        const expected = given.some((one) =>
          Object.entries(wanted).every(([key, value]) => JSON.stringify(at(one, key)) === JSON.stringify(value))
        )
        const of = { turns, toolCalls, endedReason: null }
        const assertion = { type: "tool_called" as const, tool: "book_table", arguments: wanted }
        expectEqual("whether it is met", passes(of, assertion), expected)
      }
    ),
    property("asserting fewer arguments of a tool call is never stricter", [conversation, toolNames], (of, tool) => {
      const called = (given: Extract<Assertion, { readonly type: "tool_called" }>["arguments"]) =>
        passes(of, { type: "tool_called", tool, arguments: given })
      const [whole, part, none] = [called({ size: 4, value: 1 }), called({ size: 4 }), called(null)]
      expectEqual("the weaker ones", [whole && !part, part && !none], [false, false])
      expectEqual(
        "the name alone",
        none,
        of.toolCalls.some(({ name }) => name === tool)
      )
    }),
    property(
      "a greater latency, and wider bounds of turns, are never stricter",
      [conversation, fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 1, max: 6 })],
      (of, milliseconds, count) => {
        const latency = (limit: number) => passes(of, { type: "max_latency", milliseconds: limit })
        const met = [milliseconds, milliseconds + 1].map(latency)
        expectEqual("latency with a longer limit", met, met[0] === true ? [true, true] : met)
        expectEqual("at most", passes(of, { type: "turns", min: null, max: count }), of.turns.length <= count)
        expectEqual("at least", passes(of, { type: "turns", min: count, max: null }), of.turns.length >= count)
      }
    ),
    property(
      "a latency limit is met exactly where no answer takes longer",
      [timedTurns, fc.nat({ max: 5 }), fc.integer({ min: -1, max: 1 })],
      (turns, which, more) => {
        // The limit is a gap, or a millisecond more or less.
        const milliseconds = Math.max(1, (turns[which % turns.length]?.gap ?? 1) + more)
        // Pauses of a speaker within its own speech are no answers.
        const answers = turns.filter(
          (turn, at) => turn.speaker === "main_agent" && turns[at - 1]?.speaker === "testing_agent"
        )
        const of = { turns, toolCalls: [], endedReason: null }
        const expected = answers.length > 0 && answers.every(({ gap }) => gap <= milliseconds)
        expectEqual("the limit", passes(of, { type: "max_latency", milliseconds }), expected)
      }
    ),
    property("ended_by is met by the reason of that speaker alone", [conversation, speaker], (of, by) => {
      expectEqual("ended_by", passes(of, { type: "ended_by", speaker: by }), of.endedReason === `${by}_ended_call`)
    })
  ]
}
