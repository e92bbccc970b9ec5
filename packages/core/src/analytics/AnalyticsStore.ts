import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { StorageError } from "../kernel/Storage.js"
import type {
  ChartPermit,
  Shares,
  SharesQuery,
  TimeRange,
  Timeline,
  TimelineQuery,
  Totals,
  TotalsQuery,
  TypeCounts,
  ValuesQuery
} from "./AnalyticsQuery.js"

/**
 * Port: analytics queries over calls. A project of another organization has no calls. `ReferenceAnalytics` in the test kit
 * defines the results: counts, keys, buckets, minima and maxima are equal to its own; sums, averages and percentiles agree
 * up to a relative error of 1e-9, because databases add numbers in different orders.
 */
export class AnalyticsStore extends Context.Tag("@earshot/core/analytics/AnalyticsStore")<
  AnalyticsStore,
  {
    /**
     * Runs questions, all charts of a dashboard or the one of a widget: each is answered from the calls as they are at the
     * same moment, and together they wait for one turn.
     */
    readonly inSnapshot: <A, E, R>(
      permit: ChartPermit,
      of: "chart" | "dashboard",
      questions: Effect.Effect<A, E, R>
    ) => Effect.Effect<A, E | StorageError, R>
    readonly totals: (permit: ChartPermit, query: TotalsQuery) => Effect.Effect<Totals, StorageError>
    readonly typeCounts: (permit: ChartPermit, query: ValuesQuery) => Effect.Effect<TypeCounts, StorageError>
    readonly timeRange: (
      permit: ChartPermit,
      query: ValuesQuery
    ) => Effect.Effect<Option.Option<TimeRange>, StorageError>
    readonly timeline: (permit: ChartPermit, query: TimelineQuery) => Effect.Effect<Timeline, StorageError>
    readonly shares: (permit: ChartPermit, query: SharesQuery) => Effect.Effect<Shares, StorageError>
  }
>() {}
