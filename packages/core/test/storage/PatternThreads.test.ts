import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Regex from "../../src/filters/Regex.js"
import { installed } from "../../src/kernel/InstalledModule.js"
import { make } from "../../src/storage/sql/PatternThreads.js"

const re2 = installed("re2js") ?? ""

describe("patterns tested in threads", () => {
  it.scopedLive("match the same values as in process, in their order", () =>
    Effect.gen(function* () {
      const test = yield* make(re2, 2)
      const values = fc.sample(fc.string({ unit: "grapheme", maxLength: 12 }), { numRuns: 400, seed: 7 })
      yield* Effect.forEach(
        ["a", "^.{3}$", "[0-9]+", "(?i)É", "", "x|y|z", "\\p{L}{2}"],
        (pattern) =>
          Effect.gen(function* () {
            const isMatch = Either.getOrThrow(Regex.compile(pattern))
            const lists = [JSON.stringify(values.slice(0, 150)), JSON.stringify(values.slice(150))]
            expect(yield* test(pattern, lists)).toEqual(values.filter(isMatch))
            expect(yield* test(pattern, [])).toEqual([])
          }),
        { concurrency: 4, discard: true }
      )
    })
  )

  it.scopedLive("are ended with their thread when the caller waits no longer, and tested again by another", () =>
    Effect.gen(function* () {
      const test = yield* make(re2, 1)
      const slow = Array.from({ length: 40 }, (_, n) => JSON.stringify([`c${n}${"ab".repeat(200_000)}`]))
      const turns = { count: 0 }
      const timer = setInterval(() => turns.count++, 5)
      const ended = yield* Effect.timeoutOption(test("a[ab]{300}c", slow), "150 millis")
      clearInterval(timer)
      expect(ended._tag).toBe("None")
      // The main thread went on.
      expect(turns.count).toBeGreaterThan(5)
      expect(yield* test("^b$", ['["b","a"]'])).toEqual(["b"])
    })
  )
})
