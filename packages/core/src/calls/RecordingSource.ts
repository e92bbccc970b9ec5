import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"

/** The URL is not allowed: its scheme, or an address that it resolves to. The client has to correct it. */
export class RecordingUrlNotAllowed extends Schema.TaggedError<RecordingUrlNotAllowed>(
  "@earshot/core/calls/RecordingUrlNotAllowed"
)("RecordingUrlNotAllowed", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** The download failed; the call is stored without the recording. `reason` goes into the call record. */
export class RecordingUnavailable extends Schema.TaggedError<RecordingUnavailable>(
  "@earshot/core/calls/RecordingUnavailable"
)("RecordingUnavailable", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** Port: downloads recordings that are given by URL. */
export class RecordingSource extends Context.Tag("@earshot/core/calls/RecordingSource")<
  RecordingSource,
  {
    /** Streams the bytes behind a URL, within the configured size and time limits. */
    readonly fetch: (url: string) => Stream.Stream<Uint8Array, RecordingUrlNotAllowed | RecordingUnavailable>
  }
>() {}
