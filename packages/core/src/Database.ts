import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type { Storage } from "./Engine.js"

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

/** The code of the fault under an error: SQLite's, PostgreSQL's or the system's own. */
const codeOf = (error: unknown): string => {
  if (typeof error !== "object" || error === null) return ""
  if ("code" in error && typeof error.code === "string") return error.code
  return "cause" in error ? codeOf(error.cause) : ""
}

/** Why PostgreSQL cannot be used, in words that say what to look at. Nothing of the address is repeated: it may hold a password. */
const postgresFault = (cause: unknown): DatabaseUnusable => {
  const code = codeOf(cause)
  const why: Readonly<Record<string, string>> = {
    "3D000": "The PostgreSQL server has no database of this name: make it first (createdb).",
    "28P01": "The PostgreSQL server refuses this role or its password.",
    "28000": "The PostgreSQL server refuses this role.",
    "42501": "The PostgreSQL role may not make tables in this database.",
    ECONNREFUSED: "The PostgreSQL database cannot be reached: nothing listens at this host and port.",
    ENOTFOUND: "The PostgreSQL database cannot be reached: there is no host of this name.",
    EAI_AGAIN: "The PostgreSQL database cannot be reached: the host's name cannot be looked up."
  }
  return new DatabaseUnusable({ reason: why[code] ?? "The PostgreSQL database cannot be reached.", cause })
}

/** Why an SQLite file cannot be used. The driver says little, so that the file and its folder are looked at. */
const sqliteFault =
  (filename: string) =>
  (cause: unknown): Effect.Effect<DatabaseUnusable> =>
    Effect.promise(async () => {
      const { access, constants, stat } = await import("node:fs/promises")
      const path = await import("node:path")
      const folder = path.dirname(filename)
      const fault = (why: string) =>
        new DatabaseUnusable({ reason: `The SQLite database ${filename} cannot be opened${why}`, cause })
      const asksFor = (place: string) =>
        access(place, constants.R_OK | constants.W_OK).then(
          () => "",
          (error: unknown) => codeOf(error)
        )
      if (codeOf(cause) === "SQLITE_NOTADB") return fault(": this file is not a database.")
      if (filename === ":memory:") return fault(".")
      const found = await stat(filename).catch(() => undefined)
      if (found?.isDirectory() === true) return fault(": this is a folder.")
      const ofFolder = await asksFor(folder)
      if (ofFolder === "ENOENT" || ofFolder === "ENOTDIR") return fault(`: there is no folder ${folder}.`)
      const code = [found === undefined ? "" : await asksFor(filename), ofFolder].find((one) => one !== "")
      return fault(
        code === "EACCES" || code === "EPERM"
          ? ": this user may not read and write it, or not in its folder."
          : code === "EROFS"
            ? ": its file system is read-only."
            : "."
      )
    })

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
          try: () => import("./storage/sqlite/index.js"),
          catch: unusable("SQLite needs the package @effect/sql-sqlite-node.")
        })
        const explain = sqliteFault(parsed.filename)
        return SqliteStorage.layer({ filename: parsed.filename }).pipe(
          Layer.catchAll((cause) => Layer.unwrapEffect(Effect.map(explain(cause), Layer.fail)))
        )
      }
      const { PostgresStorage } = yield* Effect.tryPromise({
        try: () => import("./storage/postgres/index.js"),
        catch: unusable("PostgreSQL needs the package @effect/sql-pg.")
      })
      return PostgresStorage.layer({ url: parsed.url }).pipe(Layer.mapError(postgresFault))
    })
  )
