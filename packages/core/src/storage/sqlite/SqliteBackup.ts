/** Copies an SQLite database with its recordings into a folder while processes use it, and back. */
import * as SqliteClient from "@effect/sql-sqlite-node/SqliteClient"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { createHash, randomUUID } from "node:crypto"
import { createReadStream, existsSync } from "node:fs"
import { chmod, copyFile, mkdir, open, readdir, readFile, rename, rm, stat, writeFile } from "node:fs/promises"
import * as path from "node:path"
import { pipeline } from "node:stream/promises"
import { BLOB_KEY } from "../../calls/BlobStore.js"
import { Dialect, sqliteDialect } from "../sql/Dialect.js"
import { check } from "../sql/Migrations.js"
import { DatabaseIncompatible } from "../sql/SchemaRules.js"

/** A backup or a restore that was not made; nothing was left behind. */
export class BackupFailed extends Data.TaggedError("BackupFailed")<{ readonly reason: string }> {
  override get message(): string {
    return this.reason
  }
}

export interface BackupPlace {
  readonly filename: string
  readonly tablePrefix: string
  /** The folder of a `FileBlobStore`; undefined if the recordings are in another store, which is backed up on its own. */
  readonly recordings: string | undefined
}

export interface BackupReport {
  readonly recordings: number
  readonly bytes: number
}

const DATABASE = "database.db"
const MANIFEST = "manifest.json"
const RECORDINGS = "recordings"

const Manifest = Schema.parseJson(
  Schema.Struct({
    format: Schema.Literal(1),
    table_prefix: Schema.String,
    files: Schema.Array(
      Schema.Struct({
        path: Schema.String.pipe(
          Schema.filter((name) => name === DATABASE || BLOB_KEY.test(name.slice(RECORDINGS.length + 1)))
        ),
        bytes: Schema.Int,
        sha256: Schema.String
      })
    )
  })
)
type Manifest = typeof Manifest.Type

const failed = (cause: unknown): BackupFailed =>
  new BackupFailed({ reason: cause instanceof Error ? cause.message : String(cause) })

const attempt = <A>(act: () => Promise<A>): Effect.Effect<A, BackupFailed> =>
  Effect.tryPromise({ try: act, catch: failed })

const entryOf = async (root: string, name: string): Promise<Manifest["files"][number]> => {
  const hash = createHash("sha256")
  await pipeline(createReadStream(path.join(root, name)), hash)
  return { path: name, bytes: (await stat(path.join(root, name))).size, sha256: hash.digest("hex") }
}

const flush = async (file: string): Promise<void> => {
  const handle = await open(file, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

const copy = async (from: string, to: string): Promise<void> => {
  await mkdir(path.dirname(to), { recursive: true, mode: 0o700 })
  await copyFile(from, to)
  await chmod(to, 0o600)
  await flush(to)
}

const clientOf = (filename: string, tablePrefix: string, readonly: boolean) => {
  const client = SqliteClient.layer({ filename, readonly, disableWAL: true })
  return Layer.provideMerge(
    Layer.effect(
      Dialect,
      Effect.map(SqlClient, (sql) => sqliteDialect(sql, tablePrefix))
    ),
    client
  )
}

/** Runs statements on a file that may be unusable; `changing` may change it. */
const connected =
  (readonly: boolean) =>
  (filename: string, tablePrefix: string) =>
  <A, E>(steps: Effect.Effect<A, E, SqlClient | Dialect>): Effect.Effect<A, BackupFailed | DatabaseIncompatible> =>
    steps.pipe(
      Effect.provide(clientOf(filename, tablePrefix, readonly)),
      Effect.catchAllDefect((defect) => failed(defect)),
      Effect.mapError((error) => (error instanceof DatabaseIncompatible ? error : failed(error)))
    )

const reading = connected(true)
const changing = connected(false)

/**
 * A copy begins as another installation: restored beside the database that it was made of, it would write to the same column
 * store. Databases of earlier versions have no such table.
 */
const detachColumnStore = Effect.gen(function* () {
  const sql = yield* SqlClient
  const { nameOf, tables } = yield* Dialect
  const found = yield* sql`SELECT 1 AS found FROM sqlite_master WHERE name = ${nameOf("analytics_projection")}`
  if (found.length === 0) return
  yield* sql`UPDATE ${tables.analytics_projection} SET installation = NULL, generation = NULL, lease = NULL`
})

/** Fills a folder beside its final name, and renames it once it is complete: no half backup has the name. */
const withUnfinished = <A, E>(target: string, fill: (folder: string) => Effect.Effect<A, E>) =>
  Effect.acquireUseRelease(
    attempt(async () => {
      const folder = `${target}.unfinished-${randomUUID()}`
      await mkdir(folder, { mode: 0o700 })
      return folder
    }),
    fill,
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true }))
  )

/**
 * Makes a backup in a new folder, readable by its owner only. The database is copied first, as it is at one moment; then
 * the recordings that it refers to, since these exist before and are removed after their calls. One that is removed
 * meanwhile is left out.
 */
export const backup = (
  from: BackupPlace,
  target: string
): Effect.Effect<BackupReport, BackupFailed | DatabaseIncompatible> =>
  Effect.gen(function* () {
    if (existsSync(target)) return yield* new BackupFailed({ reason: `${target} exists already.` })
    return yield* withUnfinished(target, (folder) =>
      Effect.gen(function* () {
        const copied = path.join(folder, DATABASE)
        yield* check.pipe(
          Effect.zipRight(Effect.flatMap(SqlClient, (sql) => sql`VACUUM INTO ${copied}`)),
          reading(from.filename, from.tablePrefix)
        )
        yield* changing(copied, from.tablePrefix)(detachColumnStore)
        yield* attempt(() => chmod(copied, 0o600).then(() => flush(copied)))
        const keys = yield* Effect.gen(function* () {
          const sql = yield* SqlClient
          const { tables } = yield* Dialect
          return yield* sql<{ readonly blob_key: string }>`SELECT blob_key FROM ${tables.call_recordings}
            UNION ALL SELECT blob_key FROM ${tables.run_recordings}`
        }).pipe(reading(copied, from.tablePrefix))
        const files = [yield* attempt(() => entryOf(folder, DATABASE))]
        const store = from.recordings
        for (const { blob_key: key } of keys) {
          if (store === undefined) break
          const source = path.join(store, key)
          if (!BLOB_KEY.test(key) || !existsSync(source)) continue
          const name = `${RECORDINGS}/${key}`
          yield* attempt(() => copy(source, path.join(folder, name)))
          files.push(yield* attempt(() => entryOf(folder, name)))
        }
        const text = Schema.encodeSync(Manifest)({ format: 1, table_prefix: from.tablePrefix, files })
        yield* attempt(async () => {
          await writeFile(path.join(folder, MANIFEST), text, { flag: "wx", mode: 0o600 })
          await flush(path.join(folder, MANIFEST))
          await rename(folder, target)
          await flush(path.dirname(path.resolve(target)))
        })
        return { recordings: files.length - 1, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) }
      })
    )
  })

/**
 * Restores a backup to a database file that does not exist and a folder of recordings that is empty. Every checksum, and
 * that this version may use the database, is verified before anything is written; the database comes last.
 */
export const restore = (
  source: string,
  to: Omit<BackupPlace, "tablePrefix">
): Effect.Effect<BackupReport, BackupFailed | DatabaseIncompatible> =>
  Effect.gen(function* () {
    for (const name of [to.filename, `${to.filename}-wal`]) {
      if (existsSync(name)) return yield* new BackupFailed({ reason: `${name} exists: move it away first.` })
    }
    const { recordings } = to
    const present = recordings === undefined ? [] : yield* attempt(() => readdir(recordings).catch(() => []))
    if (present.length > 0) {
      return yield* new BackupFailed({ reason: `The folder ${recordings} is not empty: move it away first.` })
    }
    const text = yield* attempt(() => readFile(path.join(source, MANIFEST), "utf8"))
    const manifest = yield* Effect.mapError(
      Schema.decode(Manifest)(text),
      () => new BackupFailed({ reason: `${path.join(source, MANIFEST)} is not the manifest of a backup.` })
    )
    if (recordings === undefined && manifest.files.length > 1) {
      return yield* new BackupFailed({
        reason: "The backup contains recordings: restore them to a folder, and copy them to the bucket."
      })
    }
    for (const file of manifest.files) {
      const found = yield* attempt(() => entryOf(source, file.path))
      if (found.sha256 !== file.sha256) {
        return yield* new BackupFailed({ reason: `${path.join(source, file.path)} is damaged: its checksum differs.` })
      }
    }
    yield* reading(path.join(source, DATABASE), manifest.table_prefix)(check)
    for (const file of manifest.files) {
      if (file.path === DATABASE || recordings === undefined) continue
      const target = path.join(recordings, file.path.slice(RECORDINGS.length + 1))
      yield* attempt(() => copy(path.join(source, file.path), target))
    }
    const unfinished = `${to.filename}.unfinished-${randomUUID()}`
    yield* attempt(async () => {
      await copy(path.join(source, DATABASE), unfinished)
      await rename(unfinished, to.filename)
      await flush(path.dirname(path.resolve(to.filename)))
    })
    return { recordings: manifest.files.length - 1, bytes: manifest.files.reduce((sum, { bytes }) => sum + bytes, 0) }
  })
