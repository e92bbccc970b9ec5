import { parseRepositoryName, parseRepositorySegment } from "@earshot/core"
import { codePoint, CheckoutKit } from "@earshot/test-kit"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("a repository's short name", () => {
  it("accepts the names that code hosts use", () => {
    for (const name of [
      "web",
      "Voice-Agent_2",
      ".github",
      "a.b.c",
      "x",
      "0",
      "_",
      "x".repeat(255),
      "git",
      "web.gitx"
    ]) {
      expect(parseRepositoryName(name), name).toEqual(Option.some(name))
    }
  })

  it("rejects names that could lead to another path", () => {
    for (const name of CheckoutKit.hostileNames) expect(Option.isNone(parseRepositoryName(name)), name).toBe(true)
    fc.assert(fc.property(fc.string({ unit: codePoint }), CheckoutKit.isHarmless))
    const part = fc.constantFrom(".", "..", "-", "/", "%2f", ".git", "web", "\\", "\0", " ")
    fc.assert(fc.property(fc.array(part, { maxLength: 5 }), (parts) => CheckoutKit.isHarmless(parts.join(""))))
  })

  it("is the last part of a clone URL without one .git suffix", () => {
    expect(parseRepositorySegment("web.git")).toEqual(Option.some("web"))
    for (const segment of ["web", "web.GIT", "web.git.git", ".git", "...git", "", "-web.git", "..%2fweb.git"]) {
      expect(Option.isNone(parseRepositorySegment(segment)), segment).toBe(true)
    }
  })
})
