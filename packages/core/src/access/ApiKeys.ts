import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { decodeInput, isFaulty, mergeFaults, ValidationFailed } from "../kernel/Faults.js"
import type { ApiKeyId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageFault, UnitOfWork } from "../kernel/Storage.js"
import { NotFound } from "./AccessErrors.js"
import { type Actor, CurrentActor } from "./Actor.js"
import { type ApiKey, ApiKeyDraft, type IssuedApiKey, permissionsOf, scopesOf } from "./ApiKey.js"
import { ApiKeyStore } from "./ApiKeyStore.js"
import { expiryFaults, permissionFaults } from "./Grant.js"
import { makeOpaqueCredentials } from "./OpaqueCredentials.js"
import { mintSecret, SECRET_BYTES } from "./Secret.js"
import { SecretSource } from "./SecretSource.js"
import { type UseCase, useCase } from "./UseCase.js"

/** The API keys of the caller's organisation. */
export class ApiKeys extends Context.Tag("@earshot/core/access/ApiKeys")<
  ApiKeys,
  {
    /** Makes a key that may do no more than its maker; its secret is answered here and never again. */
    readonly create: UseCase<"access.createApiKey", [input: unknown], IssuedApiKey, ValidationFailed | StorageFault>
    readonly list: UseCase<"access.listApiKeys", [query: unknown], Pages.Page<ApiKey>, ValidationFailed | StorageFault>
    /** Refuses the key from now on; doing it again changes nothing. */
    readonly revoke: UseCase<"access.revokeApiKey", [id: ApiKeyId], void, NotFound | StorageFault>
    /** The caller that a secret stands for, if its key is in force. */
    readonly authenticate: (secret: string) => Effect.Effect<Option.Option<Actor>, StorageFault>
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
    const work = yield* UnitOfWork
    const source = yield* SecretSource
    const opaque = yield* makeOpaqueCredentials({ prefix: "ear_", findByHash: store.findByHash, toActor })

    return ApiKeys.of({
      authenticate: opaque.authenticate,
      create: useCase("access.createApiKey")((permit, input) =>
        Effect.gen(function* () {
          const issuer = yield* CurrentActor
          const draft = yield* decodeInput(ApiKeyDraft, input)
          const now = yield* DateTime.now
          const scopes = draft.scopes ?? scopesOf(issuer.permissions)
          const expiresAt = draft.expiresAt ?? null
          const faults = mergeFaults(
            permissionFaults(issuer, "scopes", scopes),
            expiryFaults("expires_at", expiresAt, now)
          )
          if (isFaulty(faults)) return yield* new ValidationFailed({ faults })
          const { hint, secret, secretHash } = mintSecret("ear_", source.bytes(SECRET_BYTES))
          const key = yield* store.insert(permit, {
            name: draft.name,
            hint,
            secretHash,
            scopes,
            createdAt: now,
            expiresAt
          })
          return { key, secret }
        })
      ),
      list: useCase("access.listApiKeys")((permit, query) =>
        Effect.gen(function* () {
          const page = yield* Pages.decodeRequest(query)
          const found = yield* store.list(permit, page)
          return Pages.pageOf(page, found, (key) => key.id)
        })
      ),
      revoke: useCase("access.revokeApiKey")((permit, id) =>
        work
          .atomically(
            Effect.gen(function* () {
              if (Option.isNone(yield* store.find(permit, id))) return yield* new NotFound({ resource: "ApiKey" })
              yield* store.revoke(permit, id, yield* DateTime.now)
            })
          )
          .pipe(Effect.zipRight(opaque.forget(id)))
      )
    })
  })
)
