import {
  Agents,
  ApiKeys,
  Credentials,
  type Engine,
  ShareableLinks,
  SigningKeys,
  Tokens,
  untrusted
} from "@earshot/core"
import { AccessKit, CatalogKit, TestEngine } from "@earshot/test-kit"
import { expect, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"

/** An engine of its own on the test's database, as another process would have it. */
const process = (ports: Engine.Ports = {}) => Layer.build(Layer.fresh(TestEngine.engine(ports)))

const rejected = { _tag: "Left" }
const admitted = { _tag: "Right" }

for (const database of TestEngine.databases) {
  layer(TestEngine.storage(database))(`two processes on ${database}`, (it) => {
    it.scoped("apply each other's revocations within five seconds, and their own at once", () =>
      Effect.gen(function* () {
        const here = yield* process()
        const there = yield* process()
        const { actor, agent, apiKey } = yield* Effect.provide(TestEngine.fixture, here)
        const bounds = [{ type: "agent", id: agent.id }]
        const as = TestEngine.as(actor)
        const { link, secret } = yield* Effect.flatMap(ShareableLinks, (links) =>
          links.create(untrusted({ bounds }))
        ).pipe(as, Effect.provide(here))
        const { jti, token } = yield* Effect.flatMap(Tokens, (tokens) => tokens.issue({ kind: "oauth2" })).pipe(
          as,
          Effect.provide(here)
        )
        const admissions = Effect.flatMap(Credentials, (credentials) =>
          Effect.forEach(
            [
              { apiKey: Redacted.value(apiKey.secret) },
              { shareableLink: Redacted.value(secret) },
              { bearer: Redacted.value(token) }
            ],
            (presented) => Effect.either(credentials.admit("dashboards.list", presented))
          )
        )
        // Another process accepts new credentials at once.
        expect(yield* Effect.provide(admissions, there)).toMatchObject([admitted, admitted, admitted])
        expect(yield* Effect.provide(admissions, here)).toMatchObject([admitted, admitted, admitted])
        yield* Effect.gen(function* () {
          yield* (yield* ApiKeys).revoke(apiKey.key.id)
          yield* (yield* ShareableLinks).revoke(link.id)
          yield* (yield* Tokens).revoke({ jti })
        }).pipe(as, Effect.provide(here))
        expect(yield* Effect.provide(admissions, here)).toMatchObject([rejected, rejected, rejected])
        yield* TestClock.adjust("4999 millis")
        expect(yield* Effect.provide(admissions, there)).toMatchObject([admitted, admitted, admitted])
        yield* TestClock.adjust("1 millis")
        expect(yield* Effect.provide(admissions, there)).toMatchObject([rejected, rejected, rejected])
      })
    )

    it.scoped("reject tokens of a signing key that the other discarded within five seconds", () =>
      Effect.gen(function* () {
        const here = yield* process()
        const there = yield* process()
        const { actor } = yield* Effect.provide(TestEngine.fixture, here)
        const issue = Effect.flatMap(Tokens, (tokens) => tokens.issue({ kind: "oauth2" })).pipe(TestEngine.as(actor))
        const { token } = yield* Effect.provide(issue, here)
        const authenticate = Effect.flatMap(Tokens, (tokens) => tokens.authenticate(Redacted.value(token), () => false))
        expect(yield* Effect.provide(authenticate, there)).toMatchObject({ _tag: "Some" })
        yield* Effect.provide(
          Effect.flatMap(SigningKeys, (keys) => keys.rotate({ discardOld: true })),
          here
        )
        expect(yield* Effect.provide(authenticate, here)).toMatchObject({ _tag: "None" })
        yield* TestClock.adjust("5 seconds")
        expect(yield* Effect.provide(authenticate, there)).toMatchObject({ _tag: "None" })
        // The other process signs new tokens with the new key.
        const { token: next } = yield* Effect.provide(issue, there)
        expect(
          yield* Effect.provide(
            Effect.flatMap(Tokens, (tokens) => tokens.authenticate(Redacted.value(next), () => false)),
            here
          )
        ).toMatchObject({ _tag: "Some" })
      })
    )

    it.scoped("may use a cached agent for five seconds, or never with a time to live of 0", () =>
      Effect.gen(function* () {
        const here = yield* process()
        const there = yield* process()
        const strict = yield* process({ cacheTtl: 0 })
        const { actor, agent, organization } = yield* Effect.provide(TestEngine.fixture, here)
        const permit = CatalogKit.permit(organization.id, "calls.ingest")
        const resolve = Effect.either(Effect.flatMap(Agents, (agents) => agents.resolve(permit, { agent: agent.id })))
        expect(yield* Effect.provide(resolve, there)).toMatchObject(admitted)
        expect(yield* Effect.provide(resolve, strict)).toMatchObject(admitted)
        yield* Effect.flatMap(Agents, (agents) => agents.delete(agent.id)).pipe(
          TestEngine.as(actor),
          Effect.provide(here)
        )
        expect(yield* Effect.provide(resolve, here)).toMatchObject(rejected)
        expect(yield* Effect.provide(resolve, strict)).toMatchObject(rejected)
        yield* TestClock.adjust("4999 millis")
        expect(yield* Effect.provide(resolve, there)).toMatchObject(admitted)
        yield* TestClock.adjust("1 millis")
        expect(yield* Effect.provide(resolve, there)).toMatchObject(rejected)
      })
    )
  })
}

it.scoped("a repeatable secret source makes the same secrets in every run", () =>
  Effect.gen(function* () {
    const secret = Effect.map(TestEngine.fixture, ({ apiKey }) => Redacted.value(apiKey.secret))
    const engine = TestEngine.layer("sqlite").pipe(Layer.provide(AccessKit.repeatableSecrets()))
    const [one, two] = yield* Effect.all([Effect.provide(secret, engine), Effect.provide(secret, Layer.fresh(engine))])
    expect(one).toBe(two)
    const other = TestEngine.layer("sqlite").pipe(Layer.provide(AccessKit.repeatableSecrets("another")))
    expect(yield* Effect.provide(secret, other)).not.toBe(one)
  })
)
