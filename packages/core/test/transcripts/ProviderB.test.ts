import { describe, expect, it } from "vitest"
import {
  decode,
  errorsOf,
  notAnObject,
  notANumber,
  parseJson,
  protoNotAllowed,
  required,
  toolCallsOf,
  turnsOf
} from "./decoding.js"

describe("decoding provider_b", () => {
  it("takes the times of a turn from its words, and leaves them unknown without words", () => {
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

  it("prefers the transcript with tool calls", () => {
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

  it("reports an invalid word under its path", () => {
    expect(
      errorsOf("provider_b", {
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

describe("decoding unusual provider_b payloads", () => {
  it("reports errors under their path, with and without an envelope", () => {
    const row = { role: "agent", content: "x", words: [5, {}] }
    expect(errorsOf("provider_b", [row])).toStrictEqual({
      "[0].words[0]": notAnObject,
      "[0].words[1].word": required
    })
    expect(errorsOf("provider_b", { transcript_object: [{ role: "bot", content: "x" }] })).toStrictEqual({
      "transcript_object[0].role": [expect.stringContaining('"bot" is not a valid choice. Choose from ')]
    })
    expect(errorsOf("provider_b", { call: { transcript_with_tool_calls: [5] } })).toStrictEqual({
      "call.transcript_with_tool_calls[0]": notAnObject
    })
    expect(errorsOf("provider_b", {})).toStrictEqual({ transcript_object: required })
    expect(errorsOf("provider_b", parseJson('{"transcript_object": [], "__proto__": 1}'))).toStrictEqual({
      non_field_errors: protoNotAllowed
    })
    expect(errorsOf("provider_b", parseJson('{"call": {"transcript_object": []}, "__proto__": 1}'))).toStrictEqual({
      non_field_errors: protoNotAllowed
    })
    expect(errorsOf("provider_b", parseJson('{"call": {"transcript_object": [], "__proto__": 1}}'))).toStrictEqual({
      call: protoNotAllowed
    })
  })

  it("accepts tool calls without arguments or ids, and results without content", () => {
    expect(
      toolCallsOf(
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
      errorsOf("provider_b", [
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
