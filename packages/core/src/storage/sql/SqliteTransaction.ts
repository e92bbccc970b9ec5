import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { driverCode } from "./Storing.js"

/** How long a writer waits for another process before it fails with `StorageBusy`. */
const LOCK_WAIT = "10 seconds"

const isLocked = (error: SqlError): boolean => driverCode(error).startsWith("SQLITE_BUSY")

/**
 * Begins a transaction of SQLite with the write lock in hand: with the driver's deferred BEGIN, two processes that read
 * and then write fail with SQLITE_BUSY_SNAPSHOT, which waiting does not cure. It waits for the lock as a fiber: SQLite's
 * own busy timeout would block the whole process meanwhile.
 */
export const begin = (connection: Connection): Effect.Effect<void, SqlError> => {
  const attempt = Effect.asVoid(connection.executeUnprepared("BEGIN IMMEDIATE", [], undefined))
  return Effect.catchAll(attempt, (error) =>
    isLocked(error)
      ? Effect.retry(attempt, {
          while: isLocked,
          schedule: Schedule.jittered(Schedule.spaced("20 millis")).pipe(Schedule.upTo(LOCK_WAIT))
        })
      : Effect.fail(error)
  )
}

export const rollback = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.asVoid(connection.executeUnprepared("ROLLBACK", [], undefined))

/** Commits. A COMMIT that fails leaves the transaction open, and the next one would join it, so it is rolled back. */
export const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.catchAll(Effect.asVoid(connection.executeUnprepared("COMMIT", [], undefined)), (error) =>
    Effect.zipRight(Effect.ignore(rollback(connection)), Effect.fail(error))
  )
