import * as AudioKit from "@earshot/test-kit/audio"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { readFileSync } from "node:fs"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { UNKNOWN_AUDIO } from "../../src/calls/AudioFormat.js"
import { AudioProbe } from "../../src/calls/AudioProbe.js"
import * as MusicMetadataProbe from "../../src/providers/MusicMetadataProbe.js"

const fixture = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../redaction/test/audio/fixtures/${name}`, import.meta.url))

const be = (value: number, bytes: number): ReadonlyArray<number> =>
  Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** (bytes - 1 - at)) % 256)
const le = (value: number, bytes: number): ReadonlyArray<number> => be(value, bytes).toReversed()
const text = (value: string): ReadonlyArray<number> => [...Buffer.from(value, "latin1")]
const float = (value: number): ReadonlyArray<number> => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(value)
  return [...bytes]
}

/** A FLAC file of its stream information and padding. */
const flac = (seconds: number, channels: number): Uint8Array => {
  const [rate, bits] = [16_000, 16]
  const samples = seconds * rate
  // 20 bits of rate, 3 of channels, 5 of sample size, 36 of samples.
  const packed = (BigInt(rate) << 44n) | (BigInt(channels - 1) << 41n) | (BigInt(bits - 1) << 36n) | BigInt(samples)
  const info = [...be(4096, 2), ...be(4096, 2), ...be(0, 3), ...be(0, 3), ...be(Number(packed >> 32n), 4)]
  const rest = [...be(Number(packed & 0xffff_ffffn), 4), ...Array.from({ length: 16 }, () => 0)]
  return Uint8Array.from([...text("fLaC"), 0x80, ...be(34, 3), ...info, ...rest, 0xff, 0xf8, 0, 0])
}

/** An Ogg file of Vorbis' headers and a page whose position is the number of samples. */
const vorbis = (seconds: number, channels: number): Uint8Array => {
  const rate = 22_050
  const identification = [1, ...text("vorbis"), ...le(0, 4), channels, ...le(rate, 4), ...le(0, 4), ...le(64_000, 4)]
  const comment = [3, ...text("vorbis"), ...le(4, 4), ...text("test"), ...le(0, 4), 1]
  const pages = [[...identification, ...le(0, 4), 0xb8, 1], comment, Array.from({ length: 100 }, () => 7)]
  return Buffer.concat(
    pages.map((page, at) =>
      AudioKit.oggPage(
        [Uint8Array.from(page)],
        [page.length],
        at === 2 ? seconds * rate : 0,
        at,
        at === 0 ? 2 : at === 2 ? 4 : 0
      )
    )
  )
}

const element = (id: ReadonlyArray<number>, body: ReadonlyArray<number>): ReadonlyArray<number> => [
  ...id,
  ...be(body.length + 2 ** 28, 4),
  ...body
]

const webmHead = element([0x1a, 0x45, 0xdf, 0xa3], element([0x42, 0x82], text("webm")))
const webmScale = element([0x2a, 0xd7, 0xb1], be(1_000_000, 3))

/** One track of Opus. */
const webmTracks = (channels: number): ReadonlyArray<number> => {
  const audio = element([0xe1], [...element([0xb5], float(48_000)), ...element([0x9f], [channels])])
  const track = [
    ...element([0xd7], [1]),
    ...element([0x83], [2]),
    ...element([0x88], [1]),
    ...element([0x86], text("A_OPUS")),
    ...audio
  ]
  return element([0x16, 0x54, 0xae, 0x6b], element([0xae], track))
}

/** A WebM file of its information and one track of Opus. */
const webm = (seconds: number, channels: number): Uint8Array => {
  const info = element([0x15, 0x49, 0xa9, 0x66], [...webmScale, ...element([0x44, 0x89], float(seconds * 1000))])
  return Uint8Array.from([...webmHead, ...element([0x18, 0x53, 0x80, 0x67], [...info, ...webmTracks(channels)])])
}

/** A WebM file as browsers record it: without a duration, and with a segment and clusters of unknown size. */
const recordedWebm = (seconds: number, channels: number): Uint8Array => {
  const unknownSize = [0x01, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff]
  const clusters = Array.from({ length: Math.ceil(seconds) }, (_, second) => {
    const blocks = Array.from({ length: 50 }, (__, at) => second * 1000 + at * 20).filter((at) => at < seconds * 1000)
    const bodies = blocks.map((at) => [0x81, ...be(at - second * 1000, 2), 0x80, 1, 2, 3, 4])
    return [
      ...[0x1f, 0x43, 0xb6, 0x75, ...unknownSize],
      ...element([0xe7], be(second * 1000, 4)),
      ...bodies.flatMap((body, at) => (at % 7 === 3 ? element([0xa0], element([0xa1], body)) : element([0xa3], body)))
    ]
  })
  const info = element([0x15, 0x49, 0xa9, 0x66], webmScale)
  const segment = [0x18, 0x53, 0x80, 0x67, ...unknownSize, ...info, ...webmTracks(channels), ...clusters.flat()]
  return Uint8Array.from([...webmHead, ...segment])
}

const box = (name: string, ...body: ReadonlyArray<ReadonlyArray<number>>): ReadonlyArray<number> => [
  ...be(body.flat().length + 8, 4),
  ...text(name),
  ...body.flat()
]

/** An MP4 file of one track of AAC, with its tables behind the media as recorders write them. */
const m4a = (seconds: number, channels: number): Uint8Array => {
  const rate = 44_100
  const times = [...be(0, 4), ...be(0, 4), ...be(0, 4), ...be(rate, 4), ...be(seconds * rate, 4)]
  const entry = box("mp4a", be(0, 6), be(1, 2), be(0, 8), be(channels, 2), be(16, 2), be(0, 4), be(rate, 2), be(0, 2))
  const stbl = box(
    "stbl",
    box("stsd", be(0, 4), be(1, 4), entry),
    box("stts", be(0, 8)),
    box("stsc", be(0, 8)),
    box("stsz", be(0, 12)),
    box("stco", be(0, 8))
  )
  const mdia = box(
    "mdia",
    box("mdhd", times, be(0, 4)),
    box("hdlr", be(0, 8), text("soun"), be(0, 13)),
    box("minf", stbl)
  )
  const track = box("tkhd", be(0, 12), be(1, 4), be(0, 4), be(seconds * rate, 4), be(0, 60))
  return Uint8Array.from([
    ...box("ftyp", text("M4A "), be(0, 4), text("M4A ")),
    ...box("mdat", be(0, 5000)),
    ...box("moov", box("mvhd", times, be(0, 80)), box("trak", track, mdia))
  ])
}

/** A WAV file of IMA ADPCM, whose blocks have 505 samples a channel. */
const adpcm = (seconds: number, channels: number): Uint8Array => {
  const [rate, perBlock] = [8000, 505]
  const align = 256 * channels
  const data = Array.from({ length: Math.ceil((seconds * rate) / perBlock) * align }, () => 1)
  const format = [
    ...le(0x11, 2),
    ...le(channels, 2),
    ...le(rate, 4),
    ...le(Math.round((rate * align) / perBlock), 4),
    ...le(align, 2),
    ...le(4, 2),
    ...le(2, 2),
    ...le(perBlock, 2)
  ]
  const chunk = (name: string, body: ReadonlyArray<number>) => [...text(name), ...le(body.length, 4), ...body]
  const chunks = [...chunk("fmt ", format), ...chunk("fact", le(seconds * rate, 4)), ...chunk("data", data)]
  return Uint8Array.from([...text("RIFF"), ...le(chunks.length + 4, 4), ...text("WAVE"), ...chunks])
}

const files: ReadonlyArray<
  readonly [name: string, contentType: string, file: Uint8Array, seconds: number, channels: number]
> = [
  ["FLAC", "audio/flac", flac(12, 2), 12, 2],
  ["Vorbis", "audio/ogg", vorbis(7, 1), 7, 1],
  ["WebM", "audio/webm", webm(31.5, 2), 31.5, 2],
  ["WebM as browsers record it", "audio/webm", recordedWebm(7.34, 2), 7.34, 2],
  ["M4A", "audio/mp4", m4a(9, 2), 9, 2],
  ["ADPCM in WAV", "audio/wav", adpcm(5, 2), 5, 2],
  [
    "Opus",
    "audio/ogg",
    AudioKit.oggOpusOf(
      Array.from({ length: 150 }, () => Uint8Array.of(8, 1, 2)),
      { channels: 2, samplesPerPacket: 960, preSkip: 0 }
    ),
    3,
    2
  ]
]

describe("the probe of recordings", () => {
  const runtime = ManagedRuntime.make(MusicMetadataProbe.layer({ timeout: "20 seconds" }))
  beforeAll(() => runtime.runtime())
  afterAll(() => runtime.dispose())

  const probe = (file: Uint8Array, contentType: string, pieces = 1000) =>
    runtime.runPromise(
      Effect.flatMap(AudioProbe, (audio) =>
        audio.probe(
          Stream.fromIterable(
            Array.from({ length: Math.ceil(file.length / pieces) }, (_, at) =>
              file.subarray(at * pieces, (at + 1) * pieces)
            )
          ),
          { contentType, sizeBytes: file.length }
        )
      )
    )

  it.each(files)("reads duration and channels of %s", async (_, contentType, file, seconds, channels) => {
    const facts = await probe(file, contentType)
    expect(facts.durationSeconds).toBeCloseTo(seconds, 1)
    expect(facts.channels).toBe(channels)
    expect(await probe(file, contentType, 1_000_000)).toEqual(facts)
  })

  it("reads those of MP3 with constant, average and variable bit rates", async () => {
    for (const [name, channels] of [
      ["cbr-mono-8000", 1],
      ["cbr-stereo-44100", 2],
      ["vbr-mono-22050", 1],
      ["abr-mono-16000-id3", 1]
    ] as const) {
      const facts = await probe(fixture(`${name}.mp3`), "audio/mpeg")
      expect([name, facts.channels]).toEqual([name, channels])
      expect(facts.durationSeconds).toBeGreaterThan(0.5)
    }
  })

  it("knows nothing of what is truncated, broken or cannot be fetched, and goes on", async () => {
    for (const [, contentType, file] of files) {
      await probe(file.subarray(0, 20), contentType)
      await probe(Uint8Array.from([...file.subarray(0, 12), ...Array.from({ length: 200 }, () => 0xff)]), contentType)
    }
    expect(await probe(Uint8Array.of(1, 2, 3), "audio/mpeg")).toEqual(UNKNOWN_AUDIO)
    const failing = await runtime.runPromise(
      Effect.flatMap(AudioProbe, (audio) =>
        audio.probe(Stream.fail("gone"), { contentType: "audio/mpeg", sizeBytes: 10 })
      )
    )
    expect(failing).toEqual(UNKNOWN_AUDIO)
    expect((await probe(flac(12, 2), "audio/flac")).durationSeconds).toBe(12)
  })

  it("gives up a recording that arrives too slowly", async () => {
    const facts = await Effect.runPromise(
      Effect.flatMap(AudioProbe, (audio) =>
        audio.probe(Stream.never, { contentType: "audio/mpeg", sizeBytes: 10 })
      ).pipe(Effect.provide(MusicMetadataProbe.layer({ timeout: "50 millis" })))
    )
    expect(facts).toEqual(UNKNOWN_AUDIO)
  })
})
