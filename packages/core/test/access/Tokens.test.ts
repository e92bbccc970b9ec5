import { type Actor, Credentials, SigningKeys, TokenKind, Tokens } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
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
      .issue({ kind, bounds: [{ type: "agent", id: agent.id }], ...more })
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

const authenticate = (token: string) => Effect.flatMap(Tokens, (tokens) => tokens.authenticate(token))

const refused = (token: string, what: string) =>
  Effect.map(authenticate(token), (answer) => expect(Option.isNone(answer), what).toBe(true))

const accepted = (token: string) =>
  Effect.map(authenticate(token), (answer) => expect(Option.isSome(answer)).toBe(true))

layer(TestEngine.layer("sqlite"))("a token", (it) => {
  it.effect("carries who may do what where, and is taken back as just that", () =>
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

  it.effect("is refused with another kind's typ, audience, or both, signed as it may be", () =>
    Effect.gen(function* () {
      for (const kind of TokenKind.literals) {
        const { claims, header, secret } = yield* issued(kind)
        yield* accepted(yield* sign(secret, header, claims))
        for (const other of [...TokenKind.literals.filter((one) => one !== kind), "other"]) {
          const typ = `earshot.${other}+jwt`
          yield* refused(yield* sign(secret, { ...header, typ }, claims), `${kind} with typ of ${other}`)
          yield* refused(
            yield* sign(secret, header, { ...claims, aud: `earshot:${other}` }),
            `${kind} with audience of ${other}`
          )
        }
      }
    })
  )

  it.effect("is refused without each single claim it needs, and with a wrong issuer", () =>
    Effect.gen(function* () {
      const { claims, header, secret } = yield* issued("oauth2")
      for (const claim of ["iss", "aud", "exp", "iat", "jti", "org", "permissions", "bounds", "user"]) {
        const { [claim]: _, ...rest } = claims
        yield* refused(yield* sign(secret, header, rest), `without ${claim}`)
      }
      yield* refused(yield* sign(secret, header, { ...claims, iss: "somebody" }), "of another issuer")
      for (const org of [0, -1, 1.5, "1", null, 2 ** 60]) {
        yield* refused(yield* sign(secret, header, { ...claims, org }), `of organisation ${String(org)}`)
      }
    })
  )

  it.effect("is refused unsigned, with another algorithm, another key or an unknown one", () =>
    Effect.gen(function* () {
      const { claims, header, parts, secret, token } = yield* issued("dashboard_session")
      const none = print({ ...header, alg: "none" })
      yield* refused(`${none}.${parts.body}.`, "alg none")
      yield* refused(`${none}.${parts.body}.${parts.signature}`, "alg none with a signature")
      yield* refused(`${parts.head}.${parts.body}.`, "no signature")
      yield* refused(`${parts.head}.${parts.body}`, "two parts")
      const long = new Uint8Array(64).fill(7)
      yield* refused(yield* sign(secret, { ...header, alg: "HS384" }, claims), "HS384")
      yield* refused(yield* sign(long, { ...header, alg: "HS512" }, claims), "HS512")
      yield* refused(yield* sign(long, header, claims), "another key")
      yield* refused(yield* sign(new Uint8Array(32), header, claims), "an empty key")
      yield* refused(yield* sign(secret, { ...header, kid: "nobody's" }, claims), "unknown kid")
      yield* refused(yield* sign(secret, { typ: header.typ }, claims), "no kid")
      yield* refused(yield* sign(secret, { kid: header.kid }, claims), "no typ")
      yield* refused(
        `${print({ ...header, jwk: {}, crit: ["b64"], b64: false })}.${parts.body}.${parts.signature}`,
        "crit"
      )
      yield* refused(`Bearer ${token}`, "a scheme")
      yield* refused(token.repeat(100), "too long")
      yield* accepted(token)
    })
  )

  it.effect("is refused when any one character of it is another", () =>
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
              // The last character's low bits are padding, which is no part of the signature.
              fc.pre(tampered !== token && at !== token.length - 1)
              const answer = await Effect.runPromise(Effect.provide(authenticate(tampered), runtime))
              expect(Option.isNone(answer)).toBe(true)
            }
          ),
          { numRuns: 200 }
        )
      )
    })
  )

  it.effect("is refused, and nothing worse, when it is any text at all", () =>
    Effect.gen(function* () {
      const runtime = yield* Effect.runtime<Tokens>()
      const part = fc.oneof(
        fc.string({ unit: "binary" }),
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

  it.effect("is good until the instant it expires, and issued in the future never", () =>
    Effect.gen(function* () {
      const { claims, header, secret, token } = yield* issued("oauth2", { ttl: 60 })
      yield* TestClock.setTime(claims.exp! * 1000 - 1)
      yield* accepted(token)
      yield* TestClock.setTime(claims.exp! * 1000)
      yield* refused(token, "at its end")

      const now = claims.exp!
      const at = (iat: number) => sign(secret, header, { ...claims, iat, exp: iat + 60 })
      yield* accepted(yield* at(now))
      // A clock of another process may be a little ahead.
      yield* accepted(yield* at(now + 5))
      yield* refused(yield* at(now + 6), "issued in the future")
    })
  )

  it.effect("does not outlive its kind's longest life, whatever it says", () =>
    Effect.gen(function* () {
      const { claims, header, secret } = yield* issued("agent_session")
      const forever = yield* sign(secret, header, { ...claims, exp: 4_000_000_000 })
      yield* accepted(forever)
      yield* TestClock.setTime(claims.iat! * 1000 + 906_000)
      yield* refused(forever, "older than a quarter of an hour")
    })
  )

  it.effect("loses what it no longer is allowed to mean, and keeps the rest", () =>
    Effect.gen(function* () {
      const { claims, header, secret } = yield* issued("oauth2")
      const token = yield* sign(secret, header, { ...claims, permissions: ["calls:read", "planets:move"] })
      expect(Option.getOrThrow(yield* authenticate(token)).permissions).toEqual(new Set(["calls:read"]))
    })
  )
})

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`tokens on ${database}`, (it) => {
    it.effect("are refused from the moment they are revoked, by their own organisation alone", () =>
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

    it.effect("forget a revocation once no such token can be in force any more", () =>
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

    it.effect("stay good when the signing key is replaced, until it is discarded", () =>
      Effect.gen(function* () {
        const keys = yield* SigningKeys
        const before = yield* issued("oauth2")
        yield* TestClock.adjust("1 minute")
        yield* keys.rotate()
        const after = yield* issued("oauth2")
        expect(after.header.kid).not.toBe(before.header.kid)
        yield* accepted(before.token)
        yield* accepted(after.token)
        yield* keys.rotate({ discardOld: true })
        yield* refused(before.token, "signed with a discarded key")
        yield* refused(after.token, "signed with a discarded key")
        yield* TestClock.adjust("1 minute")
        yield* accepted((yield* issued("oauth2")).token)
      })
    )

    it.effect("drop a replaced key once nothing it signed can be in force", () =>
      Effect.gen(function* () {
        const keys = yield* SigningKeys
        const old = yield* keys.current
        yield* TestClock.adjust("1 second")
        yield* keys.rotate()
        yield* TestClock.adjust("1 day")
        yield* keys.rotate()
        expect(Option.isSome(yield* keys.find(old.kid))).toBe(true)
        yield* TestClock.adjust("1 second")
        yield* keys.rotate()
        expect(Option.isNone(yield* keys.find(old.kid))).toBe(true)
      })
    )
  })
}
