import { SqlError } from "@effect/sql/SqlError"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import {
  QueryTimedOut,
  StorageBusy,
  type StorageError,
  StorageFailed,
  type StorageDefect,
  StorageUnusable
} from "../../kernel/Storage.js"

/** The driver's own code (`SQLITE_BUSY`, `40P01`) of a failure, where it has one. */
const driverCode = (error: SqlError): string =>
  typeof error.cause === "object" && error.cause !== null && "code" in error.cause ? String(error.cause.code) : ""

/** Whether a statement failed because a row with the same unique key is there. */
const isUniqueViolation = (error: unknown): boolean =>
  error instanceof SqlError && ["23505", "SQLITE_CONSTRAINT_UNIQUE"].includes(driverCode(error))

/** Gives the error of a statement that fails because a row with the same unique key is there; without one it is left. */
export const whenTaken =
  <Taken>(taken: (() => Taken) | undefined) =>
  <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E | Taken, R> =>
    Effect.mapError(statement, (error) => (taken !== undefined && isUniqueViolation(error) ? taken() : error))

/** A read that was ended because it ran longer than it may. Drivers of reads put it into their `SqlError`. */
export class ReadLimitExceeded extends Data.TaggedError("ReadLimitExceeded")<{ readonly limitMillis: number }> {}

/** A failure of this process's own making that passes, such as a wait that was too long. */
export class NotNow extends Data.TaggedError("NotNow")<{ readonly message: string }> {}

/** Errors of PostgreSQL after which the same statement may succeed, by code or by class, the code's first two characters. */
const POSTGRES_BUSY = [
  "08", // the connection was lost or refused
  "40001", // serialization failure
  "40P01", // deadlock detected
  "53", // too many connections, out of memory; a full disk is told apart first
  "55P03", // lock_timeout
  "57", // statement_timeout, canceled, shutting down, crashed, starting
  "25P03" // idle_in_transaction_session_timeout
]

/** Errors of the operating system when a server cannot be reached or goes away. */
const NETWORK_BUSY = new Set([
  "ECONNREFUSED",
  "ECONNRESET",
  "ECONNABORTED",
  "EPIPE",
  "ETIMEDOUT",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENETDOWN",
  "EAI_AGAIN",
  "EMFILE",
  // The socket's directory or file is gone while the server restarts.
  "ENOENT"
])

/** node-postgres gives these failures no code. */
const CONNECTION_BUSY =
  /timeout exceeded when trying to connect|connection terminated|connection ended|connection error and is not queryable|client was closed|query read timeout/i

const SQLITE_DEFECTS: ReadonlyArray<readonly [prefix: string, reason: StorageDefect]> = [
  ["SQLITE_FULL", "full"],
  ["SQLITE_READONLY", "read_only"],
  ["SQLITE_CORRUPT", "damaged"],
  ["SQLITE_NOTADB", "damaged"],
  ["SQLITE_IOERR", "io"],
  ["SQLITE_CANTOPEN", "io"]
]

const POSTGRES_DEFECTS: Readonly<Record<string, StorageDefect>> = {
  "53100": "full",
  "25006": "read_only",
  "58030": "io",
  XX001: "damaged",
  XX002: "damaged"
}

/** What is wrong with the database itself, where that is why a statement failed. */
const defectOf = (code: string): StorageDefect | undefined =>
  POSTGRES_DEFECTS[code] ?? SQLITE_DEFECTS.find(([prefix]) => code.startsWith(prefix))?.[1]

/** Whether another process holds SQLite's lock. */
export const isLocked = (error: SqlError): boolean => /^SQLITE_(?:BUSY|LOCKED)/.test(driverCode(error))

const isBusy = (error: SqlError): boolean => {
  const code = driverCode(error)
  return (
    isLocked(error) ||
    error.cause instanceof NotNow ||
    NETWORK_BUSY.has(code) ||
    (/^[0-9A-Z]{5}$/.test(code) && POSTGRES_BUSY.some((known) => code.startsWith(known))) ||
    (error.cause instanceof Error && CONNECTION_BUSY.test(error.cause.message))
  )
}

/** PostgreSQL rolled this transaction back to resolve a deadlock or a serialization failure. */
const isRolledBack = (error: SqlError): boolean => ["40001", "40P01"].includes(driverCode(error))

const toStorageError = (operation: string, error: SqlError | ParseResult.ParseError): StorageError => {
  if (!(error instanceof SqlError)) return new StorageFailed({ operation, cause: error })
  if (error.cause instanceof ReadLimitExceeded) {
    return new QueryTimedOut({ operation, limitSeconds: error.cause.limitMillis / 1000 })
  }
  const reason = defectOf(driverCode(error))
  if (reason !== undefined) return new StorageUnusable({ operation, reason, cause: error })
  return isBusy(error)
    ? new StorageBusy({ operation, undone: isRolledBack(error) })
    : new StorageFailed({ operation, cause: error })
}

type FromDriver<E> = Extract<E, SqlError | ParseResult.ParseError>

/** Turns a driver's failures, and rows that are not what their schema says, into storage errors named by operation. */
export const storing =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, FromDriver<E>> | StorageError, R> =>
    Effect.mapError(effect, (error) =>
      error instanceof SqlError || error instanceof ParseResult.ParseError
        ? toStorageError(operation, error)
        : // eslint-disable-next-line typescript/consistent-type-assertions -- what the two driver failures leave: nothing subtracts from a type parameter
          (error as Exclude<E, FromDriver<E>>)
    )

/** A defect that is a driver's failure: a COMMIT that fails arrives as one. */
export const driverDefect = (operation: string) => (defect: unknown) =>
  defect instanceof SqlError ? Option.some(Effect.fail(toStorageError(operation, defect))) : Option.none()

/** A boolean column: both databases keep 0 and 1. */
export const Flag: Schema.Schema<boolean, number> = Schema.transform(Schema.Number, Schema.Boolean, {
  strict: true,
  decode: (flag) => flag !== 0,
  encode: (flag) => (flag ? 1 : 0)
})

/** The 0 or 1 that a boolean is bound as. */
export const flag = (value: boolean): 0 | 1 => (value ? 1 : 0)
