import { convertAudio } from "@earshot/redaction/audio"
import * as AudioFiles from "@earshot/test-kit/audio"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import {
  BufferSource,
  BufferTarget,
  EncodedAudioPacketSource,
  EncodedPacketSink,
  Input,
  MkvOutputFormat,
  Mp4OutputFormat,
  OGG,
  Output,
  type OutputFormat
} from "mediabunny"
import { describe, expect } from "vitest"
import { flacToWav } from "../../src/audio/Flac.js"
import { describeAudio, difference, fixture, hear, peak, redactAudio } from "./support.js"

const convert = (bytes: Uint8Array) => Effect.runPromise(Effect.either(convertAudio(bytes)))
const converted = async (bytes: Uint8Array) => Either.getOrThrow(await convert(bytes))

/** Samples of a WAV file whose header has 44 bytes. */
const samplesIn = (wav: Uint8Array, width: number): ReadonlyArray<number> => {
  const bytes = Buffer.from(wav.subarray(44))
  return Array.from({ length: bytes.length / width }, (_, i) =>
    width === 1 ? bytes.readUInt8(i) - 128 : bytes.readIntLE(i * width, width)
  )
}

const FLAC_FILES: ReadonlyArray<readonly [file: string, channels: number, sampleRate: number, seconds: number]> = [
  ["mono-8000.flac", 1, 8000, 4],
  ["stereo-16000.flac", 2, 16_000, 2],
  ["near-stereo-8000.flac", 2, 8000, 2],
  ["loud-24bit-48000.flac", 2, 48_000, 0.2],
  ["mono-12bit-8000.flac", 1, 8000, 1],
  ["mono-8bit-8000.flac", 1, 8000, 1],
  ["stream-8000.flac", 1, 8000, 2],
  ["six-channels-8000.flac", 6, 8000, 0.5]
]

describe("FLAC", () => {
  it.each(FLAC_FILES)("of libFLAC is decoded, by its own checksum: %s", async (file, channels, sampleRate, seconds) => {
    const info = Either.getOrThrow(describeAudio(await converted(fixture(file))))
    expect(info).toEqual({ format: "wav", channels, sampleRate, durationSeconds: seconds })
  })

  it("of any frames has the same samples as WAV", async () => {
    await fc.assert(
      fc.asyncProperty(AudioFiles.anyFlacFile, async (file) => {
        const wav = await converted(AudioFiles.flacFileOf(file))
        const width = Math.ceil(file.bitsPerSample / 8)
        const shift = width * 8 - file.bitsPerSample
        expect(samplesIn(wav, width)).toEqual(AudioFiles.flacSamplesOf(file).map((sample) => sample * 2 ** shift))
        expect(Either.getOrThrow(describeAudio(wav)).sampleRate).toBe(file.sampleRate)
      }),
      { numRuns: 200 }
    )
  })

  it("with one wrong bit is refused", async () => {
    const bytes = fixture("near-stereo-8000.flac")
    const original = await converted(bytes)
    // Behind the block sizes, which players only allocate by.
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 18, max: bytes.length - 1 }), fc.nat(7), async (at, bit) => {
        const damaged = bytes.slice()
        damaged[at] = (damaged[at] ?? 0) ^ (1 << bit)
        const result = await convert(damaged)
        // Metadata that is no sound may change; the sound may not.
        if (Either.isRight(result)) expect(Buffer.compare(result.right, original)).toBe(0)
        else expect(["MalformedAudio", "UnsupportedAudio"]).toContain(result.left._tag)
      }),
      { numRuns: 150 }
    )
  })

  it("that is cut off, empty or of nothing but a header is refused", async () => {
    const bytes = fixture("mono-8000.flac")
    for (const end of [4, 8, 30, 42, 100, 5000, bytes.length - 1]) {
      expect(await convert(bytes.subarray(0, end))).toMatchObject({ left: { _tag: "MalformedAudio" } })
    }
  })

  it("ignores a tag behind the sound", async () => {
    const bytes = fixture("mono-8000.flac")
    const tagged = await converted(Buffer.concat([bytes, Buffer.from("TAGcalled by a person")]))
    expect(Buffer.compare(tagged, await converted(bytes))).toBe(0)
  })

  it("that unfolds to more than the limit is refused, whether it says so or not", async () => {
    // The header of a file of eight channels of 16 bits that does not state its length.
    const channels = Array.from({ length: 8 }, () => [0])
    const one = { channels, stereo: "independent", subframe: { kind: "verbatim", wasted: false } } as const
    const header = AudioFiles.flacFileOf({
      sampleRate: 8000,
      bitsPerSample: 16,
      frames: [one],
      isSeekable: false
    }).subarray(0, 51)
    const frame = AudioFiles.silentFlacFrame(8)
    const decode = (file: Uint8Array, maxBytes?: number) => Effect.runPromise(Effect.either(flacToWav(file, maxBytes)))
    const file = Buffer.concat([header, frame, frame, frame])
    expect(file.length).toBeLessThan(200)
    expect(await decode(file, 3 * 2 ** 20)).toMatchObject({ right: { length: 3 * 2 ** 20 + 44 } })
    expect(await decode(file, 3 * 2 ** 20 - 1)).toMatchObject({ left: { _tag: "UnsupportedAudio" } })
    const stated = Buffer.from(file)
    stated.writeUInt32BE(2 ** 30, 22)
    expect(await decode(stated)).toMatchObject({ left: { _tag: "UnsupportedAudio" } })
  })

  it("is muted as WAV", async () => {
    const original = await converted(fixture("stereo-16000.flac"))
    const muted = await Effect.runPromise(
      redactAudio(fixture("stereo-16000.flac"), [{ start: 0.5, end: 1, channel: 1 }], { padding: 0 })
    )
    expect(muted.info).toMatchObject({ format: "wav", channels: 2 })
    const before = samplesIn(original, 2)
    samplesIn(muted.bytes, 2).forEach((sample, i) => {
      const isMuted = i % 2 === 1 && i >= 16_000 && i < 32_000
      if (sample !== (isMuted ? 0 : before[i])) expect.fail(`sample ${i} is ${sample}`)
    })
  })
})

/** An Ogg file's packets in another container. */
const contained = async (file: string, format: OutputFormat): Promise<Uint8Array> => {
  const input = new Input({ source: new BufferSource(fixture(file)), formats: [OGG] })
  const track = await input.getPrimaryAudioTrack()
  if (track === null) return expect.fail("no track")
  const target = new BufferTarget()
  const output = new Output({ format, target })
  const source = new EncodedAudioPacketSource("opus")
  output.addAudioTrack(source)
  await output.start()
  const decoderConfig = (await track.getDecoderConfig()) ?? undefined
  for await (const packet of new EncodedPacketSink(track).packets()) await source.add(packet, { decoderConfig })
  await output.finalize()
  return new Uint8Array(target.buffer ?? new ArrayBuffer(0))
}

describe("Opus", () => {
  it("in WebM of a browser is muted as Opus in Ogg", async () => {
    const bytes = fixture("chromium.webm")
    const [before = new Float32Array()] = await hear(await converted(bytes))
    const muted = await Effect.runPromise(redactAudio(bytes, [{ start: 1.5, end: 2 }]))
    expect(muted.info).toMatchObject({ format: "opus", channels: 2, durationSeconds: 3.9 })
    const [after = new Float32Array()] = await hear(muted.bytes)
    expect(peak(before, 48_000, 1.5, 2)).toBeGreaterThan(0.1)
    expect(peak(after, 48_000, 1.5, 2)).toBeLessThan(1 / 32_768)
    expect(peak(after, 48_000, 0.2, 1)).toBeGreaterThan(0.1)
    expect(peak(after, 48_000, 2.8, 3.8)).toBeGreaterThan(0.1)
  })

  it.each([
    ["Matroska", "mono-20ms.opus", new MkvOutputFormat()],
    ["Matroska", "stereo-20ms.opus", new MkvOutputFormat()],
    ["MP4", "mono-60ms.opus", new Mp4OutputFormat()]
  ])("in %s is the same sound: %s", async (_, file, format) => {
    const before = await hear(fixture(file))
    const after = await hear(await converted(await contained(file, format)))
    expect(after.length).toBe(before.length)
    after.forEach((samples, channel) => {
      expect(difference(samples, before[channel] ?? new Float32Array(), 48_000)).toBeUndefined()
    })
  })
})

describe("containers", () => {
  it("that are damaged are refused or read, and never throw", async () => {
    const bytes = fixture("chromium.webm")
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(bytes.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 20 }),
        fc.option(fc.integer({ min: 4, max: bytes.length })),
        async (changes, length) => {
          const damaged = bytes.slice(0, length ?? bytes.length)
          for (const [at, value] of changes) if (at > 3 && at < damaged.length) damaged[at] = value
          const result = await Effect.runPromise(Effect.either(redactAudio(damaged, [{ start: 1, end: 2 }])))
          if (Either.isLeft(result))
            expect(["MalformedAudio", "UnsupportedAudio", "MutingNotProven"]).toContain(result.left._tag)
        }
      ),
      { numRuns: 40 }
    )
  })

  it.each([
    ["M4A", [0, 0, 0, 32, ...Buffer.from("ftypM4A ")]],
    ["WebM", [0x1a, 0x45, 0xdf, 0xa3, 1]]
  ])("without audio are refused: %s", async (_, bytes) => {
    expect(await convert(Uint8Array.from(bytes))).toMatchObject({ _tag: "Left" })
  })
})
