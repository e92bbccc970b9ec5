import * as Migrator from "@effect/sql/Migrator"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
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
import { simplifications } from "./migrations/0011_simplifications.js"
import { predefinedMetricRevisions, REVISIONS_TABLE } from "./PredefinedMetricRevisions.js"

const MIGRATIONS_TABLE = "earshot_migrations"

const run = Migrator.make({})

/**
 * Brings a database to the newest schema. Migrations are records in code, so an embedding program ships no files; each
 * is written once for both databases.
 *
 * To change the schema, add a file with the next number that alters what is there, and its line below: a migration that
 * was released is never edited, removed or renumbered, since databases that ran it do not run it again. There is no way
 * back but a backup. The lists of columns (such as `CallColumns`) change with it. The function that inserts calls needs
 * no migration: each version creates its own.
 */
export const migrate = Layer.effectDiscard(
  Effect.gen(function* () {
    const dialect = yield* Dialect
    const sql = yield* SqlClient
    const load = <A, E, R>(migration: Effect.Effect<A, E, R | Dialect>) =>
      Effect.provideService(migration, Dialect, dialect)
    yield* run({
      table: dialect.nameOf(MIGRATIONS_TABLE),
      loader: Migrator.fromRecord({
        "0001_access": load(access),
        "0002_catalog": load(catalog),
        "0003_jobs": load(jobs),
        "0004_credits": load(credits),
        "0005_metrics": load(metrics),
        "0006_calls": load(calls),
        "0007_evaluators": load(evaluators),
        "0008_results": load(results),
        "0009_dashboards": load(dashboards),
        "0010_checkouts": load(checkouts),
        "0011_simplifications": load(simplifications)
      })
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
