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

describe("decoding provider_f", () => {
  it("reads starts without ends, and ignores rows that only call tools", () => {
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

  it("reports errors under their path in the whole event", () => {
    expect(
      errorsOf("provider_f", { data: { transcript: [{ role: "bot", message: "x" }, { role: "agent" }] } })
    ).toStrictEqual({
      "data.transcript[1].message": ["This field is required."]
    })
    expect(errorsOf("provider_f", { data: {} })).toStrictEqual({ "data.transcript": ["This field is required."] })
  })
})

describe("decoding unusual provider_f payloads", () => {
  it("accepts a row that only calls tools, and a result with optional fields omitted", () => {
    expect(
      toolCallsOf(
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

  it("reports errors of tools and envelopes under their path", () => {
    const row = { role: "agent", message: null, tool_calls: [5, {}], tool_results: [5, { is_error: "no" }] }
    expect(errorsOf("provider_f", [row, { role: "user", message: "x", time_in_call_secs: "1" }])).toStrictEqual({
      "[0].tool_calls[0]": notAnObject,
      "[0].tool_calls[1].tool_name": required,
      "[0].tool_results[0]": notAnObject,
      "[0].tool_results[1].is_error": ["Must be a valid boolean."],
      "[1].time_in_call_secs": notANumber
    })
    expect(errorsOf("provider_f", { transcript: [5] })).toStrictEqual({ "transcript[0]": notAnObject })
    expect(errorsOf("provider_f", parseJson('{"transcript": [], "__proto__": 1}'))).toStrictEqual({
      non_field_errors: protoNotAllowed
    })
    expect(errorsOf("provider_f", parseJson('{"data": {"transcript": [], "__proto__": 1}}'))).toStrictEqual({
      data: protoNotAllowed
    })
  })
})
