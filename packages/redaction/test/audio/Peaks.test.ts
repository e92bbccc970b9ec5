import * as AudioFiles from "@earshot/test-kit/audio"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { audioPeaks, type PeaksOptions } from "@earshot/redaction/audio"
import { describe, expect, it } from "vitest"
import { durationOf, fixture, hear, MP3_FILES, OPUS_FILES } from "./support.js"

const ALL: PeaksOptions = { maxPoints: 65_536, maxPointsPerSecond: 50, maxChannels: 8 }

const peaksOf = (bytes: Uint8Array, options: PeaksOptions = ALL) =>
  Effect.runPromise(Effect.either(audioPeaks(bytes, options)))

const wav16 = (samples: ReadonlyArray<number>, channels: number, sampleRate: number): Uint8Array => {
  const bytes = new Uint8Array(samples.length * 2)
  const view = new DataView(bytes.buffer)
  samples.forEach((sample, at) => {
    view.setInt16(at * 2, sample, true)
  })
  return AudioFiles.wavFileOf(bytes, { tag: "pcm", bits: 16, channels, sampleRate })
}

describe("the waveform of a recording", () => {
  it("is the lowest and the highest sample of every stretch of each channel", () =>
    fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 3 }),
        fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 3, maxLength: 900 }),
        fc.constantFrom(50, 1_000, 8_000),
        fc.integer({ min: 1, max: 300 }),
        async (channels, samples, rate, maxPoints) => {
          const frames = Math.floor(samples.length / channels)
          const options = { maxPoints, maxPointsPerSecond: 50, maxChannels: 8 }
          const found = Either.getOrThrow(
            await peaksOf(wav16(samples.slice(0, frames * channels), channels, rate), options)
          )
          const perPoint = Math.round(rate / found.pointsPerSecond)
          expect(found.channels).toBe(channels)
          expect(found.durationSeconds).toBeCloseTo(frames / rate, 9)
          expect(found.pointsPerSecond).toBeLessThanOrEqual(50)
          const points = Math.ceil(frames / perPoint)
          expect(points).toBeLessThanOrEqual(maxPoints)
          for (let channel = 0; channel < channels; channel++) {
            const expected = Array.from({ length: points }, (_, point) => {
              const own = Array.from(
                { length: Math.min(perPoint, frames - point * perPoint) },
                (__, at) => (samples[(point * perPoint + at) * channels + channel] ?? 0) / 32_768
              )
              return [Math.min(0, ...own), Math.max(0, ...own)].map((one) => Math.round(one * 127) + 0)
            }).flat()
            expect([...(found.peaks[channel] ?? [])].map((one) => one + 0)).toEqual(expected)
          }
        }
      ),
      { numRuns: 100 }
    ))

  it.each([...MP3_FILES, ...OPUS_FILES])("of %s is what a decoder hears", async (file) => {
    const bytes = fixture(file)
    const found = Either.getOrThrow(await peaksOf(bytes))
    const decoded = await hear(bytes)
    expect(found.durationSeconds).toBe(Either.getOrThrow(durationOf(bytes)))
    expect(found.peaks).toHaveLength(decoded.length)
    for (const [channel, samples] of decoded.entries()) {
      const pairs = found.peaks[channel] ?? new Int8Array()
      expect(pairs.length / 2 / found.pointsPerSecond).toBeCloseTo(found.durationSeconds, 1)
      const loudest = Math.max(...pairs)
      expect(loudest / 127).toBeGreaterThan(0.01)
      expect(Math.abs(loudest / 127 - samples.reduce((most, one) => Math.max(most, one), 0))).toBeLessThan(0.06)
    }
  })

  it.each([
    ["mulaw", 8],
    ["alaw", 8],
    ["pcm", 8],
    ["pcm", 24],
    ["float", 32]
  ] as const)("reads WAV with %s samples of %d bits", async (tag, bits) => {
    const width = bits / 8
    const bytes = new Uint8Array(8_000 * width)
    const silent = { mulaw: 0xff, alaw: 0xd5, pcm: bits === 8 ? 0x80 : 0, float: 0 }[tag]
    bytes.fill(silent)
    // The loudest sample, after half a second.
    const view = new DataView(bytes.buffer)
    if (tag === "float") view.setFloat32(4_000 * width, 1, true)
    else if (bits === 24) bytes.set([0xff, 0xff, 0x7f], 4_000 * width)
    else bytes[4_000] = { mulaw: 0x80, alaw: 0xaa, pcm: 0xff }[tag]
    const found = Either.getOrThrow(
      await peaksOf(AudioFiles.wavFileOf(bytes, { tag, bits, channels: 1, sampleRate: 8_000 }))
    )
    const pairs = [...(found.peaks[0] ?? [])]
    expect(pairs[2 * 25 + 1]).toBeGreaterThan(120)
    expect(pairs.filter((one) => one !== 0)).toHaveLength(1)
  })

  it("leaves out channels beyond the limit", async () => {
    const found = Either.getOrThrow(
      await peaksOf(
        wav16(
          Array.from({ length: 120 }, () => 9_000),
          12,
          8_000
        )
      )
    )
    expect([found.channels, found.peaks.length]).toEqual([12, 8])
  })

  it("fails for audio of other formats, and never throws", async () => {
    expect(await peaksOf(Buffer.from("#!AMR and more"))).toMatchObject({ left: { _tag: "UnsupportedAudio" } })
    expect(await peaksOf(Buffer.from("fLaC and more"))).toMatchObject({ left: { _tag: "MalformedAudio" } })
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom("cbr-mono-8000.mp3", "mono-60ms.opus"),
        fc.array(fc.tuple(fc.nat(), fc.integer({ min: 0, max: 255 })), { maxLength: 20 }),
        async (file, changes) => {
          const bytes = fixture(file).slice(0, 8_000)
          for (const [at, value] of changes) bytes[at % bytes.length] = value
          expect(["Left", "Right"]).toContain((await peaksOf(bytes))._tag)
        }
      ),
      { numRuns: 30 }
    )
  })
})
