import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Encoding from "effect/Encoding"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import {
  decodeInput,
  type FieldErrors,
  fieldError,
  hasFieldErrors,
  mergeFieldErrors,
  noFieldErrors,
  Messages,
  ValidationFailed
} from "../kernel/FieldErrors.js"
import { make as makeCache } from "../kernel/TtlCache.js"
import type { Input } from "../kernel/Input.js"
import { type StorageError, UnitOfWork } from "../kernel/Storage.js"
import { type Actor, type ResourceScope, CurrentActor } from "./Actor.js"
import { ResourceScopeStore } from "./ResourceScopeStore.js"
import { missingResourceErrors, resourceScopeErrors, permissionErrors, readPermissionsOf } from "./Grant.js"
import { readHeader, signToken, verifyToken } from "./Jwt.js"
import { allPermissions, type Permission } from "./Permission.js"
import { RevokedTokenStore } from "./RevokedTokenStore.js"
import type { IsSuspect } from "./RateLimiter.js"
import { SecretSource } from "./SecretSource.js"
import type { SigningKey } from "./SigningKey.js"
import { SigningKeys } from "./SigningKeys.js"
import {
  type IssuedToken,
  LIFETIMES,
  LONGEST_LIFETIME_SECONDS,
  type TokenClaims,
  TokenDraft,
  type TokenKind,
  TokenRevocation
} from "./Token.js"
import { type UseCase, useCase } from "./UseCase.js"
import { UserStore } from "./UserStore.js"

/** Sessions and tokens of connected apps: signed, short-lived, with at most the permissions of their issuer. */
export class Tokens extends Context.Tag("@earshot/core/access/Tokens")<
  Tokens,
  {
    /** Issues a token. The answer is the only one that holds it. */
    readonly issue: UseCase<
      "access.issueToken",
      [input: Input<typeof TokenDraft>],
      IssuedToken,
      ValidationFailed | StorageError
    >
    /** Revokes a token of the organization by its `{jti}`; an unknown one is accepted. */
    readonly revoke: UseCase<
      "access.revokeToken",
      [input: Input<typeof TokenRevocation>],
      void,
      ValidationFailed | StorageError
    >
    /** The caller that a token stands for, if it is in force. */
    readonly authenticate: (token: string, isSuspect: IsSuspect) => Effect.Effect<Option.Option<Actor>, StorageError>
  }
>() {}

const isPermission = (word: string): word is Permission => allPermissions.some((permission) => permission === word)

const isEmbedded = (kind: TokenKind): boolean => kind === "embedded_session" || kind === "agent_session"

/** Embedded sessions need resource scopes; an agent session has exactly its agent. */
const scopeErrors = (kind: TokenKind, bounds: ReadonlyArray<ResourceScope> | null): FieldErrors =>
  isEmbedded(kind) && bounds === null
    ? fieldError("bounds", Messages.required)
    : kind === "agent_session" && (bounds?.length !== 1 || bounds[0]?.type !== "agent")
      ? fieldError("bounds", "An agent session must have exactly one bound, of type agent.")
      : noFieldErrors

const lifetimeErrors = (kind: TokenKind, seconds: number): FieldErrors =>
  seconds > LIFETIMES[kind].longest ? fieldError("ttl", Messages.tooLarge(LIFETIMES[kind].longest)) : noFieldErrors

const toActor = (kind: TokenKind, claims: TokenClaims): Actor => ({
  organizationId: claims.org,
  userId: claims.user,
  credential: kind,
  credentialId: `${kind}:${claims.jti}`,
  jti: claims.jti,
  permissions: new Set(claims.permissions.filter(isPermission)),
  bounds: claims.bounds
})

export const layer = Layer.effect(
  Tokens,
  Effect.gen(function* () {
    const keys = yield* SigningKeys
    const revoked = yield* RevokedTokenStore
    const users = yield* UserStore
    const resources = yield* ResourceScopeStore
    const work = yield* UnitOfWork
    const source = yield* SecretSource
    /** Tokens that were not revoked when they were last looked up, by organization and jti. */
    const inForce = yield* makeCache<true>(10_000)

    const isRevoked = ({ jti, org }: TokenClaims) =>
      Effect.gen(function* () {
        const key = `${org} ${jti}`
        if (inForce.get(key, yield* Clock.currentTimeMillis) === true) return false
        return yield* inForce.load(revoked.has(org, jti), (found) => (found ? [] : [[key, true] as const]))
      })

    const identify = (key: SigningKey, kind: TokenKind, token: string) =>
      Effect.gen(function* () {
        const claims = yield* verifyToken(key, kind, token, yield* Clock.currentTimeMillis)
        if (Option.isNone(claims) || (yield* isRevoked(claims.value))) return Option.none()
        return Option.some(toActor(kind, claims.value))
      })

    return Tokens.of({
      issue: useCase("access.issueToken")((permit, input) =>
        Effect.gen(function* () {
          const issuer = yield* CurrentActor
          const { bounds: wanted, kind, permissions: named, ttl, user } = yield* decodeInput(TokenDraft, input)
          const bounds = wanted ?? issuer.bounds
          const permissions =
            named === undefined
              ? isEmbedded(kind)
                ? readPermissionsOf(issuer)
                : [...issuer.permissions]
              : [...new Set(named.flatMap((one) => (one === "read" ? readPermissionsOf(issuer) : [one])))]
          const seconds = ttl ?? LIFETIMES[kind].usual
          const userId = user === undefined ? issuer.userId : user
          // For an issuer with resource scopes, other people of the organization do not exist.
          const isNameable = issuer.bounds === null || userId === issuer.userId
          const person = userId === null || !isNameable ? Option.none() : yield* users.find(permit, userId)
          // Scopes taken over from the issuer were checked when the issuer got them.
          const given = wanted ?? []
          const errors = mergeFieldErrors(
            permissionErrors(issuer, "permissions", permissions),
            resourceScopeErrors(issuer, bounds),
            missingResourceErrors(issuer, given, yield* resources.present(permit, given)),
            scopeErrors(kind, bounds),
            lifetimeErrors(kind, seconds),
            userId !== null && Option.isNone(person) ? fieldError("user", Messages.unknownId(userId)) : noFieldErrors
          )
          if (hasFieldErrors(errors)) return yield* new ValidationFailed({ errors })
          const iat = Math.floor((yield* DateTime.now).epochMillis / 1000)
          const claims: TokenClaims = {
            jti: Encoding.encodeBase64Url(source.bytes(16)),
            exp: iat + seconds,
            org: permit.organizationId,
            user: userId,
            permissions,
            bounds
          }
          const key = yield* Effect.mapError(keys.current, (error) =>
            error._tag === "SecretKeyMissing"
              ? new ValidationFailed({ errors: fieldError("non_field_errors", error.message) })
              : error
          )
          const token = yield* signToken(key, kind, claims, iat)
          return {
            kind,
            token,
            jti: claims.jti,
            userId,
            permissions,
            bounds,
            expiresAt: DateTime.unsafeMake(claims.exp * 1000)
          }
        })
      ),
      revoke: useCase("access.revokeToken")((permit, input) =>
        work
          .atomically(
            Effect.gen(function* () {
              const { jti } = yield* decodeInput(TokenRevocation, input)
              const now = yield* DateTime.now
              yield* revoked.insert(permit, jti, DateTime.add(now, { seconds: LONGEST_LIFETIME_SECONDS }), now)
            })
          )
          .pipe(Effect.zipRight(inForce.invalidate(() => true)))
      ),
      // A generator only for tokens of known keys: anybody can send others.
      authenticate: (token, isSuspect) =>
        Effect.suspend(() => {
          const header = readHeader(token)
          if (Option.isNone(header)) return Effect.succeedNone
          const { kid, name: kind } = header.value
          return Effect.flatMap(keys.find(kid, isSuspect), (key) =>
            Option.isNone(key) ? Effect.succeedNone : identify(key.value, kind, token)
          )
        })
    })
  })
)
