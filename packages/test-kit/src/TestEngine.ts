import {
  type Actor,
  type ApiKey,
  CurrentActor,
  type Database,
  Engine,
  type CreatedOrganization,
  LeaseClock,
  Organizations,
  permissionsOf
} from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import * as AesSecretBox from "@earshot/core/providers/AesSecretBox"
import * as MemoryBlobStore from "@earshot/core/providers/MemoryBlobStore"
import { SqliteStorage } from "@earshot/core/sqlite"
import { SqlClient } from "@effect/sql/SqlClient"
import type { SqlError } from "@effect/sql/SqlError"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { randomBytes } from "node:crypto"
import { mkdtemp, readFile, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { createDatabase } from "./postgres/createDatabase.js"
import { postgresUrl, templateName } from "./postgres/postgresUrl.js"
import { templateDatabase } from "./postgres/templateDatabase.js"

/** The databases that every feature is tested on. */
export const databases = ["sqlite", "postgres"] as const
export type DatabaseName = (typeof databases)[number]

/** A fresh, migrated database that is gone when its scope closes. Leases are measured by the test's clock. */
export const storage = (
  database: DatabaseName,
  options: { readonly tablePrefix?: string } = {}
): Layer.Layer<Engine.Storage, SqlError | Database.DatabaseIncompatible> =>
  Layer.merge(databaseStorage(database, options), testLeases)

const testLeases = Layer.succeed(LeaseClock, "process" as const)

const databaseStorage = (
  database: DatabaseName,
  { tablePrefix = "" }: { readonly tablePrefix?: string }
): Layer.Layer<Engine.Storage, SqlError | Database.DatabaseIncompatible> =>
  database === "sqlite"
    ? tablePrefix === ""
      ? copiedSqlite
      : SqliteStorage.layer({ filename: ":memory:", tablePrefix })
    : Layer.unwrapScoped(
        Effect.acquireRelease(
          Effect.promise(() => (tablePrefix === "" ? freshPostgres() : emptyPostgres())),
          (fresh) => Effect.promise(() => fresh.drop())
        ).pipe(Effect.map((fresh) => PostgresStorage.layer({ url: Redacted.make(fresh.url), tablePrefix })))
      )

/** A migrated database without a prefix, as the content of its file; made once per process. */
let migrated: Promise<Buffer> | undefined

const migrate = async (): Promise<Buffer> => {
  const folder = await mkdtemp(join(tmpdir(), "earshot-template-"))
  try {
    const file = join(folder, "migrated.db")
    await Effect.runPromise(
      Effect.flatMap(SqlClient, (sql) => sql`VACUUM INTO ${file}`).pipe(
        Effect.provide(SqliteStorage.layer({ filename: ":memory:" }))
      )
    )
    return await readFile(file)
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** Migrating takes 0.07 s of processor time; opening a copy of a migrated database takes a tenth of that. */
const copiedSqlite = Layer.unwrapEffect(
  Effect.promise(async () => {
    const image = await (migrated ??= migrate())
    // eslint-disable-next-line typescript/consistent-type-assertions -- better-sqlite3 opens a database's content in memory where it is given in place of a file's name, which the types of the driver do not say
    return SqliteStorage.layer({ filename: image as unknown as string, readers: 0 })
  })
)

/** The template's tables have no prefix. */
const emptyPostgres = async () => createDatabase(await postgresUrl())

/** Migrating takes 0.1 s; copying the run's migrated template takes a third of that. */
const freshPostgres = async () => {
  const url = await postgresUrl()
  const name = await templateName()
  if (name === undefined) return createDatabase(url)
  const template = await templateDatabase(url, name, (empty) =>
    Effect.runPromise(Effect.scoped(Effect.asVoid(Layer.build(PostgresStorage.layer({ url: Redacted.make(empty) })))))
  )
  return createDatabase(url, { template })
}

const secretBox = AesSecretBox.layer(
  Either.getOrThrow(AesSecretBox.parse(Redacted.make(randomBytes(32).toString("base64"))))
)

/** The engine on the caller's database. It stores recordings in memory. */
export const engine = (ports: Engine.Ports = {}): Layer.Layer<Engine.Services, never, Engine.Storage> =>
  Engine.layerWith({ blobs: MemoryBlobStore.layer, secretBox, ...ports })

/** The engine on a fresh database: `it.layer(TestEngine.layer("sqlite"))(...)`. It stores recordings in memory. */
export const layer = (
  database: DatabaseName,
  ports: Engine.Ports = {}
): Layer.Layer<Engine.Services | Engine.Storage, SqlError | Database.DatabaseIncompatible> =>
  engine(ports).pipe(Layer.provideMerge(storage(database)))

/** Executes a statement beside the engine, for states that only time or a failure would cause. */
export const execute = (statement: string): Effect.Effect<ReadonlyArray<unknown>, never, Engine.Storage> =>
  Effect.orDie(Effect.flatMap(SqlClient, (sql) => sql.unsafe(statement)))

/** The content of the database as text, to search for what must not be stored. */
export const dump: Effect.Effect<string, never, Engine.Storage> = Effect.gen(function* () {
  const sql = yield* SqlClient
  const tables = yield* sql.onDialectOrElse({
    pg: () => sql<{ readonly name: string }>`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'`,
    orElse: () => sql<{ readonly name: string }>`SELECT name FROM sqlite_master WHERE type = 'table'`
  })
  const rows = yield* Effect.forEach(tables, ({ name }) => sql`SELECT * FROM ${sql(name)}`)
  return JSON.stringify(rows)
}).pipe(Effect.orDie)

/** An organization with a project, an agent and an API key, and the key's actor. */
export interface Fixture extends CreatedOrganization {
  readonly actor: Actor
}

/** The actor of an API key. */
export const keyHolder = (key: ApiKey): Actor => ({
  organizationId: key.organizationId,
  userId: key.createdBy,
  credential: "api_key",
  credentialId: `api_key:${key.id}`,
  permissions: permissionsOf(key.scopes),
  bounds: null
})

/** A new organization each time, so that tests on one database are isolated. */
export const fixture: Effect.Effect<Fixture, never, Organizations> = Effect.gen(function* () {
  const organizations = yield* Organizations
  const founded = yield* organizations.create({ name: "Test organization" })
  return { ...founded, actor: keyHolder(founded.apiKey.key) }
}).pipe(Effect.orDie)

/** Runs use cases as an actor: `projects.read(id).pipe(TestEngine.as(fixture.actor))`. */
export const as =
  (actor: Actor) =>
  <A, E, R>(useCase: Effect.Effect<A, E, R>): Effect.Effect<A, E, Exclude<R, CurrentActor>> =>
    Effect.provideService(useCase, CurrentActor, actor)
