import { type Claim, JobStore, type NewJob, type OrganizationId, OrganizationStore } from "@earshot/core"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as fc from "fast-check"
import { permit } from "../catalog/Permits.js"
import { at } from "../storage/Moments.js"

const LEASE = 1000

let kinds = 0

/** An organization, and a job kind that no other test uses. */
const room = Effect.gen(function* () {
  const { id } = yield* (yield* OrganizationStore).insert({ name: "Contract" }, at(0))
  const store = yield* JobStore
  const kind = `contract ${kinds++}`
  const claim = (now: number, { limit = 100, owner = "one" } = {}) =>
    store.claim(owner, { kind, quotas: [{ organizationId: id, limit }] }, { now, until: now + LEASE })
  const enqueue = (job: Partial<NewJob> = {}, now = 0) =>
    store.enqueue({ organizationId: id, kind, payload: null, ...job }, now)
  const isDue = (now: number) =>
    Effect.map(store.waiting(kind, { after: 0, limit: 1 }, now), (waiting) => waiting.length > 0)
  const isLeaseValid = (claimed: Claim, now: number) =>
    Effect.map(store.validLeases([claimed], now), (valid) => valid.length > 0)
  const succeed = (claimed: Claim, now: number) => Effect.map(store.succeed([claimed], now), (done) => done.length > 0)
  return { isDue, isLeaseValid, succeed, id, store, kind, claim, enqueue, manage: permit(id, "jobs.list") }
})

const idsOf = (claims: ReadonlyArray<Claim>) => claims.map(({ id }) => id)
const only = (claims: ReadonlyArray<Claim>): Effect.Effect<Claim> =>
  claims[0] === undefined || claims.length > 1
    ? Effect.dieMessage(`Expected one claim, not ${claims.length}`)
    : Effect.succeed(claims[0])

/** Registers the contract tests of `JobStore`; the database may be empty or in use. */
export const jobStoreContract = <E>(subject: string, stores: Layer.Layer<JobStore | OrganizationStore, E>): void => {
  layer(stores)(`jobs kept by ${subject}`, (it) => {
    it.effect("are claimed with what they were enqueued with, once they are due", () =>
      Effect.gen(function* () {
        const { claim, enqueue, id: organizationId, isDue, kind, manage, store } = yield* room
        const payload = { call: 5, text: 'a "quoted" ☎', list: [1, null, true] }
        const { created, id } = yield* enqueue({ payload, key: `${kind} a`, notBefore: 50, maxAttempts: 3 }, 10)
        expect(created).toBe(true)
        expect(yield* isDue(49)).toBe(false)
        expect(yield* claim(49)).toEqual([])
        expect(yield* isDue(50)).toBe(true)
        expect(yield* claim(50)).toEqual([
          { id, organizationId, kind, key: `${kind} a`, payload, attempt: 1, maxAttempts: 3, owner: "one" }
        ])
        expect(Option.getOrThrow(yield* store.find(manage, id))).toMatchObject({ state: "running", attempts: 1 })
      })
    )

    it.effect("are created once per kind and key, finished or not", () =>
      Effect.gen(function* () {
        const { claim, enqueue, id: organizationId, kind, store, succeed } = yield* room
        const first = yield* enqueue({ key: "same" })
        expect(yield* enqueue({ key: "same" })).toEqual({ id: first.id, created: false })
        const held = yield* only(yield* claim(0))
        expect(yield* succeed(held, 1)).toBe(true)
        expect(yield* enqueue({ key: "same" })).toEqual({ id: first.id, created: false })
        yield* store.enqueueAll(
          ["same", "other", null, null].map((key) => ({ organizationId, kind, payload: null, key })),
          2
        )
        expect((yield* claim(2)).map(({ key }) => key)).toEqual(["other", null, null])
      })
    )

    it.effect("are not claimed again while the lease is valid, and can be once it has expired", () =>
      Effect.gen(function* () {
        const { claim, enqueue, isLeaseValid, store, succeed } = yield* room
        yield* enqueue()
        const first = yield* only(yield* claim(0))
        expect(yield* claim(LEASE - 1, { owner: "two" })).toEqual([])
        expect(yield* isLeaseValid(first, LEASE - 1)).toBe(true)
        expect(yield* store.extend([first], { now: LEASE - 1, until: 3 * LEASE })).toEqual([first.id])
        expect(yield* claim(2 * LEASE, { owner: "two" })).toEqual([])
        expect(yield* isLeaseValid(first, 3 * LEASE)).toBe(false)
        const second = yield* only(yield* claim(3 * LEASE, { owner: "two" }))
        expect(second).toMatchObject({ id: first.id, attempt: 2, owner: "two" })
        // The first owner has lost the claim for every operation.
        expect(yield* isLeaseValid(first, 3 * LEASE)).toBe(false)
        expect(yield* store.extend([first, second], { now: 3 * LEASE, until: 5 * LEASE })).toEqual([second.id])
        expect(yield* succeed(first, 3 * LEASE)).toBe(false)
        expect(yield* store.fail(first, { reason: "late", retryAt: null }, 3 * LEASE)).toBe(false)
        yield* store.release([first], 3 * LEASE)
        expect(yield* isLeaseValid(second, 3 * LEASE)).toBe(true)
      })
    )

    it.effect("distinguish two claims of one process", () =>
      Effect.gen(function* () {
        const { claim, enqueue, succeed } = yield* room
        yield* enqueue()
        const first = yield* only(yield* claim(0))
        const second = yield* only(yield* claim(LEASE))
        expect(yield* succeed(first, LEASE)).toBe(false)
        expect(yield* succeed(second, LEASE)).toBe(true)
        expect(yield* claim(9 * LEASE)).toEqual([])
      })
    )

    it.effect("are retried after a failure at the given time, and never once they are dead", () =>
      Effect.gen(function* () {
        const { claim, enqueue, id: organization, kind, manage, store } = yield* room
        const { id } = yield* enqueue()
        const first = yield* only(yield* claim(0))
        expect(yield* store.fail(first, { reason: "busy", retryAt: 500 }, 10)).toBe(true)
        expect(yield* claim(499)).toEqual([])
        expect(Option.getOrThrow(yield* store.find(manage, id))).toMatchObject({ state: "queued", lastError: "busy" })
        const second = yield* only(yield* claim(500))
        expect(second.attempt).toBe(2)
        expect(yield* store.fail(second, { reason: "no\0 use \ud800", retryAt: null }, 501)).toBe(true)
        expect(yield* claim(99 * LEASE)).toEqual([])
        const dead = Option.getOrThrow(yield* store.find(manage, id))
        expect(dead).toMatchObject({ state: "dead", attempts: 2, lastError: "no use \ufffd", dueAt: null })
        const page = { cursor: { at: "start" as const }, limit: 5 }
        expect((yield* store.list(manage, { state: "dead", kind }, page)).rows).toEqual([dead])
        expect((yield* store.list(manage, { state: "queued", kind }, page)).rows).toEqual([])

        expect(yield* store.requeue(permit(organization, "jobs.retry"), id, 600)).toBe(true)
        expect(yield* store.requeue(permit(organization, "jobs.retry"), id, 600)).toBe(false)
        expect(yield* only(yield* claim(600))).toMatchObject({ id, attempt: 1 })
      })
    )

    it.effect("are marked dead if the lease of the last attempt expires", () =>
      Effect.gen(function* () {
        const { claim, enqueue, kind, manage, store } = yield* room
        const { id } = yield* enqueue({ maxAttempts: 2 })
        yield* claim(0)
        expect(yield* store.markExhaustedDead([kind], LEASE)).toBe(0)
        yield* claim(LEASE)
        expect(yield* store.markExhaustedDead([kind], 2 * LEASE - 1)).toBe(0)
        expect(yield* claim(2 * LEASE)).toEqual([])
        expect(yield* store.markExhaustedDead([kind], 2 * LEASE)).toBe(1)
        expect(Option.getOrThrow(yield* store.find(manage, id))).toMatchObject({ state: "dead", attempts: 2 })
      })
    )

    it.effect("are released by a process that stops, without counting the attempt", () =>
      Effect.gen(function* () {
        const { claim, enqueue, store } = yield* room
        yield* enqueue({ maxAttempts: 1 })
        const first = yield* only(yield* claim(0))
        yield* store.release([first], 1)
        expect(yield* only(yield* claim(1))).toMatchObject({ id: first.id, attempt: 1 })
      })
    )

    it.effect("run one at a time per ordering key, in the order of their ids, skipping dead ones", () =>
      Effect.gen(function* () {
        const { claim, enqueue, store, succeed } = yield* room
        const a1 = yield* enqueue({ orderingKey: "a" })
        const b1 = yield* enqueue({ orderingKey: "b" })
        const a2 = yield* enqueue({ orderingKey: "a" })
        const a3 = yield* enqueue({ orderingKey: "a" })
        const free = yield* enqueue()
        const first = yield* claim(0)
        expect(idsOf(first)).toEqual([a1.id, b1.id, free.id])
        const held = first[0] ?? (yield* Effect.dieMessage("Nothing was claimed"))
        yield* store.fail(held, { reason: "later", retryAt: 100 }, 1)
        expect(yield* claim(50)).toEqual([])
        const again = yield* only(yield* claim(100))
        expect(again.id).toBe(a1.id)
        yield* store.fail(again, { reason: "never", retryAt: null }, 101)
        const second = yield* only(yield* claim(101))
        expect(second.id).toBe(a2.id)
        yield* succeed(second, 102)
        expect(idsOf(yield* claim(102))).toEqual([a3.id])
      })
    )

    it.effect("do not exist for other organizations", () =>
      Effect.gen(function* () {
        const mine = yield* room
        const theirs = yield* room
        const { id } = yield* mine.enqueue()
        expect(yield* theirs.store.find(theirs.manage, id)).toEqual(Option.none())
        const of = { state: undefined, kind: undefined }
        expect((yield* theirs.store.list(theirs.manage, of, { cursor: { at: "start" }, limit: 5 })).rows).toEqual([])
        expect(yield* theirs.store.requeue(permit(theirs.id, "jobs.retry"), id, 0)).toBe(false)
      })
    )

    it.effect("are pruned once their retention has passed, and not before", () =>
      Effect.gen(function* () {
        const { claim, enqueue, manage, store, succeed } = yield* room
        const done = yield* enqueue({}, -20_000)
        const dead = yield* enqueue({}, -20_000)
        const [one, two] = yield* claim(-10_000, { limit: 2 })
        if (one === undefined || two === undefined) return yield* Effect.dieMessage("Nothing was claimed")
        yield* succeed(one, -10_000)
        yield* store.fail(two, { reason: "no", retryAt: null }, -10_000)
        const waiting = yield* enqueue({}, -20_000)
        yield* store.prune({ succeeded: -10_000, dead: -10_000, limit: 10 })
        expect(Option.isSome(yield* store.find(manage, done.id))).toBe(true)
        expect(yield* store.prune({ succeeded: -9_999, dead: -10_000, limit: 10 })).toBe(1)
        expect(Option.isSome(yield* store.find(manage, done.id))).toBe(false)
        expect(yield* store.prune({ succeeded: -9_999, dead: -9_999, limit: 10 })).toBe(1)
        expect(Option.isSome(yield* store.find(manage, dead.id))).toBe(false)
        expect(Option.isSome(yield* store.find(manage, waiting.id))).toBe(true)
        return undefined
      })
    )

    it.effect("name the organizations that wait, in turn from any of them", () =>
      Effect.gen(function* () {
        const { enqueue, id: first, kind, store } = yield* room
        const others = [yield* room, yield* room]
        const [second, third] = others.map(({ id }) => id)
        if (second === undefined || third === undefined) return yield* Effect.dieMessage("There is no organization")
        yield* enqueue()
        yield* enqueue()
        yield* store.enqueueAll(
          [jobOf(second, kind, { notBefore: 50 }), jobOf(third, kind), jobOf(third, kind, { notBefore: 50 })],
          0
        )
        const waiting = (after: number, limit: number, now: number) => store.waiting(kind, { after, limit }, now)
        expect(yield* waiting(0, 10, 0)).toEqual([first, third])
        expect(yield* waiting(first, 10, 0)).toEqual([third, first])
        expect(yield* waiting(second, 10, 50)).toEqual([third, first, second])
        expect(yield* waiting(second, 2, 50)).toEqual([third, first])
        expect(yield* waiting(third, 1, 50)).toEqual([first])
        expect(yield* store.waiting(`${kind} of none`, { after: 0, limit: 10 }, 50)).toEqual([])
        const quotas = [
          { organizationId: first, limit: 1 },
          { organizationId: third, limit: 5 }
        ]
        const claimed = yield* store.claim("one", { kind, quotas }, { now: 0, until: LEASE })
        expect(claimed.map(({ organizationId }) => organizationId)).toEqual([first, third])
        return undefined
      })
    )

    it.effect("name the kinds with jobs that are not finished, due or not", () =>
      Effect.gen(function* () {
        const { claim, enqueue, kind, store, succeed } = yield* room
        const none = `${kind} of none`
        expect(yield* store.unfinished([none, kind])).toEqual([])
        yield* enqueue({ notBefore: 50 })
        expect(yield* store.unfinished([none, kind])).toEqual([kind])
        expect(yield* store.unfinished([none])).toEqual([])
        const claimed = yield* only(yield* claim(50))
        expect(yield* store.unfinished([kind])).toEqual([kind])
        expect(yield* succeed(claimed, 60)).toBe(true)
        expect(yield* store.unfinished([kind])).toEqual([])
      })
    )

    it.effect("are handed over to another kind with their id, and begin their attempts again", () =>
      Effect.gen(function* () {
        const { claim, enqueue, id: organizationId, kind, store } = yield* room
        const { id } = yield* enqueue({ payload: "same", maxAttempts: 2 })
        const first = yield* only(yield* claim(0))
        expect(yield* store.handOver([{ ...first, attempt: 2 }], `${kind} slow`, 1)).toEqual([])
        expect(yield* store.handOver([first], `${kind} slow`, 1)).toEqual([id])
        expect(yield* claim(9 * LEASE)).toEqual([])
        const slow = { kind: `${kind} slow`, quotas: [{ organizationId, limit: 5 }] }
        expect(yield* store.claim("two", slow, { now: 1, until: 2 })).toMatchObject([
          { id, payload: "same", attempt: 1, maxAttempts: 2 }
        ])
      })
    )

    it.effect("are counted by kind and state, with the age of the oldest", () =>
      Effect.gen(function* () {
        const { claim, enqueue, kind, store } = yield* room
        const ofKind = (now: number) =>
          Effect.map(store.counts(now), (counts) => counts.filter((one) => one.kind === kind))
        expect(yield* ofKind(0)).toEqual([])
        yield* Effect.forEach([0, 0, 0, 0, 500], (notBefore) => enqueue({ notBefore }))
        const [one, two] = yield* claim(0, { limit: 3 })
        if (one === undefined || two === undefined) return yield* Effect.dieMessage("Nothing was claimed")
        yield* store.succeed([one], 1)
        yield* store.fail(two, { reason: "no", retryAt: null }, 1)
        expect(yield* ofKind(2_500)).toEqual([{ kind, waiting: 2, running: 1, dead: 1, oldestWaitingSeconds: 2.5 }])
        yield* claim(0)
        expect(yield* ofKind(100)).toEqual([{ kind, waiting: 1, running: 2, dead: 1, oldestWaitingSeconds: 0 }])
        return undefined
      })
    )

    it.effect.prop(
      "are claimed once each by concurrent workers, longest due first",
      [fc.integer({ min: 0, max: 30 }), fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 6 })],
      ([count, limits]) =>
        Effect.gen(function* () {
          const { claim, enqueue } = yield* room
          const all = yield* Effect.forEach(
            Array.from({ length: count }, (_, i) => i),
            (i) => enqueue({ notBefore: count - i })
          )
          const claimed = yield* Effect.forEach(limits, (limit, i) => claim(1000, { limit, owner: String(i) }), {
            concurrency: "unbounded"
          })
          const given = claimed.flatMap(idsOf)
          expect(new Set(given).size).toBe(given.length)
          claimed.forEach((claims, i) => expect(claims.length).toBeLessThanOrEqual(limits[i] ?? 0))
          const rest = idsOf(yield* claim(1000, { owner: "rest" }))
          expect([...given, ...rest].sort((a, b) => a - b)).toEqual(all.map(({ id }) => id))
        }),
      { fastCheck: { numRuns: 15 } }
    )
  })
}

/** For tests that enqueue jobs for an organization of their own. */
export const jobOf = (organizationId: OrganizationId, kind: string, more: Partial<NewJob> = {}): NewJob => ({
  organizationId,
  kind,
  payload: null,
  ...more
})
