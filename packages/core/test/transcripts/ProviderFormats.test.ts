import { type DecodeContext, Faults, type RawTranscript, TranscriptFormat } from "@earshot/core"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"

const decode = (type: string, input: unknown, context?: DecodeContext): RawTranscript =>
  Either.getOrThrowWith(
    TranscriptFormat.builtIn.decode(type, input, context),
    (faults) => new Error(JSON.stringify(faults))
  )
const faultsOf = (type: string, input: unknown): Faults.Faults =>
  Either.match(TranscriptFormat.builtIn.decode(type, input), {
    onLeft: (faults) => faults,
    onRight: () => Faults.noFaults
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

  it("refuses more tool calls than any call makes", () => {
    const row = { role: "tool_calls", toolCalls: Array.from({ length: 6_000 }, () => ({ function: { name: "f" } })) }
    expect(faultsOf("provider_a", [row, row])).toStrictEqual({
      non_field_errors: ["Ensure this transcript has no more than 10000 tool calls."]
    })
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

  it("refuses more words than any call holds", () => {
    const words = Array.from({ length: 20_000 }, () => ({ word: "a", start: 0, end: 1 }))
    const row = { role: "user", content: "a", words }
    expect(faultsOf("provider_b", [row, row, row, row, row, row])).toStrictEqual({
      non_field_errors: ["Ensure this transcript has no more than 100000 words."]
    })
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
