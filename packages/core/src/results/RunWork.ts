import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { VoiceBehavior } from "../catalog/VoiceBehavior.js"
import { hostPermit, type Permit } from "../access/Permit.js"
import type { Claim } from "../jobs/Job.js"
import { JobSignal } from "../jobs/JobSignal.js"
import { JobQueue } from "../jobs/JobQueue.js"
import type { ResultId, RunId } from "../kernel/Ids.js"
import type { JsonObject } from "../kernel/Json.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import type { Evaluated, StoredEvaluation } from "../metrics/Evaluation.js"
import type { RedactedTranscript } from "../transcripts/Transcript.js"
import { type RunState, ResultStore } from "./ResultStore.js"
import { checkAssertions } from "./AssertionRules.js"
import { criteriaOf, failureReason, successByCriteria } from "./SuccessCriteria.js"
import type { Criterion, PlayableRun, RunMoment, RunRecording } from "./RunDetail.js"
import { executeJobs, scoreJob } from "./RunJobs.js"
import { nextStatus, isOverdue, onExpiredLease } from "./RunLifecycle.js"
import { RunWorkStore } from "./RunWorkStore.js"

/** The report on a run's conversation. */
export interface RunReport {
  /** `ended`: the conversation took place and can be scored. */
  readonly outcome: "ended" | "failed" | "timeout"
  /** How it ended, or why it failed. */
  readonly reason: string | null
  readonly transcript: { readonly type: string; readonly turns: RedactedTranscript } | null
  readonly moments: ReadonlyArray<RunMoment>
  /** How the caller behaved by voice, with its seed; null where its personality states nothing. */
  readonly voiceBehavior: VoiceBehavior | null
  readonly durationSeconds: number | null
  /** The success that the executor reports; null where it reports none. */
  readonly success: boolean | null
  /** The recording, whose bytes are stored already; null where there is none. */
  readonly recording: RunRecording | null
}

/** A run that a job executes under a lease. */
export interface LeasedRun extends PlayableRun {
  /** Proves that no other executor has claimed it since. */
  readonly lease: string
}

/** Operations on runs by the engine's own jobs and by use cases. Each is one transaction. */
export class RunWork extends Context.Tag("@earshot/core/results/RunWork")<
  RunWork,
  {
    /** Enqueues the jobs that execute a result's runs, in the caller's transaction. */
    readonly enqueue: (
      permit: Permit<"results:write">,
      result: ResultId,
      concurrencyLimit: number | null
    ) => Effect.Effect<void, StorageError>
    /** Makes this process's job runner look for due jobs now; call it after the transaction. */
    readonly notifyWorkers: Effect.Effect<void>
    /**
     * Claims a queued run for a job, or one that an earlier attempt of the same job left running: only one process has a
     * job, so that attempt is gone. After the last attempt such a run times out. Null where there is nothing left to do,
     * `elsewhere` where another executor has the run.
     */
    readonly claim: (
      permit: Permit<"results:write">,
      run: RunId,
      claim: Claim
    ) => Effect.Effect<LeasedRun | "elsewhere" | null, StorageError>
    /** Extends the lease; false where the run was deleted, canceled or claimed again, so that its executor stops. */
    readonly heartbeat: (permit: Permit<"results:write">, leased: LeasedRun) => Effect.Effect<boolean, StorageError>
    /** Whether the lease is still valid; a read alone. */
    readonly isLeaseValid: (permit: Permit<"results:write">, leased: LeasedRun) => Effect.Effect<boolean, StorageError>
    readonly isQueued: (permit: Permit<"results:write">, run: RunId) => Effect.Effect<boolean, StorageError>
    /** Requeues a run that its process cannot continue. */
    readonly release: (permit: Permit<"results:write">, leased: LeasedRun) => Effect.Effect<void, StorageError>
    /** Saves the report on a run; false, and nothing is saved, where the lease is not valid any more. */
    readonly report: (
      permit: Permit<"results:write">,
      leased: LeasedRun,
      reported: RunReport
    ) => Effect.Effect<boolean, StorageError>
    /**
     * Applies a report to a locked run, in the caller's transaction: ends it, or, where there is something to score,
     * moves it to `evaluating` and enqueues the job.
     */
    readonly applyReport: (
      permit: Permit<"results:write">,
      run: RunState,
      reported: RunReport
    ) => Effect.Effect<void, StorageError>
    /** An evaluating run with the scores of earlier attempts. */
    readonly findForScoring: (
      permit: Permit<"results:write">,
      run: RunId
    ) => Effect.Effect<
      Option.Option<
        PlayableRun & { readonly endedReason: string | null; readonly scores: ReadonlyArray<StoredEvaluation> }
      >,
      StorageError
    >
    /** Saves scores, and what `also` writes in the same transaction; nothing where the run is not evaluating any more. */
    readonly saveScores: (
      permit: Permit<"results:write">,
      run: RunId,
      evaluated: ReadonlyArray<Evaluated>,
      also: Effect.Effect<void, StorageError>
    ) => Effect.Effect<void, StorageError>
    /** Completes an evaluating run by its success criteria. */
    readonly complete: (
      permit: Permit<"results:write">,
      run: RunId,
      decides: (score: StoredEvaluation) => boolean
    ) => Effect.Effect<void, StorageError>
    /**
     * Fails the open runs of every organization whose job to execute or score them is dead; returns their number. Safe to
     * run in several processes at once.
     */
    readonly failStranded: Effect.Effect<number, StorageError>
    /** The `max_duration` of a run that has exceeded it and the grace period; null where it has not. */
    readonly exceededDuration: (permit: Permit, run: RunId) => Effect.Effect<number | null, StorageError>
  }
>() {}

/** The lease of a job on its run, in seconds; heartbeats come several times as often. */
const PLAY_LEASE_SECONDS = 60

/** The lease's prefix, the same in every attempt of a job. */
const leasePrefix = (claim: Claim): string => `job-${claim.id}-`

/** Whether a run has anything to score. */
const isScored = (script: JsonObject): boolean =>
  (Array.isArray(script.metric_ids) && script.metric_ids.length > 0) ||
  (typeof script.expected_outcome === "string" && script.expected_outcome.trim() !== "")

const assertionsOf = ({ script, transcript }: PlayableRun, endedReason: string | null): ReadonlyArray<Criterion> =>
  checkAssertions(script, {
    turns: transcript?.turns ?? [],
    toolCalls: transcript?.toolCalls ?? [],
    endedReason
  })

export const layer = Layer.effect(
  RunWork,
  Effect.gen(function* () {
    const results = yield* ResultStore
    const store = yield* RunWorkStore
    const work = yield* UnitOfWork
    const queue = yield* JobQueue
    const signal = yield* JobSignal

    const changeRuns = <A, E>(permit: Permit, steps: Effect.Effect<A, E>) =>
      work.atomically(Effect.zipRight(results.lockCapacity(permit), steps))

    const isLeasedTo = (leased: LeasedRun) => (run: RunState) => run.status === "running" && run.lease === leased.lease

    const completeRun = (permit: Permit<"results:write">, run: RunId, criteria: ReadonlyArray<Criterion>) =>
      Effect.flatMap(DateTime.now, (now) =>
        store.complete(
          permit,
          run,
          {
            to: "completed",
            success: successByCriteria(criteria),
            error: failureReason(criteria),
            criteria
          },
          now
        )
      )

    const applyReport = (permit: Permit<"results:write">, held: RunState, reported: RunReport) =>
      Effect.gen(function* () {
        const to = nextStatus(
          held.status,
          reported.outcome === "ended" ? "report" : reported.outcome === "failed" ? "fail" : "expire"
        )
        if (to === undefined) return
        const hasEnded = to === "evaluating"
        yield* results.end(
          permit,
          [held.id],
          held.status,
          {
            to,
            success: hasEnded ? reported.success : to === "failed" ? false : null,
            durationSeconds: reported.durationSeconds,
            error: hasEnded ? null : reported.reason,
            transcript: reported.transcript
          },
          yield* DateTime.now
        )
        const { moments, reason, recording, voiceBehavior } = reported
        yield* store.saveOutcome(permit, held.id, { reason, moments, recording, voiceBehavior })
        if (!hasEnded) return
        const found = yield* store.find(permit, held.id)
        if (Option.isSome(found) && isScored(found.value.script)) {
          yield* queue.enqueue(scoreJob(permit.organizationId, held.id))
          return
        }
        const assertions = Option.match(found, {
          onNone: () => [],
          onSome: (run) => assertionsOf(run, reported.reason)
        })
        yield* completeRun(permit, held.id, criteriaOf([], reported.success, assertions))
      })

    const processStopped: RunReport = {
      outcome: "timeout",
      reason: "The processes that executed it stopped before it ended.",
      transcript: null,
      moments: [],
      voiceBehavior: null,
      durationSeconds: null,
      success: null,
      recording: null
    }

    return RunWork.of({
      failStranded: Effect.gen(function* () {
        let failed = 0
        for (const organization of yield* store.organizationsWithStranded) {
          const permit = yield* hostPermit(organization, "runs.claim")
          failed += yield* changeRuns(
            permit,
            Effect.gen(function* () {
              const stranded = yield* store.stranded(permit)
              const now = yield* DateTime.now
              for (const { id, reason, status } of stranded) {
                const to = nextStatus(status, "fail")
                const what = status === "queued" ? "executed" : "scored"
                const error = `The run could not be ${what}: ${reason ?? "its job is dead."}`
                const end = { success: false, durationSeconds: null, error, transcript: null }
                if (to !== undefined) yield* results.end(permit, [id], status, { ...end, to }, now)
              }
              return stranded.length
            })
          )
        }
        return failed
      }),
      exceededDuration: (permit, id) =>
        Effect.zipWith(store.find(permit, id), DateTime.now, (found, now) => {
          if (Option.isNone(found) || found.value.run.startedAt === null) return null
          const { max_duration: most } = found.value.script
          const since = found.value.run.startedAt.epochMillis
          return typeof most === "number" && isOverdue(since, most, now.epochMillis) ? most : null
        }),
      notifyWorkers: signal.notify,
      enqueue: (permit, result, concurrencyLimit) =>
        Effect.flatMap(store.runsOf(permit, result), (runs) =>
          queue.enqueueAll(executeJobs(permit.organizationId, result, runs, concurrencyLimit))
        ),
      claim: (permit, id, claim) =>
        changeRuns(
          permit,
          Effect.gen(function* () {
            const found = yield* results.findRunForUpdate(permit, id)
            if (Option.isNone(found)) return null
            const held = found.value
            const now = yield* DateTime.now
            if (held.status === "running") {
              if (held.lease?.startsWith(leasePrefix(claim)) !== true) return "elsewhere"
              if (onExpiredLease(held.attempts) === "expire") {
                yield* applyReport(permit, held, processStopped)
                return null
              }
              yield* results.requeue(permit, [id], now)
            } else if (held.status !== "queued") return null
            const token = `${leasePrefix(claim)}${randomUUID()}`
            const until = now.epochMillis + PLAY_LEASE_SECONDS * 1000
            yield* results.start(permit, [id], { token, until }, now)
            return Option.match(yield* store.find(permit, id), {
              onNone: () => null,
              onSome: (run) => ({ ...run, lease: token })
            })
          })
        ),
      heartbeat: (permit, leased) =>
        changeRuns(
          permit,
          Effect.gen(function* () {
            const held = Option.filter(yield* results.findRunForUpdate(permit, leased.run.id), isLeasedTo(leased))
            if (Option.isNone(held)) return false
            const until = (yield* DateTime.now).epochMillis + PLAY_LEASE_SECONDS * 1000
            yield* results.extendLease(permit, leased.run.id, until)
            return true
          })
        ),
      isLeaseValid: (permit, leased) =>
        Effect.map(results.findRunForUpdate(permit, leased.run.id), (found) =>
          Option.exists(found, isLeasedTo(leased))
        ),
      isQueued: (permit, id) =>
        Effect.map(results.findRunForUpdate(permit, id), (found) =>
          Option.exists(found, ({ status }) => status === "queued")
        ),
      release: (permit, leased) =>
        changeRuns(
          permit,
          Effect.gen(function* () {
            const held = Option.filter(yield* results.findRunForUpdate(permit, leased.run.id), isLeasedTo(leased))
            if (Option.isSome(held)) yield* results.requeue(permit, [leased.run.id], yield* DateTime.now)
          })
        ),
      report: (permit, leased, reported) =>
        changeRuns(
          permit,
          Effect.gen(function* () {
            const held = Option.filter(yield* results.findRunForUpdate(permit, leased.run.id), isLeasedTo(leased))
            if (Option.isNone(held)) return false
            yield* applyReport(permit, held.value, reported)
            return true
          })
        ),
      applyReport,
      findForScoring: (permit, id) =>
        Effect.gen(function* () {
          const found = Option.filter(yield* store.find(permit, id), ({ run }) => run.status === "evaluating")
          if (Option.isNone(found)) return Option.none()
          const { endedReason } = yield* store.outcome(permit, id)
          return Option.some({ ...found.value, endedReason, scores: yield* store.scores(permit, id) })
        }),
      saveScores: (permit, id, evaluated, also) =>
        changeRuns(
          permit,
          Effect.gen(function* () {
            const held = Option.filter(
              yield* results.findRunForUpdate(permit, id),
              ({ status }) => status === "evaluating"
            )
            if (Option.isNone(held)) return
            yield* store.saveScores(permit, id, evaluated, yield* DateTime.now)
            yield* also
          })
        ),
      complete: (permit, id, decides) =>
        changeRuns(
          permit,
          Effect.gen(function* () {
            const held = Option.filter(
              yield* results.findRunForUpdate(permit, id),
              ({ status }) => status === "evaluating"
            )
            const found = yield* store.find(permit, id)
            if (Option.isNone(held) || Option.isNone(found)) return
            const scores = yield* store.scores(permit, id)
            const { endedReason } = yield* store.outcome(permit, id)
            yield* completeRun(
              permit,
              id,
              criteriaOf(
                scores.map((score) => ({
                  ...score,
                  decidesSuccess: decides(score),
                  why: score.detail.reason ?? score.detail.explanation
                })),
                found.value.run.success,
                assertionsOf(found.value, endedReason)
              )
            )
          })
        )
    })
  })
)
