import { randomBytes } from "node:crypto"
import * as AesSecretBox from "@earshot/core/providers/AesSecretBox"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const key = () => randomBytes(32).toString("base64")
const box = (...keys: ReadonlyArray<string>) => Either.getOrThrow(AesSecretBox.parse(Redacted.make(keys.join(","))))
const opened = (secret: Option.Option<Redacted.Redacted>) => Option.getOrUndefined(Option.map(secret, Redacted.value))

describe("a sealed secret", () => {
  const one = key()
  const sealing = box(one)

  it("is opened as it was, and looks different every time", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.string(), (text, purpose) => {
        const sealed = sealing.seal(purpose, Redacted.make(text))
        expect(opened(sealing.open(purpose, sealed))).toBe(text)
        expect(sealing.seal(purpose, Redacted.make(text))).not.toBe(sealed)
        if (text.length > 3) expect(sealed).not.toContain(text)
      })
    )
  })

  it("is opened for no other purpose, by no other key, and not when any character of it is another", () => {
    const sealed = sealing.seal("code-connection/1", Redacted.make("a secret"))
    expect(opened(sealing.open("code-connection/2", sealed))).toBeUndefined()
    expect(opened(box(key()).open("code-connection/1", sealed))).toBeUndefined()
    fc.assert(
      fc.property(fc.nat({ max: sealed.length - 1 }), fc.constantFrom(..."A9_.="), (at, character) => {
        const tampered = sealed.slice(0, at) + character + sealed.slice(at + 1)
        const plain = opened(sealing.open("code-connection/1", tampered))
        // The last character of a base64url part holds bits that mean nothing.
        expect([undefined, "a secret"]).toContain(plain)
        if (plain !== undefined) expect([...sealed].filter((one, i) => one !== tampered[i]).length).toBeLessThan(2)
      })
    )
    fc.assert(fc.property(fc.string(), (text) => opened(sealing.open("p", `aes256gcm.${text}`)) === undefined))
  })

  it("is opened by an older key, and told from one of the newest", () => {
    const sealed = sealing.seal("p", Redacted.make("a secret"))
    const rotated = box(key(), one)
    expect(opened(rotated.open("p", sealed))).toBe("a secret")
    expect([sealing.isCurrent(sealed), rotated.isCurrent(sealed)]).toEqual([true, false])
    expect(rotated.isCurrent(rotated.seal("p", Redacted.make("a secret")))).toBe(true)
  })

  it("asks for keys of 32 bytes, and says which one is none without saying what it is", () => {
    const wrong = ["", "short", randomBytes(31).toString("base64"), randomBytes(33).toString("base64"), "not base64 !"]
    for (const text of wrong) {
      const failure = Either.getOrThrow(Either.flip(AesSecretBox.parse(Redacted.make(`${one},${text}`))))
      expect(failure.reason).toContain("Key 2 is not 32 bytes in base64")
      if (text !== "") expect(failure.reason).not.toContain(text)
    }
    expect(Either.isRight(AesSecretBox.parse(Redacted.make(` ${one} , ${key()} `)))).toBe(true)
  })
})
