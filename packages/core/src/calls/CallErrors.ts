import * as Schema from "effect/Schema"
import { SensitiveField } from "@earshot/redaction"

/**
 * Storing the delivery would keep data that an earlier or concurrent delivery asked to redact. Nothing was stored; retry
 * with all of `fields` redacted.
 */
export class RedactionIncomplete extends Schema.TaggedError<RedactionIncomplete>(
  "@earshot/core/calls/RedactionIncomplete"
)("RedactionIncomplete", { fields: Schema.Array(SensitiveField) }) {
  override get message(): string {
    return "The delivery is not redacted by all fields that the call requires"
  }
}

/** The call was deleted while the delivery was being processed. Nothing was stored; a retry creates a new call. */
export class CallDeleted extends Schema.TaggedError<CallDeleted>("@earshot/core/calls/CallDeleted")("CallDeleted", {}) {
  override get message(): string {
    return "The call was deleted while the delivery was being processed"
  }
}

/**
 * Redaction failed, so nothing of the call was stored. It carries no cause: a model's error message may quote the
 * transcript.
 */
export class RedactionUnavailable extends Schema.TaggedError<RedactionUnavailable>(
  "@earshot/core/calls/RedactionUnavailable"
)("RedactionUnavailable", {}) {
  override get message(): string {
    return "Redaction is temporarily unavailable. Nothing was stored; retry the request."
  }
}

/** The token of a recording's URL is malformed, forged or expired; the message does not distinguish them. */
export class RecordingUrlInvalid extends Schema.TaggedError<RecordingUrlInvalid>(
  "@earshot/core/calls/RecordingUrlInvalid"
)("RecordingUrlInvalid", {}) {
  override get message(): string {
    return "The URL is invalid or has expired. Request a new one."
  }
}

/** Work on audio was not finished: it took too long, or its thread failed. Nothing is known of the audio. */
export class AudioWorkFailed extends Schema.TaggedError<AudioWorkFailed>("@earshot/core/calls/AudioWorkFailed")(
  "AudioWorkFailed",
  { reason: Schema.String }
) {
  override get message(): string {
    return `The audio could not be processed: ${this.reason}`
  }
}
