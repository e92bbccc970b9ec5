import { Voice } from "@earshot/core"
import { Properties, VoiceKit } from "@earshot/test-kit"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const check = <T>(name: string, property: fc.IPropertyWithHooks<T>, runs = 100): void => {
  it(name, () => {
    fc.assert(property, Properties.parameters(runs))
  })
}

const lineOf = (changes: Partial<Voice.ImpairedLine> = {}): Voice.ImpairedLine => ({
  ...{ gain_db: 0, noise_db: null, second_talker_db: null, packet_loss: 0, jitter_ms: 0 },
  ...{ seed: 1, secondTalker: new Uint8Array() },
  ...changes
})

const frame = fc.uint8Array({ minLength: Voice.FRAME_SAMPLES, maxLength: Voice.FRAME_SAMPLES })
const frames = fc.array(frame, { maxLength: 40 })
const seed = fc.nat()

/** The root mean square of audio in decibels relative to full scale. */
const levelOf = (audio: Uint8Array): number => {
  const samples = Voice.decodeMulaw(audio)
  return 20 * Math.log10(Math.sqrt(samples.reduce((sum, one) => sum + one * one, 0) / samples.length) / 32_768)
}

const over = (line: Voice.ImpairedLine, all: ReadonlyArray<Uint8Array>): ReadonlyArray<Uint8Array> =>
  all.map((one, index) => Voice.impaired(line, one, index))

const silence = (count: number) => Array.from({ length: count }, () => Voice.silenceOf(Voice.FRAME_SAMPLES))

describe("an impaired line", () => {
  check(
    "changes nothing without impairments",
    fc.property(frames, seed, (all, of) => {
      expect(over(lineOf({ seed: of }), all)).toEqual(all)
    })
  )
  check(
    "gives the same for the same seed, whatever was asked before",
    fc.property(frames, seed, (all, of) => {
      const line = lineOf({ seed: of, noise_db: -30, packet_loss: 0.3, gain_db: 3 })
      const forward = over(line, all)
      const backward = all.map((one, index) => [one, index] as const).toReversed()
      expect(backward.map(([one, index]) => Voice.impaired(line, one, index)).toReversed()).toEqual(forward)
    })
  )
  check(
    "adds noise of its level",
    fc.property(seed, fc.integer({ min: -55, max: -15 }), (of, noise_db) => {
      const arrived = Buffer.concat(over(lineOf({ seed: of, noise_db }), silence(25)))
      expect(Math.abs(levelOf(arrived) - noise_db)).toBeLessThan(0.5)
    })
  )
  it("amplifies, and does not exceed full scale", () => {
    const tones = Voice.framesOf(VoiceKit.speakTones("Hello there."))
    const level = levelOf(Buffer.concat(tones))
    for (const gain_db of [-12, -6, 6]) {
      expect(Math.abs(levelOf(Buffer.concat(over(lineOf({ gain_db }), tones))) - level - gain_db)).toBeLessThan(0.2)
    }
    const loud = Voice.decodeMulaw(Buffer.concat(over(lineOf({ gain_db: 20 }), tones)))
    expect(loud.some((sample) => sample === 32_124) && loud.some((sample) => sample === -32_124)).toBe(true)
  })
  it("repeats the second talker at its level, beneath the caller's words", () => {
    const secondTalker = VoiceKit.speakTones("Other.")
    const line = lineOf({ secondTalker, second_talker_db: -12 })
    const alone = Buffer.concat(over(line, silence(60)))
    expect(Math.abs(levelOf(alone) - levelOf(secondTalker) + 12)).toBeLessThan(0.2)
    expect(
      alone.subarray(0, secondTalker.length).equals(alone.subarray(secondTalker.length, 2 * secondTalker.length))
    ).toBe(true)
    const spoken = Buffer.concat(over(line, Voice.framesOf(VoiceKit.speakTones("Is a room free?"))))
    expect(VoiceKit.readTones(spoken)).toBe("Is a room free?")
  })
  check(
    "loses its share of frames, which are silent",
    fc.property(seed, fc.double({ min: 0, max: 0.9, noNaN: true }), (of, packet_loss) => {
      const tone = VoiceKit.speakTones("a").subarray(0, Voice.FRAME_SAMPLES)
      const arrived = over(
        lineOf({ seed: of, packet_loss }),
        Array.from({ length: 2000 }, () => tone)
      )
      const lost = arrived.filter((one) => one !== tone)
      expect(lost.every((one) => one.every((code) => code === Voice.SILENCE))).toBe(true)
      expect(Math.abs(lost.length / 2000 - packet_loss)).toBeLessThan(0.07)
    }),
    30
  )
})

describe("jitter", () => {
  check(
    "delays frames by at most its length, loses none and keeps their order",
    fc.property(frames, seed, fc.integer({ min: 0, max: 200 }), (all, of, jitter_ms) => {
      const line = lineOf({ seed: of, jitter_ms })
      let transit = Voice.noTransit
      const arrivals: Array<readonly [at: number, frame: Uint8Array]> = []
      const most = Math.ceil(jitter_ms / Voice.FRAME_MILLIS)
      for (const [at, one] of [...all, ...silence(most)].entries()) {
        const sending = Voice.transmit(line, transit, one)
        ;({ transit } = sending)
        arrivals.push(...sending.arrived.map((arrived) => [at, arrived] as const))
      }
      const own = arrivals.slice(0, all.length)
      expect(own.map(([, arrived]) => arrived)).toEqual(all)
      for (const [sent, [at]] of own.entries()) {
        expect(at).toBeGreaterThanOrEqual(sent)
        expect(at - sent).toBeLessThanOrEqual(most)
      }
    })
  )
})
