import * as PgClient from "@effect/sql-pg/PgClient"
import * as SqlClient from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as pgTypes from "pg-types"
import type { UnitOfWork } from "../../kernel/Storage.js"
import { Dialect, postgresDialect } from "../sql/Dialect.js"
import { migrate } from "../sql/Migrations.js"
import type { DatabaseIncompatible } from "../sql/SchemaRules.js"
import { tablePrefix } from "../sql/Tables.js"
import * as PostgresJobNotifications from "./PostgresJobNotifications.js"
import * as UnitOfWorkSql from "../sql/UnitOfWorkSql.js"

export interface PostgresConfig {
  /** `postgres://user:password@host:port/database` */
  readonly url: Redacted.Redacted
  /** Connections this process may hold (default: 10). */
  readonly maxConnections?: number
  /** What the names of tables, indexes and functions begin with (default: none); see `parseTablePrefix`. */
  readonly tablePrefix?: string
}

/** How long a caller waits for a free connection before it fails with `StorageBusy`. */
const CONNECTION_WAIT = "5 seconds"

/** PostgreSQL's type numbers whose default reading would differ from SQLite's. */
const BIGINT = 20
const JSON_TEXT = 114
const JSONB = 3802

const asText = (text: string): string => text

/**
 * Storage in a PostgreSQL database, migrated to the newest schema. It fails when the server cannot be reached, and with
 * `DatabaseIncompatible`, without a change, when this version must not use the database.
 */
export const layer = (
  config: PostgresConfig
): Layer.Layer<SqlClient.SqlClient | Dialect | UnitOfWork, SqlError | DatabaseIncompatible> =>
  UnitOfWorkSql.layer.pipe(
    Layer.provideMerge(migrate),
    Layer.provideMerge(PostgresJobNotifications.layer({ url: config.url, tablePrefix: config.tablePrefix ?? "" })),
    Layer.provideMerge(
      Layer.effect(Dialect, Effect.zipWith(SqlClient.SqlClient, tablePrefix(config.tablePrefix), postgresDialect))
    ),
    Layer.provideMerge(
      PgClient.layer({
        url: config.url,
        maxConnections: config.maxConnections ?? 10,
        connectTimeout: CONNECTION_WAIT,
        applicationName: "earshot",
        types: {
          // Ids and counts are safe integers by construction, and JSON columns are read through their row schema.
          getTypeParser: (oid: number) =>
            oid === BIGINT ? Number : oid === JSON_TEXT || oid === JSONB ? asText : pgTypes.getTypeParser(oid)
        }
      })
    )
  )
