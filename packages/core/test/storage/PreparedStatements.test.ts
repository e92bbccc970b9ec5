import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import { PostgresStorage } from "@earshot/core/postgres"
import { StorageKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import { describe } from "vitest"
import { StorageBusy } from "../../src/kernel/Storage.js"
import * as StatementNames from "../../src/storage/postgres/StatementNames.js"
import { storing } from "../../src/storage/sql/Storing.js"

const times = (count: number) => Array.from({ length: count }, (_, position) => position)

describe("names of statements", () => {
  /** The name that a text has after it was used so often. */
  const after = (nameOf: StatementNames.StatementNames, uses: number, text: string, values = 1) =>
    times(uses).map(() => nameOf(text, values))[uses - 1]

  it("are given to texts that are used again and again, the same in each process", () => {
    const nameOf = StatementNames.make()
    expect(after(nameOf, 5, "SELECT $1")).toBeUndefined()
    const name = nameOf("SELECT $1", 1)
    expect(name).toMatch(/^earshot_[0-9a-f]{32}$/)
    expect(nameOf("SELECT $1", 1)).toBe(name)
    const other = StatementNames.make()
    expect(after(other, 6, "SELECT $1 + 1")).not.toBe(name)
    expect(after(other, 6, "SELECT $1")).toBe(name)
  })

  it("are not given to texts without values, nor with many", () => {
    const nameOf = StatementNames.make()
    expect(after(nameOf, 20, "SELECT 1; SELECT 2", 0)).toBeUndefined()
    expect(after(nameOf, 20, "INSERT", 33)).toBeUndefined()
    expect(after(nameOf, 20, "INSERT", 32)).toBeDefined()
  })

  it("are bounded: those that were used last have one, and texts that are used rarely have none", () => {
    const nameOf = StatementNames.make()
    const often = after(nameOf, 6, "SELECT $1")
    for (const n of times(400)) {
      expect(after(nameOf, 6, `SELECT $1 + ${String(n)}`)).toBeDefined()
      expect(nameOf("SELECT $1", 1)).toBe(often)
    }
    expect(nameOf("SELECT $1 + 399", 1)).toBeDefined()
    expect(nameOf("SELECT $1 + 1", 1)).toBeUndefined()
    const other = StatementNames.make()
    for (const _ of times(4)) for (const n of times(1500)) expect(other(`SELECT $1 + ${String(n)}`, 1)).toBeUndefined()
  })
})

/** What runs on a database with one connection, so that every statement has the same. */
const onOneConnection = <A, E>(use: Effect.Effect<A, E, SqlClient>) =>
  Effect.gen(function* () {
    const url = yield* StorageKit.emptyDatabase("postgres")
    return yield* Effect.provide(use, PostgresStorage.layer({ url: Redacted.make(url), maxConnections: 1 }))
  }).pipe(Effect.scoped)

describe("statements on PostgreSQL", () => {
  const prepared = Effect.flatMap(
    SqlClient,
    (sql) =>
      sql<{ statement: string }>`SELECT statement FROM pg_prepared_statements WHERE statement LIKE '%FROM shown%'`
  )

  it.live("that are used again and again are prepared, those of the beginning are not", () =>
    onOneConnection(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE shown (id INTEGER PRIMARY KEY, name TEXT)`
        yield* sql`INSERT INTO shown VALUES (1, 'one')`
        for (const n of times(20)) {
          expect(yield* sql`SELECT name FROM shown WHERE id = ${n}`).toEqual(n === 1 ? [{ name: "one" }] : [])
          if (n === 4) expect(yield* prepared).toEqual([])
        }
        yield* sql`SELECT id FROM shown`
        expect(yield* prepared).toEqual([{ statement: "SELECT name FROM shown WHERE id = $1" }])
      })
    )
  )

  it.live("that a migration or a pooler has made unusable fail once, as a passing failure", () =>
    onOneConnection(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE shown (id INTEGER PRIMARY KEY)`
        yield* sql`INSERT INTO shown VALUES (1)`
        const read = sql`SELECT * FROM shown WHERE id = ${1}`.pipe(storing("Test.read"))
        const within = sql.withTransaction(read).pipe(Effect.catchTag("SqlError", Effect.die))
        const changes = [sql`ALTER TABLE shown ADD COLUMN name TEXT`, sql`DEALLOCATE ALL`]
        for (const change of [...changes, sql`ALTER TABLE shown DROP COLUMN name`, sql`DEALLOCATE ALL`]) {
          const changed = changes.includes(change) ? read : within
          for (const _ of times(12)) yield* changed
          yield* change
          expect(yield* Effect.flip(changed)).toEqual(new StorageBusy({ operation: "Test.read" }))
          expect(yield* changed).toHaveLength(1)
        }
      })
    )
  )

  it.live("whose name the server's connection has already fail once, as a passing failure", () =>
    onOneConnection(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        yield* sql`CREATE TABLE shown (id INTEGER PRIMARY KEY)`
        const nameOf = StatementNames.make()
        const text = "SELECT id FROM shown WHERE id = $1"
        const name = times(6).map(() => nameOf(text, 1))[5] ?? ""
        const read = sql`SELECT id FROM shown WHERE id = ${1}`.pipe(storing("Test.read"))
        for (const _ of times(5)) expect(yield* read).toEqual([])
        yield* sql.unsafe(`PREPARE ${name} AS SELECT 2 AS id`)
        expect(yield* Effect.flip(read)).toEqual(new StorageBusy({ operation: "Test.read" }))
        expect(yield* read).toEqual([])
        expect(yield* prepared).toEqual([{ statement: text }])
      })
    )
  )
})
