import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"

layer(TestEngine.layer("sqlite"))("storage on SQLite", (it) => {
  it.effect("makes every acknowledged write durable, whatever the file's last owner had set", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      expect(yield* sql`PRAGMA synchronous`).toEqual([{ synchronous: 2 }])
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
