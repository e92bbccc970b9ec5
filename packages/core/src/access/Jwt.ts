/**
 * The tokens' outer form: JSON Web Tokens signed with HMAC-SHA-256 (RFC 7519, RFC 8725). The kind is in
 * the header's `typ` and in the audience, both of which are checked, so that no kind is accepted as another.
 */
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { createHmac, timingSafeEqual } from "node:crypto"
import type { SigningKey } from "./SigningKey.js"
import { LIFETIMES, TokenClaims, TokenKind } from "./Token.js"

/** Loaded with the first token: many processes that import the engine handle none. */
const loadJose = Effect.promise(() => import("jose"))

const ALGORITHM = "HS256"
const ISSUER = "earshot"

/** How far the clocks of processes that share a database may differ, for tokens issued just now. */
const CLOCK_TOLERANCE_SECONDS = 5

/** Issued tokens are much shorter; longer ones are rejected without parsing. */
const MAX_TOKEN_LENGTH = 16_384

/** A kind of signed token: `name` makes its `typ` and its audience, so that no kind is accepted as another. */
export interface TokenForm<Claims> {
  readonly name: string
  /** The claims beyond the registered ones. */
  readonly decode: (payload: unknown) => Option.Option<Claims>
  readonly requiredClaims: ReadonlyArray<string>
  readonly longestLifetimeSeconds: number
}

const typOf = (name: string): string => `earshot.${name}+jwt`
const audienceOf = (name: string): string => `earshot:${name}`

const keyBytes = (key: SigningKey): Uint8Array =>
  Either.getOrElse(Encoding.decodeBase64Url(Redacted.value(key.secret)), () => new Uint8Array())

/** The registered claims of a token: issued at `iat`, invalid from `exp` on, both in epoch seconds. */
interface RegisteredClaims {
  readonly jti: string
  readonly iat: number
  readonly exp: number
}

/** Signs claims as a kind of token. */
export const signClaims = (
  key: SigningKey,
  name: string,
  { exp, iat, jti }: RegisteredClaims,
  claims: { readonly [name: string]: unknown }
): Effect.Effect<Redacted.Redacted> =>
  loadJose.pipe(
    Effect.flatMap(({ SignJWT }) =>
      Effect.promise(() =>
        new SignJWT({ ...claims })
          .setProtectedHeader({ alg: ALGORITHM, kid: key.kid, typ: typOf(name) })
          .setIssuer(ISSUER)
          .setAudience(audienceOf(name))
          .setJti(jti)
          .setIssuedAt(iat)
          .setExpirationTime(exp)
          .sign(keyBytes(key))
      )
    ),
    Effect.map((token) => Redacted.make(token))
  )

/** Signs a token of a credential: issued at `iat`, invalid from `exp` on, both in epoch seconds. */
export const signToken = (
  key: SigningKey,
  kind: TokenKind,
  { exp, jti, ...claims }: TokenClaims,
  iat: number
): Effect.Effect<Redacted.Redacted> => signClaims(key, kind, { jti, iat, exp }, claims)

/** Which key and which kind an unverified token names. */
export interface TokenHeader<Name> {
  readonly kid: string
  readonly name: Name
}

const parseJson = Option.liftThrowable((text: string): unknown => JSON.parse(text))

/**
 * Reads the headers of unverified tokens of these kinds. What it accepts is verified afterwards by `jwtVerify`, which reads
 * the header again: jose's reader costs three times as much, and anybody can send tokens that go no further.
 */
export const headerReader = <Name extends string>(
  names: ReadonlyArray<Name>
): ((token: string) => Option.Option<TokenHeader<Name>>) => {
  const byTyp = new Map<unknown, Name>(names.map((name) => [typOf(name), name]))
  return (token) => {
    const end = token.indexOf(".")
    if (end <= 0 || token.length > MAX_TOKEN_LENGTH) return Option.none()
    const header = parseJson(Buffer.from(token.slice(0, end), "base64url").toString())
    if (Option.isNone(header) || !Predicate.hasProperty(header.value, "kid")) return Option.none()
    const { kid } = header.value
    const name = Predicate.hasProperty(header.value, "typ") ? byTyp.get(header.value.typ) : undefined
    return name === undefined || typeof kid !== "string" ? Option.none() : Option.some({ kid, name })
  }
}

/** As `headerReader`, of the kinds of credentials. */
export const readHeader = headerReader(TokenKind.literals)

/**
 * Whether `key` signed a token. `jwtVerify` checks it too, at twenty times the cost, since it imports the key and signs in
 * another thread: too much for tokens that anybody can send.
 */
const isSignedBy = (key: SigningKey, token: string): boolean => {
  const end = token.lastIndexOf(".")
  // As text: the last character of base64 has bits that no byte has, so that four texts decode to the same signature.
  const expected = Buffer.from(
    createHmac("sha256", keyBytes(key))
      .update(token.slice(0, Math.max(0, end)))
      .digest("base64url")
  )
  const signature = Buffer.from(token.slice(end + 1))
  return signature.length === expected.length && timingSafeEqual(signature, expected)
}

/**
 * The claims of a token that `key` signed as this kind and that is in force at `now` (epoch milliseconds). None if
 * anything is invalid.
 */
export const verifyClaims = <Claims>(
  key: SigningKey,
  form: TokenForm<Claims>,
  token: string,
  now: number
): Effect.Effect<Option.Option<Claims>> =>
  isSignedBy(key, token) ? verifySigned(key, form, token, now) : Effect.succeedNone

const verifySigned = <Claims>(
  key: SigningKey,
  { decode, longestLifetimeSeconds, name, requiredClaims }: TokenForm<Claims>,
  token: string,
  now: number
): Effect.Effect<Option.Option<Claims>> =>
  loadJose.pipe(
    Effect.flatMap(({ jwtVerify }) =>
      Effect.tryPromise(() =>
        jwtVerify(token, keyBytes(key), {
          algorithms: [ALGORITHM],
          issuer: ISSUER,
          audience: audienceOf(name),
          typ: typOf(name),
          requiredClaims: ["iss", "aud", "exp", "iat", "jti", ...requiredClaims],
          currentDate: new Date(now),
          clockTolerance: CLOCK_TOLERANCE_SECONDS,
          maxTokenAge: longestLifetimeSeconds
        })
      )
    ),
    Effect.option,
    // The tolerance is for tokens from a clock ahead, not for expired ones.
    Effect.map(Option.filter(({ payload: { exp } }) => exp !== undefined && now < exp * 1000)),
    Effect.map(Option.flatMap(({ payload }) => decode(payload)))
  )

const credentialForms = new Map(
  TokenKind.literals.map((kind): [TokenKind, TokenForm<TokenClaims>] => [
    kind,
    {
      name: kind,
      decode: Schema.decodeUnknownOption(TokenClaims),
      requiredClaims: ["org", "permissions", "bounds"],
      longestLifetimeSeconds: LIFETIMES[kind].longest
    }
  ])
)

/** As `verifyClaims`, for a token of a credential. */
export const verifyToken = (
  key: SigningKey,
  kind: TokenKind,
  token: string,
  now: number
): Effect.Effect<Option.Option<TokenClaims>> => {
  const form = credentialForms.get(kind)
  return form === undefined ? Effect.succeedNone : verifyClaims(key, form, token, now)
}
