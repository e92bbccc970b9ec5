import {
  type AnalyticsQuery,
  type AnalyticsStore,
  type AnalyticsSource,
  type Permit,
  type StorageError
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { expect } from "vitest"
import * as ReferenceAnalytics from "./ReferenceAnalytics.js"
import type { FilterableCall } from "../filters/FilterableCall.js"

/** The tolerated difference, relative to the largest input. */
const TOLERANCE = 1e-9

const expectClose = (found: number | null, expected: number | null, scale: number, about: unknown) => {
  if (found === null || expected === null) {
    expect(found, JSON.stringify(about)).toBe(expected)
    return
  }
  // Subnormal numbers have no relative precision.
  const agrees = Math.abs(found - expected) <= TOLERANCE * scale + Number.MIN_VALUE
  if (!agrees)
    expect.fail(`The store returns ${found}, the reference implementation ${expected}: ${JSON.stringify(about)}`)
}

const magnitude = (values: ReadonlyArray<number>) => values.reduce((most, one) => Math.max(most, Math.abs(one)), 0)

/**
 * The reference implementation over calls in memory, which also queries a store and fails if the results differ: exactly in
 * counts, keys, buckets, minima and maxima, up to a relative error of 1e-9 in sums, averages and percentiles.
 */
export const checkedSource = (
  store: AnalyticsStore["Type"],
  permit: Permit<"dashboards:read">,
  calls: ReadonlyArray<FilterableCall>
): AnalyticsSource<StorageError> => ({
  totals: (query) =>
    Effect.map(store.totals(permit, query), (found) => {
      const expected = ReferenceAnalytics.totals(query, calls)
      const { averageDuration, p95CallLatency, p95Latency, successRate, ...exact } = found
      expect(exact).toEqual({ calls: expected.calls })
      expectClose(successRate, expected.successRate, 1, query)
      const measures = (values: ReadonlyArray<unknown>) =>
        values.filter((value): value is number => typeof value === "number" && Math.abs(value) <= 1e100)
      expectClose(
        averageDuration,
        expected.averageDuration,
        magnitude(measures(calls.map((one) => one.duration))),
        query
      )
      const evaluations = calls.flatMap((call) => call.evaluations)
      const latencies = evaluations.flatMap(({ answerLatencies = [] }) => answerLatencies)
      expectClose(p95Latency, expected.p95Latency, magnitude(latencies), query)
      const callLatencies = measures(evaluations.map(({ value }) => value))
      expectClose(p95CallLatency, expected.p95CallLatency, magnitude(callLatencies), query)
      return expected
    }),
  typeCounts: (query) =>
    Effect.map(store.typeCounts(permit, query), (found) => {
      const expected = ReferenceAnalytics.typeCounts(query, calls)
      expect(found).toEqual(expected)
      return expected
    }),
  timeRange: (query) =>
    Effect.map(store.timeRange(permit, query), (found) => {
      const expected = Option.fromNullable(ReferenceAnalytics.timeRange(query, calls))
      expect(found).toEqual(expected)
      return expected
    }),
  timeline: (query) =>
    Effect.map(store.timeline(permit, query), (found) => {
      const expected = ReferenceAnalytics.timeline(query, calls)
      const place = ({ at, group }: AnalyticsQuery.Cell) => `${group} at ${at}`
      const exact = ({ cells, ...timeline }: AnalyticsQuery.Timeline) => ({
        ...timeline,
        cells: cells.map((cell) => `${place(cell)}: ${cell.count}`).sort()
      })
      expect(exact(found)).toEqual(exact(expected))
      const scaleOf = (aggregate: "min" | "max") =>
        new Map(ReferenceAnalytics.timeline({ ...query, aggregate }, calls).cells.map((cell) => [place(cell), cell]))
      const isExact = ["count", "min", "max"].includes(query.aggregate)
      const [least, most] = isExact ? [] : [scaleOf("min"), scaleOf("max")]
      const values = new Map(expected.cells.map((cell) => [place(cell), cell.value]))
      for (const cell of found.cells) {
        const [low, high] = [least?.get(place(cell)), most?.get(place(cell))]
        const scale = magnitude([low?.value ?? 0, high?.value ?? 0]) * (query.aggregate === "sum" ? cell.count : 1)
        expectClose(cell.value, values.get(place(cell)) ?? null, scale, query)
      }
      return expected
    }),
  shares: (query) =>
    Effect.map(store.shares(permit, query), (found) => {
      const expected = ReferenceAnalytics.shares(query, calls)
      expect(found).toEqual(expected)
      return expected
    })
})
