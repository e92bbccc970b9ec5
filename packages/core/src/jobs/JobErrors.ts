import * as Schema from "effect/Schema"

/** A job attempt failed. The reason is shown to the organization, so it must not contain call content. */
export class JobFailed extends Schema.TaggedError<JobFailed>("@earshot/core/jobs/JobFailed")("JobFailed", {
  reason: Schema.String,
  /** Whether the job is worth retrying. */
  retry: Schema.Boolean,
  /** Milliseconds that the other side asked to wait before a retry. */
  retryAfter: Schema.optional(Schema.Number)
}) {
  override get message(): string {
    return this.reason
  }
}

/** Only a dead job can be retried by hand. */
export class JobNotDead extends Schema.TaggedError<JobNotDead>("@earshot/core/jobs/JobNotDead")("JobNotDead", {
  state: Schema.String
}) {
  override get message(): string {
    return `Only a dead job can be retried; this one is ${this.state}.`
  }
}
