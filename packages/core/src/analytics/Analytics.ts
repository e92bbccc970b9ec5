import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { StorageError } from "../kernel/Storage.js"
import type { ChartPermit } from "./AnalyticsQuery.js"
import { AnalyticsStore } from "./AnalyticsStore.js"
import type { ChartQuery } from "./Chart.js"
import { chartData } from "./ChartData.js"
import type { WidgetData } from "./WidgetData.js"

/** The data of charts, from the analytics store. */
export class Analytics extends Context.Tag("@earshot/core/analytics/Analytics")<
  Analytics,
  {
    readonly chart: (permit: ChartPermit, query: ChartQuery) => Effect.Effect<WidgetData, StorageError>
    /** The data of each, of the calls as they are at one moment. */
    readonly charts: (
      permit: ChartPermit,
      queries: ReadonlyArray<ChartQuery>
    ) => Effect.Effect<ReadonlyArray<WidgetData>, StorageError>
  }
>() {}

export const layer = Layer.effect(
  Analytics,
  Effect.map(AnalyticsStore, (store) => {
    const dataOf = (permit: ChartPermit) => (query: ChartQuery) =>
      chartData(query, {
        totals: (totals) => store.totals(permit, totals),
        typeCounts: (values) => store.typeCounts(permit, values),
        timeRange: (values) => store.timeRange(permit, values),
        timeline: (timeline) => store.timeline(permit, timeline),
        shares: (shares) => store.shares(permit, shares)
      })
    return Analytics.of({
      chart: Effect.fn("Analytics.chart")((permit: ChartPermit, query: ChartQuery) =>
        store.inSnapshot(permit, "chart", dataOf(permit)(query))
      ),
      charts: Effect.fn("Analytics.charts")((permit: ChartPermit, queries: ReadonlyArray<ChartQuery>) =>
        store.inSnapshot(permit, "dashboard", Effect.forEach(queries, dataOf(permit)))
      )
    })
  })
)
