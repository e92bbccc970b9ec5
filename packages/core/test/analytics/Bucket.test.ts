import { Buckets, type TimePeriod } from "@earshot/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const { bucketStart, nextBucket, periodFor } = Buckets

const at = (iso: string) => new Date(iso).getTime()
const iso = (millis: number) => new Date(millis).toISOString()

/** All that a timestamp can be. */
const instant = fc.integer({ min: at("0001-01-01T00:00:00.000Z"), max: at("9999-12-31T23:59:59.999Z") })
const bucket: fc.Arbitrary<Buckets.Bucket> = fc.oneof(
  fc.constantFrom<TimePeriod>("hour", "day", "week", "month").map((period) => ({ by: "period", period }) as const),
  fc.integer({ min: 1, max: 366 * 86_400_000 }).map((milliseconds) => ({ by: "interval", milliseconds }) as const)
)

describe("a bucket", () => {
  const start = (period: "hour" | "day" | "week" | "month", of: string) =>
    iso(bucketStart({ by: "period", period }, at(of)))

  it("starts at the calendar boundary in UTC", () => {
    const moment = "2026-03-01T23:59:59.999Z"
    expect(start("hour", moment)).toBe("2026-03-01T23:00:00.000Z")
    expect(start("day", moment)).toBe("2026-03-01T00:00:00.000Z")
    expect(start("month", moment)).toBe("2026-03-01T00:00:00.000Z")
    expect(start("month", "2024-02-29T12:00:00Z")).toBe("2024-02-01T00:00:00.000Z")
    expect(start("month", "0099-12-31T12:00:00Z")).toBe("0099-12-01T00:00:00.000Z")
  })

  it("of a week starts on Monday, also across years and before 1970", () => {
    expect(start("week", "2026-03-01T23:59:59.999Z")).toBe("2026-02-23T00:00:00.000Z")
    expect(start("week", "2027-01-01T00:00:00Z")).toBe("2026-12-28T00:00:00.000Z")
    expect(start("week", "1969-12-31T00:00:00Z")).toBe("1969-12-29T00:00:00.000Z")
    expect(start("week", "1969-12-28T23:59:59.999Z")).toBe("1969-12-22T00:00:00.000Z")
  })

  it("of seven days is an ISO week, and of one day a calendar day", () => {
    const interval = (milliseconds: number, of: string) => iso(bucketStart({ by: "interval", milliseconds }, at(of)))
    expect(interval(7 * 86_400_000, "2026-03-01T23:59:59Z")).toBe("2026-02-23T00:00:00.000Z")
    expect(interval(86_400_000, "2026-03-01T23:59:59Z")).toBe("2026-03-01T00:00:00.000Z")
    expect(interval(900_000, "2026-03-01T23:59:59Z")).toBe("2026-03-01T23:45:00.000Z")
  })

  it("contains the times from its start until the start of the next", () => {
    fc.assert(
      fc.property(bucket, instant, (bucket, at) => {
        const start = bucketStart(bucket, at)
        const next = nextBucket(bucket, start)
        return start <= at && at < next && bucketStart(bucket, start) === start && bucketStart(bucket, next) === next
      })
    )
  })
})

describe("the inferred period of a line chart", () => {
  const between = (first: string, last: string) => periodFor(at(first), at(last))

  it("is the shortest that gives at most 100 points", () => {
    expect(between("2026-03-01T00:00:00Z", "2026-03-01T00:00:00Z")).toBe("hour")
    expect(between("2026-03-01T00:00:00Z", "2026-03-05T03:59:59Z")).toBe("hour")
    expect(between("2026-03-01T00:00:00Z", "2026-03-05T04:00:00Z")).toBe("day")
    expect(between("2026-01-01T00:00:00Z", "2026-04-10T23:00:00Z")).toBe("day")
    expect(between("2026-01-01T00:00:00Z", "2026-04-11T00:00:00Z")).toBe("week")
    expect(between("2024-01-01T00:00:00Z", "2026-01-01T00:00:00Z")).toBe("month")
  })

  it("never gives more than 100 points, except in months", () => {
    fc.assert(
      fc.property(instant, instant, (a, b) => {
        const [first, last] = [Math.min(a, b), Math.max(a, b)]
        const period = periodFor(first, last)
        const bucket = { by: "period", period } as const
        let points = 0
        for (let at = bucketStart(bucket, first); at <= last && points <= 100; at = nextBucket(bucket, at)) points++
        return period === "month" || points <= 100
      })
    )
  })
})
