import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { decodeInput, fieldError, hasFieldErrors, Messages, ValidationFailed } from "../kernel/FieldErrors.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { type RateLimited, Unauthenticated } from "./AccessErrors.js"
import { type Actor, CurrentActor, hostActor } from "./Actor.js"
import { permissionsOf, scopesOf } from "./ApiKey.js"
import { ApiKeys } from "./ApiKeys.js"
import {
  type BrowserSession,
  type CurrentSession,
  type IssuedSignInLink,
  SESSION_LIFETIME,
  SIGN_IN_LINK_LIFETIME,
  SignInDraft,
  SignInLinkDraft,
  type StartedSession
} from "./BrowserSession.js"
import { BrowserSessionStore } from "./BrowserSessionStore.js"
import { permissionErrors } from "./Grant.js"
import { authorize } from "./Permit.js"
import { type IsSuspect, RateLimiter } from "./RateLimiter.js"
import { hashSecret, looksLikeSecret, mintSecret, SECRET_BYTES } from "./Secret.js"
import { makeSecretCredentials } from "./SecretCredentials.js"
import { SecretSource } from "./SecretSource.js"
import { type SignInGrant, SignInLinkStore } from "./SignInLinkStore.js"
import { type UseCase, useCase } from "./UseCase.js"

/** Where a request comes from, by which invalid credentials are counted. */
interface Origin {
  readonly from?: string | undefined
}

/** Signs people in to the web app, and out. */
export class BrowserSessions extends Context.Tag("@earshot/core/access/BrowserSessions")<
  BrowserSessions,
  {
    /** Creates a link that begins a session once, within 15 minutes, with at most the caller's permissions. */
    readonly createLink: UseCase<
      "access.createSignInLink",
      [input: unknown],
      IssuedSignInLink,
      ValidationFailed | StorageError
    >
    /**
     * Begins a session of 12 hours from `{api_key}` or `{link}`. The session of an API key ends with the key, if that is
     * revoked or expires before. Invalid credentials are counted as `Credentials.admit` counts them.
     */
    readonly signIn: (
      input: unknown,
      origin?: Origin
    ) => Effect.Effect<StartedSession, ValidationFailed | Unauthenticated | RateLimited | StorageError>
    /** The session of a secret, if it is in force. */
    readonly find: (secret: string) => Effect.Effect<Option.Option<CurrentSession>, StorageError>
    /** Ends the session of a secret; a secret without one is accepted. */
    readonly signOut: (secret: string) => Effect.Effect<void, StorageError>
    /** The caller that a session stands for, if it is in force. */
    readonly authenticate: (secret: string, isSuspect: IsSuspect) => Effect.Effect<Option.Option<Actor>, StorageError>
  }
>() {}

const toActor = (session: BrowserSession): Actor => ({
  organizationId: session.organizationId,
  userId: session.createdBy,
  // It stands for a key, so that every operation that accepts keys accepts it.
  credential: "api_key",
  credentialId: `browser_session:${session.id}`,
  permissions: permissionsOf(session.scopes),
  bounds: null
})

const invalid = new Unauthenticated({ reason: "Invalid credentials." })
const invalidLink = new Unauthenticated({ reason: "This sign-in link is invalid, expired or already used." })

const trusted: IsSuspect = () => false

export const layer = Layer.effect(
  BrowserSessions,
  Effect.gen(function* () {
    const store = yield* BrowserSessionStore
    const links = yield* SignInLinkStore
    const keys = yield* ApiKeys
    const limiter = yield* RateLimiter
    const source = yield* SecretSource
    const work = yield* UnitOfWork
    const credentials = yield* makeSecretCredentials({
      prefix: "earsession_",
      resource: "BrowserSession",
      store,
      toActor
    })

    /** The permit of the person who signs in, for the session's row alone. The host's actor has every permission. */
    const permitOf = ({ organizationId, userId }: Pick<SignInGrant, "organizationId" | "userId">) =>
      Effect.orDie(authorize({ ...hostActor(organizationId), userId }, "access.createApiKey"))

    const start = (grant: SignInGrant, keyHash: string | null, keyExpiresAt: DateTime.Utc | null) =>
      Effect.gen(function* () {
        const now = yield* DateTime.now
        const latest = DateTime.add(now, SESSION_LIFETIME)
        const expiresAt = keyExpiresAt === null ? latest : DateTime.min(latest, keyExpiresAt)
        const { secret } = yield* credentials.issue(yield* permitOf(grant), (minted) => ({
          ...minted,
          name: keyHash === null ? "Sign-in link" : "API key",
          scopes: grant.scopes,
          keyHash,
          createdAt: now,
          expiresAt
        }))
        yield* links.deleteExpired(DateTime.subtract(now, { days: 1 }))
        return {
          secret,
          current: {
            organization: grant.organizationId,
            user: grant.userId,
            permissions: [...permissionsOf(grant.scopes)],
            expiresAt
          }
        }
      })

    const fromKey = (secret: string) =>
      Effect.gen(function* () {
        const found = yield* keys.identify(secret, trusted)
        if (Option.isNone(found)) return yield* invalid
        const { actor, credential, secretHash } = found.value
        const { organizationId, userId } = actor
        return yield* start({ organizationId, userId, scopes: credential.scopes }, secretHash, credential.expiresAt)
      })

    const fromLink = (token: string) =>
      looksLikeSecret("earsignin_", token)
        ? work.atomically(
            Effect.gen(function* () {
              const grant = yield* links.redeem(hashSecret(token), yield* DateTime.now)
              return Option.isNone(grant) ? yield* invalidLink : yield* start(grant.value, null, null)
            })
          )
        : Effect.fail(invalidLink)

    /** A session and its caller, if neither it nor the key that it stands for has ended. */
    const identify = (secret: string, isSuspect: IsSuspect) =>
      Effect.flatMap(
        credentials.identify(secret, isSuspect),
        Option.match({
          onNone: () => Effect.succeedNone,
          onSome: (found) => {
            const { actor, credential } = found
            return credential.keyHash === null
              ? Effect.succeedSome(found)
              : Effect.map(
                  keys.identifyHash(credential.keyHash),
                  Option.map((key) => ({
                    credential,
                    actor: { ...actor, permissions: key.actor.permissions }
                  }))
                )
          }
        })
      )

    return BrowserSessions.of({
      createLink: useCase("access.createSignInLink")((permit, input) =>
        Effect.gen(function* () {
          const issuer = yield* CurrentActor
          const draft = yield* decodeInput(SignInLinkDraft, input)
          const scopes = draft.scopes ?? scopesOf(issuer.permissions)
          const errors = permissionErrors(issuer, "scopes", scopes)
          if (hasFieldErrors(errors)) return yield* new ValidationFailed({ errors })
          const { secret, secretHash } = mintSecret("earsignin_", source.bytes(SECRET_BYTES))
          const expiresAt = DateTime.add(yield* DateTime.now, SIGN_IN_LINK_LIFETIME)
          yield* links.insert(permit, { secretHash, scopes, expiresAt })
          return { secret, expiresAt }
        })
      ),
      signIn: (input, { from } = {}) =>
        Effect.gen(function* () {
          const { api_key, link } = yield* decodeInput(SignInDraft, input)
          if ((api_key === undefined) === (link === undefined)) {
            return yield* new ValidationFailed({
              errors:
                api_key === undefined
                  ? fieldError("api_key", Messages.required)
                  : fieldError("link", "Give either api_key or link.")
            })
          }
          const subjects = from === undefined ? [] : [`from ${from}`]
          return yield* (api_key === undefined ? fromLink(link ?? "") : fromKey(api_key)).pipe(
            Effect.tapErrorTag("Unauthenticated", () => limiter.refuse(subjects))
          )
        }),
      find: (secret) =>
        Effect.map(
          identify(secret, trusted),
          Option.flatMap(({ actor, credential }) =>
            Option.map(Option.fromNullable(credential.expiresAt), (expiresAt) => ({
              organization: actor.organizationId,
              user: actor.userId,
              permissions: [...actor.permissions],
              expiresAt
            }))
          )
        ),
      signOut: (secret) =>
        Effect.flatMap(
          credentials.identify(secret, trusted),
          Option.match({
            onNone: () => Effect.void,
            onSome: ({ actor, credential }) =>
              Effect.flatMap(permitOf(actor), (permit) => credentials.revoke(permit, credential.id)).pipe(
                // It was there when it was identified, and nothing deletes sessions that have not expired.
                Effect.catchTag("NotFound", () => Effect.void)
              )
          })
        ),
      authenticate: (secret, isSuspect) =>
        Effect.map(
          identify(secret, isSuspect),
          Option.map(({ actor }) => actor)
        )
    })
  })
)
