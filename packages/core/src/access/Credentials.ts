import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Record from "effect/Record"
import type { StorageError } from "../kernel/Storage.js"
import { type Forbidden, type RateLimited, Unauthenticated } from "./AccessErrors.js"
import type { Actor } from "./Actor.js"
import { ApiKeys } from "./ApiKeys.js"
import { BrowserSessions } from "./BrowserSessions.js"
import { type Operation, type OperationRule, operations } from "./Operation.js"
import { authorize } from "./Permit.js"
import { type IsSuspect, RateLimiter } from "./RateLimiter.js"
import { ShareableLinks } from "./ShareableLinks.js"
import { TokenKind } from "./Token.js"
import { Tokens } from "./Tokens.js"

/** The credentials of a request, as an adapter found them in its headers. */
export interface Presented {
  /** Header `X-SERVICE-API-KEY`. */
  readonly apiKey?: string | undefined
  /** What follows `Bearer ` in the header `Authorization`. */
  readonly bearer?: string | undefined
  /** Header `X-SHAREABLE-LINK`. */
  readonly shareableLink?: string | undefined
  /**
   * The cookie of a browser session, which stands for an API key. An adapter passes it only if the request comes from a
   * page of the server's own origin.
   */
  readonly session?: string | undefined
}

/** Authenticates and authorizes callers from outside the process. */
export class Credentials extends Context.Tag("@earshot/core/access/Credentials")<
  Credentials,
  {
    /**
     * The caller of an operation, if it is authorized; the use case is then run with it as `CurrentActor`.
     *
     * Of several credentials the first that the operation accepts is used, in the order API key, bearer token, link,
     * session. The others are ignored: an invalid credential is not replaced by a valid one. An operation that requires an agent
     * session in addition to the key checks both, which must be of one organization; the caller is then limited to the
     * resource scopes of the session.
     *
     * @param options.from the address that the request comes from. Invalid credentials are counted by it, and invalid keys
     *   by their prefix: beyond the rate limiter's allowance they are `RateLimited`. Valid credentials never are.
     */
    readonly admit: (
      operation: Operation,
      presented: Presented,
      options?: { readonly from?: string | undefined }
    ) => Effect.Effect<Actor, Unauthenticated | Forbidden | RateLimited | StorageError>
  }
>() {}

type Carrier = keyof Presented

const isToken = (kind: OperationRule["accepts"][number]): boolean => TokenKind.literals.some((token) => token === kind)

/** The headers that can carry what an operation accepts, in the order in which they are checked. */
const carriersOf = (rule: OperationRule): ReadonlyArray<Carrier> => [
  ...(rule.accepts.includes("api_key") ? (["apiKey"] as const) : []),
  ...(rule.accepts.some(isToken) ? (["bearer"] as const) : []),
  ...(rule.accepts.includes("shareable_link") ? (["shareableLink"] as const) : []),
  // By the rule of API keys.
  ...(rule.accepts.includes("api_key") ? (["session"] as const) : [])
]

const carriers = Record.map(operations, carriersOf)

// Made once, since capturing a stack takes longer than the rest of a refusal.
const missing = Effect.fail(new Unauthenticated({ reason: "Authentication credentials were not provided." }))
/** One message for unknown, malformed, expired, revoked and forged credentials: which it is, is not disclosed. */
const invalid = Effect.fail(new Unauthenticated({ reason: "Invalid credentials." }))

/** What tells keys apart in the count of invalid ones: the name of their kind and eight of their characters. */
const KEY_PREFIX = /^[a-z]{1,12}_.{8}/

/** What an invalid credential is counted by. The beginning of a token is the same for all tokens of a kind. */
const refusalSubjects = (carrier: Carrier, text: string, from: string): ReadonlyArray<string> => {
  const prefix = carrier === "bearer" ? undefined : KEY_PREFIX.exec(text)?.[0]
  return prefix === undefined ? [`from ${from}`] : [`from ${from}`, `prefix ${prefix}`]
}

export const layer = Layer.effect(
  Credentials,
  Effect.gen(function* () {
    const keys = yield* ApiKeys
    const tokens = yield* Tokens
    const links = yield* ShareableLinks
    const sessions = yield* BrowserSessions
    const limiter = yield* RateLimiter

    const authenticators: {
      readonly [C in Carrier]-?: (
        text: string,
        isSuspect: IsSuspect
      ) => Effect.Effect<Option.Option<Actor>, StorageError>
    } = {
      apiKey: keys.authenticate,
      bearer: tokens.authenticate,
      shareableLink: links.authenticate,
      session: sessions.authenticate
    }

    const identify = (carrier: Carrier, text: string, from: string | undefined) => {
      const subjects = from === undefined ? [] : refusalSubjects(carrier, text, from)
      return Effect.flatMap(
        authenticators[carrier](text, (now) => limiter.isSuspect(subjects, now)),
        Option.match({
          onNone: () => Effect.zipRight(limiter.refuse(subjects), invalid),
          onSome: Effect.succeed
        })
      )
    }

    /** The caller limited to the session that has to come in addition to its credential. */
    const limitTo = (
      caller: Actor,
      additional: NonNullable<OperationRule["additionalCredential"]>,
      text: string,
      from: string | undefined
    ) =>
      Effect.flatMap(identify("bearer", text, from), (session) =>
        session.credential === additional && session.organizationId === caller.organizationId
          ? Effect.succeed<Actor>({
              ...caller,
              additionalCredential: additional,
              bounds: session.bounds,
              ...(session.jti === undefined ? {} : { jti: session.jti })
            })
          : invalid
      )

    return Credentials.of({
      // It stands before every request, so it is no generator and has no span of its own.
      admit: (operation, presented, { from } = {}) => {
        const rule: OperationRule = operations[operation]
        const carrier = carriers[operation].find((one) => presented[one] !== undefined)
        const text = carrier === undefined ? undefined : presented[carrier]
        if (carrier === undefined || text === undefined) return missing
        return identify(carrier, text, from).pipe(
          Effect.tap((caller) => limiter.spend(caller.credentialId)),
          Effect.flatMap((caller) =>
            rule.additionalCredential === undefined
              ? Effect.succeed(caller)
              : presented.bearer === undefined
                ? missing
                : limitTo(caller, rule.additionalCredential, presented.bearer, from)
          ),
          Effect.flatMap((caller) => Either.map(authorize(caller, operation), () => caller))
        )
      }
    })
  })
)
