import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Permit } from "../access/Permit.js"
import type { StorageFault } from "../kernel/Storage.js"
import { AnalyticsStore } from "./AnalyticsStore.js"
import type { ChartQuestion } from "./Chart.js"
import { answer } from "./ChartAnswer.js"
import type { WidgetData } from "./WidgetData.js"

/** A preview shows what nobody has put on a dashboard, so that it takes the right to put it there. */
export type Shows = Permit<"dashboards:read" | "dashboards:write">

/** What charts show. Where the numbers come from is the store's affair: nothing above this service knows it. */
export class Analytics extends Context.Tag("@earshot/core/analytics/Analytics")<
  Analytics,
  { readonly chart: (permit: Shows, question: ChartQuestion) => Effect.Effect<WidgetData, StorageFault> }
>() {}

export const layer = Layer.effect(
  Analytics,
  Effect.map(AnalyticsStore, (store) =>
    Analytics.of({
      chart: Effect.fn("Analytics.chart")((permit: Shows, question: ChartQuestion) =>
        answer(question, {
          totals: (asked) => store.totals(permit, asked),
          types: (asked) => store.types(permit, asked),
          span: (asked) => store.span(permit, asked),
          timeline: (asked) => store.timeline(permit, asked),
          shares: (asked) => store.shares(permit, asked)
        })
      )
    })
  )
)
