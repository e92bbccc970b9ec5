import { Properties, VoiceKit } from "@earshot/test-kit"
import { Voice } from "@earshot/core"
import * as fc from "fast-check"
import { expect, it } from "vitest"

it("reads every text back through mu-law, noise and an offset", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
      fc.nat({ max: 700 }),
      fc.array(fc.integer({ min: -2000, max: 2000 }), { minLength: 50, maxLength: 200 }),
      (text, offset, noise) => {
        const clean = Buffer.concat([Voice.silenceOf(offset), VoiceKit.speakTones(text), Voice.silenceOf(offset)])
        const noisy = Voice.encodeMulaw(
          Voice.decodeMulaw(clean).map((sample, at) => sample + (noise[at % noise.length] ?? 0))
        )
        expect(VoiceKit.readTones(clean)).toBe(text.toWellFormed())
        expect(VoiceKit.readTones(noisy)).toBe(text.toWellFormed())
      }
    ),
    Properties.parameters(100)
  )
})

it("divides what a pause divides", () => {
  const audio = [VoiceKit.speakTones("one"), Voice.silenceOf(800), VoiceKit.speakTones("two")]
  expect(VoiceKit.readTones(Buffer.concat(audio))).toBe("one two")
})
