/**
 * The duration of WebM and Matroska files that do not state it, such as those that browsers record: they are written before
 * it is known. It is the time of the last block and the step to it. And the channels, since `music-metadata` reads neither of
 * files with clusters of unknown size, as browsers write them. Source: RFC 8794 (EBML) and RFC 9559 (Matroska).
 */

const SEGMENT = 0x18538067
const INFO = 0x1549a966
const TIMESTAMP_SCALE = 0x2ad7b1
const TRACKS = 0x1654ae6b
const TRACK_ENTRY = 0xae
const AUDIO = 0xe1
const CHANNELS = 0x9f
const CLUSTER = 0x1f43b675
const TIMESTAMP = 0xe7
const SIMPLE_BLOCK = 0xa3
const BLOCK_GROUP = 0xa0
const BLOCK = 0xa1

/** Elements whose elements are read. The size of the first two may be unknown while they are written. */
const CONTAINERS: ReadonlySet<number> = new Set([SEGMENT, CLUSTER, INFO, TRACKS, TRACK_ENTRY, AUDIO, BLOCK_GROUP])

/** Nanoseconds of a tick, unless the file states another number. */
const DEFAULT_SCALE = 1_000_000

/** A longer step between blocks is a pause, and not the length of a block, in nanoseconds. */
const LONGEST_STEP = 1e9

export interface WebmScanner {
  /** Reads the next bytes of the file. */
  readonly add: (bytes: Uint8Array) => void
  /** The duration of what was read, and the channels of the first track; undefined where they are unknown. */
  readonly facts: () => { readonly duration: number | undefined; readonly channels: number | undefined }
}

/** The bytes of the number that begins here; 0 if it has more than `most`. */
const widthOf = (first: number, most: number): number => {
  const width = Math.clz32(first) - 23
  return width <= most ? width : 0
}

/** A big-endian number; of the first byte only the bits of `mask`. */
const numberAt = (bytes: Uint8Array, at: number, width: number, mask = 0xff): number => {
  let value = (bytes[at] ?? 0) & mask
  for (let i = 1; i < width; i++) value = value * 256 + (bytes[at + i] ?? 0)
  return value
}

interface ElementHead {
  readonly id: number
  readonly size: number
  /** Bytes of the head. */
  readonly length: number
}

/** All bits of a size are set. */
const UNKNOWN_SIZE = Number.POSITIVE_INFINITY

/** Elements of which a value is read, and the most bytes that it takes: of a block those of its track, time and flags. */
const VALUE_BYTES: ReadonlyMap<number, number> = new Map([
  [TIMESTAMP, 8],
  [TIMESTAMP_SCALE, 8],
  [CHANNELS, 8],
  [SIMPLE_BLOCK, 11],
  [BLOCK, 11]
])

const headAt = (bytes: Uint8Array, at: number): ElementHead | "more" | undefined => {
  const idWidth = widthOf(bytes[at] ?? 0, 4)
  if (idWidth === 0) return undefined
  if (bytes.length <= at + idWidth) return "more"
  const sizeWidth = widthOf(bytes[at + idWidth] ?? 0, 8)
  if (sizeWidth === 0) return undefined
  const length = idWidth + sizeWidth
  if (bytes.length < at + length) return "more"
  const size = numberAt(bytes, at + idWidth, sizeWidth, 0xff >> sizeWidth)
  return {
    id: numberAt(bytes, at, idWidth),
    size: size >= 2 ** (7 * sizeWidth) - 1 ? UNKNOWN_SIZE : size,
    length
  }
}

export const makeWebmScanner = (): WebmScanner => {
  let held = new Uint8Array()
  let skipped = 0
  let isBroken = false
  let scale = DEFAULT_SCALE
  let cluster = 0
  let last: number | undefined
  let step = 0
  let channels: number | undefined

  const addBlock = (time: number): void => {
    if (last !== undefined && time <= last) return
    if (last !== undefined && (time - last) * scale <= LONGEST_STEP) step = time - last
    last = time
  }

  /** Reads the value of an element with this head; false if it has none that is valid. */
  const readValue = (bytes: Uint8Array, { id, length, size }: ElementHead, at: number): boolean => {
    if (id !== SIMPLE_BLOCK && id !== BLOCK) {
      const value = numberAt(bytes, at + length, size)
      if (id === TIMESTAMP) cluster = value
      else if (id === TIMESTAMP_SCALE) scale = value
      else channels ??= value
      return size > 0
    }
    const track = widthOf(bytes[at + length] ?? 0, 8)
    const relative = numberAt(bytes, at + length + track, 2)
    addBlock(cluster + (relative >= 0x8000 ? relative - 0x10000 : relative))
    return track > 0 && size >= track + 3
  }

  /** Reads the element at a position: its bytes, "more" if more of it has to be there, undefined if it is none. */
  const readElement = (bytes: Uint8Array, at: number): number | "more" | undefined => {
    const head = headAt(bytes, at)
    if (head === undefined || head === "more") return head
    if (CONTAINERS.has(head.id)) return head.length
    // Only containers may have an unknown size.
    if (head.size === UNKNOWN_SIZE) return undefined
    const most = VALUE_BYTES.get(head.id)
    if (most !== undefined) {
      if (bytes.length - at < head.length + Math.min(head.size, most)) return "more"
      if (head.size > most && head.id !== SIMPLE_BLOCK && head.id !== BLOCK) return undefined
      if (!readValue(bytes, head, at)) return undefined
    }
    return head.length + head.size
  }

  return {
    add: (given) => {
      if (isBroken) return
      const bytes = held.length === 0 ? given : Buffer.concat([held, given])
      held = new Uint8Array()
      let at = skipped
      while (at < bytes.length) {
        const length = readElement(bytes, at)
        if (length === "more") {
          held = bytes.slice(at)
          skipped = 0
          return
        }
        if (length === undefined) {
          isBroken = true
          return
        }
        at += length
      }
      skipped = at - bytes.length
    },
    facts: () => ({
      duration: isBroken || last === undefined ? undefined : ((last + step) * scale) / 1e9,
      channels
    })
  }
}
