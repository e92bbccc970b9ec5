import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Clock from "effect/Clock"
import * as Deferred from "effect/Deferred"
import * as Either from "effect/Either"
import { StorageBusy, UnitOfWork } from "../../src/kernel/Storage.js"
import { Dialect } from "../../src/storage/sql/Dialect.js"
import { storing } from "../../src/storage/sql/Storing.js"

layer(TestEngine.layer("sqlite"))("storage on SQLite", (it) => {
  it.effect("syncs every commit to disk, whatever the file was opened with before", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      expect(yield* sql`PRAGMA synchronous`).toEqual([{ synchronous: 2 }])
    })
  )
})

layer(TestEngine.layer("postgres"))("storage on PostgreSQL", (it) => {
  it.effect("plans a list of ids by its real length, so that few ids do not cause a table scan", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { integers, numbers } = yield* Dialect
      for (const list of [integers, numbers]) {
        const [plan] = yield* sql<{ "QUERY PLAN": unknown }>`EXPLAIN SELECT value FROM ${list([7, 8, 9])} AS given`
        expect(plan?.["QUERY PLAN"]).toMatch(/rows=3 /)
        expect(yield* sql`SELECT value FROM ${list([7, 8.0, -9])} AS given`).toEqual([
          { value: 7 },
          { value: 8 },
          { value: -9 }
        ])
      }
    })
  )

  it.effect("finds rows by a list of ids in an index, also with the statistics of an empty table", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { isOneOf } = yield* Dialect
      yield* sql`CREATE TABLE listed (id BIGINT PRIMARY KEY, note TEXT NOT NULL)`
      yield* sql`ANALYZE listed`
      yield* sql`INSERT INTO listed SELECT n, repeat('x', 100) FROM generate_series(1, 20000) AS n`
      const ids = Array.from({ length: 200 }, (_, n) => 7 * n)
      const plan = yield* sql`EXPLAIN SELECT note FROM listed WHERE ${isOneOf("id", ids)} AND note <> ''`
      expect(JSON.stringify(plan)).toMatch(/Index/)
      expect(JSON.stringify(plan)).not.toMatch(/Seq Scan|Function Scan|Join/)
    })
  )

  it.effect("reports StorageBusy when a statement exceeds statement_timeout", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const slow = sql.withTransaction(Effect.zipRight(sql`SET LOCAL statement_timeout = 10`, sql`SELECT pg_sleep(30)`))
      expect(yield* Effect.flip(storing("Test.slow")(slow))).toEqual(new StorageBusy({ operation: "Test.slow" }))
    })
  )

  it.effect("retries the transaction that PostgreSQL canceled to break a deadlock", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const work = yield* UnitOfWork
      yield* sql`CREATE TABLE locked (id INTEGER PRIMARY KEY, n INTEGER NOT NULL)`
      yield* sql`INSERT INTO locked VALUES (1, 0), (2, 0)`
      const held = yield* Effect.all([Deferred.make<true>(), Deferred.make<true>()])
      let attempts = 0
      const count = (id: number) => storing("Test.count")(sql`UPDATE locked SET n = n + 1 WHERE id = ${id}`)
      const bothHeld = Effect.all(held.map(Deferred.await), { discard: true })
      const inOrder = ([first, second]: readonly [1 | 2, 1 | 2]) =>
        work.atomically(
          Effect.gen(function* () {
            attempts++
            yield* sql`SET LOCAL deadlock_timeout = '20ms'`
            yield* count(first)
            yield* Deferred.succeed(held[first - 1] ?? held[0], true)
            yield* bothHeld
            yield* count(second)
          })
        )
      const outcomes = yield* Effect.forEach(
        [[1, 2] as const, [2, 1] as const],
        (order) => Effect.either(inOrder(order)),
        {
          concurrency: 2
        }
      )
      expect(outcomes.every(Either.isRight)).toBe(true)
      expect(yield* sql`SELECT n FROM locked`).toEqual([{ n: 2 }, { n: 2 }])
      expect(attempts).toBeGreaterThan(2)
    }).pipe(Effect.withClock(Clock.make()))
  )
})

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`storage on ${database}`, (it) => {
    it.effect("reads counts and ids as numbers", () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const [row] = yield* sql<{ readonly n: number }>`SELECT count(*) AS n FROM projects`
        expect(row?.n).toBe(0)
      })
    )
  })
}
