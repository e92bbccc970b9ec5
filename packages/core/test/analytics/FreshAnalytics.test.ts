import { Calls, ColumnStore, projectionTotals } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import { setImmediate } from "node:timers/promises"
import { describe } from "vitest"
import { ingest } from "../calls/ingest.js"
import { anotherProcess, call, project, statOf, withColumns } from "./projections.js"

/** Projects as a process with a job runner does. */
const projecting = Effect.forkScoped(Effect.forever(Effect.zipRight(project, Effect.sleep("20 millis"))))

const counted = Effect.map(projectionTotals, ({ answers }) => new Map(answers))

for (const database of TestEngine.databases) {
  describe(`charts with a column store on ${database}`, () => {
    it.scopedLive("are answered by it, with all that was committed before the question", () =>
      withColumns(database, () =>
        Effect.gen(function* () {
          const { actor, agent, project: own } = yield* TestEngine.fixture
          const stat = yield* statOf(actor, own.id)
          yield* ingest(actor, call(agent, "first"))
          expect(yield* stat).toEqual({ calls: 1, by: ["row-store"] })
          yield* project
          expect(yield* stat).toEqual({ calls: 1, by: ["column-store"] })
          yield* projecting
          const calls = yield* Calls
          const before = yield* counted
          for (let n = 2; n <= 30; n++) {
            const { call: made } = yield* ingest(actor, call(agent, String(n)))
            expect((yield* stat).calls).toBe(2)
            yield* calls.delete(made.id).pipe(TestEngine.as(actor))
            expect((yield* stat).calls).toBe(1)
          }
          const after = yield* counted
          expect((after.get("column-store") ?? 0) - (before.get("column-store") ?? 0)).toBeGreaterThan(0)
        })
      )
    )

    it.scopedLive("see at least what their question waited for, while others ingest", () =>
      withColumns(database, () =>
        Effect.gen(function* () {
          const { actor, agent, project: own } = yield* TestEngine.fixture
          const stat = yield* statOf(actor, own.id)
          yield* project
          yield* projecting
          let committed = 0
          const client = (name: number) =>
            Effect.forEach(
              Array.from({ length: 25 }, (_, n) => `${name}-${n}`),
              (id) => Effect.map(ingest(actor, call(agent, id)), () => void (committed += 1)),
              { discard: true }
            )
          const ingesting = yield* Effect.fork(Effect.forEach([1, 2, 3, 4], client, { concurrency: "unbounded" }))
          while ((yield* Fiber.poll(ingesting))._tag === "None") {
            // A database in memory answers within the event loop's turn.
            yield* Effect.promise(() => setImmediate())
            const before = committed
            expect((yield* stat).calls).toBeGreaterThanOrEqual(before)
          }
          yield* Fiber.join(ingesting)
          expect((yield* stat).calls).toBe(100)
        })
      )
    )

    it.scopedLive("are answered by the database where changes are not applied in time", () =>
      withColumns(
        database,
        (store) =>
          Effect.gen(function* () {
            const { actor, agent, project: own } = yield* TestEngine.fixture
            const other = yield* TestEngine.fixture
            const stat = yield* statOf(actor, own.id)
            const elsewhere = yield* statOf(other.actor, other.project.id)
            yield* project
            const stands = yield* Deferred.make<undefined>()
            store.beforeApply = Deferred.await(stands)
            yield* ingest(actor, call(agent, "a"))
            const standing = yield* Effect.fork(project)
            expect(yield* stat).toEqual({ calls: 1, by: ["row-store"] })
            // What another organization waits for does not concern this one.
            expect(yield* elsewhere).toEqual({ calls: 0, by: ["column-store"] })
            yield* Deferred.succeed(stands, undefined)
            yield* Fiber.join(standing)
            expect(yield* stat).toEqual({ calls: 1, by: ["column-store"] })
          }),
        { wait: "100 millis" }
      )
    )

    it.scopedLive("are answered by the database while the column store fails, also in the middle of a question", () =>
      withColumns(database, (store) =>
        Effect.gen(function* () {
          const { actor, agent, project: own } = yield* TestEngine.fixture
          const stat = yield* statOf(actor, own.id)
          yield* ingest(actor, call(agent, "a"))
          yield* project
          store.beforeAnswer = Effect.sync(() => {
            store.failure = "unreachable"
          })
          expect(yield* stat).toEqual({ calls: 1, by: ["row-store"] })
          store.beforeAnswer = Effect.void
          store.failure = undefined
          // It is left alone for half a second at most.
          expect(yield* stat).toEqual({ calls: 1, by: ["row-store"] })
          yield* Effect.sleep("600 millis")
          expect(yield* stat).toEqual({ calls: 1, by: ["column-store"] })
        })
      )
    )

    it.scopedLive("are answered by the database while the column store is being started", () =>
      withColumns(database, (store) =>
        Effect.gen(function* () {
          const { actor, agent, project: own } = yield* TestEngine.fixture
          yield* ingest(actor, call(agent, "a"))
          yield* project
          const starting = Layer.effect(
            ColumnStore,
            Effect.map(ColumnStore, (ready) => ColumnStore.of({ ...ready, prepare: () => Effect.never }))
          ).pipe(Layer.provide(store.layer))
          const elsewhere = TestEngine.engine({ analytics: starting, projection: { wait: "100 millis" } })
          const stat = Effect.flatten(statOf(actor, own.id))
          const shown = yield* Effect.provide(stat, yield* Layer.build(Layer.fresh(elsewhere)))
          expect(shown).toEqual({ calls: 1, by: ["row-store"] })
        })
      )
    )

    it.scopedLive("are not answered by a projection that is being built again", () =>
      withColumns(database, (store) =>
        Effect.gen(function* () {
          const { actor, agent, project: own } = yield* TestEngine.fixture
          const stat = yield* statOf(actor, own.id)
          yield* ingest(actor, call(agent, "a"))
          yield* project
          const elsewhere = yield* anotherProcess(store)
          // A rebuild begins after the question was given to the column store, and before it answers.
          store.beforeAnswer = Effect.suspend(() => {
            store.beforeAnswer = Effect.void
            return Effect.ignore(
              Effect.zipRight(Effect.fork(elsewhere.rebuild(() => Effect.void)), Effect.sleep("50 millis"))
            )
          })
          expect(yield* stat).toEqual({ calls: 1, by: ["row-store"] })
        })
      )
    )
  })
}
