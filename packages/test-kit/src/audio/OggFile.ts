/** How to lay Opus packets into an Ogg file. */
export interface OggOpusOptions {
  readonly channels: 1 | 2
  /** Samples at 48 kHz in every packet. */
  readonly samplesPerPacket: number
  readonly preSkip?: number
  /** Packets that end on a page. Default: 50. */
  readonly packetsPerPage?: number
  /** Segments of up to 255 bytes per page; with few of them, packets cross pages. Default: 255. */
  readonly segmentsPerPage?: number
  /** Samples that are missing before a packet, by the packet's position: the granule positions jump. */
  readonly gaps?: Readonly<Record<number, number>>
}

const SERIAL = 7

interface OpenPage {
  readonly lacing: Array<number>
  readonly body: Array<Uint8Array>
  ended: number
  isContinued: boolean
}

/** An Ogg file with one Opus stream (RFC 7845): headers on pages of their own, then the packets. */
export const oggOpusOf = (packets: ReadonlyArray<Uint8Array>, options: OggOpusOptions): Uint8Array => {
  const { channels, gaps = {}, packetsPerPage = 50, preSkip = 312, samplesPerPacket, segmentsPerPage = 255 } = options
  const head = Uint8Array.from([...Buffer.from("OpusHead"), 1, channels, 0, 0, 0x80, 0xbb, 0, 0, 0, 0, 0])
  new DataView(head.buffer).setUint16(10, preSkip, true)
  const tags = Uint8Array.from([...Buffer.from("OpusTags"), 4, 0, 0, 0, ...Buffer.from("test"), 0, 0, 0, 0])
  const pages = [oggPage([head], [head.length], 0, 0, 2), oggPage([tags], [tags.length], 0, 1, 0)]
  let granule = 0
  let page: OpenPage = { lacing: [], body: [], ended: 0, isContinued: false }
  const close = (isLast: boolean, isContinued: boolean): void => {
    const flags = (page.isContinued ? 1 : 0) | (isLast ? 4 : 0)
    pages.push(oggPage(page.body, page.lacing, page.ended === 0 ? -1 : granule, pages.length, flags))
    page = { lacing: [], body: [], ended: 0, isContinued }
  }
  packets.forEach((packet, i) => {
    const gap = gaps[i] ?? 0
    if (gap > 0 && page.lacing.length > 0) close(false, false)
    for (let from = 0, isOpen = true; isOpen; from += 255) {
      if (page.lacing.length === segmentsPerPage) close(false, from > 0)
      const part = packet.subarray(from, from + 255)
      page.body.push(part)
      page.lacing.push(part.length)
      isOpen = part.length === 255
    }
    page.ended++
    granule += gap + samplesPerPacket
    if (page.ended === packetsPerPage && i < packets.length - 1) close(false, false)
  })
  close(true, false)
  return Uint8Array.from(Buffer.concat(pages))
}

/** One Ogg page (RFC 3533) with its checksum. */
export const oggPage = (
  body: ReadonlyArray<Uint8Array>,
  lacing: ReadonlyArray<number>,
  granule: number,
  sequence: number,
  flags: number
): Uint8Array => {
  const head = new Uint8Array(27 + lacing.length)
  const view = new DataView(head.buffer)
  head.set(Buffer.from("OggS"))
  head[5] = flags
  view.setBigInt64(6, BigInt(granule), true)
  view.setUint32(14, SERIAL, true)
  view.setUint32(18, sequence, true)
  head[26] = lacing.length
  head.set(lacing, 27)
  const page = Uint8Array.from(Buffer.concat([head, ...body]))
  new DataView(page.buffer).setUint32(22, oggChecksum(page), true)
  return page
}

/** CRC-32 with polynomial 0x04c11db7, not reflected, bit by bit; the checksum's own field has to hold zeros. */
export const oggChecksum = (page: Uint8Array): number => {
  let crc = 0
  for (const byte of page) {
    crc ^= byte << 24
    for (let bit = 0; bit < 8; bit++) crc = crc & 0x8000_0000 ? (crc << 1) ^ 0x04c1_1db7 : crc << 1
  }
  return crc >>> 0
}

/** The packets of an Ogg file with one stream, headers first. */
export const oggPacketsOf = (file: Uint8Array): ReadonlyArray<Uint8Array> => {
  const packets: Array<Uint8Array> = []
  let parts: Array<Uint8Array> = []
  for (let at = 0; at < file.length;) {
    const segments = file[at + 26] ?? 0
    let from = at + 27 + segments
    for (let i = 0; i < segments; i++) {
      const length = file[at + 27 + i] ?? 0
      parts.push(file.subarray(from, from + length))
      from += length
      if (length < 255) {
        packets.push(Uint8Array.from(Buffer.concat(parts)))
        parts = []
      }
    }
    at = from
  }
  return packets
}
