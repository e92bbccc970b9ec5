import { Engine, JobNotifications, JobSignal, jobSignal, JobStore, LeaseClock, OrganizationStore } from "@earshot/core"
import { PostgresStorage } from "@earshot/core/postgres"
import { JobKit } from "@earshot/test-kit"
import { createDatabase, postgresUrl } from "@earshot/test-kit/postgres"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import * as DateTime from "effect/DateTime"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"

const database = Layer.unwrapScoped(
  Effect.acquireRelease(
    Effect.promise(async () => createDatabase(await postgresUrl())),
    (fresh) => Effect.promise(() => fresh.drop())
  ).pipe(Effect.map((fresh) => PostgresStorage.layer({ url: Redacted.make(fresh.url) })))
)

const stores = Layer.mergeAll(Engine.stores, jobSignal).pipe(
  Layer.provideMerge(database),
  Layer.merge(Layer.succeed(LeaseClock, "database" as const))
)

const within = <A, E, R>(milliseconds: number, effect: Effect.Effect<A, E, R>) =>
  Effect.timeout(effect, Duration.millis(milliseconds))

layer(stores, { excludeTestServices: true })("Jobs on PostgreSQL", (it) => {
  it.effect("are claimed and leased by the server's clock, whatever the clocks of processes show", () =>
    Effect.gen(function* () {
      const { id } = yield* (yield* OrganizationStore).insert({ name: "Clocks" }, DateTime.unsafeMake(0))
      const store = yield* JobStore
      const kind = "clocks"
      const claim = (owner: string) =>
        Effect.flatMap(store.now, (now) =>
          store.claim(owner, { kind, quotas: [{ organizationId: id, limit: 10 }] }, { now, until: now + 8_000 })
        )
      // One process is far ahead of the server, the other far behind it.
      const ahead = Date.now() + 3_600_000
      yield* store.enqueue(JobKit.jobOf(id, kind), ahead)
      yield* store.enqueueAll([JobKit.jobOf(id, kind)], ahead)
      yield* store.enqueue(JobKit.jobOf(id, kind), 0)
      const claims = yield* claim("ahead")
      expect(claims).toHaveLength(3)
      expect(Math.abs((yield* store.now) - Date.now())).toBeLessThan(60_000)
      expect(yield* claim("behind")).toEqual([])
      expect(yield* store.validLeases(claims, yield* store.now)).toHaveLength(3)
    })
  )

  it.effect("wake the workers of other processes at once, also after the listening connection was lost", () =>
    Effect.scoped(
      Effect.gen(function* () {
        const sql = yield* SqlClient
        const { subscribe } = yield* JobNotifications
        const notify = Effect.flatMap(JobSignal, (signal) => signal.notify)
        let woken = 0
        yield* subscribe(() => {
          woken++
        })
        const wokenMoreThan = (before: number): Effect.Effect<void> =>
          Effect.suspend(() =>
            woken > before ? Effect.void : Effect.zipRight(Effect.sleep("5 millis"), wokenMoreThan(before))
          )
        yield* within(10_000, wokenMoreThan(0))
        const connected = woken
        yield* notify
        yield* within(5_000, wokenMoreThan(connected))
        const before = woken
        yield* sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'earshot jobs'`
        // It listens again, and what came meanwhile counts as a notification.
        yield* within(10_000, wokenMoreThan(before))
        const again = woken
        yield* notify
        yield* within(5_000, wokenMoreThan(again))
      })
    )
  )
})
