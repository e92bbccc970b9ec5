import { Filters } from "@earshot/core"
import { FilterKit } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import { compileLeaf, predicate } from "../../src/filters/CompiledLeaf.js"

const now = DateTime.unsafeMake("2026-03-31T10:20:30.456Z")

const call: FilterKit.FilterableCall = {
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

const ask = (field: string, op: string, value: unknown, one: FilterKit.FilterableCall = call): boolean => {
  const filter = Either.getOrThrowWith(
    Filters.parse({ field, op, value }),
    (errors) => new Error(JSON.stringify(errors))
  )
  return FilterKit.matches(filter, one, now)
}

describe("the reference matcher", () => {
  it.each(FilterKit.meaningProperties(FilterKit.matches).map((property) => [property.name, property] as const))(
    "%s",
    (_, property) => property.check()
  )

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

  it("distinguishes an empty text from a missing one", () => {
    expect(ask("call_ended_reason", "isnull", true)).toBe(false)
    expect(ask("call_ended_reason", "eq", "")).toBe(true)
    expect(ask("feedback", "isnull", true)).toBe(true)
    expect(ask("feedback", "eq", "")).toBe(false)
    expect(ask("feedback", "neq", "")).toBe(true)
    expect(ask("feedback", "contains", "")).toBe(false)
    expect(ask("feedback", "lt", "z")).toBe(false)
  })

  it("treats the status as missing while success is unknown", () => {
    const unknown = { ...call, success: null, isReviewed: true }
    expect(ask("status", "isnull", true, unknown)).toBe(true)
    expect(ask("success", "isnull", true, unknown)).toBe(true)
    expect(ask("status", "neq", "success", unknown)).toBe(true)
    expect(ask("success", "eq", false, unknown)).toBe(false)
    expect(ask("status", "eq", "reviewed_failure", { ...call, success: false, isReviewed: true })).toBe(true)
  })

  it("compares JSON values by type and value", () => {
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

  it("treats relative times as plain text for fields that are not timestamps", () => {
    expect(ask("metadata.when", "eq", "today-7d", { ...call, metadata: { when: "today-7d" } })).toBe(true)
  })

  it("resolves paths through objects only, never into lists", () => {
    expect(ask("metadata.deep.0", "eq", "zero")).toBe(true)
    expect(ask("metadata.list.0", "isnull", true)).toBe(true)
    expect(ask("metadata.region.length", "isnull", true)).toBe(true)
    expect(ask("metadata.x.y", "isnull", true)).toBe(true)
    expect(ask("metadata.toString", "isnull", true)).toBe(true)
    expect(ask("dynamic_variables.a", "isnull", true)).toBe(true)
  })

  it("treats a JSON null as missing, and objects and lists as values equal to nothing", () => {
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

  it("compares with days up to their last millisecond", () => {
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

  it("matches an evaluation field if any evaluation does", () => {
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

  it("requires one evaluation to match all conditions of same_row", () => {
    const metric = (id: number): Filters.Leaf => ({ field: "metric_evaluations.metric.id", op: "eq", value: id })
    const value: Filters.Leaf = { field: "metric_evaluations.value", op: "gte", value: 4 }
    const group = (operator: Filters.GroupOperator, ...conditions: ReadonlyArray<Filters.Condition>) =>
      FilterKit.matches({ operator, conditions }, call, now)
    expect(group("same_row", metric(1), value)).toBe(true)
    expect(group("same_row", metric(2), value)).toBe(false)
    expect(group("and", metric(2), value)).toBe(true)
    expect(group("same_row", metric(2), { operator: "not", conditions: [value] })).toBe(true)
  })

  it("applies groups inside same_row to one evaluation", () => {
    const [polite, resolved]: ReadonlyArray<Filters.Leaf> = [1, 2].map((value) => ({
      field: "metric_evaluations.metric.id",
      op: "eq",
      value
    }))
    const four: Filters.Leaf = { field: "metric_evaluations.value", op: "eq", value: 4 }
    const group = (
      operator: Filters.GroupOperator,
      ...conditions: ReadonlyArray<Filters.Condition | undefined>
    ): Filters.Condition => ({ operator, conditions: conditions.filter((one) => one !== undefined) })
    const inRow = (condition: Filters.Condition) => FilterKit.matches(group("same_row", condition), call, now)
    expect(inRow(group("and", polite, four))).toBe(true)
    expect(inRow(group("and", resolved, four))).toBe(false)
    expect(inRow(group("same_row", polite, four))).toBe(true)
    expect(inRow(group("same_row", resolved, four))).toBe(false)
    expect(inRow(group("or", polite, resolved))).toBe(true)
    const alone = { ...call, evaluations: call.evaluations.slice(0, 1) }
    const ofAlone = (condition: Filters.Condition) => FilterKit.matches(group("same_row", condition), alone, now)
    expect(ofAlone(group("not", polite, resolved))).toBe(true)
    expect(ofAlone(group("not", polite, four))).toBe(false)
    expect(ofAlone(group("or", resolved))).toBe(false)
    expect([group("and"), group("or"), group("same_row")].map(ofAlone)).toEqual([true, true, true])
    expect(ofAlone(group("not"))).toBe(false)
  })

  it("matches every call with a group without conditions, and none with its negation", () => {
    const none = { ...call, evaluations: [] }
    const group = (operator: Filters.GroupOperator, ...conditions: ReadonlyArray<Filters.Condition>) =>
      FilterKit.matches({ operator, conditions }, none, now)
    expect([group("and"), group("or"), group("same_row"), group("not")]).toEqual([true, true, true, false])
    const [holds, fails]: ReadonlyArray<Filters.Leaf> = [7, 8].map((value) => ({ field: "id", op: "eq", value }))
    expect(group("not", holds!, fails!)).toBe(true)
    expect(group("not", holds!, holds!)).toBe(false)
  })

  it("reads each field from its own value", () => {
    const own: Readonly<Record<string, unknown>> = {
      id: 7,
      call_id: "the call",
      duration: 61.5,
      customer_number: "the number",
      call_ended_reason: "the reason",
      dropoff_point: "the point",
      topic: "the topic",
      timestamp: "2026-03-24T00:00:00.000Z",
      status: "reviewed_failure",
      feedback: "the feedback",
      trace_id: "the trace",
      "agent.id": 2,
      "agent.agent_name": "the agent",
      "metadata.region": "the region",
      "dynamic_variables.region": "another region",
      success: false,
      is_reviewed: true
    }
    const one: FilterKit.FilterableCall = {
      ...call,
      success: false,
      isReviewed: true,
      callId: "the call",
      customerNumber: "the number",
      callEndedReason: "the reason",
      dropoffPoint: "the point",
      topic: "the topic",
      feedback: "the feedback",
      traceId: "the trace",
      agentName: "the agent",
      metadata: { region: "the region" },
      dynamicVariables: { region: "another region" }
    }
    for (const [field, value] of Object.entries(own))
      expect([field, ask(field, "eq", value, one)]).toEqual([field, true])
    expect(ask("trace_id", "isnull", true, { ...call, traceId: "" })).toBe(true)
  })

  it("matches no call if a relative time is out of range", () => {
    const [first, last] = [-1, 1].map((sign) => DateTime.unsafeMake(sign * 8_640_000_000_000_000))
    const spans = (value: string, at: DateTime.Utc) => compileLeaf({ field: "timestamp", op: "eq", value }, at)?.test
    expect(spans("today", last!)).toEqual({ test: "within", intervals: [] })
    expect(spans("today-12h", first!)).toEqual({ test: "within", intervals: [] })
    expect(spans("now", last!)).toEqual({
      test: "within",
      intervals: [{ since: 8_640_000_000_000_000, until: 8_640_000_000_000_000 }]
    })
    expect(compileLeaf({ field: "timestamp", op: "gt", value: "now+1d" }, last!)).toBe(undefined)
  })

  it("matches no missing value and no other type with an interval", () => {
    const holds = predicate({ test: "within", intervals: [{ since: -1, until: 1 }] })
    expect([null, "", false, [], -2, -1, 0, 1, 2].map(holds)).toEqual([
      false,
      false,
      false,
      false,
      false,
      true,
      true,
      true,
      false
    ])
  })

  it("matches nothing with an invalid pattern", () => {
    expect(["", "("].map(predicate({ test: "regex", pattern: "(" }))).toEqual([false, false])
  })

  it("matches nothing with a leaf that the parser would reject", () => {
    const made: ReadonlyArray<Filters.Leaf> = [
      { field: "nope", op: "neq", value: 1 },
      { field: "topic", op: "regex", value: "(" },
      { field: "topic", op: "eq", value: 5 },
      { field: "success", op: "gt", value: true },
      { field: "topic", op: "in", value: "Billing" },
      { field: "topic", op: "in", value: ["Billing", 5] },
      { field: "topic", op: "in", value: [] },
      { field: "topic", op: "neq", value: ["Billing"] },
      { field: "duration", op: "contains", value: "6" },
      { field: "timestamp", op: "lt", value: "whenever" }
    ]
    expect(made.map((leaf) => FilterKit.matches(leaf, call, now))).toEqual(made.map(() => false))
    expect(made.map((leaf) => compileLeaf(leaf, now))).toEqual(made.map(() => undefined))
    // No more than in a group of conditions of one evaluation, where a call's own fields are unknown as well.
    const own: Filters.Leaf = { field: "topic", op: "neq", value: "x" }
    for (const leaf of [...made, own]) {
      expect(FilterKit.matches({ operator: "same_row", conditions: [leaf] }, call, now)).toBe(false)
    }
  })
})
