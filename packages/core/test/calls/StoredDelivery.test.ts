import { encodeExpandedCall, encodeStoredDelivery, readExpandedIn, StoredDeliveryJson, Upload } from "@earshot/core"
import { CallKit, TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { fixture, quiet } from "./evaluations.js"

const SSN = "402-77-1234"

const platformReport = {
  message: {
    type: "end-of-call-report",
    artifact: {
      messages: [
        { role: "user", message: `It is ${SSN}.`, secondsFromStart: 1 },
        { role: "whisper", message: "not known", secondsFromStart: 1.5 },
        {
          role: "tool_calls",
          secondsFromStart: 2,
          toolCalls: [{ id: "1", function: { name: "find", arguments: `{"ssn":"${SSN}"}` } }]
        },
        { role: "tool_call_result", toolCallId: "1", name: "find", result: `found ${SSN}`, secondsFromStart: 3 },
        { role: "bot", message: "Hello.", secondsFromStart: 4 }
      ]
    }
  }
}

for (const database of TestEngine.databases) {
  layer(Layer.merge(TestEngine.layer(database), quiet))(`stored deliveries on ${database}`, (it) => {
    it.effect("have the fields of the request after redaction, and nothing of what was redacted", () =>
      Effect.gen(function* () {
        const { agent, as, calls, ingest } = yield* fixture
        const call = yield* ingest({
          transcript_type: "provider_a",
          transcript_json: platformReport,
          redact_fields: ["ssn"],
          metadata: { note: `ssn ${SSN}`, nested: [{ deep: SSN }] },
          dynamic_variables: { ssn: SSN },
          feedback: `said ${SSN}`,
          trace_id: "0123456789abcdef0123456789abcdef"
        })
        const expand = Either.getOrThrow(readExpandedIn({ expand: "delivery" })).expand
        const { delivery } = encodeExpandedCall(yield* as(calls.read(call.id, { expand: "delivery" })), expand)
        expect(JSON.stringify(delivery)).not.toContain(SSN)
        expect(delivery).toMatchObject({
          call_id: call.callId,
          agent: agent.id,
          trace_id: "0123456789abcdef0123456789abcdef",
          transcript_type: "provider_a",
          transcript_json: {
            turns: [
              {
                role: "Testing Agent",
                content: "It is [SSN].",
                start_time: 1,
                end_time: null,
                words: [],
                timing: null
              },
              { role: "Main Agent", content: "Hello.", start_time: 4 }
            ],
            tool_calls: [{ name: "find", arguments: '{"ssn":"[SSN]"}', result: "found [SSN]" }]
          },
          metadata: { note: "ssn [SSN]" },
          redact_fields: ["ssn"],
          metric_ids: null,
          main_agent_channel_index: null
        })
        expect(Schema.is(StoredDeliveryJson)(delivery)).toBe(true)
      })
    )

    it.effect("have words, requested metrics and the stated channel, but no feedback that a person wrote", () =>
      Effect.gen(function* () {
        const { as, calls, ingest, metrics } = yield* fixture
        const [metric] = (yield* as(metrics.list({}))).results
        const call = yield* ingest({
          transcript_type: "provider_c",
          transcript_json: [
            { word: "hello", start: 0.5, end: 0.9, speaker: 0 },
            { word: "yes", start: 1.5, end: 1.9, speaker: 1 }
          ],
          metric_ids: String(metric?.id),
          voice_recording: new Upload(CallKit.wav(2), "audio/wav", "a.wav"),
          main_agent_channel_index: 1,
          feedback: "sent"
        })
        expect(encodeStoredDelivery(call)).toMatchObject({
          transcript_json: {
            turns: [{ words: [{ word: "hello", start_time: 0.5, end_time: 0.9 }] }, { words: [{ word: "yes" }] }]
          },
          metric_ids: [metric?.id],
          main_agent_channel_index: 1,
          feedback: "sent"
        })
        const reviewed = yield* as(calls.review(call.id, { feedback: "typed by a person" }))
        expect(encodeStoredDelivery(reviewed).feedback).toBeNull()
      })
    )

    it.effect("are null where a call has no transcript, and are not expanded in lists", () =>
      Effect.gen(function* () {
        const { as, calls, ingest } = yield* fixture
        const call = yield* ingest({ transcript_json: undefined })
        expect(encodeStoredDelivery(call)).toMatchObject({
          transcript_type: null,
          transcript_json: null,
          metadata: null,
          dynamic_variables: null
        })
        const rejected = yield* Effect.flip(as(calls.list({ expand: "delivery" })))
        expect(rejected).toMatchObject({
          errors: { expand: [expect.stringContaining('"delivery" is not a valid choice. Choose from ')] }
        })
      })
    )
  })
}
