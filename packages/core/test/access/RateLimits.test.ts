import { type Allowances, ApiKeys, Credentials, type Engine, type RateLimiter } from "@earshot/core"
import { PostgresRateLimits } from "@earshot/core/postgres"
import * as RateLimits from "@earshot/core/providers/RateLimits"
import { TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { afterEach, beforeEach, expect, layer, vi } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"

// The limiter reads the system's clock, since it counts real time.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: 1_800_000_000_000 }))
afterEach(() => void vi.useRealTimers())

const allowances: Allowances = { requests: { points: 3, seconds: 10 }, refusals: { points: 2, seconds: 60 } }

/** The key's admission to an operation it may call, from an address. */
const entrance = (from?: string) =>
  Effect.gen(function* () {
    const credentials = yield* Credentials
    const fixture = yield* TestEngine.fixture
    const admit = (apiKey: string) => Effect.either(credentials.admit("projects.list", { apiKey }, { from }))
    return { ...fixture, admit, key: Redacted.value(fixture.apiKey.secret), wrong: "ear_wrong" }
  })

const limited = { left: { _tag: "RateLimited" } }
const admitted = { _tag: "Right" }

const limiters: ReadonlyArray<
  readonly [string, TestEngine.DatabaseName, Layer.Layer<RateLimiter, never, Engine.Storage>]
> = [
  ["in memory", "sqlite", RateLimits.layerMemory(allowances)],
  ["in the database", "postgres", PostgresRateLimits.layer(allowances)]
]

for (const [where, database, rateLimiter] of limiters) {
  layer(TestEngine.layer(database, { rateLimiter }))(`rate limits counted ${where}`, (it) => {
    it.effect("admit a credential within its allowance, then report when to retry", () =>
      Effect.gen(function* () {
        const { actor, admit, key } = yield* entrance()
        for (const _ of [1, 2, 3]) expect(yield* admit(key)).toMatchObject(admitted)
        vi.setSystemTime(Date.now() + 3_500)
        expect(yield* admit(key)).toMatchObject({ left: { _tag: "RateLimited", retryAfterSeconds: 7 } })
        const keys = yield* ApiKeys
        const other = yield* keys.create({ name: "Other" }).pipe(TestEngine.as(actor))
        expect(yield* admit(Redacted.value(other.secret))).toMatchObject(admitted)
        vi.setSystemTime(Date.now() + 6_499)
        expect(yield* admit(key)).toMatchObject(limited)
        vi.setSystemTime(Date.now() + 2)
        expect(yield* admit(key)).toMatchObject(admitted)
      })
    )

    it.effect("limit an address that sent too many invalid credentials, but no valid credential from it", () =>
      Effect.gen(function* () {
        const { actor, admit, key, wrong } = yield* entrance("198.51.100.7")
        const elsewhere = yield* entrance("198.51.100.8")
        const keys = yield* ApiKeys
        expect(yield* admit(key)).toMatchObject(admitted)
        expect(yield* admit(wrong)).toMatchObject({ left: { _tag: "Unauthenticated" } })
        expect(yield* admit(wrong)).toMatchObject({ left: { _tag: "Unauthenticated" } })
        expect(yield* admit(wrong)).toMatchObject({ left: { _tag: "RateLimited", retryAfterSeconds: 60 } })
        for (let n = 0; n < 100; n++) expect(yield* admit(`${wrong}${n}`)).toMatchObject(limited)
        // A key that is cached, and one that is presented for the first time.
        expect(yield* admit(key)).toMatchObject(admitted)
        const other = yield* keys.create({ name: "Other" }).pipe(TestEngine.as(actor))
        const fiber = yield* Effect.fork(admit(Redacted.value(other.secret)))
        yield* TestClock.adjust("100 millis")
        expect(yield* Fiber.join(fiber)).toMatchObject(admitted)
        expect(yield* elsewhere.admit(elsewhere.key)).toMatchObject(admitted)
        expect(yield* elsewhere.admit(wrong)).toMatchObject({ left: { _tag: "Unauthenticated" } })
        yield* TestClock.adjust("60 seconds")
        expect(yield* admit(wrong)).toMatchObject({ left: { _tag: "Unauthenticated" } })
      })
    )

    it.effect("limit invalid keys with one prefix, whichever addresses send them", () =>
      Effect.gen(function* () {
        const [one, other] = [yield* entrance("198.51.100.9"), yield* entrance("198.51.100.10")]
        const guess = (n: number) => `ear_AbCdEfGh${n}`
        expect(yield* one.admit(guess(1))).toMatchObject({ left: { _tag: "Unauthenticated" } })
        expect(yield* other.admit(guess(2))).toMatchObject({ left: { _tag: "Unauthenticated" } })
        expect(yield* other.admit(guess(3))).toMatchObject(limited)
        expect(yield* other.admit("ear_HgFeDcBa")).toMatchObject(limited)
        expect(yield* one.admit("ear_HgFeDcBa")).toMatchObject({ left: { _tag: "Unauthenticated" } })
      })
    )
  })
}

layer(TestEngine.layer("postgres", { rateLimiter: PostgresRateLimits.layer(allowances) }))(
  "rate limits in the database",
  (it) => {
    it.effect("are shared by engines on one database", () =>
      Effect.gen(function* () {
        const { admit, apiKey, key } = yield* entrance()
        const sql = yield* SqlClient
        expect(yield* admit(key)).toMatchObject(admitted)
        yield* sql`UPDATE rate_limits SET points = 3 WHERE key = ${`requests:api_key:${apiKey.key.id}`}`
        expect(yield* admit(key)).toMatchObject(limited)
      })
    )
  }
)

layer(TestEngine.layer("sqlite"))("without a rate limiter", (it) => {
  it.effect("no request is limited", () =>
    Effect.gen(function* () {
      const { admit, key, wrong } = yield* entrance("198.51.100.7")
      for (let n = 0; n < 100; n++) {
        expect(yield* admit(wrong)).toMatchObject({ left: { _tag: "Unauthenticated" } })
        expect(yield* admit(key)).toMatchObject(admitted)
      }
    })
  )
})
