import * as AudioFiles from "@earshot/test-kit/audio"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import {
  checkMuted,
  describeAudio,
  difference,
  durationOf,
  errorOf,
  fixture,
  hear,
  mute,
  OPUS_FILES,
  peak,
  redactAudio
} from "./support.js"

const { oggChecksum, oggOpusOf, oggPacketsOf } = AudioFiles

const RATE = 48_000
const PRE_SKIP = 312
const ranges = [{ start: 1.5, end: 2 }]

const speech = oggPacketsOf(fixture("mono-20ms.opus")).slice(2)

/** Packets of 20 ms that differ from each other and from silence; their sound is of no interest. */
const packetsOf = (sizes: ReadonlyArray<number>): ReadonlyArray<Uint8Array> =>
  sizes.map((size, i) =>
    Uint8Array.from({ length: Math.max(1, size) }, (_, at) => (at === 0 ? 0x08 : (i * 7 + at) & 0xff))
  )

/** Every page of a file with its header's fields. */
const pagesOf = (file: Uint8Array) => {
  const pages: Array<{
    sequence: number
    granule: bigint
    segments: number
    isSound: boolean
    checksumHolds: boolean
  }> = []
  for (let at = 0; at < file.length;) {
    const view = new DataView(file.buffer, file.byteOffset + at)
    const segments = view.getUint8(26)
    let length = 27 + segments
    for (let i = 0; i < segments; i++) length += view.getUint8(27 + i)
    const page = file.slice(at, at + length)
    page.fill(0, 22, 26)
    pages.push({
      sequence: view.getUint32(18, true),
      granule: view.getBigInt64(6, true),
      segments,
      isSound: pages.length > 1,
      checksumHolds: oggChecksum(page) === view.getUint32(22, true)
    })
    at += length
  }
  return pages
}

describe("muting Ogg Opus", () => {
  for (const file of OPUS_FILES) {
    const original = fixture(file)
    const { channels } = Either.getOrThrow(describeAudio(original))
    const packet = file.includes("60ms") ? 0.06 : 0.02

    it.effect(`silences the range of ${file} in all channels, and changes only packets near it`, () =>
      Effect.gen(function* () {
        const muted = yield* redactAudio(original, [{ start: 1.5, end: 2, channel: 0 }])
        const before = yield* Effect.promise(() => hear(original))
        const after = yield* Effect.promise(() => hear(muted.bytes))
        const shift = PRE_SKIP / RATE
        for (let channel = 0; channel < channels; channel++) {
          expect(after[channel]!.length).toBe(before[channel]!.length)
          expect(peak(after[channel]!, RATE, 1.25 + shift, 2.25 + shift)).toBeLessThan(1 / 32_768)
          const [from, to] = difference(before[channel]!, after[channel]!, RATE, 1 / 1024)!
          expect(from).toBeGreaterThan(1.25 - 2 * packet - 0.02)
          // Decoders take a moment to find back after silence.
          expect(to).toBeLessThan(2.25 + 2 * packet + 0.5)
        }
        expect(muted.bothChannels).toBe(channels === 2)
      })
    )

    it(`keeps page numbers and granule positions of ${file}, with correct checksums`, () => {
      const muted = mute(original, ranges).bytes
      const pages = pagesOf(muted)
      expect(pages.every(({ checksumHolds }) => checksumHolds)).toBe(true)
      const position = ({ granule, sequence }: { granule: bigint; sequence: number }) => ({ granule, sequence })
      expect(pages.map(position)).toEqual(pagesOf(original).map(position))
      expect(durationOf(muted)).toEqual(durationOf(original))
    })

    it(`gives the same bytes when ${file} is muted twice`, () => {
      const once = mute(original, ranges).bytes
      expect(Buffer.compare(mute(once, ranges).bytes, once)).toBe(0)
    })
  }

  it("keeps nothing of the muted speech, not even packet sizes", () => {
    const size = fc.integer({ min: 1, max: 250 })
    fc.assert(
      fc.property(
        fc.array(size, { minLength: 60, maxLength: 60 }),
        fc.array(size, { minLength: 25, maxLength: 25 }),
        (sizes, others) => {
          const one = packetsOf(sizes)
          // 25 packets of 20 ms from 0.5 s on, and the pre-skip's 6.5 ms, lie within what is muted.
          const two = one.map((packet, i) => (i >= 26 && i < 50 ? packetsOf(others)[i - 26]! : packet))
          const options = { channels: 1, samplesPerPacket: 960 } as const
          const within = [{ start: 0.5, end: 1 }]
          const a = mute(oggOpusOf(one, options), within, { padding: 0 }).bytes
          const b = mute(oggOpusOf(two, options), within, { padding: 0 }).bytes
          expect(Buffer.compare(a, b)).toBe(0)
        }
      ),
      { numRuns: 30 }
    )
  })

  it("replaces the packets in the range, one before, and one after that may repeat the last one's sound", () => {
    const one = packetsOf(Array.from({ length: 100 }, () => 40))
    const muted = oggPacketsOf(
      mute(oggOpusOf(one, { channels: 1, samplesPerPacket: 960, preSkip: 0 }), [{ start: 1, end: 1.2 }], { padding: 0 })
        .bytes
    ).slice(2)
    const replaced = muted.flatMap((packet, i) => (Buffer.compare(packet, one[i]!) === 0 ? [] : [i]))
    expect(replaced).toEqual(Array.from({ length: 12 }, (_, i) => 49 + i))
    expect(muted[55]).toEqual(Uint8Array.from([0xf8, 0xff, 0xfe]))
  })

  it("mutes packets that cross any pages", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 1200 }), { minLength: 20, maxLength: 60 }),
        fc.integer({ min: 1, max: 8 }),
        fc.integer({ min: 1, max: 10 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.double({ min: 0, max: 0.5, noNaN: true }),
        (sizes, segmentsPerPage, packetsPerPage, start, length) => {
          const packets = packetsOf(sizes)
          const file = oggOpusOf(packets, { channels: 2, samplesPerPacket: 960, segmentsPerPage, packetsPerPage })
          const range = [{ start, end: start + length }]
          const muted = mute(file, range, { padding: 0 }).bytes
          const after = oggPacketsOf(muted).slice(2)
          expect(after.length).toBe(packets.length)
          after.forEach((packet, i) => {
            const from = (i * 960 - PRE_SKIP) / RATE
            const near = from < start + length + 0.045 && from + 0.02 > start - 0.045
            const inside = from < start + length && from + 0.02 > start
            const wanted = inside ? Uint8Array.from([0xf8, 0xff, 0xfe]) : near ? packet : packets[i]!
            if (Buffer.compare(packet, wanted) !== 0) expect(packet).toEqual(wanted)
          })
          expect(pagesOf(muted).every(({ checksumHolds }) => checksumHolds)).toBe(true)
          expect(pagesOf(muted).map(({ granule }) => granule)).toEqual(pagesOf(file).map(({ granule }) => granule))
          expect(Buffer.compare(mute(muted, range, { padding: 0 }).bytes, muted)).toBe(0)
        }
      ),
      { numRuns: 100 }
    )
  })

  it("mutes by both clocks if the stream has a gap: packet durations and granule positions", () => {
    const one = packetsOf(Array.from({ length: 200 }, () => 40))
    const file = oggOpusOf(one, { channels: 1, samplesPerPacket: 960, preSkip: 0, gaps: { 100: 2 * RATE } })
    const muted = oggPacketsOf(mute(file, [{ start: 5, end: 5.1 }], { padding: 0 }).bytes).slice(2)
    // Five seconds by the pages are three by the packets; by the packets there is nothing at five.
    expect(muted[152]).toEqual(Uint8Array.from([0xf8, 0xff, 0xfe]))
    const early = oggPacketsOf(mute(file, [{ start: 3, end: 3.1 }], { padding: 0 }).bytes).slice(2)
    expect(early[152]).toEqual(Uint8Array.from([0xf8, 0xff, 0xfe]))
  })

  it.each([
    [0x03 | (0x01 << 3), [0x0b, 0x02, 0x11, 0x22], 1920],
    [0x08, [0x08, 1, 2], 960],
    [0x18, [0x18, 1, 2], 2880],
    [0x80, [0x80, 1], 120],
    [0xe3, [0xe3, 48, 1], 5760],
    [0x93, [0x93, 3, 1], 1440]
  ])("gives a packet of configuration %d silence of the same duration", (_, bytes, samples) => {
    const packets = Array.from({ length: 100 }, () => Uint8Array.from(bytes))
    const file = oggOpusOf(packets, { channels: 1, samplesPerPacket: samples, preSkip: 0 })
    const muted = mute(file, [{ start: 0, end: Infinity }])
    expect(muted.plan.format === "opus" && muted.plan.layout.packets[5]?.samples).toBe(samples)
    expect(durationOf(muted.bytes)).toEqual(durationOf(file))
  })

  it.effect("mutes packets of every duration to decodable silence", () =>
    Effect.gen(function* () {
      for (const [toc, samples] of [
        [0x80, 120],
        [0x88, 240],
        [0x90, 480],
        [0x98, 960],
        [0x10, 1920],
        [0x18, 2880]
      ] as const) {
        const packets = Array.from({ length: 400 }, (_, i) => Uint8Array.from([toc, i & 0xff, 60, 9]))
        const file = oggOpusOf(packets, { channels: 2, samplesPerPacket: samples })
        const muted = yield* redactAudio(file, [{ start: 0.3, end: 0.6 }])
        expect(muted._tag).toBe("RedactedAudio")
      }
    })
  )

  it("drops a truncated last page, which may hold sound and which no player plays", () => {
    const file = oggOpusOf(packetsOf(Array.from({ length: 200 }, () => 40)), { channels: 1, samplesPerPacket: 960 })
    const cut = file.slice(0, -100)
    const muted = mute(cut, [{ start: 1, end: 2 }]).bytes
    expect(pagesOf(muted).every(({ checksumHolds }) => checksumHolds)).toBe(true)
    expect(oggPacketsOf(muted).length).toBe(152)
  })

  it("rejects wrong checksums, bytes between pages, and chained or multiplexed streams", () => {
    const file = oggOpusOf(packetsOf(Array.from({ length: 200 }, () => 40)), { channels: 1, samplesPerPacket: 960 })
    const damaged = file.slice()
    damaged[2000] = (damaged[2000] ?? 0) ^ 1
    expect(errorOf(damaged)._tag).toBe("MalformedAudio")
    expect(errorOf(Uint8Array.from([...file.subarray(0, 47), 1, 2, 3, ...file.subarray(47)]))._tag).toBe(
      "MalformedAudio"
    )
    expect(errorOf(Uint8Array.from([...file, ...file]))._tag).toBe("UnsupportedAudio")
    const vorbis = AudioFiles.oggPage([Buffer.from("\x01vorbis and more")], [16], 0, 0, 2)
    expect(errorOf(vorbis)._tag).toBe("UnsupportedAudio")
  })
})

describe("verification of muted Ogg Opus", () => {
  const original = oggOpusOf(speech, { channels: 1, samplesPerPacket: 960 })
  const offer = (changed: (packets: Array<Uint8Array>) => void) => {
    const muted = mute(original, ranges)
    const packets = oggPacketsOf(muted.bytes).slice(2)
    const copy = [...packets]
    changed(copy)
    return checkMuted(original, { ...muted, bytes: oggOpusOf(copy, { channels: 1, samplesPerPacket: 960 }) })
  }

  it.effect("rejects an original packet inside the range, a changed one outside, and a missing one", () =>
    Effect.gen(function* () {
      for (const change of [
        (packets: Array<Uint8Array>) => (packets[80] = speech[80]!),
        (packets: Array<Uint8Array>) => (packets[10] = speech[11]!),
        (packets: Array<Uint8Array>) => packets.pop()
      ]) {
        expect((yield* Effect.flip(offer(change)))._tag).toBe("MutingNotProven")
      }
      const same = mute(original, ranges)
      expect((yield* checkMuted(original, same))._tag).toBe("RedactedAudio")
    })
  )

  it.effect("detects sound in a range that the plan missed", () =>
    Effect.gen(function* () {
      const short = mute(original, [{ start: 1.5, end: 1.6 }])
      const long = mute(original, ranges)
      if (short.plan.format !== "opus" || long.plan.format !== "opus") return
      const muting = {
        replaced: short.plan.muting.replaced,
        silent: short.plan.muting.silent.map((_, i) =>
          short.plan.format === "opus" && short.plan.muting.replaced[i] === 1 ? 1 : 0
        )
      }
      // The lead-in packets are silent only at their end, so marking them as silent is detected.
      const error = yield* Effect.flip(checkMuted(original, { ...short, plan: { ...short.plan, muting } }))
      expect(error.reason).toContain("sound")
    })
  )
})
