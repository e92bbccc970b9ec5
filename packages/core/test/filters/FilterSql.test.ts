import { Filters } from "@earshot/core"
import { FilterKit, TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import * as fc from "fast-check"
import { expect } from "vitest"
import { stores } from "../../src/Engine.js"
import { compile } from "../../src/storage/sql/FilterSql.js"

const CALLS = 10

const [fixture] = fc.sample(FilterKit.callFixture(CALLS), { numRuns: 1, seed: 20_260_331 })

/** The fixture with the ids that the database assigned. */
class Stored extends Context.Tag("test/Stored")<Stored, FilterKit.StoredCalls>() {}

/** The ids of the matching calls. */
const select = (filter: Filters.Filter) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const condition = yield* compile(filter, { calls: "c", scope: sql`TRUE`, now: FilterKit.NOW })
    const rows = yield* sql<{ readonly id: number }>`SELECT c.id FROM calls c WHERE ${condition} ORDER BY c.id`
    return rows.map(({ id }) => id)
  })

const inMemory = (filter: Filters.Filter) =>
  Effect.map(Stored, ({ calls }) => calls.filter(FilterKit.matcher(filter, FilterKit.NOW)).map(({ id }) => id))

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

for (const database of TestEngine.databases) {
  const storage = stores.pipe(Layer.provideMerge(TestEngine.storage(database)))
  const stored = Layer.effect(Stored, FilterKit.storeCalls(fixture!)).pipe(Layer.provideMerge(storage))

  layer(stored, { timeout: "2 minutes" })(`FilterSql on ${database}`, (it) => {
    it.effect("evaluates every filter to true or false, never to null", () =>
      Effect.gen(function* () {
        const run = Runtime.runPromise(yield* Effect.runtime<Layer.Layer.Success<typeof stored>>())
        const unknown = (filter: Filters.Filter) =>
          Effect.gen(function* () {
            const sql = yield* SqlClient
            const condition = yield* compile(filter, { calls: "c", scope: sql`TRUE`, now: FilterKit.NOW })
            return yield* sql`SELECT c.id FROM calls c WHERE (${condition}) IS NULL`
          })
        yield* Effect.promise(() =>
          fc.assert(
            fc.asyncProperty(FilterKit.filter, async (filter) => {
              expect(await run(unknown(filter))).toEqual([])
            }),
            { numRuns: 100 }
          )
        )
      })
    )

    const path = `metadata${".a".repeat(10)}`
    it.effect.each([
      ["texts", (i: number) => leaf(path, "endswith", `a${i}`)],
      ["numbers", (i: number) => leaf(path, "gt", i)],
      ["lists", (i: number) => leaf(path, "in", [i, `a${i}`, true])],
      ["times", (i: number) => leaf("timestamp", "in", ["today", `now-${i}s`])],
      ["statuses", () => leaf("status", "contains", "")],
      ["evaluations", (i: number) => leaf("metric_evaluations.value", "in", [i + 1000, `a${i}`, false])]
    ] as const)("runs the largest filter of %s as one statement", ([, make]) =>
      Effect.gen(function* () {
        const filter = largest(make)
        expect(yield* select(filter)).toEqual(yield* inMemory(filter))
      })
    )

    it.effect("applies patterns only to values in scope", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const scope = sql`c.id = ${-1}`
        const condition = yield* compile(leaf("topic", "regex", "."), { calls: "c", scope, now: FilterKit.NOW })
        expect(yield* sql`SELECT c.id FROM calls c WHERE ${condition}`).toEqual([])
      })
    )

    it.effect("binds client values as parameters", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const hostile = `'"; DROP TABLE calls; --`
        const filter: Filters.Filter = {
          operator: "or",
          conditions: [
            ...(["eq", "gt", "contains", "startswith", "endswith"] as const).flatMap((op) => [
              leaf("topic", op, hostile),
              leaf(`metadata.${hostile}`, op, hostile),
              leaf("metric_evaluations.value", op, hostile)
            ]),
            leaf(`metadata.${hostile}`, "in", [hostile, hostile]),
            leaf("topic", "in", [hostile, hostile])
          ]
        }
        const condition = yield* compile(filter, { calls: "c", scope: sql`TRUE`, now: FilterKit.NOW })
        const [text] = sql`SELECT 1 FROM calls c WHERE ${condition}`.compile()
        expect(text).not.toContain("DROP")
        expect(yield* select(filter)).toEqual(yield* inMemory(filter))
      })
    )
  })
}
