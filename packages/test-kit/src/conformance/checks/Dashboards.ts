/** E3, E5, filters and what widgets show. */
import { setTimeout as sleep } from "node:timers/promises"
import * as fc from "fast-check"
import { at, listAt } from "../../Documents.js"
import { invalidWidgetFields } from "../../dashboards/InvalidWidgets.js"
import { type InvalidFilter, invalidFilter, invalidFilters } from "../../filters/InvalidFilters.js"
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
  Skipped,
  text
} from "../Expect.js"
import { PATHS, type Fixture } from "../Fixture.js"

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
const widget = async (fixture: Fixture, fields: Readonly<Record<string, unknown>> = BAR) => {
  const dashboard = await fixture.dashboard()
  const made = await fixture.make(PATHS.widgets, { dashboard, ...fields })
  return { dashboard, made, path: `${PATHS.widgets}${String(made.id)}/` }
}

/** What no server reads as a document that a filter could stand in: told of the message as a whole. */
const NO_DOCUMENT = ["__proto__ as a key", "nested 2,000 deep"]

/** Wrong filters, each in its plainest form and some within others, with the path from the filter's root. */
const notFilters: ReadonlyArray<InvalidFilter> = [
  ...invalidFilters,
  ...fc.sample(invalidFilter, { seed: 8, numRuns: 60 })
].filter(({ wrong }) => !NO_DOCUMENT.includes(wrong))

/** Where the fault of a filter is told that stands in a field. */
const pathIn = (field: string, { path }: InvalidFilter): string =>
  path === "non_field_errors" ? field : `${field}.${path}`

const create = checksOf("E5", {
  "created-201": [
    "a dashboard is answered with 201 and all its fields, from JSON, a form and a multipart body",
    async (fixture) => {
      const filters = { operator: "and", conditions: [{ field: "success", op: "eq", value: true }] }
      const fields = { name: "Conformance", project: await fixture.project(), filters }
      for (const request of [{ json: fields }, { form: fields }, { multipart: fields }]) {
        const made = bodyOf(await fixture.ask("POST", PATHS.dashboards, request), 201)
        fixture.owes(`${PATHS.dashboards}${String(made.id)}/`)
        expectShape("the dashboard", made, dashboardShape)
        expectSame("the dashboard", [made.name, made.project, made.filters], [fields.name, fields.project, filters])
        expectSame("its widgets", [made.widgets, made.widget_count], [[], 0])
      }
    }
  ],
  "name-limit": [
    "name is required, not blank, and has at most 255 characters",
    async (fixture) => {
      const project = await fixture.project()
      await fixture.dashboard({ name: "x".repeat(255) })
      await fixture.dashboard({ name: "😀".repeat(255) })
      for (const name of ["x".repeat(256), "😀".repeat(256), "", "  ", null, 5]) {
        expectOnlyFaults(await fixture.post(PATHS.dashboards, { name, project }), "name")
      }
    }
  ],
  required: [
    "name and project are required, and both are told at once",
    async (fixture) => expectOnlyFaults(await fixture.post(PATHS.dashboards, {}), "name", "project")
  ],
  "unknown-project": [
    "a project that is not the organisation's is a fault of the field project",
    async (fixture) =>
      expectOnlyFaults(await fixture.post(PATHS.dashboards, { name: "x", project: fixture.nobody }), "project")
  ],
  filters: [
    "an empty filter matches everything, and a wrong one is a fault under its path",
    async (fixture) => {
      for (const filters of [null, {}, { operator: "and", conditions: [] }]) await fixture.dashboard({ filters })
      const project = await fixture.project()
      for (const wrong of notFilters) {
        const reply = await fixture.post(PATHS.dashboards, { name: "x", project, filters: wrong.input })
        expectFaults(reply, pathIn("filters", wrong))
      }
    }
  ],
  "read-only-ignored": [
    "read-only fields are passed over",
    async (fixture) => {
      const made = await fixture.make(PATHS.dashboards, {
        name: "x",
        project: await fixture.project(),
        id: 7,
        widgets: [{ chart_type: "stat" }],
        widget_count: 9
      })
      expectSame("its widgets", [made.widgets, made.widget_count], [[], 0])
    }
  ],
  patched: [
    "a patched dashboard has the new name and filters, its widgets too; a wrong one is a fault; it stays in its project",
    async (fixture) => {
      const project = await fixture.project()
      const { matching } = await fourCalls(fixture)
      const id = await fixture.dashboard({ filters: leaf("metadata.region", "eq", "eu") })
      const filters = leaf("duration", "gte", 20)
      const widget = await fixture.make(PATHS.widgets, { dashboard: id, ...BAR, filters })
      const path = `${PATHS.dashboards}${id}/`
      for (const name of ["x".repeat(255), "😀".repeat(255)]) {
        expectSame("name", bodyOf(await fixture.patch(path, { name }), 200).name, name)
      }
      const inner = leaf("success", "eq", true)
      expectSame("filters", bodyOf(await fixture.patch(path, { filters: inner }), 200).filters, inner)
      const seen = bodyOf(await fixture.get(`${PATHS.widgets}${String(widget.id)}/`), 200)
      expectSame("what matches the widget's effective_filters", await matching(seen.effective_filters), "d")
      const before = bodyOf(await fixture.get(path), 200)
      expectSame("the dashboard", [before.filters, before.project], [inner, project])
      for (const name of ["x".repeat(256), "😀".repeat(256), "", "  ", 5]) {
        expectOnlyFaults(await fixture.patch(path, { name }), "name")
      }
      for (const wrong of notFilters.slice(0, invalidFilters.length)) {
        expectFaults(await fixture.patch(path, { filters: wrong.input }), pathIn("filters", wrong))
      }
      const another = await fixture.elsewhere()
      for (const wrong of [another.project, fixture.nobody]) {
        expectFaults(await fixture.patch(path, { project: wrong }), "project")
      }
      expectSame("the dashboard", bodyOf(await fixture.get(path), 200), before)
    }
  ],
  "widgets-listed": [
    "a dashboard shows its widgets and counts them, and they go with it",
    async (fixture) => {
      const { dashboard, made, path } = await widget(fixture)
      const shown = bodyOf(await fixture.get(`${PATHS.dashboards}${dashboard}/`), 200)
      expectSame(
        "its widgets",
        [listAt(shown, "widgets").map((one) => at(one, "id")), shown.widget_count],
        [[made.id], 1]
      )
      expectNoBody(await fixture.ask("DELETE", `${PATHS.dashboards}${dashboard}/`), 204)
      expectDetail(await fixture.get(path), 404)
      expectDetail(await fixture.get(`${PATHS.dashboards}${dashboard}/`), 404)
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
    async (fixture) => {
      const { made, path } = await widget(fixture)
      expectShape("the widget", made, widgetShape)
      const changed = bodyOf(await fixture.patch(path, { name: "Longest calls", aggregation_function: "max" }), 200)
      expectShape("the widget", changed, widgetShape)
      expectSame(
        "the widget",
        { ...changed, updated_at: null },
        { ...made, name: "Longest calls", aggregation_function: "max", updated_at: null }
      )
      expectSame("what is read", bodyOf(await fixture.get(path), 200), changed)
    }
  ],
  "name-limit": [
    "name is optional and has at most 255 characters, field too",
    async (fixture) => {
      const { path } = await widget(fixture)
      for (const name of ["", "x".repeat(255), "😀".repeat(255)]) bodyOf(await fixture.patch(path, { name }), 200)
      for (const name of ["x".repeat(256), "😀".repeat(256)])
        expectOnlyFaults(await fixture.patch(path, { name }), "name")
      const field = `metadata.${"x".repeat(255 - 9)}`
      expectSame("field", bodyOf(await fixture.patch(path, { field }), 200).field, field)
      expectFaults(await fixture.patch(path, { field: `${field}x` }), "field")
    }
  ],
  "chart-rules": [
    "the chart rules judge the patched whole, and every fault is told; nothing is changed then",
    async (fixture) => {
      const { made, path } = await widget(fixture)
      for (const [patch, ...paths] of refusedPatches) expectOnlyFaults(await fixture.patch(path, patch), ...paths)
      expectSame("the widget", bodyOf(await fixture.get(path), 200), made)
    }
  ],
  "every-chart": [
    "a widget becomes any chart: blank and null choices are none",
    async (fixture) => {
      const { path } = await widget(fixture)
      const none = { aggregation_function: "", time_period: null }
      expectSame("chart_type", bodyOf(await fixture.patch(path, { chart_type: "pie", ...none }), 200).chart_type, "pie")
      const line = bodyOf(await fixture.patch(path, { chart_type: "line", data_type: "" }), 200)
      expectSame("the line", [line.aggregation_function, line.time_period], [null, null])
      bodyOf(await fixture.patch(path, { chart_type: "stat", field: "" }), 200)
      bodyOf(await fixture.patch(path, BAR), 200)
    }
  ],
  "metric-evaluations": [
    "metric_evaluations.value needs a metric, metric_name names it, and one of another project is a fault",
    async (fixture) => {
      const { path } = await widget(fixture)
      const { agent, project } = await fixture.elsewhere()
      const question = { agent, name: "Elsewhere", type: "llm_judge", eval_type: "numeric", prompt: "How many?" }
      const [theirs = 0] = await fixture.makeWithin(PATHS.metrics, [question])
      expectFaults(await fixture.patch(path, { field: "metric_evaluations.value", metric: theirs }), "metric")
      const metric = await fixture.numericMetric()
      const changed = bodyOf(await fixture.patch(path, { field: "metric_evaluations.value", metric }), 200)
      expectSame("the metric", [changed.metric, changed.metric_name], [metric, "Conformance"])
      expectFaults(await fixture.patch(path, { metric: null }), "metric")
      const [beside = 0] = await fixture.makeWithin(PATHS.dashboards, [{ name: "Elsewhere", project }])
      expectFaults(await fixture.patch(path, { dashboard: beside }), "metric")
      const moved = bodyOf(await fixture.patch(path, { dashboard: beside, metric: theirs }), 200)
      expectSame("the metric", [moved.dashboard, moved.metric, moved.metric_name], [beside, theirs, "Elsewhere"])
    }
  ],
  moved: [
    "a patch moves a widget to another dashboard, and effective_filters are those of that one and the widget's own",
    async (fixture) => {
      const { matching } = await fourCalls(fixture)
      const [from, to] = [
        await fixture.dashboard({ filters: leaf("metadata.region", "eq", "eu") }),
        await fixture.dashboard({ filters: leaf("duration", "gte", 20) })
      ]
      const { id } = await fixture.make(PATHS.widgets, {
        dashboard: from,
        ...BAR,
        filters: leaf("success", "eq", true)
      })
      const path = `${PATHS.widgets}${String(id)}/`
      const matched = async (patch: object) => {
        const changed = bodyOf(await fixture.patch(path, patch), 200)
        return [changed.dashboard, changed.filters, await matching(changed.effective_filters)]
      }
      const failed = leaf("success", "eq", false)
      expectSame("what is matched as it was", await matched({}), [from, leaf("success", "eq", true), "ad"])
      expectSame("what is matched by other filters", await matched({ filters: failed }), [from, failed, ""])
      expectSame("what is matched on another dashboard", await matched({ dashboard: to }), [to, failed, "b"])
      expectSame("what is matched without filters", await matched({ filters: {} }), [to, {}, "bcd"])
      const boards = [from, to].map((board) => fixture.get(`${PATHS.dashboards}${board}/`))
      const counts = (await Promise.all(boards)).map((board) => bodyOf(board, 200).widget_count)
      expectSame("widget_count", counts, [0, 1])
    }
  ],
  metadata: [
    "metadata is any value, and is answered as it was sent",
    async (fixture) => {
      const { path } = await widget(fixture)
      for (const metadata of [{ x: 1, size: { w: [2, 3.5] } }, [1, "a", null], "text", 7, false, {}, null]) {
        expectSame("metadata", bodyOf(await fixture.patch(path, { metadata }), 200).metadata, metadata)
        expectSame("metadata as it is read", bodyOf(await fixture.get(path), 200).metadata, metadata)
      }
    }
  ],
  "data-type": [
    "data_type is each of the five where the field may hold it, is inferred where it is blank or null, and else a fault",
    async (fixture) => {
      const { path } = await widget(fixture)
      const open = { field: "metadata.tier", aggregation_function: "count" }
      for (const data_type of ["numeric", "boolean", "string", "datetime", "dynamic"]) {
        const changed = bodyOf(await fixture.patch(path, { ...open, data_type }), 200)
        expectSame("data_type", [changed.data_type, changed.field], [data_type, open.field])
      }
      for (const data_type of ["", null]) {
        const inferred = async (fields: object) =>
          bodyOf(await fixture.patch(path, { aggregation_function: "count", data_type, ...fields }), 200).data_type
        expectSame("data_type of a document's field", await inferred(open), "dynamic")
        expectSame("data_type of duration", await inferred({ field: "duration" }), "numeric")
        expectSame("data_type of success", await inferred({ field: "success" }), "boolean")
        expectSame("data_type of call_ended_reason", await inferred({ field: "call_ended_reason" }), "string")
        expectSame("data_type of timestamp", await inferred({ field: "timestamp" }), "datetime")
      }
      expectFaults(await fixture.patch(path, { field: "duration", data_type: "string" }), "data_type")
      expectFaults(await fixture.patch(path, { data_type: "text" }), "data_type")
    }
  ],
  "group-by": [
    "group_by is a field, a bucket of milliseconds, or nothing",
    async (fixture) => {
      const { path } = await widget(fixture)
      for (const group of [
        { type: "field", field: "success" },
        { type: "bucket", interval: 60_000 }
      ]) {
        expectSame("group_by", bodyOf(await fixture.patch(path, { group_by: group }), 200).group_by, group)
      }
      bodyOf(await fixture.patch(path, { group_by: {} }), 200)
      bodyOf(await fixture.patch(path, { group_by: null }), 200)
    }
  ],
  "wrong-values": [
    "a wrong value in any field is a fault under its path",
    async (fixture) => {
      const { made, path } = await widget(fixture)
      for (const broken of invalidWidgetFields) expectFaults(await fixture.patch(path, broken.patch), broken.path)
      expectSame("the widget", bodyOf(await fixture.get(path), 200), made)
    }
  ],
  "read-only-ignored": [
    "read-only and unknown fields are passed over",
    async (fixture) => {
      const { made, path } = await widget(fixture)
      const changed = bodyOf(
        await fixture.patch(path, { id: 7, effective_filters: 5, metric_name: [], created_at: 1, colour: "red" }),
        200
      )
      expectSame("the widget", { ...changed, updated_at: null }, { ...made, updated_at: null })
    }
  ],
  "json-only": [
    "forms are answered with 415",
    async (fixture) => {
      const { path } = await widget(fixture)
      for (const request of [{ form: { name: "x" } }, { multipart: { name: "x" } }]) {
        expectDetail(await fixture.ask("PATCH", path, request), 415)
      }
    }
  ],
  unknown: [
    "an unknown widget is 404, and an unknown dashboard is a fault",
    async (fixture) => {
      expectDetail(await fixture.patch(`${PATHS.widgets}${fixture.nobody}/`, { name: "x" }), 404)
      const { path } = await widget(fixture)
      expectFaults(await fixture.patch(path, { dashboard: fixture.nobody }), "dashboard")
    }
  ]
})

const DAY = 86_400_000

/** A call to be found: its length in seconds, how many milliseconds ago it was, its fields, and what a person said of it. */
type Found = readonly [seconds: number, ago: number, fields: object, review: object]

/** Finds an agent's calls by a filter: their names in order. */
const finder =
  (fixture: Fixture, agent: number, names: ReadonlyMap<unknown, string>) =>
  async (filter: unknown): Promise<string> => {
    const query = `agent_id=${agent}&limit=200&filters_v2=${encodeURIComponent(JSON.stringify(filter))}`
    const page = bodyOf(await fixture.get(`${PATHS.calls}?${query}`), 200)
    return listAt(page, "results")
      .map((one) => names.get(at(one, "id")) ?? "?")
      .sort()
      .join("")
  }

/** Calls of an agent of their own, by name: what finds them by filters. */
const findable = async (fixture: Fixture, calls: Readonly<Record<string, Found>>) => {
  const agent = await fixture.quietAgent("Filtered")
  const now = Date.now()
  const names = new Map<unknown, string>()
  for (const [name, [seconds, ago, fields, review]] of Object.entries(calls)) {
    const made = await fixture.ingest({
      agent,
      call_id: name,
      timestamp: new Date(now - ago).toISOString(),
      transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: seconds }],
      ...fields
    })
    names.set(made.id, name)
    if (Object.keys(review).length > 0) bodyOf(await fixture.patch(`${PATHS.calls}${String(made.id)}/`, review), 200)
  }
  return { agent, matching: finder(fixture, agent, names) }
}

const HOUR = 3_600_000

const fourCalls = (fixture: Fixture) =>
  findable(fixture, {
    a: [10, HOUR, { call_ended_reason: "hangup", metadata: { region: "eu", price: 5 } }, { success: true }],
    b: [20, HOUR, { call_ended_reason: "transfer", metadata: { region: "us", price: 7.5 } }, { success: false }],
    c: [30, HOUR, {}, {}],
    d: [40, 10 * DAY, { call_ended_reason: "Hangup late", metadata: { region: "eu", price: 0 } }, { success: true }]
  })

const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"

const fiveCalls = (fixture: Fixture) =>
  findable(fixture, {
    a: [10, HOUR, { trace_id: TRACE, dynamic_variables: { tier: "gold", seats: 2 } }, { success: true }],
    b: [20, HOUR, { customer_number: "+15550140", dynamic_variables: { tier: "silver" } }, { success: false }],
    c: [
      30,
      HOUR,
      { trace_id: "c", dynamic_variables: { plan: { level: 3 } } },
      { success: true, is_reviewed: true, topic: "Billing", dropoff_point: "Greeting" }
    ],
    d: [40, HOUR, { feedback: "Too slow" }, { success: false, is_reviewed: true }],
    e: [50, HOUR, { dynamic_variables: { tier: null } }, {}]
  })

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

/** What matches which of the five calls. Source: docs/filters.md, Fields. */
const fieldMeanings: ReadonlyArray<readonly [Filter, string]> = [
  [leaf("status", "eq", "success"), "a"],
  [leaf("status", "eq", "failure"), "b"],
  [leaf("status", "eq", "reviewed_success"), "c"],
  [leaf("status", "eq", "reviewed_failure"), "d"],
  [leaf("status", "neq", "success"), "bcde"],
  [leaf("status", "in", ["failure", "reviewed_failure"]), "bd"],
  [leaf("status", "startswith", "reviewed_"), "cd"],
  [leaf("status", "isnull", true), "e"],
  [leaf("status", "isnull", false), "abcd"],
  [leaf("is_reviewed", "eq", true), "cd"],
  [leaf("is_reviewed", "neq", true), "abe"],
  [leaf("trace_id", "isnull", true), "bde"],
  [leaf("trace_id", "isnull", false), "ac"],
  [leaf("trace_id", "eq", TRACE), "a"],
  [leaf("trace_id", "neq", TRACE), "bcde"],
  [leaf("dynamic_variables.tier", "eq", "gold"), "a"],
  [leaf("dynamic_variables.tier", "neq", "gold"), "bcde"],
  [leaf("dynamic_variables.tier", "isnull", true), "cde"],
  [leaf("dynamic_variables.tier", "gt", "gold"), "b"],
  [leaf("dynamic_variables.seats", "gte", 2), "a"],
  [leaf("dynamic_variables.seats", "eq", "2"), ""],
  [leaf("dynamic_variables.plan.level", "in", [3, "x"]), "c"],
  [leaf("dynamic_variables.plan", "isnull", false), "c"],
  [leaf("customer_number", "endswith", "0140"), "b"],
  [leaf("customer_number", "isnull", true), "acde"],
  [leaf("topic", "eq", "Billing"), "c"],
  [leaf("dropoff_point", "contains", "reet"), "c"],
  [leaf("feedback", "regex", "(?i)too"), "d"],
  [leaf("call_id", "in", ["a", "b"]), "ab"],
  [leaf("agent.agent_name", "eq", "Filtered"), "abcde"],
  [leaf("agent.id", "gt", 0), "abcde"],
  [leaf("id", "lt", 1), ""],
  [group("and", leaf("success", "eq", true), group("not", leaf("is_reviewed", "eq", true))), "a"]
]

/** Seconds in which a server has evaluated a handful of calls. */
const PATIENCE_SECONDS = 20

/** Asks until it holds; where it does not in time, the server evaluates nothing for now. */
const evaluated = async (holds: () => Promise<boolean>): Promise<void> => {
  const until = Date.now() + PATIENCE_SECONDS * 1000
  while (!(await holds())) {
    if (Date.now() > until) throw new Skipped(`the server evaluated no metric in ${PATIENCE_SECONDS} seconds`)
    await sleep(100)
  }
}

/** Four calls of which all but the last were asked two questions; of c the second came to no value. */
const evaluatedCalls = async (fixture: Fixture) => {
  const agent = await fixture.quietAgent("Evaluated")
  const metric = (name: string, key: string) =>
    fixture.makeId(PATHS.metrics, {
      agent,
      name,
      type: "custom_code",
      eval_type: "numeric",
      custom_code: `return { value: call.metadata.${key}, explanation: "As it was sent." }`
    })
  const [first, second] = [await metric("First", "first"), await metric("Second", "second")]
  const names = new Map<unknown, string>()
  const call = async (name: string, fields: object) => {
    const { id } = await fixture.ingest({ agent, call_id: name, ...fields })
    names.set(id, name)
    return `${PATHS.calls}${String(id)}/`
  }
  const asked = (values: object) => ({
    metadata: values,
    metric_ids: `${first},${second}`,
    transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: 1 }]
  })
  const paths = [
    await call("a", asked({ first: 1, second: 5 })),
    await call("b", asked({ first: 5, second: 1 })),
    await call("c", asked({ first: 1, second: null }))
  ]
  await call("d", {})
  for (const path of paths)
    await evaluated(async () => listAt(bodyOf(await fixture.get(path), 200), "metrics").length === 2)
  return { agent, first, matching: finder(fixture, agent, names), second }
}

/** Characters that any server and proxy takes of a query. */
const LONGEST_QUERY = 4000

const filters = checksOf("filters", {
  meaning: [
    "every operator and group but same_row means what the filter language says, in filters_v2 of the call logs",
    async (fixture) => {
      const { matching } = await fourCalls(fixture)
      for (const [filter, expected] of meanings) {
        expectSame(`what matches ${JSON.stringify(filter)}`, await matching(filter), expected)
      }
    }
  ],
  fields: [
    "every field of a call is asked, each status among them, what is missing, and what lies in dynamic_variables",
    async (fixture) => {
      const { agent, matching } = await fiveCalls(fixture)
      for (const [filter, expected] of [...fieldMeanings, [leaf("agent.id", "eq", agent), "abcde"] as const]) {
        expectSame(`what matches ${JSON.stringify(filter)}`, await matching(filter), expected)
      }
    }
  ],
  evaluations: [
    "leaves about metric_evaluations look for one evaluation each, and same_row for one of which all of them hold",
    async (fixture) => {
      const { agent, first, matching, second } = await evaluatedCalls(fixture)
      const value = (op: string, of: unknown) => leaf("metric_evaluations.value", op, of)
      const id = (of: number) => leaf("metric_evaluations.metric.id", "eq", of)
      const name = (of: string) => leaf("metric_evaluations.metric.name", "eq", of)
      const cases: ReadonlyArray<readonly [Filter, string]> = [
        [value("gte", 5), "ab"],
        [value("neq", 1), "abc"],
        [value("isnull", true), "c"],
        [id(second), "abc"],
        [name("First"), "abc"],
        [leaf("metric_evaluations.metric.name", "in", ["Third"]), ""],
        [group("not", leaf("metric_evaluations.metric.id", "gte", 0)), "d"],
        [group("and", id(first), value("gte", 5)), "ab"],
        [group("same_row", id(first), value("gte", 5)), "b"],
        [group("same_row", name("Second"), value("lt", 5)), "b"],
        [group("same_row", id(second), value("isnull", true)), "c"],
        [group("same_row", id(first), group("not", value("eq", 1))), "b"],
        [group("same_row", group("or", id(first), id(second)), value("eq", 5)), "ab"],
        [group("not", group("same_row", id(first), value("eq", 1))), "bd"],
        [group("same_row"), "abcd"]
      ]
      for (const [filter, expected] of cases) {
        expectSame(`what matches ${JSON.stringify(filter)}`, await matching(filter), expected)
      }
      const project = await fixture.project()
      const dashboard = await fixture.dashboard({ project, filters: leaf("agent.id", "eq", agent) })
      const preview = { dashboard, ...BAR, field: "metric_evaluations.value", aggregation_function: "sum" }
      const shown = bodyOf(await fixture.post(`${PATHS.widgets}preview_data/`, { ...preview, metric: first }), 200)
      expectSame(
        "the sum of the first metric's values",
        pointsOf(shown).map(([, sum]) => sum),
        [7]
      )
    }
  ],
  merged: [
    "a call matches effective_filters if and only if it matches the dashboard's filters and the widget's",
    async (fixture) => {
      const { matching } = await fourCalls(fixture)
      const scopes = [
        null,
        ...meanings.slice(12, 16).map(([filter]) => filter),
        ...meanings.slice(-4).map(([one]) => one)
      ]
      for (const outer of scopes) {
        const dashboard = await fixture.dashboard({ filters: outer })
        for (const inner of scopes) {
          const made = await fixture.make(PATHS.widgets, { dashboard, ...BAR, filters: inner })
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
    async (fixture) => {
      for (const { input, wrong } of notFilters) {
        // Where merged filters come back there is room for one level more.
        if (wrong === "nested too deep") continue
        const query = encodeURIComponent(JSON.stringify(input))
        if (query.length <= LONGEST_QUERY)
          expectFaultWithin(await fixture.get(`${PATHS.calls}?filters_v2=${query}`), "filters_v2")
      }
      expectFaultWithin(await fixture.get(`${PATHS.calls}?filters_v2=%7B`), "filters_v2")
    }
  ]
})

const meaningOf = (filter: Filter | null): string => meanings.find(([one]) => one === filter)?.[1] ?? ""

/** Of a chart with one series: when each point begins, and its value. */
const pointsOf = (shown: unknown, series = 0): ReadonlyArray<readonly [begins: string, value: unknown]> =>
  listAt(shown, "series", series, "points").map((point) => [
    new Date(String(at(point, "timestamp"))).toISOString().slice(0, 16),
    at(point, "value")
  ])

const CALLS = 20

/** Twenty calls of one day that last 1 to 20 seconds, half of those that are judged successful. */
const twentyCalls = async (fixture: Fixture) => {
  const agent = await fixture.quietAgent("Charted")
  for (let seconds = 1; seconds <= CALLS; seconds++) {
    const made = await fixture.ingest({
      agent,
      call_id: String(seconds),
      timestamp: `2026-03-10T${String(seconds).padStart(2, "0")}:00:00Z`,
      call_ended_reason: seconds <= 15 ? "hangup" : "transfer",
      transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: seconds }]
    })
    if (seconds <= 8) bodyOf(await fixture.patch(`${PATHS.calls}${String(made.id)}/`, { success: seconds <= 2 }), 200)
  }
  return fixture.dashboard({ filters: leaf("agent.id", "eq", agent) })
}

/** Of 1, 2, ... 20. Percentiles interpolate between ranks (docs/decisions/0030-exact-percentiles.md). */
const aggregates = { count: 20, sum: 210, avg: 10.5, min: 1, max: 20, p50: 10.5, p95: 19.05, p99: 19.81 } as const

const data = checksOf("widget-data", {
  aggregates: [
    "a bar shows count, sum, avg, min, max and exact percentiles of its field, a stat the four figures, a pie its slices",
    async (fixture) => {
      const dashboard = await twentyCalls(fixture)
      const show = async (fields: Readonly<Record<string, unknown>>) => {
        const preview = await fixture.post(`${PATHS.widgets}preview_data/`, { dashboard, ...fields })
        const id = await fixture.makeId(PATHS.widgets, { dashboard, ...fields })
        const shown = bodyOf(await fixture.get(`${PATHS.widgets}${id}/data/`), 200)
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
  ],
  latency: [
    "p95_latency is the 95th percentile, in milliseconds, of what the calls' latency_ms came to",
    async (fixture) => {
      const agent = await fixture.quietAgent("Timed")
      const of = { project: await fixture.project(), filters: leaf("agent.id", "eq", agent) }
      const stat = { dashboard: await fixture.dashboard(of), chart_type: "stat" }
      const show = async () => bodyOf(await fixture.post(`${PATHS.widgets}preview_data/`, stat), 200).p95_latency
      expectSame("p95_latency of no calls", await show(), null)
      const paths: Array<string> = []
      for (let tenths = 1; tenths <= CALLS; tenths++) {
        const { id } = await fixture.ingest({
          agent,
          call_id: String(tenths),
          transcript_json: [
            { role: "Testing Agent", content: "Hello?", start_time: 0, end_time: 1 },
            { role: "Main Agent", content: "Hello", start_time: 1 + tenths / 10, end_time: 4 }
          ]
        })
        paths.push(`${PATHS.calls}${String(id)}/`)
      }
      for (const path of paths)
        await evaluated(async () => listAt(bodyOf(await fixture.get(path), 200), "metrics").length > 0)
      // Of 100, 200, ... 2000.
      expectNear("p95_latency", await show(), 1905)
    }
  ],
  periods: [
    "bars of hours, days, weeks from Monday on and months begin where those do, in UTC; a line shows its field's mean",
    async (fixture) => {
      const agent = await fixture.quietAgent("Charted by time")
      const call = async (call_id: string, timestamp: string, seconds: number, success: boolean) => {
        const made = await fixture.ingest({
          agent,
          call_id,
          timestamp,
          call_ended_reason: success ? "hangup" : "transfer",
          transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: seconds }]
        })
        bodyOf(await fixture.patch(`${PATHS.calls}${String(made.id)}/`, { success }), 200)
      }
      // A Sunday and a Monday, then a Tuesday and a Wednesday of two months and one week.
      await call("a", "2026-03-01T23:59:59.999Z", 5, true)
      await call("b", "2026-03-02T00:00:00Z", 7, true)
      await call("c", "2026-03-02T00:45:00Z", 9, false)
      await call("d", "2026-03-31T10:00:00Z", 11, true)
      await call("e", "2026-04-01T02:00:00+02:00", 13, true)
      const dashboard = await fixture.dashboard({ filters: leaf("agent.id", "eq", agent) })
      const show = async (fields: object) =>
        bodyOf(await fixture.post(`${PATHS.widgets}preview_data/`, { dashboard, ...fields }), 200)
      const bar = { chart_type: "bar", field: "duration", aggregation_function: "sum" }
      const early = { filters: leaf("timestamp", "lt", "2026-03-03") }
      const known = (points: ReturnType<typeof pointsOf>) => points.filter(([, value]) => value !== null)

      const hours = await show({ ...bar, ...early, time_period: "hour" })
      expectSame("the hours", pointsOf(hours), [
        ["2026-03-01T23:00", 5],
        ["2026-03-02T00:00", 16]
      ])
      const days = await show({ ...bar, time_period: "day" })
      expectSame("the number of days", pointsOf(days).length, 32)
      expectSame("the days", known(pointsOf(days)), [
        ["2026-03-01T00:00", 5],
        ["2026-03-02T00:00", 16],
        ["2026-03-31T00:00", 11],
        ["2026-04-01T00:00", 13]
      ])
      const weeks = await show({ ...bar, time_period: "week" })
      expectSame("the weeks", pointsOf(weeks), [
        ["2026-02-23T00:00", 5],
        ["2026-03-02T00:00", 16],
        ["2026-03-09T00:00", null],
        ["2026-03-16T00:00", null],
        ["2026-03-23T00:00", null],
        ["2026-03-30T00:00", 24]
      ])
      const counted = await show({ ...bar, aggregation_function: "count", time_period: "week" })
      expectSame(
        "the calls of the weeks",
        pointsOf(counted).map(([, count]) => count),
        [1, 2, 0, 0, 0, 2]
      )
      const months = await show({ ...bar, time_period: "month" })
      expectSame("the months", pointsOf(months), [
        ["2026-03-01T00:00", 32],
        ["2026-04-01T00:00", 13]
      ])
      const line = await show({ chart_type: "line", field: "duration", ...early })
      expectSame("the line's hours", pointsOf(line), [
        ["2026-03-01T23:00", 5],
        ["2026-03-02T00:00", 8]
      ])
      const share = await show({ chart_type: "line", field: "success", ...early })
      expectSame(
        "the line of success",
        pointsOf(share).map(([, value]) => value),
        [1, 0.5]
      )
      const halves = { type: "bucket", interval: 1_800_000 }
      const buckets = await show({ ...bar, ...early, time_period: "hour", group_by: halves })
      expectSame("the half hours", pointsOf(buckets), [
        ["2026-03-01T23:30", 5],
        ["2026-03-02T00:00", 7],
        ["2026-03-02T00:30", 9]
      ])
      const reasons = { type: "field", field: "call_ended_reason" }
      const grouped = await show({ ...bar, time_period: "month", group_by: reasons })
      expectSame(
        "the series",
        listAt(grouped, "series").map((series, position) => [at(series, "key"), pointsOf(grouped, position)]),
        [
          [
            "hangup",
            [
              ["2026-03-01T00:00", 23],
              ["2026-04-01T00:00", 13]
            ]
          ],
          [
            "transfer",
            [
              ["2026-03-01T00:00", 9],
              ["2026-04-01T00:00", null]
            ]
          ]
        ]
      )
    }
  ]
})

export const dashboards: ReadonlyArray<Check> = [...create, ...update, ...filters, ...data]
