import {
  type Ask,
  JobRunner,
  LanguageModel,
  Metrics,
  Results,
  type RunId,
  Suites,
  type Transcribe,
  Transcriber,
  Upload,
  ValidationFailed,
  untrusted
} from "@earshot/core"
import { CallKit, TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"

const turns = [
  { role: "Testing Agent", content: "A table, please.", start_time: 0, end_time: 1 },
  { role: "Main Agent", content: "It is booked.", start_time: 2, end_time: 3.5 }
]

const tested = Effect.gen(function* () {
  const owner = yield* TestEngine.fixture
  const as = TestEngine.as(owner.actor)
  const [results, suites, metrics, runner] = yield* Effect.all([Results, Suites, Metrics, JobRunner])
  const claimed = (scenario: object) =>
    Effect.gen(function* () {
      yield* as(
        suites.run({
          spec: {
            version: "1",
            suite: { name: "S" },
            scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Ask.", ...scenario }]
          },
          agent_id: owner.agent.id
        })
      )
      const [one] = yield* as(results.claim({ channel: "voice" }))
      if (one === undefined) return yield* Effect.dieMessage("Nothing was claimed")
      return { id: one.run.id, lease: { lease: one.lease } }
    })
  return { ...owner, as, results, metrics, runner, claimed }
})

for (const database of TestEngine.databases) {
  const ask: Ask = (question) =>
    Effect.map(
      Effect.orDie(
        Schema.decodeUnknown(question.schema)({
          reasoning: "Booked.",
          verdict: "decided",
          value: !question.prompt.includes("two tables"),
          turn: 2,
          quote: "booked"
        })
      ),
      (value) => ({ value, model: "fake", promptHash: "h".repeat(64), seed: 7 })
    )
  const model = Layer.succeed(LanguageModel, { ask: Option.some(ask) })
  const transcribe: Transcribe = ({ contentType, sizeBytes }) =>
    Effect.succeed({
      _tag: "RawTranscript",
      turns: [
        {
          speaker: "main_agent",
          content: `${sizeBytes} bytes of ${contentType}`,
          startTime: 0,
          endTime: 2,
          words: []
        }
      ],
      toolCalls: []
    })
  const transcriber = Layer.succeed(Transcriber, { transcribe: Option.some(transcribe) })
  const quiet = Logger.remove(Logger.defaultLogger)

  layer(Layer.merge(TestEngine.layer(database, { languageModel: model, transcriber }), quiet), { timeout: "1 minute" })(
    `runs that outside workers report, on ${database},`,
    (it) => {
      it.effect("stay unfinished until scored, and succeed by the expected outcome and the worker's report", () =>
        Effect.gen(function* () {
          const { as, claimed, results, runner } = yield* tested
          for (const [expected, reported, success, error] of [
            ["A table is booked.", null, true, null],
            ["A table is booked.", true, true, null],
            [
              "A table is booked.",
              false,
              false,
              "Not met: Reported by the worker (The worker reported that the run failed.)"
            ],
            ["The caller gets two tables.", true, false, "Not met: Expected outcome (Booked.)"]
          ] as const) {
            const { id, lease } = yield* claimed({ expected_outcome: expected, metrics: ["latency_ms"] })
            const reportedAs = { ...lease, transcript_json: turns, success: reported, call_ended_reason: "hung up" }
            expect(yield* as(results.complete(id, reportedAs))).toMatchObject({
              status: "evaluating",
              success: reported,
              duration: 3.5
            })
            // Nothing is reported twice.
            expect(yield* Effect.flip(as(results.complete(id, reportedAs)))).toBeInstanceOf(ValidationFailed)
            yield* runner.drain
            const run = yield* as(results.readRun(id))
            expect(run).toMatchObject({ status: "completed", success, error, endedReason: "hung up" })
            expect(run.metrics.map(({ slug, value }) => [slug, value])).toEqual([
              ["latency_ms", 1000],
              ["expected_outcome", !expected.includes("two tables")]
            ])
            expect(run.transcript).toBe("[00:00] Testing Agent: A table, please.\n[00:02] Main Agent: It is booked.")
          }
        })
      )

      it.effect("time out if their worker exceeds the maximum duration", () =>
        Effect.gen(function* () {
          const { as, claimed, results } = yield* tested
          const { id, lease } = yield* claimed({ max_duration: 60 })
          const beat = as(results.heartbeat(id, { ...lease, lease_seconds: 600 }))
          yield* TestClock.adjust("30 seconds")
          yield* beat
          yield* TestClock.adjust("9 minutes")
          yield* beat
          yield* TestClock.adjust("9 minutes")
          const rejected = yield* Effect.flip(beat)
          expect(rejected).toMatchObject({
            errors: { lease: ["The run took longer than its 60 seconds. Stop executing it."] }
          })
          expect(yield* as(results.readRun(id))).toMatchObject({
            status: "timeout",
            error: "The run took longer than its 60 seconds."
          })
          expect(yield* as(results.capacity())).toMatchObject({ activeSessions: 0, pendingDemand: 0, slotsInUse: 0 })
          expect(yield* Effect.flip(as(results.complete(id, lease)))).toBeInstanceOf(ValidationFailed)
        })
      )

      it.effect("complete at once if no metric applies", () =>
        Effect.gen(function* () {
          const { as, claimed, results, runner } = yield* tested
          const { id, lease } = yield* claimed({})
          expect(yield* as(results.complete(id, { ...lease, success: false }))).toMatchObject({
            status: "completed",
            success: false,
            error: "Not met: Reported by the worker (The worker reported that the run failed.)"
          })
          expect(yield* runner.drain).toBe(0)
        })
      )

      it.effect("are not scored after they were deleted or canceled", () =>
        Effect.gen(function* () {
          const { as, claimed, results, runner } = yield* tested
          const deleted = yield* claimed({ metrics: ["latency_ms"] })
          yield* as(results.complete(deleted.id, { ...deleted.lease, transcript_json: turns }))
          const { resultId } = yield* as(results.readRun(deleted.id))
          yield* as(results.deleteRuns(resultId, { run_ids: [deleted.id] }))
          const canceled = yield* claimed({ metrics: ["latency_ms"] })
          yield* as(results.complete(canceled.id, { ...canceled.lease, transcript_json: turns }))
          yield* as(results.cancelRun(canceled.id))
          expect(yield* runner.drain).toBe(2)
          expect(yield* as(results.readRun(canceled.id))).toMatchObject({ status: "cancelled", metrics: [] })
          expect(
            yield* TestEngine.execute("SELECT run_id FROM run_evaluations").pipe(Effect.map((all) => all.length))
          ).toBe(8)
        })
      )

      it.scoped("may be reported as a recording, which is transcribed", () =>
        Effect.gen(function* () {
          const { as, claimed, results } = yield* tested
          const errorsOfReport = (id: RunId, report: object) =>
            Effect.map(Effect.flip(as(results.complete(id, untrusted(report)))), (error) =>
              error instanceof ValidationFailed ? error.errors : error
            )
          const { id, lease } = yield* claimed({})
          const audio = new Upload(CallKit.wav(1), "audio/wav", "a.wav")
          const mono = { ...lease, transcript_type: "none-mono" }
          expect(yield* errorsOfReport(id, mono)).toHaveProperty("voice_recording")
          expect(yield* errorsOfReport(id, { ...lease, voice_recording: audio })).toHaveProperty("voice_recording")
          expect(yield* errorsOfReport(id, { ...mono, voice_recording: { bytes: [1] } })).toEqual({
            voice_recording: ["The submitted data was not a file. Check the encoding type on the form."]
          })
          const noAudio = new Upload(Buffer.from("hello"), "audio/wav", "a.wav")
          expect(yield* errorsOfReport(id, { ...mono, voice_recording: noAudio })).toHaveProperty("voice_recording")
          expect(yield* errorsOfReport(id, { ...mono, voice_recording_url: "http://127.0.0.1/a" })).toEqual({
            voice_recording_url: ["Recordings are not fetched from this address: it is not a public one."]
          })
          expect(
            yield* errorsOfReport(id, { ...mono, voice_recording: audio, voice_recording_url: "http://x" })
          ).toHaveProperty("voice_recording_url")
          expect(yield* errorsOfReport(id, { ...lease, duration: -1 })).toHaveProperty("duration")
          expect(yield* as(results.complete(id, untrusted({ ...mono, voice_recording: audio })))).toMatchObject({
            status: "completed",
            duration: 2
          })
          expect((yield* as(results.readRun(id))).transcript).toBe("[00:00] Main Agent: 16044 bytes of audio/wav")
        })
      )

      it.effect("are visible only to their organization", () =>
        Effect.gen(function* () {
          const { claimed } = yield* tested
          const { id } = yield* claimed({})
          const other = yield* tested
          expect(yield* Effect.flip(other.as(other.results.readRun(id)))).toMatchObject({ _tag: "NotFound" })
        })
      )
    }
  )
}
