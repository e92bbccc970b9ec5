import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { describe } from "vitest"
import { makeLookupBatch } from "../../src/kernel/LookupBatch.js"

/** A lookup of the lengths of keys, which fails for the key `bad` and does not know the key `unknown`. */
const lengths = (maxKeys: number) => {
  const queries: Array<ReadonlyArray<string>> = []
  const look = makeLookupBatch<number, string>({
    window: "100 millis",
    maxKeys,
    find: (keys) => {
      queries.push(keys)
      return keys.includes("bad")
        ? Effect.fail("failed")
        : Effect.succeed(new Map(keys.flatMap((key) => (key === "unknown" ? [] : [[key, key.length] as const]))))
    }
  })
  return { queries, look }
}

describe("a batch of lookups", () => {
  it.effect("asks once for all keys of a window, and answers each caller with its own value", () =>
    Effect.gen(function* () {
      const { look, queries } = lengths(10)
      const callers = yield* Effect.forEach(["a", "bbb", "a", "unknown"], (key) => Effect.fork(look(key)))
      yield* TestClock.adjust("99 millis")
      expect(queries).toEqual([])
      yield* TestClock.adjust("1 millis")
      expect(yield* Fiber.joinAll(callers)).toEqual([Option.some(1), Option.some(3), Option.some(1), Option.none()])
      expect(queries).toEqual([["a", "bbb", "unknown"]])
      const later = yield* Effect.fork(look("a"))
      yield* TestClock.adjust("100 millis")
      expect(yield* Fiber.join(later)).toEqual(Option.some(1))
      expect(queries).toHaveLength(2)
    })
  )

  it.effect("begins another batch when one is full", () =>
    Effect.gen(function* () {
      const { look, queries } = lengths(2)
      const callers = yield* Effect.forEach(["a", "bb", "ccc"], (key) => Effect.fork(look(key)))
      yield* TestClock.adjust("100 millis")
      expect(yield* Fiber.joinAll(callers)).toEqual([Option.some(1), Option.some(2), Option.some(3)])
      expect(queries.toSorted((one, other) => other.length - one.length)).toEqual([["a", "bb"], ["ccc"]])
    })
  )

  it.effect("fails for all of its callers, and answers others when one of them waits no longer", () =>
    Effect.gen(function* () {
      const { look } = lengths(10)
      const failing = yield* Effect.forEach(["a", "bad"], (key) => Effect.fork(look(key)))
      yield* TestClock.adjust("100 millis")
      for (const fiber of failing) expect(yield* Fiber.await(fiber)).toEqual(Exit.fail("failed"))
      const first = yield* Effect.fork(look("a"))
      const second = yield* Effect.fork(look("a"))
      yield* TestClock.adjust("50 millis")
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust("50 millis")
      expect(yield* Fiber.join(second)).toEqual(Option.some(1))
    })
  )

  it("answers others wherever its first caller is interrupted", async () => {
    const cases = Array.from({ length: 24 }, (_, steps) => [1, 2, 3].map((tasks) => ({ steps, tasks }))).flat()
    for (const { steps, tasks } of cases) {
      const look = makeLookupBatch<number, never>({
        window: 0,
        maxKeys: 10,
        find: (keys) => Effect.succeed(new Map(keys.map((key) => [key, key.length])))
      })
      const queue: Array<() => void> = []
      const run = (count: number) => {
        for (const task of queue.splice(0, count)) task()
      }
      // The first caller yields after 30 steps, which are at another place of the lookup in each case.
      const before = Effect.forEach(Array.from({ length: steps }), () => Effect.void, { discard: true })
      const first = Effect.runFork(Effect.zipRight(before, look("a")), {
        scheduler: {
          shouldYield: ({ currentOpCount }) => (currentOpCount > 30 ? 0 : false),
          scheduleTask: (task) => void queue.push(task)
        }
      })
      for (let ran = 0; ran < tasks; ran++) run(1)
      first.unsafeInterruptAsFork(first.id())
      const drain = setInterval(() => run(queue.length), 1)
      const found = await Effect.runPromise(Effect.timeoutOption(look("bb"), "2 seconds"))
      clearInterval(drain)
      expect(Option.flatten(found), `${steps} steps before it, ${tasks} tasks`).toEqual(Option.some(2))
    }
  })
})
