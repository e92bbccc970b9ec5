import { PersonalityDraft, type SeededBehavior, Voice } from "@earshot/core"
import { CatalogKit, Properties } from "@earshot/test-kit"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const check = <T>(name: string, property: fc.IPropertyWithHooks<T>, runs = 200): void => {
  it(name, () => {
    fc.assert(property, Properties.parameters(runs))
  })
}

const decode = Schema.decodeUnknownSync(PersonalityDraft)
const decoded = (voice_behavior: unknown) =>
  decode({ project: 1, name: "Caller", language: "en", voice_behavior }).voice_behavior

const behavior = fc
  .tuple(CatalogKit.CatalogArbitraries.voiceBehaviorInput, fc.nat())
  .map(([input, seed]): SeededBehavior => Voice.seeded(decoded(input) ?? decoded({})!, seed))

describe("a behavior by voice", () => {
  it("has a default for all that is left out", () => {
    expect(decoded(null)).toBeNull()
    expect(decoded({})).toEqual({
      ...{ voice: null, pace: 1, interrupts: null, backchannels: null, silences: null, line: null, seed: null }
    })
    expect(decoded({ interrupts: {}, backchannels: {}, line: {}, color: 1 })).toMatchObject({
      interrupts: { after_seconds: 1, after_words: null, probability: 1 },
      backchannels: { every_seconds: 4, probability: 1 },
      line: { gain_db: 0, noise_db: null, second_talker_db: null, packet_loss: 0, jitter_ms: 0 }
    })
    expect(decoded({ interrupts: { after_words: 3 } })?.interrupts).toMatchObject({
      after_seconds: null,
      after_words: 3
    })
  })
  check(
    "is not changed by being sent again",
    fc.property(behavior, (one) => {
      expect(decoded(one)).toEqual(one)
    })
  )
})

describe("what a caller does beside its script", () => {
  const turn = fc.nat({ max: 10_000 })
  check(
    "is drawn from the seed and the turn, and keeps to the behavior",
    fc.property(behavior, turn, (one, at) => {
      const interruption = Voice.interruptionOf(one, at)
      expect(Voice.interruptionOf(one, at)).toEqual(interruption)
      if (interruption !== null) {
        expect(one.interrupts?.phrases).toContain(interruption.phrase)
        expect([interruption.afterMillis, interruption.afterWords]).not.toEqual([null, null])
      }
      const all = Voice.backchannelsOf(one, at, 120_000)
      const every = (one.backchannels?.every_seconds ?? 0) * 1000
      let last = 0
      for (const { afterMillis, phrase } of all) {
        expect(one.backchannels?.phrases).toContain(phrase)
        expect(afterMillis - last).toBeGreaterThan(every * 0.99)
        expect(afterMillis).toBeLessThanOrEqual(120_000)
        last = afterMillis
      }
      expect([null, one.silences?.seconds]).toContain(Voice.silenceBefore(one, at))
    })
  )
  check(
    "never happens with a probability of 0, and always with one of 1",
    fc.property(behavior, turn, fc.constantFrom(0, 1), (one, at, probability) => {
      const sure: SeededBehavior = {
        ...one,
        interrupts: { after_seconds: 1, after_words: null, probability, phrases: ["a"] },
        backchannels: { every_seconds: 2, probability, phrases: ["b"] },
        silences: { seconds: 3, probability }
      }
      expect(Voice.interruptionOf(sure, at) === null).toBe(probability === 0)
      expect(Voice.backchannelsOf(sure, at, 7000)).toHaveLength(3 * probability)
      expect(Voice.silenceBefore(sure, at)).toBe(probability === 0 ? null : 3)
    })
  )
  check(
    "happens as often as its probability says",
    fc.property(fc.nat(), fc.double({ min: 0, max: 1, noNaN: true }), (seed, probability) => {
      const count = 4000
      const drawn = Array.from({ length: count }, (_, at) => Voice.chance(seed, "interruption", at))
      const share = drawn.filter((value) => value < probability).length / count
      // Six standard deviations of the share.
      expect(Math.abs(share - probability)).toBeLessThanOrEqual(0.05)
      expect(drawn.every((value) => value >= 0 && value < 1)).toBe(true)
    }),
    50
  )
  it("takes the seed of the call where the behavior has none", () => {
    expect(Voice.seedOf("ffffffff00")).toBe(2 ** 31 - 1)
    const none = decoded({})!
    expect([Voice.seeded(none, 5).seed, Voice.seeded({ ...none, seed: 0 }, 5).seed]).toEqual([5, 0])
  })
})
