import { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { StorageBusy, StorageFailed, type StorageError } from "../../kernel/Storage.js"

/** The driver's own code (`SQLITE_BUSY`, `40P01`) of a failure, where it has one. */
export const driverCode = (error: SqlError): string =>
  typeof error.cause === "object" && error.cause !== null && "code" in error.cause ? String(error.cause.code) : ""

/** Whether a statement failed because a row with the same unique key is there. */
const isUniqueViolation = (error: unknown): boolean =>
  error instanceof SqlError && ["23505", "SQLITE_CONSTRAINT_UNIQUE"].includes(driverCode(error))

/** Gives the error of a statement that fails because a row with the same unique key is there; without one it is left. */
export const whenTaken =
  <Taken>(taken: (() => Taken) | undefined) =>
  <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E | Taken, R> =>
    Effect.mapError(statement, (error) => (taken !== undefined && isUniqueViolation(error) ? taken() : error))

/** Errors of PostgreSQL after which the same statement may succeed. */
const POSTGRES_BUSY = [
  "40001", // serialization failure
  "40P01", // deadlock detected
  "53300", // too many connections
  "55P03", // lock_timeout
  "57014", // statement_timeout, or canceled by an operator
  "57P01", // the server is shutting down
  "57P03" // the server is starting
]

const isBusy = (error: SqlError): boolean =>
  driverCode(error).startsWith("SQLITE_BUSY") ||
  // pg-pool gives this failure no code of its own.
  (error.cause instanceof Error && error.cause.message.includes("timeout exceeded when trying to connect")) ||
  POSTGRES_BUSY.includes(driverCode(error))

/** PostgreSQL rolled this transaction back to resolve a deadlock or a serialization failure. */
const isRolledBack = (error: SqlError): boolean => ["40001", "40P01"].includes(driverCode(error))

const toStorageError = (operation: string, error: SqlError | ParseResult.ParseError): StorageError =>
  error instanceof SqlError && isBusy(error)
    ? new StorageBusy({ operation, undone: isRolledBack(error) })
    : new StorageFailed({ operation, cause: error })

type FromDriver<E> = Extract<E, SqlError | ParseResult.ParseError>

/** Turns a driver's failures, and rows that are not what their schema says, into storage errors named by operation. */
export const storing =
  (operation: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Exclude<E, FromDriver<E>> | StorageError, R> =>
    Effect.mapError(effect, (error) =>
      error instanceof SqlError || error instanceof ParseResult.ParseError
        ? toStorageError(operation, error)
        : // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- what the two driver failures leave: nothing subtracts from a type parameter
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
