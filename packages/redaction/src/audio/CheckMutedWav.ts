import * as Either from "effect/Either"
import { sameBytes, viewOf } from "./Bytes.js"
import { allRanges, type ChannelRanges } from "./MuteRanges.js"
import { parseWav, type WavLayout } from "./Wav.js"
import { type Fill, isEveryChannel, periodOf, toneAt } from "./MuteWav.js"
import { readSample } from "./WavSamples.js"

/** A-law has no zero: its smallest step decodes to 8 of 32,768. Every other encoding must be exactly silent. */
const silenceTolerance = (layout: WavLayout): number => (layout.encoding === "alaw" ? 8 / 32_768 : 0)

/** Two steps of 8-bit samples. */
const TONE_TOLERANCE = 1 / 64

/**
 * Why a muted WAV fails verification, or undefined: parsed and decoded again, it must be silent (or the tone) in every
 * range, and byte for byte equal to the original everywhere else.
 */
export const wavObjection = (
  original: Uint8Array,
  muted: Uint8Array,
  spans: ChannelRanges,
  fill: Fill
): string | undefined => {
  const parsed = parseWav(muted)
  if (Either.isLeft(parsed)) return "it no longer parses"
  const layout = parsed.right
  if (original.length !== muted.length) return "its length changed"
  const block = layout.bytesPerSample * layout.channels
  const everywhere = isEveryChannel(spans)
  let kept = 0
  for (const { from, to } of allRanges(spans)) {
    const begin = layout.offset + from * block
    const end = layout.offset + to * block
    if (!sameBytes(original, muted, kept, begin)) return "bytes outside the ranges changed"
    kept = end
    if (everywhere && fill === "silence") {
      // If all frames are equal, decoding the first one is enough.
      const first = muted.subarray(begin, end - block)
      const second = muted.subarray(begin + block, end)
      if (Buffer.compare(first, second) !== 0 || !soundsRight(muted, layout, from, from + 1, spans, fill)) {
        return "sound in a muted range"
      }
    } else if (!soundsRight(muted, layout, from, to, spans, fill)) return "sound in a muted range"
    if (!everywhere && !keepsOthers(original, muted, layout, from, to, spans)) return "the other channel changed"
  }
  return sameBytes(original, muted, kept, muted.length) ? undefined : "bytes outside the ranges changed"
}

/**
 * Whether the muted samples of some frames decode to the fill. The first period is decoded; every later sample must equal
 * the bytes of the one a period before.
 */
const soundsRight = (
  muted: Uint8Array,
  layout: WavLayout,
  begin: number,
  end: number,
  spans: ChannelRanges,
  fill: Fill
): boolean => {
  const view = viewOf(muted)
  const width = layout.bytesPerSample
  const block = width * layout.channels
  const period = periodOf(layout, fill)
  const tolerance = fill === "tone" ? TONE_TOLERANCE : silenceTolerance(layout)
  return spans.every((list, channel) =>
    list.every(({ from, to }) => {
      const first = Math.max(from, begin)
      const last = Math.min(to, end)
      for (let frame = first; frame < Math.min(last, first + period); frame++) {
        const wanted = fill === "tone" ? toneAt(frame, layout.sampleRate) : 0
        const off = Math.abs(readSample(view, layout.offset + frame * block + channel * width, layout) - wanted)
        // Negated, so that NaN counts as sound.
        if (!(off <= tolerance)) return false
      }
      const back = period * block
      const stop = layout.offset + last * block
      for (let at = layout.offset + (first + period) * block + channel * width; at < stop; at += block) {
        for (let i = at; i < at + width; i++) if (muted[i] !== muted[i - back]) return false
      }
      return true
    })
  )
}

/** Whether the samples of some frames outside all ranges are unchanged. */
const keepsOthers = (
  original: Uint8Array,
  muted: Uint8Array,
  layout: WavLayout,
  begin: number,
  end: number,
  spans: ChannelRanges
): boolean => {
  const width = layout.bytesPerSample
  const block = width * layout.channels
  return spans.every((list, channel) => {
    let frame = begin
    const isKept = (to: number): boolean => {
      for (; frame < to; frame++) {
        const at = layout.offset + frame * block + channel * width
        for (let i = at; i < at + width; i++) if (original[i] !== muted[i]) return false
      }
      return true
    }
    for (const { from, to } of list) {
      if (to <= begin || from >= end) continue
      if (!isKept(Math.max(begin, from))) return false
      frame = to
    }
    return isKept(end)
  })
}
