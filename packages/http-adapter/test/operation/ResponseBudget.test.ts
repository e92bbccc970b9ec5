import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { jsonParts } from "../../src/JsonParts.js"
import { makeResponseBudget, type ResponseLease } from "../../src/ResponseBudget.js"

const limits = { organizationResponseBytes: 100, responseBytes: 250 }

type Step =
  | { readonly do: "open"; readonly organization: number }
  | { readonly do: "reserve" | "take" | "release"; readonly lease: number; readonly bytes: number }
  | { readonly do: "close"; readonly lease: number }

const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ do: fc.constant("open" as const), organization: fc.integer({ min: 1, max: 3 }) }),
  fc.record({
    do: fc.constantFrom("reserve" as const, "take" as const, "release" as const),
    lease: fc.nat(9),
    bytes: fc.nat(150)
  }),
  fc.record({ do: fc.constant("close" as const), lease: fc.nat(9) })
)

interface Held {
  readonly organization: number
  readonly lease: ResponseLease
  closed: boolean
}

describe("the budget of response bytes", () => {
  it("is the sum of what leases hold, is never negative, and is empty once all are closed", () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const budget = makeResponseBudget(limits)
        const leases: Array<Held> = []
        const sum = (of: ReadonlyArray<Held>) => of.reduce((bytes, { lease }) => bytes + lease.held(), 0)
        for (const one of steps) {
          if (one.do === "open") {
            leases.push({ organization: one.organization, lease: budget.open(one.organization), closed: false })
            continue
          }
          const held = leases[one.lease]
          if (held === undefined) continue
          const { lease, organization } = held
          const ofOrganization = sum(leases.filter((other) => other.organization === organization))
          const total = budget.bytesInFlight()
          const before = lease.held()
          if (one.do === "close") {
            lease.close()
            held.closed = true
            expect(lease.held()).toBe(0)
          } else if (one.do === "release") {
            lease.release(one.bytes)
            expect(lease.held()).toBe(Math.max(0, before - one.bytes))
          } else if (one.do === "take") {
            lease.take(one.bytes)
            expect(lease.held()).toBe(held.closed ? 0 : before + one.bytes)
          } else {
            const error = lease.reserve(one.bytes)
            const fits = ofOrganization + one.bytes <= limits.organizationResponseBytes || ofOrganization === 0
            const allFits = total + one.bytes <= limits.responseBytes || total === 0
            expect(error === undefined).toBe(!held.closed && fits && allFits)
            expect(lease.held()).toBe(error === undefined ? before + one.bytes : before)
            if (error !== undefined && !held.closed && !fits) expect(error.of).toBe("organization")
          }
          expect(lease.held()).toBeGreaterThanOrEqual(0)
          expect(budget.bytesInFlight()).toBe(sum(leases))
        }
        for (const { lease } of leases) lease.close()
        for (const { lease } of leases) lease.close()
        expect(budget.bytesInFlight()).toBe(0)
      })
    )
  })
})

describe("JSON in parts", () => {
  it("is the JSON of the whole value", () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 7 }), (value) => {
        expect([...jsonParts(value)].join("")).toBe(JSON.stringify(value))
      })
    )
    const sparse = { a: undefined, b: [undefined, 1], c: {}, d: [], e: { f: undefined }, g: new Date(0) }
    expect([...jsonParts(sparse)].join("")).toBe(JSON.stringify(sparse))
  })

  it("has no part that is much longer than its longest text", () => {
    const page = { next: null, results: Array.from({ length: 50 }, (_, n) => ({ id: n, text: "x".repeat(10_000) })) }
    const parts = [...jsonParts(page)]
    expect(parts.length).toBeGreaterThan(5)
    expect(Math.max(...parts.map((part) => part.length))).toBeLessThan(64 * 1024 + 10_100)
  })
})
