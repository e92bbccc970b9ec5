import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { MAX_WAIT, mayWait, nextTurn, type ReadKind, type WaitingRead } from "../../src/storage/sql/ReadTurnRules.js"

const NOW = 100_000
const KINDS: ReadonlyArray<ReadKind> = ["list", "chart", "dashboard", "export"]

const kind = fc.constantFrom(...KINDS)
const request = fc.record({ kind, organizationId: fc.integer({ min: 1, max: 4 }) })
const waiting = fc.record({
  kind,
  organizationId: fc.integer({ min: 1, max: 4 }),
  since: fc.integer({ min: NOW - 5000, max: NOW })
})
const places = fc.integer({ min: 1, max: 8 })

const count = (reads: ReadonlyArray<{ readonly kind: ReadKind }>, ...kinds: ReadonlyArray<ReadKind>): number =>
  reads.filter((one) => kinds.includes(one.kind)).length

/** Reads that run after as many turns as there are places for, from an empty start. */
const filled = (queue: ReadonlyArray<WaitingRead>, limit: number) => {
  const left = [...queue]
  const running: Array<WaitingRead> = []
  for (;;) {
    const position = nextTurn(left, running, limit, NOW)
    const [next] = position === undefined ? [] : left.splice(position, 1)
    if (next === undefined) return { left, running }
    running.push(next)
  }
}

describe("turns of reads", () => {
  it("never run more reads than there are places, leave a list one of them, and an export half", () => {
    fc.assert(
      fc.property(fc.array(waiting, { maxLength: 30 }), places, (queue, limit) => {
        const { running } = filled(queue, limit)
        expect(running.length).toBeLessThanOrEqual(limit)
        expect(count(running, "chart", "dashboard", "export")).toBeLessThanOrEqual(Math.max(1, limit - 1))
        expect(count(running, "export")).toBeLessThanOrEqual(Math.max(1, Math.floor(limit / 2)))
      })
    )
  })

  it("leave one of three places or more to other organizations", () => {
    fc.assert(
      fc.property(fc.array(waiting, { maxLength: 30 }), places, (queue, limit) => {
        const { running } = filled(queue, limit)
        for (const organization of [1, 2, 3, 4]) {
          const own = running.filter(({ organizationId }) => organizationId === organization)
          expect(own.length).toBeLessThanOrEqual(limit < 3 ? limit : limit - 1)
        }
        const list: WaitingRead = { kind: "list", organizationId: 5, since: NOW }
        const ofOne = filled(
          queue.map((read) => ({ ...read, organizationId: 1 })),
          limit
        ).running
        if (limit >= 3) expect(nextTurn([list], ofOne, limit, NOW)).toBe(0)
      })
    )
  })

  it("leave no place free while a read waits that may have it", () => {
    fc.assert(
      fc.property(fc.array(waiting, { maxLength: 30 }), places, (queue, limit) => {
        const { left, running } = filled(queue, limit)
        if (running.length === limit) return
        const ownLimit = limit < 3 ? limit : limit - 1
        for (const read of left) {
          const own = running.filter(({ organizationId }) => organizationId === read.organizationId)
          // The organization leaves a place to others, charts and exports leave one to lists, and exports half.
          const isOwnFull = own.length === ownLimit
          const isOwnLongFull = count(own, "chart", "export") === Math.max(1, ownLimit - 1)
          const isLongFull = count(running, "chart", "dashboard", "export") === Math.max(1, limit - 1)
          const isExportFull = count(running, "export") === Math.max(1, limit >> 1)
          expect(
            isOwnFull ||
              (read.kind !== "list" && (isOwnLongFull || isLongFull || (read.kind === "export" && isExportFull)))
          ).toBe(true)
        }
      })
    )
  })

  it("choose the same read whatever the order of the queue, unless two are equal", () => {
    const distinct = fc.uniqueArray(waiting, { maxLength: 20, selector: ({ since }) => since })
    fc.assert(
      fc.property(distinct, fc.array(request, { maxLength: 6 }), places, (queue, running, limit) => {
        const chosen = (of: ReadonlyArray<WaitingRead>) => {
          const position = nextTurn(of, running, limit, NOW)
          return position === undefined ? undefined : of[position]
        }
        expect(chosen(queue.toReversed())).toEqual(chosen(queue))
      })
    )
  })

  it("prefer a list to a chart to an export, then the organization that runs the fewest, then the oldest", () => {
    const at = (of: ReadKind, organizationId = 1, since = NOW): WaitingRead => ({ kind: of, organizationId, since })
    expect(nextTurn([at("export"), at("chart"), at("list")], [], 4, NOW)).toBe(2)
    expect(nextTurn([at("export"), at("chart")], [], 4, NOW)).toBe(1)
    expect(nextTurn([at("list", 1), at("list", 2)], [at("chart", 1)], 4, NOW)).toBe(1)
    expect(nextTurn([at("list", 1, NOW - 1), at("list", 1, NOW - 2)], [], 4, NOW)).toBe(1)
    expect(nextTurn([at("chart", 1)], [at("export", 2)], 1, NOW)).toBeUndefined()
    expect(nextTurn([], [], 4, NOW)).toBeUndefined()
  })

  it("treat a read that has waited a second as what comes before it, so that none waits forever", () => {
    const list: WaitingRead = { kind: "list", organizationId: 1, since: NOW }
    expect(nextTurn([{ kind: "chart", organizationId: 1, since: NOW - 999 }, list], [], 4, NOW)).toBe(1)
    expect(nextTurn([{ kind: "chart", organizationId: 1, since: NOW - 1000 }, list], [], 4, NOW)).toBe(0)
    expect(nextTurn([{ kind: "export", organizationId: 1, since: NOW - 1999 }, list], [], 4, NOW)).toBe(1)
    expect(nextTurn([{ kind: "export", organizationId: 1, since: NOW - 2000 }, list], [], 4, NOW)).toBe(0)
    // A clock that stepped back promotes nothing, and demotes nothing.
    expect(nextTurn([{ kind: "export", organizationId: 1, since: NOW + 9999 }, list], [], 4, NOW)).toBe(1)
  })

  it("let 200 reads wait, and 100 of one organization", () => {
    fc.assert(
      fc.property(fc.array(request, { maxLength: 250 }), request, (queue, one) => {
        const own = queue.filter(({ organizationId }) => organizationId === one.organizationId).length
        expect(mayWait(queue, one)).toBe(queue.length < 200 && own < 100)
      })
    )
    const of = (organizationId: number) => ({ kind: "list" as const, organizationId })
    const ofTwo = (each: number) => Array.from({ length: 2 * each }, (_, n) => of(1 + (n % 2)))
    expect(mayWait(ofTwo(99), of(1))).toBe(true)
    expect(mayWait(ofTwo(100), of(1))).toBe(false)
    expect(mayWait(ofTwo(100), of(3))).toBe(false)
    expect(mayWait(ofTwo(99), of(3))).toBe(true)
  })

  it("wait five seconds, exports thirty", () => {
    expect(MAX_WAIT).toEqual({ list: 5000, chart: 5000, dashboard: 5000, export: 30_000 })
  })
})
