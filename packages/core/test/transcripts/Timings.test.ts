import { type TranscriptType, TurnTimings } from "@earshot/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decode } from "./decoding.js"

/** Each turn's stages with their seconds. */
const timingsOf = (type: TranscriptType, payload: unknown) =>
  decode(type, payload).turns.map(({ timing }) =>
    timing === undefined
      ? undefined
      : Object.fromEntries(Object.entries(timing).map(([stage, { seconds }]) => [stage, seconds]))
  )

describe("the timings of turns", () => {
  it("are those of answers in a report of provider_a, in milliseconds", () => {
    const messages = [
      { role: "bot", message: "Hello.", secondsFromStart: 0 },
      { role: "user", message: "Hi.", secondsFromStart: 2 },
      { role: "bot", message: "How can I help?", secondsFromStart: 4 },
      { role: "bot", message: "Are you there?", secondsFromStart: 9 },
      { role: "user", message: "Yes.", secondsFromStart: 11 },
      { role: "bot", message: "Good.", secondsFromStart: 13 }
    ]
    const turnLatencies = [
      { modelLatency: 400, voiceLatency: 150, transcriberLatency: 120, endpointingLatency: 300, turnLatency: 970 },
      { modelLatency: "slow", voiceLatency: -3, turnLatency: 1200.5 }
    ]
    const report = { message: { endedReason: "x", artifact: { messages, performanceMetrics: { turnLatencies } } } }
    expect(timingsOf("provider_a", report)).toEqual([
      undefined,
      undefined,
      {
        endpointing: 0.3,
        speech_to_text: 0.12,
        model_first_token: 0.4,
        text_to_speech_first_byte: 0.15,
        end_to_end: 0.97
      },
      undefined,
      undefined,
      { end_to_end: 1.2005 }
    ])
    expect(decode("provider_a", report).turns[2]?.timing?.model_first_token?.source).toBe("turnLatencies.modelLatency")
  })

  it("are the values of a call's latency in provider_b", () => {
    const transcript_object = [
      { role: "agent", content: "Hello.", words: [] },
      { role: "user", content: "Hi.", words: [] },
      { role: "agent", content: "Yes?", words: [] }
    ]
    const call = (latency: unknown) => ({ call: { call_id: "a", transcript_object, latency } })
    expect(
      timingsOf("provider_b", call({ e2e: { values: [800] }, llm: { p50: 1 }, tts: { values: [90, 10] } }))
    ).toEqual([{ end_to_end: 0.8, text_to_speech_first_byte: 0.09 }, undefined, { text_to_speech_first_byte: 0.01 }])
    expect(timingsOf("provider_b", call({ e2e: { values: [800] } }))[2]).toEqual({ end_to_end: 0.8 })
    for (const latency of [null, 7, [], { e2e: 5 }, { e2e: { values: "x" } }, { e2e: { values: [null, "7", {}] } }]) {
      expect(timingsOf("provider_b", call(latency))).toEqual([undefined, undefined, undefined])
    }
  })

  it("are each message's metrics in provider_e, in both libraries' notation", () => {
    const items = [
      { role: "user", content: ["Hi."], metrics: { transcription_delay: 0.2, end_of_turn_delay: 0.5 } },
      { role: "assistant", content: ["Yes?"], metrics: { llmNodeTtft: 0.3, ttsNodeTtfb: 0.1, e2eLatency: 1.1 } }
    ]
    expect(timingsOf("provider_e", { items })).toEqual([
      { speech_to_text: 0.2, endpointing: 0.5 },
      { model_first_token: 0.3, text_to_speech_first_byte: 0.1, end_to_end: 1.1 }
    ])
  })

  it("are each row's metrics in provider_f, with those of the tools before it", () => {
    const elapsed = (elapsed_time: number) => ({ elapsed_time })
    const transcript = [
      { role: "user", message: "Hi.", conversation_turn_metrics: null },
      {
        role: "agent",
        message: null,
        tool_results: [
          { request_id: "1", tool_name: "f", result_value: "{}", tool_latency_secs: 0.4 },
          { request_id: "2", tool_name: "g", result_value: "{}", tool_latency_secs: 0.35 }
        ]
      },
      {
        role: "agent",
        message: "Yes?",
        conversation_turn_metrics: {
          metrics: { convai_llm_service_ttfb: elapsed(0.7), convai_tts_service_ttfb: elapsed(0.2) }
        }
      },
      { role: "agent", message: "Hm.", conversation_turn_metrics: { convai_llm_service_ttfb: elapsed(0.6) } }
    ]
    expect(timingsOf("provider_f", { transcript })).toEqual([
      undefined,
      { tool: 0.75, model_first_token: 0.7, text_to_speech_first_byte: 0.2 },
      { model_first_token: 0.6 }
    ])
  })

  it("belong to turns of the agent, each to another one, in their order", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 30 }), fc.nat(40), (isAgent, listed) => {
        const positions = TurnTimings.measuredTurns(isAgent, listed)
        expect(positions.length).toBeLessThanOrEqual(listed)
        expect(positions.every((position) => isAgent[position])).toBe(true)
        expect(positions).toEqual([...new Set(positions)].toSorted((a, b) => a - b))
        const answers = isAgent.filter((own, position) => own && isAgent[position - 1] === false).length
        expect(positions.length).toBe(
          listed === isAgent.filter((own) => own).length ? listed : Math.min(listed, answers)
        )
      })
    )
  })

  it("are never outside their limits", () => {
    for (const seconds of [-1, 3_601, Number.NaN, Infinity, "1", null, undefined, {}]) {
      expect(TurnTimings.timingOf([["tool", seconds, "x"]])).toBeUndefined()
    }
    expect(TurnTimings.timingOf([["tool", 0, "x"]])).toEqual({ tool: { seconds: 0, source: "x" } })
  })
})
