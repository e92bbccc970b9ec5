import { randomUUID } from "node:crypto"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { hostPermit, type Permit } from "../access/Permit.js"
import type { Claim } from "../jobs/Job.js"
import { JobBell } from "../jobs/JobBell.js"
import { JobQueue } from "../jobs/JobQueue.js"
import type { ResultId, RunId } from "../kernel/Ids.js"
import type { JsonObject } from "../kernel/Json.js"
import { type StorageFault, UnitOfWork } from "../kernel/Storage.js"
import type { StoredEvaluation } from "../metrics/Evaluation.js"
import type { Evaluated } from "../metrics/Scorer.js"
import type { RedactedTranscript } from "../transcripts/Transcript.js"
import { type HeldRun, ResultStore } from "./ResultStore.js"
import { criteriaOf, missedSentence, successByCriteria } from "./Rubric.js"
import type { Criterion, PlayableRun, RunDetail, RunMoment } from "./RunDetail.js"
import { runDetail } from "./RunDetail.js"
import { executeJobs, scoreJob } from "./RunJobs.js"
import { after, isOverdue, onLostLease } from "./RunLifecycle.js"
import { RunWorkStore } from "./RunWorkStore.js"

/** How the conversation of a run went. */
export interface RunReported {
  /** `ended` is a conversation that came to its end, to be scored. */
  readonly outcome: "ended" | "failed" | "timeout"
  /** How it ended, or why it came to nothing. */
  readonly reason: string | null
  readonly transcript: { readonly type: string; readonly turns: RedactedTranscript } | null
  readonly moments: ReadonlyArray<RunMoment>
  readonly durationSeconds: number | null
  /** What the worker says of it; null where it does not. */
  readonly success: boolean | null
}

/** A run that a job may play. */
export interface TakenRun extends PlayableRun {
  /** Proves that nobody else has taken it up since. */
  readonly lease: string
}

/** What is done with runs by the engine's own jobs, and by use cases over runs. Everything here is one transaction. */
export class RunWork extends Context.Tag("@earshot/core/results/RunWork")<
  RunWork,
  {
    /** Makes the jobs that play a result's runs, in the caller's transaction. */
    readonly enqueue: (
      permit: Permit<"results:write">,
      result: ResultId,
      concurrencyLimit: number | null
    ) => Effect.Effect<void, StorageFault>
    /** Has this process's worker look at once; for after the transaction. */
    readonly ring: Effect.Effect<void>
    /**
     * Takes a queued run up for a job, or one that an earlier attempt of the same job left behind: only one process has a
     * job, so that one is gone. After the last try such a run times out. Null where there is nothing to do any more,
     * `elsewhere` where somebody else has it.
     */
    readonly takeUp: (
      permit: Permit<"results:write">,
      run: RunId,
      claim: Claim
    ) => Effect.Effect<TakenRun | "elsewhere" | null, StorageFault>
    /** Prolongs the lease; false where the run was deleted, cancelled or taken back, so that whoever plays it stops. */
    readonly keep: (permit: Permit<"results:write">, taken: TakenRun) => Effect.Effect<boolean, StorageFault>
    /** As `keep`, without a sign of life: a read alone. */
    readonly isHeld: (permit: Permit<"results:write">, taken: TakenRun) => Effect.Effect<boolean, StorageFault>
    readonly isQueued: (permit: Permit<"results:write">, run: RunId) => Effect.Effect<boolean, StorageFault>
    /** Puts a run back that its process can play no further. */
    readonly putBack: (permit: Permit<"results:write">, taken: TakenRun) => Effect.Effect<void, StorageFault>
    /** Reports how a run went; false, and nothing is kept, where the lease does not hold any more. */
    readonly report: (
      permit: Permit<"results:write">,
      taken: TakenRun,
      reported: RunReported
    ) => Effect.Effect<boolean, StorageFault>
    /**
     * Moves a run that is held on by what was reported of it, in the caller's transaction: to its end, or, where there is
     * something to score, to `evaluating` and a job.
     */
    readonly settle: (
      permit: Permit<"results:write">,
      run: HeldRun,
      reported: RunReported
    ) => Effect.Effect<void, StorageFault>
    /** A run that waits for its scores, and what earlier attempts at them came to. */
    readonly toScore: (
      permit: Permit<"results:write">,
      run: RunId
    ) => Effect.Effect<
      Option.Option<
        PlayableRun & { readonly endedReason: string | null; readonly said: ReadonlyArray<StoredEvaluation> }
      >,
      StorageFault
    >
    /** Keeps scores, and whatever `also` writes with them; nothing where the run does not wait for them any more. */
    readonly keepScores: (
      permit: Permit<"results:write">,
      run: RunId,
      evaluated: ReadonlyArray<Evaluated>,
      also: Effect.Effect<void, StorageFault>
    ) => Effect.Effect<void, StorageFault>
    /** Completes a run that was scored, by the criteria that decide success. */
    readonly conclude: (
      permit: Permit<"results:write">,
      run: RunId,
      decides: (score: StoredEvaluation) => boolean
    ) => Effect.Effect<void, StorageFault>
    /**
     * Fails the runs of every organisation that nobody would take further, since the job that was to play or to score them
     * is dead; answers how many. Any number of processes may do it at once.
     */
    readonly failStranded: Effect.Effect<number, StorageFault>
    /** The seconds that a run may last where its worker has had it for too long; null where it has not. */
    readonly exceeded: (permit: Permit, run: RunId) => Effect.Effect<number | null, StorageFault>
    /** Everything that is known of a run within the permit's reach. */
    readonly detail: (permit: Permit, run: RunId) => Effect.Effect<Option.Option<RunDetail>, StorageFault>
  }
>() {}

/** Seconds that a run is a job's without a sign of life; signs come several times as often. */
export const PLAY_LEASE_SECONDS = 60

/** What the lease of a job's run begins with; the rest is of the one attempt. */
const leasePrefix = (claim: Claim): string => `job-${claim.id}-`

/** Whether there is anything to score a run by. */
const isScored = (script: JsonObject): boolean =>
  (Array.isArray(script.metric_ids) && script.metric_ids.length > 0) ||
  (typeof script.expected_outcome === "string" && script.expected_outcome.trim() !== "")

export const layer = Layer.effect(
  RunWork,
  Effect.gen(function* () {
    const results = yield* ResultStore
    const store = yield* RunWorkStore
    const work = yield* UnitOfWork
    const queue = yield* JobQueue
    const bell = yield* JobBell

    const changing = <A, E>(permit: Permit, steps: Effect.Effect<A, E>) =>
      work.atomically(Effect.zipRight(results.holdCapacity(permit), steps))

    const holds = (taken: TakenRun) => (run: HeldRun) => run.status === "running" && run.lease === taken.lease

    const concluded = (permit: Permit<"results:write">, run: RunId, criteria: ReadonlyArray<Criterion>) =>
      Effect.flatMap(DateTime.now, (now) =>
        store.conclude(
          permit,
          run,
          {
            to: "completed",
            success: successByCriteria(criteria),
            error: missedSentence(criteria),
            criteria
          },
          now
        )
      )

    const settle = (permit: Permit<"results:write">, held: HeldRun, reported: RunReported) =>
      Effect.gen(function* () {
        const to = after(
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
        yield* store.note(permit, held.id, { reason: reported.reason, moments: reported.moments })
        if (!hasEnded) return
        const found = yield* store.find(permit, held.id)
        if (Option.isSome(found) && isScored(found.value.script)) {
          yield* queue.enqueue(scoreJob(permit.organizationId, held.id))
        } else yield* concluded(permit, held.id, criteriaOf([], reported.success))
      })

    const timedOut: RunReported = {
      outcome: "timeout",
      reason: "The processes that played it ended before it did.",
      transcript: null,
      moments: [],
      durationSeconds: null,
      success: null
    }

    return RunWork.of({
      failStranded: Effect.gen(function* () {
        let failed = 0
        for (const organization of yield* store.organizationsWithStranded) {
          const permit = yield* hostPermit(organization, "runs.claim")
          failed += yield* changing(
            permit,
            Effect.gen(function* () {
              const stranded = yield* store.stranded(permit)
              const now = yield* DateTime.now
              for (const { id, reason, status } of stranded) {
                const to = after(status, "fail")
                const what = status === "queued" ? "played" : "scored"
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
      exceeded: (permit, id) =>
        Effect.zipWith(store.find(permit, id), DateTime.now, (found, now) => {
          if (Option.isNone(found) || found.value.run.startedAt === null) return null
          const { max_duration: most } = found.value.script
          const since = found.value.run.startedAt.epochMillis
          return typeof most === "number" && isOverdue(since, most, now.epochMillis) ? most : null
        }),
      ring: bell.ring,
      enqueue: (permit, result, concurrencyLimit) =>
        Effect.flatMap(store.runsOf(permit, result), (runs) =>
          queue.enqueueAll(executeJobs(permit.organizationId, result, runs, concurrencyLimit))
        ),
      takeUp: (permit, id, claim) =>
        changing(
          permit,
          Effect.gen(function* () {
            const found = yield* results.holdRun(permit, id)
            if (Option.isNone(found)) return null
            const held = found.value
            const now = yield* DateTime.now
            if (held.status === "running") {
              if (held.lease?.startsWith(leasePrefix(claim)) !== true) return "elsewhere"
              if (onLostLease(held.attempts) === "expire") {
                yield* settle(permit, held, timedOut)
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
      keep: (permit, taken) =>
        changing(
          permit,
          Effect.gen(function* () {
            const held = Option.filter(yield* results.holdRun(permit, taken.run.id), holds(taken))
            if (Option.isNone(held)) return false
            const until = (yield* DateTime.now).epochMillis + PLAY_LEASE_SECONDS * 1000
            yield* results.prolong(permit, taken.run.id, until)
            return true
          })
        ),
      isHeld: (permit, taken) =>
        Effect.map(results.holdRun(permit, taken.run.id), (found) => Option.exists(found, holds(taken))),
      isQueued: (permit, id) =>
        Effect.map(results.holdRun(permit, id), (found) => Option.exists(found, ({ status }) => status === "queued")),
      putBack: (permit, taken) =>
        changing(
          permit,
          Effect.gen(function* () {
            const held = Option.filter(yield* results.holdRun(permit, taken.run.id), holds(taken))
            if (Option.isSome(held)) yield* results.requeue(permit, [taken.run.id], yield* DateTime.now)
          })
        ),
      report: (permit, taken, reported) =>
        changing(
          permit,
          Effect.gen(function* () {
            const held = Option.filter(yield* results.holdRun(permit, taken.run.id), holds(taken))
            if (Option.isNone(held)) return false
            yield* settle(permit, held.value, reported)
            return true
          })
        ),
      settle,
      toScore: (permit, id) =>
        Effect.gen(function* () {
          const found = Option.filter(yield* store.find(permit, id), ({ run }) => run.status === "evaluating")
          if (Option.isNone(found)) return Option.none()
          const { endedReason } = yield* store.outcome(permit, id)
          return Option.some({ ...found.value, endedReason, said: yield* store.scores(permit, id) })
        }),
      keepScores: (permit, id, evaluated, also) =>
        changing(
          permit,
          Effect.gen(function* () {
            const held = Option.filter(yield* results.holdRun(permit, id), ({ status }) => status === "evaluating")
            if (Option.isNone(held)) return
            yield* store.record(permit, id, evaluated, yield* DateTime.now)
            yield* also
          })
        ),
      conclude: (permit, id, decides) =>
        changing(
          permit,
          Effect.gen(function* () {
            const held = Option.filter(yield* results.holdRun(permit, id), ({ status }) => status === "evaluating")
            const found = yield* store.find(permit, id)
            if (Option.isNone(held) || Option.isNone(found)) return
            const scores = yield* store.scores(permit, id)
            yield* concluded(
              permit,
              id,
              criteriaOf(
                scores.map((score) => ({
                  ...score,
                  decidesSuccess: decides(score),
                  why: score.detail.reason ?? score.detail.explanation
                })),
                found.value.run.success
              )
            )
          })
        ),
      detail: (permit, id) =>
        Effect.gen(function* () {
          const found = yield* store.find(permit, id)
          if (Option.isNone(found)) return Option.none()
          const { run, transcript } = found.value
          const outcome = yield* store.outcome(permit, id)
          return Option.some(runDetail(run, { outcome, transcript, scores: yield* store.scores(permit, id) }))
        })
    })
  })
)
