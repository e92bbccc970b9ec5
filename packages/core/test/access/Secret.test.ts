import {
  SECRET_BYTES,
  hashSecret,
  looksLikeSecret,
  mintSecret,
  printSecret,
  sameHash
} from "../../src/access/Secret.js"
import * as Redacted from "effect/Redacted"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { codePoint } from "@earshot/test-kit"

const bytes = fc.uint8Array({ minLength: SECRET_BYTES, maxLength: SECRET_BYTES })
const prefix = fc.constantFrom("ear_" as const, "earlink_" as const)

describe("a secret", () => {
  it("has a stable encoding", () => {
    expect(printSecret("ear_", new Uint8Array(SECRET_BYTES))).toBe(
      "ear_00000000000000000000000000000000000000000000vX81d"
    )
    expect(printSecret("ear_", new Uint8Array(SECRET_BYTES).fill(255))).toBe(
      "ear_yhjskwdA6OZ1AL1YmHWZWm8LLG7HjnuCA2j5rOw8Xp12nsCVh"
    )
  })

  it("encodes different bytes differently, in letters and digits of one length", () => {
    fc.assert(
      fc.property(prefix, bytes, bytes, (kind, one, other) => {
        const secret = printSecret(kind, one)
        expect(secret).toMatch(/^[a-z]+_[0-9A-Za-z]{49}$/)
        expect(looksLikeSecret(kind, secret)).toBe(true)
        expect(secret === printSecret(kind, other)).toBe(Buffer.compare(one, other) === 0)
      })
    )
  })

  it("is rejected with a typo in it, by its checksum alone", () => {
    fc.assert(
      fc.property(prefix, bytes, fc.nat(), fc.constantFrom(..."0Zaé\0 "), (kind, from, at, character) => {
        const secret = printSecret(kind, from)
        const place = at % secret.length
        const slipped = secret.slice(0, place) + character + secret.slice(place + 1)
        fc.pre(slipped !== secret)
        expect(looksLikeSecret(kind, slipped)).toBe(false)
      })
    )
  })

  it("is not accepted as a secret of another kind, nor is any other text", () => {
    fc.assert(
      fc.property(bytes, fc.string({ maxLength: 80 }), (from, text) => {
        expect(looksLikeSecret("earlink_", printSecret("ear_", from))).toBe(false)
        expect(looksLikeSecret("ear_", printSecret("earlink_", from))).toBe(false)
        expect(looksLikeSecret("ear_", text)).toBe(false)
      })
    )
  })

  it("is not contained in its hash or its hint", () => {
    fc.assert(
      fc.property(prefix, bytes, (kind, from) => {
        const minted = mintSecret(kind, from)
        const secret = Redacted.value(minted.secret)
        expect(minted.secretHash).toMatch(/^[0-9a-f]{64}$/)
        expect(minted.hint).toBe(`${kind}...${secret.slice(-4)}`)
        expect(JSON.stringify(minted)).not.toContain(secret.slice(kind.length, -4))
      })
    )
  })

  it("is hashed by plain SHA-256", () => {
    expect(hashSecret("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  })

  it("compares hashes as a whole, and hashes of different lengths as different", () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (one, other) => {
        expect(sameHash(hashSecret(one), hashSecret(other))).toBe(hashSecret(one) === hashSecret(other))
        expect(sameHash(one, other)).toBe(Buffer.from(one).equals(Buffer.from(other)))
        expect(sameHash(one, one)).toBe(true)
      })
    )
  })
})
