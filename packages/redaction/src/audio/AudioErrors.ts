import * as Schema from "effect/Schema"

/** The audio is of a format that cannot be muted; drop the audio. */
export class UnsupportedAudio extends Schema.TaggedError<UnsupportedAudio>("@earshot/redaction/UnsupportedAudio")(
  "UnsupportedAudio",
  { reason: Schema.String }
) {
  override get message(): string {
    return `Audio that cannot be muted: ${this.reason}`
  }
}

/** The audio contradicts itself or its format, so that the bytes of a second cannot be determined. */
export class MalformedAudio extends Schema.TaggedError<MalformedAudio>("@earshot/redaction/MalformedAudio")(
  "MalformedAudio",
  {
    format: Schema.String,
    reason: Schema.String
  }
) {
  override get message(): string {
    return `Malformed ${this.format}: ${this.reason}`
  }
}

/** Invalid ranges or options: all errors, keyed by path (`ranges[2].start`). */
export class UnusableRanges extends Schema.TaggedError<UnusableRanges>("@earshot/redaction/UnusableRanges")(
  "UnusableRanges",
  {
    errors: Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) })
  }
) {
  override get message(): string {
    return Object.entries(this.errors)
      .map(([path, messages]) => `${path}: ${messages.join(" ")}`)
      .join("\n")
  }
}

/** The muted audio failed verification: it could not be decoded or is not silent in every range. It must not be stored. */
export class MutingNotProven extends Schema.TaggedError<MutingNotProven>("@earshot/redaction/MutingNotProven")(
  "MutingNotProven",
  { format: Schema.String, reason: Schema.String }
) {
  override get message(): string {
    return `Muting of ${this.format} not proven: ${this.reason}`
  }
}

/** Why audio could not be redacted. None of them carries a byte of the audio. */
export type AudioError = UnsupportedAudio | MalformedAudio | UnusableRanges | MutingNotProven
