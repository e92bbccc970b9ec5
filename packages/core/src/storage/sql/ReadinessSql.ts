import { randomUUID } from "node:crypto"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import { blobKey, BlobStore } from "../../calls/BlobStore.js"
import { OrganizationId } from "../../kernel/Ids.js"
import { Readiness, type ReadinessCheck } from "../../kernel/Readiness.js"
import type { StorageError } from "../../kernel/Storage.js"
import { Dialect } from "./Dialect.js"
import * as Migrations from "./Migrations.js"
import { MIGRATIONS_TABLE } from "./SchemaRules.js"
import { storing } from "./Storing.js"

/** The service is not ready if a check takes longer. */
const CHECK_TIMEOUT = "2 seconds"

/** Probes of several load balancers share a check. */
const CHECK_TTL = "1 second"

/** No organization has this id, so the blob of a check that was killed belongs to none, and is collected. */
const NOBODY = OrganizationId.make(Number.MAX_SAFE_INTEGER)

const databaseFailure = (error: StorageError): string =>
  error._tag === "StorageUnusable" ? error.message : "The database cannot be reached or written."

const toCheck = <E>(
  name: ReadinessCheck["name"],
  check: Effect.Effect<unknown, E>,
  failureOf: (error: E) => string
): Effect.Effect<ReadinessCheck> =>
  check.pipe(
    // A driver may be in a call that cannot be interrupted.
    Effect.disconnect,
    Effect.matchCause({
      onSuccess: () => null,
      onFailure: (cause) => (cause._tag === "Fail" ? failureOf(cause.error) : "The check failed.")
    }),
    Effect.timeoutTo({
      duration: CHECK_TIMEOUT,
      onSuccess: (failure) => failure,
      onTimeout: () => "The check timed out."
    }),
    Effect.map((failure) => ({ name, failure }))
  )

export const layer: Layer.Layer<Readiness, never, SqlClient | Dialect | BlobStore> = Layer.effect(
  Readiness,
  Effect.gen(function* () {
    const sql = yield* SqlClient
    const dialect = yield* Dialect
    const blobs = yield* BlobStore
    const table = sql(dialect.nameOf(MIGRATIONS_TABLE))
    // Changes nothing, but is written and committed: a full disk fails it.
    const write = sql`UPDATE ${table} SET name = name WHERE migration_id = 1`.pipe(storing("Readiness.database"))
    const compare = Migrations.check.pipe(
      Effect.provideService(SqlClient, sql),
      Effect.provideService(Dialect, dialect),
      storing("Readiness.schema")
    )
    const store = Effect.suspend(() => {
      const key = blobKey(NOBODY, randomUUID())
      return Effect.zipRight(blobs.put(key, Stream.make(Uint8Array.of(0))), blobs.remove(key))
    })
    const checks = Effect.all(
      [
        toCheck("database", write, databaseFailure),
        toCheck("schema", compare, (error) =>
          error._tag === "DatabaseIncompatible" ? error.reason : databaseFailure(error)
        ),
        toCheck("recordings", store, () => "Recordings cannot be stored.")
      ],
      { concurrency: "unbounded" }
    )
    return { checks: yield* Effect.cachedWithTTL(checks, CHECK_TTL) }
  })
)
