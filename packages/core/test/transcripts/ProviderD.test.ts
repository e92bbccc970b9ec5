import { describe, expect, it } from "vitest"
import { decode, errorsOf, notAString, required, toolCallsOf, turnsOf } from "./decoding.js"

describe("decoding provider_d", () => {
  it("reads seconds, and ISO timestamps relative to the earliest", () => {
    expect(
      turnsOf(
        decode("provider_d", [
          { role: "assistant", content: "Hi", start_time: 0.5, end_time: 1, timestamp: "2025-03-04T17:00:00Z" }
        ])
      )
    ).toStrictEqual([["main_agent", "Hi", 0.5, 1]])
    expect(
      turnsOf(
        decode("provider_d", [
          { role: "user", content: "Hey", timestamp: "2025-03-04T18:00:02.750+01:00" },
          { role: "assistant", content: "Hi", timestamp: "2025-03-04T17:00:01.5" },
          { role: "user", content: "Bye" }
        ])
      )
    ).toStrictEqual([
      ["testing_agent", "Hey", 1.25, undefined],
      ["main_agent", "Hi", 0, undefined],
      ["testing_agent", "Bye", undefined, undefined]
    ])
  })

  it("reads tool calls as rows and in a language model's notation", () => {
    const { toolCalls, turns } = decode("provider_d", [
      { role: "system", content: "Be kind." },
      { role: "tool_call", id: "1", function_name: "find", arguments: { day: 3 }, start_time: 1 },
      { role: "tool_call_result", id: "1", result: [3], start_time: 2 },
      { role: "assistant", content: null, tool_calls: [{ id: "2", function: { name: "book", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "2", content: "done" }
    ])
    expect(turns).toStrictEqual([])
    expect(
      toolCalls.map((call) => [call.name, call.arguments, call.result, call.startTime, call.endTime])
    ).toStrictEqual([
      ["find", '{"day":3}', "[3]", 1, 2],
      ["book", "{}", "done", undefined, undefined]
    ])
  })

  it("rejects an invalid timestamp", () => {
    expect(
      Object.keys(errorsOf("provider_d", [{ role: "user", content: "x", timestamp: "2025-13-04T17:00:00Z" }]))
    ).toStrictEqual(["[0].timestamp"])
  })
})

describe("decoding unusual provider_d payloads", () => {
  it("ignores instructions, and reads content next to tool calls", () => {
    expect(
      turnsOf(
        decode("provider_d", [
          { role: "developer", content: "Be kind." },
          { role: "assistant", content: "One moment.", tool_calls: [] },
          { role: "assistant", tool_calls: [] }
        ])
      )
    ).toStrictEqual([["main_agent", "One moment.", undefined, undefined]])
  })

  it("accepts a tool call without arguments, and rejects one without a name", () => {
    expect(toolCallsOf(decode("provider_d", [{ role: "tool_call", id: "1", name: "f" }]))).toStrictEqual([
      ["1", "f", "", undefined, undefined]
    ])
    expect(
      errorsOf("provider_d", [{ role: "tool_call" }, { role: "assistant", content: 5, tool_calls: [] }])
    ).toStrictEqual({
      "[0].function_name": required,
      "[1].content": notAString
    })
  })
})
