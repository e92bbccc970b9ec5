import {
  AnalyticsStore,
  type AnalyticsSource,
  authorize,
  chartData,
  encodeWidgetData,
  hostActor,
  type StorageError
} from "@earshot/core"
import { AnalyticsKit, FilterKit, TestEngine } from "@earshot/test-kit"
import { layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { stores } from "../../src/Engine.js"
import {
  type Calls,
  comparable,
  edgeCaseCalls,
  expected,
  pick,
  rounded,
  type Shown,
  typeOf,
  type Widget
} from "./oracle.js"

const { AGENTS, METRICS } = FilterKit

const FIELDS = [
  "id",
  "success",
  "duration",
  "customer_number",
  "call_ended_reason",
  "topic",
  "timestamp",
  "is_reviewed",
  "status",
  "feedback",
  "trace_id",
  "agent.id",
  "agent.agent_name",
  "metadata.x",
  "metadata.a b.0",
  "metadata.nothing",
  "dynamic_variables.x",
  "metric_evaluations.value",
  "metric_evaluations.metric.id",
  "metric_evaluations.metric.name"
]

const AGGREGATES = ["count", "sum", "avg", "min", "max", "p50", "p95", "p99"]

const aggregatesOf = (field: string) => {
  const type = typeOf(field)
  if (field === "duration" || type === "dynamic" || field === "metric_evaluations.value") return AGGREGATES
  return type === "boolean" ? ["count", "sum", "avg"] : ["count"]
}

const GROUPS = [
  undefined,
  ...["success", "customer_number", "metadata.x", "metric_evaluations.metric.name", "timestamp", "call_id"].map(
    (field) => ({ type: "field", field })
  ),
  ...[90_000, 604_800_000, 1_000_000_007].map((interval) => ({ type: "bucket", interval }))
]

const every: ReadonlyArray<Widget> = FIELDS.flatMap((field, f) => {
  const metric = field === "metric_evaluations.value" ? { metric: 2 } : {}
  return GROUPS.flatMap((group, g): ReadonlyArray<Widget> => {
    const common = { field, ...metric, ...(group === undefined ? {} : { group_by: group }) }
    return [
      { chart_type: "pie", ...common },
      { chart_type: "line", ...common },
      ...aggregatesOf(field).map((aggregation_function, a) => ({
        chart_type: "bar",
        aggregation_function,
        time_period: pick(["hour", "day", "week", "month"], f + g + a),
        ...common
      }))
    ]
  })
})

/** One in four for speed; all with `EARSHOT_KIT_RUNS`. */
const widgets = process.env.EARSHOT_KIT_RUNS === undefined ? every.filter((_, i) => i % 4 === 0) : every

const check = (widget: Widget, shown: string, data: Shown) => {
  const found = JSON.stringify(rounded(comparable(data)))
  // Diffing texts of this length takes longer than all queries.
  if (found !== shown) expect({ widget, shows: JSON.parse(found) }).toEqual({ widget, shows: JSON.parse(shown) })
}

/** Compares every widget with the oracle, over calls in memory or in a store with its own ids. */
const checkAll = <E>(
  source: AnalyticsSource<E>,
  calls: Calls,
  stored?: FilterKit.StoredCalls
): Effect.Effect<void, E> =>
  Effect.forEach(
    widgets,
    (widget) => {
      const numbered =
        widget.metric === undefined || stored === undefined
          ? widget
          : { ...widget, metric: stored.metric(widget.metric) }
      const query = AnalyticsKit.widgetQuery({ dashboard: 1, ...widget }, stored === undefined ? {} : { of: stored })
      const shown = JSON.stringify(rounded(expected(calls, numbered)))
      return Effect.map(chartData(query, source), (data) => {
        check(widget, shown, encodeWidgetData(data))
      })
    },
    { discard: true }
  )

describe("widgets over calls with edge-case values", () => {
  it("show what docs/dashboards.md specifies, in memory", () => {
    Effect.runSync(checkAll(AnalyticsKit.memorySource(edgeCaseCalls), edgeCaseCalls))
  })
})

for (const database of TestEngine.databases) {
  const storage = stores.pipe(Layer.provideMerge(TestEngine.storage(database)))
  layer(storage, { timeout: "2 minutes" })(`widgets over calls with edge-case values on ${database}`, (it) => {
    it.effect("show what docs/dashboards.md specifies", () =>
      Effect.gen(function* () {
        const stored = yield* FilterKit.storeCalls({ agents: AGENTS, metrics: METRICS, calls: edgeCaseCalls })
        const store = yield* AnalyticsStore
        const permit = Either.getOrThrow(authorize(hostActor(stored.organizationId), "widgets.data"))
        const source: AnalyticsSource<StorageError> = {
          totals: (query) => store.totals(permit, query),
          typeCounts: (query) => store.typeCounts(permit, query),
          timeRange: (query) => store.timeRange(permit, query),
          timeline: (query) => store.timeline(permit, query),
          shares: (query) => store.shares(permit, query)
        }
        yield* checkAll(source, stored.calls, stored)
      })
    )
  })
}
