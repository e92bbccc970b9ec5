import * as Redaction from "@earshot/redaction"
import { describe, expect, it } from "@effect/vitest"
import { checkSync } from "recheck"

describe("every pattern applied to untrusted text", () => {
  for (const [name, pattern] of Object.entries(Redaction.patternsOverText)) {
    it(`runs in linear time: ${name}`, () => {
      expect(
        checkSync(pattern.source, pattern.flags.replace("g", "").replace("y", ""), {
          // Only numbers of steps limit the search: it calls a pattern whose matching takes longer than a time limit
          // vulnerable, which any pattern may on a busy machine.
          timeout: null,
          attackTimeout: null,
          incubationTimeout: null,
          seedingTimeout: null,
          // The search for attacks is a random walk; some seeds call a pattern of bounded length polynomial.
          randomSeed: 0
        }).status
      ).toBe("safe")
    })
  }
})
