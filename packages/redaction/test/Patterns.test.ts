import * as Redaction from "@earshot/redaction"
import { describe, expect, it } from "@effect/vitest"
import { checkSync } from "recheck"

describe("every pattern applied to untrusted text", () => {
  for (const [name, pattern] of Object.entries(Redaction.patternsOverText)) {
    it(`runs in linear time: ${name}`, () => {
      expect(
        checkSync(pattern.source, pattern.flags.replace("g", "").replace("y", ""), {
          timeout: 60_000,
          // The search for attacks is a random walk; some seeds call a pattern of bounded length polynomial.
          randomSeed: 0
        }).status
      ).toBe("safe")
    })
  }
})
