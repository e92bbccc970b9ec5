import * as Context from "effect/Context"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"

/** The URL itself is not one that is fetched from: its scheme, or an address it leads to. The caller's to put right. */
export class RecordingUrlRefused extends Schema.TaggedError<RecordingUrlRefused>(
  "@earshot/core/calls/RecordingUrlRefused"
)("RecordingUrlRefused", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** The other side did not give the recording this time; the call is kept without it. `reason` is fit for the record. */
export class RecordingUnavailable extends Schema.TaggedError<RecordingUnavailable>(
  "@earshot/core/calls/RecordingUnavailable"
)("RecordingUnavailable", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

/** Where recordings that come as URLs are had from. */
export class RecordingSource extends Context.Tag("@earshot/core/calls/RecordingSource")<
  RecordingSource,
  {
    /** The bytes behind a URL, within the limits of size and time that the source was made with. */
    readonly fetch: (url: string) => Stream.Stream<Uint8Array, RecordingUrlRefused | RecordingUnavailable>
  }
>() {}
