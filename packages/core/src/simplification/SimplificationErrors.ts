import * as Schema from "effect/Schema"

/** No shorter prompt was found that says all that the prompt says. */
export class SimplificationRejected extends Schema.TaggedError<SimplificationRejected>(
  "@earshot/core/simplification/SimplificationRefused"
)("SimplificationRefused", {
  /** What was wrong with the last one that was tried, in sentences that may quote the prompt. */
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}
