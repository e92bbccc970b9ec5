import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { RawTranscript } from "../transcripts/Transcript.js"

/** The transcriber gave no transcript; `reason` is fit for the record and holds nothing that was said. */
export class TranscriptionFailed extends Schema.TaggedError<TranscriptionFailed>(
  "@earshot/core/calls/TranscriptionFailed"
)("TranscriptionFailed", { reason: Schema.String }) {
  override get message(): string {
    return this.reason
  }
}

export interface Audio {
  readonly contentType: string
  readonly sizeBytes: number
  readonly content: Stream.Stream<Uint8Array, { readonly message: string }>
}

export type Transcribe = (audio: Audio) => Effect.Effect<RawTranscript, TranscriptionFailed>

/** What makes transcripts of recordings that come without one (`none-mono`); none where no transcriber is configured. */
export class Transcriber extends Context.Tag("@earshot/core/calls/Transcriber")<
  Transcriber,
  { readonly transcribe: Option.Option<Transcribe> }
>() {}

/** No transcriber: calls of the type `none-mono` are refused. */
export const layerNone = Layer.succeed(Transcriber, { transcribe: Option.none() })
