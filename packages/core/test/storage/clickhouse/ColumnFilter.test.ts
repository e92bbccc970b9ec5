import { AnalyticsStore, type AnalyticsQuery, authorize, Filters, hostActor } from "@earshot/core"
import { FilterKit, TestEngine } from "@earshot/test-kit"
import { layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as fc from "fast-check"
import { expect } from "vitest"
import { stores } from "../../../src/Engine.js"
import { embedded, projected, resourceNames } from "./projecting.js"

/** As many as a chart has slices. */
const CALLS = 50

/** Filters that are asked on one snapshot. */
const TOGETHER = 50

const [fixture] = fc.sample(FilterKit.callFixture(CALLS), { numRuns: 1, seed: 20_260_331 })

const kindOf = (value: Filters.Leaf["value"]): string =>
  typeof value === "object"
    ? `list of ${[...new Set(value.map(kindOf))].sort().join(" and ")}`
    : value === ""
      ? "empty"
      : typeof value

/**
 * What the conditions of a filter are: each operator and kind of value with the field or document, and with the group it is
 * in. A field is read in the same way in every group.
 */
const conditionsOf = (condition: Filters.Condition, within: string): ReadonlyArray<string> => {
  if (Filters.isGroup(condition)) {
    return condition.conditions.flatMap((inner) => conditionsOf(inner, condition.operator))
  }
  const compared = `${condition.op} ${kindOf(condition.value)}`
  return [
    `${condition.field.replace(/^(metadata|dynamic_variables)\..*/, "$1")} ${compared}`,
    `${compared} in ${within}`
  ]
}

/**
 * Of a thousand random filters those with a condition that those before do not have. Planning a statement takes the engine
 * some 30 ms of processor time, and four of five statements would test nothing new.
 */
const filters = (): ReadonlyArray<Filters.Filter> => {
  const met = new Set<string>()
  return fc.sample(FilterKit.filter, { numRuns: 1000, seed: 20_260_331 }).filter((filter) => {
    const before = met.size
    for (const one of filter === null ? ["everything"] : conditionsOf(filter, "no group")) met.add(one)
    return met.size > before
  })
}

/** The fixture with the ids that the database assigned. */
class Stored extends Context.Tag("test/Stored")<Stored, FilterKit.StoredCalls>() {}

const storage = projected.pipe(
  Layer.provide(embedded),
  Layer.provide(resourceNames),
  Layer.provideMerge(stores),
  Layer.provideMerge(TestEngine.storage("sqlite"))
)
const stored = Layer.effect(Stored, FilterKit.storeCalls(fixture!)).pipe(Layer.provideMerge(storage))

const permitOf = ({ organizationId }: FilterKit.StoredCalls) =>
  Either.getOrThrow(authorize(hostActor(organizationId), "widgets.data"))

const ID = Filters.fieldOf("id")!

/** The ids of the matching calls, by a chart of ids. */
const select = (filter: Filters.Filter) =>
  Effect.gen(function* () {
    const one = yield* Stored
    const question: AnalyticsQuery.SharesQuery = {
      projectId: one.projectId,
      filter,
      now: FilterKit.NOW,
      field: ID,
      dataType: "dynamic",
      metric: null,
      group: null
    }
    const { groups } = yield* (yield* AnalyticsStore).shares(permitOf(one), question)
    return (groups[0]?.slices ?? []).map(({ key }) => Number(key)).sort((a, b) => a - b)
  })

const inMemory = (filter: Filters.Filter) =>
  Effect.map(Stored, ({ calls }) => calls.filter(FilterKit.matcher(filter, FilterKit.NOW)).map(({ id }) => id))

const check = (filter: Filters.Filter) =>
  Effect.gen(function* () {
    const [found, expected] = yield* Effect.all([select(filter), inMemory(filter)])
    if (found.join() !== expected.join()) expect({ filter, found }).toEqual({ filter, found: expected })
  })

const leaf = (field: string, op: Filters.LeafOperator, value: Filters.Leaf["value"]): Filters.Leaf => ({
  field,
  op,
  value
})

/** As large as a query may be: every limit reached at once. */
const largest = (make: (i: number) => Filters.Condition): Filters.Filter => {
  const { depth, nodes } = Filters.QUERY_LIMITS
  let nested: Filters.Condition = {
    operator: "or",
    conditions: Array.from({ length: nodes - depth }, (_, i) => make(i))
  }
  for (let i = 1; i < depth; i++) nested = { operator: "not", conditions: [nested] }
  return nested
}

layer(stored, { timeout: "2 minutes" })("filters of the embedded column store", (it) => {
  it.effect(
    "select the same calls as the reference implementation, those of a thousand that differ",
    () =>
      Effect.gen(function* () {
        const one = yield* Stored
        const store = yield* AnalyticsStore
        const all = filters()
        for (let start = 0; start < all.length; start += TOGETHER) {
          const some = all.slice(start, start + TOGETHER).map((filter) => one.renumber(filter))
          yield* store.inSnapshot(permitOf(one), "dashboard", Effect.forEach(some, check, { discard: true }))
        }
      }),
    { timeout: 600_000 }
  )

  const path = `metadata${".a".repeat(10)}`
  it.effect.each([
    ["texts", (i: number) => leaf(path, "endswith", `a${i}`)],
    ["numbers", (i: number) => leaf(path, "gt", i)],
    ["lists", (i: number) => leaf(path, "in", [i, `a${i}`, true])],
    ["times", (i: number) => leaf("timestamp", "in", ["today", `now-${i}s`])],
    ["statuses", () => leaf("status", "contains", "")],
    ["evaluations", (i: number) => leaf("metric_evaluations.value", "in", [i + 1000, `a${i}`, false])]
  ] as const)("take the largest filter of %s", ([, make]) => check(largest(make)), { timeout: 600_000 })

  it.effect("bind what clients send as parameters", () => {
    const hostile = `'"\\; DROP TABLE earshot_calls; -- {p0:String} \`\n\t`
    return check({
      operator: "or",
      conditions: [
        ...(["eq", "gt", "contains", "startswith", "endswith"] as const).flatMap((op) => [
          leaf("topic", op, hostile),
          leaf(`metadata.${hostile}`, op, hostile),
          leaf("metric_evaluations.value", op, hostile)
        ]),
        leaf("agent.agent_name", "contains", hostile),
        leaf(`metadata.${hostile}`, "in", [hostile, hostile]),
        leaf("topic", "in", [hostile, hostile])
      ]
    })
  })
})
