import * as Schema from "effect/Schema"
import { SensitiveField } from "../redaction/SensitiveField.js"

/**
 * A delivery that would leave standing what an earlier or simultaneous one asked to be redacted. Nothing of it was kept;
 * the same delivery with all of `fields` redacted may be.
 */
export class RedactionOwed extends Schema.TaggedError<RedactionOwed>("@earshot/core/calls/RedactionOwed")(
  "RedactionOwed",
  { fields: Schema.Array(SensitiveField) }
) {
  override get message(): string {
    return "The delivery is not redacted as this call has to be"
  }
}

/**
 * The call that a delivery goes to was deleted while it was under way. Nothing of it was kept; delivered from the start
 * it makes a call anew.
 */
export class CallGone extends Schema.TaggedError<CallGone>("@earshot/core/calls/CallGone")("CallGone", {}) {
  override get message(): string {
    return "The call was deleted meanwhile"
  }
}

/**
 * What was asked to be redacted could not be found just now, so nothing of the call was kept. It carries no cause: a
 * model's own complaint may quote what it was given to read.
 */
export class RedactionUnavailable extends Schema.TaggedError<RedactionUnavailable>(
  "@earshot/core/calls/RedactionUnavailable"
)("RedactionUnavailable", {}) {
  override get message(): string {
    return "The call could not be redacted, and nothing of it was stored. Send it again in a moment."
  }
}
