import { ApiKeys, BrowserSessions, Credentials, operations, type Operation, type OperationRule } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql/SqlClient"
import * as DateTime from "effect/DateTime"
import { Dialect } from "../../src/storage/sql/Dialect.js"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"

const allOperations = Object.keys(operations) as ReadonlyArray<Operation>
const ruleOf = (operation: Operation): OperationRule => operations[operation]

const signInWithKey = (secret: Redacted.Redacted) =>
  Effect.flatMap(BrowserSessions, (sessions) => sessions.signIn({ api_key: Redacted.value(secret) })).pipe(
    Effect.map(({ current, secret }) => ({ current, session: Redacted.value(secret) }))
  )

const admit = (operation: Operation, session: string) =>
  Effect.flatMap(Credentials, (credentials) => Effect.either(credentials.admit(operation, { session })))

const unauthenticated = { left: { _tag: "Unauthenticated" } }

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`browser sessions on ${database}`, (it) => {
    it.effect("are accepted by every operation that accepts API keys, and by no other", () =>
      Effect.gen(function* () {
        const { apiKey, organization } = yield* TestEngine.fixture
        const { session } = yield* signInWithKey(apiKey.secret)
        for (const operation of allOperations) {
          const rule = ruleOf(operation)
          const admitted = yield* admit(operation, session)
          if (rule.accepts.includes("api_key") && rule.additionalCredential === undefined) {
            expect(admitted, operation).toMatchObject({
              right: { credential: "api_key", organizationId: organization.id, bounds: null }
            })
          } else expect(admitted, operation).toMatchObject(unauthenticated)
        }
      })
    )

    it.effect("have the scopes and the user of their key", () =>
      Effect.gen(function* () {
        const { actor } = yield* TestEngine.fixture
        const keys = yield* ApiKeys
        const key = yield* keys.create({ name: "Reader", scopes: ["calls:read"] }).pipe(TestEngine.as(actor))
        const { current, session } = yield* signInWithKey(key.secret)
        expect(current.permissions).toEqual(["calls:read"])
        expect(yield* admit("calls.list", session)).toMatchObject({ right: { userId: key.key.createdBy } })
        expect(yield* admit("calls.delete", session)).toMatchObject({ left: { _tag: "Forbidden" } })
      })
    )

    it.effect("end when they are signed out, once and for all", () =>
      Effect.gen(function* () {
        const { apiKey } = yield* TestEngine.fixture
        const sessions = yield* BrowserSessions
        const [first, second] = [yield* signInWithKey(apiKey.secret), yield* signInWithKey(apiKey.secret)]
        yield* sessions.signOut(first.session)
        yield* sessions.signOut(first.session)
        yield* sessions.signOut("no session")
        expect(yield* admit("calls.list", first.session)).toMatchObject(unauthenticated)
        expect(yield* sessions.find(first.session)).toMatchObject({ _tag: "None" })
        expect(yield* admit("calls.list", second.session)).toMatchObject({ _tag: "Right" })
      })
    )

    it.effect("end at once when their key is revoked", () =>
      Effect.gen(function* () {
        const { actor } = yield* TestEngine.fixture
        const keys = yield* ApiKeys
        const key = yield* keys.create({ name: "Short" }).pipe(TestEngine.as(actor))
        const { session } = yield* signInWithKey(key.secret)
        expect(yield* admit("calls.list", session)).toMatchObject({ _tag: "Right" })
        yield* keys.revoke(key.key.id).pipe(TestEngine.as(actor))
        expect(yield* admit("calls.list", session)).toMatchObject(unauthenticated)
        expect(yield* Effect.flip(signInWithKey(key.secret))).toMatchObject({ _tag: "Unauthenticated" })
      })
    )

    it.effect("begin with a link once, of several attempts at the same time", () =>
      Effect.gen(function* () {
        const { actor } = yield* TestEngine.fixture
        const sessions = yield* BrowserSessions
        const { secret } = yield* sessions.createLink({ scopes: ["calls:read"] }).pipe(TestEngine.as(actor))
        const link = Redacted.value(secret)
        const attempts = yield* Effect.all(
          Array.from({ length: 8 }, () => Effect.either(sessions.signIn({ link }))),
          { concurrency: "unbounded" }
        )
        const started = attempts.flatMap((attempt) => (attempt._tag === "Right" ? [attempt.right] : []))
        expect(started).toHaveLength(1)
        expect(started[0]?.current.permissions).toEqual(["calls:read"])
        expect(attempts.filter(({ _tag }) => _tag === "Left")).toHaveLength(7)
        for (const attempt of attempts) {
          if (attempt._tag === "Left") expect(attempt.left).toMatchObject({ _tag: "Unauthenticated" })
        }
      })
    )

    it.effect("need exactly one valid credential", () =>
      Effect.gen(function* () {
        const { actor, apiKey } = yield* TestEngine.fixture
        const sessions = yield* BrowserSessions
        const { session } = yield* signInWithKey(apiKey.secret)
        const key = Redacted.value(apiKey.secret)
        const { secret } = yield* sessions.createLink({}).pipe(TestEngine.as(actor))
        const fails = (input: unknown) => Effect.flip(sessions.signIn(input))
        for (const input of [{}, null, { api_key: key, link: Redacted.value(secret) }, { api_key: 7 }, { link: "" }]) {
          expect(yield* fails(input), JSON.stringify(input)).toMatchObject({ _tag: "ValidationFailed" })
        }
        // A session begins no other session, so that it cannot be prolonged.
        for (const text of ["ear_wrong", session, Redacted.value(secret)]) {
          expect(yield* fails({ api_key: text })).toMatchObject({ _tag: "Unauthenticated" })
        }
        for (const text of ["earsignin_wrong", key, session]) {
          expect(yield* fails({ link: text })).toMatchObject({ _tag: "Unauthenticated" })
        }
      })
    )

    it.effect("give no permission that the creator of the link lacks", () =>
      Effect.gen(function* () {
        const { actor } = yield* TestEngine.fixture
        const sessions = yield* BrowserSessions
        const limited = { ...actor, permissions: new Set(["keys:manage", "calls:read"] as const) }
        const { secret } = yield* sessions.createLink({}).pipe(TestEngine.as(limited))
        const { current } = yield* sessions.signIn({ link: Redacted.value(secret) })
        expect([...current.permissions].sort()).toEqual(["calls:read", "keys:manage"])
        expect(
          yield* Effect.flip(sessions.createLink({ scopes: ["calls:write"] }).pipe(TestEngine.as(limited)))
        ).toMatchObject({ _tag: "ValidationFailed" })
      })
    )

    it.effect("last twelve hours, and links fifteen minutes", () =>
      Effect.gen(function* () {
        const { actor, apiKey } = yield* TestEngine.fixture
        const sessions = yield* BrowserSessions
        const { current, session } = yield* signInWithKey(apiKey.secret)
        const now = yield* DateTime.now
        expect(DateTime.toEpochMillis(current.expiresAt) - DateTime.toEpochMillis(now)).toBe(12 * 3_600_000)
        const late = yield* sessions.createLink({}).pipe(TestEngine.as(actor))
        const intime = yield* sessions.createLink({}).pipe(TestEngine.as(actor))
        yield* TestClock.adjust("899999 millis")
        expect((yield* sessions.signIn({ link: Redacted.value(intime.secret) })).current.organization).toBe(
          actor.organizationId
        )
        yield* TestClock.adjust("1 millis")
        expect(yield* Effect.flip(sessions.signIn({ link: Redacted.value(late.secret) }))).toMatchObject({
          _tag: "Unauthenticated"
        })
        yield* TestClock.adjust("11 hours")
        yield* TestClock.adjust("2699999 millis")
        expect(yield* admit("calls.list", session)).toMatchObject({ _tag: "Right" })
        yield* TestClock.adjust("1 millis")
        expect(yield* admit("calls.list", session)).toMatchObject(unauthenticated)
      })
    )

    it.effect("end with their key, and are deleted a day after they have expired", () =>
      Effect.gen(function* () {
        const { actor, apiKey } = yield* TestEngine.fixture
        const keys = yield* ApiKeys
        const sql = yield* SqlClient
        const { tables } = yield* Dialect
        const expires_at = DateTime.formatIso(DateTime.add(yield* DateTime.now, { hours: 1 }))
        const key = yield* keys.create({ name: "Hour", expires_at }).pipe(TestEngine.as(actor))
        const { current, session } = yield* signInWithKey(key.secret)
        expect(DateTime.formatIso(current.expiresAt)).toBe(expires_at)
        yield* TestClock.adjust("1 hours")
        expect(yield* admit("calls.list", session)).toMatchObject(unauthenticated)
        yield* TestClock.adjust("25 hours")
        yield* signInWithKey(apiKey.secret)
        expect(yield* sql`SELECT id FROM ${tables.browser_sessions} WHERE name = 'API key'`).toHaveLength(1)
      })
    )
  })
}
