import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { RateLimiterPostgres } from "rate-limiter-flexible"
import { countingLimiter } from "../../access/CountingLimiter.js"
import { type Allowances, RateLimiter } from "../../access/RateLimiter.js"
import { Dialect } from "../sql/Dialect.js"

/**
 * Counts the requests of a credential in the database, so that all servers on it share one allowance, at the cost of
 * one statement a request. Invalid credentials are still counted in each process, so that an attacker causes no statements.
 */
export const layer = (allowances: Allowances): Layer.Layer<RateLimiter, never, SqlClient | Dialect> =>
  Layer.effect(
    RateLimiter,
    Effect.gen(function* () {
      const sql = yield* SqlClient
      const { nameOf } = yield* Dialect
      const run = Runtime.runPromise(yield* Effect.runtime())
      // The part of a node-postgres client that the library uses, on the engine's own connections.
      const storeClient = {
        query: (query: { readonly text: string; readonly values: ReadonlyArray<unknown> }) =>
          run(sql.unsafe(query.text, query.values)).then((rows) => ({ rows, rowCount: rows.length }))
      }
      return countingLimiter(
        allowances,
        ({ points, seconds }) =>
          new RateLimiterPostgres({
            storeClient,
            storeType: "client",
            tableName: nameOf("rate_limits"),
            tableCreated: true,
            keyPrefix: "requests",
            points,
            duration: seconds,
            // A subject over the limit is rejected without another statement.
            inMemoryBlockOnConsumed: points + 1
          })
      )
    })
  )
