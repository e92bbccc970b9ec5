import { Voice } from "@earshot/core"
import { Properties } from "@earshot/test-kit"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const RATES = [4000, 8000, 11_025, 16_000, 22_050, 24_000, 32_000, 44_100, 44_101, 48_000]

/** A sound of one frequency, at half of full scale. */
const tone = (hertz: number, sampleRate: number, seconds = 0.25): Voice.Sound => ({
  sampleRate,
  length: Math.round(seconds * sampleRate),
  read: (from, to) =>
    Float32Array.from(
      { length: to - from },
      (_, at) => 0.5 * Math.sin((2 * Math.PI * hertz * (from + at)) / sampleRate)
    )
})

const whole = (sound: Voice.Sound): Int16Array => {
  const audio = Voice.telephoneAudio(sound)
  return audio.convert(0, audio.length)
}

/** Samples without the edges, where the sound begins and ends abruptly. */
const middle = (samples: Int16Array): Int16Array => samples.subarray(200, samples.length - 200)

const decibels = (samples: Int16Array): number =>
  10 *
  Math.log10(middle(samples).reduce((sum, sample) => sum + (sample / 32_767) ** 2, 0) / (samples.length - 400) + 1e-12)

/** Of a sine at half of full scale. */
const LOUD = 10 * Math.log10(0.125)

describe("telephone audio", () => {
  it.each(RATES)("keeps the telephone's band of %i Hz, in its place", (rate) => {
    for (const hertz of [300, 1000, 3400].filter((hertz) => hertz < 0.425 * rate)) {
      const samples = whole(tone(hertz, rate))
      expect(Math.abs(decibels(samples) - LOUD), `${hertz} Hz`).toBeLessThan(0.1)
      const expected = tone(hertz, 8000).read(0, samples.length)
      const worst = middle(samples).reduce(
        (most, sample, at) => Math.max(most, Math.abs(sample / 32_767 - (expected[at + 200] ?? 0))),
        0
      )
      expect(worst, `${hertz} Hz`).toBeLessThan(0.005)
    }
  })

  it.each(RATES.filter((rate) => rate > 8000))("folds nothing of %i Hz into the band", (rate) => {
    for (const hertz of [4100, 5000, 7000, 11_000, 20_000].filter((hertz) => hertz < rate / 2)) {
      expect(decibels(whole(tone(hertz, rate))) - LOUD, `${hertz} Hz`).toBeLessThan(-60)
    }
  })

  it("is the same in parts as at once, and as long as the sound", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RATES),
        fc.array(fc.float({ min: -1, max: 1, noNaN: true }), { maxLength: 2000 }),
        fc.integer({ min: 1, max: 300 }),
        (sampleRate, values, step) => {
          const samples = Float32Array.from(values)
          const sound = {
            sampleRate,
            length: samples.length,
            read: (from: number, to: number) => {
              expect(0 <= from && from <= to && to <= samples.length).toBe(true)
              return samples.slice(from, to)
            }
          }
          const audio = Voice.telephoneAudio(sound)
          expect(Math.abs(audio.length / 8000 - samples.length / sampleRate)).toBeLessThanOrEqual(1 / 16_000)
          const parts: Array<number> = []
          for (let at = 0; at < audio.length; at += step) {
            parts.push(...audio.convert(at, Math.min(at + step, audio.length)))
          }
          expect(parts).toEqual([...audio.convert(0, audio.length)])
        }
      ),
      Properties.parameters(30)
    )
  })

  it("does not overflow", () => {
    const square: Voice.Sound = {
      sampleRate: 24_000,
      length: 24_000,
      read: (from, to) => Float32Array.from({ length: to - from }, (_, at) => ((from + at) % 60 < 30 ? 1 : -1))
    }
    const samples = whole(square)
    expect(samples[5]).toBeGreaterThan(20_000)
    expect(samples[15]).toBeLessThan(-20_000)
  })
})
