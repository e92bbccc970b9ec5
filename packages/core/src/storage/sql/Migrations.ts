import * as Migrator from "@effect/sql/Migrator"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { catalog } from "./migrations/0001_catalog.js"
import { calls } from "./migrations/0002_calls.js"
import { dashboards } from "./migrations/0003_dashboards.js"
import { keepCalls } from "./migrations/0004_keep_calls.js"
import { evaluators } from "./migrations/0005_evaluators.js"
import { redaction } from "./migrations/0006_redaction.js"
import { metrics } from "./migrations/0007_metrics.js"
import { codeConnections } from "./migrations/0008_code_connections.js"
import { suites } from "./migrations/0009_suites.js"
import { simplifications } from "./migrations/0010_simplifications.js"
import { CATALOGUE_TABLE, catalogueRevisions } from "./CatalogueRevisions.js"
import { Dialect } from "./Dialect.js"

const run = Migrator.make({})

/**
 * Brings a database to the newest schema. Migrations are records in code, so an embedding program ships no files; each
 * is written once for both databases, and one that has landed is never edited.
 */
export const migrate = Layer.effectDiscard(
  Effect.flatMap(Dialect, (dialect) => {
    const load = <A, E, R>(migration: Effect.Effect<A, E, R | Dialect>) =>
      Effect.provideService(migration, Dialect, dialect)
    return run({
      table: "earshot_migrations",
      loader: Migrator.fromRecord({
        "0001_catalog": load(catalog),
        "0002_calls": load(calls),
        "0003_dashboards": load(dashboards),
        "0004_keep_calls": load(keepCalls),
        "0005_evaluators": load(evaluators),
        "0006_redaction": load(redaction),
        "0007_metrics": load(metrics),
        "0008_code_connections": load(codeConnections),
        "0009_suites": load(suites),
        "0010_simplifications": load(simplifications)
      })
    }).pipe(Effect.zipRight(run({ table: CATALOGUE_TABLE, loader: Migrator.fromRecord(catalogueRevisions) })))
  }).pipe(Effect.catchTag("MigrationError", Effect.die))
)
