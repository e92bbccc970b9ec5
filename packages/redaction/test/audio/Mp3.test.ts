import { it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect } from "vitest"
import {
  checkMuted,
  describeAudio,
  difference,
  errorOf,
  fixture,
  hear,
  MP3_FILES,
  mute,
  peak,
  redactAudio
} from "./support.js"

const ranges = [{ start: 1.5, end: 2 }]

/** Samples from one file have to be the same to the last bit, or all but: float arithmetic of one decoder. */
const SAME = 1e-6

const planOf = (muted: ReturnType<typeof mute>) => {
  if (muted.plan.format !== "mp3") throw new Error("no MP3")
  return muted.plan
}

describe("muting MP3", () => {
  for (const file of MP3_FILES) {
    const original = fixture(file)
    const { channels, sampleRate } = Either.getOrThrow(describeAudio(original))
    // Encoder's and decoder's delay, two frames, and what a gapless player cuts off.
    const late = (1105 + 3 * 1152) / sampleRate

    it.effect(`silences the range of ${file}, and changes only samples near it`, () =>
      Effect.gen(function* () {
        const muted = yield* redactAudio(original, ranges)
        const before = yield* Effect.promise(() => hear(original))
        const after = yield* Effect.promise(() => hear(muted.bytes))
        expect(muted.bytes.length).toBe((yield* redactAudio(original, [])).bytes.length)
        for (let channel = 0; channel < channels; channel++) {
          expect(peak(after[channel]!, sampleRate, 1.25, 2.25 + 1105 / sampleRate)).toBe(0)
          const [from, to] = difference(before[channel]!, after[channel]!, sampleRate, SAME)!
          expect(from).toBeGreaterThan(1.25 - late)
          expect(to).toBeLessThan(2.25 + late)
        }
      })
    )

    it.effect(`silences one channel of ${file} if it is coded independently`, () =>
      Effect.gen(function* () {
        const muted = yield* redactAudio(original, [{ start: 1.5, end: 2, channel: 1 }])
        const before = yield* Effect.promise(() => hear(original))
        const after = yield* Effect.promise(() => hear(muted.bytes))
        expect(peak(after[channels - 1]!, sampleRate, 1.25, 2.25)).toBe(0)
        if (channels === 2 && !muted.bothChannels) {
          expect(difference(before[0]!, after[0]!, sampleRate, SAME)).toBeUndefined()
        }
        expect(muted.bothChannels).toBe(file === "cbr-joint-32000.mp3")
      })
    )

    it(`gives the same bytes when ${file} is muted twice`, () => {
      for (const channel of [undefined, 0, 1] as const) {
        const once = mute(original, [{ start: 1.5, end: 2, channel }]).bytes
        expect(Buffer.compare(mute(once, [{ start: 1.5, end: 2, channel }]).bytes, once)).toBe(0)
      }
    })

    it(`keeps no bits of the muted sound of ${file} anywhere in the reservoir`, () => {
      const muted = mute(original, ranges)
      const { layout, touched } = planOf(muted)
      const isSide = new Set(layout.offsets.flatMap((at) => Array.from({ length: 38 }, (_, i) => at + i)))
      const places = touched
        .flatMap(({ from, to }) => Array.from({ length: to - from }, (_, i) => from + i))
        .filter((at) => !isSide.has(at))
      fc.assert(
        fc.property(fc.uint8Array({ minLength: places.length, maxLength: places.length }), (sound) => {
          const other = original.slice()
          places.forEach((at, i) => (other[at] = (sound[i] ?? 0) & 0x7f))
          expect(Buffer.compare(mute(other, ranges).bytes, muted.bytes)).toBe(0)
        }),
        { numRuns: 5 }
      )
      expect(places.every((at) => muted.bytes[at] === 0)).toBe(true)
    })

    it(`mutes all of ${file} and keeps its tags`, () => {
      const muted = mute(original, [{ start: -Infinity, end: Infinity }])
      const { layout, touched } = planOf(muted)
      const last = layout.offsets.at(-1)! + layout.sizes.at(-1)!
      expect(touched[0]!.from).toBeGreaterThanOrEqual(layout.start)
      expect(Buffer.compare(muted.bytes.subarray(0, layout.start), original.subarray(0, layout.start))).toBe(0)
      expect(Buffer.compare(muted.bytes.subarray(last), original.subarray(last))).toBe(0)
    })
  }

  it("reports the duration that players show", () => {
    const seconds = (file: string) => Either.getOrThrow(describeAudio(fixture(file))).durationSeconds
    expect(seconds("vbr-joint-44100.mp3")).toBe(4)
    expect(seconds("vbr-mono-22050.mp3")).toBe(4)
    // Without a LAME tag nobody knows what the encoder added: up to two frames.
    for (const file of MP3_FILES) expect(Math.abs(seconds(file) - 4)).toBeLessThan(0.2)
  })

  it("finds the same frames after tags of any size", () => {
    const original = fixture("cbr-mono-44100.mp3")
    const tag = new Uint8Array(10 + 70_000).fill(0xff, 10)
    tag.set([...Buffer.from("ID3"), 4, 0, 0, 0, 4, 34, 112])
    const tagged = Uint8Array.from(Buffer.concat([tag, original]))
    const muted = mute(tagged, ranges).bytes
    expect(Buffer.compare(muted.subarray(0, tag.length), tag)).toBe(0)
    expect(Buffer.compare(muted.subarray(tag.length), mute(original, ranges).bytes)).toBe(0)
  })

  it("clears the bytes between two frames if one of them is muted", () => {
    const original = fixture("cbr-mono-44100.mp3")
    const { layout } = planOf(mute(original, []))
    const cut = layout.offsets[60]!
    const junk = Uint8Array.from({ length: 50 }, () => 0x55)
    const broken = Uint8Array.from(Buffer.concat([original.subarray(0, cut), junk, original.subarray(cut)]))
    const muted = mute(broken, ranges).bytes
    expect(muted.subarray(cut, cut + 50).every((byte) => byte === 0)).toBe(true)
  })

  it("mutes a truncated last frame", () => {
    const original = fixture("cbr-mono-44100.mp3").slice(0, -40)
    const muted = mute(original, [{ start: 3, end: 4 }]).bytes
    const { layout } = planOf(mute(original, []))
    const at = layout.offsets.at(-1)!
    expect(layout.isCut).toBe(true)
    expect(muted.subarray(at + 23).every((byte) => byte === 0)).toBe(true)
  })

  it("rejects a stream that changes its sample rate", () => {
    const mixed = Buffer.concat([fixture("cbr-mono-44100.mp3"), fixture("cbr-mono-8000.mp3")])
    expect(errorOf(Uint8Array.from(mixed))._tag).toBe("UnsupportedAudio")
  })
})

describe("verification of muted MP3", () => {
  const original = fixture("cbr-stereo-44100.mp3")
  const middle = (muted: ReturnType<typeof mute>) => planOf(muted).layout.offsets[Math.floor((1.7 * 44_100) / 1152)]!

  it.effect("rejects a muted frame that is not empty", () =>
    Effect.gen(function* () {
      const muted = mute(original, ranges)
      const at = middle(muted)
      const tampered = muted.bytes.slice()
      // Side information and main data of the original: sound again.
      tampered.set(original.subarray(at, at + 150), at)
      expect((yield* Effect.flip(checkMuted(original, { ...muted, bytes: tampered })))._tag).toBe("MutingNotProven")
    })
  )

  it.effect("rejects a changed byte outside the muted frames", () =>
    Effect.gen(function* () {
      const muted = mute(original, ranges)
      const tampered = muted.bytes.slice()
      const at = planOf(muted).layout.offsets[10]! + 60
      tampered[at] = (tampered[at] ?? 0) ^ 1
      expect((yield* Effect.flip(checkMuted(original, { ...muted, bytes: tampered })))._tag).toBe("MutingNotProven")
    })
  )

  it.effect("detects sound in a range that the plan missed", () =>
    Effect.gen(function* () {
      // A muting that stopped short, with a plan that says it did not: only the decoder can tell.
      const short = mute(original, [{ start: 1.5, end: 1.6 }])
      const long = mute(original, ranges)
      const plan = { ...planOf(short), spans: planOf(long).spans }
      const error = yield* Effect.flip(checkMuted(original, { ...short, plan }))
      expect(error.reason).toContain("sound")
    })
  )
})
