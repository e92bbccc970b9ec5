import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Storage } from "../Engine.js"

/** A database address that names neither an SQLite file nor a PostgreSQL server, or one that cannot be opened. */
export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{
  readonly reason: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.reason
  }
}

/** Where the data lives: `sqlite:PATH`, `sqlite::memory:`, or `postgres://user:password@host:port/database`. */
export type DatabaseAddress =
  | { readonly kind: "sqlite"; readonly filename: string }
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted }

const EXPECTED = "Name a database as sqlite:PATH or postgres://user:password@host:port/name."

/** Reads a database address. The fault does not repeat the text, which may hold a password. */
export const parse = (address: string): Either.Either<DatabaseAddress, DatabaseUnusable> => {
  if (address.startsWith("sqlite:") && address.length > "sqlite:".length) {
    return Either.right({ kind: "sqlite", filename: address.slice("sqlite:".length) })
  }
  return /^postgres(ql)?:\/\//.test(address) && URL.canParse(address)
    ? Either.right({ kind: "postgres", url: Redacted.make(address) })
    : Either.left(new DatabaseUnusable({ reason: EXPECTED }))
}

const unusable = (reason: string) => (cause: unknown) => new DatabaseUnusable({ reason, cause })

/**
 * Storage at an address. The driver is loaded only when its kind of database is asked for, so a program installs the one
 * it uses: `@effect/sql-sqlite-node` or `@effect/sql-pg`.
 */
export const layer = (address: string): Layer.Layer<Storage, DatabaseUnusable> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const parsed = yield* parse(address)
      if (parsed.kind === "sqlite") {
        const { SqliteStorage } = yield* Effect.tryPromise({
          try: () => import("./sqlite/index.js"),
          catch: unusable("SQLite needs the package @effect/sql-sqlite-node.")
        })
        return SqliteStorage.layer({ filename: parsed.filename }).pipe(
          Layer.mapError(unusable(`The SQLite database ${parsed.filename} cannot be opened.`))
        )
      }
      const { PostgresStorage } = yield* Effect.tryPromise({
        try: () => import("./postgres/index.js"),
        catch: unusable("PostgreSQL needs the package @effect/sql-pg.")
      })
      return PostgresStorage.layer({ url: parsed.url }).pipe(
        Layer.mapError(unusable("The PostgreSQL database cannot be reached."))
      )
    })
  )
