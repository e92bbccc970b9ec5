/**
 * The tokens' outer form: JSON Web Tokens signed with HMAC-SHA-256 (RFC 7519, RFC 8725). Kinds are told apart twice, by
 * the header's `typ` and by the audience, both of which are checked, so that no kind is ever taken for another.
 */
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { decodeProtectedHeader, jwtVerify, SignJWT } from "jose"
import type { SigningKey } from "./SigningKey.js"
import { LIFETIMES, TokenClaims, TokenKind } from "./Token.js"

const ALGORITHM = "HS256"
const ISSUER = "earshot"

/** Clocks of processes that share a database may differ by so many seconds, for tokens that were issued just now. */
const CLOCK_TOLERANCE_SECONDS = 5

/** No token of ours comes near; longer ones are not even looked at. */
const MAX_TOKEN_LENGTH = 16_384

const typOf = (kind: TokenKind): string => `earshot.${kind}+jwt`
const audienceOf = (kind: TokenKind): string => `earshot:${kind}`

const keyBytes = (key: SigningKey): Uint8Array =>
  Either.getOrElse(Encoding.decodeBase64Url(Redacted.value(key.secret)), () => new Uint8Array())

/** Signs a token: issued at `iat`, refused from `exp` on, both in epoch seconds. */
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

/** What an unverified token says that it is: nothing but a hint which key and which rules to verify it by. */
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
 * The claims of a token that `key` signed as this kind and that is in force at `now` (epoch milliseconds). Whatever is
 * wrong with it, it is none.
 */
export const verifyToken = (
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
    // The tolerance is for tokens that come from a clock ahead, not for those that have run out.
    Effect.map(Option.filter((claims) => now < claims.exp * 1000))
  )
