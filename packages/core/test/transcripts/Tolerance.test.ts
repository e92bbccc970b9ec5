/** What the decoders of the providers' formats accept beyond complete payloads: a call must not be lost to a detail. */
import { describe, expect, it } from "vitest"
import { decode, errorsOf, toolCallsOf, turnsOf } from "./decoding.js"

const emptyTranscript = { _tag: "RawTranscript", turns: [], toolCalls: [] }

describe("decoding an envelope without a transcript", () => {
  it.each([
    ["provider_a", { message: { type: "end-of-call-report", call: { id: "1" }, artifact: {} } }],
    [
      "provider_a",
      { message: { type: "end-of-call-report", endedReason: "customer-busy", artifact: { messages: null } } }
    ],
    ["provider_a", { id: "1", orgId: "o", endedReason: "customer-did-not-answer", messages: [] }],
    ["provider_b", { event: "call_started", call: { call_id: "1", call_status: "ongoing" } }],
    ["provider_b", { event: "call_ended", call: { call_id: "1", transcript_object: null } }],
    ["provider_d", { call_id: "1" }],
    ["provider_d", { call_id: "1", messages: null }],
    ["provider_e", { job_id: "AJ_1", room: "r", chat_history: { items: [] } }],
    ["provider_e", { job_id: "AJ_1", room: "r" }],
    ["provider_f", { type: "call_initiation_failure", data: { conversation_id: "1", failure_reason: "busy" } }],
    ["provider_f", { type: "post_call_transcription", data: { conversation_id: "1", transcript: null } }]
  ])("%s: %j has no turns and no errors", (type, payload) => {
    expect(decode(type, payload)).toStrictEqual(emptyTranscript)
  })

  it.each([
    ["provider_a", { foo: 1 }, "messages"],
    ["provider_b", { event: "call_ended" }, "transcript_object"],
    ["provider_d", { foo: 1 }, "messages"],
    ["provider_e", { foo: 1 }, "items"],
    ["provider_f", { foo: 1 }, "transcript"]
  ])("%s: an object that is no envelope of the format is an error", (type, payload, path) => {
    expect(errorsOf(type, payload)).toStrictEqual({ [path]: ["This field is required."] })
  })
})

describe("decoding rows of unknown kinds", () => {
  it.each([
    ["provider_a", { role: "bot", message: "Hi" }],
    ["provider_b", { role: "agent", content: "Hi" }],
    ["provider_d", { role: "assistant", content: "Hi" }],
    ["provider_e", { role: "assistant", content: "Hi" }],
    ["provider_f", { role: "agent", message: "Hi" }]
  ])("%s: skips them and names each kind once", (type, row) => {
    const decoded = decode(type, [
      row,
      { role: "voicemail_detection" },
      { role: "voicemail_detection" },
      { role: "Über" }
    ])
    expect(turnsOf(decoded)).toStrictEqual([["main_agent", "Hi", undefined, undefined]])
    expect(decoded.skipped).toStrictEqual(["voicemail_detection", "unnamed"])
  })

  it("skips them in a recognized envelope even if it has no other rows", () => {
    const decoded = decode("provider_a", { endedReason: "voicemail", messages: [{ role: "voicemail_detection" }] })
    expect(decoded).toStrictEqual({ ...emptyTranscript, skipped: ["voicemail_detection"] })
  })
})

describe("decoding provider_c responses in other shapes", () => {
  const words = [
    { word: "hi", punctuated_word: "Hi", start: 0, end: 0.5 },
    { word: "there", start: 0.6, end: 1 }
  ]

  it("reads utterances as turns, by speaker or else by channel", () => {
    const utterances = [
      { transcript: "Hi there.", words, speaker: 1, start: 0, end: 1, channel: 0 },
      { transcript: "Yes.", speaker: 0, start: 2, end: 3, channel: 0 }
    ]
    const expected = [
      ["main_agent", "Hi there.", 0, 1],
      ["testing_agent", "Yes.", 2, 3]
    ]
    expect(turnsOf(decode("provider_c", { results: { utterances } }))).toStrictEqual(expected)
    expect(turnsOf(decode("provider_c", { utterances }))).toStrictEqual(expected)
    expect(turnsOf(decode("provider_c", utterances))).toStrictEqual(expected)
    const byChannel = [
      { transcript: "Hi there.", start: 0, end: 1, channel: 0 },
      { transcript: "Yes.", start: 2, end: 3, channel: 1 }
    ]
    expect(turnsOf(decode("provider_c", byChannel))).toStrictEqual(expected)
  })

  it("reads paragraphs as turns", () => {
    const paragraphs = [
      { sentences: [{ text: "Hi." }, { text: "Welcome." }], speaker: 0, start: 0, end: 2 },
      { sentences: [{ text: "Thanks." }], speaker: 1, start: 3, end: 4 }
    ]
    const expected = [
      ["main_agent", "Hi. Welcome.", 0, 2],
      ["testing_agent", "Thanks.", 3, 4]
    ]
    expect(turnsOf(decode("provider_c", { paragraphs }))).toStrictEqual(expected)
    expect(
      turnsOf(
        decode("provider_c", {
          results: { channels: [{ alternatives: [{ paragraphs: { transcript: "", paragraphs } }] }] }
        })
      )
    ).toStrictEqual(expected)
  })

  it("reports 600 words without a speaker as one error", () => {
    expect(
      Object.keys(
        errorsOf(
          "provider_c",
          Array.from({ length: 600 }, () => words[0])
        )
      )
    ).toStrictEqual(["[0].speaker"])
  })
})

describe("decoding provider_d rows in other shapes", () => {
  it("reads tool calls and results whose parts are under data", () => {
    const { toolCalls } = decode("provider_d", [
      { role: "tool_call", data: { id: "1", name: "find", arguments: { day: 3 } }, start_time: 1 },
      { role: "tool_call_result", data: { id: "1", name: "find", result: "none" }, start_time: 2 }
    ])
    expect(toolCalls.map((call) => [call.id, call.name, call.arguments, call.result])).toStrictEqual([
      ["1", "find", '{"day":3}', "none"]
    ])
  })

  it("joins content parts, and reads a content that is null as nothing said", () => {
    expect(
      turnsOf(
        decode("provider_d", [
          { role: "user", content: null },
          { role: "user", content: [{ type: "text", text: "Hi" }, { type: "input_audio" }, "you"] }
        ])
      )
    ).toStrictEqual([["testing_agent", "Hi\nyou", undefined, undefined]])
  })

  it("takes the result of an asynchronous tool from the message that finishes it", () => {
    const asynchronous = (status: string, result?: string) =>
      JSON.stringify({ type: "async_tool", status, tool_call_id: "1", ...(result === undefined ? {} : { result }) })
    const rows = [
      { role: "assistant", content: null, tool_calls: [{ id: "1", function: { name: "book", arguments: "{}" } }] },
      { role: "tool", tool_call_id: "1", content: asynchronous("started") },
      { role: "developer", content: asynchronous("running", "half") },
      { role: "developer", content: asynchronous("finished", "booked") }
    ]
    expect(toolCallsOf(decode("provider_d", rows))).toStrictEqual([["1", "book", "{}", "booked", undefined]])
    const inProgress = [rows[0], { role: "tool", tool_call_id: "1", content: "IN_PROGRESS" }, rows[3]]
    expect(toolCallsOf(decode("provider_d", inProgress))).toStrictEqual([["1", "book", "{}", "booked", undefined]])
  })
})

describe("decoding provider_e reports in other shapes", () => {
  it("reads the camel case of the JavaScript library", () => {
    const began = 1_741_251_600_000
    const decoded = decode("provider_e", {
      jobId: "AJ_1",
      startedAt: began,
      chatHistory: {
        items: [
          {
            type: "message",
            role: "assistant",
            content: ["Hi"],
            createdAt: began + 500,
            metrics: { startedSpeakingAt: began / 1000 + 1, stoppedSpeakingAt: began / 1000 + 2 }
          },
          { type: "function_call", callId: "1", name: "f", args: "{}", createdAt: began + 3_000 },
          {
            type: "function_call_output",
            callId: "1",
            name: "f",
            output: "no",
            isError: true,
            createdAt: began + 4_000
          }
        ]
      }
    })
    expect(turnsOf(decoded)).toStrictEqual([["main_agent", "Hi", 1, 2]])
    expect(decoded.toolCalls).toStrictEqual([
      { id: "1", name: "f", arguments: "{}", result: "no", succeeded: false, startTime: 3, endTime: 4 }
    ])
  })

  it("reads items under transcript", () => {
    expect(
      turnsOf(decode("provider_e", { transcript: { items: [{ type: "message", role: "user", content: ["Hi"] }] } }))
    ).toStrictEqual([["testing_agent", "Hi", undefined, undefined]])
  })
})

describe("decoding a provider_f simulation", () => {
  it("reads its conversation", () => {
    expect(
      turnsOf(decode("provider_f", { simulated_conversation: [{ role: "user", message: "Hi", time_in_call_secs: 1 }] }))
    ).toStrictEqual([["testing_agent", "Hi", 1, undefined]])
  })
})
