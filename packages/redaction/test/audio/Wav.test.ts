import * as AudioFiles from "@earshot/test-kit/audio"
import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import { checkMuted, durationOf, errorOf, mute, redactAudio } from "./support.js"

const { wavFileOf } = AudioFiles

interface Kind {
  readonly tag: "pcm" | "float" | "alaw" | "mulaw"
  readonly bits: number
  /** The bytes of a silent sample. */
  readonly silence: ReadonlyArray<number>
}

const KINDS: ReadonlyArray<Kind> = [
  { tag: "pcm", bits: 8, silence: [0x80] },
  { tag: "pcm", bits: 12, silence: [0, 0] },
  { tag: "pcm", bits: 16, silence: [0, 0] },
  { tag: "pcm", bits: 24, silence: [0, 0, 0] },
  { tag: "pcm", bits: 32, silence: [0, 0, 0, 0] },
  { tag: "float", bits: 32, silence: [0, 0, 0, 0] },
  { tag: "float", bits: 64, silence: [0, 0, 0, 0, 0, 0, 0, 0] },
  { tag: "mulaw", bits: 8, silence: [0xff] },
  { tag: "alaw", bits: 8, silence: [0xd5] }
]

/** Bytes that are never silent in any encoding, and differ between neighbors and channels. */
const noise = (length: number, seed = 1): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => 1 + ((Math.imul(i + seed, 2_654_435_761) >>> 24) % 120))

const RATE = 100

/** A file of `seconds` at 100 Hz, its samples noise. */
const fileOf = (kind: Kind, channels: number, seconds: number, more: Partial<AudioFiles.WavFileOptions> = {}) => {
  const samples = noise(Math.ceil(kind.bits / 8) * channels * seconds * RATE)
  return wavFileOf(samples, { tag: kind.tag, bits: kind.bits, channels, sampleRate: RATE, ...more })
}

/** Muted bytes by a slow and plain rule: a sample is silent where a padded range of its channel covers its frame. */
const model = (
  file: Uint8Array,
  kind: Kind,
  channels: number,
  ranges: ReadonlyArray<{ start: number; end: number; channel?: 0 | 1 | undefined }>,
  padding: number
): Uint8Array => {
  const expected = file.slice()
  const width = kind.silence.length
  const offset = file.length - Math.floor((file.length - 44) / (width * channels)) * width * channels
  for (let at = offset; at < file.length; at += width) {
    const frame = Math.floor((at - offset) / (width * channels))
    const channel = ((at - offset) / width) % channels
    const isMuted = ranges.some((range) => {
      const start = Math.floor((Math.min(range.start, range.end) - padding) * RATE)
      const end = Math.ceil((Math.max(range.start, range.end) + padding) * RATE)
      return (
        (range.channel === undefined || channels !== 2 || range.channel === channel) && start <= frame && frame < end
      )
    })
    if (isMuted) expected.set(kind.silence, at)
  }
  return expected
}

const rangesArbitrary = fc.array(
  fc.record({
    start: fc.oneof(fc.double({ min: -2, max: 12, noNaN: true }), fc.constantFrom(0, 3.25, -Infinity, Infinity, 1e308)),
    end: fc.oneof(fc.double({ min: -2, max: 12, noNaN: true }), fc.constantFrom(0, 3.25, -Infinity, Infinity, -1e308)),
    channel: fc.constantFrom(undefined, 0 as const, 1 as const)
  }),
  { maxLength: 6 }
)

describe("muting WAV", () => {
  for (const kind of KINDS) {
    for (const channels of [1, 2, 3]) {
      it.effect(`silences ${kind.tag} of ${kind.bits} bits with ${channels} channels, and nothing else`, () =>
        Effect.gen(function* () {
          const file = fileOf(kind, channels, 4)
          const muted = yield* redactAudio(file, [{ start: 1, end: 2 }], { padding: 0.25 })
          const { bytes: clean } = yield* redactAudio(file, [])
          expect(muted.bytes).toEqual(model(clean, kind, channels, [{ start: 1, end: 2 }], 0.25))
          expect(muted.info).toEqual({ format: "wav", channels, sampleRate: RATE, durationSeconds: 4 })
          expect(muted.mutedSeconds).toBe(1.5)
        })
      )
    }

    it.effect(`puts a tone into ${kind.tag} of ${kind.bits} bits in the named channel`, () =>
      Effect.gen(function* () {
        const frames = 1200
        const file = wavFileOf(noise(Math.ceil(kind.bits / 8) * 2 * frames), {
          tag: kind.tag,
          bits: kind.bits,
          channels: 2,
          sampleRate: 8000
        })
        const muted = yield* redactAudio(file, [{ start: 0.05, end: 0.1, channel: 1 }], { fill: "tone", padding: 0 })
        const width = kind.silence.length
        const sampleOf = (bytes: Uint8Array, frame: number, channel: number) =>
          Buffer.from(
            bytes.subarray(44 + (frame * 2 + channel) * width, 44 + (frame * 2 + channel + 1) * width)
          ).toString("hex")
        const changed = (channel: number) =>
          Array.from({ length: frames }, (_, i) => i).filter(
            (i) => sampleOf(file, i, channel) !== sampleOf(muted.bytes, i, channel)
          )
        expect(changed(0)).toEqual([])
        expect(changed(1).every((frame) => frame >= 400 && frame < 800)).toBe(true)
        expect(changed(1).length).toBeGreaterThan(380)
        // One period of 1 kHz at 8 kHz is eight samples.
        const tone = Array.from({ length: 400 }, (_, i) => sampleOf(muted.bytes, 400 + i, 1))
        expect(tone.slice(8)).toEqual(tone.slice(0, -8))
        expect(tone[2]).not.toBe(tone[6])
      })
    )
  }

  it("changes no byte outside any ranges and silences every one inside", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KINDS),
        fc.constantFrom(1, 2, 4),
        rangesArbitrary,
        fc.constantFrom(0, 0.25, 1),
        (kind, channels, ranges, padding) => {
          const file = fileOf(kind, channels, 8)
          expect(
            Buffer.compare(mute(file, ranges, { padding }).bytes, model(file, kind, channels, ranges, padding))
          ).toBe(0)
        }
      ),
      {
        numRuns: 200,
        examples: [
          [KINDS[2]!, 2, [{ start: 5, end: 3, channel: 1 }], 0.25],
          [KINDS[2]!, 1, [{ start: 2, end: 2, channel: 1 }], 0],
          [KINDS[7]!, 2, [{ start: -Infinity, end: Infinity, channel: undefined }], 0],
          [
            KINDS[3]!,
            2,
            [
              { start: 1, end: 4, channel: 0 },
              { start: 2, end: 3, channel: undefined },
              { start: 3.5, end: 6, channel: 1 }
            ],
            0.25
          ]
        ]
      }
    )
  })

  it("gives the same bytes when muted twice, with silence and with the tone", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...KINDS),
        fc.constantFrom("silence" as const, "tone" as const),
        rangesArbitrary,
        (kind, fill, ranges) => {
          const once = mute(fileOf(kind, 2, 6), ranges, { fill }).bytes
          expect(Buffer.compare(mute(once, ranges, { fill }).bytes, once)).toBe(0)
        }
      ),
      { numRuns: 100 }
    )
  })

  it("keeps nothing of the muted sound: other sound in the ranges gives the same bytes", () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.integer({ min: 2, max: 1000 }), (kind, seed) => {
        const file = fileOf(kind, 1, 4)
        const other = file.slice()
        const width = kind.silence.length
        other.set(noise(width * RATE, seed), 44 + width * RATE)
        const ranges = [{ start: 1, end: 2 }]
        expect(mute(other, ranges).bytes).toEqual(mute(file, ranges).bytes)
      }),
      { numRuns: 50 }
    )
  })

  it.effect("verifies the tone at every sample rate", () =>
    Effect.gen(function* () {
      for (const sampleRate of [3, 100, 3999, 4000, 4001, 11_025, 22_050, 44_100]) {
        const file = wavFileOf(noise(2 * sampleRate), { tag: "pcm", bits: 16, channels: 1, sampleRate })
        const muted = yield* redactAudio(file, [{ start: 0.1, end: 0.9 }], { fill: "tone", padding: 0 })
        expect(muted.fill).toBe("tone")
      }
    })
  )

  it("mutes both channels if they are identical", () => {
    const one = noise(400)
    const samples = Uint8Array.from({ length: 800 }, (_, i) => one[i >> 1] ?? 0)
    const file = wavFileOf(samples, { tag: "mulaw", bits: 8, channels: 2, sampleRate: RATE })
    const muted = mute(file, [{ start: 1, end: 2, channel: 0 }], { padding: 0 })
    expect(muted.bytes.subarray(44 + 200, 44 + 400).every((byte) => byte === 0xff)).toBe(true)
    expect(muted.bothChannels).toBe(true)
  })

  it("mutes all channels if a range names one that the audio does not have", () => {
    const file = fileOf(KINDS[2]!, 1, 4)
    expect(mute(file, [{ start: 1, end: 2, channel: 1 }]).bytes).toEqual(mute(file, [{ start: 1, end: 2 }]).bytes)
  })

  it("counts the ranges beyond the audio, and returns audio without ranges unchanged", () => {
    const file = fileOf(KINDS[2]!, 1, 4)
    const muted = mute(file, [
      { start: 4, end: 5 },
      { start: 900, end: 901 },
      { start: 3.9, end: 5 }
    ])
    expect(muted.rangesBeyond).toBe(2)
    expect(mute(file, []).bytes).toEqual(file)
  })
})

describe("parsing WAV headers", () => {
  const kind = KINDS[2]!
  const ranges = [{ start: 1, end: 2 }]

  it("accepts the extensible format", () => {
    const file = fileOf(kind, 2, 4, { isExtensible: true })
    const plain = fileOf(kind, 2, 4)
    expect(mute(file, ranges).bytes.subarray(68)).toEqual(mute(plain, ranges).bytes.subarray(44))
  })

  it("finds the samples after chunks of odd size, padded or not", () => {
    const odd = ["LIST", noise(7)] as const
    const file = fileOf(kind, 1, 4, { before: [odd], behind: [odd] })
    const muted = mute(file, ranges).bytes
    expect(durationOf(file)).toEqual(Either.right(4))
    expect(muted.subarray(0, 60)).toEqual(file.subarray(0, 60))
    expect(muted.subarray(-16)).toEqual(file.subarray(-16))
    const unpadded = wavFileOf(noise(401), { tag: "mulaw", bits: 8, channels: 1, sampleRate: RATE, behind: [odd] })
    const samplesEnd = 44 + 401
    const forgotten = Uint8Array.from([...unpadded.subarray(0, samplesEnd), ...unpadded.subarray(samplesEnd + 1)])
    expect(durationOf(forgotten)).toEqual(Either.right(4.01))
  })

  it.each([0, 1, 10, 0xffff_fffe, 0xffff_ffff, 3 * 3600 * RATE * 2])(
    "does not trust a data chunk that claims %d bytes",
    (claimedSize) => {
      const file = fileOf(kind, 1, 4, { claimedSize })
      expect(durationOf(file)).toEqual(Either.right(4))
      expect(mute(file, ranges).bytes).toEqual(model(file, kind, 1, ranges, 0.25))
    }
  )

  it("reads RF64, whose sizes are in a separate chunk", () => {
    const ds64 = new Uint8Array(28)
    new DataView(ds64.buffer).setUint32(8, 800, true)
    const file = fileOf(kind, 1, 4, {
      before: [["ds64", ds64]],
      behind: [["LIST", noise(8)]],
      claimedSize: 0xffff_ffff
    })
    file.set(Buffer.from("RF64"))
    expect(durationOf(file)).toEqual(Either.right(4))
  })

  it("mutes the end of a call of three hours", () => {
    const file = fileOf(KINDS[7]!, 1, 3 * 3600)
    const late = [{ start: 10_799, end: 10_800 }]
    expect(durationOf(file)).toEqual(Either.right(10_800))
    expect(Buffer.compare(mute(file, late).bytes, model(file, KINDS[7]!, 1, late, 0.25))).toBe(0)
  })

  it("mutes the remaining samples of a file truncated anywhere", () => {
    const file = fileOf(kind, 2, 4)
    const whole = mute(file, ranges, { padding: 0 }).bytes
    for (let length = 44; length <= file.length; length += 37) {
      const cut = mute(file.slice(0, length), ranges, { padding: 0 }).bytes
      const lastFrame = 44 + Math.floor((length - 44) / 4) * 4
      expect(Buffer.compare(cut.subarray(0, lastFrame), whole.subarray(0, lastFrame))).toBe(0)
    }
    for (let length = 0; length < 44; length++) expect(errorOf(file.slice(0, length))._tag).toMatch(/Audio$/)
  })

  it.each([
    ["no channels", 22, [0, 0], "MalformedAudio"],
    ["more channels than a recorder has", 22, [33, 0], "UnsupportedAudio"],
    ["no sample rate", 24, [0, 0, 0, 0], "MalformedAudio"],
    ["a block that fits no sample", 32, [3, 0], "MalformedAudio"],
    ["more bits than its block", 34, [24, 0], "MalformedAudio"],
    ["an encoding that is no plain sample (ADPCM)", 20, [2, 0], "UnsupportedAudio"],
    ["MP3 inside", 20, [0x55, 0], "UnsupportedAudio"],
    ["an unknown sub-format", 20, [0xfe, 0xff], "UnsupportedAudio"],
    ["no data", 36, [0x64, 0x61, 0x74, 0x62], "MalformedAudio"]
  ])("rejects %s", (_, at, bytes, tag) => {
    const file = fileOf(kind, 1, 4)
    file.set(bytes, at)
    expect(errorOf(file)._tag).toBe(tag)
  })

  it("rejects a second data chunk, which could keep sound", () => {
    expect(errorOf(fileOf(kind, 1, 4, { behind: [["data", noise(100)]] }))._tag).toBe("UnsupportedAudio")
  })
})

describe("verification of muted WAV", () => {
  const file = fileOf(KINDS[2]!, 2, 4)
  const ranges = [{ start: 1, end: 2, channel: 1 as const }]
  const offsetOf = (seconds: number, channel: number) => 44 + (Math.round(seconds * RATE) * 2 + channel) * 2

  it.effect.each([
    { what: "sound in a muted range", at: offsetOf(1.5, 1) },
    { what: "a change in the other channel", at: offsetOf(1.5, 0) },
    { what: "a change before the range", at: offsetOf(0.5, 1) },
    { what: "a change after the range", at: offsetOf(3.9, 1) },
    { what: "a change of the header", at: 24 }
  ])("rejects $what", ({ at }) =>
    Effect.gen(function* () {
      const muted = mute(file, ranges)
      const tampered = muted.bytes.slice()
      tampered[at] = (tampered[at] ?? 0) ^ 0x40
      const error = yield* Effect.flip(checkMuted(file, { ...muted, bytes: tampered }))
      expect(error._tag).toBe("MutingNotProven")
    })
  )

  it.effect("rejects sound in a range that covers all channels", () =>
    Effect.gen(function* () {
      const muted = mute(file, [{ start: 1, end: 2 }])
      for (const at of [offsetOf(0.75, 0), offsetOf(1.5, 1), offsetOf(2.24, 1)]) {
        const tampered = muted.bytes.slice()
        tampered[at] = 1
        const error = yield* Effect.flip(checkMuted(file, { ...muted, bytes: tampered }))
        expect(error._tag).toBe("MutingNotProven")
      }
    })
  )
})
