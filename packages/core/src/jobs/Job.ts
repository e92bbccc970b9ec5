import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { JobId, OrganizationId } from "../kernel/Ids.js"
import type { Json } from "../kernel/Json.js"

/** The state of a job. A running job whose lease has expired can be claimed again; a dead one waits for an operator. */
export const JobState = Schema.Literal("queued", "running", "succeeded", "dead")
export type JobState = typeof JobState.Type

/** A durable background job. */
export class Job extends Schema.Class<Job>("@earshot/core/jobs/Job")({
  id: JobId,
  organizationId: Fields.named("organization", OrganizationId),
  /** Names the handler that runs it. */
  kind: Schema.String,
  /** The deduplication key within its kind; null for none. */
  key: Schema.NullOr(Schema.String),
  state: JobState,
  /** How often it was started, the current attempt included. */
  attempts: Schema.Int,
  maxAttempts: Fields.named("max_attempts", Schema.Int),
  /** Why the last attempt failed. */
  lastError: Fields.named("last_error", Schema.NullOr(Schema.String)),
  /** When it may start or, while it runs, when its lease expires; null once it is finished. */
  dueAt: Fields.named("due_at", Schema.NullOr(Schema.DateTimeUtc)),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** The wire form of a job, without its payload. */
export const encodeJob = Schema.encodeSync(Job)

/** A job to enqueue. */
export interface NewJob {
  readonly organizationId: OrganizationId
  readonly kind: string
  /** The input of the handler; ids rather than documents, since the data may change before it runs. */
  readonly payload: Json
  /**
   * Deduplicates jobs of a kind: no second job of the same key is created while the first is stored, finished or not.
   * Default: null, no deduplication.
   */
  readonly key?: string | null
  /**
   * Jobs of one kind and ordering key run one at a time, in the order of their ids. A job waits for earlier ones even
   * while those wait for a retry; dead ones do not block it. A transaction that enqueues with an ordering key must lock
   * the resource that the key stands for until it ends, or two jobs could be committed against the order of their ids.
   */
  readonly orderingKey?: string | null
  /** The earliest start, epoch milliseconds. Default: now. */
  readonly notBefore?: number
  /** Default: 5. */
  readonly maxAttempts?: number
}

export const DEFAULT_ATTEMPTS = 5

/** A claimed job, which this process may run while its lease is valid. */
export interface Claim {
  readonly id: JobId
  readonly organizationId: OrganizationId
  readonly kind: string
  readonly key: string | null
  readonly payload: Json
  /** Counted before the work begins, so that a job that crashes its process is not retried forever. */
  readonly attempt: number
  readonly maxAttempts: number
  /** The process that claimed it; with `attempt` it identifies this claim of the job. */
  readonly owner: string
}
