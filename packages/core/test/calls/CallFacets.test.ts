import { Calls, type CallFacets, Pages } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { describe, expect, it as test, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { facetOf, pathsInUse } from "../../src/calls/CallFacets.js"
import { countEach } from "../../src/calls/CallFacetStore.js"
import { QueryTimedOut, StorageBusy, type StorageError } from "../../src/kernel/Storage.js"
import { ingest } from "./ingest.js"

const LONG = "x".repeat(201)

/** Calls whose fields have several values, none, and values that no filter names. */
const CALLS: ReadonlyArray<Readonly<Record<string, unknown>>> = [
  { call_ended_reason: "hangup", metadata: { region: "eu", seats: 2, plan: { tier: "gold" }, order: "a" } },
  { call_ended_reason: "hangup", metadata: { region: "eu", seats: 2, plan: { tier: "gold" }, order: "b" } },
  { call_ended_reason: "hangup", metadata: { region: "us", seats: "2", plan: { tier: "silver" }, order: "c" } },
  { call_ended_reason: "transfer", metadata: { region: true, plan: ["gold"], order: "d" } },
  { call_ended_reason: "voicemail", metadata: { region: LONG, plan: null, order: "e" } },
  { metadata: { region: { of: "eu" }, order: "f" } },
  { metadata: null },
  { metadata: { region: "", order: "g", "a.b": 1 } }
]

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`facets of calls on ${database}`, (it) => {
    const seeded = Effect.gen(function* () {
      const { actor, agent } = yield* TestEngine.fixture
      const calls = yield* Calls
      const ids = yield* Effect.forEach(CALLS, (fields, n) =>
        Effect.map(ingest(actor, { call_id: `call-${n}`, agent: agent.id, ...fields }), ({ call }) => call.id)
      )
      for (const [at, success] of [
        [0, true],
        [1, true],
        [2, false]
      ] as const) {
        const id = ids[at]
        if (id !== undefined) yield* calls.review(id, { success, is_reviewed: at > 0 }).pipe(TestEngine.as(actor))
      }
      const facets = (query: object) => calls.facets(query).pipe(TestEngine.as(actor))
      const found = (filter: unknown) =>
        Effect.map(
          calls.list({ filters_v2: JSON.stringify(filter), limit: Pages.MAX_PAGE_SIZE }).pipe(TestEngine.as(actor)),
          ({ results }) => results.length
        )
      return { actor, agent, facets, found }
    })

    const facet = (counted: CallFacets, name: string) => counted.facets.find(({ field }) => field === name)

    it.effect("count values, calls without one, and other values", () =>
      Effect.gen(function* () {
        const { facets } = yield* seeded
        const counted = yield* facets({
          fields:
            "call_ended_reason,status,is_reviewed,agent.agent_name,metadata.region,metadata.plan.tier,metadata.seats"
        })
        expect(counted.total).toBe(CALLS.length)
        expect(counted.timedOut).toEqual([])
        expect(facet(counted, "call_ended_reason")).toEqual({
          field: "call_ended_reason",
          values: [
            { value: "hangup", count: 3 },
            { value: "transfer", count: 1 },
            { value: "voicemail", count: 1 }
          ],
          missing: 3,
          other: 0
        })
        expect(facet(counted, "status")).toEqual({
          field: "status",
          values: [
            { value: "reviewed_failure", count: 1 },
            { value: "reviewed_success", count: 1 },
            { value: "success", count: 1 }
          ],
          missing: 5,
          other: 0
        })
        expect(facet(counted, "is_reviewed")?.values).toEqual([
          { value: false, count: 6 },
          { value: true, count: 2 }
        ])
        expect(facet(counted, "metadata.region")).toEqual({
          field: "metadata.region",
          values: [
            { value: "eu", count: 2 },
            { value: true, count: 1 },
            { value: "", count: 1 },
            { value: "us", count: 1 }
          ],
          missing: 1,
          other: 2
        })
        expect(facet(counted, "metadata.seats")).toMatchObject({
          values: [
            { value: 2, count: 2 },
            { value: "2", count: 1 }
          ],
          missing: 5
        })
      })
    )

    it.effect("count what a filter with the value finds, within another filter too", () =>
      Effect.gen(function* () {
        const { facets, found } = yield* seeded
        const within = { field: "metadata.order", op: "isnull", value: false }
        for (const filter of [null, within]) {
          const counted = yield* facets({
            filters_v2: JSON.stringify(filter),
            fields:
              "call_ended_reason,status,is_reviewed,success,agent.id,metadata.region,metadata.plan.tier,metadata.seats"
          })
          const and = (condition: object) =>
            found({ operator: "and", conditions: [...(filter === null ? [] : [filter]), condition] })
          for (const { field, missing, other, values } of counted.facets) {
            for (const { count, value } of values) {
              expect([field, value, yield* and({ field, op: "eq", value })]).toEqual([field, value, count])
            }
            expect([field, yield* and({ field, op: "isnull", value: true })]).toEqual([field, missing])
            expect(values.reduce((sum, { count }) => sum + count, missing + other)).toBe(counted.total)
          }
        }
      })
    )

    it.effect(
      "have the usual fields and the paths of metadata in use by default, and as many values as asked for",
      () =>
        Effect.gen(function* () {
          const { facets } = yield* seeded
          const counted = yield* facets({})
          expect(counted.facets.map(({ field }) => field)).toEqual([
            "status",
            "call_ended_reason",
            "agent.agent_name",
            "topic",
            "is_reviewed",
            "metadata.region",
            "metadata.plan.tier",
            "metadata.seats"
          ])
          const one = yield* facets({ fields: ["metadata.region"], limit: 1 })
          expect(one.facets).toEqual([
            { field: "metadata.region", values: [{ value: "eu", count: 2 }], missing: 1, other: 5 }
          ])
          expect(yield* facets({ fields: "" })).toEqual({ total: CALLS.length, facets: [], timedOut: [] })
        })
    )

    it.effect("are of the calls that the caller may see", () =>
      Effect.gen(function* () {
        const { agent, facets } = yield* seeded
        const other = yield* TestEngine.fixture
        expect((yield* facets({ agent_id: agent.id })).total).toBe(CALLS.length)
        const elsewhere = yield* (yield* Calls).facets({ agent_id: agent.id }).pipe(TestEngine.as(other.actor))
        expect(elsewhere.total).toBe(0)
        expect(elsewhere.facets.every(({ values }) => values.length === 0)).toBe(true)
      })
    )

    it.effect("reject fields that calls cannot be counted by, all of them at once", () =>
      Effect.gen(function* () {
        const { facets } = yield* seeded
        const rejected = yield* Effect.flip(
          facets({
            fields: '["status", "duration", 7, "metric_evaluations.value", "metadata."]',
            limit: 51,
            filters_v2: "{"
          })
        )
        expect(rejected).toMatchObject({ _tag: "ValidationFailed" })
        const errors = Object.keys((rejected as { errors: object }).errors)
        expect(errors.toSorted()).toEqual(["fields[1]", "fields[2]", "fields[3]", "fields[4]", "limit"])
        const many = Array.from({ length: 21 }, (_, at) => `metadata.k${at}`).join(",")
        expect(yield* Effect.flip(facets({ fields: many }))).toMatchObject({
          errors: { fields: ["Ensure this field has no more than 20 elements."] }
        })
        expect(yield* Effect.flip(facets({ filters_v2: "{" }))).toHaveProperty("errors.filters_v2")
      })
    )
  })
}

describe("the paths of metadata in use", () => {
  test("are those of values, the most frequent first, without values that all differ", () => {
    const documents = [
      { id: "1", region: "eu", plan: { tier: "gold" }, tags: ["a"], empty: null },
      { id: "2", region: "us", plan: { tier: "gold" } },
      { id: "3", region: "us", "with.dot": 1 }
    ]
    expect(pathsInUse(documents).map(({ name }) => name)).toEqual(["metadata.region", "metadata.plan.tier"])
  })

  test("are at most five, of three keys", () => {
    const document = { a: { b: { c: 1, d: { e: 1 } } }, f: 1, g: 1, h: 1, i: 1, j: 1 }
    expect(pathsInUse([document, document]).map(({ name }) => name)).toEqual([
      "metadata.a.b.c",
      "metadata.f",
      "metadata.g",
      "metadata.h",
      "metadata.i"
    ])
    expect(pathsInUse(["text", 1, null, []])).toEqual([])
  })
})

describe("counting one field after the other", () => {
  const fields = pathsInUse([{ a: 1, b: 1, c: 1, d: 1 }])
  /** Counts until the third field, which fails. */
  const failingWith = (error: StorageError) =>
    countEach(fields, ({ name }) =>
      name === "metadata.c" ? Effect.fail(error) : Effect.succeed({ field: name, values: [], missing: 0, other: 0 })
    )

  test("ends with the time limit, and names what was not counted", async () => {
    const counted = await Effect.runPromise(failingWith(new QueryTimedOut({ operation: "count", limitSeconds: 10 })))
    expect(counted.facets.map(({ field }) => field)).toEqual(["metadata.a", "metadata.b"])
    expect(counted.timedOut).toEqual(["metadata.c", "metadata.d"])
  })

  test("fails with any other error", async () => {
    const busy = new StorageBusy({ operation: "count" })
    expect(await Effect.runPromise(Effect.flip(failingWith(busy)))).toBe(busy)
  })
})

describe("a facet", () => {
  test("has the calls whose value no filter names among the others", () => {
    const rows = [
      { value: null, isMissing: true, count: 2 },
      { value: null, isMissing: false, count: 3 },
      { value: "a", isMissing: false, count: 4 },
      { value: "b", isMissing: false, count: 1 }
    ]
    expect(facetOf("topic", 10, rows, 1)).toEqual({
      field: "topic",
      values: [{ value: "a", count: 4 }],
      missing: 2,
      other: 4
    })
  })
})
