import { Filters } from "@earshot/core"
import { FilterKit } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"

const now = DateTime.unsafeMake("2026-03-31T10:20:30.456Z")

const call: Filters.FilterableCall = {
  id: 7,
  callId: "call-7",
  traceId: null,
  timestamp: DateTime.unsafeMake("2026-03-24T00:00:00.000Z"),
  duration: 61.5,
  success: true,
  isReviewed: false,
  customerNumber: "+49 30 1",
  callEndedReason: "",
  dropoffPoint: null,
  topic: "Billing: it's 100%",
  feedback: null,
  agentId: 2,
  agentName: "Front desk",
  metadata: {
    region: "eu",
    tier: 5,
    vip: true,
    none: null,
    list: [1, 2],
    deep: { "0": "zero", a: { b: 1.5 } },
    "x.y": 1
  },
  dynamicVariables: "no object",
  evaluations: [
    { metricId: 1, metricName: "Politeness", value: 4 },
    { metricId: 2, metricName: "Resolved", value: true },
    { metricId: 3, metricName: "Tone", value: null },
    { metricId: 4, metricName: "Mood", value: "calm" }
  ]
}

const ask = (field: string, op: string, value: unknown, one: Filters.FilterableCall = call): boolean => {
  const filter = Either.getOrThrowWith(
    Filters.parse({ field, op, value }),
    (faults) => new Error(JSON.stringify(faults))
  )
  return Filters.matches(filter, one, now)
}

describe("what a filter means", () => {
  it.each(FilterKit.meaningLaws(Filters.matches).map((law) => [law.says, law] as const))("%s", (_, law) => law.check())

  it.each([
    ["id", "eq", 7, true],
    ["id", "in", [6, 7], true],
    ["duration", "gt", 61.5, false],
    ["duration", "gte", 61.5, true],
    ["success", "in", [true, false], true],
    ["is_reviewed", "eq", false, true],
    ["agent.id", "lt", 3, true],
    ["agent.agent_name", "eq", "front desk", false],
    ["agent.agent_name", "contains", "desk", true],
    ["topic", "contains", "100%", true],
    ["topic", "contains", "billing", false],
    ["topic", "startswith", "Bill", true],
    ["topic", "endswith", "%", true],
    ["topic", "contains", "", true],
    ["topic", "regex", "it.s [0-9]+", true],
    ["topic", "regex", "^it's", false],
    ["topic", "regex", "(?i)^BILLING", true],
    ["topic", "gt", "Bill", true],
    ["status", "eq", "success", true],
    ["status", "startswith", "reviewed_", false],
    ["status", "regex", "^(reviewed_)?success$", true]
  ])("%s %s %j is %s", (field, op, value, expected) => {
    expect(ask(field, op, value)).toBe(expected)
  })

  it("tells an empty text from a missing one", () => {
    expect(ask("call_ended_reason", "isnull", true)).toBe(false)
    expect(ask("call_ended_reason", "eq", "")).toBe(true)
    expect(ask("feedback", "isnull", true)).toBe(true)
    expect(ask("feedback", "eq", "")).toBe(false)
    expect(ask("feedback", "neq", "")).toBe(true)
    expect(ask("feedback", "contains", "")).toBe(false)
    expect(ask("feedback", "lt", "z")).toBe(false)
  })

  it("has no status while success is not known", () => {
    const unknown = { ...call, success: null, isReviewed: true }
    expect(ask("status", "isnull", true, unknown)).toBe(true)
    expect(ask("success", "isnull", true, unknown)).toBe(true)
    expect(ask("status", "neq", "success", unknown)).toBe(true)
    expect(ask("success", "eq", false, unknown)).toBe(false)
    expect(ask("status", "eq", "reviewed_failure", { ...call, success: false, isReviewed: true })).toBe(true)
  })

  it("compares values of JSON by type and value", () => {
    expect(ask("metadata.tier", "eq", 5)).toBe(true)
    expect(ask("metadata.tier", "eq", "5")).toBe(false)
    expect(ask("metadata.tier", "neq", "5")).toBe(true)
    expect(ask("metadata.tier", "gt", "4")).toBe(false)
    expect(ask("metadata.tier", "contains", "5")).toBe(false)
    expect(ask("metadata.vip", "eq", 1)).toBe(false)
    expect(ask("metadata.vip", "in", ["true", 1, true])).toBe(true)
    expect(ask("metadata.region", "in", [5, "eu"])).toBe(true)
    expect(ask("metadata.deep.a.b", "gte", 1.5)).toBe(true)
  })

  it("takes relative times for plain texts where no time is kept", () => {
    expect(ask("metadata.when", "eq", "today-7d", { ...call, metadata: { when: "today-7d" } })).toBe(true)
  })

  it("steps into objects only, by key", () => {
    expect(ask("metadata.deep.0", "eq", "zero")).toBe(true)
    expect(ask("metadata.list.0", "isnull", true)).toBe(true)
    expect(ask("metadata.region.length", "isnull", true)).toBe(true)
    expect(ask("metadata.x.y", "isnull", true)).toBe(true)
    expect(ask("metadata.toString", "isnull", true)).toBe(true)
    expect(ask("dynamic_variables.a", "isnull", true)).toBe(true)
  })

  it("sees JSON's null as missing, and objects and lists as values that nothing is equal to", () => {
    expect(ask("metadata.none", "isnull", true)).toBe(true)
    expect(ask("metadata.list", "isnull", true)).toBe(false)
    expect(ask("metadata.deep", "isnull", false)).toBe(true)
    expect(ask("metadata.deep", "neq", "x")).toBe(true)
    expect(ask("metadata.list", "contains", "1")).toBe(false)
  })

  it("orders texts by code point", () => {
    const emoji = { ...call, topic: "\u{1f600}" }
    expect(ask("topic", "gt", "\uff5e", emoji)).toBe(true)
  })

  it("asks of times up to the end of a day", () => {
    const late = { ...call, timestamp: DateTime.unsafeMake("2026-03-24T23:59:59.999Z") }
    const next = { ...call, timestamp: DateTime.unsafeMake("2026-03-25T00:00:00.000Z") }
    const answers = (op: string, value: unknown) => [call, late, next].map((one) => ask("timestamp", op, value, one))
    expect(answers("gte", "today-7d")).toEqual([true, true, true])
    expect(answers("gt", "today-7d")).toEqual([false, false, true])
    expect(answers("lt", "today-7d")).toEqual([false, false, false])
    expect(answers("lte", "today-7d")).toEqual([true, true, false])
    expect(answers("eq", "today-7d")).toEqual([true, true, false])
    expect(answers("neq", "2026-03-24")).toEqual([false, false, true])
    expect(answers("in", ["2026-03-25", "2026-03-24T23:59:59.999Z"])).toEqual([false, true, true])
    expect(answers("eq", "2026-03-24T00:00:00Z")).toEqual([true, false, false])
    expect(answers("gte", "now-7d")).toEqual([false, true, true])
  })

  it("asks of evaluations whether there is one that holds", () => {
    expect(ask("metric_evaluations.value", "gte", 4)).toBe(true)
    expect(ask("metric_evaluations.value", "eq", true)).toBe(true)
    expect(ask("metric_evaluations.value", "eq", 1)).toBe(false)
    expect(ask("metric_evaluations.value", "isnull", true)).toBe(true)
    expect(ask("metric_evaluations.metric.name", "regex", "^Re")).toBe(true)
    expect(ask("metric_evaluations.metric.id", "neq", 1)).toBe(true)
    const none = { ...call, evaluations: [] }
    expect(ask("metric_evaluations.value", "isnull", true, none)).toBe(false)
    expect(ask("metric_evaluations.value", "neq", 4, none)).toBe(false)
  })

  it("asks all conditions of same_row of one evaluation", () => {
    const metric = (id: number): Filters.Leaf => ({ field: "metric_evaluations.metric.id", op: "eq", value: id })
    const value: Filters.Leaf = { field: "metric_evaluations.value", op: "gte", value: 4 }
    const group = (operator: Filters.GroupOperator, ...conditions: ReadonlyArray<Filters.Condition>) =>
      Filters.matches({ operator, conditions }, call, now)
    expect(group("same_row", metric(1), value)).toBe(true)
    expect(group("same_row", metric(2), value)).toBe(false)
    expect(group("and", metric(2), value)).toBe(true)
    expect(group("same_row", metric(2), { operator: "not", conditions: [value] })).toBe(true)
  })

  it("lets through nothing for a leaf that no parser makes", () => {
    const made: ReadonlyArray<Filters.Leaf> = [
      { field: "nope", op: "neq", value: 1 },
      { field: "topic", op: "regex", value: "(" },
      { field: "topic", op: "eq", value: 5 },
      { field: "success", op: "gt", value: true },
      { field: "topic", op: "in", value: "Billing" },
      { field: "timestamp", op: "lt", value: "whenever" }
    ]
    expect(made.map((leaf) => Filters.matches(leaf, call, now))).toEqual(made.map(() => false))
  })
})
