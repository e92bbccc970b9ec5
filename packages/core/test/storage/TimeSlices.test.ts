import { Buckets, type TimePeriod } from "@earshot/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isReadAlongTime, slicesOf, timeConditions } from "../../src/storage/sql/TimeSlices.js"

const day = { by: "period", period: "day" } as const
const at = (iso: string) => new Date(iso).getTime()

const instant = fc.integer({ min: at("0001-01-01T00:00:00.000Z"), max: at("9999-12-31T23:59:59.999Z") })
const bucket: fc.Arbitrary<Buckets.Bucket> = fc.oneof(
  fc.constantFrom<TimePeriod>("hour", "day", "week", "month").map((period) => ({ by: "period", period }) as const),
  fc.integer({ min: 1, max: 366 * 86_400_000 }).map((milliseconds) => ({ by: "interval", milliseconds }) as const)
)

const leaf = (field: string) => ({ field, op: "gte", value: 1 }) as const

describe("the buckets from the first to the last call", () => {
  it("follow each other without gaps, and each time is in its own", () => {
    const range = fc
      .tuple(bucket, instant, fc.integer({ min: 0, max: 90 * 86_400_000 }), fc.double({ min: 0, max: 1, noNaN: true }))
      .map(([of, first, span, share]) => ({ of, first, last: first + span, within: first + Math.floor(span * share) }))
    fc.assert(
      fc.property(range, ({ first, last, of, within }) => {
        const slices = slicesOf(of, { first, last })
        if (slices === undefined) return
        expect(slices[0]?.[0]).toBe(Buckets.bucketStart(of, first))
        expect(slices.at(-1)?.[0]).toBe(Buckets.bucketStart(of, last))
        slices.slice(1).forEach(([low], before) => expect(low).toBe(slices[before]?.[1]))
        const own = slices.filter(([low, high]) => low <= within && within < high)
        expect(own.map(([low]) => low)).toEqual([Buckets.bucketStart(of, within)])
      })
    )
  })

  it("are not listed beyond as many as a chart has", () => {
    const first = at("2026-01-01T00:00:00.000Z")
    expect(slicesOf(day, { first, last: first + 1000 * 86_400_000 - 1 })).toHaveLength(1000)
    expect(slicesOf(day, { first, last: first + 1000 * 86_400_000 })).toBeUndefined()
  })
})

describe("a filter", () => {
  it("bounds the time by those of its conditions that all hold and are about time alone", () => {
    const time = leaf("timestamp")
    const either = { operator: "or", conditions: [time, leaf("duration")] } as const
    expect(timeConditions(null)).toBeNull()
    expect(timeConditions(either)).toBeNull()
    expect(timeConditions({ operator: "and", conditions: [leaf("duration"), either, time] })).toEqual({
      operator: "and",
      conditions: [time]
    })
  })

  it("is left to other indexes where it names ids, agents or evaluations, however deep", () => {
    expect(isReadAlongTime(null)).toBe(true)
    expect(isReadAlongTime({ operator: "or", conditions: [leaf("duration"), leaf("metadata.region")] })).toBe(true)
    for (const field of ["id", "agent.id", "agent.agent_name", "metric_evaluations.value"]) {
      expect(isReadAlongTime({ operator: "and", conditions: [leaf("duration"), leaf(field)] })).toBe(false)
    }
  })
})
