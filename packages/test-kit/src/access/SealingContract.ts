import type { SecretBox } from "@earshot/core"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { property, expectEqual, expectUnequal } from "../Property.js"

/** What seals, with the keys that it may have. */
export interface SealingFixture {
  /** Seals with a key of its own. */
  readonly sealing: SecretBox.Sealing
  /** Seals with another key, and has not the first one. */
  readonly stranger: SecretBox.Sealing
  /** Seals with a newer key, and still has the first one. */
  readonly rotated: SecretBox.Sealing
}

const opened = (secret: Option.Option<Redacted.Redacted>) => Option.getOrUndefined(Option.map(secret, Redacted.value))

/** What every `SecretBox.Sealing` has to do. */
export const sealingContract = (subject: string, { rotated, sealing, stranger }: SealingFixture): void => {
  describe(`secrets sealed by ${subject}`, () => {
    const properties = [
      property(
        "a secret is opened as it was, looks different every time, and does not show",
        [fc.string({ unit: "grapheme" }), fc.string()],
        (text, purpose) => {
          const sealed = sealing.seal(purpose, Redacted.make(text))
          expectEqual("opened(sealing.open(purpose, sealed))", opened(sealing.open(purpose, sealed)), text)
          expectUnequal(
            "sealing.seal(purpose, Redacted.make(text))",
            sealing.seal(purpose, Redacted.make(text)),
            sealed
          )
          if (!(text.length < 4)) {
            expectEqual("sealed.includes(text)", sealed.includes(text), false)
          }
        }
      ),
      property(
        "a secret is opened for no other purpose, and by no other key",
        [fc.string(), fc.string(), fc.string()],
        (text, purpose, other) => {
          const sealed = sealing.seal(purpose, Redacted.make(text))
          if (!(other === purpose)) {
            expectEqual("opened(sealing.open(other, sealed))", opened(sealing.open(other, sealed)), undefined)
          }
          expectEqual("opened(stranger.open(purpose, sealed))", opened(stranger.open(purpose, sealed)), undefined)
        }
      ),
      property(
        "what was tampered with is not opened as anything else",
        [fc.string({ minLength: 1 }), fc.nat(), fc.constantFrom(..."A9_.=")],
        (text, position, character) => {
          const sealed = sealing.seal("p", Redacted.make(text))
          const at = position % sealed.length
          const found = opened(sealing.open("p", sealed.slice(0, at) + character + sealed.slice(at + 1)))
          if (!(found === undefined)) {
            expectEqual("found", found, text)
          }
        }
      ),
      property("what was never sealed is not opened", [fc.string()], (text) => {
        expectEqual('opened(sealing.open("p", text))', opened(sealing.open("p", text)), undefined)
      })
    ]
    for (const { check, name } of properties) it(name, check)

    it("are opened by an older key, and told from those of the newest", () => {
      const sealed = sealing.seal("p", Redacted.make("a secret"))
      expect(opened(rotated.open("p", sealed))).toBe("a secret")
      expect([sealing.isCurrent(sealed), rotated.isCurrent(sealed)]).toEqual([true, false])
      expect(rotated.isCurrent(rotated.seal("p", Redacted.make("a secret")))).toBe(true)
    })
  })
}
