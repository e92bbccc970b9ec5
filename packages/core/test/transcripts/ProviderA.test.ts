import { describe, expect, it } from "vitest"
import { decode, errorsOf, notANumber, parseJson, protoNotAllowed, required, turnsOf } from "./decoding.js"

describe("decoding provider_a", () => {
  const began = Date.parse("2025-03-04T17:00:00Z")

  it("reads times above 1e11 as epoch milliseconds and smaller ones as seconds", () => {
    expect(
      turnsOf(
        decode("provider_a", [
          { role: "bot", message: "Hi", time: began + 1_500, endTime: began + 2_000 },
          { role: "user", message: "Hey", time: began + 4_000.25 }
        ])
      )
    ).toStrictEqual([
      ["main_agent", "Hi", 0, 0.5],
      ["testing_agent", "Hey", 2.50025, undefined]
    ])
    expect(
      turnsOf(decode("provider_a", [{ role: "bot", message: "Hi", time: 1.5, endTime: 2, duration: 9 }]))
    ).toStrictEqual([["main_agent", "Hi", 1.5, 2]])
    // Epoch seconds, as some of its libraries write.
    expect(
      turnsOf(
        decode("provider_a", {
          startedAt: "2025-03-04T17:00:00Z",
          messages: [{ role: "bot", message: "Hi", time: began / 1_000 + 3 }]
        })
      )
    ).toStrictEqual([["main_agent", "Hi", 3, undefined]])
  })

  it("prefers secondsFromStart to time, and derives the start of the call from rows with both", () => {
    expect(
      turnsOf(
        decode("provider_a", [
          { role: "bot", message: "Hi", time: began + 9_000, endTime: began + 9_700, secondsFromStart: 1.25 },
          { role: "user", message: "Hey", time: began + 10_000, duration: 400 }
        ])
      )
    ).toStrictEqual([
      ["main_agent", "Hi", 1.25, 1.95],
      ["testing_agent", "Hey", 2.25, 2.65]
    ])
  })

  it("prefers secondsFromStart when it contradicts time", () => {
    expect(
      turnsOf(
        decode("provider_a", {
          startedAt: new Date(began).toISOString(),
          messages: [
            { role: "bot", message: "Hi", time: began + 2_000, secondsFromStart: 1 },
            { role: "user", message: "Hey", time: began + 5_000, secondsFromStart: 6 },
            { role: "bot", message: "So", time: began + 8_000 }
          ]
        })
      ).map(([, content, start]) => [content, start])
    ).toStrictEqual([
      ["Hi", 1],
      ["Hey", 6],
      ["So", 7]
    ])
  })

  it("reads a duration in milliseconds unless time is in seconds", () => {
    expect(
      turnsOf(
        decode("provider_a", [
          { role: "bot", message: "a", secondsFromStart: 1, duration: 1_500 },
          { role: "bot", message: "b", time: 3, duration: 1.5 }
        ])
      )
    ).toStrictEqual([
      ["main_agent", "a", 1, 2.5],
      ["main_agent", "b", 3, 4.5]
    ])
  })

  it("ignores system and blank rows, and rejects a list of unknown roles alone", () => {
    expect(
      turnsOf(
        decode("provider_a", [
          { role: "system", message: "Be kind." },
          { role: "bot", message: " " }
        ])
      )
    ).toStrictEqual([])
    expect(
      errorsOf("provider_a", [
        { role: "agent", message: "hi" },
        { role: "agent", message: "ho" }
      ])
    ).toStrictEqual({
      "[0].role": [expect.stringContaining('"agent" is not a valid choice. Choose from ')]
    })
  })

  it("pairs tool calls with results, and keeps a result without a call", () => {
    expect(
      decode("provider_a", [
        {
          role: "tool_calls",
          toolCalls: [
            { id: "1", function: { name: "find", arguments: { street: "Alder" } } },
            { id: "2", function: { name: "book", arguments: "{}" } }
          ],
          secondsFromStart: 4
        },
        { role: "tool_call_result", toolCallId: "2", result: "booked", secondsFromStart: 6 },
        { role: "tool_call_result", toolCallId: "9", name: "lost", result: { ok: true } }
      ]).toolCalls.map((call) => [call.id, call.name, call.arguments, call.result, call.startTime, call.endTime])
    ).toStrictEqual([
      ["1", "find", '{"street":"Alder"}', undefined, 4, undefined],
      ["2", "book", "{}", "booked", 4, 6],
      ["9", "lost", "", '{"ok":true}', undefined, undefined]
    ])
  })

  it("assigns results without ids to the calls of that name in order, without ends before starts", () => {
    const call = (start: number) => ({
      role: "tool_calls",
      toolCalls: [{ function: { name: "find", arguments: "{}" } }],
      secondsFromStart: start
    })
    const result = (text: string, at: number) => ({
      role: "tool_call_result",
      name: "find",
      result: text,
      secondsFromStart: at
    })
    expect(
      decode("provider_a", [call(1), call(5), result("first", 3), result("second", 4)]).toolCalls.map(
        ({ endTime, result: turn, startTime }) => [turn, startTime, endTime]
      )
    ).toStrictEqual([
      ["first", 1, 3],
      ["second", 5, undefined]
    ])
  })

  it("rejects an end before its start in every notation", () => {
    expect(
      errorsOf("provider_a", [
        { role: "bot", message: "a", time: began + 2_000, endTime: began },
        { role: "bot", message: "b", secondsFromStart: 1, duration: -5 },
        { role: "bot", message: "c", time: 3, endTime: 2 }
      ])
    ).toStrictEqual({
      "[0].endTime": ["Ensure the end is not before the start."],
      "[1].duration": ["Ensure this value is greater than or equal to 0."],
      "[2].endTime": ["Ensure the end is not before the start."]
    })
  })

  it("rejects times that are further apart than the longest call", () => {
    expect(
      errorsOf("provider_a", [
        { role: "bot", message: "a", time: began },
        { role: "bot", message: "b", time: began + 700_000_000 }
      ])
    ).toStrictEqual({ "[1].time": ["Ensure this value is less than or equal to 604800."] })
  })
})

describe("decoding unusual provider_a payloads", () => {
  const began = Date.parse("2025-03-04T17:00:00Z")
  const iso = (seconds: number) => new Date(began + seconds * 1000).toISOString()
  const turn = (more: object) => ({ role: "bot", message: "Hi", ...more })
  const times = (payload: unknown) =>
    decode("provider_a", payload).turns.map(({ endTime, startTime }) => [startTime, endTime])

  it("takes the start of the call from the outermost object that states it", () => {
    const messages = [turn({ time: began + 3000 })]
    expect(times({ startedAt: iso(1), message: { artifact: { messages } } })).toStrictEqual([[2, undefined]])
    expect(times({ message: { startedAt: iso(1), artifact: { messages } } })).toStrictEqual([[2, undefined]])
    expect(times({ message: { artifact: { startedAt: iso(1), messages } } })).toStrictEqual([[2, undefined]])
    expect(
      times({ startedAt: iso(1), message: { startedAt: iso(2), artifact: { startedAt: iso(2), messages } } })
    ).toStrictEqual([[2, undefined]])
    expect(times({ startedAt: "no instant", artifact: { startedAt: iso(1), messages } })).toStrictEqual([
      [2, undefined]
    ])
    expect(times({ startedAt: 7, messages })).toStrictEqual([[0, undefined]])
  })

  it("reports errors of the objects around the list", () => {
    expect(errorsOf("provider_a", parseJson('{"messages": [], "__proto__": 1}'))).toStrictEqual({
      non_field_errors: protoNotAllowed
    })
    expect(errorsOf("provider_a", parseJson('{"message": {"messages": [], "__proto__": 1}}'))).toStrictEqual({
      message: protoNotAllowed
    })
    expect(errorsOf("provider_a", { artifact: { messages: [{ role: "bot" }] } })).toStrictEqual({
      "artifact.messages[0].message": required
    })
    expect(errorsOf("provider_a", {})).toStrictEqual({ messages: required })
  })

  it("computes the duration of a row from one clock", () => {
    expect(
      times([
        turn({ time: began + 2000, secondsFromStart: 1 }),
        // By the first row's clock it would end before it starts.
        turn({ time: began + 5000, endTime: began + 5500, secondsFromStart: 6 })
      ])[1]
    ).toStrictEqual([6, 6.5])
    expect(times([turn({ endTime: 5 })])).toStrictEqual([[undefined, 5]])
    expect(times([turn({ secondsFromStart: 6, time: began, endTime: 7 })])).toStrictEqual([[6, 7]])
    expect(
      times({ startedAt: iso(0), messages: [turn({ secondsFromStart: 6, endTime: began + 7000 })] })
    ).toStrictEqual([[6, 7]])
    expect(
      times({ startedAt: iso(0), messages: [turn({ secondsFromStart: 6, time: 6, endTime: began + 7000 })] })
    ).toStrictEqual([[6, 7]])
  })

  it("reads a duration in the unit of its row, up to a week", () => {
    expect(times([turn({ duration: 400 })])).toStrictEqual([[undefined, undefined]])
    expect(times([turn({ secondsFromStart: 1, duration: null })])).toStrictEqual([[1, undefined]])
    expect(times([turn({ secondsFromStart: 1, duration: 0 })])).toStrictEqual([[1, 1]])
    expect(times([turn({ secondsFromStart: 1, time: null, duration: 1500 })])).toStrictEqual([[1, 2.5]])
    expect(times([turn({ time: 100_000_000_000, duration: 5 })])).toStrictEqual([[0, 5]])
    expect(times([turn({ time: began, duration: 604_800_000 })])).toStrictEqual([[0, 604_800]])
    expect(times([turn({ time: 0, duration: 604_800 })])).toStrictEqual([[0, 604_800]])
    const wrong = (more: object) => errorsOf("provider_a", [turn(more)])
    expect(wrong({ secondsFromStart: 1, duration: "5" })).toStrictEqual({ "[0].duration": notANumber })
    expect(wrong({ secondsFromStart: 1, duration: Number.NaN })).toStrictEqual({ "[0].duration": notANumber })
    expect(wrong({ secondsFromStart: 1, duration: -1 })).toStrictEqual({
      "[0].duration": ["Ensure this value is greater than or equal to 0."]
    })
    expect(wrong({ secondsFromStart: 1, duration: 604_800_001 })).toStrictEqual({
      "[0].duration": ["Ensure this value is less than or equal to 604800000."]
    })
    expect(wrong({ time: 1, duration: 604_801 })).toStrictEqual({
      "[0].duration": ["Ensure this value is less than or equal to 604800."]
    })
    // Beyond a week from the start of the call.
    expect(
      errorsOf("provider_a", [turn({ time: began }), turn({ time: began + 1000, duration: 604_800_000 })])
    ).toStrictEqual({ "[1].duration": ["Ensure this value is less than or equal to 604800."] })
  })
})
