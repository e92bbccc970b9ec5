/** The waveform of a call's recording. It is computed once, by a job, when it is first requested. */
import type { AudioError, AudioPeaks, PeaksOptions } from "@earshot/redaction/audio"
import type { AudioWorkFailed } from "./CallErrors.js"
import * as Schema from "effect/Schema"
import type { NewJob } from "../jobs/Job.js"
import * as Fields from "../kernel/Fields.js"
import { CallId, type OrganizationId } from "../kernel/Ids.js"

/** What is stored of a waveform: 50 points a second, and 22 minutes of them; a longer recording has fewer a second. */
export const PEAKS: PeaksOptions = { maxPoints: 65_536, maxPointsPerSecond: 50, maxChannels: 8 }

/** The points of a channel in a response, by default and at most. */
const USUAL_POINTS = 2_000
const MAX_POINTS = 20_000

export const PeaksQuery = Fields.object({
  points: Fields.optional(Fields.integer({ min: 1, max: MAX_POINTS }))
})

export const pointsOf = ({ points }: typeof PeaksQuery.Type): number => points ?? USUAL_POINTS

/** A computed waveform, or why there is none. */
export type StoredPeaks =
  { readonly status: "ready"; readonly peaks: AudioPeaks } | { readonly status: "unavailable"; readonly reason: string }

/** The waveform of a recording, which may not have been computed yet. */
export type RecordingPeaks = StoredPeaks | { readonly status: "pending" }

/** Why a recording has no waveform, for the people who look at it. */
export const unavailableReason = (error: AudioError | AudioWorkFailed): string => {
  switch (error._tag) {
    case "UnsupportedAudio":
      return "Waveforms are available for WAV, FLAC, MP3 and Opus only."
    case "AudioWorkFailed":
      return "Reading the recording took too long or too much memory."
    default:
      return "The recording cannot be decoded."
  }
}

export const MISSING_FILE = "The file of the recording is missing."

/** A waveform with at most so many points: neighbors are joined, so that no peak is lost. */
export const withPoints = (peaks: AudioPeaks, maxPoints: number): AudioPeaks => {
  const stored = (peaks.peaks[0]?.length ?? 0) / 2
  const joined = Math.max(1, Math.ceil(stored / maxPoints))
  if (joined === 1) return peaks
  const points = Math.ceil(stored / joined)
  return {
    ...peaks,
    pointsPerSecond: peaks.pointsPerSecond / joined,
    peaks: peaks.peaks.map((channel) => {
      const pairs = new Int8Array(points * 2)
      for (let point = 0; point < points; point++) {
        let low = 0
        let high = 0
        for (let at = point * joined; at < Math.min(stored, (point + 1) * joined); at++) {
          low = Math.min(low, channel[2 * at] ?? 0)
          high = Math.max(high, channel[2 * at + 1] ?? 0)
        }
        pairs[2 * point] = low
        pairs[2 * point + 1] = high
      }
      return pairs
    })
  }
}

/** Bytes of a waveform in a response: each number has up to four digits with its sign, and a comma. */
export const peaksBytes = (channels: number, points: number): number => channels * points * 2 * 5

const Ready = Schema.Struct({
  status: Schema.Literal("ready"),
  duration: Schema.Number.annotations({ description: "Seconds." }),
  channels: Schema.Int.annotations({ description: "Channels of the recording; there are peaks of the first eight." }),
  peaks_per_second: Schema.Number.annotations({
    description: "Points of a channel per second: point `i` begins at `i / peaks_per_second` seconds."
  }),
  peaks: Schema.Array(Schema.Array(Schema.Int)).annotations({
    description:
      "For each channel the lowest and the highest sample of every point in turn, `[min, max, min, max, ...]`, from -127 to 127."
  })
})

/** The JSON form of a waveform, by its status. */
export const RecordingPeaksJson = Schema.Union(
  Ready,
  Schema.Struct({ status: Schema.Literal("pending") }),
  Schema.Struct({ status: Schema.Literal("unavailable"), reason: Schema.String })
).annotations({ identifier: "RecordingPeaks" })
export type RecordingPeaksJson = typeof RecordingPeaksJson.Type

export const encodePeaks = (found: RecordingPeaks): RecordingPeaksJson =>
  found.status !== "ready"
    ? found
    : {
        status: "ready",
        duration: found.peaks.durationSeconds,
        channels: found.peaks.channels,
        peaks_per_second: found.peaks.pointsPerSecond,
        peaks: found.peaks.peaks.map((channel) => [...channel])
      }

export const PEAKS_JOB = "recording_peaks"

export const PeaksPayload = Schema.Struct({ call: CallId, blob: Schema.String })

/** The job of a recording. Its key is the blob's, which no other recording ever has. */
export const peaksJob = (organizationId: OrganizationId, call: CallId, blob: string): NewJob => ({
  organizationId,
  kind: PEAKS_JOB,
  payload: { call, blob },
  key: blob
})
