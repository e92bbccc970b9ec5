import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import { StorageBusy } from "../../src/kernel/Storage.js"
import { storing } from "../../src/storage/sql/Storing.js"

layer(TestEngine.layer("sqlite"))("storage on SQLite", (it) => {
  it.effect("makes every acknowledged write durable, whatever the file's last owner had set", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      expect(yield* sql`PRAGMA synchronous`).toEqual([{ synchronous: 2 }])
    })
  )
})

layer(TestEngine.layer("postgres"))("storage on PostgreSQL", (it) => {
  it.effect("says that it is busy where a statement took longer than its operator allows", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const slow = sql.withTransaction(Effect.zipRight(sql`SET LOCAL statement_timeout = 10`, sql`SELECT pg_sleep(30)`))
      expect(yield* Effect.flip(storing("Test.slow")(slow))).toEqual(new StorageBusy({ operation: "Test.slow" }))
    })
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
