import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { StorageError } from "../kernel/Storage.js"
import type {
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
 * Answers questions about calls; a project that is not the organisation's has none. What the answers are is said by the
 * functions of the same names in `Answer.ts`; storage agrees with them exactly in every count, key, bucket, minimum and
 * maximum, and up to one part in 10^9 in sums, averages and percentiles, since databases add numbers up in orders of
 * their own.
 */
export class AnalyticsStore extends Context.Tag("@earshot/core/analytics/AnalyticsStore")<
  AnalyticsStore,
  {
    readonly totals: (
      permit: Permit<"dashboards:read" | "dashboards:write">,
      question: TotalsQuery
    ) => Effect.Effect<Totals, StorageError>
    readonly typeCounts: (
      permit: Permit<"dashboards:read" | "dashboards:write">,
      question: ValuesQuery
    ) => Effect.Effect<TypeCounts, StorageError>
    readonly timeRange: (
      permit: Permit<"dashboards:read" | "dashboards:write">,
      question: ValuesQuery
    ) => Effect.Effect<Option.Option<TimeRange>, StorageError>
    readonly timeline: (
      permit: Permit<"dashboards:read" | "dashboards:write">,
      question: TimelineQuery
    ) => Effect.Effect<Timeline, StorageError>
    readonly shares: (
      permit: Permit<"dashboards:read" | "dashboards:write">,
      question: SharesQuery
    ) => Effect.Effect<Shares, StorageError>
  }
>() {}
