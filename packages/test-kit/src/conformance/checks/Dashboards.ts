/** E3, E5, filters and what widgets show. */
import { at, listAt } from "../../Documents.js"
import { breakages } from "../../dashboards/InvalidWidgets.js"
import { type Check, checksOf } from "../Check.js"
import {
  any,
  bodyOf,
  expectDetail,
  expectFaults,
  expectFaultWithin,
  expectNear,
  expectNoBody,
  expectOnlyFaults,
  expectSame,
  expectShape,
  expectTrue,
  instant,
  int,
  type Kind,
  list,
  oneOf,
  orNull,
  shortText,
  text
} from "../Expect.js"
import { PATHS, type World } from "../World.js"

/** Source: interface, Dashboard. */
const dashboardShape: Readonly<Record<string, Kind>> = {
  id: int,
  name: shortText(255),
  project: int,
  filters: any,
  widgets: list,
  widget_count: int,
  created_at: instant,
  updated_at: instant
}

/** Source: interface, Widget. */
const widgetShape: Readonly<Record<string, Kind>> = {
  id: int,
  dashboard: int,
  name: shortText(255),
  chart_type: oneOf("line", "bar", "pie", "stat"),
  filters: any,
  effective_filters: any,
  data_type: orNull(oneOf("numeric", "boolean", "string", "datetime", "dynamic")),
  field: shortText(255),
  metric: orNull(int),
  metric_name: orNull(text),
  time_period: orNull(oneOf("hour", "day", "week", "month")),
  aggregation_function: orNull(oneOf("count", "sum", "avg", "min", "max", "p50", "p95", "p99")),
  group_by: any,
  metadata: any,
  created_at: instant,
  updated_at: instant
}

const BAR = { chart_type: "bar", field: "duration", aggregation_function: "avg", time_period: "day" } as const

/** A widget of a dashboard of its own. */
const widget = async (world: World, fields: Readonly<Record<string, unknown>> = BAR) => {
  const dashboard = await world.dashboard()
  const made = await world.make(PATHS.widgets, { dashboard, ...fields })
  return { dashboard, made, path: `${PATHS.widgets}${String(made.id)}/` }
}

const notFilters: ReadonlyArray<readonly [filter: unknown, path: string]> = [
  ["today", "filters"],
  [{ field: "colour", op: "eq", value: 1 }, "filters.field"],
  [{ field: "duration", op: "near", value: 1 }, "filters.op"],
  [{ field: "duration", op: "gte", value: "long" }, "filters.value"],
  [{ operator: "xor", conditions: [] }, "filters.operator"],
  [
    {
      operator: "and",
      conditions: [
        { field: "success", op: "eq", value: true },
        { field: "duration", op: "eq", value: [] }
      ]
    },
    "filters.conditions[1].value"
  ]
]

const create = checksOf("E5", {
  "created-201": [
    "a dashboard is answered with 201 and all its fields, from JSON, a form and a multipart body",
    async (world) => {
      const filters = { operator: "and", conditions: [{ field: "success", op: "eq", value: true }] }
      const fields = { name: "Conformance", project: await world.project(), filters }
      for (const request of [{ json: fields }, { form: fields }, { multipart: fields }]) {
        const made = bodyOf(await world.ask("POST", PATHS.dashboards, request), 201)
        world.owes(`${PATHS.dashboards}${String(made.id)}/`)
        expectShape("the dashboard", made, dashboardShape)
        expectSame("the dashboard", [made.name, made.project, made.filters], [fields.name, fields.project, filters])
        expectSame("its widgets", [made.widgets, made.widget_count], [[], 0])
      }
    }
  ],
  "name-limit": [
    "name is required, not blank, and has at most 255 characters",
    async (world) => {
      const project = await world.project()
      await world.dashboard({ name: "x".repeat(255) })
      await world.dashboard({ name: "😀".repeat(255) })
      for (const name of ["x".repeat(256), "😀".repeat(256), "", "  ", null, 5]) {
        expectOnlyFaults(await world.post(PATHS.dashboards, { name, project }), "name")
      }
    }
  ],
  required: [
    "name and project are required, and both are told at once",
    async (world) => expectOnlyFaults(await world.post(PATHS.dashboards, {}), "name", "project")
  ],
  "unknown-project": [
    "a project that is not the organisation's is a fault of the field project",
    async (world) =>
      expectOnlyFaults(await world.post(PATHS.dashboards, { name: "x", project: world.nobody }), "project")
  ],
  filters: [
    "an empty filter matches everything, and a wrong one is a fault under its path",
    async (world) => {
      for (const filters of [null, {}, { operator: "and", conditions: [] }]) await world.dashboard({ filters })
      const project = await world.project()
      for (const [filters, path] of notFilters) {
        expectFaults(await world.post(PATHS.dashboards, { name: "x", project, filters }), path)
      }
    }
  ],
  "read-only-ignored": [
    "read-only fields are passed over",
    async (world) => {
      const made = await world.make(PATHS.dashboards, {
        name: "x",
        project: await world.project(),
        id: 7,
        widgets: [{ chart_type: "stat" }],
        widget_count: 9
      })
      expectSame("its widgets", [made.widgets, made.widget_count], [[], 0])
    }
  ],
  "widgets-listed": [
    "a dashboard shows its widgets and counts them, and they go with it",
    async (world) => {
      const { dashboard, made, path } = await widget(world)
      const shown = bodyOf(await world.get(`${PATHS.dashboards}${dashboard}/`), 200)
      expectSame(
        "its widgets",
        [listAt(shown, "widgets").map((one) => at(one, "id")), shown.widget_count],
        [[made.id], 1]
      )
      expectNoBody(await world.ask("DELETE", `${PATHS.dashboards}${dashboard}/`), 204)
      expectDetail(await world.get(path), 404)
      expectDetail(await world.get(`${PATHS.dashboards}${dashboard}/`), 404)
    }
  ]
})

/** A patch that the chart rules refuse of a bar over duration, with the fields that are at fault. */
const refusedPatches: ReadonlyArray<readonly [patch: object, ...paths: ReadonlyArray<string>]> = [
  [{ chart_type: "line" }, "aggregation_function", "time_period"],
  [{ chart_type: "pie" }, "aggregation_function", "time_period"],
  [{ chart_type: "pie", aggregation_function: "" }, "time_period"],
  [{ chart_type: "line", time_period: null }, "aggregation_function"],
  [{ chart_type: "stat" }, "field"],
  [{ field: "" }, "field"],
  [{ aggregation_function: null }, "aggregation_function"],
  [{ time_period: "" }, "time_period"],
  [{ field: null, aggregation_function: null, time_period: null }, "field", "aggregation_function", "time_period"],
  [{ field: "metric_evaluations.value" }, "metric"],
  [{ field: "metric_evaluations.value", metric: 999_999_999 }, "metric"],
  [{ field: "colour" }, "field"],
  [{ time_period: "year", metric: 999_999_999, name: "x".repeat(256) }, "time_period", "metric", "name"]
]

const update = checksOf("E3", {
  "answered-200": [
    "a patch is answered with the whole widget, laid over what was there",
    async (world) => {
      const { made, path } = await widget(world)
      expectShape("the widget", made, widgetShape)
      const changed = bodyOf(await world.patch(path, { name: "Longest calls", aggregation_function: "max" }), 200)
      expectShape("the widget", changed, widgetShape)
      expectSame(
        "the widget",
        { ...changed, updated_at: null },
        { ...made, name: "Longest calls", aggregation_function: "max", updated_at: null }
      )
      expectSame("what is read", bodyOf(await world.get(path), 200), changed)
    }
  ],
  "name-limit": [
    "name is optional and has at most 255 characters, field too",
    async (world) => {
      const { path } = await widget(world)
      for (const name of ["", "x".repeat(255), "😀".repeat(255)]) bodyOf(await world.patch(path, { name }), 200)
      for (const name of ["x".repeat(256), "😀".repeat(256)])
        expectOnlyFaults(await world.patch(path, { name }), "name")
      const field = `metadata.${"x".repeat(255 - 9)}`
      expectSame("field", bodyOf(await world.patch(path, { field }), 200).field, field)
      expectFaults(await world.patch(path, { field: `${field}x` }), "field")
    }
  ],
  "chart-rules": [
    "the chart rules judge the patched whole, and every fault is told; nothing is changed then",
    async (world) => {
      const { made, path } = await widget(world)
      for (const [patch, ...paths] of refusedPatches) expectOnlyFaults(await world.patch(path, patch), ...paths)
      expectSame("the widget", bodyOf(await world.get(path), 200), made)
    }
  ],
  "every-chart": [
    "a widget becomes any chart: blank and null choices are none",
    async (world) => {
      const { path } = await widget(world)
      const none = { aggregation_function: "", time_period: null }
      expectSame("chart_type", bodyOf(await world.patch(path, { chart_type: "pie", ...none }), 200).chart_type, "pie")
      const line = bodyOf(await world.patch(path, { chart_type: "line", data_type: "" }), 200)
      expectSame("the line", [line.aggregation_function, line.time_period], [null, null])
      bodyOf(await world.patch(path, { chart_type: "stat", field: "" }), 200)
      bodyOf(await world.patch(path, BAR), 200)
    }
  ],
  "metric-evaluations": [
    "metric_evaluations.value needs a metric of the dashboard's project, and metric_name names it",
    async (world) => {
      const { path } = await widget(world)
      const metric = await world.numericMetric()
      const changed = bodyOf(await world.patch(path, { field: "metric_evaluations.value", metric }), 200)
      expectSame("the metric", [changed.metric, changed.metric_name], [metric, "Conformance"])
      expectFaults(await world.patch(path, { metric: null }), "metric")
    }
  ],
  "group-by": [
    "group_by is a field, a bucket of milliseconds, or nothing",
    async (world) => {
      const { path } = await widget(world)
      for (const group of [
        { type: "field", field: "success" },
        { type: "bucket", interval: 60_000 }
      ]) {
        expectSame("group_by", bodyOf(await world.patch(path, { group_by: group }), 200).group_by, group)
      }
      bodyOf(await world.patch(path, { group_by: {} }), 200)
      bodyOf(await world.patch(path, { group_by: null }), 200)
    }
  ],
  "wrong-values": [
    "a wrong value in any field is a fault under its path",
    async (world) => {
      const { made, path } = await widget(world)
      for (const broken of breakages) expectFaults(await world.patch(path, broken.patch), broken.path)
      expectSame("the widget", bodyOf(await world.get(path), 200), made)
    }
  ],
  "read-only-ignored": [
    "read-only and unknown fields are passed over",
    async (world) => {
      const { made, path } = await widget(world)
      const changed = bodyOf(
        await world.patch(path, { id: 7, effective_filters: 5, metric_name: [], created_at: 1, colour: "red" }),
        200
      )
      expectSame("the widget", { ...changed, updated_at: null }, { ...made, updated_at: null })
    }
  ],
  "json-only": [
    "forms are answered with 415",
    async (world) => {
      const { path } = await widget(world)
      for (const request of [{ form: { name: "x" } }, { multipart: { name: "x" } }]) {
        expectDetail(await world.ask("PATCH", path, request), 415)
      }
    }
  ],
  unknown: [
    "an unknown widget is 404, and an unknown dashboard is a fault",
    async (world) => {
      expectDetail(await world.patch(`${PATHS.widgets}${world.nobody}/`, { name: "x" }), 404)
      const { path } = await widget(world)
      expectFaults(await world.patch(path, { dashboard: world.nobody }), "dashboard")
    }
  ]
})

const DAY = 86_400_000

/** Four calls of an agent of their own, named a to d. */
const fourCalls = async (world: World) => {
  const agent = await world.makeId(PATHS.agents, { project: await world.project(), name: "Filtered" })
  const now = Date.now()
  const names = new Map<unknown, string>()
  const call = async (
    name: string,
    seconds: number,
    ago: number,
    fields: Readonly<Record<string, unknown>>,
    success: boolean | null
  ) => {
    const made = await world.ingest({
      agent,
      call_id: name,
      timestamp: new Date(now - ago).toISOString(),
      transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: seconds }],
      ...fields
    })
    names.set(made.id, name)
    if (success !== null) bodyOf(await world.patch(`${PATHS.calls}${String(made.id)}/`, { success }), 200)
  }
  await call("a", 10, 3_600_000, { call_ended_reason: "hangup", metadata: { region: "eu", price: 5 } }, true)
  await call("b", 20, 3_600_000, { call_ended_reason: "transfer", metadata: { region: "us", price: 7.5 } }, false)
  await call("c", 30, 3_600_000, {}, null)
  await call("d", 40, 10 * DAY, { call_ended_reason: "Hangup late", metadata: { region: "eu", price: 0 } }, true)
  const matching = async (filter: unknown): Promise<string> => {
    const query = `agent_id=${agent}&limit=200&filters_v2=${encodeURIComponent(JSON.stringify(filter))}`
    const page = bodyOf(await world.get(`${PATHS.calls}?${query}`), 200)
    return listAt(page, "results")
      .map((one) => names.get(at(one, "id")) ?? "?")
      .sort()
      .join("")
  }
  return { agent, matching }
}

type Filter = Readonly<Record<string, unknown>>
const leaf = (field: string, op: string, value: unknown): Filter => ({ field, op, value })
const group = (operator: string, ...conditions: ReadonlyArray<Filter>): Filter => ({ operator, conditions })

/** What matches which of the four calls. Source: interface, Filter; design, section 4. */
const meanings: ReadonlyArray<readonly [Filter | null, string]> = [
  [null, "abcd"],
  [{}, "abcd"],
  [leaf("call_ended_reason", "eq", "hangup"), "a"],
  [leaf("call_ended_reason", "neq", "hangup"), "bcd"],
  [leaf("call_ended_reason", "contains", "angup"), "ad"],
  [leaf("call_ended_reason", "startswith", "H"), "d"],
  [leaf("call_ended_reason", "endswith", "late"), "d"],
  [leaf("call_ended_reason", "in", ["hangup", "transfer"]), "ab"],
  [leaf("call_ended_reason", "isnull", true), "c"],
  [leaf("call_ended_reason", "isnull", false), "abd"],
  [leaf("call_ended_reason", "regex", "^(hang|trans)"), "ab"],
  [leaf("duration", "gt", 20), "cd"],
  [leaf("duration", "gte", 20), "bcd"],
  [leaf("duration", "lt", 20), "a"],
  [leaf("duration", "lte", 20), "ab"],
  [leaf("metadata.region", "eq", "eu"), "ad"],
  [leaf("metadata.region", "neq", "eu"), "bc"],
  [leaf("metadata.price", "gte", 5), "ab"],
  [leaf("metadata.price", "lt", 5), "d"],
  [leaf("success", "eq", true), "ad"],
  [leaf("success", "neq", true), "bc"],
  [leaf("success", "isnull", true), "c"],
  [leaf("status", "eq", "failure"), "b"],
  [leaf("timestamp", "gte", "today-7d"), "abc"],
  [leaf("timestamp", "lt", "now-2d"), "d"],
  [leaf("timestamp", "gte", "now-1w-4d"), "abcd"],
  [group("and", leaf("duration", "gte", 20), leaf("metadata.region", "eq", "eu")), "d"],
  [group("or", leaf("duration", "gte", 40), leaf("metadata.region", "eq", "us")), "bd"],
  [group("not", leaf("duration", "gte", 40)), "abc"],
  [group("and", group("or", leaf("duration", "eq", 10), leaf("duration", "eq", 30)), leaf("success", "eq", true)), "a"]
]

const filters = checksOf("filters", {
  meaning: [
    "every operator and group means what the filter language says, in filters_v2 of the call logs",
    async (world) => {
      const { matching } = await fourCalls(world)
      for (const [filter, expected] of meanings) {
        expectSame(`what matches ${JSON.stringify(filter)}`, await matching(filter), expected)
      }
    }
  ],
  merged: [
    "a call matches effective_filters if and only if it matches the dashboard's filters and the widget's",
    async (world) => {
      const { matching } = await fourCalls(world)
      const scopes = [
        null,
        ...meanings.slice(12, 16).map(([filter]) => filter),
        ...meanings.slice(-4).map(([one]) => one)
      ]
      for (const outer of scopes) {
        const dashboard = await world.dashboard({ filters: outer })
        for (const inner of scopes) {
          const made = await world.make(PATHS.widgets, { dashboard, ...BAR, filters: inner })
          const both = [...(await matching(outer))].filter((name) => meaningOf(inner).includes(name)).join("")
          expectSame(
            `what matches ${JSON.stringify(made.effective_filters)}`,
            await matching(made.effective_filters),
            both
          )
        }
      }
    }
  ],
  refused: [
    "a wrong filter of a query is a fault under filters_v2",
    async (world) => {
      for (const [filter] of notFilters) {
        const query = encodeURIComponent(JSON.stringify(filter))
        expectFaultWithin(await world.get(`${PATHS.calls}?filters_v2=${query}`), "filters_v2")
      }
      expectFaultWithin(await world.get(`${PATHS.calls}?filters_v2=%7B`), "filters_v2")
    }
  ]
})

const meaningOf = (filter: Filter | null): string => meanings.find(([one]) => one === filter)?.[1] ?? ""

const CALLS = 20

/** Twenty calls of one day that last 1 to 20 seconds, half of those that are judged successful. */
const twentyCalls = async (world: World) => {
  const agent = await world.makeId(PATHS.agents, { project: await world.project(), name: "Charted" })
  for (let seconds = 1; seconds <= CALLS; seconds++) {
    const made = await world.ingest({
      agent,
      call_id: String(seconds),
      timestamp: `2026-03-10T${String(seconds).padStart(2, "0")}:00:00Z`,
      call_ended_reason: seconds <= 15 ? "hangup" : "transfer",
      transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: seconds }]
    })
    if (seconds <= 8) bodyOf(await world.patch(`${PATHS.calls}${String(made.id)}/`, { success: seconds <= 2 }), 200)
  }
  return world.dashboard({ filters: leaf("agent.id", "eq", agent) })
}

/** Of 1, 2, ... 20. Percentiles interpolate between ranks (docs/decisions/0030-percentiles-are-exact.md). */
const aggregates = { count: 20, sum: 210, avg: 10.5, min: 1, max: 20, p50: 10.5, p95: 19.05, p99: 19.81 } as const

const data = checksOf("widget-data", {
  aggregates: [
    "a bar shows count, sum, avg, min, max and exact percentiles of its field, a stat the four figures, a pie its slices",
    async (world) => {
      const dashboard = await twentyCalls(world)
      const show = async (fields: Readonly<Record<string, unknown>>) => {
        const preview = await world.post(`${PATHS.widgets}preview_data/`, { dashboard, ...fields })
        const id = await world.makeId(PATHS.widgets, { dashboard, ...fields })
        const shown = bodyOf(await world.get(`${PATHS.widgets}${id}/data/`), 200)
        expectSame("what is previewed", bodyOf(preview, 200), shown)
        return shown
      }
      for (const [name, expected] of Object.entries(aggregates)) {
        const shown = await show({ ...BAR, aggregation_function: name })
        const points = listAt(shown, "series", 0, "points")
        expectTrue(`${name} has ${points.length} points; expected the one day`, points.length === 1)
        expectNear(name, at(points[0], "value"), expected)
        expectSame("the day", new Date(String(at(points[0], "timestamp"))).toISOString(), "2026-03-10T00:00:00.000Z")
      }
      const stat = await show({ chart_type: "stat" })
      expectSame("total_calls", stat.total_calls, CALLS)
      expectNear("success_rate", stat.success_rate, 0.25)
      expectNear("avg_duration", stat.avg_duration, 10.5)
      expectTrue("there is no p95_latency", "p95_latency" in stat)
      const pie = await show({ chart_type: "pie", field: "call_ended_reason" })
      expectSame(
        "the slices",
        listAt(pie, "series", 0, "points").map((slice) => [at(slice, "key"), at(slice, "value")]),
        [
          ["hangup", 15],
          ["transfer", 5]
        ]
      )
    }
  ]
})

export const dashboards: ReadonlyArray<Check> = [...create, ...update, ...filters, ...data]
