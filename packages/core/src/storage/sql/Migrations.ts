import type { SqlError } from "@effect/sql/SqlError"
import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import type { StorageError } from "../../kernel/Storage.js"
import { Dialect } from "./Dialect.js"
import { createInsertCallsFunction } from "./InsertCallsFunction.js"
import { access } from "./migrations/0001_access.js"
import { catalog } from "./migrations/0002_catalog.js"
import { jobs } from "./migrations/0003_jobs.js"
import { credits } from "./migrations/0004_credits.js"
import { metrics } from "./migrations/0005_metrics.js"
import { calls } from "./migrations/0006_calls.js"
import { evaluators } from "./migrations/0007_evaluators.js"
import { results } from "./migrations/0008_results.js"
import { dashboards } from "./migrations/0009_dashboards.js"
import { checkouts } from "./migrations/0010_checkouts.js"
import { blobs } from "./migrations/0012_blobs.js"
import { simplifications } from "./migrations/0011_simplifications.js"
import { platforms } from "./migrations/0013_platforms.js"
import { traces } from "./migrations/0014_traces.js"
import { recordingChannels } from "./migrations/0015_recording_channels.js"
import { voiceEndpoints } from "./migrations/0016_voice_endpoints.js"
import { evaluationTimes } from "./migrations/0019_evaluation_times.js"
import { runRecordings } from "./migrations/0020_run_recordings.js"
import { voiceBehavior } from "./migrations/0022_voice_behavior.js"
import { answerLatencies } from "./migrations/0023_answer_latencies.js"
import { analytics } from "./migrations/0024_analytics.js"
import { voiceProtocols } from "./migrations/0027_voice_protocols.js"
import { projectionDatabase } from "./migrations/0028_projection_database.js"
import { storing } from "./Storing.js"
import { predefinedMetricRevisions, REVISIONS_TABLE } from "./PredefinedMetricRevisions.js"
import {
  type DatabaseIncompatible,
  incompatibility,
  MIGRATIONS_TABLE,
  migrationNames,
  APPLICATION_ID
} from "./SchemaRules.js"

const MIGRATIONS = {
  "0001_access": access,
  "0002_catalog": catalog,
  "0003_jobs": jobs,
  "0004_credits": credits,
  "0005_metrics": metrics,
  "0006_calls": calls,
  "0007_evaluators": evaluators,
  "0008_results": results,
  "0009_dashboards": dashboards,
  "0010_checkouts": checkouts,
  "0011_simplifications": simplifications,
  "0012_blobs": blobs,
  "0013_platforms": platforms,
  "0014_traces": traces,
  "0015_recording_channels": recordingChannels,
  "0016_voice_endpoints": voiceEndpoints,
  "0019_evaluation_times": evaluationTimes,
  "0020_run_recordings": runRecordings,
  "0022_voice_behavior": voiceBehavior,
  "0023_answer_latencies": answerLatencies,
  "0024_analytics": analytics,
  "0027_voice_protocols": voiceProtocols,
  "0028_projection_database": projectionDatabase
}

const run = Migrator.make({})

const tableNames = (sql: SqlClient) =>
  sql.onDialectOrElse({
    // What an extension made belongs to no application.
    pg: () => sql<{ readonly name: string }>`
      SELECT c.relname AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p', 'f', 'v', 'm') AND NOT EXISTS (
        SELECT 1 FROM pg_depend d
        WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      ORDER BY c.relname`,
    orElse: () => sql<{ readonly name: string }>`
      SELECT name FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name`
  })

const applicationId = (sql: SqlClient) =>
  sql.onDialectOrElse({
    pg: () => Effect.succeed(0),
    orElse: () =>
      Effect.map(sql<{ readonly application_id: number }>`PRAGMA application_id`, ([row]) => row?.application_id ?? 0)
  })

/** What a table of migrations records. */
const recorded = (sql: SqlClient, table: string) =>
  Effect.map(
    sql<{ readonly migration_id: number; readonly name: string }>`SELECT migration_id, name FROM ${sql(table)}`,
    (rows) => rows.map(({ migration_id, name }) => ({ id: migration_id, name }))
  )

/** Why this version must not use the database, if it must not; changes nothing. */
const examine: Effect.Effect<Option.Option<DatabaseIncompatible>, SqlError, SqlClient | Dialect> = Effect.gen(
  function* () {
    const sql = yield* SqlClient
    const { nameOf } = yield* Dialect
    const tables = (yield* tableNames(sql)).map(({ name }) => name)
    const sequences = yield* Effect.forEach(
      [
        { table: nameOf(MIGRATIONS_TABLE), known: migrationNames(MIGRATIONS) },
        { table: nameOf(REVISIONS_TABLE), known: migrationNames(predefinedMetricRevisions) }
      ].filter(({ table }) => tables.includes(table)),
      ({ known, table }) => Effect.map(recorded(sql, table), (names) => ({ known, recorded: names }))
    )
    return incompatibility(nameOf(""), { tables, applicationId: yield* applicationId(sql), sequences })
  }
)

/** Fails if this version must not use the database, and changes nothing in it. */
export const check: Effect.Effect<void, DatabaseIncompatible | SqlError, SqlClient | Dialect> = Effect.flatMap(
  examine,
  Option.match({ onNone: () => Effect.void, onSome: Effect.fail })
)

/**
 * Logs a warning once a newer version has migrated the database that this process uses. The process goes on: migrations
 * keep what the version before them uses.
 */
export const watch: Effect.Effect<Effect.Effect<void, StorageError>, never, SqlClient | Dialect> = Effect.gen(
  function* () {
    const context = yield* Effect.context<SqlClient | Dialect>()
    let reported = false
    return Effect.gen(function* () {
      const found = reported ? Option.none() : yield* examine
      if (Option.isNone(found)) return
      reported = true
      yield* Effect.logWarning("The database was changed by another version: replace this process", {
        why: found.value.why,
        reason: found.value.reason
      })
    }).pipe(Effect.provide(context), storing("Migrations.watch"))
  }
)

/**
 * Brings a database to the newest schema, unless this version must not use it. Migrations are records in code, so an
 * embedding program ships no files; each is written once for both databases.
 *
 * To change the schema, add a file with the next number that alters what is there, and its line in `MIGRATIONS`: a
 * migration that was released is never edited, removed or renumbered, since databases that ran it do not run it again.
 * There is no way back but a backup. The lists of columns (such as `CallColumns`) change with it. The function that
 * inserts calls needs no migration: each version creates its own.
 *
 * Processes of the version before run on while a new one migrates. So a migration adds tables, indexes, and columns that
 * are nullable or have a default; what no version uses any longer is dropped one release later (docs/operations.md).
 */
export const migrate: Layer.Layer<never, DatabaseIncompatible | SqlError, SqlClient | Dialect> = Layer.effectDiscard(
  Effect.gen(function* () {
    const dialect = yield* Dialect
    const sql = yield* SqlClient
    yield* check
    const load = <A, E, R>(migration: Effect.Effect<A, E, R | Dialect>) =>
      Effect.provideService(migration, Dialect, dialect)
    // Not with a prefix: the file may be the host's.
    if (dialect.name === "sqlite" && dialect.nameOf("") === "") {
      yield* sql`PRAGMA application_id = ${sql.literal(String(APPLICATION_ID))}`
    }
    yield* run({
      table: dialect.nameOf(MIGRATIONS_TABLE),
      loader: Migrator.fromRecord(Record.map(MIGRATIONS, load))
    })
    if (dialect.name === "postgres") {
      yield* sql.withTransaction(
        Effect.zipRight(
          sql`LOCK TABLE ${sql(dialect.nameOf(MIGRATIONS_TABLE))} IN ACCESS EXCLUSIVE MODE`,
          createInsertCallsFunction(sql, dialect)
        )
      )
    }
    yield* run({
      table: dialect.nameOf(REVISIONS_TABLE),
      loader: Migrator.fromRecord(Record.map(predefinedMetricRevisions, load))
    })
  }).pipe(Effect.catchTag("MigrationError", Effect.die))
)
