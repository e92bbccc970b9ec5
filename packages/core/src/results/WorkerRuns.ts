/** The protocol of outside workers: they claim runs under a lease, keep it alive, and report how the run ended. */
import { withoutRedaction } from "@earshot/redaction"
import { randomUUID } from "node:crypto"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { orNotFound } from "../access/OrNotFound.js"
import { hostPermit, type Permit } from "../access/Permit.js"
import { useCase } from "../access/UseCase.js"
import { decodeInput, fieldError, ValidationFailed } from "../kernel/FieldErrors.js"
import type { RunId } from "../kernel/Ids.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import type { RawTranscript } from "../transcripts/Transcript.js"
import { endOf } from "../transcripts/TranscriptView.js"
import { PlayedChannels } from "./PlayedChannels.js"
import { CompleteInput, type RunAudio, validateReport } from "./ReportRules.js"
import { ClaimInput, FailInput, HeartbeatInput } from "./ResultInputs.js"
import { ResultStore, type RunEnd, type RunState } from "./ResultStore.js"
import { nextStatus, onExpiredLease, type RunEvent } from "./RunLifecycle.js"
import { RunTranscriber } from "./RunTranscriber.js"
import { RunWork } from "./RunWork.js"

const leaseError = (message: string): ValidationFailed => new ValidationFailed({ errors: fieldError("lease", message) })

const leaseSuperseded = leaseError("This lease has expired or was superseded.")

const leaseExpired = (until: number): ValidationFailed =>
  leaseError(`This lease expired at ${DateTime.formatIso(DateTime.unsafeMake(until))}; stop executing the run.`)

/** The fields of a run's end that are not known unless the worker reports them. */
export const unknownOutcome = { success: null, durationSeconds: null, error: null, transcript: null }

export const makeWorkerRuns = Effect.gen(function* () {
  const store = yield* ResultStore
  const work = yield* UnitOfWork
  const runWork = yield* RunWork
  const transcriber = yield* RunTranscriber
  const played = yield* PlayedChannels

  /** One transaction, serialized with every other change of the organization's runs. */
  const changeRuns = <A, E>(permit: Permit, steps: Effect.Effect<A, E>) =>
    work.atomically(Effect.zipRight(store.lockCapacity(permit), steps))

  const findRun = (permit: Permit, id: RunId) => orNotFound("Run")(store.findRun(permit, id))

  const findRunForUpdate = (permit: Permit, id: RunId) => orNotFound("Run")(store.findRunForUpdate(permit, id))

  const endRun = (
    permit: Permit<"results:write">,
    run: RunState,
    event: RunEvent,
    end: Omit<RunEnd, "to">
  ): Effect.Effect<void, ValidationFailed | StorageError> =>
    Effect.gen(function* () {
      const to = nextStatus(run.status, event)
      if (to === undefined) return yield* leaseSuperseded
      yield* store.end(permit, [run.id], run.status, { ...end, to }, yield* DateTime.now)
    })

  /** The run, if this lease is valid. */
  const findLeased = (permit: Permit, id: RunId, lease: string) =>
    Effect.gen(function* () {
      const run = yield* findRunForUpdate(permit, id)
      if (run.status !== "running" || run.lease !== lease) return yield* leaseSuperseded
      // Expired is expired, also before a sweep: what a worker may do must not depend on when sweeps run.
      if (run.leaseUntil !== null && run.leaseUntil <= (yield* DateTime.now).epochMillis) {
        return yield* leaseExpired(run.leaseUntil)
      }
      return run
    })

  /** The transcript of a run's audio; audio that cannot be used is an error of its field. */
  const transcribe = (audio: RunAudio): Effect.Effect<RawTranscript | null, ValidationFailed> =>
    Option.match(transcriber.transcribe, {
      onNone: () => Effect.succeed(null),
      onSome: (transcribeAudio) =>
        Effect.mapError(
          transcribeAudio(audio),
          ({ reason }) =>
            new ValidationFailed({
              errors: fieldError(audio.from === "upload" ? "voice_recording" : "voice_recording_url", reason)
            })
        )
    })

  /** Requeues the runs whose lease expired, or times them out after the last attempt. */
  const reclaimExpired = (permit: Permit<"results:write">, now: DateTime.Utc) =>
    Effect.gen(function* () {
      const expired = yield* store.runsWithExpiredLease(permit, now)
      const idsFor = (action: ReturnType<typeof onExpiredLease>) =>
        expired.filter(({ attempts }) => onExpiredLease(attempts) === action).map(({ id }) => id)
      const [toRequeue, toEnd] = [idsFor("requeue"), idsFor("expire")]
      if (toRequeue.length > 0) yield* store.requeue(permit, toRequeue, now)
      if (toEnd.length > 0) {
        const error = "No worker reported back before its lease expired."
        yield* store.end(permit, toEnd, "running", { ...unknownOutcome, to: "timeout", error }, now)
      }
      return expired.length
    })

  return {
    changeRuns,
    findRun,
    findRunForUpdate,
    sweep: Effect.gen(function* () {
      let reclaimed = 0
      for (const organization of yield* store.organizationsWithExpiredLeases(yield* DateTime.now)) {
        const permit = yield* hostPermit(organization, "runs.claim")
        reclaimed += yield* changeRuns(
          permit,
          Effect.flatMap(DateTime.now, (now) => reclaimExpired(permit, now))
        )
      }
      return reclaimed + (yield* runWork.failStranded)
    }),
    claim: useCase("runs.claim")((permit, input: unknown) =>
      Effect.gen(function* () {
        const request = yield* decodeInput(ClaimInput, input)
        if (played.channels.includes(request.channel)) {
          return yield* new ValidationFailed({
            errors: fieldError("channel", `The engine executes runs of the channel ${request.channel} itself.`)
          })
        }
        const token = randomUUID()
        return yield* changeRuns(
          permit,
          Effect.gen(function* () {
            const now = yield* DateTime.now
            yield* reclaimExpired(permit, now)
            const ids = yield* store.startable(permit, request.channel, request.limit)
            const until = now.epochMillis + request.lease_seconds * 1000
            return ids.length === 0 ? [] : yield* store.start(permit, ids, { token, until }, now)
          })
        )
      })
    ),
    heartbeat: useCase("runs.heartbeat")((permit, id: RunId, input: unknown) =>
      changeRuns(
        permit,
        Effect.gen(function* () {
          const request = yield* decodeInput(HeartbeatInput, input)
          const run = yield* findLeased(permit, id, request.lease)
          const exceeded = yield* runWork.exceededDuration(permit, id)
          if (exceeded !== null) {
            const error = `The run took longer than its ${exceeded} seconds.`
            yield* endRun(permit, run, "expire", { ...unknownOutcome, error })
            // The error is raised after the transaction, which it would roll back.
            return Either.left(leaseError(`${error} Stop executing it.`))
          }
          const until = DateTime.add(yield* DateTime.now, { seconds: request.lease_seconds })
          yield* store.extendLease(permit, id, until.epochMillis)
          return Either.right(until)
        })
      ).pipe(Effect.flatten)
    ),
    complete: useCase("runs.complete")((permit, id: RunId, input: unknown) =>
      Effect.gen(function* () {
        const report = yield* decodeInput(CompleteInput, input)
        // Checked before a recording is transcribed, which takes time, and again when the report is stored.
        yield* findLeased(permit, id, report.lease)
        const reported = validateReport(report, { transcribes: Option.isSome(transcriber.transcribe) })
        if (Either.isLeft(reported)) return yield* new ValidationFailed({ errors: reported.left })
        const { audio, transcript: given } = reported.right
        const transcript = audio === null ? given : yield* transcribe(audio)
        return yield* changeRuns(
          permit,
          Effect.gen(function* () {
            const run = yield* findLeased(permit, id, report.lease)
            yield* runWork.applyReport(permit, run, {
              outcome: "ended",
              reason: report.call_ended_reason,
              transcript:
                transcript === null ? null : { type: report.transcript_type, turns: withoutRedaction(transcript) },
              moments: [],
              voiceBehavior: null,
              durationSeconds: report.duration ?? (transcript === null ? null : (endOf(transcript) ?? null)),
              success: report.success,
              recording: null
            })
            return yield* findRun(permit, id)
          })
        )
      }).pipe(Effect.zipLeft(runWork.notifyWorkers))
    ),
    fail: useCase("runs.fail")((permit, id: RunId, input: unknown) =>
      changeRuns(
        permit,
        Effect.gen(function* () {
          const report = yield* decodeInput(FailInput, input)
          const run = yield* findLeased(permit, id, report.lease)
          yield* endRun(permit, run, "fail", { ...unknownOutcome, success: false, error: report.error })
          return yield* findRun(permit, id)
        })
      )
    )
  }
})
