/**
 * What a column store keeps of calls, so that it answers the questions of charts: a projection of the primary database,
 * which can be made again from it at any time. See docs/decisions/0315-column-store.md.
 */
import { createHash } from "node:crypto"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { AgentId, CallId, MetricId, OrganizationId, ProjectId } from "../kernel/Ids.js"
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

/** A metric's value for a call. At most one of the two values is set: `number` and `boolean` (0, 1), or `text`. */
export interface ProjectedEvaluation {
  readonly metricId: MetricId
  readonly valueKind: "number" | "boolean" | "text" | "null"
  readonly valueNumber: number | null
  readonly valueText: string | null
  /** How long the agent took for each of its answers, in milliseconds, if the metric measures that; else empty. */
  readonly answerLatenciesMs: ReadonlyArray<number>
}

/**
 * What charts and filters read of a call. Names of agents and metrics are not part of it: renaming an agent would rewrite
 * millions of rows. They are read from the primary database with each question (`ResourceNames`).
 */
export interface ProjectedCall {
  readonly id: CallId
  readonly organizationId: OrganizationId
  readonly projectId: ProjectId
  readonly agentId: AgentId
  /** Epoch milliseconds. */
  readonly timestampMs: number
  readonly durationSeconds: number | null
  readonly success: boolean | null
  readonly isReviewed: boolean
  readonly callId: string
  /** Empty if the call has none. */
  readonly traceId: string
  readonly customerNumber: string | null
  readonly callEndedReason: string | null
  readonly dropoffPoint: string | null
  readonly topic: string | null
  readonly feedback: string | null
  /** JSON text, or null. */
  readonly metadata: string | null
  /** JSON text, or null. */
  readonly dynamicVariables: string | null
  readonly evaluations: ReadonlyArray<ProjectedEvaluation>
  /** Not lower than in earlier projections of this call. A lower one is ignored. A safe integer of at least 0. */
  readonly version: number
}

/** Calls as they are now, and the ids of calls that are gone. An id is in one of the lists, once. */
export interface ProjectedChanges {
  readonly upserts: ReadonlyArray<ProjectedCall>
  readonly deletes: ReadonlyArray<CallId>
}

/** What `scan` reads of a stored call. */
export interface ProjectedDigest {
  readonly id: CallId
  readonly version: number
  /** `digestOf` the call that was stored; empty if some of what belongs to it is missing. */
  readonly digest: string
}

/**
 * A hash of all that is projected of a call but its version, the same for equal calls: 32 hexadecimal digits. The order of
 * evaluations does not matter; that of keys in documents does.
 */
export const digestOf = ({ evaluations, version: _, ...call }: ProjectedCall): string => {
  const sorted = Object.entries(call).sort(([a], [b]) => (a < b ? -1 : 1))
  const values = evaluations
    .map((one) => [one.metricId, one.valueKind, one.valueNumber, one.valueText, one.answerLatenciesMs] as const)
    .sort(([a], [b]) => a - b)
  return createHash("sha256")
    .update(JSON.stringify([sorted.map(([, value]) => value), values]))
    .digest("hex")
    .slice(0, 32)
}

/**
 * - `unreachable`: no connection, no process, or a wrong password
 * - `slow`: no answer within the time limit
 * - `full`: no space on its disk, or its limit of memory was exceeded
 * - `version`: the engine or its tables are of a version that this program does not know
 * - `owner`: the tables belong to another installation
 * - `changed`: rows that a question needed were erased while it ran; asked again it may succeed
 * - `failed`: any other error
 */
export type ColumnStoreReason = "unreachable" | "slow" | "full" | "version" | "owner" | "changed" | "failed"

const MESSAGES: Readonly<Record<ColumnStoreReason, string>> = {
  unreachable: "The column store cannot be reached, or refuses the user.",
  slow: "The column store did not answer in time.",
  full: "The column store has no space left, on its disk or in memory.",
  version: "The column store has a version that this program cannot use.",
  owner: "The column store belongs to another database. Use another directory or ClickHouse database.",
  changed: "Another process changed the column store meanwhile. Try again.",
  failed: "The column store failed."
}

/** The column store cannot be used now: the primary database answers instead. The cause is for the operator's log. */
export class ColumnStoreUnavailable extends Schema.TaggedError<ColumnStoreUnavailable>(
  "@earshot/core/ColumnStoreUnavailable"
)("ColumnStoreUnavailable", {
  reason: Schema.Literal("unreachable", "slow", "full", "version", "owner", "changed", "failed"),
  operation: Schema.String,
  cause: Schema.Defect
}) {
  override get message(): string {
    return MESSAGES[this.reason]
  }
}

/** The questions of `AnalyticsStore`, answered by a column store from what has been applied to it. */
export interface ColumnAnalytics {
  /**
   * Runs questions, each answered from the calls as they are at one moment, which is not before this effect starts.
   * The questions may run twice.
   */
  readonly inSnapshot: <A, E, R>(
    permit: ChartPermit,
    of: "chart" | "dashboard",
    questions: Effect.Effect<A, E, R>
  ) => Effect.Effect<A, E | ColumnStoreUnavailable, R>
  readonly totals: (
    permit: ChartPermit,
    query: TotalsQuery
  ) => Effect.Effect<Totals, ColumnStoreUnavailable | StorageError>
  readonly typeCounts: (
    permit: ChartPermit,
    query: ValuesQuery
  ) => Effect.Effect<TypeCounts, ColumnStoreUnavailable | StorageError>
  readonly timeRange: (
    permit: ChartPermit,
    query: ValuesQuery
  ) => Effect.Effect<Option.Option<TimeRange>, ColumnStoreUnavailable | StorageError>
  readonly timeline: (
    permit: ChartPermit,
    query: TimelineQuery
  ) => Effect.Effect<Timeline, ColumnStoreUnavailable | StorageError>
  readonly shares: (
    permit: ChartPermit,
    query: SharesQuery
  ) => Effect.Effect<Shares, ColumnStoreUnavailable | StorageError>
}

/**
 * Port: a column store with a projection of all calls. One process at a time applies changes (the holder of a lease); any
 * number ask questions.
 */
export class ColumnStore extends Context.Tag("@earshot/core/analytics/ColumnStore")<
  ColumnStore,
  {
    /**
     * Creates the tables that are missing, and checks that they are of a known version and of this installation (`owner`, a
     * text of 1 to 64 letters, digits and hyphens that identifies the primary database). Everything else fails with
     * `version` or `owner` where that is not so. The generation changes when the tables are created or cleared: whoever
     * keeps track of what has been applied begins anew then.
     */
    readonly prepare: (owner: string) => Effect.Effect<{ readonly generation: string }, ColumnStoreUnavailable>
    /**
     * Applies changes: all of them become visible at once, or none. Idempotent: if it fails or is interrupted, the same
     * changes may be applied again, with others. At most a few thousand calls at a time.
     */
    readonly apply: (changes: ProjectedChanges) => Effect.Effect<void, ColumnStoreUnavailable>
    /** The calls with the lowest ids above `afterId`, ascending; fewer than `limit` only at the end. */
    readonly scan: (
      afterId: number,
      limit: number
    ) => Effect.Effect<ReadonlyArray<ProjectedDigest>, ColumnStoreUnavailable>
    /** Removes all calls, and starts a new generation. */
    readonly clear: Effect.Effect<{ readonly generation: string }, ColumnStoreUnavailable>
    /**
     * Removes calls that were deleted or replaced from the store's files. It returns when they are gone from live files; the
     * engine removes the files that it replaced within `ERASURE_SECONDS`.
     */
    readonly eraseFiles: Effect.Effect<void, ColumnStoreUnavailable>
    readonly analytics: ColumnAnalytics
  }
>() {}

/** How long replaced files may remain on the column store's disk after `eraseFiles`, in seconds. */
export const ERASURE_SECONDS = 60
