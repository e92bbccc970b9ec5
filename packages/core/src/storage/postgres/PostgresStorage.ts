import * as Reactivity from "@effect/experimental/Reactivity"
import * as SqlClient from "@effect/sql/SqlClient"
import type { Connection } from "@effect/sql/SqlConnection"
import type { SqlError } from "@effect/sql/SqlError"
import * as Statement from "@effect/sql/Statement"
import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Scope from "effect/Scope"
import pg from "pg"
import * as pgTypes from "pg-types"
import type { UnitOfWork } from "../../kernel/Storage.js"
import { Dialect, postgresDialect } from "../sql/Dialect.js"
import { installed } from "../../kernel/InstalledModule.js"
import { migrate } from "../sql/Migrations.js"
import * as PatternThreads from "../sql/PatternThreads.js"
import { limitOf, queryTimeoutMillis, type Read, type ReadsConfig, routed, Snapshots } from "../sql/Reads.js"
import * as ReadTurns from "../sql/ReadTurns.js"
import type { DatabaseIncompatible } from "../sql/SchemaRules.js"
import { ReadLimitExceeded } from "../sql/Storing.js"
import { tablePrefix } from "../sql/Tables.js"
import * as UnitOfWorkSql from "../sql/UnitOfWorkSql.js"
import * as PostgresConnection from "./PostgresConnection.js"
import * as PostgresJobNotifications from "./PostgresJobNotifications.js"
import * as StatementNames from "./StatementNames.js"

export interface PostgresConfig extends ReadsConfig {
  /** `postgres://user:password@host:port/database` */
  readonly url: Redacted.Redacted
  /** Connections this process may hold besides those of `readers` (default: 10). */
  readonly maxConnections?: number | undefined
  /**
   * How long a statement of an ordinary request may take, and how long it waits for a connection or a lock (default:
   * 5 seconds). Then it fails with `StorageBusy`.
   */
  readonly statementTimeout?: Duration.DurationInput | undefined
  /** What the names of tables, indexes and functions begin with (default: none); see `parseTablePrefix`. */
  readonly tablePrefix?: string | undefined
}

const DEFAULT_READERS = 3

/**
 * Settings of connections that read what grows. A statement has one process of the server: ingests wait for cores, and the
 * server has no priorities. More memory than the default of 4 MB keeps the sorts of percentiles off the disk.
 */
const READ_SETTINGS = "-c max_parallel_workers_per_gather=0 -c work_mem=32MB"

/** How long a transaction may do nothing until the server ends it, in milliseconds: its locks block everybody else. */
const IDLE_IN_TRANSACTION = 60_000

/** PostgreSQL's type numbers whose default reading would differ from SQLite's. */
const BIGINT = 20
const JSON_TEXT = 114
const JSONB = 3802

const asText = (text: string): string => text

// Ids and counts are safe integers by construction, and JSON columns are read through their row schema.
const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number) =>
    oid === BIGINT ? Number : oid === JSON_TEXT || oid === JSONB ? asText : pgTypes.getTypeParser(oid)
}

interface PoolLimits {
  readonly name: string
  readonly connections: number
  /** How long to wait for a connection or a lock, and the limit of a statement. Undefined: as long as it takes. */
  readonly limits: { readonly waitMillis: number; readonly statementMillis: number } | undefined
  /** Settings of the server for each connection, as options of its command line. */
  readonly options?: string
  /** How long a connection is used, in seconds (default: without a limit). */
  readonly maxLifetime?: number
}

/** How long to wait for the server to accept a connection, in milliseconds. */
const CONNECT_TIMEOUT = 5000

/**
 * How long a connection with prepared statements is used, in seconds. Plans are kept until the table's statistics are
 * gathered again; where autovacuum is off or behind, this is how long a plan for a table that was small then is kept.
 */
const MAX_LIFETIME = 300

/** A pool, once the server has answered on it. */
const makePool = (config: PostgresConfig, { connections, limits, maxLifetime, name, options }: PoolLimits) =>
  Effect.acquireRelease(
    Effect.sync(() => {
      const pool = new pg.Pool({
        connectionString: Redacted.value(config.url),
        max: connections,
        maxLifetimeSeconds: maxLifetime ?? 0,
        connectionTimeoutMillis: limits?.waitMillis ?? CONNECT_TIMEOUT,
        keepAlive: true,
        keepAliveInitialDelayMillis: 10_000,
        idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION,
        ...(limits === undefined
          ? {}
          : { lock_timeout: Math.ceil(limits.waitMillis * 0.8), statement_timeout: onServer(limits.statementMillis) }),
        application_name: name,
        ...(options === undefined ? {} : { options }),
        types
      })
      // A connection that breaks while nothing uses it is replaced when one is needed.
      pool.on("error", () => undefined)
      return pool
    }),
    (pool) =>
      Effect.promise(() => pool.end()).pipe(Effect.interruptible, Effect.timeoutOption("1 second"), Effect.asVoid)
  )

/** How much longer a statement of a bulk transaction may take: 50 seconds, less than HTTP has for a whole response (60). */
const BULK_FACTOR = 10

/** The server's limits are a little shorter than this process's, so that its error is the one reported. */
const onServer = (statementMillis: number): number => Math.ceil(statementMillis * 0.9)

const isReachable = (connection: Connection): Effect.Effect<void, SqlError> =>
  Effect.asVoid(connection.execute("SELECT 1", [], undefined))

/** How statements are written for PostgreSQL, without the values of custom kinds that none of them has. */
const compiler = Statement.makeCompiler({
  dialect: "pg",
  placeholder: (position) => `$${position}`,
  onIdentifier: Statement.defaultEscape('"'),
  onRecordUpdate: (placeholders, alias, columns, values, returning) => [
    `(values ${placeholders}) AS ${alias}${columns}${returning === undefined ? "" : ` RETURNING ${returning[0]}`}`,
    returning === undefined ? values.flat() : [...values.flat(), ...returning[1]]
  ],
  onCustom: () => ["", []]
})

const spanAttributes = [["db.system.name", "postgresql"]] as const

/** A client on a pool. Its statements outside of transactions run on what `route` makes of the pool's connection. */
const makeClient = (
  pool: pg.Pool,
  nameOf: StatementNames.StatementNames,
  statementMillis: number | undefined,
  route: (ordinary: Connection) => Effect.Effect<Connection>
) =>
  Effect.gen(function* () {
    const limit = PostgresConnection.ordinaryLimit(statementMillis)
    const ordinary = PostgresConnection.pooled(pool, nameOf, () => limit)
    const bulkMillis = statementMillis === undefined ? undefined : BULK_FACTOR * statementMillis
    const bulkLimit = PostgresConnection.ordinaryLimit(bulkMillis)
    const reserve = Effect.flatMap(UnitOfWorkSql.IsBulk, (isBulk) =>
      PostgresConnection.reserve(pool, nameOf, () => (isBulk ? bulkLimit : limit))
    )
    const beginBulk =
      bulkMillis === undefined ? "BEGIN" : `BEGIN; SET LOCAL statement_timeout = ${String(onServer(bulkMillis))}`
    yield* isReachable(ordinary)
    const client = yield* SqlClient.make({
      acquirer: route(ordinary),
      transactionAcquirer: reserve,
      compiler,
      spanAttributes
    })
    const withTransaction = SqlClient.makeWithTransaction({
      transactionTag: SqlClient.TransactionConnection,
      spanAttributes,
      acquireConnection: Effect.flatMap(Scope.make(), (scope) =>
        Effect.map(Scope.extend(reserve, scope), (reserved) => [scope, reserved] as const)
      ),
      begin: (reserved) =>
        Effect.flatMap(UnitOfWorkSql.IsBulk, (isBulk) =>
          reserved.executeUnprepared(isBulk ? beginBulk : "BEGIN", [], undefined)
        ),
      savepoint: (reserved, id) => reserved.executeUnprepared(`SAVEPOINT earshot_${id}`, [], undefined),
      commit: PostgresConnection.commit,
      rollback: PostgresConnection.rollback,
      rollbackSavepoint: (reserved, id) =>
        Effect.ignore(reserved.executeUnprepared(`ROLLBACK TO SAVEPOINT earshot_${id}`, [], undefined))
    })
    return Object.assign(client, { withTransaction })
  })

/** The client of requests, and a pool of its own for reads that grow, which wait for their turn. */
const requests = (config: PostgresConfig) =>
  Effect.gen(function* () {
    const statementMillis = Math.max(1, Duration.toMillis(config.statementTimeout ?? "5 seconds"))
    const readers = Math.max(1, config.readers ?? DEFAULT_READERS)
    const queryMillis = queryTimeoutMillis(config)
    const pool = yield* makePool(config, {
      name: "earshot",
      connections: config.maxConnections ?? 10,
      limits: { waitMillis: statementMillis, statementMillis },
      maxLifetime: MAX_LIFETIME
    })
    const readPool = yield* makePool(config, {
      name: "earshot reads",
      connections: readers,
      limits: { waitMillis: statementMillis, statementMillis: 2 * limitOf(queryMillis, "export") },
      options: READ_SETTINGS
    })
    const turns = ReadTurns.make(readers)
    const limitOfNext = (read: Read) => (): PostgresConnection.StatementLimit => {
      const limitMillis = limitOf(queryMillis, read.kind)
      read.limitMillis = limitMillis
      return {
        millis: limitMillis - read.spentMillis,
        exceeded: () => new ReadLimitExceeded({ limitMillis }),
        checkMillis: statementMillis
      }
    }
    const connectionOf = (read: Read): Connection =>
      PostgresConnection.pooled(readPool, StatementNames.none, limitOfNext(read), (statement) =>
        turns.inTurn(read, timed(read, statement))
      )
    const client = yield* makeClient(pool, StatementNames.make(), statementMillis, (ordinary) =>
      routed(ordinary, connectionOf)
    )
    return Context.make(SqlClient.SqlClient, client).pipe(
      Context.add(Snapshots, {
        within: (read, use) =>
          turns.inTurn(
            read,
            Effect.scoped(
              Effect.flatMap(
                PostgresConnection.snapshot(readPool, limitOfNext(read), (statement) => timed(read, statement)),
                use
              )
            )
          )
      })
    )
  })

/** Adds the time of a statement to that of its read. */
const timed = <A>(read: Read, statement: Effect.Effect<A, SqlError>): Effect.Effect<A, SqlError> =>
  Effect.suspend(() => {
    const began = performance.now()
    return Effect.ensuring(
      statement,
      Effect.sync(() => {
        read.spentMillis += performance.now() - began
      })
    )
  })

/** The client of migrations: one connection without limits, since an index of a large table takes its time. */
const migrations = (config: PostgresConfig) =>
  Effect.gen(function* () {
    const pool = yield* makePool(config, { name: "earshot migrations", connections: 1, limits: undefined })
    return yield* makeClient(pool, StatementNames.none, undefined, Effect.succeed)
  })

/** Values that are tested with patterns at a time, each by a thread of about 20 MB. */
const PATTERN_THREADS = 2

const dialect = (config: PostgresConfig) =>
  Layer.scoped(
    Dialect,
    Effect.gen(function* () {
      const re2 = installed("re2js")
      return postgresDialect(
        yield* SqlClient.SqlClient,
        yield* tablePrefix(config.tablePrefix),
        re2 === null ? undefined : yield* PatternThreads.make(re2, PATTERN_THREADS)
      )
    })
  )

/**
 * Storage in a PostgreSQL database, migrated to the newest schema. It fails when the server cannot be reached, and with
 * `DatabaseIncompatible`, without a change, when this version must not use the database.
 */
export const layer = (
  config: PostgresConfig
): Layer.Layer<SqlClient.SqlClient | Dialect | Snapshots | UnitOfWork, DatabaseIncompatible | SqlError> =>
  UnitOfWorkSql.layer.pipe(
    Layer.provideMerge(PostgresJobNotifications.layer({ url: config.url, tablePrefix: config.tablePrefix ?? "" })),
    Layer.provideMerge(dialect(config)),
    Layer.provideMerge(Layer.scopedContext(requests(config))),
    Layer.tap(() =>
      // In a scope of its own, so that its connection is closed afterwards.
      Effect.scoped(
        Layer.build(
          migrate.pipe(
            Layer.provide(dialect(config)),
            Layer.provide(Layer.scoped(SqlClient.SqlClient, migrations(config)))
          )
        )
      )
    ),
    Layer.provide(Reactivity.layer)
  )
