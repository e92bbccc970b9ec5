import { type CallId, Calls, Engine, Projections } from "@earshot/core"
import * as FileBlobStore from "@earshot/core/providers/FileBlobStore"
import { SqliteBackup, SqliteStorage } from "@earshot/core/sqlite"
import { AnalyticsKit, TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { ingest } from "../calls/ingest.js"
import { call, later, nothing, project, projected, statOf, stored, withColumns } from "./projections.js"

const folder = Effect.acquireRelease(
  Effect.promise(() => mkdtemp(join(tmpdir(), "earshot-restored-"))),
  (name) => Effect.promise(() => rm(name, { recursive: true }))
)

const placeIn = (root: string) => ({
  filename: join(root, "calls.db"),
  tablePrefix: "",
  recordings: join(root, "recordings")
})

/** An engine on the database in a folder, with a column store. */
const engineIn = (root: string, store: AnalyticsKit.MemoryColumnStore) =>
  Layer.build(
    Layer.fresh(
      Engine.layerWith({
        blobs: FileBlobStore.layer({ directory: placeIn(root).recordings }),
        analytics: store.layer
      }).pipe(Layer.provideMerge(SqliteStorage.layer({ filename: placeIn(root).filename })))
    )
  )

const status = Effect.flatMap(Projections, (projections) => projections.status)

describe("a restored database", () => {
  it.scopedLive("does not use the column store of the database that it was copied from, whose calls differ", () =>
    Effect.gen(function* () {
      const [root, copy] = [yield* folder, yield* folder]
      const store = AnalyticsKit.memoryColumnStore()
      const original = yield* engineIn(root, store)
      const { actor, agent, project: owned } = yield* Effect.provide(TestEngine.fixture, original)
      const { call: first } = yield* Effect.provide(ingest(actor, call(agent, "first")), original)
      yield* Effect.provide(ingest(actor, call(agent, "second")), original)
      yield* Effect.provide(project, original)
      yield* SqliteBackup.backup(placeIn(root), join(root, "backup"))
      // What is restored has neither of these changes.
      yield* Effect.provide(ingest(actor, call(agent, "third")), original)
      yield* Effect.flatMap(Calls, (calls) => calls.delete(first.id)).pipe(
        TestEngine.as(actor),
        Effect.provide(original)
      )
      yield* Effect.provide(project, original)
      yield* SqliteBackup.restore(join(root, "backup"), placeIn(copy))

      const ofOriginal = projected(store)
      const restored = yield* engineIn(copy, store)
      const stat = yield* Effect.provide(statOf(actor, owned.id), restored)
      expect(yield* Effect.provide(stat, restored)).toEqual({ calls: 2, by: ["row-store"] })
      yield* Effect.provide(project, restored)
      expect(yield* Effect.provide(stat, restored)).toEqual({ calls: 2, by: ["row-store"] })
      expect(yield* Effect.provide(status, restored)).toMatchObject({ columnStore: "owner" })
      expect(projected(store)).toEqual(ofOriginal)
      expect(ofOriginal.map(({ callId }) => callId)).toEqual(["second", "third"])
    })
  )

  it.scopedLive("fills a column store of its own with the calls that it has", () =>
    Effect.gen(function* () {
      const [root, copy] = [yield* folder, yield* folder]
      const original = yield* engineIn(root, AnalyticsKit.memoryColumnStore())
      const { actor, agent, project: owned } = yield* Effect.provide(TestEngine.fixture, original)
      yield* Effect.provide(ingest(actor, call(agent, "first")), original)
      yield* Effect.provide(project, original)
      // Recorded and not applied when the backup is made.
      yield* Effect.provide(ingest(actor, call(agent, "second")), original)
      yield* SqliteBackup.backup(placeIn(root), join(root, "backup"))
      yield* SqliteBackup.restore(join(root, "backup"), placeIn(copy))

      const store = AnalyticsKit.memoryColumnStore()
      const restored = yield* engineIn(copy, store)
      yield* Effect.provide(ingest(actor, call(agent, "third")), restored)
      yield* Effect.provide(project, restored)
      expect(projected(store)).toEqual(yield* Effect.provide(stored, restored))
      const verified = Effect.flatMap(Projections, (projections) => projections.verify(nothing))
      expect(yield* Effect.provide(verified, restored)).toMatchObject({
        compared: 3,
        missing: 0,
        extra: 0,
        different: 0
      })
      const stat = yield* Effect.provide(statOf(actor, owned.id), restored)
      expect(yield* Effect.provide(stat, restored)).toEqual({ calls: 3, by: ["column-store"] })
    })
  )

  /** The state of the projection as `pg_restore` leaves it: the same row in another table. */
  // Statements of the test itself fail only where the test is wrong.
  const restoredTable = Effect.gen(function* () {
    const sql = yield* SqlClient
    yield* sql`CREATE TABLE dumped AS SELECT * FROM analytics_projection`
    yield* sql`DROP TABLE analytics_projection`
    yield* sql`ALTER TABLE dumped RENAME TO analytics_projection`
    yield* sql`UPDATE analytics_projection SET lease = NULL`
  }).pipe(Effect.orDie)

  /** A standby that had not received a call, and so no change of it either. */
  const promotedStandby = (lost: CallId) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient
      yield* sql`DELETE FROM calls WHERE id = ${lost}`
      yield* sql`DELETE FROM analytics_changes`
      yield* sql`UPDATE analytics_projection
        SET source_database = regexp_replace(source_database, '[0-9]+$', '0'), lease = NULL`
      // A statement that fails is a fault of the test.
    }).pipe(Effect.orDie)

  it.effect("of PostgreSQL is another installation, whose column store's calls may be later ones", () =>
    withColumns("postgres", (store) =>
      Effect.gen(function* () {
        const { actor, agent, project: owned } = yield* TestEngine.fixture
        yield* ingest(actor, call(agent, "first"))
        yield* project
        const stat = yield* statOf(actor, owned.id)
        expect(yield* stat).toEqual({ calls: 1, by: ["column-store"] })
        const before = projected(store)
        yield* restoredTable
        expect(yield* stat).toEqual({ calls: 1, by: ["row-store"] })
        yield* ingest(actor, call(agent, "second"))
        yield* later
        yield* project
        expect(yield* stat).toEqual({ calls: 2, by: ["row-store"] })
        expect(yield* status).toMatchObject({ columnStore: "owner" })
        expect(projected(store)).toEqual(before)
      })
    )
  )

  it.effect("to which a standby of PostgreSQL was promoted has its column store built anew", () =>
    withColumns("postgres", (store) =>
      Effect.gen(function* () {
        const { actor, agent, project: owned } = yield* TestEngine.fixture
        yield* ingest(actor, call(agent, "first"))
        const { call: lost } = yield* ingest(actor, call(agent, "lost"))
        yield* project
        const stat = yield* statOf(actor, owned.id)
        expect(yield* stat).toEqual({ calls: 2, by: ["column-store"] })
        yield* promotedStandby(lost.id)
        expect(yield* stat).toEqual({ calls: 1, by: ["row-store"] })
        yield* later
        yield* project
        expect(projected(store).map(({ callId }) => callId)).toEqual(["first"])
        expect(yield* stat).toEqual({ calls: 1, by: ["column-store"] })
      })
    )
  )
})
