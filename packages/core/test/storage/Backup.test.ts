import { Calls, Engine, Recordings, Upload } from "@earshot/core"
import * as FileBlobStore from "@earshot/core/providers/FileBlobStore"
import { SqliteBackup, SqliteStorage } from "@earshot/core/sqlite"
import { CallKit, StorageKit, TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises"
import { existsSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "earshot-backup-"))),
  (name) => Effect.promise(() => rm(name, { recursive: true }))
)

const placeIn = (root: string) => ({
  filename: join(root, "calls.db"),
  tablePrefix: "",
  recordings: join(root, "recordings")
})

const engineIn = (root: string) =>
  Layer.build(
    Layer.fresh(
      Engine.layerWith({ blobs: FileBlobStore.layer({ directory: placeIn(root).recordings }) }).pipe(
        Layer.provideMerge(SqliteStorage.layer({ filename: placeIn(root).filename }))
      )
    )
  )

describe("a backup of an SQLite database", () => {
  it.scopedLive("copies the database alone where the recordings are in another store", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const engine = yield* engineIn(root)
      const { actor, agent } = yield* Effect.provide(TestEngine.fixture, engine)
      const voice_recording = new Upload(CallKit.wav(0.1), "audio/wav", "a.wav")
      yield* Effect.flatMap(Calls, (calls) =>
        calls.ingest({
          agent: agent.id,
          call_id: "1",
          transcript_type: "service",
          transcript_json: [],
          voice_recording
        })
      ).pipe(TestEngine.as(actor), Effect.provide(engine))
      const elsewhere = { ...placeIn(root), recordings: undefined }
      expect((yield* SqliteBackup.backup(elsewhere, join(root, "alone"))).recordings).toBe(0)
      const restored = { filename: join(root, "restored.db"), recordings: undefined }
      expect((yield* SqliteBackup.restore(join(root, "alone"), restored)).recordings).toBe(0)
      expect(existsSync(restored.filename)).toBe(true)
      // A backup with recordings is not restored without them.
      yield* SqliteBackup.backup(placeIn(root), join(root, "whole"))
      const other = { filename: join(root, "other.db"), recordings: undefined }
      const { _tag, message } = yield* Effect.flip(SqliteBackup.restore(join(root, "whole"), other))
      expect([_tag, message]).toEqual([
        "BackupFailed",
        "The backup contains recordings: restore them to a folder, and copy them to the bucket."
      ])
      expect(existsSync(other.filename)).toBe(false)
    })
  )

  it.scopedLive("made while calls are ingested is whole, and restores to equal tables and recordings", () =>
    Effect.gen(function* () {
      const root = yield* folder
      const engine = yield* engineIn(root)
      const { actor, agent } = yield* Effect.provide(TestEngine.fixture, engine)
      const deliver = (id: number) =>
        Effect.flatMap(Calls, (calls) =>
          calls.ingest({
            agent: agent.id,
            call_id: `${id}`,
            transcript_type: "service",
            transcript_json: [],
            voice_recording: new Upload(CallKit.wav(0.1 + id / 1000), "audio/wav", "a.wav")
          })
        ).pipe(TestEngine.as(actor), Effect.provide(engine))
      for (let id = 0; id < 10; id++) yield* deliver(id)
      const delivering = yield* Effect.fork(
        Effect.forEach(
          Array.from({ length: 100 }, (_, id) => 10 + id),
          deliver,
          { concurrency: 4 }
        )
      )
      const target = join(root, "backup")
      const report = yield* SqliteBackup.backup(placeIn(root), target)
      yield* Fiber.join(delivering)
      expect(report.recordings).toBeGreaterThanOrEqual(10)
      expect((yield* Effect.promise(() => stat(target))).mode & 0o777).toBe(0o700)

      const copy = yield* folder
      expect(yield* SqliteBackup.restore(target, placeIn(copy))).toEqual(report)
      const dump = (file: string) =>
        Effect.gen(function* () {
          const [tables = []] = yield* StorageKit.execute(
            `sqlite:${file}`,
            "SELECT 'SELECT * FROM ' || name AS query FROM sqlite_master WHERE type = 'table' ORDER BY name"
          )
          const queries = tables.map((row) => (row as { readonly query: string }).query)
          return yield* StorageKit.execute(`sqlite:${file}`, ...queries)
        })
      expect(yield* dump(placeIn(copy).filename)).toEqual(yield* dump(join(target, "database.db")))
      const restored = yield* engineIn(copy)
      const found = yield* Effect.flatMap(Recordings, (all) => all.check({ remove: false })).pipe(
        Effect.provide(restored)
      )
      expect(found).toMatchObject({ stored: report.recordings, orphans: 0, missing: [] })
      const calls = yield* Effect.flatMap(Calls, (all) => all.list({ limit: 200 })).pipe(
        TestEngine.as(actor),
        Effect.provide(restored)
      )
      expect(calls.results).toHaveLength(report.recordings)
    })
  )

  it.scopedLive(
    "is not restored over anything, if damaged, or if a newer version made it, and leaves nothing then",
    () =>
      Effect.gen(function* () {
        const root = yield* folder
        yield* Effect.scoped(engineIn(root))
        const target = join(root, "backup")
        yield* SqliteBackup.backup(placeIn(root), target)
        const reasonOf = <A, E extends { readonly message: string }>(effect: Effect.Effect<A, E>) =>
          Effect.map(Effect.flip(effect), ({ message }) => message)
        expect(yield* reasonOf(SqliteBackup.backup(placeIn(root), target))).toContain("exists already")
        expect(yield* reasonOf(SqliteBackup.restore(target, placeIn(root)))).toContain("move it away first")
        const copy = yield* folder
        const file = join(target, "database.db")
        const bytes = yield* Effect.promise(() => readFile(file))
        yield* Effect.promise(() => writeFile(file, Buffer.concat([bytes, Buffer.from("x")])))
        expect(yield* reasonOf(SqliteBackup.restore(target, placeIn(copy)))).toContain("its checksum differs")
        yield* Effect.promise(() => writeFile(join(target, "manifest.json"), "{}"))
        expect(yield* reasonOf(SqliteBackup.restore(target, placeIn(copy)))).toContain("not the manifest")
        const newer = join(root, "newer")
        yield* SqliteBackup.backup(placeIn(root), newer)
        yield* StorageKit.execute(
          `sqlite:${placeIn(root).filename}`,
          "INSERT INTO earshot_migrations (migration_id, name) VALUES (9001, 'next')"
        )
        expect(yield* reasonOf(SqliteBackup.backup(placeIn(root), join(root, "none")))).toContain("newer version")
        expect(existsSync(join(root, "none"))).toBe(false)
        expect(existsSync(placeIn(copy).filename)).toBe(false)
      })
  )
})
