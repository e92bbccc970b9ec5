import { readdir, readFile } from "node:fs/promises"
import { join } from "node:path"
import {
  CallId,
  type ColumnStore,
  ColumnStoreUnavailable,
  digestOf,
  ERASURE_SECONDS,
  MetricId,
  type ProjectedCall,
  ResourceNames
} from "@earshot/core"
import { FilterKit } from "@earshot/test-kit"
import { it } from "@effect/vitest"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as Schedule from "effect/Schedule"
import * as Scope from "effect/Scope"
import { describe, expect } from "vitest"
import type { ClickHouseEngine } from "../../../src/storage/clickhouse/ClickHouseEngine.js"
import * as ColumnAnswers from "../../../src/storage/clickhouse/ColumnAnswers.js"
import { tablesOf } from "../../../src/storage/clickhouse/ColumnTables.js"
import * as ColumnWriter from "../../../src/storage/clickhouse/ColumnWriter.js"
import * as EmbeddedEngine from "../../../src/storage/clickhouse/EmbeddedEngine.js"
import { permit, projectedCall, temporaryFolder } from "./projecting.js"

const LIMIT = { timeout: 180_000 }

const call = projectedCall

const calls = (count: number, given: Partial<ProjectedCall> = {}) =>
  Array.from({ length: count }, (_, index) => call(index + 1, given))

const noNames = ResourceNames.of({ agents: () => Effect.succeed(new Map()), metrics: () => Effect.succeed(new Map()) })

const totalsOf = (store: Pick<ColumnStore["Type"], "analytics">) =>
  store.analytics.totals(permit, {
    projectId: call(1).projectId,
    filter: null,
    now: FilterKit.NOW,
    latencyMetrics: [MetricId.make(4)]
  })

const scanned = (store: Pick<ColumnStore["Type"], "scan">) =>
  Effect.map(store.scan(0, 1000), (found) =>
    found.map(({ digest, id, version }) => ({ digest, id: Number(id), version }))
  )

const stated = (all: ReadonlyArray<ProjectedCall>) =>
  all.map((one) => ({ digest: digestOf(one), id: Number(one.id), version: one.version }))

const queryTimeout = Duration.minutes(1)

/** A store on an engine, prepared. */
const storeOn = (engine: ClickHouseEngine) =>
  Effect.gen(function* () {
    const tables = tablesOf("earshot_")
    const writer = yield* ColumnWriter.make(engine, tables)
    yield* writer.prepare("mine")
    return { ...writer, analytics: yield* ColumnAnswers.make(engine, tables, noNames) }
  })

const engineIn = (directory: string) => EmbeddedEngine.make({ directory, queryTimeout })

const embedded = Effect.flatMap(temporaryFolder, engineIn)

const endpointOf = (directory: string) =>
  Effect.promise(async (): Promise<{ readonly port: number; readonly password: string; readonly pid: number }> =>
    JSON.parse(await readFile(join(directory, "endpoint.json"), "utf8"))
  )

describe("the embedded column store", () => {
  it.scopedLive(
    "has each call once, as it was applied last",
    () =>
      Effect.gen(function* () {
        const store = yield* Effect.flatMap(embedded, storeOn)
        expect(yield* totalsOf(store)).toMatchObject({ calls: 0, successRate: null, p95Latency: null })
        const first = calls(10)
        yield* store.apply({ upserts: first, deletes: [] })
        yield* store.apply({ upserts: first, deletes: [] })
        expect(yield* scanned(store)).toEqual(stated(first))
        const changed = [call(3, { success: false, evaluations: [], version: 2 }), call(11)]
        yield* store.apply({ upserts: changed, deletes: [CallId.make(5), CallId.make(99)] })
        const now = [...first.filter(({ id }) => id !== 3 && id !== 5), ...changed].sort((a, b) => a.id - b.id)
        expect(yield* scanned(store)).toEqual(stated(now))
        expect(yield* totalsOf(store)).toMatchObject({ calls: 10, successRate: 0.9 })
        // Of 1, 2, 4, 6 to 11 the position 0.95 * 8 is between 10 and 11.
        expect((yield* totalsOf(store)).p95Latency).toBeCloseTo(10.6, 9)
        yield* store.apply({ upserts: [], deletes: now.map(({ id }) => id) })
        expect(yield* scanned(store)).toEqual([])
      }),
    LIMIT
  )

  it.scopedLive(
    "ignores a call of a lower version",
    () =>
      Effect.gen(function* () {
        const store = yield* Effect.flatMap(embedded, storeOn)
        yield* store.apply({ upserts: calls(3, { version: 5 }), deletes: [] })
        yield* store.apply({ upserts: calls(2, { version: 4, topic: "late" }), deletes: [] })
        expect(yield* scanned(store)).toEqual(stated(calls(3, { version: 5 })))
        const same = calls(1, { version: 5, topic: "again" })
        yield* store.apply({ upserts: same, deletes: [] })
        expect(yield* scanned(store)).toEqual(stated([...same, ...calls(3, { version: 5 }).slice(1)]))
      }),
    LIMIT
  )

  it.scopedLive(
    "applies changes as a whole, wherever that is interrupted",
    () =>
      Effect.gen(function* () {
        const engine = yield* embedded
        let insertsLeft = Number.POSITIVE_INFINITY
        const failing: ClickHouseEngine = {
          ...engine,
          insert: (table, rows) =>
            insertsLeft-- > 0
              ? engine.insert(table, rows)
              : new ColumnStoreUnavailable({ reason: "full", operation: "insert", cause: new Error("Injected") })
        }
        const store = yield* storeOn(failing)
        let before = calls(6)
        yield* store.apply({ upserts: before, deletes: [] })
        for (const inserts of [0, 1, 2, 3, 4]) {
          const changes = {
            upserts: [call(1, { topic: `t${inserts}`, version: 2 + inserts }), call(20 + inserts)],
            deletes: [CallId.make(2 + inserts)]
          }
          insertsLeft = inserts
          const failed = yield* Effect.flip(store.apply(changes))
          expect(failed.reason).toBe("full")
          expect(yield* scanned(store)).toEqual(stated(before))
          insertsLeft = Number.POSITIVE_INFINITY
          yield* store.apply(changes)
          before = [...before.filter(({ id }) => id !== 1 && id !== 2 + inserts), ...changes.upserts].sort(
            (a, b) => a.id - b.id
          )
          expect(yield* scanned(store)).toEqual(stated(before))
          expect(yield* totalsOf(store)).toMatchObject({ calls: before.length })
        }
        // Nothing that was written in vain is left after files are erased.
        yield* store.eraseFiles
        expect(yield* scanned(store)).toEqual(stated(before))
        const rows = yield* engine.rows("test", { text: "SELECT count() AS n FROM earshot_calls", parameters: {} })
        expect(rows).toEqual([{ n: before.length }])
      }),
    LIMIT
  )

  it.scopedLive(
    "does not count what a writer writes after another has taken over",
    () =>
      Effect.gen(function* () {
        const engine = yield* embedded
        const [first, second] = [yield* storeOn(engine), yield* storeOn(engine)]
        yield* first.apply({ upserts: calls(3), deletes: [] })
        yield* second.apply({ upserts: calls(4, { topic: "second", version: 2 }), deletes: [] })
        const failed = yield* Effect.flip(
          first.apply({ upserts: calls(4, { topic: "first", version: 2 }), deletes: [] })
        )
        expect(failed.reason).toBe("changed")
        expect(yield* scanned(first)).toEqual(stated(calls(4, { topic: "second", version: 2 })))
        // It may go on, as the new writer.
        yield* first.apply({ upserts: calls(5, { topic: "first", version: 3 }), deletes: [] })
        expect(yield* scanned(second)).toEqual(stated(calls(5, { topic: "first", version: 3 })))
        expect(yield* totalsOf(second)).toMatchObject({ calls: 5 })
      }),
    LIMIT
  )

  it.scopedLive(
    "answers all questions of a snapshot from the same calls, and again if they are erased",
    () =>
      Effect.gen(function* () {
        const store = yield* Effect.flatMap(embedded, storeOn)
        yield* store.apply({ upserts: calls(5), deletes: [] })
        const asked = yield* store.analytics.inSnapshot(
          permit,
          "dashboard",
          Effect.gen(function* () {
            const before = yield* totalsOf(store)
            yield* store.apply({ upserts: [call(6)], deletes: [CallId.make(1), CallId.make(2)] })
            return [before.calls, (yield* totalsOf(store)).calls]
          })
        )
        expect(asked).toEqual([5, 5])
        expect(yield* totalsOf(store)).toMatchObject({ calls: 4 })
        let times = 0
        const counts = yield* store.analytics.inSnapshot(
          permit,
          "dashboard",
          Effect.gen(function* () {
            if (times++ === 0) {
              yield* store.apply({ upserts: [], deletes: [CallId.make(3)] })
              yield* store.eraseFiles
            }
            return (yield* totalsOf(store)).calls
          })
        )
        expect([times, counts]).toEqual([2, 3])
      }),
    LIMIT
  )

  it.scopedLive(
    "belongs to one installation, and begins a new generation when it is cleared",
    () =>
      Effect.gen(function* () {
        const store = yield* Effect.flatMap(embedded, storeOn)
        const { generation } = yield* store.prepare("mine")
        expect((yield* store.prepare("mine")).generation).toBe(generation)
        expect((yield* Effect.flip(store.prepare("theirs"))).reason).toBe("owner")
        yield* store.apply({ upserts: calls(3), deletes: [] })
        const cleared = yield* store.clear
        expect(cleared.generation).not.toBe(generation)
        expect((yield* store.prepare("mine")).generation).toBe(cleared.generation)
        expect(yield* scanned(store)).toEqual([])
        yield* store.apply({ upserts: calls(2), deletes: [] })
        expect(yield* scanned(store)).toEqual(stated(calls(2)))
      }),
    LIMIT
  )

  it.scopedLive(
    "says which calls are incomplete",
    () =>
      Effect.gen(function* () {
        const engine = yield* embedded
        const store = yield* storeOn(engine)
        yield* store.apply({ upserts: calls(3), deletes: [] })
        const text = "ALTER TABLE earshot_evaluations DELETE WHERE id = 2 SETTINGS mutations_sync = 2"
        yield* engine.run("test", { text, parameters: {} })
        expect((yield* scanned(store)).map(({ digest }) => digest === "")).toEqual([false, true, false])
      }),
    LIMIT
  )

  it.scopedLive(
    "says which calls charts count twice or without an index",
    () =>
      Effect.gen(function* () {
        const engine = yield* embedded
        const store = yield* storeOn(engine)
        yield* store.apply({ upserts: calls(3), deletes: [] })
        yield* store.apply({ upserts: [call(1, { version: 2 })], deletes: [CallId.make(2)] })
        const run = (text: string) => engine.run("test", { text, parameters: {} })
        yield* run("ALTER TABLE earshot_superseded DELETE WHERE 1 SETTINGS mutations_sync = 2")
        expect((yield* scanned(store)).map(({ digest, id }) => [id, digest === ""])).toEqual([
          [1, true],
          [2, false],
          [3, false]
        ])
        yield* run("ALTER TABLE earshot_rows DELETE WHERE id = 3 SETTINGS mutations_sync = 2")
        expect((yield* scanned(store)).map(({ digest, id }) => [id, digest === ""])).toEqual([
          [1, true],
          [2, false],
          [3, true]
        ])
      }),
    LIMIT
  )

  it.scopedLive(
    "makes tables of an earlier version again, and leaves those of a later one",
    () =>
      Effect.gen(function* () {
        const engine = yield* embedded
        const store = yield* storeOn(engine)
        const { generation } = yield* store.prepare("mine")
        const claim = (version: number) =>
          engine.insert("earshot_installation", [
            JSON.stringify({ at_ms: 9e12 + version, schema_version: version, owner: "mine", generation })
          ])
        for (const text of [
          "DROP TABLE earshot_epochs SYNC",
          "CREATE TABLE earshot_epochs (n Int64) ENGINE = Memory"
        ]) {
          yield* engine.run("test", { text, parameters: {} })
        }
        yield* claim(1)
        expect((yield* store.prepare("mine")).generation).not.toBe(generation)
        yield* store.apply({ upserts: calls(3), deletes: [] })
        expect(yield* scanned(store)).toEqual(stated(calls(3)))
        yield* claim(1000)
        expect((yield* Effect.flip(store.prepare("mine"))).reason).toBe("version")
        expect(yield* scanned(store)).toEqual(stated(calls(3)))
      }),
    LIMIT
  )

  it.scopedLive(
    "has neither deleted nor replaced values in its files a minute after they were erased",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryFolder
        const store = yield* Effect.flatMap(engineIn(directory), storeOn)
        // Random texts are not compressed, so that they can be found.
        const secrets = ["Zq81kXw0vTg5", "Hc7Yp2LmQe94", "u3RsB6nJd1Fa", "W0eKx5GtVz2i"] as const
        const [deleted, replaced, kept, feedback] = secrets
        yield* store.apply({
          upserts: [
            call(1, { metadata: JSON.stringify({ name: deleted }), feedback }),
            call(2, { customerNumber: replaced }),
            call(3, { metadata: JSON.stringify({ name: kept }) })
          ],
          deletes: []
        })
        const found = Effect.promise(async () => {
          const texts: Array<string> = []
          for (const entry of await readdir(directory, { recursive: true, withFileTypes: true })) {
            // A file may go while the folder is read.
            if (entry.isFile()) texts.push(await readFile(join(entry.parentPath, entry.name), "latin1").catch(() => ""))
          }
          return secrets.filter((secret) => texts.some((text) => text.includes(secret)))
        })
        expect(yield* found).toEqual(secrets)
        yield* store.apply({ upserts: [call(2, { version: 2 })], deletes: [CallId.make(1)] })
        yield* store.eraseFiles
        const left = yield* found.pipe(
          Effect.repeat({
            until: (some) => some.length === 1,
            schedule: Schedule.spaced("1 second"),
            times: ERASURE_SECONDS
          }),
          Effect.zipRight(found)
        )
        expect(left).toEqual([kept])
      }),
    LIMIT
  )

  it.scopedLive(
    "has every change that is applied while files are erased",
    () =>
      Effect.gen(function* () {
        const store = yield* Effect.flatMap(embedded, storeOn)
        yield* store.apply({ upserts: calls(40), deletes: [] })
        yield* store.apply({ upserts: [], deletes: [CallId.make(40)] })
        const erasing = yield* Effect.fork(store.eraseFiles)
        const isErased = Effect.map(Fiber.poll(erasing), Option.isSome)
        let version = 1
        // Each round replaces one call, deletes one and adds one, whatever the erasure does at that moment.
        for (; version < 500 && !(yield* isErased); version++) {
          const upserts = [call(1, { version: version + 1, topic: String(version) }), call(100 + version)]
          yield* store.apply({ upserts, deletes: [CallId.make(99 + version)] })
          expect(yield* totalsOf(store)).toMatchObject({ calls: 40 })
        }
        yield* Fiber.join(erasing)
        expect(version).toBeGreaterThan(2)
        yield* store.eraseFiles
        const last = [call(1, { version, topic: String(version - 1) }), ...calls(39).slice(1), call(99 + version)]
        expect(yield* scanned(store)).toEqual(stated(last))
        expect(yield* totalsOf(store)).toMatchObject({ calls: 40 })
      }),
    LIMIT
  )

  it.scopedLive("fails a question within seconds while the engine hangs", () =>
    Effect.gen(function* () {
      const hanging: ClickHouseEngine = {
        rows: () => Effect.never,
        insert: () => Effect.never,
        run: () => Effect.never
      }
      const analytics = yield* ColumnAnswers.make(hanging, tablesOf("earshot_"), noNames)
      const failed = yield* totalsOf({ analytics }).pipe(Effect.flip, Effect.timeout("30 seconds"))
      expect(failed).toMatchObject({ _tag: "ColumnStoreUnavailable", reason: "slow" })
    })
  )

  it.scopedLive(
    "ends a statement whose caller has gone",
    () =>
      Effect.gen(function* () {
        const engine = yield* embedded
        const text = "SELECT max(sipHash64(number)) AS most FROM numbers(100000000000) SETTINGS max_threads = 1"
        // The statement that counts is one of them.
        const running = engine.rows("test", {
          text: "SELECT count() AS n FROM system.processes WHERE query LIKE '%sipHash64%'",
          parameters: {}
        })
        const until = (n: number) =>
          Effect.gen(function* () {
            let seen: unknown
            for (let tries = 0; tries < 300; tries++) {
              seen = yield* running
              if (JSON.stringify(seen) === JSON.stringify([{ n }])) break
              yield* Effect.sleep("50 millis")
            }
            expect(seen).toEqual([{ n }])
          })
        const asked = yield* Effect.fork(engine.rows("test", { text, parameters: {} }))
        yield* until(2)
        yield* Fiber.interrupt(asked)
        yield* until(1)
      }),
    LIMIT
  )

  it.scopedLive(
    "is there again after its process was killed",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryFolder
        const store = yield* Effect.flatMap(engineIn(directory), storeOn)
        for (let round = 1; round <= 3; round++) {
          const all = calls(4, { topic: `round ${round}`, version: round })
          yield* store.apply({ upserts: all, deletes: [] })
          const { pid } = yield* endpointOf(directory)
          yield* Effect.sync(() => process.kill(pid, "SIGKILL"))
          const found = yield* Effect.retry(scanned(store), { schedule: Schedule.spaced("300 millis"), times: 60 })
          expect(found).toEqual(stated(all))
          expect((yield* endpointOf(directory)).pid).not.toBe(pid)
        }
      }),
    LIMIT
  )

  it.scopedLive(
    "is shared by those who use its directory, whichever of them started it",
    () =>
      Effect.gen(function* () {
        const directory = yield* temporaryFolder
        const starter = yield* Scope.make()
        const first = yield* Effect.flatMap(engineIn(directory), storeOn).pipe(Scope.extend(starter))
        const second = yield* Effect.flatMap(engineIn(directory), storeOn)
        yield* first.apply({ upserts: calls(3), deletes: [] })
        expect(yield* scanned(second)).toEqual(stated(calls(3)))
        const { pid } = yield* endpointOf(directory)
        yield* Scope.close(starter, Exit.void)
        const found = yield* Effect.retry(scanned(second), { schedule: Schedule.spaced("300 millis"), times: 60 })
        expect(found).toEqual(stated(calls(3)))
        expect((yield* endpointOf(directory)).pid).not.toBe(pid)
      }),
    LIMIT
  )
})
