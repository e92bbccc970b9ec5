import { randomBytes } from "node:crypto"
import * as AesSecretBox from "@earshot/core/providers/AesSecretBox"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import { describe, expect, it } from "vitest"

const key = () => randomBytes(32).toString("base64")
const one = key()

describe("encryption keys", () => {
  it("must have 32 bytes, and an invalid one is reported by position without its value", () => {
    const wrong = ["", "short", randomBytes(31).toString("base64"), randomBytes(33).toString("base64"), "not base64 !"]
    for (const text of wrong) {
      const failure = Either.getOrThrow(Either.flip(AesSecretBox.parse(Redacted.make(`${one},${text}`))))
      expect(failure.reason).toContain("Key 2 is not 32 bytes in base64")
      if (text !== "") expect(failure.reason).not.toContain(text)
    }
    expect(Either.isRight(AesSecretBox.parse(Redacted.make(` ${one} , ${key()} `)))).toBe(true)
  })
})
