import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { StorageFault } from "../kernel/Storage.js"
import type {
  Shares,
  SharesQuestion,
  Span,
  Timeline,
  TimelineQuestion,
  Totals,
  TotalsQuestion,
  Types,
  ValuesQuestion
} from "./AnalyticsQuestion.js"

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
      question: TotalsQuestion
    ) => Effect.Effect<Totals, StorageFault>
    readonly types: (
      permit: Permit<"dashboards:read" | "dashboards:write">,
      question: ValuesQuestion
    ) => Effect.Effect<Types, StorageFault>
    readonly span: (
      permit: Permit<"dashboards:read" | "dashboards:write">,
      question: ValuesQuestion
    ) => Effect.Effect<Option.Option<Span>, StorageFault>
    readonly timeline: (
      permit: Permit<"dashboards:read" | "dashboards:write">,
      question: TimelineQuestion
    ) => Effect.Effect<Timeline, StorageFault>
    readonly shares: (
      permit: Permit<"dashboards:read" | "dashboards:write">,
      question: SharesQuestion
    ) => Effect.Effect<Shares, StorageFault>
  }
>() {}
