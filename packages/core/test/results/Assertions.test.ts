import { type Assertion, checkAssertion, checkAssertions, type Conversation, describeAssertion } from "@earshot/core"
import { ResultKit } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"

const turn = (speaker: "main_agent" | "testing_agent", content: string, startTime?: number, endTime?: number) => ({
  speaker,
  content,
  startTime,
  endTime,
  words: []
})

const call = (name: string, given: string) => ({
  name,
  arguments: given,
  id: undefined,
  result: undefined,
  succeeded: undefined,
  startTime: undefined,
  endTime: undefined
})

const booking: Conversation = {
  turns: [
    turn("testing_agent", "A table for two.", 0, 1),
    turn("main_agent", "Let me look.", 2.5, 3),
    turn("testing_agent", "Thanks", 3.5, 4),
    turn("main_agent", "Your table is BOOKED.", 4.2, 6)
  ],
  toolCalls: [call("find_table", '{"guests":2}'), call("book_table", '{"guests":2,"at":{"day":"Friday","hour":20}}')],
  endedReason: "main_agent_ended_call"
}

const reasonOf = (assertion: Assertion, of = booking) => checkAssertion(assertion, 0, of).reason

const contains = { type: "contains", speaker: "main_agent", case_sensitive: false } as const

describe("assertions of a scenario", () => {
  for (const { check, name } of ResultKit.assertionProperties(checkAssertion)) it(name, check)

  it.each<readonly [string, Assertion, string | null]>([
    ["a text that is said in other case", { ...contains, text: "booked" }, null],
    [
      "a text in other case where case matters",
      { ...contains, text: "booked", case_sensitive: true },
      "No turn has it."
    ],
    ["a text that the other speaker says", { ...contains, text: "for two" }, "No turn has it."],
    ["a text of either speaker", { ...contains, text: "for two", speaker: "any" }, null],
    ["a forbidden text", { ...contains, type: "not_contains", text: "look" }, 'Main Agent: "Let me look."'],
    ["a pattern", { type: "regex", speaker: "main_agent", pattern: "^Your .* BOOKED" }, null],
    ["a tool call with arguments", { type: "tool_called", tool: "book_table", arguments: { at: { hour: 20 } } }, null],
    [
      "a tool call with other arguments",
      { type: "tool_called", tool: "find_table", arguments: { guests: 3 } },
      'Called with "{\\"guests\\":2}".'
    ],
    [
      "a tool that was not called",
      { type: "tool_called", tool: "cancel", arguments: null },
      'Called: "find_table", "book_table".'
    ],
    ["an order of tools", { type: "tool_order", tools: ["find_table", "book_table"] }, null],
    [
      "the reverse order of tools",
      { type: "tool_order", tools: ["book_table", "find_table"] },
      '"find_table" was not called after "book_table". Called: "find_table", "book_table".'
    ],
    ["a latency that no answer exceeds", { type: "max_latency", milliseconds: 1500 }, null],
    [
      "a latency that an answer exceeds",
      { type: "max_latency", milliseconds: 1499 },
      "The slowest answer took 1500 ms."
    ],
    ["a number of turns", { type: "turns", min: 4, max: 4 }, null],
    ["too many turns", { type: "turns", min: null, max: 3 }, "The conversation has 4 turns."],
    ["who hangs up", { type: "ended_by", speaker: "main_agent" }, null],
    [
      "the other one hanging up",
      { type: "ended_by", speaker: "testing_agent" },
      'The conversation ended with "main_agent_ended_call".'
    ]
  ])("report %s", (_, assertion, reason) => {
    expect(reasonOf(assertion)).toBe(reason)
  })

  it("are not met where a latency cannot be known", () => {
    const untimed = { ...booking, turns: booking.turns.map(({ content, speaker }) => turn(speaker, content)) }
    expect(reasonOf({ type: "max_latency", milliseconds: 1 }, untimed)).toBe(
      "Latencies are unknown: 4 turns have no start time."
    )
  })

  it("are described in words, with long texts cut", () => {
    expect(describeAssertion({ ...contains, text: "x".repeat(1_000) })).toBe(`Main Agent says "${"x".repeat(200)}..."`)
    expect(describeAssertion({ type: "turns", min: 2, max: null })).toBe("Has at least 2 turns")
    expect(describeAssertion({ type: "turns", min: 2, max: 5 })).toBe("Has 2 to 5 turns")
    expect(describeAssertion({ ...contains, type: "not_contains", text: "no", speaker: "any" })).toBe(
      'Neither speaker says "no"'
    )
  })

  it("are read from the stored scenario, which may have none", () => {
    expect(checkAssertions({}, booking)).toEqual([])
    expect(checkAssertions({ assertions: [{ ...contains, text: "booked" }] }, booking)).toEqual([
      { criterion: "assertion:0", name: 'Main Agent says "booked"', passed: true, reason: null }
    ])
  })
})
