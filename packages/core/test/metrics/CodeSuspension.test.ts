import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { afterRun, type CodeHistory, suspendedUntil, SUSPENSION, TIMEOUTS } from "../../src/metrics/CodeSuspension.js"

const replay = (runs: ReadonlyArray<boolean>, source = "x", now = 0): CodeHistory | undefined =>
  runs.reduce<CodeHistory | undefined>((history, isTimeout) => afterRun(history, { source, isTimeout }, now), undefined)

describe("suspension of custom code", () => {
  it("begins after three timeouts in a row, and any other outcome starts the count anew", () => {
    fc.assert(
      fc.property(fc.array(fc.boolean(), { maxLength: 12 }), (runs) => {
        const last = runs.length - 1 - runs.lastIndexOf(false)
        const inRow = runs.lastIndexOf(false) === -1 ? runs.length : last
        expect(suspendedUntil(replay(runs), "x", 0)).toBe(inRow >= TIMEOUTS ? SUSPENSION : undefined)
      })
    )
  })

  it("ends by itself, and one more timeout begins it again", () => {
    const history = replay([true, true, true])
    expect(suspendedUntil(history, "x", SUSPENSION - 1)).toBe(SUSPENSION)
    expect(suspendedUntil(history, "x", SUSPENSION)).toBeUndefined()
    const again = afterRun(history, { source: "x", isTimeout: true }, SUSPENSION)
    expect(suspendedUntil(again, "x", SUSPENSION)).toBe(2 * SUSPENSION)
    expect(afterRun(history, { source: "x", isTimeout: false }, SUSPENSION)).toBeUndefined()
  })

  it("does not apply to changed code", () => {
    const history = replay([true, true, true])
    expect(suspendedUntil(history, "y", 0)).toBeUndefined()
    expect(afterRun(history, { source: "y", isTimeout: true }, 0)).toEqual({
      source: "y",
      timeouts: 1,
      suspendedUntil: null
    })
  })
})
