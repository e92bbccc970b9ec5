import { claimableOrganizations, OrganizationId, quotasOf } from "@earshot/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const org = (id: number) => OrganizationId.make(id)

const capacity = fc.record({ concurrency: fc.integer({ min: 1, max: 12 }), reserve: fc.nat({ max: 6 }) })

/** How many jobs organizations run, and which of them wait. */
const state = fc
  .uniqueArray(fc.record({ id: fc.integer({ min: 1, max: 30 }), runs: fc.nat({ max: 5 }), waits: fc.boolean() }), {
    selector: ({ id }) => id,
    maxLength: 12
  })
  .map((organizations) => ({
    running: new Map(organizations.filter(({ runs }) => runs > 0).map(({ id, runs }) => [org(id), runs])),
    waiting: organizations.filter(({ waits }) => waits).map(({ id }) => org(id))
  }))

const sum = (counts: Iterable<number>) => [...counts].reduce((total, one) => total + one, 0)

describe("quotas of a claim", () => {
  it("fill the concurrency where anybody waits, and never exceed it but by the reserve", () => {
    fc.assert(
      fc.property(capacity, state, (limits, { running, waiting }) => {
        const quotas = quotasOf(limits, running, waiting)
        const before = sum(running.values())
        const after = before + sum(quotas.map(({ limit }) => limit))
        expect(after).toBeLessThanOrEqual(Math.max(before, limits.concurrency + limits.reserve))
        if (waiting.length > 0) expect(after).toBeGreaterThanOrEqual(limits.concurrency)
        for (const { limit, organizationId } of quotas) {
          expect(limit).toBeGreaterThan(0)
          expect(waiting).toContain(organizationId)
        }
        if (claimableOrganizations(limits, running) === 0) expect(quotas).toEqual([])
      })
    )
  })

  it("use the reserve only for organizations that run nothing", () => {
    fc.assert(
      fc.property(capacity, state, (limits, { running, waiting }) => {
        const withoutReserve = new Map(
          quotasOf({ ...limits, reserve: 0 }, running, waiting).map((one) => [one.organizationId, one.limit])
        )
        for (const { limit, organizationId } of quotasOf(limits, running, waiting)) {
          const ordinary = withoutReserve.get(organizationId) ?? 0
          if (limit > ordinary) expect([limit, ordinary, running.get(organizationId) ?? 0]).toEqual([1, 0, 0])
        }
      })
    )
  })

  it("give no organization a second job more than one that waits as well", () => {
    fc.assert(
      fc.property(capacity, state, (limits, { running, waiting }) => {
        const given = new Map(quotasOf(limits, running, waiting).map((one) => [one.organizationId, one.limit]))
        for (const one of waiting) {
          for (const other of waiting) {
            const quota = given.get(one) ?? 0
            if (quota === 0) continue
            const mine = (running.get(one) ?? 0) + quota
            const theirs = (running.get(other) ?? 0) + (given.get(other) ?? 0)
            expect(mine).toBeLessThanOrEqual(theirs + 1)
          }
        }
      })
    )
  })

  it("serve every waiting organization within as many claims as organizations wait", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { minLength: 1, maxLength: 15 }),
        fc.nat({ max: 50 }),
        (concurrency, ids, turn) => {
          // All jobs end between two claims, and every organization always has more of them.
          const served = new Set<number>()
          let last = turn
          for (const _ of ids) {
            const sorted = ids.toSorted((a, b) => a - b)
            const turns = [...sorted.filter((id) => id > last), ...sorted.filter((id) => id <= last)]
            const offered = turns.slice(0, claimableOrganizations({ concurrency, reserve: 0 }, new Map())).map(org)
            for (const { organizationId } of quotasOf({ concurrency, reserve: 0 }, new Map(), offered)) {
              served.add(organizationId)
              last = organizationId
            }
          }
          expect([...served].toSorted((a, b) => a - b)).toEqual(ids.toSorted((a, b) => a - b))
        }
      )
    )
  })

  it("give an organization whose jobs all run long no more than the concurrency, and another one a slot at once", () => {
    const long = new Map([[org(1), 4]])
    expect(quotasOf({ concurrency: 4, reserve: 4 }, long, [org(1)])).toEqual([])
    expect(quotasOf({ concurrency: 4, reserve: 4 }, long, [org(1), org(2)])).toEqual([{ organizationId: 2, limit: 1 }])
    expect(quotasOf({ concurrency: 4, reserve: 0 }, new Map([[org(1), 1]]), [org(1), org(2)])).toEqual([
      { organizationId: 1, limit: 1 },
      { organizationId: 2, limit: 2 }
    ])
  })
})
