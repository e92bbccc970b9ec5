import { byteAt, viewOf } from "./Bytes.js"
import type { AudioRange, ChannelRanges } from "./MuteRanges.js"
import type { WavLayout } from "./Wav.js"
import { silentByte, writeSample } from "./WavSamples.js"

export type Fill = "silence" | "tone"

const TONE_HERTZ = 1000

/** 20 dB below full scale: audible, and no louder than speech. */
const TONE_AMPLITUDE = 0.1

/** The tone at a sample frame. Its phase depends only on the position, so muting twice gives the same bytes. */
export const toneAt = (frame: number, sampleRate: number): number => {
  const hertz = Math.min(TONE_HERTZ, sampleRate / 4)
  return TONE_AMPLITUDE * Math.sin(2 * Math.PI * (((frame * hertz) / sampleRate) % 1))
}

/** Whether both channels of a stereo file hold identical samples, so that neither belongs to one speaker. */
export const isDualMono = (bytes: Uint8Array, layout: WavLayout): boolean => {
  if (layout.channels !== 2 || layout.frames === 0) return false
  const width = layout.bytesPerSample
  const end = layout.offset + layout.frames * width * 2
  for (let at = layout.offset; at < end; at += 2 * width) {
    for (let i = at; i < at + width; i++) if (bytes[i] !== bytes[i + width]) return false
  }
  return true
}

/** Samples after which a fill repeats. Below 4 kHz, the tone is a quarter of the sample rate. */
export const periodOf = (layout: WavLayout, fill: Fill): number =>
  fill === "silence"
    ? 1
    : layout.sampleRate < 4 * TONE_HERTZ
      ? 4
      : layout.sampleRate / commonDivisor(layout.sampleRate, TONE_HERTZ)

/** One period of a fill as bytes. */
const fillOf = (layout: WavLayout, fill: Fill): Uint8Array => {
  const width = layout.bytesPerSample
  const period = new Uint8Array(width * periodOf(layout, fill))
  if (fill === "silence") return period.fill(silentByte(layout))
  const view = viewOf(period)
  for (let i = 0; i < period.length / width; i++) writeSample(view, i * width, layout, toneAt(i, layout.sampleRate))
  return period
}

const commonDivisor = (a: number, b: number): number => (b === 0 ? a : commonDivisor(b, a % b))

/** A copy with silence or a tone in the ranges, one list per channel; no other byte differs. */
export const muteWav = (bytes: Uint8Array, layout: WavLayout, spans: ChannelRanges, fill: Fill): Uint8Array => {
  const muted = bytes.slice()
  const width = layout.bytesPerSample
  const block = width * layout.channels
  if (fill === "silence" && isEveryChannel(spans)) {
    for (const { from, to } of spans[0] ?? []) {
      muted.fill(silentByte(layout), layout.offset + from * block, layout.offset + to * block)
    }
    return muted
  }
  const period = fillOf(layout, fill)
  spans.forEach((list, channel) => {
    for (const { from, to } of list) {
      // The phase depends only on the position in the file, so that muting twice gives the same bytes.
      let of = (from * width) % period.length
      for (let at = layout.offset + from * block + channel * width; at < layout.offset + to * block; at += block) {
        for (let i = 0; i < width; i++) muted[at + i] = byteAt(period, of + i)
        of = of + width === period.length ? 0 : of + width
      }
    }
  })
  return muted
}

export const isEveryChannel = (spans: ChannelRanges): boolean => {
  const first = spans[0] ?? []
  const isSame = (span: AudioRange, i: number): boolean => span.from === first[i]?.from && span.to === first[i].to
  return spans.every((list) => list.length === first.length && list.every(isSame))
}
