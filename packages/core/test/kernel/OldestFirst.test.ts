import * as fc from "fast-check"
import { expect, it } from "vitest"
import { makeRemoveOldest } from "../../src/kernel/OldestFirst.js"

const step = fc.oneof(
  fc.record({ kind: fc.constantFrom("set" as const, "delete" as const), key: fc.integer({ min: 0, max: 30 }) }),
  fc.record({ kind: fc.constantFrom("oldest" as const, "clear" as const), key: fc.constant(0) })
)

it("removes what was inserted first, as a list does", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 200 }), (steps) => {
      const entries = new Map<number, number>()
      const removeOldest = makeRemoveOldest(entries)
      let expected: Array<number> = []
      for (const { key, kind } of steps) {
        if (kind === "oldest") {
          removeOldest()
          expected.shift()
        } else if (kind === "clear") {
          entries.clear()
          expected = []
        } else if (kind === "delete") {
          entries.delete(key)
          expected = expected.filter((one) => one !== key)
        } else if (!entries.has(key)) {
          entries.set(key, key)
          expected.push(key)
        }
        expect([...entries.keys()]).toEqual(expected)
      }
    })
  )
})
