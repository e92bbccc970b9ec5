import { type DecodeContext, FieldErrors, type RawTranscript, TranscriptFormat } from "@earshot/core"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import * as ProviderC from "../../src/transcripts/ProviderC.js"

const decode = (type: string, input: unknown, context?: DecodeContext): RawTranscript =>
  Either.getOrThrowWith(
    TranscriptFormat.builtIn.decode(type, input, context),
    (faults) => new Error(JSON.stringify(faults))
  )
const faultsOf = (type: string, input: unknown): FieldErrors.FieldErrors =>
  Either.match(TranscriptFormat.builtIn.decode(type, input), {
    onLeft: (faults) => faults,
    onRight: () => FieldErrors.noFieldErrors
  })

/** Speaker, text, start and end of each turn. */
const turnsOf = (transcript: RawTranscript) =>
  transcript.turns.map(({ content, endTime, speaker, startTime }) => [speaker, content, startTime, endTime])

describe("service_legacy", () => {
  it("knows its roles in any case, and text for content", () => {
    const roles = ["testing_agent", "USER", "Testing Agent", "main_agent", "Assistant", "AGENT", "Main-Agent"]
    expect(
      decode(
        "service_legacy",
        roles.map((role) => ({ role, text: "hi" }))
      ).turns.map(({ speaker }) => speaker)
    ).toStrictEqual([...Array<string>(3).fill("testing_agent"), ...Array<string>(4).fill("main_agent")])
  })

  it("prefers content to text, and asks for content where neither is given", () => {
    expect(turnsOf(decode("service_legacy", [{ role: "user", content: "a", text: "b" }]))).toStrictEqual([
      ["testing_agent", "a", undefined, undefined]
    ])
    expect(faultsOf("service_legacy", [{ role: "customer" }])).toStrictEqual({
      "[0].role": ['"customer" is not a valid choice.'],
      "[0].content": ["This field is required."]
    })
  })
})

describe("provider_a", () => {
  const began = Date.parse("2025-03-04T17:00:00Z")

  it("takes times above 1e11 as epoch milliseconds and smaller ones as seconds", () => {
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

  it("lets secondsFromStart win, and places the other rows by it", () => {
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

  it("believes secondsFromStart where the clocks of a payload disagree", () => {
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

  it("takes a duration in milliseconds unless time is in seconds", () => {
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

  it("passes over instructions and silent rows, and refuses other roles", () => {
    expect(
      turnsOf(
        decode("provider_a", [
          { role: "system", message: "Be kind." },
          { role: "bot", message: " " }
        ])
      )
    ).toStrictEqual([])
    expect(
      faultsOf("provider_a", { message: { artifact: { messages: [{ role: "agent", message: "hi" }] } } })
    ).toStrictEqual({
      "message.artifact.messages[0].role": ['"agent" is not a valid choice.']
    })
  })

  it("pairs tool calls with their results, and keeps a result whose call is missing", () => {
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

  it("gives results that come without ids to the calls of their name in turn, and no end before a start", () => {
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
        ({ endTime, result: said, startTime }) => [said, startTime, endTime]
      )
    ).toStrictEqual([
      ["first", 1, 3],
      ["second", 5, undefined]
    ])
  })

  it("refuses a span that ends before it starts, however it is told", () => {
    expect(
      faultsOf("provider_a", [
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

  it("refuses instants that are further apart than any call is long", () => {
    expect(
      faultsOf("provider_a", [
        { role: "bot", message: "a", time: began },
        { role: "bot", message: "b", time: began + 700_000_000 }
      ])
    ).toStrictEqual({ "[1].time": ["Ensure this value is less than or equal to 604800."] })
  })
})

describe("provider_b", () => {
  it("takes a turn's times from its words, and knows none without them", () => {
    const words = [
      { word: "Good ", start: 0.5, end: 0.8 },
      { word: "day", start: 0.9, end: 1.25 }
    ]
    expect(
      turnsOf(
        decode("provider_b", [
          { role: "agent", content: "Good day", words },
          { role: "user", content: "Hi", words: [] },
          { role: "transfer_target", content: "Branch" },
          // The first word's start is not known, so neither is the turn's.
          {
            role: "user",
            content: "a b",
            words: [
              { word: "a", start: null, end: 3 },
              { word: "b", start: 3.5, end: 4 }
            ]
          }
        ])
      )
    ).toStrictEqual([
      ["main_agent", "Good day", 0.5, 1.25],
      ["testing_agent", "Hi", undefined, undefined],
      ["testing_agent", "Branch", undefined, undefined],
      ["testing_agent", "a b", undefined, 4]
    ])
  })

  it("reads the transcript with tool calls before the one without", () => {
    const call = {
      transcript_object: [{ role: "agent", content: "Hi", words: [] }],
      transcript_with_tool_calls: [
        { role: "agent", content: "Hi", words: [] },
        { role: "tool_call_invocation", tool_call_id: "1", name: "f", arguments: "{}", time_sec: 2 },
        { role: "node_transition", new_node_id: "n" },
        { role: "dtmf", digit: "1" },
        { role: "sms", content: "We wrote you" },
        { role: "injected", content: "The caller is a regular" },
        { role: "tool_call_result", tool_call_id: "1", content: "no", successful: false, time_sec: 2.5 }
      ]
    }
    for (const payload of [{ event: "call_ended", call }, call]) {
      const transcript = decode("provider_b", payload)
      expect(transcript.turns).toHaveLength(1)
      expect(transcript.toolCalls).toStrictEqual([
        { id: "1", name: "f", arguments: "{}", result: "no", succeeded: false, startTime: 2, endTime: 2.5 }
      ])
    }
  })

  it("names a faulty word by its place", () => {
    expect(
      faultsOf("provider_b", {
        call: {
          transcript_object: [{ role: "user", content: "x", words: [{ word: "x", start: 2, end: 1 }, { start: "1" }] }]
        }
      })
    ).toStrictEqual({
      "call.transcript_object[0].words[0].end": ["Ensure the end is not before the start."],
      "call.transcript_object[0].words[1].word": ["This field is required."],
      "call.transcript_object[0].words[1].start": ["A valid number is required."]
    })
  })
})

describe("provider_c", () => {
  const word = (text: string, speaker: number, start: number) => ({
    word: text.toLowerCase(),
    punctuated_word: text,
    speaker,
    start,
    end: start + 0.25
  })
  const words = [
    word("Hello?", 1, 0),
    word("Hi,", 0, 1),
    word("you.", 0, 1.5),
    word("Thanks!", 1, 2),
    word("Bye.", 2, 3)
  ]

  it("makes turns of words, the first speaker being the main agent", () => {
    expect(turnsOf(decode("provider_c", words))).toStrictEqual([
      ["main_agent", "Hello?", 0, 0.25],
      ["testing_agent", "Hi, you.", 1, 1.75],
      ["main_agent", "Thanks!", 2, 2.25],
      ["testing_agent", "Bye.", 3, 3.25]
    ])
  })

  it("takes the main agent from its channel when that is told", () => {
    expect(
      decode("provider_c", { words }, { mainAgentChannelIndex: 0 }).turns.map(({ speaker }) => speaker)
    ).toStrictEqual(["testing_agent", "main_agent", "testing_agent", "testing_agent"])
  })

  it("puts the words of two channels in the order of their starts", () => {
    const channel = (...of: ReadonlyArray<object>) => ({ alternatives: [{ words: of }] })
    const plain = (text: string, start: number) => ({ word: text, start, end: start + 0.2 })
    expect(
      turnsOf(
        decode(
          "provider_c",
          {
            results: {
              channels: [channel(plain("hey", 1), plain("thanks", 3)), channel(plain("good", 2), plain("day", 2.5))]
            }
          },
          { mainAgentChannelIndex: 1 }
        )
      )
    ).toStrictEqual([
      ["testing_agent", "hey", 1, 1.2],
      ["main_agent", "good day", 2, 2.7],
      ["testing_agent", "thanks", 3, 3.2]
    ])
  })

  it("refuses a word that nobody said", () => {
    expect(faultsOf("provider_c", [{ word: "hi", start: 0, end: 1 }])).toStrictEqual({
      "[0].speaker": ["This field is required."]
    })
  })
})

describe("provider_d", () => {
  it("takes seconds, or ISO timestamps relative to the earliest", () => {
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

  it("reads tool calls as rows and as a model's context has them", () => {
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

  it("refuses a timestamp that names no instant", () => {
    expect(
      Object.keys(faultsOf("provider_d", [{ role: "user", content: "x", timestamp: "2025-13-04T17:00:00Z" }]))
    ).toStrictEqual(["[0].timestamp"])
  })
})

describe("provider_e", () => {
  const began = 1_741_251_600.25

  it("makes speaking times relative to the session's start", () => {
    expect(
      turnsOf(
        decode("provider_e", {
          started_at: began,
          items: [
            { type: "agent_handoff", new_agent_id: "x" },
            { type: "message", role: "system", content: ["Be kind."], created_at: began - 60 },
            {
              type: "message",
              role: "assistant",
              content: ["Hi.", { type: "image_content" }, "How are you?"],
              created_at: began + 0.5,
              metrics: { started_speaking_at: began + 1.5, stopped_speaking_at: began + 3.125 }
            },
            {
              type: "message",
              role: "user",
              content: ["Fine"],
              created_at: began + 5,
              metrics: { stopped_speaking_at: began + 4 }
            },
            {
              type: "message",
              role: "user",
              content: [{ type: "audio_content", transcript: "Bye" }],
              created_at: began + 6
            }
          ]
        })
      )
    ).toStrictEqual([
      ["main_agent", "Hi.\nHow are you?", 1.5, 3.125],
      ["testing_agent", "Fine", undefined, 4],
      ["testing_agent", "Bye", 6, undefined]
    ])
  })

  it("never lets a late session start make a time negative", () => {
    expect(
      turnsOf(
        decode("provider_e", {
          started_at: began + 10,
          chat_history: { items: [{ type: "message", role: "user", content: ["Hi"], created_at: began + 4 }] }
        })
      )
    ).toStrictEqual([["testing_agent", "Hi", 0, undefined]])
  })

  it("takes a plain list with epoch or ISO timestamps", () => {
    expect(
      turnsOf(
        decode("provider_e", [
          { role: "assistant", content: "Hi", timestamp: began },
          { role: "user", content: "Hey", timestamp: new Date((began + 2) * 1_000).toISOString() }
        ])
      )
    ).toStrictEqual([
      ["main_agent", "Hi", 0, undefined],
      ["testing_agent", "Hey", 2, undefined]
    ])
  })

  it("tells a failed tool call", () => {
    expect(
      decode("provider_e", [
        { type: "function_call", call_id: "1", name: "f", arguments: "{}", created_at: began },
        { type: "function_call_output", call_id: "1", output: "boom", is_error: true, created_at: began + 1 }
      ]).toolCalls
    ).toStrictEqual([
      { id: "1", name: "f", arguments: "{}", result: "boom", succeeded: false, startTime: 0, endTime: 1 }
    ])
  })
})

describe("provider_f", () => {
  it("knows starts and no ends, and passes over rows that only call tools", () => {
    const transcript = [
      { role: "agent", message: "Hi", time_in_call_secs: 0 },
      { role: "user", message: "Hey", time_in_call_secs: 3, tool_calls: null },
      {
        role: "agent",
        message: null,
        time_in_call_secs: 4,
        tool_calls: [{ request_id: "1", tool_name: "f", params_as_json: "{}" }],
        tool_results: [{ request_id: "1", tool_name: "f", result_value: "ok", is_error: false }]
      }
    ]
    for (const payload of [transcript, { transcript }, { type: "post_call_transcription", data: { transcript } }]) {
      const decoded = decode("provider_f", payload)
      expect(turnsOf(decoded)).toStrictEqual([
        ["main_agent", "Hi", 0, undefined],
        ["testing_agent", "Hey", 3, undefined]
      ])
      expect(decoded.toolCalls).toStrictEqual([
        { id: "1", name: "f", arguments: "{}", result: "ok", succeeded: true, startTime: 4, endTime: 4 }
      ])
    }
  })

  it("names faults by their place in the whole event", () => {
    expect(
      faultsOf("provider_f", { data: { transcript: [{ role: "bot", message: "x" }, { role: "agent" }] } })
    ).toStrictEqual({
      "data.transcript[0].role": ['"bot" is not a valid choice.'],
      "data.transcript[1].message": ["This field is required."]
    })
    expect(faultsOf("provider_f", { data: {} })).toStrictEqual({ "data.transcript": ["This field is required."] })
  })
})

describe("none-mono", () => {
  it("is a transcript with no turns, and refuses one that would be dropped", () => {
    expect(decode("none-mono", undefined).turns).toStrictEqual([])
    expect(Object.keys(faultsOf("none-mono", [{ role: "user" }]))).toStrictEqual(["non_field_errors"])
  })
})

const parsed = (text: string): unknown => JSON.parse(text)
const notAnObject = ["Expected an object."]
const required = ["This field is required."]
const notANumber = ["A valid number is required."]
const notAString = ["Not a valid string."]
const noProto = ['The key "__proto__" is not allowed.']
const tools = (transcript: RawTranscript) =>
  transcript.toolCalls.map((call) => [call.id, call.name, call.arguments, call.result, call.succeeded])

describe("every provider's list", () => {
  it.each(["service_legacy", "provider_a", "provider_b", "provider_c", "provider_d", "provider_e", "provider_f"])(
    "%s: is a list of objects, and faults are told by position",
    (type) => {
      expect(faultsOf(type, 5)).toStrictEqual({ non_field_errors: ["Expected a list of items."] })
      expect(faultsOf(type, [5])).toStrictEqual({ "[0]": notAnObject })
    }
  )

  it.each([
    ["service_legacy", { role: "user" }, "content"],
    ["provider_a", { role: "bot" }, "message"],
    ["provider_b", { role: "agent" }, "content"],
    ["provider_c", { speaker: 0 }, "word"],
    ["provider_d", { role: "user" }, "content"],
    ["provider_e", { role: "user" }, "content"],
    ["provider_f", { role: "user" }, "message"]
  ])("%s: says that a text is missing, and no less", (type, row, field) => {
    expect(faultsOf(type, [row])).toStrictEqual({ [`[0].${field}`]: required })
  })
})

describe("moments", () => {
  const at = (start_time: unknown, end_time?: unknown) => ({ role: "user", content: "x", start_time, end_time })
  const times = (...rows: ReadonlyArray<object>) =>
    decode("provider_d", rows).turns.map(({ endTime, startTime }) => [startTime, endTime])
  const faults = (...rows: ReadonlyArray<object>) => faultsOf("provider_d", rows)

  it("are seconds up to a week, and on the world's clock from 100,000,000 on", () => {
    expect(times(at(604_800))).toStrictEqual([[604_800, undefined]])
    expect(faults(at(604_801))).toStrictEqual({
      "[0].start_time": ["Ensure this value is less than or equal to 604800."]
    })
    expect(faults(at(99_999_999))).toStrictEqual({
      "[0].start_time": ["Ensure this value is less than or equal to 604800."]
    })
    expect(times(at(100_000_000))).toStrictEqual([[0, undefined]])
    expect(times(at(100_000_000, 100_604_800))).toStrictEqual([[0, 604_800]])
    expect(faults(at(100_000_000, 100_604_801))).toStrictEqual({
      "[0].end_time": ["Ensure this value is less than or equal to 604800."]
    })
  })

  it("are milliseconds above 100,000,000,000, up to the year 9999", () => {
    expect(times(at(99_999_999_995), at(100_000_000_000))).toStrictEqual([
      [0, undefined],
      [5, undefined]
    ])
    expect(times(at(100_000_000_001, 100_000_000_501))).toStrictEqual([[0, 0.5]])
    expect(times(at(253_402_300_799_999))).toStrictEqual([[0, undefined]])
    expect(faults(at(253_402_300_800_000))).toStrictEqual({
      "[0].start_time": ["Ensure this value is less than or equal to 253402300799999."]
    })
  })

  it("are no other values", () => {
    for (const value of [true, [2_000_000_000], Number.POSITIVE_INFINITY, Number.NaN, {}]) {
      expect(faults(at(value))).toStrictEqual({ "[0].start_time": notANumber })
    }
    expect(faults(at(-1))).toStrictEqual({ "[0].start_time": ["Ensure this value is greater than or equal to 0."] })
    expect(faults({ role: "user", content: "x", timestamp: "yesterday" })).toStrictEqual({
      "[0].timestamp": [expect.stringContaining("Datetime has wrong format.")]
    })
  })

  it("that are null leave the next one to tell", () => {
    expect(times({ role: "user", content: "x", start_time: null, timestamp: 5, end_time: null })).toStrictEqual([
      [5, undefined]
    ])
  })

  it("are in order", () => {
    expect(faults(at(3, 2))).toStrictEqual({ "[0].end_time": ["Ensure the end is not before the start."] })
  })
})

describe("tool calls and their results", () => {
  it("are paired by id, else by name, else in turn", () => {
    const call = (id: string | undefined, name: string) => ({
      role: "tool_call",
      tool_call_id: id,
      name,
      arguments: name
    })
    const result = (id: string | undefined, name: string | undefined, text: string) => ({
      role: "tool_call_result",
      tool_call_id: id,
      function_name: name,
      result: text
    })
    expect(
      tools(
        decode("provider_d", [
          call(undefined, "find"),
          call(undefined, "book"),
          call("find", "other"),
          call(undefined, ""),
          result(undefined, "book", "booked"),
          result("find", undefined, "by id"),
          result(undefined, undefined, "nameless"),
          { role: "tool_call_result", name: "find", content: "found" },
          result(undefined, undefined, "lost")
        ])
      )
    ).toStrictEqual([
      [undefined, "find", "find", "found", undefined],
      [undefined, "book", "book", "booked", undefined],
      ["find", "other", "other", "by id", undefined],
      [undefined, "", "", "nameless", undefined],
      [undefined, "", "", "lost", undefined]
    ])
  })

  it("as models write them are judged item by item", () => {
    const row = (...toolCalls: ReadonlyArray<unknown>) => ({ role: "tool_calls", toolCalls })
    expect(
      faultsOf("provider_a", [
        row(5, {}, { function: {} }, { id: 5, function: { name: 3, arguments: "\0" } }),
        { role: "tool_calls", toolCalls: 5 }
      ])
    ).toStrictEqual({
      "[0].toolCalls[0]": notAnObject,
      "[0].toolCalls[1].function": required,
      "[0].toolCalls[2].function.name": required,
      "[0].toolCalls[3].id": notAString,
      "[0].toolCalls[3].function.name": notAString,
      "[0].toolCalls[3].function.arguments": ["Null characters are not allowed."],
      "[1].toolCalls": ["Expected a list of items."]
    })
    expect(tools(decode("provider_a", [row({ function: { name: "f" } })]))).toStrictEqual([
      [undefined, "f", "", undefined, undefined]
    ])
  })
})

describe("provider_a at its edges", () => {
  const began = Date.parse("2025-03-04T17:00:00Z")
  const iso = (seconds: number) => new Date(began + seconds * 1000).toISOString()
  const said = (more: object) => ({ role: "bot", message: "Hi", ...more })
  const times = (payload: unknown) =>
    decode("provider_a", payload).turns.map(({ endTime, startTime }) => [startTime, endTime])

  it("takes the call's start from the outermost part that states it", () => {
    const messages = [said({ time: began + 3000 })]
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

  it("names what is wrong with the parts around the list", () => {
    expect(faultsOf("provider_a", parsed('{"messages": [], "__proto__": 1}'))).toStrictEqual({
      non_field_errors: noProto
    })
    expect(faultsOf("provider_a", parsed('{"message": {"messages": [], "__proto__": 1}}'))).toStrictEqual({
      message: noProto
    })
    expect(faultsOf("provider_a", { artifact: { messages: [{ role: "bot" }] } })).toStrictEqual({
      "artifact.messages[0].message": required
    })
    expect(faultsOf("provider_a", {})).toStrictEqual({ messages: required })
  })

  it("takes the length of a row from one clock", () => {
    expect(
      times([
        said({ time: began + 2000, secondsFromStart: 1 }),
        // By the first row's clock it would end before it starts.
        said({ time: began + 5000, endTime: began + 5500, secondsFromStart: 6 })
      ])[1]
    ).toStrictEqual([6, 6.5])
    expect(times([said({ endTime: 5 })])).toStrictEqual([[undefined, 5]])
    expect(times([said({ secondsFromStart: 6, time: began, endTime: 7 })])).toStrictEqual([[6, 7]])
    expect(
      times({ startedAt: iso(0), messages: [said({ secondsFromStart: 6, endTime: began + 7000 })] })
    ).toStrictEqual([[6, 7]])
    expect(
      times({ startedAt: iso(0), messages: [said({ secondsFromStart: 6, time: 6, endTime: began + 7000 })] })
    ).toStrictEqual([[6, 7]])
  })

  it("reads a duration in the unit of the row, up to a week of it", () => {
    expect(times([said({ duration: 400 })])).toStrictEqual([[undefined, undefined]])
    expect(times([said({ secondsFromStart: 1, duration: null })])).toStrictEqual([[1, undefined]])
    expect(times([said({ secondsFromStart: 1, duration: 0 })])).toStrictEqual([[1, 1]])
    expect(times([said({ secondsFromStart: 1, time: null, duration: 1500 })])).toStrictEqual([[1, 2.5]])
    expect(times([said({ time: 100_000_000_000, duration: 5 })])).toStrictEqual([[0, 5]])
    expect(times([said({ time: began, duration: 604_800_000 })])).toStrictEqual([[0, 604_800]])
    expect(times([said({ time: 0, duration: 604_800 })])).toStrictEqual([[0, 604_800]])
    const wrong = (more: object) => faultsOf("provider_a", [said(more)])
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
      faultsOf("provider_a", [said({ time: began }), said({ time: began + 1000, duration: 604_800_000 })])
    ).toStrictEqual({ "[1].duration": ["Ensure this value is less than or equal to 604800."] })
  })
})

describe("provider_b at its edges", () => {
  it("names faults by their place, whichever part is there", () => {
    const row = { role: "agent", content: "x", words: [5, {}] }
    expect(faultsOf("provider_b", [row])).toStrictEqual({
      "[0].words[0]": notAnObject,
      "[0].words[1].word": required
    })
    expect(faultsOf("provider_b", { transcript_object: [{ role: "bot", content: "x" }] })).toStrictEqual({
      "transcript_object[0].role": ['"bot" is not a valid choice.']
    })
    expect(faultsOf("provider_b", { call: { transcript_with_tool_calls: [5] } })).toStrictEqual({
      "call.transcript_with_tool_calls[0]": notAnObject
    })
    expect(faultsOf("provider_b", {})).toStrictEqual({ transcript_object: required })
    expect(faultsOf("provider_b", parsed('{"transcript_object": [], "__proto__": 1}'))).toStrictEqual({
      non_field_errors: noProto
    })
    expect(faultsOf("provider_b", parsed('{"call": {"transcript_object": []}, "__proto__": 1}'))).toStrictEqual({
      non_field_errors: noProto
    })
    expect(faultsOf("provider_b", parsed('{"call": {"transcript_object": [], "__proto__": 1}}'))).toStrictEqual({
      call: noProto
    })
  })

  it("takes tool calls without arguments or ids, and results that tell nothing", () => {
    expect(
      tools(
        decode("provider_b", [
          { role: "tool_call_invocation", tool_call_id: "1", name: "f" },
          { role: "tool_call_result", tool_call_id: "1", content: "ok" },
          { role: "tool_call_result", tool_call_id: "2", content: "lost", successful: true }
        ])
      )
    ).toStrictEqual([
      ["1", "f", "", "ok", undefined],
      ["2", "", "", "lost", true]
    ])
    expect(
      faultsOf("provider_b", [
        { role: "tool_call_invocation" },
        { role: "tool_call_result", time_sec: "1", successful: 1 }
      ])
    ).toStrictEqual({
      "[0].name": required,
      "[1].time_sec": notANumber,
      "[1].successful": ["Must be a valid boolean."]
    })
  })
})

describe("provider_c at its edges", () => {
  const word = (text: string, start: number, speaker?: unknown) => ({ word: text, start, end: start + 0.5, speaker })
  const channels = (...of: ReadonlyArray<unknown>) => ({ results: { channels: of } })
  const alternatives = (...words: ReadonlyArray<object>) => ({ alternatives: [{ words }] })

  it("needs to be told nothing of the call", () => {
    expect(Either.getOrThrow(ProviderC.decode([word("Hi", 0, 3)])).turns[0]?.speaker).toBe("main_agent")
    expect(Either.getOrThrow(ProviderC.decode([])).turns).toStrictEqual([])
  })

  it("takes the words of one channel as they come, by their own speakers", () => {
    expect(turnsOf(decode("provider_c", channels(alternatives(word("b", 2, 0), word("a", 1, 1)))))).toStrictEqual([
      ["main_agent", "b", 2, 2.5],
      ["testing_agent", "a", 1, 1.5]
    ])
    expect(turnsOf(decode("provider_c", channels()))).toStrictEqual([])
    expect(turnsOf(decode("provider_c", channels({ alternatives: [] })))).toStrictEqual([])
  })

  it("keeps a word without a start behind its neighbour", () => {
    expect(
      turnsOf(
        decode(
          "provider_c",
          channels(alternatives(word("a", 1), { word: "b" }, word("d", 4)), alternatives(word("c", 2)))
        )
      ).map(([, text]) => text)
    ).toStrictEqual(["a b", "c", "d"])
  })

  it("names faults by their place in the whole answer", () => {
    expect(faultsOf("provider_c", { results: 5 })).toStrictEqual({ results: notAnObject })
    expect(faultsOf("provider_c", { results: {} })).toStrictEqual({ "results.channels": required })
    expect(faultsOf("provider_c", { words: [5] })).toStrictEqual({ "words[0]": notAnObject })
    expect(faultsOf("provider_c", {})).toStrictEqual({ words: required })
    expect(
      faultsOf(
        "provider_c",
        channels(5, {}, { alternatives: [5] }, { alternatives: [{}] }, alternatives({ start: 1, end: 2 }))
      )
    ).toStrictEqual({
      "results.channels[0]": notAnObject,
      "results.channels[1].alternatives": required,
      "results.channels[2].alternatives[0]": notAnObject,
      "results.channels[3].alternatives[0].words": required,
      "results.channels[4].alternatives[0].words[0].word": required
    })
    expect(faultsOf("provider_c", channels(...Array.from({ length: 65 }, () => alternatives())))).toStrictEqual({
      "results.channels": ["Ensure this field has no more than 64 elements."]
    })
    expect(faultsOf("provider_c", parsed('{"words": [], "__proto__": 1}'))).toStrictEqual({ non_field_errors: noProto })
    expect(faultsOf("provider_c", parsed('{"results": {"channels": [], "__proto__": 1}}'))).toStrictEqual({
      results: noProto
    })
  })

  it("asks for a speaker that is a number from 0 on", () => {
    const speakers = [0, 1.5, -1, "0", null, undefined, Number.NaN]
    expect(
      faultsOf(
        "provider_c",
        speakers.map((speaker, at) => word("x", at, speaker))
      )
    ).toStrictEqual({
      "[1].speaker": ["A valid integer is required."],
      "[2].speaker": ["A valid integer is required."],
      "[3].speaker": ["A valid integer is required."],
      "[4].speaker": ["This field may not be null."],
      "[5].speaker": required,
      "[6].speaker": ["A valid integer is required."]
    })
  })
})

describe("provider_d at its edges", () => {
  it("passes over instructions, and takes what is said beside tools", () => {
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

  it("takes a tool call without arguments, and none without a name", () => {
    expect(tools(decode("provider_d", [{ role: "tool_call", id: "1", name: "f" }]))).toStrictEqual([
      ["1", "f", "", undefined, undefined]
    ])
    expect(
      faultsOf("provider_d", [{ role: "tool_call" }, { role: "assistant", content: 5, tool_calls: [] }])
    ).toStrictEqual({
      "[0].function_name": required,
      "[1].content": notAString
    })
  })
})

describe("provider_e at its edges", () => {
  const began = 1_741_251_600

  it("knows an agent, passes over instructions, and takes a start whose end is not known", () => {
    expect(
      turnsOf(
        decode("provider_e", {
          audio_recording_started_at: began,
          items: [
            { role: "developer", content: "Be kind." },
            { role: "agent", content: "Hi", created_at: began + 9, metrics: { started_speaking_at: began + 1 } },
            { role: "user", content: [{ text: "Hey" }], created_at: began + 3, timestamp: began + 2, metrics: null }
          ]
        })
      )
    ).toStrictEqual([
      ["main_agent", "Hi", 1, undefined],
      ["testing_agent", "Hey", 2, undefined]
    ])
  })

  it("reads the items of a history, and names faults by their place in it", () => {
    const items = [{ role: "user", content: "Hey" }]
    for (const payload of [{ items }, { history: { items } }, { chat_history: { items }, history: { items: [] } }]) {
      expect(decode("provider_e", payload).turns).toHaveLength(1)
    }
    expect(faultsOf("provider_e", { items: [5] })).toStrictEqual({ "items[0]": notAnObject })
    expect(faultsOf("provider_e", { history: { items: [{ role: "bot", content: "x" }] } })).toStrictEqual({
      "history.items[0].role": ['"bot" is not a valid choice.']
    })
    expect(faultsOf("provider_e", { chat_history: {} })).toStrictEqual({ "chat_history.items": required })
    expect(faultsOf("provider_e", parsed('{"items": [], "__proto__": 1}'))).toStrictEqual({ non_field_errors: noProto })
    expect(faultsOf("provider_e", parsed('{"history": {"items": [], "__proto__": 1}}'))).toStrictEqual({
      history: noProto
    })
  })

  it("judges the parts of a message, and its metrics", () => {
    expect(
      faultsOf("provider_e", [
        { role: "user", content: ["a", 5, "\0", { text: 5 }, null], metrics: 5 },
        { type: 5 },
        { role: "user", content: "x", metrics: { started_speaking_at: "soon" } }
      ])
    ).toStrictEqual({
      "[0].content[1]": notAString,
      "[0].content[2]": ["Null characters are not allowed."],
      "[0].content[3].text": notAString,
      "[0].content[4]": notAString,
      "[0].metrics": notAnObject,
      "[1].type": notAString,
      "[2].metrics.started_speaking_at": [expect.stringContaining("Datetime has wrong format.")]
    })
  })

  it("takes function calls without arguments, and outputs that tell little", () => {
    expect(
      tools(
        decode("provider_e", [
          { type: "function_call", call_id: "1", name: "f" },
          { type: "function_call_output", call_id: "1", output: "ok" },
          { type: "function_call_output", call_id: "2", name: "g", output: { a: 1 }, is_error: false }
        ])
      )
    ).toStrictEqual([
      ["1", "f", "", "ok", undefined],
      ["2", "g", "", '{"a":1}', true]
    ])
    expect(faultsOf("provider_e", [{ type: "function_call" }])).toStrictEqual({ "[0].name": required })
  })
})

describe("provider_f at its edges", () => {
  it("takes a row that only calls tools, and a result that tells little", () => {
    expect(
      tools(
        decode("provider_f", [
          { role: "agent", tool_calls: [{ request_id: "1", tool_name: "f" }] },
          { role: "agent", tool_results: [{ request_id: "1" }, { request_id: "2", tool_name: "g", is_error: true }] }
        ])
      )
    ).toStrictEqual([
      ["1", "f", "", undefined, undefined],
      ["2", "g", "", undefined, false]
    ])
  })

  it("names faults of tools and of the parts around by their place", () => {
    const row = { role: "agent", message: null, tool_calls: [5, {}], tool_results: [5, { is_error: "no" }] }
    expect(faultsOf("provider_f", [row, { role: "user", message: "x", time_in_call_secs: "1" }])).toStrictEqual({
      "[0].tool_calls[0]": notAnObject,
      "[0].tool_calls[1].tool_name": required,
      "[0].tool_results[0]": notAnObject,
      "[0].tool_results[1].is_error": ["Must be a valid boolean."],
      "[1].time_in_call_secs": notANumber
    })
    expect(faultsOf("provider_f", { transcript: [5] })).toStrictEqual({ "transcript[0]": notAnObject })
    expect(faultsOf("provider_f", parsed('{"transcript": [], "__proto__": 1}'))).toStrictEqual({
      non_field_errors: noProto
    })
    expect(faultsOf("provider_f", parsed('{"data": {"transcript": [], "__proto__": 1}}'))).toStrictEqual({
      data: noProto
    })
  })
})

describe("service_legacy at its edges", () => {
  it("says of a role that is none what is wrong with it", () => {
    expect(
      faultsOf("service_legacy", [{ content: "x" }, { role: null, content: "x" }, { role: 5, content: "x" }])
    ).toStrictEqual({
      "[0].role": required,
      "[1].role": ["This field may not be null."],
      "[2].role": ['"5" is not a valid choice.']
    })
  })

  it("reads a role whatever blanks and dashes are in it, and text where content is null", () => {
    expect(
      turnsOf(
        decode("service_legacy", [{ role: " main - Agent ", content: null, text: "Hi", start_time: 1, end_time: 1 }])
      )
    ).toStrictEqual([["main_agent", "Hi", 1, 1]])
    expect(faultsOf("service_legacy", [{ role: "user", content: null, text: null }])).toStrictEqual({
      "[0].content": ["This field may not be null."]
    })
    expect(faultsOf("service_legacy", [{ role: "user", content: "x", start_time: 2, end_time: 1 }])).toStrictEqual({
      "[0].end_time": ["Ensure the end is not before the start."]
    })
  })
})
