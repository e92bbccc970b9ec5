import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as SqlClient from "@effect/sql/SqlClient"
import { SqlError } from "@effect/sql/SqlError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import type { UnitOfWork } from "../../kernel/Storage.js"
import { Dialect, sqliteDialect } from "../sql/Dialect.js"
import { check, migrate } from "../sql/Migrations.js"
import type { DatabaseIncompatible } from "../sql/SchemaRules.js"
import { tablePrefix } from "../sql/Tables.js"
import * as SqliteTransaction from "../sql/SqliteTransaction.js"
import * as UnitOfWorkSql from "../sql/UnitOfWorkSql.js"

export interface SqliteConfig {
  /** A file, made when it is not there, or `:memory:` for a database that lives as long as the engine. */
  readonly filename: string
  /** What the names of tables, indexes and functions begin with (default: none); see `parseTablePrefix`. */
  readonly tablePrefix?: string
}

/**
 * The driver's client with two habits changed. Transactions take the write lock when they begin: with the driver's
 * deferred BEGIN, two processes that read and then write fail with SQLITE_BUSY_SNAPSHOT, which waiting does not cure.
 * And they wait for that lock as fibers: SQLite's own busy timeout would block the whole process meanwhile.
 */
const makeClient = (config: SqliteConfig, prefix: string) =>
  Effect.gen(function* () {
    const client = yield* SqliteClient.make({ filename: config.filename, disableWAL: true }).pipe(
      // The driver throws where a file cannot be opened, and its client lets that through.
      Effect.catchAllDefect((cause) => new SqlError({ cause, message: `Failed to open ${config.filename}` }))
    )
    // Before the first statement that changes the file: it may be another application's.
    yield* check.pipe(
      Effect.provideService(SqlClient.SqlClient, client),
      Effect.provideService(Dialect, sqliteDialect(client, prefix))
    )
    yield* client.unsafe("PRAGMA journal_mode = WAL")
    // FULL at every open: a WAL file opened again falls back to NORMAL, which loses acknowledged writes on power failure.
    yield* client.unsafe("PRAGMA synchronous = FULL")
    yield* client.unsafe("PRAGMA foreign_keys = ON")
    yield* client.unsafe("PRAGMA busy_timeout = 50")
    yield* client.unsafe("PRAGMA wal_autocheckpoint = 10000")
    const withTransaction = SqlClient.makeWithTransaction({
      transactionTag: SqlClient.TransactionConnection,
      spanAttributes: [["db.system.name", "sqlite"]],
      acquireConnection: Effect.flatMap(Scope.make(), (scope) =>
        Effect.map(Scope.extend(client.reserve, scope), (connection) => [scope, connection] as const)
      ),
      begin: SqliteTransaction.begin,
      savepoint: (connection, id) => connection.executeUnprepared(`SAVEPOINT earshot_${id}`, [], undefined),
      commit: SqliteTransaction.commit,
      rollback: SqliteTransaction.rollback,
      rollbackSavepoint: (connection, id) =>
        connection.executeUnprepared(`ROLLBACK TO SAVEPOINT earshot_${id}`, [], undefined)
    })
    return Object.assign(client, { withTransaction })
  })

/**
 * Storage in one SQLite file, migrated to the newest schema. It fails when the file cannot be opened or migrated, and with
 * `DatabaseIncompatible`, without a change, when this version must not use it.
 */
export const layer = (
  config: SqliteConfig
): Layer.Layer<SqlClient.SqlClient | Dialect | UnitOfWork, SqlError | DatabaseIncompatible> =>
  UnitOfWorkSql.layer.pipe(
    Layer.provideMerge(migrate),
    Layer.provideMerge(
      Layer.scopedContext(
        Effect.gen(function* () {
          const prefix = yield* tablePrefix(config.tablePrefix)
          const client = yield* makeClient(config, prefix)
          return Context.make(SqlClient.SqlClient, client).pipe(Context.add(Dialect, sqliteDialect(client, prefix)))
        })
      )
    ),
    Layer.provide(Reactivity.layer)
  )
