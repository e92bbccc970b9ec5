import { describe, expect, it } from "vitest"
import {
  decode,
  errorsOf,
  notAnObject,
  notAString,
  parseJson,
  protoNotAllowed,
  required,
  toolCallsOf,
  turnsOf
} from "./decoding.js"

describe("decoding provider_e", () => {
  const began = 1_741_251_600.25

  it("converts speaking times relative to the start of the session", () => {
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

  it("never makes a time negative when the session starts late", () => {
    expect(
      turnsOf(
        decode("provider_e", {
          started_at: began + 10,
          chat_history: { items: [{ type: "message", role: "user", content: ["Hi"], created_at: began + 4 }] }
        })
      )
    ).toStrictEqual([["testing_agent", "Hi", 0, undefined]])
  })

  it("reads a plain list with epoch or ISO timestamps", () => {
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

  it("marks a failed tool call", () => {
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

describe("decoding unusual provider_e payloads", () => {
  const began = 1_741_251_600

  it("accepts the role agent, ignores instructions, and reads a start without an end", () => {
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

  it("reads the items of a history and reports errors under their path in it", () => {
    const items = [{ role: "user", content: "Hey" }]
    for (const payload of [{ items }, { history: { items } }, { chat_history: { items }, history: { items: [] } }]) {
      expect(decode("provider_e", payload).turns).toHaveLength(1)
    }
    expect(errorsOf("provider_e", { items: [5] })).toStrictEqual({ "items[0]": notAnObject })
    expect(errorsOf("provider_e", { history: { items: [{ role: "bot", content: "x" }] } })).toStrictEqual({
      "history.items[0].role": [expect.stringContaining('"bot" is not a valid choice. Choose from ')]
    })
    expect(errorsOf("provider_e", { chat_history: {} })).toStrictEqual({ "chat_history.items": required })
    expect(errorsOf("provider_e", parseJson('{"items": [], "__proto__": 1}'))).toStrictEqual({
      non_field_errors: protoNotAllowed
    })
    expect(errorsOf("provider_e", parseJson('{"history": {"items": [], "__proto__": 1}}'))).toStrictEqual({
      history: protoNotAllowed
    })
  })

  it("validates the parts and the metrics of a message", () => {
    expect(
      errorsOf("provider_e", [
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

  it("accepts function calls without arguments, and outputs with optional fields omitted", () => {
    expect(
      toolCallsOf(
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
    expect(errorsOf("provider_e", [{ type: "function_call" }])).toStrictEqual({ "[0].name": required })
  })
})
