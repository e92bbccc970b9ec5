/**
 * Every kind of widget over calls picked to be awkward, against numbers worked out here from docs/dashboards.md alone,
 * with nothing of the engine's own: a rule that is wrong in memory and in SQL alike would pass where those two are held
 * against each other.
 */
import {
  AnalyticsStore,
  chartData,
  type AnalyticsSource as Asks,
  authorize,
  encodeWidgetData,
  type Filters,
  hostActor,
  type Json,
  type StorageError
} from "@earshot/core"
import { AnalyticsKit, FilterKit, TestEngine } from "@earshot/test-kit"
import { layer } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { describe, expect, it } from "vitest"
import { stores } from "../../src/Engine.js"

const { AGENTS, METRICS } = FilterKit

/** Edges of hours, days, ISO weeks, months and years, leap days, clock changes, and the ends of what can be written. */
const INSTANTS = [
  "2026-01-01T00:00:00.000Z",
  "2025-12-31T23:59:59.999Z",
  "2024-02-29T00:00:00.000Z",
  "2024-02-29T23:59:59.999Z",
  "2024-03-01T00:00:00.000Z",
  "2025-02-28T23:59:59.999Z",
  "2025-03-01T00:00:00.000Z",
  "2026-03-29T00:59:59.999Z",
  "2026-03-29T01:00:00.000Z",
  "2025-10-26T00:30:00.000Z",
  "2025-10-26T01:30:00.000Z",
  "2026-03-22T23:59:59.999Z",
  "2026-03-23T00:00:00.000Z",
  "2026-03-31T10:20:30.456Z",
  "2026-03-31T10:20:30.456Z",
  "1969-12-31T23:59:59.999Z",
  "1970-01-01T00:00:00.000Z",
  "0001-01-01T00:00:00.000Z",
  "0099-12-31T23:59:59.999Z",
  "9999-12-31T23:59:59.999Z"
]

const TEXTS = [null, "", "a", "A", "b", "é", "e\u0301", "\uff5e", "\u{1f600}", "100%", "_", "5", "true", "a", "b"]
const NUMBERS = [null, 0, -1.5, 60, 60, 1e-7, 0.1 + 0.2, 5e-324, 2 ** 30, -(2 ** 30), 59.999, 1e99, 2e100]
const MIXED: ReadonlyArray<Json> = [
  null,
  5,
  "5",
  true,
  "true",
  false,
  0,
  "",
  -0.5,
  [1],
  { a: 1 },
  5,
  "é",
  1.5,
  "2026-01-01",
  0.1 + 0.2
]
const VALUES = [null, 0, 1, -2.5, true, false, "yes", "", 1e100, 2e100, 300, 300]

const pick = <A>(from: ReadonlyArray<A>, i: number): A => from[i % from.length]!

type Calls = ReadonlyArray<Filters.FilterableCall>

const awkward: Calls = Array.from({ length: 160 }, (_, i) => ({
  id: i + 1,
  callId: `call ${i}`,
  traceId: i % 4 === 0 ? "" : pick(["ab", "AB", "c"], i),
  timestamp: DateTime.unsafeMake(pick(INSTANTS, i * 7 + Math.floor(i / INSTANTS.length))),
  duration: pick(NUMBERS, i * 5 + 1),
  success: pick([true, false, null], i * 2 + Math.floor(i / 9)),
  isReviewed: i % 4 < 2,
  customerNumber: pick(TEXTS, i),
  callEndedReason: pick(TEXTS, i * 4),
  dropoffPoint: null,
  topic: pick(["one", "two", null], i),
  feedback: pick(["", "fine", null], i),
  agentId: pick(AGENTS, i).id,
  agentName: pick(AGENTS, i).name,
  metadata: pick<Json>(
    [{ x: pick(MIXED, i * 3), "a b": { "0": i % 3 } }, { x: pick(MIXED, i) }, [pick(MIXED, i)], null, "x"],
    Math.floor(i / 3)
  ),
  dynamicVariables: { x: pick(MIXED, i + 1) },
  evaluations: METRICS.slice(0, i % (METRICS.length + 1)).map(({ id, name }) => ({
    metricId: id,
    metricName: name,
    value: pick(VALUES, i * id + 3)
  }))
}))

type Value = string | number | boolean | null

const isMeasure = (value: unknown) => typeof value !== "number" || Math.abs(value) <= 1e100

const ofDocument = (document: unknown, path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (above, key) =>
      typeof above === "object" && above !== null && !Array.isArray(above) ? Reflect.get(above, key) : undefined,
    document
  )

type Evaluation = Filters.FilterableCall["evaluations"][number]

const read = (call: Filters.FilterableCall, evaluation: Evaluation | undefined, field: string): Value => {
  const [first, ...path] = field.split(".")
  const found: unknown =
    first === "metadata"
      ? ofDocument(call.metadata, path)
      : first === "dynamic_variables"
        ? ofDocument(call.dynamicVariables, path)
        : {
            id: call.id,
            call_id: call.callId,
            success: call.success,
            duration: call.duration,
            customer_number: call.customerNumber,
            call_ended_reason: call.callEndedReason,
            topic: call.topic,
            timestamp: DateTime.formatIso(call.timestamp),
            is_reviewed: call.isReviewed,
            status:
              call.success === null
                ? null
                : (call.isReviewed ? "reviewed_" : "") + (call.success ? "success" : "failure"),
            feedback: call.feedback,
            trace_id: call.traceId === "" ? null : call.traceId,
            "agent.id": call.agentId,
            "agent.agent_name": call.agentName,
            "metric_evaluations.value": evaluation?.value,
            "metric_evaluations.metric.id": evaluation?.metricId,
            "metric_evaluations.metric.name": evaluation?.metricName
          }[field]
  return typeof found === "string" || typeof found === "number" || typeof found === "boolean" ? found : null
}

const TYPES: Readonly<Record<string, string>> = {
  duration: "numeric",
  id: "numeric",
  "agent.id": "numeric",
  "metric_evaluations.metric.id": "numeric",
  success: "boolean",
  is_reviewed: "boolean",
  timestamp: "datetime",
  // The metrics here are numeric.
  "metric_evaluations.value": "numeric"
}

const typeOf = (field: string) => TYPES[field] ?? (/^(metadata|dynamic_variables)\./.test(field) ? "dynamic" : "string")

const KIND: Readonly<Record<string, string>> = { numeric: "number", boolean: "boolean", string: "string" }

const isOfType = (type: string, field: string, value: Value) =>
  value !== null &&
  (field === "duration" || typeOf(field) === "dynamic" || field === "metric_evaluations.value"
    ? isMeasure(value)
    : true) &&
  (type === "dynamic" || typeof value === (KIND[type] ?? "string"))

const HOUR = 3_600_000

const bucketOf = (at: number, width: string | number): number => {
  const date = new Date(at)
  const floor = (millis: number) => at - (((at % millis) + millis) % millis)
  switch (width) {
    case "hour":
      return floor(HOUR)
    case "day":
      return floor(24 * HOUR)
    case "week":
      return floor(24 * HOUR) - ((date.getUTCDay() + 6) % 7) * 24 * HOUR
    case "month":
      return new Date(`${date.toISOString().slice(0, 7)}-01T00:00:00Z`).getTime()
    default: {
      // Counted from Monday, 29 December 1969.
      const origin = Date.parse("1969-12-29T00:00:00Z")
      return origin + Math.floor((at - origin) / Number(width)) * Number(width)
    }
  }
}

interface Row {
  readonly at: number
  readonly value: Value
  readonly group: Value
}

interface Asked {
  readonly chart_type: string
  readonly field: string
  readonly aggregation_function?: string
  readonly time_period?: string
  readonly metric?: number
  readonly group_by?: { readonly type: string; readonly field?: string; readonly interval?: number }
}

const rowsOf = (calls: Calls, { field, group_by, metric }: Asked, type: string): ReadonlyArray<Row> =>
  calls.flatMap((call) => {
    const ofEvaluations = [field, group_by?.field ?? ""].some((name) => name.startsWith("metric_evaluations."))
    const mine = call.evaluations.filter(({ metricId }) => metric === undefined || metricId === metric)
    const at = DateTime.toEpochMillis(call.timestamp)
    return (ofEvaluations && mine.length > 0 ? mine : [undefined]).flatMap((evaluation) => {
      const value = read(call, evaluation, field)
      const group = group_by?.field === undefined ? null : read(call, evaluation, group_by.field)
      return isOfType(type, field, value) ? [{ at, value, group }] : []
    })
  })

const percentile = (numbers: ReadonlyArray<number>, p: number) => {
  const sorted = [...numbers].sort((a, b) => a - b)
  const at = (sorted.length - 1) * p
  const [low, high] = [sorted[Math.floor(at)]!, sorted[Math.ceil(at)]!]
  return low + (high - low) * (at - Math.floor(at))
}

const aggregated = (what: string, rows: ReadonlyArray<Row>): number => {
  const numbers = rows.map(({ value }) => Number(value))
  const sum = [...numbers].sort((a, b) => Math.abs(a) - Math.abs(b)).reduce((total, one) => total + one, 0)
  switch (what) {
    case "count":
      return rows.length
    case "sum":
      return sum
    case "avg":
      return sum / numbers.length
    case "min":
      return Math.min(...numbers)
    case "max":
      return Math.max(...numbers)
    default:
      return percentile(numbers, Number(what.slice(1)) / 100)
  }
}

const codePoints = (text: string) => Array.from(text, (one) => one.codePointAt(0)!)

const compareTexts = (a: string, b: string): number => {
  const [x, y] = [codePoints(a), codePoints(b)]
  const differs = x.findIndex((one, i) => one !== y[i])
  return differs === -1 ? x.length - y.length : y[differs] === undefined ? 1 : x[differs]! - y[differs]
}

const KINDS = ["object", "boolean", "number", "string"]

const compareKeys = (a: Value, b: Value): number =>
  KINDS.indexOf(typeof a) - KINDS.indexOf(typeof b) ||
  (typeof a === "string" && typeof b === "string" ? compareTexts(a, b) : Number(a) - Number(b))

/** Values with the rows that have them, the most frequent first. */
const grouped = (rows: ReadonlyArray<Row>, keyOf: (row: Row) => Value) => {
  const all = new Map<Value, Array<Row>>()
  for (const row of rows) all.set(keyOf(row), [...(all.get(keyOf(row)) ?? []), row])
  return [...all].sort(([a, x], [b, y]) => y.length - x.length || compareKeys(a, b))
}

const series = (groups: ReturnType<typeof grouped>) => {
  const named = groups.slice(0, 50).map(([key, rows]) => ({ key, kind: key === null ? "none" : "value", rows }))
  const rest = groups.slice(50).flatMap(([, rows]) => rows)
  return rest.length === 0 ? named : [...named, { key: null, kind: "other", rows: rest }]
}

const overTime = (
  calls: Calls,
  asked: Asked,
  type: string,
  what: string,
  width: string | number,
  by: (row: Row) => Value
) => {
  const rows = rowsOf(calls, asked, type).filter(({ value }) => what === "count" || typeof value !== "string")
  const isDivided = asked.group_by?.field !== undefined || (asked.chart_type === "line" && type === "string")
  const all = isDivided ? series(grouped(rows, by)) : [{ key: null, kind: "all", rows }]
  return all.map(({ key, kind, rows }) => ({
    key,
    kind,
    points: grouped(rows, ({ at }) => bucketOf(at, width))
      .map(([at, ones]) => ({ at: Number(at), count: ones.length, value: aggregated(what, ones) }))
      .sort((a, b) => a.at - b.at)
  }))
}

/** The finest of hour, day and week with which there are at most 100 points, or months. */
const widthOf = (rows: ReadonlyArray<Row>): string => {
  if (rows.length === 0) return "day"
  const times = rows.map(({ at }) => at)
  const [first, last] = [Math.min(...times), Math.max(...times)]
  const fits = (name: string, width: number) => (bucketOf(last, name) - bucketOf(first, name)) / width + 1 <= 100
  return fits("hour", HOUR) ? "hour" : fits("day", 24 * HOUR) ? "day" : fits("week", 168 * HOUR) ? "week" : "month"
}

const expected = (calls: Calls, asked: Asked): unknown => {
  const type = typeOf(asked.field)
  switch (asked.chart_type) {
    case "bar":
      return overTime(
        calls,
        asked,
        type,
        asked.aggregation_function!,
        asked.group_by?.interval ?? asked.time_period!,
        ({ group }) => group
      )
    case "line": {
      const of = (name: string) => rowsOf(calls, asked, type).filter(({ value }) => typeof value === name).length
      const [numbers, flags, texts] = [of("number"), of("boolean"), of("string")]
      const most =
        type !== "dynamic"
          ? type
          : numbers >= flags && numbers >= texts
            ? "numeric"
            : flags >= texts
              ? "boolean"
              : "string"
      const what = most === "numeric" || most === "boolean" ? "avg" : "count"
      const width = asked.group_by?.interval ?? widthOf(rowsOf(calls, asked, most))
      const by = asked.group_by?.field === undefined ? ({ value }: Row) => value : ({ group }: Row) => group
      return overTime(calls, asked, most, what, width, by)
    }
    default: {
      const rows = rowsOf(calls, asked, type)
      const width = asked.group_by?.interval
      const groups =
        width !== undefined
          ? series(grouped(rows, ({ at }) => bucketOf(at, width)))
          : asked.group_by === undefined
            ? [{ key: null, kind: "all", rows }]
            : series(grouped(rows, ({ group }) => group))
      const slices = groups.map(({ key, kind, rows }) => ({
        key: width !== undefined && kind === "value" ? new Date(Number(key)).toISOString() : key,
        kind,
        slices: series(grouped(rows, ({ value }) => value)).map(({ key, kind, rows }) => ({
          key,
          kind,
          count: rows.length
        }))
      }))
      return width === undefined
        ? slices
        : [
            ...slices.filter(({ kind }) => kind === "value").sort((a, b) => (String(a.key) < String(b.key) ? -1 : 1)),
            ...slices.filter(({ kind }) => kind !== "value")
          ]
    }
  }
}

type Shown = ReturnType<typeof encodeWidgetData>

/** What a widget shows, without what is laid out only (names, empty periods, shares). */
const told = (data: Shown): unknown => {
  switch (data.chart_type) {
    case "stat":
      return data
    case "pie":
      return data.series.map(({ key, kind, points }) => ({
        key,
        kind,
        slices: points.map(({ key, kind, value }) => ({ key, kind, count: value }))
      }))
    default:
      return data.series.map(({ key, kind, points }) => ({
        key,
        kind,
        points: points
          .filter(({ count }) => count > 0)
          .map(({ count, timestamp, value }) => ({ at: Date.parse(timestamp), count, value }))
      }))
  }
}

/** Sums of numbers of very different sizes come out a little differently in every order. */
const rounded = (told: unknown): unknown =>
  JSON.parse(JSON.stringify(told), (_, value: unknown) =>
    typeof value === "number" && Math.abs(value) > 1e15
      ? value.toPrecision(9)
      : typeof value === "number" && !Number.isInteger(value)
        ? Number(value.toFixed(PLACES))
        : value
  )

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

const every: ReadonlyArray<Asked> = FIELDS.flatMap((field, f) => {
  const metric = field === "metric_evaluations.value" ? { metric: 2 } : {}
  return GROUPS.flatMap((group, g): ReadonlyArray<Asked> => {
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

/** One in four, which is quick; `EARSHOT_KIT_RUNS` asks for all of them. */
const widgets = process.env.EARSHOT_KIT_RUNS === undefined ? every.filter((_, i) => i % 4 === 0) : every

const PLACES = 6
const check = (asked: Asked, shown: string, data: Shown) => {
  const found = JSON.stringify(rounded(told(data)))
  // A difference of texts this long takes longer to show than all the widgets to ask.
  if (found !== shown) expect({ asked, shows: JSON.parse(found) }).toEqual({ asked, shows: JSON.parse(shown) })
}

/** Asks for every widget, of calls as they are in memory or as a store numbered them. */
const checkAll = <E>(asked: Asks<E>, calls: Calls, stored?: FilterKit.StoredCalls): Effect.Effect<void, E> =>
  Effect.forEach(
    widgets,
    (widget) => {
      const numbered =
        widget.metric === undefined || stored === undefined
          ? widget
          : { ...widget, metric: stored.metric(widget.metric) }
      const question = AnalyticsKit.widgetQuery({ dashboard: 1, ...widget }, stored === undefined ? {} : { of: stored })
      const shown = JSON.stringify(rounded(expected(calls, numbered)))
      return Effect.map(chartData(question, asked), (data) => {
        check(widget, shown, encodeWidgetData(data))
      })
    },
    { discard: true }
  )

describe("widgets over awkward calls", () => {
  it("show in memory what the guide says", () => {
    Effect.runSync(checkAll(AnalyticsKit.memorySource(awkward), awkward))
  })
})

for (const database of TestEngine.databases) {
  const storage = stores.pipe(Layer.provideMerge(TestEngine.storage(database)))
  layer(storage, { timeout: "2 minutes" })(`widgets over awkward calls on ${database}`, (it) => {
    it.effect("show what the guide says", () =>
      Effect.gen(function* () {
        const stored = yield* FilterKit.storeCalls({ agents: AGENTS, metrics: METRICS, calls: awkward })
        const store = yield* AnalyticsStore
        const permit = Either.getOrThrow(authorize(hostActor(stored.organizationId), "widgets.data"))
        const asked: Asks<StorageError> = {
          totals: (question) => store.totals(permit, question),
          typeCounts: (question) => store.typeCounts(permit, question),
          timeRange: (question) => store.timeRange(permit, question),
          timeline: (question) => store.timeline(permit, question),
          shares: (question) => store.shares(permit, question)
        }
        yield* checkAll(asked, stored.calls, stored)
      })
    )
  })
}
