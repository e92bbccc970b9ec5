import { type Actor, Credentials, SigningKeys, TokenKind, Tokens, untrusted } from "@earshot/core"
import { codePoint, TestEngine } from "@earshot/test-kit"
import { SqlClient } from "@effect/sql/SqlClient"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import * as fc from "fast-check"
import { base64url, decodeProtectedHeader, type JWTPayload, SignJWT } from "jose"

/** A token with the claims it carries, and the key that signed it. */
const issued = (kind: string, more: object = {}) =>
  Effect.gen(function* () {
    const { actor, agent } = yield* TestEngine.fixture
    const tokens = yield* Tokens
    const made = yield* tokens
      .issue(untrusted({ kind, bounds: [{ type: "agent", id: agent.id }], ...more }))
      .pipe(TestEngine.as(actor))
    const token = Redacted.value(made.token)
    const [head = "", body = "", signature = ""] = token.split(".")
    const parse = (part: string) => JSON.parse(new TextDecoder().decode(base64url.decode(part))) as JWTPayload
    const key = yield* Effect.flatMap(SigningKeys, (keys) => keys.current)
    return {
      actor,
      made,
      token,
      parts: { head, body, signature },
      header: decodeProtectedHeader(token) as { alg: string; kid: string; typ: string },
      claims: parse(body),
      secret: base64url.decode(Redacted.value(key.secret))
    }
  })

const print = (value: object) => base64url.encode(JSON.stringify(value))

const sign = (secret: Uint8Array, header: object, claims: JWTPayload) =>
  Effect.promise(() => new SignJWT(claims).setProtectedHeader({ alg: "HS256", ...header }).sign(secret))

const authenticate = (token: string) => Effect.flatMap(Tokens, (tokens) => tokens.authenticate(token, () => false))

const expectRejected = (token: string, what: string) =>
  Effect.map(authenticate(token), (answer) => expect(Option.isNone(answer), what).toBe(true))

const expectAccepted = (token: string) =>
  Effect.map(authenticate(token), (answer) => expect(Option.isSome(answer)).toBe(true))

layer(TestEngine.layer("sqlite"))("a token", (it) => {
  it.effect("authenticates as the actor that its claims describe", () =>
    Effect.gen(function* () {
      for (const kind of TokenKind.literals) {
        const { actor, claims, header, made, token } = yield* issued(kind)
        const expected: Actor = {
          organizationId: actor.organizationId,
          userId: null,
          credential: kind,
          credentialId: `${kind}:${made.jti}`,
          jti: made.jti,
          permissions: new Set(made.permissions),
          bounds: made.bounds
        }
        expect(Option.getOrThrow(yield* authenticate(token))).toEqual(expected)
        expect(header).toEqual({ alg: "HS256", kid: header.kid, typ: `earshot.${kind}+jwt` })
        expect(claims).toMatchObject({ iss: "earshot", aud: `earshot:${kind}`, jti: made.jti })
      }
    })
  )

  it.effect("is rejected with the typ or audience of another kind, even with a valid signature", () =>
    Effect.gen(function* () {
      for (const kind of TokenKind.literals) {
        const { claims, header, secret } = yield* issued(kind)
        yield* expectAccepted(yield* sign(secret, header, claims))
        for (const other of [...TokenKind.literals.filter((one) => one !== kind), "other"]) {
          const typ = `earshot.${other}+jwt`
          yield* expectRejected(yield* sign(secret, { ...header, typ }, claims), `${kind} with typ of ${other}`)
          yield* expectRejected(
            yield* sign(secret, header, { ...claims, aud: `earshot:${other}` }),
            `${kind} with audience of ${other}`
          )
        }
      }
    })
  )

  it.effect("is rejected without any one of its required claims, and with another issuer", () =>
    Effect.gen(function* () {
      const { claims, header, secret } = yield* issued("oauth2")
      for (const claim of ["iss", "aud", "exp", "iat", "jti", "org", "permissions", "bounds", "user"]) {
        const { [claim]: _, ...rest } = claims
        yield* expectRejected(yield* sign(secret, header, rest), `without ${claim}`)
      }
      yield* expectRejected(yield* sign(secret, header, { ...claims, iss: "somebody" }), "of another issuer")
      for (const org of [0, -1, 1.5, "1", null, 2 ** 60]) {
        yield* expectRejected(yield* sign(secret, header, { ...claims, org }), `of organization ${String(org)}`)
      }
    })
  )

  it.effect("is rejected unsigned, with another algorithm, another key or an unknown key", () =>
    Effect.gen(function* () {
      const { claims, header, parts, secret, token } = yield* issued("dashboard_session")
      const none = print({ ...header, alg: "none" })
      yield* expectRejected(`${none}.${parts.body}.`, "alg none")
      yield* expectRejected(`${none}.${parts.body}.${parts.signature}`, "alg none with a signature")
      yield* expectRejected(`${parts.head}.${parts.body}.`, "no signature")
      yield* expectRejected(`${parts.head}.${parts.body}`, "two parts")
      const long = new Uint8Array(64).fill(7)
      yield* expectRejected(yield* sign(secret, { ...header, alg: "HS384" }, claims), "HS384")
      yield* expectRejected(yield* sign(long, { ...header, alg: "HS512" }, claims), "HS512")
      yield* expectRejected(yield* sign(long, header, claims), "another key")
      yield* expectRejected(yield* sign(new Uint8Array(32), header, claims), "an empty key")
      yield* expectRejected(yield* sign(secret, { ...header, kid: "nobody's" }, claims), "unknown kid")
      yield* expectRejected(yield* sign(secret, { typ: header.typ }, claims), "no kid")
      yield* expectRejected(yield* sign(secret, { kid: header.kid }, claims), "no typ")
      yield* expectRejected(
        `${print({ ...header, jwk: {}, crit: ["b64"], b64: false })}.${parts.body}.${parts.signature}`,
        "crit"
      )
      yield* expectRejected(`Bearer ${token}`, "a scheme")
      yield* expectRejected(token.repeat(100), "too long")
      yield* expectAccepted(token)
    })
  )

  it.effect("is rejected with any one character changed", () =>
    Effect.gen(function* () {
      const { token } = yield* issued("embedded_session")
      const runtime = yield* Effect.runtime<Tokens>()
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(
            fc.nat({ max: token.length - 1 }),
            fc.constantFrom(..."ABCxyz019-_.=\0é"),
            async (at, character) => {
              const tampered = token.slice(0, at) + character + token.slice(at + 1)
              fc.pre(tampered !== token)
              const answer = await Effect.runPromise(Effect.provide(authenticate(tampered), runtime))
              expect(Option.isNone(answer)).toBe(true)
            }
          ),
          { numRuns: 200 }
        )
      )
      // The last character has two bits that are no part of the signature: four texts decode to the same bytes.
      for (const end of "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") {
        const respelled = token.slice(0, -1) + end
        expect(Option.isSome(yield* authenticate(respelled))).toBe(respelled === token)
      }
    })
  )

  it.effect("is rejected without a defect for any other text", () =>
    Effect.gen(function* () {
      const runtime = yield* Effect.runtime<Tokens>()
      const part = fc.oneof(
        fc.string({ unit: codePoint }),
        fc.json().map((json) => base64url.encode(json)),
        fc.constant(print({ alg: "HS256", kid: "x", typ: "earshot.oauth2+jwt" }))
      )
      yield* Effect.promise(() =>
        fc.assert(
          fc.asyncProperty(fc.array(part, { maxLength: 5 }), async (parts) => {
            const answer = await Effect.runPromise(Effect.provide(authenticate(parts.join(".")), runtime))
            expect(Option.isNone(answer)).toBe(true)
          }),
          { numRuns: 300 }
        )
      )
    })
  )

  it.effect("is valid until the instant of its expiry, and invalid if issued in the future", () =>
    Effect.gen(function* () {
      const { claims, header, secret, token } = yield* issued("oauth2", { ttl: 60 })
      yield* TestClock.setTime(claims.exp! * 1000 - 1)
      yield* expectAccepted(token)
      yield* TestClock.setTime(claims.exp! * 1000)
      yield* expectRejected(token, "at its end")

      const now = claims.exp!
      const at = (iat: number) => sign(secret, header, { ...claims, iat, exp: iat + 60 })
      yield* expectAccepted(yield* at(now))
      // A clock of another process may be a little ahead.
      yield* expectAccepted(yield* at(now + 5))
      yield* expectRejected(yield* at(now + 6), "issued in the future")
    })
  )

  it.effect("is rejected after the longest lifetime of its kind, whatever its exp", () =>
    Effect.gen(function* () {
      const { claims, header, secret } = yield* issued("agent_session")
      const forever = yield* sign(secret, header, { ...claims, exp: 4_000_000_000 })
      yield* expectAccepted(forever)
      yield* TestClock.setTime(claims.iat! * 1000 + 906_000)
      yield* expectRejected(forever, "older than a quarter of an hour")
    })
  )

  it.effect("ignores unknown permissions in its claims", () =>
    Effect.gen(function* () {
      const { claims, header, secret } = yield* issued("oauth2")
      const token = yield* sign(secret, header, { ...claims, permissions: ["calls:read", "planets:move"] })
      expect(Option.getOrThrow(yield* authenticate(token)).permissions).toEqual(new Set(["calls:read"]))
    })
  )
})

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`tokens on ${database}`, (it) => {
    it.effect("are rejected once their own organization has revoked them", () =>
      Effect.gen(function* () {
        const tokens = yield* Tokens
        const credentials = yield* Credentials
        const { actor, made, token } = yield* issued("dashboard_session")
        const other = yield* TestEngine.fixture
        const admit = Effect.either(credentials.admit("dashboards.list", { bearer: token }))
        expect(yield* admit).toMatchObject({ _tag: "Right" })
        yield* tokens.revoke({ jti: made.jti }).pipe(TestEngine.as(other.actor))
        expect(yield* admit).toMatchObject({ _tag: "Right" })
        yield* tokens.revoke({ jti: made.jti }).pipe(TestEngine.as(actor))
        yield* tokens.revoke({ jti: made.jti }).pipe(TestEngine.as(actor))
        expect(yield* admit).toMatchObject({ left: { _tag: "Unauthenticated", reason: "Invalid credentials." } })
        expect(yield* Effect.flip(tokens.revoke({ jti: "\0" }).pipe(TestEngine.as(actor)))).toMatchObject({
          errors: { jti: ["Null characters are not allowed."] }
        })
      })
    )

    it.effect("delete a revocation once no such token can be valid", () =>
      Effect.gen(function* () {
        const tokens = yield* Tokens
        const sql = yield* SqlClient
        const { actor } = yield* TestEngine.fixture
        const revoke = (jti: string) => tokens.revoke({ jti }).pipe(TestEngine.as(actor))
        yield* revoke("first")
        yield* TestClock.adjust("1 day")
        yield* revoke("second")
        expect(yield* sql`SELECT jti FROM revoked_tokens WHERE organization_id = ${actor.organizationId}`).toEqual([
          { jti: "second" }
        ])
      })
    )

    it.effect("stay valid when the signing key is replaced, until it is discarded", () =>
      Effect.gen(function* () {
        const keys = yield* SigningKeys
        const before = yield* issued("oauth2")
        yield* TestClock.adjust("1 minute")
        yield* keys.rotate()
        const after = yield* issued("oauth2")
        expect(after.header.kid).not.toBe(before.header.kid)
        yield* expectAccepted(before.token)
        yield* expectAccepted(after.token)
        yield* keys.rotate({ discardOld: true })
        yield* expectRejected(before.token, "signed with a discarded key")
        yield* expectRejected(after.token, "signed with a discarded key")
        yield* TestClock.adjust("1 minute")
        yield* expectAccepted((yield* issued("oauth2")).token)
      })
    )

    it.effect("delete a replaced signing key once no token signed with it can be valid", () =>
      Effect.gen(function* () {
        const keys = yield* SigningKeys
        const old = yield* keys.current
        yield* TestClock.adjust("1 second")
        yield* keys.rotate()
        yield* TestClock.adjust("1 day")
        yield* keys.rotate()
        expect(Option.isSome(yield* keys.find(old.kid, () => false))).toBe(true)
        yield* TestClock.adjust("1 second")
        yield* keys.rotate()
        expect(Option.isNone(yield* keys.find(old.kid, () => false))).toBe(true)
      })
    )
  })
}
