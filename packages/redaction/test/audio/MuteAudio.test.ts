import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import * as AudioFiles from "@earshot/test-kit/audio"
import { describeAudio, errorOf, fixture, MP3_FILES, muteAudio, OPUS_FILES, redactAudio } from "./support.js"

const wav = AudioFiles.wavFileOf(new Uint8Array(800).fill(3), { tag: "pcm", bits: 16, channels: 2, sampleRate: 100 })

describe("format detection", () => {
  it("depends only on the bytes", () => {
    const formatOf = (bytes: Uint8Array) => Either.getOrThrow(describeAudio(bytes)).format
    expect(formatOf(wav)).toBe("wav")
    for (const file of MP3_FILES) expect(formatOf(fixture(file))).toBe("mp3")
    for (const file of OPUS_FILES) expect(formatOf(fixture(file))).toBe("opus")
  })

  it.each([
    ["nothing", []],
    ["text", [...Buffer.from("This is no audio at all, whatever its name says.")]],
    ["FLAC", [...Buffer.from("fLaC"), 0, 0, 0, 34]],
    ["M4A", [0, 0, 0, 32, ...Buffer.from("ftypM4A ")]],
    ["WebM", [0x1a, 0x45, 0xdf, 0xa3, 1]],
    ["a single MP3 header", [0xff, 0xfb, 0x90, 0x64]],
    ["big-endian WAV", [...Buffer.from("RIFX"), 0, 0, 0, 4, ...Buffer.from("WAVE")]]
  ])("refuses %s", (_, bytes) => {
    expect(errorOf(Uint8Array.from(bytes))._tag).toBe("UnsupportedAudio")
  })

  it("works on a view into a larger buffer", () => {
    const larger = new Uint8Array(wav.length + 13)
    larger.set(wav, 13)
    expect(describeAudio(larger.subarray(13))).toEqual(describeAudio(wav))
  })
})

describe("ranges", () => {
  it("reports every invalid range instead of ignoring it", () => {
    const ranges = [
      { start: Number.NaN, end: 1 },
      { start: 0, end: 1 },
      { start: Number.NaN, end: Number.NaN, channel: 2 as 0 }
    ]
    expect(errorOf(wav, ranges, { padding: -1 })).toMatchObject({
      _tag: "UnusableRanges",
      errors: {
        "ranges[0].start": ["A number of seconds is required."],
        "ranges[2].start": ["A number of seconds is required."],
        "ranges[2].end": ["A number of seconds is required."],
        "ranges[2].channel": ['"2" is not a valid choice.'],
        "options.padding": ["Ensure this value is greater than or equal to 0."]
      }
    })
  })
})

describe("any bytes", () => {
  const files = [wav, ...MP3_FILES.map(fixture), ...OPUS_FILES.map(fixture)]
  const anyRange = fc.record({
    start: fc.double({ min: -1, max: 5 }),
    end: fc.double({ min: -1, max: 5 }),
    channel: fc.constantFrom(undefined, 0 as const, 1 as const)
  })
  const anyBytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .tuple(fc.constantFrom("RIFF____WAVEfmt ", "OggS", "ID3", "\xff\xfb\x90\x64"), fc.uint8Array({ maxLength: 200 }))
      .map(([magic, rest]) => Uint8Array.from([...Buffer.from(magic, "latin1"), ...rest])),
    fc
      .tuple(
        fc.constantFrom(...files),
        fc.array(fc.tuple(fc.oneof(fc.nat(300), fc.nat(30_000)), fc.integer({ min: 0, max: 255 })), { maxLength: 20 }),
        fc.option(fc.nat(30_000))
      )
      .map(([file, changes, length]) => {
        const changed = file.slice(0, length ?? file.length)
        for (const [at, byte] of changes) if (at < changed.length) changed[at] = byte
        return changed
      })
  )

  it("return muted audio or an error, and the input is unchanged", () => {
    fc.assert(
      fc.property(anyBytes, fc.array(anyRange, { maxLength: 4 }), (bytes, ranges) => {
        const given = bytes.slice()
        expect(Either.isEither(muteAudio(bytes, ranges))).toBe(true)
        expect(Buffer.compare(given, bytes)).toBe(0)
      }),
      { numRuns: 300 }
    )
  })

  it.effect("return verified audio or an error, never a defect", () =>
    Effect.promise(() =>
      fc.assert(
        fc.asyncProperty(anyBytes, fc.array(anyRange, { maxLength: 2 }), async (bytes, ranges) => {
          const result = await Effect.runPromise(Effect.either(redactAudio(bytes, ranges)))
          expect(Either.isEither(result)).toBe(true)
        }),
        { numRuns: 60 }
      )
    )
  )
})
