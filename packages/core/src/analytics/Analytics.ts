import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Permit } from "../access/Permit.js"
import type { StorageError } from "../kernel/Storage.js"
import { AnalyticsStore } from "./AnalyticsStore.js"
import type { ChartQuery } from "./Chart.js"
import { chartData } from "./ChartData.js"
import type { WidgetData } from "./WidgetData.js"

/** A preview shows what nobody has put on a dashboard, so that it takes the right to put it there. */
export type ChartPermit = Permit<"dashboards:read" | "dashboards:write">

/** What charts show. Where the numbers come from is the store's affair: nothing above this service knows it. */
export class Analytics extends Context.Tag("@earshot/core/analytics/Analytics")<
  Analytics,
  { readonly chart: (permit: ChartPermit, question: ChartQuery) => Effect.Effect<WidgetData, StorageError> }
>() {}

export const layer = Layer.effect(
  Analytics,
  Effect.map(AnalyticsStore, (store) =>
    Analytics.of({
      chart: Effect.fn("Analytics.chart")((permit: ChartPermit, question: ChartQuery) =>
        chartData(question, {
          totals: (asked) => store.totals(permit, asked),
          typeCounts: (asked) => store.typeCounts(permit, asked),
          timeRange: (asked) => store.timeRange(permit, asked),
          timeline: (asked) => store.timeline(permit, asked),
          shares: (asked) => store.shares(permit, asked)
        })
      )
    })
  )
)
