import * as Schema from "effect/Schema"

/** The model proposed no shorter prompt that keeps every rule of the original. */
export class SimplificationRejected extends Schema.TaggedError<SimplificationRejected>(
  "@earshot/core/simplification/SimplificationRejected"
)("SimplificationRejected", {
  /** Errors of the last attempt; may quote the prompt. */
  reason: Schema.String
}) {
  override get message(): string {
    return this.reason
  }
}
