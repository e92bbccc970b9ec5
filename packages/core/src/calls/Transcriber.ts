import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Stream from "effect/Stream"
import type { RawTranscript } from "../transcripts/Transcript.js"

/** Transcription failed. `reason` goes into the call record and must not quote the recording. */
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

/** Port: transcribes recordings of calls without a transcript (`none-mono`). `Option.none()` when not configured. */
export class Transcriber extends Context.Tag("@earshot/core/calls/Transcriber")<
  Transcriber,
  { readonly transcribe: Option.Option<Transcribe> }
>() {}

/** No transcriber: calls of the type `none-mono` are rejected. */
export const layerNone = Layer.succeed(Transcriber, { transcribe: Option.none() })

/** A transcript made from a recording, or an error message for the call record. */
export interface Transcription {
  readonly transcript: RawTranscript | undefined
  readonly error: string | undefined
}

/** Transcribes a recording. Never fails: a call is stored without its transcript. */
export const transcription = (transcriber: Transcriber["Type"], audio: Audio): Effect.Effect<Transcription> =>
  Option.match(transcriber.transcribe, {
    onNone: () => Effect.succeed<Transcription>({ transcript: undefined, error: undefined }),
    onSome: (transcribe) =>
      transcribe(audio).pipe(
        Effect.map((transcript): Transcription => ({ transcript, error: undefined })),
        Effect.catchTag("TranscriptionFailed", ({ reason }) =>
          Effect.succeed<Transcription>({ transcript: undefined, error: `The transcript is missing: ${reason}` })
        )
      )
  })
