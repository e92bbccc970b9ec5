import { Calls, JobRunner } from "@earshot/core"
import { StorageKit, TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Option from "effect/Option"
import { existsSync, readFileSync } from "node:fs"
import * as Database from "../../src/Database.js"
import { watch } from "../../src/storage/sql/Migrations.js"
import { APPLICATION_ID, incompatibility, migrationNames } from "../../src/storage/sql/SchemaRules.js"

const { emptyDatabase, execute } = StorageKit

const open = (address: string, tablePrefix?: string) =>
  Effect.either(Effect.scoped(Effect.asVoid(Layer.build(Layer.fresh(Database.layer(address, { tablePrefix }))))))

/** Everything that a refused opening could change: the bytes of the file, or the names in the PostgreSQL schema. */
const contentOf = (address: string) =>
  address.startsWith("sqlite:")
    ? Effect.sync(() => readFileSync(address.slice("sqlite:".length)).toString("base64"))
    : Effect.map(
        execute(
          address,
          "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace UNION ALL SELECT proname FROM pg_proc WHERE pronamespace = 'public'::regnamespace ORDER BY 1"
        ),
        (rows) => JSON.stringify(rows)
      )

const refusalOf = (address: string, tablePrefix?: string) =>
  Effect.gen(function* () {
    const before = yield* contentOf(address)
    const opened = yield* open(address, tablePrefix)
    expect(yield* contentOf(address)).toBe(before)
    if (address.startsWith("sqlite:")) expect(existsSync(`${address.slice("sqlite:".length)}-wal`)).toBe(false)
    return Option.match(Either.getLeft(opened), {
      onNone: () => "opened",
      onSome: (error) => (error instanceof Database.DatabaseIncompatible ? error.why : error.reason)
    })
  })

for (const database of TestEngine.databases) {
  describe(`the version of a database on ${database}`, () => {
    it.scopedLive("is refused without a change when a newer version has migrated the database", () =>
      Effect.gen(function* () {
        const address = yield* emptyDatabase(database)
        expect(Either.isRight(yield* open(address))).toBe(true)
        yield* execute(address, "INSERT INTO earshot_migrations (migration_id, name) VALUES (9001, 'next')")
        expect(yield* refusalOf(address)).toBe("newer-version")
        const error = Either.getLeft(yield* open(address))
        expect(Option.getOrThrow(error).message).toContain("newer version of Earshot (9001_next)")
      })
    )

    it.scopedLive("is refused when a newer version has given the agents newer predefined metrics", () =>
      Effect.gen(function* () {
        const address = yield* emptyDatabase(database)
        yield* open(address)
        yield* execute(
          address,
          "INSERT INTO earshot_predefined_metrics (migration_id, name) VALUES (9001, 'predefined')"
        )
        expect(yield* refusalOf(address)).toBe("newer-version")
      })
    )

    it.scopedLive("is refused when it records a migration that this version does not have", () =>
      Effect.gen(function* () {
        const address = yield* emptyDatabase(database)
        yield* open(address)
        yield* execute(address, "UPDATE earshot_migrations SET name = 'other' WHERE migration_id = 3")
        expect(yield* refusalOf(address)).toBe("unknown-migration")
      })
    )

    it.scopedLive("is refused when another application's tables are in it, and shared under a table prefix", () =>
      Effect.gen(function* () {
        const address = yield* emptyDatabase(database)
        yield* execute(address, "CREATE TABLE users (id INTEGER PRIMARY KEY)", "CREATE TABLE x_agents (id INTEGER)")
        expect(yield* refusalOf(address)).toBe("another-application")
        expect(yield* refusalOf(address, "x_")).toBe("another-application")
        expect(Either.isRight(yield* open(address, "free_"))).toBe(true)
      })
    )

    it.scopedLive("is accepted in a database that an engine with a table prefix shares", () =>
      Effect.gen(function* () {
        const address = yield* emptyDatabase(database)
        expect(Either.isRight(yield* open(address, "one_"))).toBe(true)
        expect(Either.isRight(yield* open(address))).toBe(true)
        expect(Either.isRight(yield* open(address))).toBe(true)
      })
    )

    it.scopedLive("may change while a process runs, which goes on without an error and logs a warning once", () =>
      Effect.gen(function* () {
        const address = yield* emptyDatabase(database)
        const logged: Array<unknown> = []
        const engine = yield* Layer.build(
          TestEngine.engine().pipe(Layer.provideMerge(Layer.fresh(Database.layer(address))))
        )
        yield* Effect.gen(function* () {
          const { actor, agent } = yield* TestEngine.fixture
          const calls = yield* Calls
          const compare = yield* watch
          const deliver = (id: number) =>
            calls
              .ingest({ agent: agent.id, call_id: `${id}`, transcript_type: "service", transcript_json: [] })
              .pipe(TestEngine.as(actor))
          const delivering = yield* Effect.fork(
            Effect.forEach(
              Array.from({ length: 60 }, (_, id) => id % 40),
              deliver,
              { concurrency: 4 }
            )
          )
          yield* compare
          // What a migration may do while the version before it runs.
          const sql = yield* SqlClient
          yield* sql.withTransaction(
            Effect.forEach(
              [
                "ALTER TABLE calls ADD COLUMN next_version TEXT",
                "ALTER TABLE jobs ADD COLUMN next_version INTEGER NOT NULL DEFAULT 0",
                "CREATE TABLE next_version (id INTEGER PRIMARY KEY)",
                "INSERT INTO earshot_migrations (migration_id, name) VALUES (9001, 'next')"
              ],
              (statement) => sql.unsafe(statement)
            )
          )
          yield* Fiber.join(delivering)
          yield* Effect.forEach(
            Array.from({ length: 20 }, (_, id) => 100 + id),
            deliver,
            { concurrency: 4 }
          )
          expect((yield* calls.list({ limit: 200 }).pipe(TestEngine.as(actor))).results).toHaveLength(60)
          yield* compare
          yield* compare
          expect(JSON.stringify(logged).match(/replace this process/g)).toHaveLength(1)
          expect(JSON.stringify(logged)).toContain("newer-version")
          // Jobs go on too.
          expect(yield* Effect.flatMap(JobRunner, (runner) => runner.drain)).toBeGreaterThan(0)
        }).pipe(
          Effect.provide(engine),
          Effect.provide(
            Logger.replace(
              Logger.defaultLogger,
              Logger.make(({ message }) => void logged.push(message))
            )
          )
        )
      })
    )
  })
}

describe("the application id of an SQLite file", () => {
  it.scopedLive("marks a new database as Earshot's, and a file with another one is refused", () =>
    Effect.gen(function* () {
      const address = yield* emptyDatabase("sqlite")
      yield* open(address)
      expect(yield* execute(address, "PRAGMA application_id")).toEqual([[{ application_id: APPLICATION_ID }]])
      const other = yield* emptyDatabase("sqlite")
      yield* execute(other, "PRAGMA application_id = 252006675")
      expect(yield* refusalOf(other)).toBe("another-application")
    })
  )

  it.scopedLive("is left alone when a table prefix shares the file with another application", () =>
    Effect.gen(function* () {
      const address = yield* emptyDatabase("sqlite")
      yield* execute(address, "PRAGMA application_id = 252006675")
      expect(Either.isRight(yield* open(address, "shared_"))).toBe(true)
      expect(yield* execute(address, "PRAGMA application_id")).toEqual([[{ application_id: 252006675 }]])
    })
  )
})

describe("the rules of versions", () => {
  const known = migrationNames({ "0001_access": 0, "0002_the_catalog": 0 })
  const found = (recorded: typeof known) => ({
    tables: ["earshot_migrations"],
    applicationId: 0,
    sequences: [{ known, recorded }]
  })
  const whyOf = (recorded: typeof known) => Option.map(incompatibility("", found(recorded)), ({ why }) => why)

  it("read number and name of a migration from its key", () => {
    expect(known).toEqual([
      { id: 1, name: "access" },
      { id: 2, name: "the_catalog" }
    ])
  })

  it("accept every earlier state of the sequence", () => {
    for (const length of [0, 1, 2]) expect(whyOf(known.slice(0, length))).toEqual(Option.none())
  })

  it("tell a newer version from an unknown migration, which is named even where both are found", () => {
    expect(whyOf([...known, { id: 3, name: "x" }])).toEqual(Option.some("newer-version"))
    expect(whyOf([{ id: 1, name: "x" }])).toEqual(Option.some("unknown-migration"))
    expect(
      whyOf([
        { id: 1, name: "x" },
        { id: 3, name: "y" }
      ])
    ).toEqual(Option.some("unknown-migration"))
  })

  it("name at most five tables of another application", () => {
    const tables = Array.from({ length: 9 }, (_, index) => `t${index}`)
    const error = incompatibility("", { tables, applicationId: 0, sequences: [] })
    expect(Option.getOrThrow(error).reason).toContain("(t0, t1, t2, t3, t4 and 4 more)")
  })
})
