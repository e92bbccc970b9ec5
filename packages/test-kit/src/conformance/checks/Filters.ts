/** The filter language, in the call logs and in widgets. */
import { type Fixture, PATHS } from "../Fixture.js"
import { listAt } from "../../Documents.js"
import { bodyOf, expectFieldErrorWithin, expectEqual } from "../Expect.js"
import { checksOf } from "../Check.js"
import {
  BAR,
  notFilters,
  finder,
  findable,
  HOUR,
  fourCalls,
  type Filter,
  leaf,
  group,
  evaluated,
  pointsOf
} from "./DashboardSupport.js"

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

/** What matches which of the four calls. Source: interface, Filter; docs/filters.md. */
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

const meaningOf = (filter: Filter | null): string => meanings.find(([one]) => one === filter)?.[1] ?? ""

export const filters = checksOf("filters", {
  meaning: [
    "every operator and group except same_row has the meaning of the filter language, in filters_v2 of the call logs",
    async (fixture) => {
      const { matching } = await fourCalls(fixture)
      for (const [filter, expected] of meanings) {
        expectEqual(`what matches ${JSON.stringify(filter)}`, await matching(filter), expected)
      }
    }
  ],
  fields: [
    "filters every field of a call, including each status, missing values and dynamic_variables",
    async (fixture) => {
      const { agent, matching } = await fiveCalls(fixture)
      for (const [filter, expected] of [...fieldMeanings, [leaf("agent.id", "eq", agent), "abcde"] as const]) {
        expectEqual(`what matches ${JSON.stringify(filter)}`, await matching(filter), expected)
      }
    }
  ],
  evaluations: [
    "leaves on metric_evaluations match any one evaluation, and same_row one evaluation that matches all of them",
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
        expectEqual(`what matches ${JSON.stringify(filter)}`, await matching(filter), expected)
      }
      const project = await fixture.project()
      const dashboard = await fixture.dashboard({ project, filters: leaf("agent.id", "eq", agent) })
      const preview = { dashboard, ...BAR, field: "metric_evaluations.value", aggregation_function: "sum" }
      const shown = bodyOf(await fixture.post(`${PATHS.widgets}preview_data/`, { ...preview, metric: first }), 200)
      expectEqual(
        "the sum of the first metric's values",
        pointsOf(shown).map(([, sum]) => sum),
        [7]
      )
    }
  ],
  merged: [
    "a call matches effective_filters if and only if it matches the filters of the dashboard and of the widget",
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
          expectEqual(
            `what matches ${JSON.stringify(made.effective_filters)}`,
            await matching(made.effective_filters),
            both
          )
        }
      }
    }
  ],
  rejected: [
    "reports an invalid filter of a query under filters_v2",
    async (fixture) => {
      for (const { input, wrong } of notFilters) {
        // Where merged filters come back there is room for one level more.
        if (wrong === "nested too deep") continue
        const query = encodeURIComponent(JSON.stringify(input))
        if (query.length <= LONGEST_QUERY)
          expectFieldErrorWithin(await fixture.get(`${PATHS.calls}?filters_v2=${query}`), "filters_v2")
      }
      expectFieldErrorWithin(await fixture.get(`${PATHS.calls}?filters_v2=%7B`), "filters_v2")
    }
  ]
})
