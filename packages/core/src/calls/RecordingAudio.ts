import type {
  AudioError,
  AudioPeaks,
  MuteOptions,
  MuteRange,
  PeaksOptions,
  RedactedAudio
} from "@earshot/redaction/audio"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { AudioWorkFailed } from "./CallErrors.js"

/** What is kept of audio that was muted and verified. */
export type MutedRecording = Pick<RedactedAudio, "bytes" | "info" | "rangesBeyond">

/** Port: what is computed from the bytes of recordings, away from the thread that answers requests. */
export class RecordingAudio extends Context.Tag("@earshot/core/calls/RecordingAudio")<
  RecordingAudio,
  {
    /** Mutes ranges and verifies the result; see `redactAudio`. After any failure the audio must not be stored. */
    readonly redact: (
      bytes: Uint8Array,
      ranges: ReadonlyArray<MuteRange>,
      options: MuteOptions
    ) => Effect.Effect<MutedRecording, AudioError | AudioWorkFailed>
    /** The waveform; see `audioPeaks`. */
    readonly peaks: (
      bytes: Uint8Array,
      options: PeaksOptions
    ) => Effect.Effect<AudioPeaks, AudioError | AudioWorkFailed>
  }
>() {}
