import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as FairSemaphore from "../../src/kernel/FairSemaphore.js"

/** Starts one effect per key; each ends when it is told to. */
const startAll = (keys: ReadonlyArray<string>, limits: { readonly permits: number; readonly perKey: number }) =>
  Effect.gen(function* () {
    const semaphore = FairSemaphore.make(limits)
    const started: Array<number> = []
    const tasks = yield* Effect.forEach(keys, (key, i) =>
      Effect.gen(function* () {
        const end = yield* Deferred.make<boolean>()
        const steps = Effect.zipRight(
          Effect.sync(() => started.push(i)),
          Deferred.await(end)
        )
        return { key, end, fiber: yield* Effect.fork(semaphore.withPermit(key)(steps)) }
      })
    )
    yield* Effect.yieldNow()
    return { tasks, started }
  })

describe("a fair semaphore", () => {
  it("never exceeds its limits and runs everything", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        fc.integer({ min: 1, max: 4 }),
        async (keys, permits, perKey) => {
          const semaphore = FairSemaphore.make({ permits, perKey })
          const running = new Map<string, number>()
          let done = 0
          const task = (key: string) =>
            Effect.gen(function* () {
              running.set(key, (running.get(key) ?? 0) + 1)
              const counts = [...running.values()]
              expect(Math.max(...counts)).toBeLessThanOrEqual(perKey)
              expect(counts.reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(permits)
              yield* Effect.yieldNow()
              running.set(key, (running.get(key) ?? 0) - 1)
              done++
            })
          await Effect.runPromise(
            Effect.forEach(keys, (key) => semaphore.withPermit(key)(task(key)), { concurrency: "unbounded" })
          )
          expect(done).toBe(keys.length)
        }
      ),
      { numRuns: 50 }
    )
  })

  it("gives the next turn to another key, and leaves room for it", async () => {
    await Effect.runPromise(
      Effect.gen(function* () {
        const { started, tasks } = yield* startAll(["a", "a", "a", "b", "b"], { permits: 2, perKey: 1 })
        expect(started).toEqual([0, 3])
        const finish = (i: number) =>
          Effect.gen(function* () {
            const task = tasks[i]
            if (task === undefined) return
            yield* Deferred.succeed(task.end, true)
            yield* Fiber.join(task.fiber)
            yield* Effect.yieldNow()
          })
        yield* finish(0)
        expect(started).toEqual([0, 3, 1])
        yield* finish(3)
        expect(started).toEqual([0, 3, 1, 4])
        for (const i of [1, 4, 2]) yield* finish(i)
        expect(started).toEqual([0, 3, 1, 4, 2])
      })
    )
  })

  it("forgets what is interrupted while it waits and frees what is interrupted while it runs", async () => {
    await Effect.runPromise(
      Effect.gen(function* () {
        const { started, tasks } = yield* startAll(["a", "a", "a"], { permits: 1, perKey: 1 })
        const [first, second] = tasks
        if (first === undefined || second === undefined) return
        yield* Fiber.interrupt(second.fiber)
        yield* Fiber.interrupt(first.fiber)
        yield* Effect.yieldNow()
        expect(started).toEqual([0, 2])
      })
    )
  })
})
