import { Engine } from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import { SqliteStorage } from "@earshot/core/sqlite"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createDatabase } from "./postgres/createDatabase.js"
import { postgresUrl } from "./postgres/postgresUrl.js"

/** The databases that a feature has to work on before it is done. */
export const databases = ["sqlite", "postgres"] as const
export type DatabaseName = (typeof databases)[number]

/** A fresh, migrated database that is gone when its scope closes. */
export const storage = (database: DatabaseName): Layer.Layer<Engine.Storage, SqlError> =>
  database === "sqlite"
    ? SqliteStorage.layer({ filename: ":memory:" })
    : Layer.unwrapScoped(
        Effect.acquireRelease(
          Effect.promise(async () => createDatabase(await postgresUrl())),
          (fresh) => Effect.promise(() => fresh.drop())
        ).pipe(Effect.map((fresh) => PostgresStorage.layer({ url: Redacted.make(fresh.url) })))
      )

/** The whole engine on a fresh database: `it.layer(TestEngine.layer("sqlite"))(...)`. */
export const layer = (database: DatabaseName): Layer.Layer<Engine.Services | Engine.Storage, SqlError> =>
  Engine.layer.pipe(Layer.provideMerge(storage(database)))
