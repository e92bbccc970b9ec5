import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import * as path from "node:path"
import { Database, Engine, Organizations } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { createDatabase, postgresUrl } from "@earshot/test-kit/postgres"

export interface Place {
  /** A temporary folder. */
  readonly folder: string
  /** A database's address. */
  readonly database: string
  readonly remove: () => Promise<void>
}

/** A folder and an empty database, until they are removed. */
export const place = async (kind: "sqlite" | "postgres"): Promise<Place> => {
  const folder = await mkdtemp(path.join(tmpdir(), "earshot-cli-test-"))
  const removeFolder = () => rm(folder, { recursive: true, force: true })
  if (kind === "sqlite") return { folder, database: `sqlite:${path.join(folder, "earshot.db")}`, remove: removeFolder }
  const fresh = await createDatabase(await postgresUrl())
  return {
    folder,
    database: fresh.url,
    remove: async () => {
      await fresh.drop()
      await removeFolder()
    }
  }
}

/** Makes an organization, as `earshot init` does, without starting a process. */
export const initialized = ({
  database
}: Pick<Place, "database">): Promise<{ readonly agent: number; readonly key: string }> =>
  Effect.runPromise(
    Effect.flatMap(Organizations, (all) => all.create({ name: "Acme" })).pipe(
      Effect.map(({ agent, apiKey }) => ({ agent: agent.id, key: Redacted.value(apiKey.secret) })),
      Effect.provide(Engine.layer.pipe(Layer.provide(Database.layer(database)))),
      // A database that cannot be set up is no outcome that a test expects.
      Effect.orDie
    )
  )
