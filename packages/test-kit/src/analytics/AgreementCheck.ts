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

/** How far databases may be off, in proportion to the largest number that went in. */
const TOLERANCE = 1e-9

const expectClose = (found: number | null, model: number | null, scale: number, about: unknown) => {
  if (found === null || model === null) {
    expect(found, JSON.stringify(about)).toBe(model)
    return
  }
  // Below the range of normal numbers there is nothing to be in proportion to.
  const agrees = Math.abs(found - model) <= TOLERANCE * scale + Number.MIN_VALUE
  if (!agrees) expect.fail(`The store answers ${found}, and memory ${model}: ${JSON.stringify(about)}`)
}

const magnitude = (values: ReadonlyArray<number>) => values.reduce((most, one) => Math.max(most, Math.abs(one)), 0)

/**
 * Answers from calls in memory, after the store was held to the same answer: exactly in counts, keys, buckets, minima and
 * maxima, up to one part in 10^9 in sums, averages and percentiles, as `AnalyticsStore` promises. It throws where they differ.
 */
export const checkedSource = (
  store: AnalyticsStore["Type"],
  permit: Permit<"dashboards:read">,
  calls: ReadonlyArray<FilterableCall>
): AnalyticsSource<StorageError> => ({
  totals: (question) =>
    Effect.map(store.totals(permit, question), (found) => {
      const model = ReferenceAnalytics.totals(question, calls)
      const { averageDuration, p95Latency, successRate, ...exact } = found
      expect(exact).toEqual({ calls: model.calls })
      expectClose(successRate, model.successRate, 1, question)
      const measures = (values: ReadonlyArray<unknown>) =>
        values.filter((value): value is number => typeof value === "number" && Math.abs(value) <= 1e100)
      expectClose(
        averageDuration,
        model.averageDuration,
        magnitude(measures(calls.map((one) => one.duration))),
        question
      )
      const latencies = calls.flatMap((call) => call.evaluations.map(({ value }) => value))
      expectClose(p95Latency, model.p95Latency, magnitude(measures(latencies)), question)
      return model
    }),
  typeCounts: (question) =>
    Effect.map(store.typeCounts(permit, question), (found) => {
      const model = ReferenceAnalytics.typeCounts(question, calls)
      expect(found).toEqual(model)
      return model
    }),
  timeRange: (question) =>
    Effect.map(store.timeRange(permit, question), (found) => {
      const model = Option.fromNullable(ReferenceAnalytics.timeRange(question, calls))
      expect(found).toEqual(model)
      return model
    }),
  timeline: (question) =>
    Effect.map(store.timeline(permit, question), (found) => {
      const model = ReferenceAnalytics.timeline(question, calls)
      const place = ({ at, group }: AnalyticsQuery.Cell) => `${group} at ${at}`
      const exact = ({ cells, ...timeline }: AnalyticsQuery.Timeline) => ({
        ...timeline,
        cells: cells.map((cell) => `${place(cell)}: ${cell.count}`).sort()
      })
      expect(exact(found)).toEqual(exact(model))
      const scaleOf = (aggregate: "min" | "max") =>
        new Map(ReferenceAnalytics.timeline({ ...question, aggregate }, calls).cells.map((cell) => [place(cell), cell]))
      const isExact = ["count", "min", "max"].includes(question.aggregate)
      const [least, most] = isExact ? [] : [scaleOf("min"), scaleOf("max")]
      const values = new Map(model.cells.map((cell) => [place(cell), cell.value]))
      for (const cell of found.cells) {
        const [low, high] = [least?.get(place(cell)), most?.get(place(cell))]
        const scale = magnitude([low?.value ?? 0, high?.value ?? 0]) * (question.aggregate === "sum" ? cell.count : 1)
        expectClose(cell.value, values.get(place(cell)) ?? null, scale, question)
      }
      return model
    }),
  shares: (question) =>
    Effect.map(store.shares(permit, question), (found) => {
      const model = ReferenceAnalytics.shares(question, calls)
      expect(found).toEqual(model)
      return model
    })
})
