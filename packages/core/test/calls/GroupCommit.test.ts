import { expect, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as GroupCommit from "../../src/storage/sql/GroupCommit.js"

type GroupError = "poisoned" | "busy" | "closed"

const config = (
  commit: (items: ReadonlyArray<number>) => Effect.Effect<ReadonlyArray<Exit.Exit<number, GroupError>>, GroupError>,
  changes: { readonly writers?: number; readonly maxItems?: number; readonly maxWeight?: number } = {}
): GroupCommit.GroupCommitConfig<number, number, GroupError> => ({
  writers: 1,
  maxItems: 100,
  maxWeight: 1000,
  weigh: () => 1,
  commit,
  mayBeOneItems: (error) => error === "poisoned",
  isBusy: (error) => error === "busy",
  closed: "closed",
  ...changes
})

const all = (items: ReadonlyArray<number>) => Effect.succeed(items.map((item) => Exit.succeed(item * 10)))

it.scopedLive("commits concurrent items in one group, each with its own outcome", () =>
  Effect.gen(function* () {
    const groups: Array<ReadonlyArray<number>> = []
    const commit = yield* GroupCommit.make(
      config((items) => {
        groups.push(items)
        return Effect.succeed(items.map((item) => (item === 3 ? Exit.fail("busy") : Exit.succeed(item * 10))))
      })
    )
    const outcomes = yield* Effect.forEach([1, 2, 3, 4], (item) => Effect.exit(commit(item)), {
      concurrency: "unbounded"
    })
    expect(outcomes).toEqual([Exit.succeed(10), Exit.succeed(20), Exit.fail("busy"), Exit.succeed(40)])
    expect(groups).toEqual([[1, 2, 3, 4]])
  })
)

it.scopedLive("limits groups by number and weight", () =>
  Effect.gen(function* () {
    const groups: Array<number> = []
    const commit = yield* GroupCommit.make({
      ...config(
        (items) =>
          Effect.zipRight(
            Effect.sync(() => groups.push(items.length)),
            all(items)
          ),
        {
          maxItems: 3,
          maxWeight: 10
        }
      ),
      weigh: (item) => item
    })
    yield* Effect.forEach([1, 1, 1, 1, 9, 50, 1], commit, { concurrency: "unbounded" })
    expect(groups).toEqual([3, 2, 1, 1])
  })
)

it.scopedLive("fails what has waited for long when the database is busy, and leaves the rest to the next group", () =>
  Effect.gen(function* () {
    const groups: Array<ReadonlyArray<number>> = []
    const commit = yield* GroupCommit.make(
      config((items) => {
        groups.push(items)
        return items.includes(1) ? Effect.delay(Effect.fail("busy"), "1300 millis") : all(items)
      })
    )
    const first = yield* Effect.fork(Effect.exit(commit(1)))
    yield* Effect.sleep("50 millis")
    const long = yield* Effect.fork(Effect.forEach([2, 3], (item) => Effect.exit(commit(item)), { concurrency: 2 }))
    yield* Effect.sleep("900 millis")
    const short = yield* Effect.fork(Effect.exit(commit(4)))
    expect(yield* Fiber.join(first)).toEqual(Exit.fail("busy"))
    expect(yield* Fiber.join(long)).toEqual([Exit.fail("busy"), Exit.fail("busy")])
    expect(yield* Fiber.join(short)).toEqual(Exit.succeed(40))
    expect(groups).toEqual([[1], [4]])
  })
)

it.scopedLive("retries the items of a failed group one by one", () =>
  Effect.gen(function* () {
    const groups: Array<ReadonlyArray<number>> = []
    const commit = yield* GroupCommit.make(
      config((items) => {
        groups.push(items)
        return items.includes(2) ? Effect.fail("poisoned") : all(items)
      })
    )
    const outcomes = yield* Effect.forEach([1, 2, 3], (item) => Effect.exit(commit(item)), { concurrency: "unbounded" })
    expect(outcomes).toEqual([Exit.succeed(10), Exit.fail("poisoned"), Exit.succeed(30)])
    expect(groups).toEqual([[1, 2, 3], [1], [2], [3]])
  })
)

it.scopedLive("fails all items of a group at once on a storage error", () =>
  Effect.gen(function* () {
    let tries = 0
    const commit = yield* GroupCommit.make(
      config(() => {
        tries++
        return Effect.fail("busy")
      })
    )
    const outcomes = yield* Effect.forEach([1, 2, 3], (item) => Effect.exit(commit(item)), { concurrency: "unbounded" })
    expect(outcomes).toEqual([Exit.fail("busy"), Exit.fail("busy"), Exit.fail("busy")])
    expect(tries).toBe(1)
  })
)

it.scopedLive("continues after a defect", () =>
  Effect.gen(function* () {
    let dies = true
    const commit = yield* GroupCommit.make(
      config((items) => {
        if (!dies) return all(items)
        dies = false
        return Effect.die("a bug")
      })
    )
    expect(Exit.isFailure(yield* Effect.exit(commit(1)))).toBe(true)
    expect(yield* commit(2)).toBe(20)
  })
)

it.scopedLive("collects the next group while committing one, without interrupted items", () =>
  Effect.gen(function* () {
    const groups: Array<ReadonlyArray<number>> = []
    const writing = yield* Deferred.make<undefined>()
    const free = yield* Deferred.make<undefined>()
    const commit = yield* GroupCommit.make(
      config((items) =>
        Effect.gen(function* () {
          groups.push(items)
          yield* Deferred.succeed(writing, undefined)
          yield* Deferred.await(free)
          return yield* all(items)
        })
      )
    )
    const first = yield* Effect.fork(commit(1))
    yield* Deferred.await(writing)
    const others = yield* Effect.forEach([2, 3, 4], (item) => Effect.fork(commit(item)))
    yield* Effect.sleep("5 millis")
    yield* Fiber.interrupt(others[1]!)
    yield* Deferred.succeed(free, undefined)
    expect(yield* Fiber.join(first)).toBe(10)
    expect(yield* Fiber.join(others[2]!)).toBe(40)
    expect(groups).toEqual([[1], [2, 4]])
  })
)

it.live("commits waiting items before it closes and rejects later ones", () =>
  Effect.gen(function* () {
    const written: Array<number> = []
    const scope = yield* Scope.make()
    const commit = yield* GroupCommit.make(
      config(
        (items) =>
          Effect.zipRight(
            Effect.delay(
              Effect.sync(() => written.push(...items)),
              "5 millis"
            ),
            all(items)
          ),
        { writers: 2, maxItems: 2 }
      )
    ).pipe(Scope.extend(scope))
    const waiting = yield* Effect.fork(Effect.forEach([1, 2, 3, 4, 5, 6, 7], commit, { concurrency: "unbounded" }))
    yield* Effect.sleep("1 millis")
    yield* Scope.close(scope, Exit.void)
    expect(written.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7])
    expect(yield* Fiber.join(waiting)).toEqual([10, 20, 30, 40, 50, 60, 70])
    expect(yield* Effect.exit(commit(8))).toEqual(Exit.fail("closed"))
  })
)
