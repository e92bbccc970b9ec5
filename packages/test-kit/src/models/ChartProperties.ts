/** Properties of the data of charts, through a driver, compared with a small reference implementation. */
import * as fc from "fast-check"
import { at, listAt } from "../Documents.js"
import { type AsyncProperty, asyncProperty, expectEqual } from "../Property.js"
import { aggregateOf, filters, type ModelCall, type ModelFilter } from "./CallModel.js"
import { type CallFixture, DASHBOARDS, OBSERVE, WIDGETS } from "./CallRequests.js"
import { near } from "./WidgetCommands.js"

/** A fixture whose calls can be evaluated. */
export interface ChartFixture extends CallFixture {
  /** Runs due jobs, such as evaluations; without it metrics are not checked. */
  readonly work?: () => Promise<unknown>
}

const LOGS = "/observability/v1/call-logs/"
const HOUR = 3_600_000
const DAY = 24 * HOUR

/** A call with its time. */
interface Charted extends ModelCall {
  readonly name: string
  /** Epoch milliseconds. */
  readonly time: number
  /** The agent's response time in seconds. */
  readonly gap: number | null
}

/** Around the starts of hours, days, weeks and months, several in each interval. */
const times = [
  "2026-02-28T23:59:59.999Z",
  "2026-03-01T00:00:00Z",
  "2026-03-01T00:20:00Z",
  "2026-03-01T00:59:59.999Z",
  "2026-03-01T01:00:00Z",
  "2026-03-01T23:30:00Z",
  "2026-03-02T00:00:00Z",
  "2026-03-02T12:15:00Z",
  "2026-03-02T12:45:00Z",
  "2026-03-08T10:00:00Z",
  "2026-03-09T00:00:00Z",
  "2026-03-31T23:59:00Z"
].map((text) => Date.parse(text))

const charted: fc.Arbitrary<ReadonlyArray<Charted>> = fc
  .array(
    fc.record({
      time: fc.constantFrom(...times),
      seconds: fc.constantFrom(null, 4, 7, 10, 20, 30, 59.5, 90),
      gap: fc.constantFrom(0.25, 0.5, 1, 2),
      success: fc.constantFrom(null, true, true, false),
      region: fc.constantFrom(null, "eu", "eu", "us"),
      reason: fc.constantFrom("", "hangup", "hangup", "transfer")
    }),
    { minLength: 1, maxLength: 7 }
  )
  .map((calls) =>
    calls.map(({ gap, ...call }, index): Charted => ({
      ...call,
      name: String(index),
      gap: call.seconds === null ? null : gap,
      feedback: "",
      byPerson: false,
      isReviewed: false,
      redacted: false
    }))
  )

const deliver = async ({ agent, driver }: CallFixture, calls: ReadonlyArray<Charted>): Promise<void> => {
  for (const { gap, name, reason, region, seconds, success, time } of calls) {
    const asked = { role: "Testing Agent", content: "Hello?", start_time: 0, end_time: 1 }
    const { body } = await driver("POST", OBSERVE, {
      call_id: name,
      agent,
      timestamp: new Date(time).toISOString(),
      ...(reason === "" ? {} : { call_ended_reason: reason }),
      ...(region === null ? {} : { metadata: { region } }),
      ...(seconds === null || gap === null
        ? {}
        : {
            transcript_json: [asked, { role: "Main Agent", content: "Hello.", start_time: 1 + gap, end_time: seconds }]
          })
    })
    if (success !== null) await driver("PATCH", `${LOGS}${String(at(body, "id"))}/`, { success })
  }
}

/** Creates a widget on a dashboard; returns it and its data. */
const shown = async ({ driver, project }: CallFixture, outer: ModelFilter, inner: ModelFilter, chart: object) => {
  const board = await driver("POST", DASHBOARDS, { name: "Board", project, filters: outer.wire })
  const widget = await driver("POST", WIDGETS, { dashboard: at(board.body, "id"), filters: inner.wire, ...chart })
  expectEqual(`a widget ${JSON.stringify(chart)}`, [widget.outcome, widget.errors], ["created", []])
  const { body } = await driver("GET", `${WIDGETS}${String(at(widget.body, "id"))}/data/`)
  return { widget: widget.body, data: body }
}

type Value = string | number

/** The fields to plot and to group by. */
const FIELDS: Readonly<Record<string, (call: Charted) => Value | null>> = {
  duration: ({ seconds }) => seconds,
  success: ({ success }) => (success === null ? null : Number(success)),
  call_ended_reason: ({ reason }) => (reason === "" ? null : reason),
  "metadata.region": ({ region }) => region
}

const valueOf = (field: string, call: Charted): Value | null => FIELDS[field]?.(call) ?? null

/** The start of the period that contains a time; weeks start on Monday. */
const startOf = (period: unknown, time: number): number => {
  const date = new Date(time)
  const [year, month, day] = [date.getUTCFullYear(), date.getUTCMonth(), date.getUTCDate()]
  switch (period) {
    case "hour":
      return Math.floor(time / HOUR) * HOUR
    case "day":
      return Date.UTC(year, month, day)
    case "week":
      return Date.UTC(year, month, day - ((date.getUTCDay() + 6) % 7))
    case "month":
      return Date.UTC(year, month)
    default:
      throw new Error(`No period: ${String(period)}`)
  }
}

const grouped = <A>(
  items: ReadonlyArray<A>,
  keyOf: (item: A) => string
): ReadonlyArray<readonly [string, Array<A>]> => {
  const groups = new Map<string, Array<A>>()
  for (const item of items) groups.set(keyOf(item), [...(groups.get(keyOf(item)) ?? []), item])
  return [...groups].sort(([one], [other]) => (one < other ? -1 : 1))
}

/** The name of a call's series, as in responses. */
const nameOf = (group: string | null, call: Charted): string => {
  const key = group === null ? null : valueOf(group, call)
  return group === null ? "all" : key === null ? "none" : `value ${key}`
}

type Plotted = ReadonlyArray<readonly [series: string, ReadonlyArray<unknown>]>

interface Over {
  readonly field: string
  readonly aggregate: string
  readonly group: string | null
  readonly startOf: (time: number) => number
}

/** Aggregates by series and period: start, value and count. */
const overTime = (calls: ReadonlyArray<Charted>, { aggregate, field, group, startOf: start }: Over): Plotted => {
  const known = calls.filter((call) => valueOf(field, call) !== null)
  return grouped(known, (call) => nameOf(group, call)).map(([series, members]) => [
    series,
    grouped(members, ({ time }) => new Date(start(time)).toISOString()).map(([timestamp, all]) => {
      const values = all.map((call) => Number(valueOf(field, call)))
      return [timestamp, aggregate === "count" ? all.length : near(aggregateOf(aggregate, values)), all.length]
    })
  ])
}

const seriesOf = (data: unknown, point: (one: unknown) => ReadonlyArray<unknown>): Plotted =>
  listAt(data, "series")
    .map((series) => {
      const kind = String(at(series, "kind"))
      const points = listAt(series, "points").flatMap((one) => (at(one, "count") === 0 ? [] : [point(one)]))
      return [kind === "value" ? `value ${String(at(series, "key"))}` : kind, points] as const
    })
    .filter(([, points]) => points.length > 0)
    .sort(([one], [other]) => (one < other ? -1 : 1))

const timed = (data: unknown) =>
  seriesOf(data, (one) => [at(one, "timestamp"), near(at(one, "value")), at(one, "count")])

const NUMERIC = ["count", "sum", "avg", "min", "max", "p50", "p95", "p99"]

const bar = fc
  .constantFrom(
    ...NUMERIC.map((aggregate) => ({ field: "duration", aggregate })),
    ...["count", "sum", "avg"].map((aggregate) => ({ field: "success", aggregate })),
    { field: "call_ended_reason", aggregate: "count" },
    { field: "metadata.region", aggregate: "count" }
  )
  .chain((chosen) => fc.record({ chosen: fc.constant(chosen), filter: fc.constantFrom(...filters) }))

/** Fields to group by. */
const group = fc.constantFrom(null, "metadata.region", "call_ended_reason")

const wireGroup = (field: string | null) => (field === null ? {} : { group_by: { type: "field", field } })

const anyFilter = fc.constantFrom(...filters)
const everything: ModelFilter = { wire: {}, holds: () => true }

const mean = (values: ReadonlyArray<number>): unknown => (values.length === 0 ? null : near(aggregateOf("avg", values)))

/** Properties of the data of charts. Each run has a fixture of its own. */
export const chartDataProperties = (fixture: () => Promise<ChartFixture>): ReadonlyArray<AsyncProperty> => [
  // First, since the others deliver calls that nobody evaluates: their jobs would be run with these.
  asyncProperty(
    "a stat shows the number of calls, their success rate, mean duration and 95th percentile of latency",
    [charted, anyFilter],
    async (all, filter) => {
      const real = await fixture()
      await deliver(real, all)
      await real.work?.()
      const { data } = await shown(real, everything, filter, { chart_type: "stat" })
      const calls = all.filter(filter.holds)
      const some = (values: ReadonlyArray<number | null>) => values.filter((value) => value !== null)
      const gaps = some(calls.map(({ gap }) => (gap === null ? null : gap * 1000)))
      expectEqual(
        `the figures of ${JSON.stringify(all)}`,
        [at(data, "total_calls"), near(at(data, "success_rate")), near(at(data, "avg_duration"))],
        [
          calls.length,
          mean(some(calls.map(({ success }) => (success === null ? null : Number(success))))),
          mean(some(calls.map(({ seconds }) => seconds)))
        ]
      )
      if (real.work !== undefined) {
        const p95 = gaps.length === 0 ? null : near(aggregateOf("p95", gaps))
        // Each call has one answer.
        for (const name of ["p95_latency", "p95_call_latency"])
          expectEqual(`${name} of ${JSON.stringify(all)}`, near(at(data, name)), p95)
      }
    },
    10
  ),
  ...NUMERIC.map((aggregate) =>
    asyncProperty(
      `a bar shows the ${aggregate} of a day's calls`,
      [charted],
      async (all) => {
        const calls = all.map((call): Charted => ({ ...call, time: Date.parse("2026-03-10T12:00:00Z") }))
        const real = await fixture()
        await deliver(real, calls)
        const chart = { chart_type: "bar", field: "duration", aggregation_function: aggregate, time_period: "day" }
        const { data } = await shown(real, everything, everything, chart)
        const over = { field: "duration", aggregate, group: null, startOf: (time: number) => startOf("day", time) }
        expectEqual(`the ${aggregate} of ${JSON.stringify(calls)}`, timed(data), overTime(calls, over))
      },
      6
    )
  ),
  ...["hour", "day", "week", "month"].map((period) =>
    asyncProperty(
      `a bar shows the calls of each ${period} by groups`,
      [charted, bar, group],
      async (calls, { chosen: { aggregate, field }, filter }, by) => {
        const real = await fixture()
        await deliver(real, calls)
        const chart = { chart_type: "bar", field, aggregation_function: aggregate, time_period: period }
        const { data } = await shown(real, everything, filter, { ...chart, ...wireGroup(by) })
        const over = { field, aggregate, group: by, startOf: (time: number) => startOf(period, time) }
        expectEqual(
          `what is shown of ${JSON.stringify(calls)}`,
          timed(data),
          overTime(calls.filter(filter.holds), over)
        )
      },
      8
    )
  ),
  asyncProperty(
    "a bar with buckets of a fixed width shows the calls of each bucket",
    [charted, bar, fc.constantFrom(HOUR, 6 * HOUR, DAY)],
    async (calls, { chosen: { aggregate, field }, filter }, interval) => {
      const real = await fixture()
      await deliver(real, calls)
      const chart = { chart_type: "bar", field, aggregation_function: aggregate, time_period: "day" }
      const { data } = await shown(real, everything, filter, { ...chart, group_by: { type: "bucket", interval } })
      const over = { field, aggregate, group: null, startOf: (time: number) => Math.floor(time / interval) * interval }
      expectEqual(`what is shown of ${JSON.stringify(calls)}`, timed(data), overTime(calls.filter(filter.holds), over))
    },
    8
  ),
  asyncProperty(
    "a line shows the mean of numbers, the share of true, and the count of texts",
    [charted, fc.constantFrom("duration", "success", "call_ended_reason"), group, anyFilter],
    async (calls, field, by, filter) => {
      const real = await fixture()
      await deliver(real, calls)
      const { data } = await shown(real, everything, filter, { chart_type: "line", field, ...wireGroup(by) })
      const isText = field === "call_ended_reason"
      const over = {
        field,
        aggregate: isText ? "count" : "avg",
        group: by ?? (isText ? field : null),
        // The range of a line decides the period of its points.
        startOf: (time: number) => startOf(at(data, "time_period"), time)
      }
      expectEqual(`what is shown of ${JSON.stringify(calls)}`, timed(data), overTime(calls.filter(filter.holds), over))
    },
    16
  ),
  asyncProperty(
    "a pie shows the count and the share of each value",
    [charted, fc.constantFrom("call_ended_reason", "metadata.region"), group, anyFilter],
    async (all, field, by, filter) => {
      const real = await fixture()
      await deliver(real, all)
      const { data } = await shown(real, everything, filter, { chart_type: "pie", field, ...wireGroup(by) })
      const calls = all.filter((call) => filter.holds(call) && valueOf(field, call) !== null)
      const expected = grouped(calls, (call) => nameOf(by, call)).map(([series, members]) => [
        series,
        grouped(members, (call) => String(valueOf(field, call))).map(([key, { length }]) => [
          key,
          length,
          near(length / members.length)
        ])
      ])
      const slices = seriesOf(data, (one) => [at(one, "key"), at(one, "value"), near(at(one, "share"))]).map(
        ([series, points]) => [series, points.toSorted()]
      )
      expectEqual(`what is shown of ${JSON.stringify(all)}`, [at(data, "total"), slices], [calls.length, expected])
    },
    12
  ),
  asyncProperty(
    "a widget shows the calls that match its dashboard's filter and its own, as effective_filters does",
    [charted, anyFilter, anyFilter],
    async (all, outer, inner) => {
      const real = await fixture()
      await deliver(real, all)
      const { data, widget } = await shown(real, outer, inner, { chart_type: "stat" })
      const both = all.filter((call) => outer.holds(call) && inner.holds(call))
      const filter = encodeURIComponent(JSON.stringify(at(widget, "effective_filters")))
      const found = await real.driver("GET", `${LOGS}?agent_id=${real.agent}&limit=200&filters_v2=${filter}`)
      const what = `of ${JSON.stringify([all, outer.wire, inner.wire])}`
      expectEqual(`how many are counted ${what}`, at(data, "total_calls"), both.length)
      expectEqual(
        `what effective_filters finds ${what}`,
        listAt(found.body, "results")
          .map((call) => String(at(call, "call_id")))
          .sort(),
        both.map(({ name }) => name).sort()
      )
    },
    12
  )
]
