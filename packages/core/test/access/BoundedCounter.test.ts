import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeBoundedCounter } from "../../src/access/BoundedCounter.js"

describe("the counter with bounded memory", () => {
  it("counts a subject from its first count until the window ends", () => {
    const counter = makeBoundedCounter(1_000, 10)
    expect(counter.add("a", 0)).toEqual({ count: 1, remainingMillis: 1_000 })
    expect(counter.add("a", 999)).toEqual({ count: 2, remainingMillis: 1 })
    expect(counter.read("a", 999)).toEqual({ count: 2, remainingMillis: 1 })
    expect(counter.read("a", 1_000)).toEqual({ count: 0, remainingMillis: 0 })
    expect(counter.add("a", 1_000)).toEqual({ count: 1, remainingMillis: 1_000 })
  })

  it("forgets the subject whose window began first when it is full", () => {
    const counter = makeBoundedCounter(1_000, 2)
    for (const subject of ["a", "b", "a", "c"]) counter.add(subject, 0)
    expect(["a", "b", "c"].map((subject) => counter.read(subject, 1).count)).toEqual([0, 1, 1])
  })

  it("counts like a list of times, for any order of subjects, while it is not full", () => {
    const attempts = fc.array(fc.tuple(fc.constantFrom("a", "b", "c"), fc.integer({ min: 0, max: 400 })))
    fc.assert(
      fc.property(attempts, (steps) => {
        const counter = makeBoundedCounter(1_000, 3)
        const windows = new Map<string, { start: number; count: number }>()
        let now = 0
        for (const [subject, later] of steps) {
          now += later
          const window = windows.get(subject)
          if (window === undefined || now >= window.start + 1_000) windows.set(subject, { start: now, count: 1 })
          else window.count++
          expect(counter.add(subject, now).count).toBe(windows.get(subject)?.count)
        }
      })
    )
  })
})
