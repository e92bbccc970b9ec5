import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { RateLimiterMemory, RateLimiterPostgres } from "rate-limiter-flexible"
import { countingLimiter } from "../../access/CountingLimiter.js"
import { type Allowances, RateLimiter } from "../../access/RateLimiter.js"
import { Dialect } from "../sql/Dialect.js"

/**
 * Counts the requests of a credential in the database, so that all servers on it share one allowance: one statement a
 * request more. Wrong credentials are still counted by each process, since an attacker should not cost a statement.
 */
export const layer = (allowances: Allowances): Layer.Layer<RateLimiter, never, SqlClient | Dialect> =>
  Layer.effect(
    RateLimiter,
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { nameOf } = yield* Dialect
      const run = Runtime.runPromise(yield* Effect.runtime())
      // What the library asks of a client of node-postgres: this engine's own connections answer it.
      const storeClient = {
        query: (query: { readonly text: string; readonly values: ReadonlyArray<unknown> }) =>
          run(sql.unsafe(query.text, query.values)).then((rows) => ({ rows, rowCount: rows.length }))
      }
      return countingLimiter(allowances, (budget, { points, seconds }) =>
        budget === "refusals"
          ? new RateLimiterMemory({ keyPrefix: budget, points, duration: seconds })
          : new RateLimiterPostgres({
              storeClient,
              storeType: "client",
              tableName: nameOf("rate_limits"),
              tableCreated: true,
              keyPrefix: budget,
              points,
              duration: seconds,
              // Who is over the limit is told so without asking the database again.
              inMemoryBlockOnConsumed: points + 1
            })
      )
    })
  )
