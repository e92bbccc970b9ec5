import * as Either from "effect/Either"
import { sameBytes } from "./Bytes.js"
import { type OpusLayout, packetBytes, parseOpus } from "./OggOpus.js"
import { silentPacket } from "./MuteOpus.js"

/**
 * Why a muted Opus file fails verification without decoding, or undefined: it must have the same number of packets with
 * the same durations and times; replaced ones are silent packets, all others are unchanged, headers included.
 */
export const opusObjection = (
  original: Uint8Array,
  before: OpusLayout,
  muted: Uint8Array,
  replaced: Uint8Array
): string | undefined => {
  const parsed = parseOpus(muted)
  if (Either.isLeft(parsed)) return "it no longer parses"
  const after = parsed.right
  if (after.packets.length !== before.packets.length || after.length !== before.length) return "its packets changed"
  const sound = before.pages.findIndex(({ pieces }) => pieces.some(({ packet }) => packet >= 0))
  const headers = sound < 0 ? before.end : (before.pages[sound]?.offset ?? 0)
  if (!sameBytes(original, muted, 0, headers)) return "its headers changed"
  for (let i = 0; i < before.packets.length; i++) {
    const old = before.packets[i]
    const now = after.packets[i]
    if (old === undefined || now === undefined) return "its packets changed"
    if (now.samples !== old.samples || now.position !== old.position || now.granule !== old.granule) {
      return `packet ${i} moved`
    }
    const wanted = replaced[i] === 1 && old.bytes > 0 ? silentPacket(old) : packetBytes(original, old)
    if (Buffer.compare(wanted, packetBytes(muted, now)) !== 0) return `packet ${i} is not what it has to be`
  }
  return undefined
}
