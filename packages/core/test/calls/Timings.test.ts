import { Calls, CallRecordings, encodeExpandedCall, readExpandedIn, untrusted, Upload } from "@earshot/core"
import { CallKit, TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { fixture, quiet } from "./evaluations.js"

const report = (latencies: ReadonlyArray<number>) => ({
  message: {
    type: "end-of-call-report",
    endedReason: "customer-ended-call",
    artifact: {
      messages: [
        { role: "user", message: "Hi, it is 402-77-1234.", secondsFromStart: 1 },
        {
          role: "tool_calls",
          secondsFromStart: 2,
          toolCalls: [{ id: "1", function: { name: "find", arguments: '{"ssn":"402-77-1234"}' } }]
        },
        { role: "tool_call_result", toolCallId: "1", name: "find", result: "found", secondsFromStart: 3 },
        { role: "bot", message: "Hello.", secondsFromStart: 4 }
      ],
      performanceMetrics: { turnLatencies: latencies.map((turnLatency) => ({ turnLatency, modelLatency: 300 })) }
    }
  }
})

for (const database of TestEngine.databases) {
  layer(Layer.merge(TestEngine.layer(database), quiet))(`timings of calls on ${database}`, (it) => {
    it.effect("are stored, measured by metrics, found by filters and read back with tool calls and evaluations", () =>
      Effect.gen(function* () {
        const { as, calls, ingest, runner } = yield* fixture
        const sent = (latency: number) => ({
          transcript_type: "provider_a" as const,
          transcript_json: report([latency]),
          redact_fields: ["ssn" as const]
        })
        const quick = yield* ingest(sent(800))
        yield* ingest(sent(2500))
        yield* runner.drain
        const read = (expand: string) =>
          Effect.map(as(calls.read(quick.id, { expand })), (call) =>
            encodeExpandedCall(call, Either.getOrThrow(readExpandedIn({ expand })).expand)
          )
        const { evaluations, timings, tool_calls } = yield* read("tool_calls,timings,evaluations")
        expect(timings).toEqual([
          {
            turn: 2,
            stages: {
              model_first_token: { seconds: 0.3, source: "turnLatencies.modelLatency" },
              end_to_end: { seconds: 0.8, source: "turnLatencies.turnLatency" }
            }
          }
        ])
        expect(tool_calls).toEqual([
          {
            id: "1",
            name: "find",
            arguments: '{"ssn":"[SSN]"}',
            result: "found",
            succeeded: null,
            start_time: 2,
            end_time: 3
          }
        ])
        const valueOf = (slug: string) => evaluations?.find((one) => one.slug === slug)?.value
        expect([valueOf("model_first_token_ms"), valueOf("stated_latency_ms"), valueOf("tool_ms")]).toEqual([
          300,
          800,
          null
        ])
        // The format states no ends of turns.
        expect(valueOf("latency_ms")).toBe(800)
        expect(yield* read("")).not.toHaveProperty("evaluations")
        const slow = yield* as(
          calls.list(
            untrusted({
              filters_v2: {
                operator: "same_row",
                conditions: [
                  { field: "metric_evaluations.metric.name", op: "eq", value: "Stated latency" },
                  { field: "metric_evaluations.value", op: "gte", value: 2000 }
                ]
              }
            })
          )
        )
        expect(slow.results).toHaveLength(1)
        expect(slow.results[0]?.id).not.toBe(quick.id)
        const invalid = yield* Effect.flip(as(calls.read(quick.id, { expand: "nope" })))
        expect(invalid).toMatchObject({
          errors: { expand: [expect.stringContaining('"nope" is not a valid choice. Choose from ')] }
        })
      })
    )

    it.effect("and recordings are another organization's to nobody else", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const other = yield* TestEngine.fixture
        const calls = yield* Calls
        const recordings = yield* CallRecordings
        const { call } = yield* calls
          .ingest({ call_id: "a", agent: agent.id, voice_recording: new Upload(CallKit.wav(1), "audio/wav", "a.wav") })
          .pipe(TestEngine.as(actor))
        for (const tried of [
          Effect.asVoid(recordings.open(call.id)),
          Effect.asVoid(recordings.sign(call.id)),
          Effect.asVoid(recordings.peaks(call.id)),
          Effect.asVoid(calls.read(call.id, { expand: "tool_calls" }))
        ]) {
          expect(yield* Effect.flip(tried.pipe(TestEngine.as(other.actor)))).toMatchObject({ _tag: "NotFound" })
          yield* tried.pipe(TestEngine.as(actor))
        }
      })
    )
  })
}
