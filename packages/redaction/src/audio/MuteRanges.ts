import * as Either from "effect/Either"
import { UnusableRanges } from "./AudioErrors.js"

/** Seconds to mute around every range by default: word times of transcribers are that coarse. */
export const DEFAULT_PADDING_SECONDS = 0.25

/**
 * A range of the call to mute, in seconds from the start of the audio. Ranges may overlap, come in any order, start
 * below 0 and end beyond the audio (infinities included); a reversed one means what lies between its two times.
 */
export interface MuteRange {
  readonly start: number
  readonly end: number
  /** The speaker's channel in stereo audio; absent, or a channel that the audio does not have, means all channels. */
  readonly channel?: 0 | 1 | undefined
}

/** A half-open range of sample frames: `from` is included, `to` is not. */
export interface AudioRange {
  readonly from: number
  readonly to: number
}

/** The ranges to mute, one list per channel; each list is sorted and its ranges neither touch nor overlap. */
export type ChannelRanges = ReadonlyArray<ReadonlyArray<AudioRange>>

const NOT_A_TIME = "A number of seconds is required."

/**
 * Rejects what has no safe interpretation: a time that is not a number, a channel other than 0 and 1, and a padding
 * that is negative or not finite. Reports every error, by path.
 */
export const validateRanges = (
  ranges: ReadonlyArray<MuteRange>,
  padding: number
): Either.Either<ReadonlyArray<MuteRange>, UnusableRanges> => {
  const errors: Record<string, ReadonlyArray<string>> = {}
  ranges.forEach((range, i) => {
    if (typeof range.start !== "number" || Number.isNaN(range.start)) errors[`ranges[${i}].start`] = [NOT_A_TIME]
    if (typeof range.end !== "number" || Number.isNaN(range.end)) errors[`ranges[${i}].end`] = [NOT_A_TIME]
    if (range.channel !== undefined && ![0, 1].includes(range.channel))
      errors[`ranges[${i}].channel`] = [`"${String(range.channel)}" is not a valid choice.`]
  })
  if (!Number.isFinite(padding)) errors["options.padding"] = [NOT_A_TIME]
  else if (padding < 0) errors["options.padding"] = ["Ensure this value is greater than or equal to 0."]
  return Object.keys(errors).length === 0 ? Either.right(ranges) : Either.left(new UnusableRanges({ errors }))
}

/** Sorts ranges, joins those that touch or overlap, and drops empty ones. */
export const mergeRanges = (spans: ReadonlyArray<AudioRange>): ReadonlyArray<AudioRange> => {
  const merged: Array<AudioRange> = []
  for (const span of spans.filter(({ from, to }) => from < to).sort((a, b) => a.from - b.from)) {
    const last = merged[merged.length - 1]
    if (last !== undefined && span.from <= last.to) {
      if (span.to > last.to) merged[merged.length - 1] = { from: last.from, to: span.to }
    } else merged.push(span)
  }
  return merged
}

/** The sample frames that the ranges cover, rounded outwards and clipped to `length`, one list per channel. */
export const framesOf = (
  ranges: ReadonlyArray<MuteRange>,
  audio: { readonly channels: number; readonly sampleRate: number; readonly length: number },
  padding: number
): ChannelRanges => {
  const within = (frames: number): number => Math.min(Math.max(frames, 0), audio.length)
  const spans: Array<Array<AudioRange>> = Array.from({ length: audio.channels }, () => [])
  for (const { channel, end, start } of ranges) {
    const span = {
      from: within(Math.floor((Math.min(start, end) - padding) * audio.sampleRate)),
      to: within(Math.ceil((Math.max(start, end) + padding) * audio.sampleRate))
    }
    const only = channel === undefined ? undefined : spans[channel]
    for (const list of audio.channels === 2 && only !== undefined ? [only] : spans) list.push(span)
  }
  return spans.map(mergeRanges)
}

/** The union over all channels. */
export const allRanges = (spans: ChannelRanges): ReadonlyArray<AudioRange> => mergeRanges(spans.flat())

/** Number of sample frames in the ranges. */
export const framesIn = (spans: ReadonlyArray<AudioRange>): number =>
  spans.reduce((sum, { from, to }) => sum + to - from, 0)
