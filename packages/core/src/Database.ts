import * as Data from "effect/Data"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Storage } from "./Engine.js"
import type { ReadsConfig } from "./storage/sql/Reads.js"
import { DatabaseIncompatible } from "./storage/sql/SchemaRules.js"
import { parseTablePrefix } from "./storage/sql/Tables.js"

export { DatabaseIncompatible }

/** Why there is no storage: it cannot be opened, or this version must not use it. */
export type DatabaseError = DatabaseUnusable | DatabaseIncompatible

/** A database address or table prefix that is invalid, or a database that cannot be opened. */
export class DatabaseUnusable extends Data.TaggedError("DatabaseUnusable")<{
  readonly reason: string
  readonly cause?: unknown
}> {
  override get message(): string {
    return this.reason
  }
}

/** Where the data is: `sqlite:PATH`, `sqlite::memory:`, or `postgres://user:password@host:port/database`. */
export type DatabaseAddress =
  | { readonly kind: "sqlite"; readonly filename: string }
  | { readonly kind: "postgres"; readonly url: Redacted.Redacted }

export interface DatabaseOptions extends ReadsConfig {
  /**
   * What the names of all tables, indexes and functions begin with, so that an engine can share a database with its host
   * or with another engine (default: no prefix). At most 30 lower-case letters, digits and underscores.
   */
  readonly tablePrefix?: string | undefined
  /**
   * How long a statement of an ordinary request may take on PostgreSQL, and how long it waits for a connection or a lock
   * (default: 5 seconds). On SQLite it waits 5 seconds for another process that writes.
   */
  readonly statementTimeout?: Duration.DurationInput | undefined
  /** Connections of this process to PostgreSQL besides those of `readers` (default: 10). */
  readonly maxConnections?: number | undefined
}

const EXPECTED = "A database is given as sqlite:PATH or postgres://user:password@host:port/name."

/** Parses a database address. The error does not repeat the text, which may contain a password. */
export const parse = (address: string): Either.Either<DatabaseAddress, DatabaseUnusable> => {
  if (address.startsWith("sqlite:") && address.length > "sqlite:".length) {
    return Either.right({ kind: "sqlite", filename: address.slice("sqlite:".length) })
  }
  return /^postgres(ql)?:\/\//.test(address) && URL.canParse(address)
    ? Either.right({ kind: "postgres", url: Redacted.make(address) })
    : Either.left(new DatabaseUnusable({ reason: EXPECTED }))
}

/** The code of an error or of its cause: SQLite's, PostgreSQL's or the system's own. */
const codeOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return ""
  if ("code" in error && typeof error.code === "string") return error.code
  return "cause" in error ? codeOf(error.cause) : ""
}

const POSTGRES_REASONS: Readonly<Record<string, string>> = {
  "3D000": "The PostgreSQL server has no database of this name. Create it first (createdb).",
  "3F000": "The PostgreSQL schema of the search path does not exist. Create it first (CREATE SCHEMA).",
  "28P01": "The PostgreSQL server rejected the role or its password.",
  "28000": "The PostgreSQL server rejected the role.",
  "42501": "The PostgreSQL role lacks the privilege to create tables in this database.",
  ECONNREFUSED: "The PostgreSQL server cannot be reached: nothing listens at this host and port.",
  ENOTFOUND: "The PostgreSQL server cannot be reached: the host name does not exist.",
  EAI_AGAIN: "The PostgreSQL server cannot be reached: the host name could not be resolved."
}

/** Why PostgreSQL cannot be used. Nothing of the address is repeated: it may contain a password. */
const postgresUnusable = (cause: unknown): DatabaseUnusable =>
  new DatabaseUnusable({ reason: POSTGRES_REASONS[codeOf(cause)] ?? "The PostgreSQL server cannot be reached.", cause })

/** Why an SQLite file cannot be used. The driver says little, so the file and its directory are examined. */
const sqliteUnusable =
  (filename: string) =>
  (cause: unknown): Effect.Effect<DatabaseUnusable> =>
    Effect.promise(async () => {
      const { access, constants, stat } = await import("node:fs/promises")
      const path = await import("node:path")
      const directory = path.dirname(filename)
      const error = (why: string) =>
        new DatabaseUnusable({ reason: `The SQLite database ${filename} cannot be opened${why}`, cause })
      const accessError = (place: string) =>
        access(place, constants.R_OK | constants.W_OK).then(
          () => "",
          (failure: unknown) => codeOf(failure)
        )
      if (codeOf(cause) === "SQLITE_NOTADB") return error(": this file is not a database.")
      if (filename === ":memory:") return error(".")
      const found = await stat(filename).catch(() => undefined)
      if (found?.isDirectory() === true) return error(": it is a directory.")
      const ofDirectory = await accessError(directory)
      if (ofDirectory === "ENOENT" || ofDirectory === "ENOTDIR")
        return error(`: the directory ${directory} does not exist.`)
      const code = [found === undefined ? "" : await accessError(filename), ofDirectory].find((one) => one !== "")
      return error(
        code === "EACCES" || code === "EPERM"
          ? ": no permission to read and write the file or its directory."
          : code === "EROFS"
            ? ": its file system is read-only."
            : "."
      )
    })

const unusable = (reason: string) => (cause: unknown) => new DatabaseUnusable({ reason, cause })

/**
 * Storage at an address. The driver is loaded only when its kind of database is used, so a program that
 * uses PostgreSQL needs no `@effect/sql-sqlite-node`.
 */
export const layer = (address: string, options: DatabaseOptions = {}): Layer.Layer<Storage, DatabaseError> =>
  Layer.unwrapEffect(
    Effect.gen(function* () {
      const parsed = yield* parse(address)
      const tablePrefix = yield* Either.mapLeft(
        parseTablePrefix(options.tablePrefix ?? ""),
        (reason) => new DatabaseUnusable({ reason })
      )
      const reads: ReadsConfig = { readers: options.readers, queryTimeout: options.queryTimeout }
      if (parsed.kind === "sqlite") {
        const { SqliteStorage } = yield* Effect.tryPromise({
          try: () => import("./storage/sqlite/index.js"),
          catch: unusable("SQLite needs the package @effect/sql-sqlite-node.")
        })
        const explain = sqliteUnusable(parsed.filename)
        return SqliteStorage.layer({ ...reads, filename: parsed.filename, tablePrefix }).pipe(
          Layer.catchAll((cause): Layer.Layer<Storage, DatabaseError> =>
            cause instanceof DatabaseIncompatible
              ? Layer.fail(cause)
              : Layer.unwrapEffect(Effect.map(explain(cause), Layer.fail))
          )
        )
      }
      const { PostgresStorage } = yield* Effect.tryPromise({
        try: () => import("./storage/postgres/index.js"),
        catch: unusable("The PostgreSQL driver, the package pg, cannot be loaded.")
      })
      return PostgresStorage.layer({
        ...reads,
        url: parsed.url,
        tablePrefix,
        statementTimeout: options.statementTimeout,
        maxConnections: options.maxConnections
      }).pipe(Layer.mapError((cause) => (cause instanceof DatabaseIncompatible ? cause : postgresUnusable(cause))))
    })
  )
