import * as Schema from "effect/Schema"

/** A job's attempt came to nothing. The reason is shown to its organisation, so it holds nothing that a call said. */
export class JobFailed extends Schema.TaggedError<JobFailed>("@earshot/core/jobs/JobFailed")("JobFailed", {
  reason: Schema.String,
  /** Whether another try may come to something. */
  retry: Schema.Boolean,
  /** Milliseconds that the other side asked to be left alone. */
  retryAfter: Schema.optional(Schema.Number)
}) {
  override get message(): string {
    return this.reason
  }
}

/** Only a dead job can be given another chance. */
export class JobNotDead extends Schema.TaggedError<JobNotDead>("@earshot/core/jobs/JobNotDead")("JobNotDead", {
  state: Schema.String
}) {
  override get message(): string {
    return `Only a dead job can be tried again; this one is ${this.state}.`
  }
}
