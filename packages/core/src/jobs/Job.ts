import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { JobId, OrganizationId } from "../kernel/Ids.js"
import type { Json } from "../kernel/Json.js"

/** Where a job is. A running job whose lease has run out is anybody's again; a dead one waits for a person. */
export const JobState = Schema.Literal("queued", "running", "succeeded", "dead")
export type JobState = typeof JobState.Type

/** A piece of work that outlives the process that asked for it. */
export class Job extends Schema.Class<Job>("@earshot/core/jobs/Job")({
  id: JobId,
  organizationId: Fields.named("organization", OrganizationId),
  /** What is to be done; names the handler that does it. */
  kind: Schema.String,
  /** What makes it the same job as another of its kind, or null where each is one of its own. */
  key: Schema.NullOr(Schema.String),
  state: JobState,
  /** Times that it was started, the one under way included. */
  attempts: Schema.Int,
  maxAttempts: Fields.named("max_attempts", Schema.Int),
  /** Why the last attempt came to nothing. */
  lastError: Fields.named("last_error", Schema.NullOr(Schema.String)),
  /** When it may be started, or, while it runs, when its lease runs out; null once it is finished. */
  dueAt: Fields.named("due_at", Schema.NullOr(Schema.DateTimeUtc)),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** A job as it travels. What it works on stays inside. */
export const encodeJob = Schema.encodeSync(Job)

/** A job that is asked for. */
export interface NewJob {
  readonly organizationId: OrganizationId
  readonly kind: string
  /** What the handler needs to know; ids rather than documents, since the world may change before it runs. */
  readonly payload: Json
  /**
   * A second job of the same kind and key is not made: the one that is there stands for both, finished or not, until
   * retention takes it away. Null, as when left out, makes a job of its own.
   */
  readonly key?: string | null
  /**
   * Jobs of one kind and lane run one after the other in the order of their ids. A job waits for the earlier ones of its
   * lane even while they wait for another try; dead ones do not stand in the way. Whoever enqueues into a lane holds what
   * the lane stands for until the transaction ends, or else two may get their ids in one order and appear in the other.
   */
  readonly orderingKey?: string | null
  /** When it may start, epoch milliseconds; at once where left out. */
  readonly notBefore?: number
  /** 5 where left out. */
  readonly maxAttempts?: number
}

export const DEFAULT_ATTEMPTS = 5

/** A job that this process may run for as long as its lease holds. */
export interface Claim {
  readonly id: JobId
  readonly organizationId: OrganizationId
  readonly kind: string
  readonly key: string | null
  readonly payload: Json
  /** Counted before the work begins, so that a job that takes its process down with it does not do so for ever. */
  readonly attempt: number
  readonly maxAttempts: number
  /** The process that claimed it. With `attempt` it tells this claim from every other of the same job. */
  readonly owner: string
}
