import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Option from "effect/Option"
import { decodeInput, hasFieldErrors, mergeFieldErrors, ValidationFailed } from "../kernel/FieldErrors.js"
import type { Input } from "../kernel/Input.js"
import type { ApiKeyId } from "../kernel/Ids.js"
import type * as Pages from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { NotFound } from "./AccessErrors.js"
import { type Actor, CurrentActor } from "./Actor.js"
import { type ApiKey, ApiKeyDraft, type IssuedApiKey, permissionsOf, scopesOf } from "./ApiKey.js"
import { ApiKeyStore } from "./ApiKeyStore.js"
import { expiryErrors, permissionErrors } from "./Grant.js"
import type { IsSuspect } from "./RateLimiter.js"
import { type IdentifiedCredential, makeSecretCredentials } from "./SecretCredentials.js"
import { type UseCase, useCase } from "./UseCase.js"

/** The API keys of the caller's organization. */
export class ApiKeys extends Context.Tag("@earshot/core/access/ApiKeys")<
  ApiKeys,
  {
    /** Creates a key with at most the caller's permissions. The answer is the only one that holds the secret. */
    readonly create: UseCase<
      "access.createApiKey",
      [input: Input<typeof ApiKeyDraft>],
      IssuedApiKey,
      ValidationFailed | StorageError
    >
    readonly list: UseCase<
      "access.listApiKeys",
      [query: Input<typeof Pages.PageQuery>],
      Pages.Page<ApiKey>,
      ValidationFailed | StorageError
    >
    /** Revokes a key; revoking it again changes nothing. */
    readonly revoke: UseCase<"access.revokeApiKey", [id: ApiKeyId], void, NotFound | StorageError>
    /** The caller that a secret stands for, if its key is in force. */
    readonly authenticate: (secret: string, isSuspect: IsSuspect) => Effect.Effect<Option.Option<Actor>, StorageError>
    /** As `authenticate`, with the key and the hash of its secret. */
    readonly identify: (
      secret: string,
      isSuspect: IsSuspect
    ) => Effect.Effect<Option.Option<IdentifiedCredential<ApiKey>>, StorageError>
    /** As `identify`, by the hash of the secret. */
    readonly identifyHash: (
      secretHash: string
    ) => Effect.Effect<Option.Option<IdentifiedCredential<ApiKey>>, StorageError>
  }
>() {}

const toActor = (key: ApiKey): Actor => ({
  organizationId: key.organizationId,
  userId: key.createdBy,
  credential: "api_key",
  credentialId: `api_key:${key.id}`,
  permissions: permissionsOf(key.scopes),
  bounds: null
})

export const layer = Layer.effect(
  ApiKeys,
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const credentials = yield* makeSecretCredentials({ prefix: "ear_", resource: "ApiKey", store, toActor })

    return ApiKeys.of({
      authenticate: credentials.authenticate,
      identify: credentials.identify,
      identifyHash: credentials.identifyHash,
      create: useCase("access.createApiKey")((permit, input) =>
        Effect.gen(function* () {
          const issuer = yield* CurrentActor
          const draft = yield* decodeInput(ApiKeyDraft, input)
          const now = yield* DateTime.now
          const scopes = draft.scopes ?? scopesOf(issuer.permissions)
          const expiresAt = draft.expiresAt ?? null
          const errors = mergeFieldErrors(
            permissionErrors(issuer, "scopes", scopes),
            expiryErrors("expires_at", expiresAt, now)
          )
          if (hasFieldErrors(errors)) return yield* new ValidationFailed({ errors })
          const { credential, secret } = yield* credentials.issue(permit, (minted) => ({
            ...minted,
            name: draft.name,
            scopes,
            createdAt: now,
            expiresAt
          }))
          return { key: credential, secret }
        })
      ),
      list: useCase("access.listApiKeys")(credentials.list),
      revoke: useCase("access.revokeApiKey")(credentials.revoke)
    })
  })
)
