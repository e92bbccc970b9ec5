import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { decodeInput, isFaulty, mergeFaults, ValidationFailed } from "../kernel/Faults.js"
import type { ApiKeyId } from "../kernel/Ids.js"
import * as Pages from "../kernel/Pages.js"
import { type StorageFault, UnitOfWork } from "../kernel/Storage.js"
import { NotFound } from "./AccessErrors.js"
import { CurrentActor } from "./Actor.js"
import { type ApiKey, ApiKeyDraft, type IssuedApiKey, scopesOf } from "./ApiKey.js"
import { ApiKeyStore } from "./ApiKeyStore.js"
import { expiryFaults, permissionFaults } from "./Grant.js"
import { hashSecret, hintOf, printSecret, SECRET_BYTES } from "./Secret.js"
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
  }
>() {}

export const layer = Layer.effect(
  ApiKeys,
  Effect.gen(function* () {
    const store = yield* ApiKeyStore
    const work = yield* UnitOfWork

    return ApiKeys.of({
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
          const source = yield* SecretSource
          const secret = printSecret("ear_", source.bytes(SECRET_BYTES))
          const key = yield* store.insert(permit, {
            name: draft.name,
            hint: hintOf("ear_", secret),
            secretHash: hashSecret(secret),
            scopes,
            createdAt: now,
            expiresAt
          })
          return { key, secret: Redacted.make(secret) }
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
        work.atomically(
          Effect.gen(function* () {
            yield* Effect.mapError(Effect.flatten(store.find(permit, id)), (fault) =>
              fault._tag === "NoSuchElementException" ? new NotFound({ resource: "ApiKey" }) : fault
            )
            yield* store.revoke(permit, id, yield* DateTime.now)
          })
        )
      )
    })
  })
)
