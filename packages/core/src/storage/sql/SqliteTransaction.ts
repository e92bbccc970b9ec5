import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import { isLocked } from "./Storing.js"

/**
 * Begins a transaction of SQLite with the write lock in hand: with the driver's deferred BEGIN, two processes that read
 * and then write fail with SQLITE_BUSY_SNAPSHOT, which waiting does not cure. It fails at once when another process
 * holds the lock.
 */
export const begin = (connection: Connection): Effect.Effect<void, SqlError> => {
  const attempt = Effect.asVoid(connection.execute("BEGIN IMMEDIATE", [], undefined))
  // Left open by a transaction whose ROLLBACK failed.
  return Effect.catchIf(
    attempt,
    (error) => !isLocked(error) && String(error.cause).includes("within a transaction"),
    () => Effect.zipRight(rollback(connection), attempt)
  )
}

/**
 * Rolls back. It is no failure if there is no transaction: SQLite has rolled it back by itself when the disk is full or
 * fails, and that is the failure to report.
 */
export const rollback = (connection: Connection): Effect.Effect<void> =>
  Effect.ignore(connection.execute("ROLLBACK", [], undefined))

/** Commits. A COMMIT that fails leaves the transaction open, and the next one would join it, so it is rolled back. */
export const commit = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.tapError(connection.execute("COMMIT", [], undefined), () => rollback(connection)).pipe(Effect.asVoid)
