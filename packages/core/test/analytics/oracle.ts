/**
 * An independent oracle of widgets: what they show, computed from docs/dashboards.md alone and without the engine. It finds
 * rules that are wrong in the reference implementation and in SQL alike.
 */
import type { encodeWidgetData, Json } from "@earshot/core"
import { FilterKit } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"

const { AGENTS, METRICS } = FilterKit

/** Boundaries of hours, days, ISO weeks, months and years, leap days, clock changes, and the first and last timestamps. */
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

export const pick = <A>(from: ReadonlyArray<A>, i: number): A => from[i % from.length]!

export type Calls = ReadonlyArray<FilterKit.FilterableCall>

export const edgeCaseCalls: Calls = Array.from({ length: 160 }, (_, i) => ({
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

type Evaluation = FilterKit.FilterableCall["evaluations"][number]

const read = (call: FilterKit.FilterableCall, evaluation: Evaluation | undefined, field: string): Value => {
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

export const typeOf = (field: string) =>
  TYPES[field] ?? (/^(metadata|dynamic_variables)\./.test(field) ? "dynamic" : "string")

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

export interface Widget {
  readonly chart_type: string
  readonly field: string
  readonly aggregation_function?: string
  readonly time_period?: string
  readonly metric?: number
  readonly group_by?: { readonly type: string; readonly field?: string; readonly interval?: number }
}

const rowsOf = (calls: Calls, { field, group_by, metric }: Widget, type: string): ReadonlyArray<Row> =>
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
  widget: Widget,
  type: string,
  what: string,
  width: string | number,
  by: (row: Row) => Value
) => {
  const rows = rowsOf(calls, widget, type).filter(({ value }) => what === "count" || typeof value !== "string")
  const isGrouped = widget.group_by?.field !== undefined || (widget.chart_type === "line" && type === "string")
  const all = isGrouped ? series(grouped(rows, by)) : [{ key: null, kind: "all", rows }]
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

/** What a widget shows, computed from docs/dashboards.md alone. */
export const expected = (calls: Calls, widget: Widget): unknown => {
  const type = typeOf(widget.field)
  switch (widget.chart_type) {
    case "bar":
      return overTime(
        calls,
        widget,
        type,
        widget.aggregation_function!,
        widget.group_by?.interval ?? widget.time_period!,
        ({ group }) => group
      )
    case "line": {
      const of = (name: string) => rowsOf(calls, widget, type).filter(({ value }) => typeof value === name).length
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
      const width = widget.group_by?.interval ?? widthOf(rowsOf(calls, widget, most))
      const by = widget.group_by?.field === undefined ? ({ value }: Row) => value : ({ group }: Row) => group
      return overTime(calls, widget, most, what, width, by)
    }
    default: {
      const rows = rowsOf(calls, widget, type)
      const width = widget.group_by?.interval
      const groups =
        width !== undefined
          ? series(grouped(rows, ({ at }) => bucketOf(at, width)))
          : widget.group_by === undefined
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

export type Shown = ReturnType<typeof encodeWidgetData>

/** What a widget shows, without labels, empty periods and shares. */
export const comparable = (data: Shown): unknown => {
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

/** Rounds numbers: sums of very different magnitudes depend on the order of addition. */
export const rounded = (shown: unknown): unknown =>
  JSON.parse(JSON.stringify(shown), (_, value: unknown) =>
    typeof value === "number" && Math.abs(value) > 1e15
      ? value.toPrecision(9)
      : typeof value === "number" && !Number.isInteger(value)
        ? Number(value.toFixed(6))
        : value
  )
