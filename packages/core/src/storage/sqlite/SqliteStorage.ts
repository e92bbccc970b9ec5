import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { resolve } from "node:path"
import type { UnitOfWork } from "../../kernel/Storage.js"
import { Dialect, sqliteDialect } from "../sql/Dialect.js"
import { check, migrate } from "../sql/Migrations.js"
import type { DatabaseIncompatible } from "../sql/SchemaRules.js"
import { tablePrefix } from "../sql/Tables.js"
import { queryTimeoutMillis, type ReadsConfig, routed, Snapshots } from "../sql/Reads.js"
import * as SqliteTransaction from "../sql/SqliteTransaction.js"
import * as UnitOfWorkSql from "../sql/UnitOfWorkSql.js"
import * as ReaderPool from "./ReaderPool.js"
import { MATCHES, PERCENTILE_OF_LISTS } from "./readerProgram.js"
import * as WriteLock from "./WriteLock.js"

export interface SqliteConfig extends ReadsConfig {
  /** A file, made when it is not there, or `:memory:` for a database that lives as long as the engine. */
  readonly filename: string
  /** What the names of tables, indexes and functions begin with (default: none); see `parseTablePrefix`. */
  readonly tablePrefix?: string
}

const DEFAULT_READERS = 3

/** The driver's own connection. It is the client's only one, so nothing else of the driver's client is used. */
const open = (
  config: SqliteConfig,
  prefix: string
): Effect.Effect<Connection, SqlError | DatabaseIncompatible, Scope.Scope | Reactivity.Reactivity> =>
  Effect.gen(function* () {
    const driver = yield* SqliteClient.make({ filename: config.filename, disableWAL: true }).pipe(
      // The driver throws where a file cannot be opened, and its client lets that through.
      Effect.catchAllDefect((cause) => new SqlError({ cause, message: `Failed to open ${config.filename}` }))
    )
    // Before the first statement that changes the file: it may be another application's.
    yield* check.pipe(
      Effect.provideService(SqlClient.SqlClient, driver),
      Effect.provideService(Dialect, sqliteDialect(driver, prefix))
    )
    yield* driver.unsafe("PRAGMA journal_mode = WAL")
    // FULL at every open: a WAL file opened again falls back to NORMAL, which loses acknowledged writes on power failure.
    yield* driver.unsafe("PRAGMA synchronous = FULL")
    yield* driver.unsafe("PRAGMA foreign_keys = ON")
    // It blocks the whole process; `WriteLock` waits instead.
    yield* driver.unsafe("PRAGMA busy_timeout = 2")
    yield* driver.unsafe("PRAGMA wal_autocheckpoint = 10000")
    const connection = yield* driver.reserve
    return {
      execute: connection.execute,
      executeRaw: connection.executeRaw,
      executeValues: connection.executeValues,
      executeStream: connection.executeStream,
      // The driver's throws where a statement cannot be prepared.
      executeUnprepared: (...statement) =>
        Effect.flatten(
          Effect.try({
            try: () => connection.executeUnprepared(...statement),
            catch: (cause) => new SqlError({ cause, message: "Failed to prepare statement" })
          })
        )
    }
  })

/** The readers of a file. A database in memory is that of one connection, and has none. */
const readersOf = (config: SqliteConfig) => {
  const readers = config.readers ?? DEFAULT_READERS
  return readers <= 0 || config.filename === ":memory:" || config.filename === ""
    ? Effect.succeed(undefined)
    : ReaderPool.make({
        filename: resolve(config.filename),
        readers,
        queryTimeoutMillis: queryTimeoutMillis(config)
      })
}

/**
 * A client with one connection for everything but reads that grow, which run in reader processes. `reserve` gives the
 * connection with the write lock in hand, in a transaction that was begun.
 */
const makeClient = (connection: Connection, pool: ReaderPool.ReaderPool | undefined) =>
  Effect.gen(function* () {
    const turn = yield* Effect.makeSemaphore(1)
    const untilUnlocked = yield* WriteLock.make
    /** A statement outside of a transaction. */
    const alone = <A>(statement: Effect.Effect<A, SqlError>) => untilUnlocked(turn.withPermits(1)(statement))
    const ordinary: Connection = {
      execute: (...statement) => alone(connection.execute(...statement)),
      executeRaw: (...statement) => alone(connection.executeRaw(...statement)),
      executeValues: (...statement) => alone(connection.executeValues(...statement)),
      executeUnprepared: (...statement) => alone(connection.executeUnprepared(...statement)),
      executeStream: connection.executeStream
    }
    const begun = untilUnlocked(
      Effect.uninterruptibleMask((restore) =>
        Effect.zipRight(
          restore(turn.take(1)),
          Effect.tapErrorCause(SqliteTransaction.begin(connection), () => turn.release(1))
        )
      )
    )
    const reserve = Effect.as(
      Effect.acquireRelease(begun, () => turn.release(1)),
      connection
    )
    const client = yield* SqlClient.make({
      acquirer: pool === undefined ? Effect.succeed(ordinary) : routed(ordinary, pool.connectionOf),
      transactionAcquirer: reserve,
      compiler: Statement.makeCompilerSqlite(),
      spanAttributes: [["db.system.name", "sqlite"]]
    })
    const withTransaction = SqlClient.makeWithTransaction({
      transactionTag: SqlClient.TransactionConnection,
      spanAttributes: [["db.system.name", "sqlite"]],
      acquireConnection: Effect.flatMap(Scope.make(), (scope) =>
        Effect.map(Scope.extend(reserve, scope), (reserved) => [scope, reserved] as const)
      ),
      begin: () => Effect.void,
      savepoint: (reserved, id) => reserved.executeUnprepared(`SAVEPOINT earshot_${id}`, [], undefined),
      commit: SqliteTransaction.commit,
      rollback: SqliteTransaction.rollback,
      // Where SQLite has rolled the whole transaction back there is no savepoint.
      rollbackSavepoint: (reserved, id) =>
        Effect.ignore(reserved.executeUnprepared(`ROLLBACK TO SAVEPOINT earshot_${id}`, [], undefined))
    })
    return Object.assign(client, { withTransaction })
  })

/**
 * Storage in one SQLite file, migrated to the newest schema. It fails when the file cannot be opened or migrated, and with
 * `DatabaseIncompatible`, without a change, when this version must not use it.
 */
export const layer = (
  config: SqliteConfig
): Layer.Layer<SqlClient.SqlClient | Dialect | Snapshots | UnitOfWork, DatabaseIncompatible | SqlError> =>
  UnitOfWorkSql.layer.pipe(
    Layer.provideMerge(migrate),
    Layer.provideMerge(
      Layer.scopedContext(
        Effect.gen(function* () {
          const prefix = yield* tablePrefix(config.tablePrefix)
          const pool = yield* readersOf(config)
          const connection = yield* open(config, prefix)
          const client = yield* makeClient(connection, pool)
          // Without readers the only connection reads in a transaction.
          const snapshots = pool?.snapshots ?? { within: (_, use) => client.withTransaction(use(connection)) }
          const dialect = sqliteDialect(
            client,
            prefix,
            pool === undefined
              ? {}
              : { percentileOfLists: PERCENTILE_OF_LISTS, ...(pool.hasPatterns ? { matches: MATCHES } : {}) }
          )
          return Context.make(SqlClient.SqlClient, client).pipe(
            Context.add(Dialect, dialect),
            Context.add(Snapshots, snapshots)
          )
        })
      )
    ),
    Layer.provide(Reactivity.layer)
  )
