import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { RawTranscript } from "../transcripts/Transcript.js"
import type { RunAudio } from "./ReportRules.js"

/** A run's audio could not be transcribed. The reason may be shown to the sender. */
export class RunAudioUnusable extends Schema.TaggedError<RunAudioUnusable>("@earshot/core/results/RunAudioUnusable")(
  "RunAudioUnusable",
  { reason: Schema.String }
) {
  override get message(): string {
    return this.reason
  }
}

/** Transcribes the recordings of runs; none where no transcriber is configured. */
export class RunTranscriber extends Context.Tag("@earshot/core/results/RunTranscriber")<
  RunTranscriber,
  {
    readonly transcribe: Option.Option<(audio: RunAudio) => Effect.Effect<RawTranscript, RunAudioUnusable>>
  }
>() {}
