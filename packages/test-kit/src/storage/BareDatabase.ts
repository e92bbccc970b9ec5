/** Databases without an engine: created empty, and changed by plain statements. */
import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import type * as Scope from "effect/Scope"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createDatabase } from "../postgres/createDatabase.js"
import { postgresUrl } from "../postgres/postgresUrl.js"
import type { DatabaseName } from "../TestEngine.js"

/** The address of a database that is empty and is removed when the scope closes. */
export const emptyDatabase = (database: DatabaseName): Effect.Effect<string, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.promise(async () => {
        if (database === "sqlite") {
          const folder = await mkdtemp(join(tmpdir(), "earshot-storage-"))
          return { address: `sqlite:${join(folder, "calls.db")}`, drop: () => rm(folder, { recursive: true }) }
        }
        const { drop, url } = await createDatabase(await postgresUrl())
        return { address: url, drop }
      }),
      ({ drop }) => Effect.promise(drop)
    ),
    ({ address }) => address
  )

const clientOf = (address: string): Layer.Layer<SqlClient, unknown> =>
  address.startsWith("sqlite:")
    ? SqliteClient.layer({ filename: address.slice("sqlite:".length), disableWAL: true })
    : PgClient.layer({ url: Redacted.make(address) })

/** Runs statements on the database at an address, without opening an engine there. */
export const execute = (
  address: string,
  ...statements: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<ReadonlyArray<unknown>>> =>
  Effect.forEach(statements, (statement) => Effect.flatMap(SqlClient, (sql) => sql.unsafe(statement))).pipe(
    Effect.provide(clientOf(address)),
    Effect.orDie
  )

/** Runs a statement on an engine's own connection, such as a setting that a connection has for itself. */
export const statement = (
  text: string
): Effect.Effect<ReadonlyArray<Readonly<Record<string, unknown>>>, never, SqlClient> =>
  Effect.flatMap(SqlClient, (sql) => sql.unsafe<Readonly<Record<string, unknown>>>(text)).pipe(Effect.orDie)
