/**
 * The tokens' outer form: JSON Web Tokens signed with HMAC-SHA-256 (RFC 7519, RFC 8725). The kind is in
 * the header's `typ` and in the audience, both of which are checked, so that no kind is accepted as another.
 */
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createHmac, timingSafeEqual } from "node:crypto"
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose"
import type { SigningKey } from "./SigningKey.js"
import { LIFETIMES, TokenClaims, TokenKind } from "./Token.js"

const ALGORITHM = "HS256"
const ISSUER = "earshot"

/** How far the clocks of processes that share a database may differ, for tokens issued just now. */
const CLOCK_TOLERANCE_SECONDS = 5

/** Issued tokens are much shorter; longer ones are rejected without parsing. */
const MAX_TOKEN_LENGTH = 16_384

const typOf = (kind: TokenKind): string => `earshot.${kind}+jwt`
const audienceOf = (kind: TokenKind): string => `earshot:${kind}`

const keyBytes = (key: SigningKey): Uint8Array =>
  Either.getOrElse(Encoding.decodeBase64Url(Redacted.value(key.secret)), () => new Uint8Array())

/** Signs a token: issued at `iat`, invalid from `exp` on, both in epoch seconds. */
export const signToken = (
  key: SigningKey,
  kind: TokenKind,
  claims: TokenClaims,
  iat: number
): Effect.Effect<Redacted.Redacted> =>
  Effect.promise(() =>
    new SignJWT({ org: claims.org, user: claims.user, permissions: claims.permissions, bounds: claims.bounds })
      .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, typ: typOf(kind) })
      .setIssuer(ISSUER)
      .setAudience(audienceOf(kind))
      .setJti(claims.jti)
      .setIssuedAt(iat)
      .setExpirationTime(claims.exp)
      .sign(keyBytes(key))
  ).pipe(Effect.map((token) => Redacted.make(token)))

const Header = Schema.Struct({ kid: Schema.String, typ: Schema.String })
const decodeHeader = Schema.decodeUnknownOption(Header)
const decodeClaims = Schema.decodeUnknownOption(TokenClaims)

/** The header of an unverified token: which key and which kind to verify it as. */
export const readHeader = (token: string): Option.Option<{ readonly kid: string; readonly kind: TokenKind }> =>
  token.length > MAX_TOKEN_LENGTH
    ? Option.none()
    : Option.liftThrowable(decodeProtectedHeader)(token).pipe(
        Option.flatMap(decodeHeader),
        Option.flatMap(({ kid, typ }) =>
          Option.map(Option.fromNullable(TokenKind.literals.find((one) => typOf(one) === typ)), (kind) => ({
            kid,
            kind
          }))
        )
      )

/**
 * Whether `key` signed a token. `jwtVerify` checks it too, at twenty times the cost, since it imports the key and signs in
 * another thread: too much for tokens that anybody can send.
 */
const isSignedBy = (key: SigningKey, token: string): boolean => {
  const end = token.lastIndexOf(".")
  const expected = createHmac("sha256", keyBytes(key))
    .update(token.slice(0, Math.max(0, end)))
    .digest()
  const signature = Buffer.from(token.slice(end + 1), "base64url")
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}

/**
 * The claims of a token that `key` signed as this kind and that is in force at `now` (epoch milliseconds). None if
 * anything is invalid.
 */
export const verifyToken = (
  key: SigningKey,
  kind: TokenKind,
  token: string,
  now: number
): Effect.Effect<Option.Option<TokenClaims>> =>
  isSignedBy(key, token) ? verifyClaims(key, kind, token, now) : Effect.succeedNone

const verifyClaims = (
  key: SigningKey,
  kind: TokenKind,
  token: string,
  now: number
): Effect.Effect<Option.Option<TokenClaims>> =>
  Effect.tryPromise(() =>
    jwtVerify(token, keyBytes(key), {
      algorithms: [ALGORITHM],
      issuer: ISSUER,
      audience: audienceOf(kind),
      typ: typOf(kind),
      requiredClaims: ["iss", "aud", "exp", "iat", "jti", "org", "permissions", "bounds"],
      currentDate: new Date(now),
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
      maxTokenAge: LIFETIMES[kind].longest
    })
  ).pipe(
    Effect.option,
    Effect.map(Option.flatMap(({ payload }) => decodeClaims(payload))),
    // The tolerance is for tokens from a clock ahead, not for expired ones.
    Effect.map(Option.filter((claims) => now < claims.exp * 1000))
  )
