/** What is not mu-law, by the frequency of its bytes. Pure. */

/** Fewer bytes say too little. */
const MIN_BYTES = 160

/** The codes of the first segment of each sign: in mu-law, the samples from half of the full scale on. */
const NEGATIVE = { from: 0x00, to: 0x0f }
const POSITIVE = { from: 0x80, to: 0x8f }

/** The two smallest magnitudes of A-law. */
const ALAW_QUIET: ReadonlyArray<number> = [0xd5, 0x55, 0xd4, 0x54]

const PCM_SHARE = 0.15
const PCM_RATIO = 3
const ALAW_SHARE = 0.4

/**
 * The encoding of audio that is not mu-law but is sent as such; null if nothing speaks against mu-law.
 *
 * The loudest samples of sound are as often positive as negative. The bytes of linear PCM are not balanced in this way: the
 * high byte of a quiet sample is 0 or 255 with 16 bits, and about 128 with 8 bits, of which 0 and 128 are mu-law's full scale.
 * A pause in A-law repeats codes that mu-law uses for two sounds of one loudness only.
 */
export const otherEncoding = (audio: Uint8Array): "16-bit linear PCM" | "8-bit linear PCM" | "A-law" | null => {
  if (audio.length < MIN_BYTES) return null
  const counts = new Uint32Array(256)
  for (const code of audio) counts[code] = (counts[code] ?? 0) + 1
  const shareOf = (codes: ArrayLike<number>): number =>
    Array.from(codes).reduce((sum, count) => sum + count, 0) / audio.length
  const negative = shareOf(counts.subarray(NEGATIVE.from, NEGATIVE.to + 1))
  const positive = shareOf(counts.subarray(POSITIVE.from, POSITIVE.to + 1))
  if (negative > PCM_SHARE && negative > PCM_RATIO * positive) return "16-bit linear PCM"
  if (positive > PCM_SHARE && positive > PCM_RATIO * negative) return "8-bit linear PCM"
  return shareOf(ALAW_QUIET.map((code) => counts[code] ?? 0)) > ALAW_SHARE ? "A-law" : null
}
