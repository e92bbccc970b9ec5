import { Calls, ColumnStoreUnavailable, JobRunner, ProjectionFeed, Projections } from "@earshot/core"
import { Properties, TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Runtime from "effect/Runtime"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { setImmediate } from "node:timers/promises"
import { describe } from "vitest"
import * as ProjectionFeedSql from "../../src/storage/sql/ProjectionFeedSql.js"
import { ingest, turns } from "../calls/ingest.js"
import { play, step } from "./projectionModel.js"
import {
  anotherProcess,
  call,
  type Everything,
  later,
  nothing,
  project,
  projected,
  stored,
  withColumns
} from "./projections.js"

const drain = Effect.flatMap(JobRunner, (runner) => runner.drain)

// Statements of the tests themselves fail only where a test is wrong: they die.

/** The triggers that record changes. */
const triggers = (database: TestEngine.DatabaseName) =>
  Effect.flatMap(SqlClient, (sql) =>
    database === "sqlite"
      ? sql`SELECT name FROM sqlite_master WHERE type = 'trigger' AND name LIKE 'analytics%'`
      : sql`SELECT tgname FROM pg_trigger WHERE tgname LIKE 'analytics%'`
  ).pipe(
    Effect.map((rows) => rows.length),
    Effect.orDie
  )

const recordedChanges = Effect.flatMap(SqlClient, (sql) => sql`SELECT id FROM analytics_changes`).pipe(
  Effect.map((rows) => rows.length),
  Effect.orDie
)

/** Ends the lease, as the time does where its owner stands still. */
const expireLease = Effect.flatMap(SqlClient, (sql) => sql`UPDATE analytics_projection SET lease_until_ms = 0`).pipe(
  Effect.orDie
)

const leaseUntil = Effect.flatMap(SqlClient, (sql) => sql`SELECT lease_until_ms FROM analytics_projection`).pipe(
  Effect.map((rows) => Number(rows[0]?.lease_until_ms)),
  Effect.orDie
)

/** Waits until the lease was extended, two seconds later by the test's clock. */
const extended = Effect.gen(function* () {
  const before = yield* leaseUntil
  yield* TestClock.adjust("2 seconds")
  for (let turns = 0; turns < 10_000 && (yield* leaseUntil) === before; turns++) {
    yield* Effect.promise(() => setImmediate())
  }
  expect(yield* leaseUntil).toBeGreaterThan(before)
})

const unreachable = new ColumnStoreUnavailable({ reason: "unreachable", operation: "apply", cause: new Error("Test") })

for (const database of TestEngine.databases) {
  describe(`the projection of calls on ${database}`, () => {
    it.effect("has what was there before, what changes, and not what is deleted", () =>
      withColumns(database, (store) =>
        Effect.gen(function* () {
          const { actor, agent } = yield* TestEngine.fixture
          const projections = yield* Projections
          yield* ingest(actor, call(agent, "a", { transcript_json: turns, metadata: { n: 0.1 + 0.2 } }))
          yield* project
          expect(projected(store)).toEqual(yield* stored)
          const { call: b } = yield* ingest(actor, call(agent, "b", { call_ended_reason: "hangup" }))
          yield* project
          expect(projected(store)).toEqual(yield* stored)
          yield* ingest(actor, call(agent, "b", { call_ended_reason: "done" }))
          yield* drain
          yield* project
          expect(projected(store)).toEqual(yield* stored)
          expect(projected(store).flatMap(({ evaluations }) => evaluations).length).toBeGreaterThan(10)
          expect(store.calls().get(b.id)?.callEndedReason).toBe("done")
          expect(yield* projections.verify(nothing)).toMatchObject({ compared: 2, missing: 0, extra: 0, different: 0 })
          yield* Effect.flatMap(Calls, (calls) => calls.delete(b.id)).pipe(TestEngine.as(actor))
          yield* project
          expect(projected(store).map(({ callId }) => callId)).toEqual(["a"])
          expect(yield* recordedChanges).toBe(0)
        })
      )
    )

    it.effect("can be verified before its first use, which takes no tables", () =>
      withColumns(database, (store) =>
        Effect.gen(function* () {
          const { actor, agent } = yield* TestEngine.fixture
          const projections = yield* Projections
          yield* ingest(actor, call(agent, "a"))
          expect(yield* projections.verify(nothing)).toMatchObject({ compared: 1, missing: 1 })
          yield* project
          expect(projected(store)).toEqual(yield* stored)
          expect((yield* projections.status).columnStore).toBe("usable")
        })
      )
    )

    it.effect("records nothing before a column store is used, nor long after the last use", () =>
      withColumns(
        database,
        (store) =>
          Effect.gen(function* () {
            const { actor, agent } = yield* TestEngine.fixture
            const projections = yield* Projections
            yield* ingest(actor, call(agent, "a"))
            expect([yield* triggers(database), yield* recordedChanges]).toEqual([0, 0])
            yield* project
            expect(yield* triggers(database)).toBeGreaterThan(0)
            yield* ingest(actor, call(agent, "b"))
            expect(yield* recordedChanges).toBeGreaterThan(0)
            yield* projections.stopUnused
            expect(yield* triggers(database)).toBeGreaterThan(0)
            yield* TestClock.adjust("2 hours")
            yield* projections.stopUnused
            expect([yield* triggers(database), yield* recordedChanges]).toEqual([0, 0])
            yield* ingest(actor, call(agent, "c"))
            expect(yield* recordedChanges).toBe(0)
            // The next use begins with all calls.
            yield* project
            expect(projected(store)).toEqual(yield* stored)
            expect(store.calls().size).toBe(3)
          }),
        { keepFor: "1 hour" }
      )
    )

    it.effect("is built again where the tables are gone, or on request", () =>
      withColumns(
        database,
        (store) =>
          Effect.gen(function* () {
            const { actor, agent } = yield* TestEngine.fixture
            const projections = yield* Projections
            for (const id of ["a", "b", "c", "d", "e"]) yield* ingest(actor, call(agent, id))
            yield* project
            store.wipe()
            // What prepared the tables does so again after a failure.
            store.failure = "unreachable"
            yield* ingest(actor, call(agent, "f"))
            yield* project
            store.failure = undefined
            yield* later
            yield* project
            expect(projected(store)).toEqual(yield* stored)
            const [first, second] = [...store.calls().keys()]
            store.tamper(first ?? 0, (known) => ({ ...known, callEndedReason: "invented" }))
            store.tamper(second ?? 0, () => undefined)
            expect(yield* projections.verify(nothing)).toEqual({
              compared: 6,
              missing: 1,
              extra: 0,
              different: 1,
              examples: [
                { call: first, is: "different" },
                { call: second, is: "missing" }
              ]
            })
            const reported: Array<number> = []
            yield* projections.rebuild(({ done }) => Effect.sync(() => void reported.push(done)))
            expect(yield* projections.verify(nothing)).toMatchObject({ missing: 0, extra: 0, different: 0 })
          }),
        { batch: 2 }
      )
    )

    it.effect("continues a rebuild after an interruption", () =>
      withColumns(
        database,
        (store) =>
          Effect.gen(function* () {
            const { actor, agent } = yield* TestEngine.fixture
            const feed = yield* ProjectionFeed
            for (const id of ["a", "b", "c", "d", "e"]) yield* ingest(actor, call(agent, id))
            const never = yield* Deferred.make<undefined, ColumnStoreUnavailable>()
            const third = yield* Deferred.make<undefined>()
            store.beforeApply = Effect.suspend(() =>
              store.applied() === 2
                ? Effect.zipRight(Deferred.succeed(third, undefined), Deferred.await(never))
                : Effect.void
            )
            const running = yield* Effect.fork(project)
            yield* Deferred.await(third)
            yield* Fiber.interrupt(running)
            expect((yield* feed.status).rebuild).toMatchObject({ done: [...store.calls().keys()].at(-1) })
            store.beforeApply = Effect.void
            yield* ingest(actor, call(agent, "f"))
            yield* project
            // Three pages of the rebuild, one of the change, one that ends it: nothing was copied twice.
            expect(store.applied()).toBeLessThanOrEqual(5)
            expect(projected(store)).toEqual(yield* stored)
            expect((yield* feed.status).rebuild).toBe(null)
          }).pipe(Effect.provide(ProjectionFeedSql.layer)),
        { batch: 2 }
      )
    )

    it.effect("applies large calls in parts, and all of them again where one part fails", () =>
      withColumns(database, (store) =>
        Effect.gen(function* () {
          const { actor, agent } = yield* TestEngine.fixture
          yield* project
          const before = store.applied()
          // Two of these are larger than a part.
          const metadata = { note: "n".repeat(8_500_000) }
          for (const id of ["a", "b", "c"]) yield* ingest(actor, call(agent, id, { metadata }))
          for (const id of ["d", "e"]) yield* ingest(actor, call(agent, id))
          const { call: deleted } = yield* ingest(actor, call(agent, "f"))
          yield* Effect.flatMap(Calls, (calls) => calls.delete(deleted.id)).pipe(TestEngine.as(actor))
          store.beforeApply = Effect.suspend(() =>
            store.applied() === before + 2 ? Effect.fail(unreachable) : Effect.void
          )
          yield* project
          expect(store.applied()).toBe(before + 2)
          expect(yield* recordedChanges).toBeGreaterThan(0)
          store.beforeApply = Effect.void
          yield* later
          yield* project
          expect(store.applied()).toBe(before + 2 + 3)
          expect(projected(store)).toEqual(yield* stored)
          expect(yield* recordedChanges).toBe(0)
        })
      )
    )

    it.effect("applies again what was applied and not acknowledged", () =>
      withColumns(database, (store) =>
        Effect.gen(function* () {
          const { actor, agent } = yield* TestEngine.fixture
          yield* project
          yield* ingest(actor, call(agent, "a"))
          store.afterApply = Effect.fail(unreachable)
          yield* project
          expect(yield* recordedChanges).toBeGreaterThan(0)
          store.afterApply = Effect.void
          yield* ingest(actor, call(agent, "a", { call_ended_reason: "done" }))
          yield* later
          yield* project
          expect(projected(store)).toEqual(yield* stored)
          expect(yield* recordedChanges).toBe(0)
        })
      )
    )

    it.scoped("is written by one of two processes at a time, and taken over when the lease expires", () =>
      withColumns(database, (store) =>
        Effect.gen(function* () {
          const { actor, agent } = yield* TestEngine.fixture
          const second = yield* anotherProcess(store)
          const third = yield* anotherProcess(store)
          yield* project
          yield* ingest(actor, call(agent, "a"))
          yield* second.project
          expect(store.calls().size).toBe(0)
          // The first one reads the call, stands still until its lease has expired, and must not undo what came after.
          const reached = yield* Deferred.make<undefined>()
          const go = yield* Deferred.make<undefined>()
          const stand = Effect.zipRight(Deferred.succeed(reached, undefined), Deferred.await(go))
          store.beforeApply = Effect.suspend(() => {
            store.beforeApply = Effect.void
            return stand
          })
          const standing = yield* Effect.fork(project)
          yield* Deferred.await(reached)
          // As long as it runs it extends its lease, which lasts 8 seconds.
          for (let times = 0; times < 5; times++) yield* extended
          yield* second.project
          expect(store.calls().size).toBe(0)
          yield* expireLease
          yield* third.project
          expect(store.calls().size).toBe(1)
          yield* ingest(actor, call(agent, "a", { call_ended_reason: "done" }))
          yield* third.project
          yield* Deferred.succeed(go, undefined)
          yield* Fiber.join(standing)
          expect(projected(store)).toEqual(yield* stored)
          yield* third.project
          expect(projected(store)).toEqual(yield* stored)
        })
      )
    )

    it.effect("leaves a column store that fails alone for a while, with one warning", () =>
      Effect.gen(function* () {
        const warnings: Array<unknown> = []
        const logger = Logger.make(({ logLevel, message }) => {
          if (logLevel._tag === "Warning") warnings.push(message)
        })
        yield* withColumns(database, (store) =>
          Effect.gen(function* () {
            const { actor, agent } = yield* TestEngine.fixture
            yield* project
            for (const reason of ["unreachable", "full", "slow"] as const) {
              store.failure = reason
              yield* ingest(actor, call(agent, reason))
              yield* project
              yield* project
              yield* later
              yield* project
            }
            expect(warnings).toHaveLength(1)
            store.failure = undefined
            yield* project
            expect(store.calls().size).toBe(0)
            yield* later
            yield* project
            expect(projected(store)).toEqual(yield* stored)
          })
        ).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
      })
    )

    it.effect("does not touch the tables of another installation", () =>
      withColumns(database, (store) =>
        Effect.gen(function* () {
          const { actor, agent } = yield* TestEngine.fixture
          yield* ingest(actor, call(agent, "a"))
          yield* project
          const before = projected(store)
          yield* withColumns(database, () =>
            Effect.gen(function* () {
              const elsewhere = yield* anotherProcess(store)
              const other = yield* TestEngine.fixture
              yield* ingest(other.actor, call(other.agent, "b"))
              yield* elsewhere.project
              expect(yield* elsewhere.status).toMatchObject({ columnStore: "owner", recording: false })
              expect(yield* Effect.flip(elsewhere.rebuild(nothing))).toMatchObject({ reason: "owner" })
            }).pipe(Effect.scoped)
          )
          expect(projected(store)).toEqual(before)
        })
      )
    )

    it.effect("erases deleted and redacted calls from files, some time later", () =>
      withColumns(
        database,
        (store) =>
          Effect.gen(function* () {
            const { actor, agent } = yield* TestEngine.fixture
            const calls = yield* Calls
            const { call: deleted } = yield* ingest(actor, call(agent, "deleted"))
            const say = (text: string) => ({
              transcript_json: [{ role: "Main Agent", content: text, start_time: 0, end_time: 1 }]
            })
            yield* ingest(actor, call(agent, "redacted", { metadata: { mail: "jo@example.com" }, ...say("Hello") }))
            yield* project
            yield* calls.delete(deleted.id).pipe(TestEngine.as(actor))
            yield* ingest(
              actor,
              call(agent, "redacted", {
                metadata: { mail: "jo@example.com" },
                redact_fields: ["email_address"],
                ...say("Hello")
              })
            )
            yield* project
            expect(JSON.stringify(projected(store))).not.toContain("jo@example.com")
            expect(JSON.stringify(store.unerased())).toContain("jo@example.com")
            yield* TestClock.adjust("9 minutes")
            yield* project
            yield* Effect.yieldNow()
            expect(store.unerased().length).toBeGreaterThan(0)
            yield* TestClock.adjust("2 minutes")
            yield* project
            // The files are erased beside the projection.
            for (let turns = 0; turns < 1000 && store.unerased().length > 0; turns++) {
              yield* Effect.promise(() => setImmediate())
            }
            expect(store.unerased()).toEqual([])
          }),
        { eraseAfter: "10 minutes" }
      )
    )

    it.effect(
      "is that of the primary database after any sequence of changes and failures",
      () =>
        withColumns(
          database,
          (store) =>
            Effect.gen(function* () {
              const run = Runtime.runPromise(yield* Effect.runtime<Everything>())
              const { check } = Properties.asyncProperty(
                "the projection equals the primary database",
                [fc.array(step, { minLength: 1, maxLength: 25 })],
                (steps) => run(play(store, steps)),
                12
              )
              yield* Effect.promise(check)
            }),
          { batch: 3 }
        ),
      240_000
    )
  })
}
