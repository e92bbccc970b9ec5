import {
  type Claim,
  retryDelay,
  Engine,
  jobSignal,
  JobSignal,
  JobFailed,
  type JobHandler,
  type JobRunnerConfig,
  JobStore,
  makeJobRunner,
  OrganizationStore,
  StorageBusy,
  StorageFailed,
  type StorageError,
  UnitOfWork
} from "@earshot/core"
import { CatalogKit, JobKit, TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { describe, it as plainly } from "vitest"

describe("backoff", () => {
  plainly("doubles from the first wait to the longest, spread over its later half", () => {
    const backoff = { initial: 100, max: 1000 }
    expect([1, 2, 3, 4, 5, 60].map((attempt) => retryDelay(attempt, backoff, 1))).toEqual([
      100, 200, 400, 800, 1000, 1000
    ])
    expect(retryDelay(2, backoff, 0)).toBe(100)
    expect(retryDelay(1, backoff, 0.5, 5000)).toBe(5000)
    fc.assert(
      fc.property(fc.nat({ max: 100 }), fc.double({ min: 0, max: 1, noNaN: true }), (attempt, chance) => {
        const whole = retryDelay(attempt, backoff, 1)
        expect(retryDelay(attempt, backoff, chance)).toBeLessThanOrEqual(whole)
        expect(retryDelay(attempt, backoff, chance)).toBeGreaterThanOrEqual(whole / 2)
      })
    )
  })
})

let kinds = 0

/** A kind of its own, whose jobs `run` does. */
const workshop = (
  run: (claim: Claim) => ReturnType<JobHandler["run"]>,
  config: JobRunnerConfig = {},
  { concurrency = 3, ...handler }: Partial<Pick<JobHandler, "concurrency" | "hasCapacity">> = {}
) =>
  Effect.gen(function* () {
    const { id } = yield* Effect.flatMap(OrganizationStore, (organizations) =>
      organizations.insert({ name: "Jobs" }, DateTime.unsafeMake(0))
    )
    const kind = `work ${kinds++}`
    const store = yield* JobStore
    const permit = CatalogKit.permit(id, "jobs.list")
    return {
      kind,
      organizationId: id,
      runner: yield* makeJobRunner([{ kind, concurrency, ...handler, run }], config),
      enqueue: (more: Parameters<typeof JobKit.jobOf>[2] = {}) =>
        Effect.flatMap(DateTime.now, (now) => store.enqueue(JobKit.jobOf(id, kind, more), DateTime.toEpochMillis(now))),
      job: (job: Effect.Effect.Success<ReturnType<typeof store.enqueue>>) => Effect.flatten(store.find(permit, job.id))
    }
  })

/** Lets other fibers, and the database, take turns; the test's clock stands still meanwhile. */
const turns = (count = 20) =>
  Effect.forEach(
    Array.from({ length: count }),
    () => Effect.async<boolean>((resume) => void setTimeout(() => resume(Effect.succeed(true)), 2)),
    { discard: true }
  )

const until = <E, R>(condition: Effect.Effect<boolean, E, R>): Effect.Effect<void, E, R> =>
  Effect.flatMap(condition, (holds) => (holds ? Effect.void : Effect.zipRight(turns(2), until(condition))))

for (const database of TestEngine.databases) {
  const storage = TestEngine.storage(database)
  const stores = Layer.mergeAll(Engine.stores, jobSignal).pipe(Layer.provideMerge(storage))
  layer(Layer.merge(stores, Logger.remove(Logger.defaultLogger)))(`JobRunner on ${database}`, (it) => {
    it.effect("runs every job once, up to the concurrency limit at a time", () =>
      Effect.gen(function* () {
        let now = 0
        let most = 0
        const ran: Array<unknown> = []
        const { enqueue, job, runner } = yield* workshop(({ payload }) =>
          Effect.gen(function* () {
            most = Math.max(most, ++now)
            yield* turns(1)
            now--
            ran.push(payload)
          })
        )
        const all = yield* Effect.forEach([0, 1, 2, 3, 4, 5, 6], (payload) => enqueue({ payload }))
        expect(yield* runner.drain).toBe(7)
        expect(ran.toSorted()).toEqual([0, 1, 2, 3, 4, 5, 6])
        expect(most).toBe(3)
        for (const one of all) expect(yield* job(one)).toMatchObject({ state: "succeeded", attempts: 1 })
        expect(yield* runner.drain).toBe(0)
      })
    )

    it.effect("leaves jobs to other processes while it has no capacity, and runs them when it has", () =>
      Effect.gen(function* () {
        let hasCapacity = false
        const ran: Array<string> = []
        const { enqueue, job, kind, runner } = yield* workshop(
          () => Effect.sync(() => void ran.push("own")),
          {},
          {
            hasCapacity: Effect.sync(() => hasCapacity)
          }
        )
        const one = yield* enqueue()
        expect(yield* runner.drain).toBe(0)
        expect(yield* job(one)).toMatchObject({ state: "queued", attempts: 0 })
        const other = yield* makeJobRunner([
          { kind, concurrency: 1, run: () => Effect.sync(() => void ran.push("other")) }
        ])
        expect(yield* other.drain).toBe(1)
        yield* enqueue()
        hasCapacity = true
        expect(yield* runner.drain).toBe(1)
        expect(ran).toEqual(["other", "own"])
      })
    )

    it.effect("retries a failed job with backoff, records the reason, and marks it dead after the last attempt", () =>
      Effect.gen(function* () {
        const { enqueue, job, runner } = yield* workshop(
          ({ attempt }) => new JobFailed({ reason: `try ${attempt}`, retry: true }),
          { backoff: { initial: 1000, max: 10_000 } }
        )
        const one = yield* enqueue({ maxAttempts: 3 })
        expect(yield* runner.drain).toBe(1)
        expect(yield* job(one)).toMatchObject({ state: "queued", attempts: 1, lastError: "try 1" })
        yield* TestClock.adjust("1 second")
        expect(yield* runner.drain).toBe(1)
        yield* TestClock.adjust("2 seconds")
        expect(yield* runner.drain).toBe(1)
        expect(yield* job(one)).toMatchObject({ state: "dead", attempts: 3, lastError: "try 3" })
        yield* TestClock.adjust("1 hour")
        expect(yield* runner.drain).toBe(0)
      })
    )

    it.effect("does not retry a permanent failure, and records only the class of a defect", () =>
      Effect.gen(function* () {
        const { enqueue, job, runner } = yield* workshop(({ payload }) =>
          payload === "defect"
            ? Effect.die(new TypeError("a secret"))
            : new JobFailed({ reason: "There is no such thing.", retry: false })
        )
        const hopeless = yield* enqueue()
        const broken = yield* enqueue({ payload: "defect" })
        yield* runner.drain
        expect(yield* job(hopeless)).toMatchObject({ state: "dead", attempts: 1, lastError: "There is no such thing." })
        expect(yield* job(broken)).toMatchObject({ state: "queued", lastError: "Unexpected: TypeError." })
      })
    )

    it.effect("records the failure of a job whose failing part interrupts the others", () =>
      Effect.gen(function* () {
        const failing = Effect.zipRight(turns(1), Effect.fail(new JobFailed({ reason: "One part.", retry: false })))
        const { enqueue, job, runner } = yield* workshop(() =>
          Effect.all([Effect.never, failing, Effect.never], { concurrency: "unbounded", discard: true })
        )
        const one = yield* enqueue()
        expect(yield* runner.drain).toBe(1)
        expect(yield* job(one)).toMatchObject({ state: "dead", lastError: "One part." })
      })
    )

    it.effect("extends the lease of a long job by heartbeats", () =>
      Effect.gen(function* () {
        const done = yield* Deferred.make<boolean>()
        const started: Array<number> = []
        const { enqueue, job, runner } = yield* workshop(
          ({ attempt }) => {
            started.push(attempt)
            return Effect.asVoid(Deferred.await(done))
          },
          { lease: "30 seconds" }
        )
        const other = yield* workshop(() => Effect.void)
        const one = yield* enqueue()
        const running = yield* Effect.fork(runner.run)
        yield* until(Effect.sync(() => started.length === 1))
        for (let i = 0; i < 10; i++) {
          yield* TestClock.adjust("10 seconds")
          const at = DateTime.toEpochMillis(yield* DateTime.now)
          yield* until(
            Effect.map(job(one), ({ dueAt }) => dueAt !== null && DateTime.toEpochMillis(dueAt) > at + 20_000)
          )
        }
        expect(yield* other.runner.drain).toBe(0)
        yield* Deferred.succeed(done, true)
        yield* until(Effect.map(job(one), ({ state }) => state === "succeeded"))
        expect(started).toEqual([1])
        yield* Fiber.interrupt(running)
      })
    )

    it.effect("interrupts a job whose lease was lost and leaves the outcome to the new owner", () =>
      Effect.gen(function* () {
        let stopped = false
        const { enqueue, job, kind, organizationId, runner } = yield* workshop(
          () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => void (stopped = true))),
          { lease: "30 seconds" }
        )
        const one = yield* enqueue()
        const running = yield* Effect.fork(runner.run)
        yield* until(Effect.map(job(one), ({ state }) => state === "running"))
        // As if this process had stood still for as long as the lease lasts.
        const store = yield* JobStore
        const work = yield* UnitOfWork
        const later = DateTime.toEpochMillis(yield* DateTime.now) + 60_000
        const [theirs] = yield* work.atomically(
          store.claim("another", { kind, quotas: [{ organizationId, limit: 1 }] }, { now: later, until: later * 2 })
        )
        yield* TestClock.adjust("10 seconds")
        yield* until(Effect.sync(() => stopped))
        expect(theirs?.attempt).toBe(2)
        expect(yield* job(one)).toMatchObject({ state: "running", attempts: 2 })
        yield* Fiber.interrupt(running)
        expect(yield* job(one)).toMatchObject({ state: "running", attempts: 2 })
      })
    )

    it.effect("interrupts its jobs before their leases expire when the leases cannot be extended", () =>
      Effect.gen(function* () {
        let isUnreachable = false
        const stopped = yield* Deferred.make<boolean>()
        const store = yield* JobStore
        const failing = JobStore.of({
          ...store,
          extend: (claims, lease) =>
            isUnreachable ? new StorageFailed({ operation: "extend", cause: "gone" }) : store.extend(claims, lease)
        })
        const { enqueue, job, runner } = yield* workshop(
          () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(stopped, true)),
          { lease: "8 seconds" }
        ).pipe(Effect.provideService(JobStore, failing))
        const one = yield* enqueue()
        const running = yield* Effect.fork(runner.run)
        yield* until(Effect.map(job(one), ({ state }) => state === "running"))
        isUnreachable = true
        let seconds = 0
        for (; !(yield* Deferred.isDone(stopped)) && seconds < 30; seconds++) {
          yield* TestClock.adjust("1 second")
          yield* turns()
        }
        // Before another process could claim it.
        expect(seconds).toBe(6)
        yield* Fiber.interrupt(running)
      })
    )

    it.effect("claims for organizations in turn, and beyond the concurrency only for those that run nothing", () =>
      Effect.gen(function* () {
        const done = yield* Deferred.make<boolean>()
        const started: Array<unknown> = []
        const { enqueue, kind, organizationId, runner } = yield* workshop(({ payload }) => {
          started.push(payload)
          return Effect.asVoid(Deferred.await(done))
        })
        const other = yield* Effect.flatMap(OrganizationStore, (organizations) =>
          organizations.insert({ name: "Other" }, DateTime.unsafeMake(0))
        )
        const store = yield* JobStore
        yield* Effect.forEach([1, 2, 3, 4, 5], (payload) => enqueue({ payload }))
        const running = yield* Effect.fork(runner.run)
        yield* until(Effect.sync(() => started.length === 3))
        yield* store.enqueueAll(
          [6, 7].map((payload) => JobKit.jobOf(other.id, kind, { payload })),
          0
        )
        yield* Effect.flatMap(JobSignal, (signal) => signal.notify)
        yield* until(Effect.sync(() => started.length === 4))
        yield* turns()
        expect(started).toEqual([1, 2, 3, 6])
        yield* Deferred.succeed(done, true)
        yield* until(Effect.sync(() => started.length === 7))
        expect(organizationId).not.toBe(other.id)
        yield* Fiber.interrupt(running)
      })
    )

    it.effect("runs the jobs of a batch together and records the outcome of each", () =>
      Effect.gen(function* () {
        const { enqueue, job, kind } = yield* workshop(() => Effect.void)
        const batches: Array<ReadonlyArray<unknown>> = []
        const runner = yield* makeJobRunner([
          {
            kind,
            concurrency: 8,
            batch: 3,
            runAll: (claims) =>
              Effect.sync(() => {
                batches.push(claims.map(({ payload }) => payload))
                return claims.map((claim) => ({
                  claim,
                  outcome:
                    claim.payload === "bad"
                      ? Either.left(new JobFailed({ reason: "Bad.", retry: false }))
                      : Either.right(undefined)
                }))
              })
          }
        ])
        const all = yield* Effect.forEach([1, "bad", 3, 4], (payload) => enqueue({ payload }))
        expect(yield* runner.drain).toBe(4)
        expect(batches).toEqual([[1, "bad", 3], [4]])
        const states = yield* Effect.forEach(all, (one) => Effect.map(job(one), ({ state }) => state))
        expect(states).toEqual(["succeeded", "dead", "succeeded", "succeeded"])
      })
    )

    it.effect("fails all jobs of a batch that ends with a defect, each with an attempt of its own", () =>
      Effect.gen(function* () {
        const { enqueue, job, kind } = yield* workshop(() => Effect.void)
        const runner = yield* makeJobRunner([
          { kind, concurrency: 8, batch: 8, runAll: () => Effect.die(new TypeError("a secret")) }
        ])
        const all = yield* Effect.forEach([1, 2], (payload) => enqueue({ payload }))
        expect(yield* runner.drain).toBe(2)
        for (const one of all)
          expect(yield* job(one)).toMatchObject({ state: "queued", attempts: 1, lastError: "Unexpected: TypeError." })
      })
    )

    it.effect("releases running jobs when it is stopped, without counting the attempt", () =>
      Effect.gen(function* () {
        const { enqueue, job, runner } = yield* workshop(() => Effect.never)
        const one = yield* enqueue({ maxAttempts: 1 })
        const running = yield* Effect.fork(runner.run)
        yield* until(Effect.map(job(one), ({ state }) => state === "running"))
        yield* Fiber.interrupt(running)
        expect(yield* job(one)).toMatchObject({ state: "queued", attempts: 0 })
      })
    )

    it.effect("releases running jobs when polling fails, and prunes old jobs when it succeeds", () =>
      Effect.gen(function* () {
        const store = yield* JobStore
        let looks = 0
        const failing = JobStore.of({
          ...store,
          waiting: (kind, turn, now) =>
            looks++ === 0 ? store.waiting(kind, turn, now) : new StorageFailed({ operation: "anyDue", cause: "gone" })
        })
        const { enqueue, job, kind, runner } = yield* workshop(({ payload }) =>
          payload === "short" ? Effect.void : Effect.never
        ).pipe(Effect.provideService(JobStore, failing))
        const [short, long] = [
          yield* enqueue({ payload: "short" }),
          yield* enqueue({ payload: "long", maxAttempts: 1 })
        ]
        expect(yield* Effect.flip(runner.drain)).toMatchObject({ _tag: "StorageFailed" })
        expect(yield* job(short)).toMatchObject({ state: "succeeded" })
        expect(yield* job(long)).toMatchObject({ state: "queued", attempts: 0 })

        yield* TestClock.adjust("8 days")
        const other = yield* makeJobRunner([{ kind, concurrency: 1, run: () => Effect.void }])
        expect(yield* other.drain).toBe(1)
        expect(yield* Effect.flip(job(short))).toMatchObject({ _tag: "NoSuchElementException" })
        expect(yield* job(long)).toMatchObject({ state: "succeeded", attempts: 1 })
      })
    )

    it.effect("drains jobs that are enqueued by a job that ends during the last poll", () =>
      Effect.gen(function* () {
        const store = yield* JobStore
        const signal = yield* JobSignal
        let looks = 0
        const looked = yield* Deferred.make<boolean>()
        const over = yield* Deferred.make<boolean>()
        const slow = JobStore.of({
          ...store,
          waiting: (kind, turn, now) =>
            Effect.gen(function* () {
              const found = yield* store.waiting(kind, turn, now)
              if (++looks !== 2) return found
              yield* Deferred.succeed(looked, true)
              yield* Deferred.await(over)
              // The fiber that ran it takes leave of the runner.
              for (let turns = 0; turns < 50; turns++) yield* Effect.yieldNow()
              return found
            }),
          succeed: (claim, now) => Effect.tap(store.succeed(claim, now), () => Deferred.succeed(over, true))
        })
        const then = yield* Deferred.make<Effect.Effect<unknown, StorageError>>()
        const { enqueue, runner } = yield* workshop(({ payload }) =>
          payload === "first"
            ? signal.notify.pipe(
                Effect.zipRight(Deferred.await(looked)),
                Effect.zipRight(Effect.flatten(Deferred.await(then))),
                Effect.asVoid
              )
            : Effect.void
        ).pipe(Effect.provideService(JobStore, slow))
        yield* Deferred.succeed(then, enqueue({ payload: "second" }))
        yield* enqueue({ payload: "first" })
        expect(yield* runner.drain).toBe(2)
      })
    )

    it.effect("keeps polling after a defect", () =>
      Effect.gen(function* () {
        const store = yield* JobStore
        let looks = 0
        const strange = JobStore.of({
          ...store,
          waiting: (kind, turn, now) =>
            looks++ === 0 ? Effect.die(new Error("strange")) : store.waiting(kind, turn, now)
        })
        const { enqueue, job, runner } = yield* workshop(() => Effect.void).pipe(
          Effect.provideService(JobStore, strange)
        )
        const one = yield* enqueue()
        const running = yield* Effect.fork(runner.run)
        yield* until(Effect.sync(() => looks > 0))
        yield* turns()
        yield* TestClock.adjust("500 millis")
        yield* until(Effect.map(job(one), ({ state }) => state === "succeeded"))
        yield* Fiber.interrupt(running)
      })
    )

    it.effect("starts jobs of this process at once and jobs of other processes at the next poll", () =>
      Effect.gen(function* () {
        const ran: Array<unknown> = []
        const { enqueue, runner } = yield* workshop(({ payload }) => Effect.sync(() => void ran.push(payload)))
        const running = yield* Effect.fork(runner.run)
        yield* turns()
        yield* enqueue({ payload: "here" })
        yield* Effect.flatMap(JobSignal, (signal) => signal.notify)
        yield* until(Effect.sync(() => ran.length === 1))
        yield* turns()
        yield* enqueue({ payload: "there" })
        yield* turns()
        expect(ran).toEqual(["here"])
        yield* TestClock.adjust("500 millis")
        yield* until(Effect.sync(() => ran.length === 2))
        yield* Fiber.interrupt(running)
      })
    )

    it.effect("repeats periodic tasks, and keeps running when one of them fails", () =>
      Effect.gen(function* () {
        let done = 0
        const runner = yield* makeJobRunner([], {}, [
          {
            failure: "It could not be done",
            every: "5 seconds",
            run: Effect.suspend(() =>
              ++done === 2 ? Effect.fail(new StorageBusy({ operation: "Chore", undone: false })) : Effect.void
            )
          }
        ])
        yield* runner.drain
        expect(done).toBe(1)
        const running = yield* Effect.fork(runner.run)
        for (const times of [2, 3, 4]) {
          yield* until(Effect.sync(() => done === times))
          yield* turns()
          expect(done).toBe(times)
          yield* TestClock.adjust("5 seconds")
        }
        yield* Fiber.interrupt(running)
      })
    )

    it.effect("never runs a job in two workers at the same time", () =>
      Effect.gen(function* () {
        const ran: Array<unknown> = []
        const { enqueue, kind, runner } = yield* workshop(({ payload }) =>
          Effect.zipRight(
            turns(1),
            Effect.sync(() => void ran.push(payload))
          )
        )
        const second = yield* makeJobRunner([
          { kind, concurrency: 2, run: ({ payload }) => Effect.sync(() => void ran.push(payload)) }
        ])
        const all = Array.from({ length: 40 }, (_, i) => i)
        yield* Effect.forEach(all, (payload) => enqueue({ payload }))
        const [one, two] = yield* Effect.all([runner.drain, second.drain], { concurrency: "unbounded" })
        expect(one + two).toBe(40)
        expect(ran.toSorted((a, b) => Number(a) - Number(b))).toEqual(all)
      })
    )
  })
}
