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
  it("are given to texts that are used again and again, each its own", () => {
    const nameOf = StatementNames.make()
    const first = times(8).map(() => nameOf("SELECT 1"))
    expect(first.slice(0, 5)).toEqual(times(5).map(() => undefined))
    expect(new Set(first.slice(5))).toEqual(new Set(["earshot_1"]))
    expect(times(6).map(() => nameOf("SELECT 2"))[5]).toBe("earshot_2")
    expect(nameOf("SELECT 1")).toBe("earshot_1")
  })

  it("are bounded, and texts that are used rarely get none", () => {
    const nameOf = StatementNames.make()
    const names = times(400).map((n) => times(6).map(() => nameOf(`SELECT ${String(n)}`))[5])
    expect(new Set(names.slice(0, 250)).size).toBe(250)
    expect(new Set(names.slice(250))).toEqual(new Set([undefined]))
    const other = StatementNames.make()
    for (const _ of times(4)) for (const n of times(1500)) expect(other(`SELECT ${String(n)}`)).toBeUndefined()
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
        const read = sql`SELECT * FROM shown`.pipe(storing("Test.read"))
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
})
