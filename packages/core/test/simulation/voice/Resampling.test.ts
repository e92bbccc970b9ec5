import { Voice } from "@earshot/core"
import { Properties } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import * as fc from "fast-check"

const tone = (hertz: number, rate: number, millis: number): Int16Array =>
  Int16Array.from({ length: (rate * millis) / 1000 }, (_, at) => 10_000 * Math.sin((2 * Math.PI * hertz * at) / rate))

const power = (samples: Int16Array): number =>
  samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length)

/** The middle of a sound, without its ends. */
const middle = (samples: Int16Array): Int16Array =>
  samples.subarray(Math.floor(samples.length / 4), Math.floor((3 * samples.length) / 4))

/** The decibels by which a tone is changed. */
const gain = (hertz: number, from: number, to: number): number => {
  const sound = tone(hertz, from, 400)
  return 10 * Math.log10(power(middle(Voice.makeResampler(from, to)(sound))) / power(middle(sound)))
}

const RATES = [8000, 16_000, 24_000]

describe("conversion of sample rates", () => {
  it.each(RATES.flatMap((from) => RATES.map((to) => [from, to] as const)))(
    "from %i to %i Hz keeps the band of speech",
    (from, to) => {
      for (const hertz of [200, 440, 1000, 2500, 3300]) expect(Math.abs(gain(hertz, from, to))).toBeLessThan(0.2)
    }
  )

  it("folds nothing above half the rate into the band", () => {
    for (const hertz of [4100, 5000, 7000]) expect(gain(hertz, 16_000, 8000)).toBeLessThan(-55)
    for (const hertz of [4100, 6000, 9000, 11_500]) expect(gain(hertz, 24_000, 8000)).toBeLessThan(-55)
    for (const hertz of [8300, 10_000]) expect(gain(hertz, 24_000, 16_000)).toBeLessThan(-55)
  })

  it("places a sample where it was", () => {
    for (const [from, to] of [
      [24_000, 8000],
      [8000, 24_000],
      [16_000, 8000],
      [8000, 16_000],
      [24_000, 16_000],
      [44_100, 8000]
    ] as const) {
      const pulse = new Int16Array(from / 10)
      pulse[from / 20] = 30_000
      const converted = Voice.makeResampler(from, to)(pulse)
      const loudest = converted.indexOf(converted.reduce((most, sample) => Math.max(most, sample), 0))
      expect(Math.abs(loudest / to - 0.05)).toBeLessThanOrEqual(1 / to)
    }
  })

  it("is the same in parts of any size, and has its whole length if it is delayed", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...RATES, 11_025, 22_050, 44_100, 48_000),
        fc.constantFrom(...RATES),
        fc.array(fc.integer({ min: 0, max: 700 }), { minLength: 1, maxLength: 8 }),
        fc.boolean(),
        (from, to, sizes, isDelayed) => {
          const total = sizes.reduce((sum, size) => sum + size, 0)
          const sound = Int16Array.from({ length: total }, (_, at) => ((at * 7919) % 20_000) - 10_000)
          const convert = Voice.makeResampler(from, to, isDelayed)
          let at = 0
          const parts = sizes.map((size) => convert(sound.subarray(at, (at += size))))
          const joined = parts.flatMap((part) => [...part])
          expect(joined).toEqual([...Voice.makeResampler(from, to, isDelayed)(sound)])
          const whole = Math.ceil((total * to) / from)
          if (isDelayed) expect(joined.length).toBe(whole)
          else {
            expect(joined.length).toBeLessThanOrEqual(whole)
            expect((whole - joined.length) / to).toBeLessThanOrEqual(0.0045)
          }
        }
      ),
      Properties.parameters(100)
    )
  })

  it("stays within 16 bits", () => {
    const square = Int16Array.from({ length: 2000 }, (_, at) => (at % 40 < 20 ? 32_767 : -32_768))
    const converted = Voice.makeResampler(8000, 24_000)(square)
    expect(Math.max(...converted)).toBe(32_767)
    expect(Math.min(...converted)).toBe(-32_768)
  })
})
