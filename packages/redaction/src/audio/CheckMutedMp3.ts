import * as Either from "effect/Either"
import { byteAt, sameBytes } from "./Bytes.js"
import type { AudioRange } from "./MuteRanges.js"
import { parseMp3 } from "./Mp3.js"
import { frameAt } from "./Mp3Frame.js"

/**
 * Why a muted MP3 fails verification without decoding, or undefined: it must have the same frames at the same offsets, no
 * bits in the granules of a muted channel, and no changed byte outside muted frames.
 */
export const mp3Objection = (
  original: Uint8Array,
  muted: Uint8Array,
  flags: Uint8Array,
  touched: ReadonlyArray<AudioRange>
): string | undefined => {
  const parsed = parseMp3(muted)
  if (Either.isLeft(parsed)) return "it no longer parses"
  const layout = parsed.right
  if (original.length !== muted.length || layout.offsets.length !== flags.length) return "its frames changed"
  let kept = 0
  for (const { from, to } of touched) {
    if (!sameBytes(original, muted, kept, from)) return "bytes outside the muted frames changed"
    kept = to
  }
  if (!sameBytes(original, muted, kept, muted.length)) return "bytes outside the muted frames changed"
  for (let index = 0; index < flags.length; index++) {
    const flag = byteAt(flags, index)
    if (flag === 0) continue
    const { granules } = frameAt(muted, layout, index)
    if (granules.some(({ channel, length }) => (flag & (1 << channel)) !== 0 && length !== 0)) {
      return `main data left in frame ${index}`
    }
  }
  return undefined
}
