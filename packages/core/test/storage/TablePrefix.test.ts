import { Agents, Calls, type Engine, Projects } from "@earshot/core"
import { StorageKit, TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Database from "../../src/Database.js"
import { parseTablePrefix, TABLES } from "../../src/storage/sql/Tables.js"

const engineAt = (address: string, tablePrefix?: string) =>
  Layer.build(TestEngine.engine().pipe(Layer.provideMerge(Layer.fresh(Database.layer(address, { tablePrefix })))))

/** The names of tables, indexes and functions in the database. */
const names = Effect.flatMap(SqlClient, (sql) =>
  Effect.map(
    sql.onDialectOrElse({
      pg: () => sql<{ readonly name: string }>`
        SELECT relname AS name FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i', 'S')
        UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        UNION ALL SELECT tgname FROM pg_trigger WHERE NOT tgisinternal`,
      orElse: () => sql<{ readonly name: string }>`
        SELECT name FROM sqlite_master WHERE type IN ('table', 'index', 'trigger', 'view') AND name NOT LIKE 'sqlite_%'`
    }),
    (rows) => rows.map(({ name }) => name)
  )
)

/** Delivers a call twice, so that both the insert and the update of calls run, and answers the calls of the organization. */
const useEngine = Effect.gen(function* () {
  const { actor, agent } = yield* TestEngine.fixture
  const calls = yield* Calls
  const delivery = { agent: agent.id, call_id: "1", transcript_type: "service", transcript_json: [] }
  yield* calls.ingest(delivery).pipe(TestEngine.as(actor))
  yield* calls.ingest({ ...delivery, call_ended_reason: "done" }).pipe(TestEngine.as(actor))
  return (yield* calls.list({}).pipe(TestEngine.as(actor))).results.map(({ callEndedReason, id }) => ({
    callEndedReason,
    id: Number(id)
  }))
})

const countProjects = Effect.gen(function* () {
  const { actor } = yield* TestEngine.fixture
  return (yield* Effect.flatMap(Projects, (projects) => projects.list({})).pipe(TestEngine.as(actor))).results.length
})

for (const database of TestEngine.databases) {
  describe(`a table prefix on ${database}`, () => {
    it.scopedLive("separates engines that share one database", () =>
      Effect.gen(function* () {
        const address = yield* StorageKit.emptyDatabase(database)
        const engines = yield* Effect.forEach([undefined, "one_", "two_"], (prefix) => engineAt(address, prefix))
        for (const engine of engines) {
          // The first organization and the first call of each: ids start at 1 in tables of their own.
          expect(yield* Effect.provide(useEngine, engine)).toEqual([{ id: 1, callEndedReason: "done" }])
          expect(yield* Effect.provide(countProjects, engine)).toBe(1)
        }
        const [, one] = engines
        if (one === undefined) return
        const all = yield* Effect.provide(names, one)
        for (const prefix of ["", "one_", "two_"]) {
          for (const table of [...TABLES, "earshot_migrations", "earshot_predefined_metrics"]) {
            expect(all).toContain(`${prefix}${table}`)
          }
        }
      })
    )

    it.scopedLive("is on every table, index and function, those of migrations included", () =>
      Effect.gen(function* () {
        const address = yield* StorageKit.emptyDatabase(database)
        const engine = yield* engineAt(address, "only_")
        yield* Effect.provide(useEngine, engine)
        expect((yield* Effect.provide(names, engine)).filter((name) => !name.startsWith("only_"))).toEqual([])
      })
    )

    it.scopedLive("finds its data again when the engine starts a second time", () =>
      Effect.gen(function* () {
        const address = yield* StorageKit.emptyDatabase(database)
        const agents = yield* Effect.scoped(
          Effect.gen(function* () {
            const engine: Effect.Effect.Success<ReturnType<typeof engineAt>> = yield* engineAt(address, "again_")
            const { actor, agent } = yield* Effect.provide(TestEngine.fixture, engine)
            return { actor, agent }
          })
        )
        const engine = yield* engineAt(address, "again_")
        const found = yield* Effect.flatMap(Agents, (service) => service.read(agents.agent.id)).pipe(
          TestEngine.as(agents.actor),
          Effect.provide(engine)
        )
        expect(found.id).toBe(agents.agent.id)
        expect(yield* Effect.provide(useEngine, engine)).toHaveLength(1)
      })
    )
  })
}

describe("the rules of a table prefix", () => {
  it("accept no prefix, and lower-case letters, digits and underscores", () => {
    for (const prefix of ["", "a", "earshot_", "_x1_"])
      expect(parseTablePrefix(prefix)).toMatchObject({ right: prefix })
  })

  it("reject what SQL would have to quote, what databases reserve, and more than 30 characters", () => {
    for (const prefix of ["1x", "Earshot_", "a-b", "a.b", 'a"', "a b", "ä", "sqlite_x", "pg_x", "x".repeat(31)]) {
      expect(parseTablePrefix(prefix), prefix).toMatchObject({ _tag: "Left" })
    }
  })

  it.effect("fail a database's layer before the database is opened", () =>
    Effect.gen(function* () {
      const layer: Layer.Layer<Engine.Storage, Database.DatabaseError> = Database.layer("sqlite:/nowhere/x.db", {
        tablePrefix: "No Prefix"
      })
      expect(yield* Effect.flip(Effect.scoped(Layer.build(layer)))).toMatchObject({
        reason: expect.stringContaining("A table prefix has at most 30 lower-case letters") as string
      })
    })
  )
})

describe("a schema of PostgreSQL that the search path names", () => {
  it.scopedLive("holds every table of the engine", () =>
    Effect.gen(function* () {
      const address = yield* StorageKit.emptyDatabase("postgres")
      const engine = yield* engineAt(address)
      yield* Effect.provide(
        Effect.flatMap(SqlClient, (sql) => sql`CREATE SCHEMA apart`),
        engine
      )
      const url = new URL(address)
      url.searchParams.set("options", "-csearch_path=apart")
      const apart = yield* engineAt(url.href)
      for (const one of [engine, apart]) {
        expect(yield* Effect.provide(useEngine, one)).toEqual([{ id: 1, callEndedReason: "done" }])
      }
      const tables = yield* Effect.provide(
        Effect.flatMap(
          SqlClient,
          (sql) => sql<{ readonly name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'apart'`
        ),
        apart
      )
      expect(tables.map(({ name }) => name)).toEqual(expect.arrayContaining([...TABLES, "earshot_migrations"]))
    })
  )
})
