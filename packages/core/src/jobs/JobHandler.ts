import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type { StorageError } from "../kernel/Storage.js"
import type { Capacity } from "./ClaimRules.js"
import type { Claim } from "./Job.js"
import type { JobFailed } from "./JobErrors.js"

/** Runs the jobs of one kind, each by itself. */
export interface JobHandler {
  readonly kind: string
  /** How many jobs of this kind this process runs at a time. */
  readonly concurrency: number
  /**
   * Jobs beyond `concurrency`, one each for organizations that run none; for kinds whose jobs may take long. Default: as
   * many as `concurrency`.
   */
  readonly reserve?: number
  /** Whether this process has the means to begin another job of this kind now. Default: always. */
  readonly hasCapacity?: Effect.Effect<boolean>
  /**
   * Runs one attempt. It must be idempotent: a job may be started several times, in several processes one after the
   * other. What a process that has lost the job must not write belongs in a transaction that checks
   * `JobQueue.isLeaseValid` first.
   */
  readonly run: (claim: Claim) => Effect.Effect<void, JobFailed | StorageError>
}

/** The outcome of a job of a batch. */
export interface BatchOutcome {
  readonly claim: Claim
  readonly outcome: Either.Either<void, JobFailed | StorageError>
}

/** Runs the jobs of one kind, many together. */
export interface BatchHandler {
  readonly kind: string
  /** How many jobs of this kind this process runs at a time, in all batches. */
  readonly concurrency: number
  /** The most jobs that run together. */
  readonly batch: number
  /**
   * How long this process is to wait before it begins further jobs of this kind and asks again, in milliseconds; 0 for no
   * wait. Default: always 0.
   */
  readonly pause?: Effect.Effect<number>
  /**
   * Runs one attempt of each job, idempotently as `JobHandler.run`. Jobs that it has ended itself, by `JobQueue.succeed` or
   * `JobQueue.handOver`, need not be in the result. If it fails, all of them have failed.
   */
  readonly runAll: (claims: ReadonlyArray<Claim>) => Effect.Effect<ReadonlyArray<BatchOutcome>, StorageError>
}

export const isBatchHandler = (handler: JobHandler | BatchHandler): handler is BatchHandler => "runAll" in handler

export const capacityOf = (handler: JobHandler | BatchHandler): Capacity => ({
  concurrency: handler.concurrency,
  reserve: isBatchHandler(handler) ? 0 : (handler.reserve ?? handler.concurrency)
})
