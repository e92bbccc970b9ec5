import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ApiKeyId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { ApiKey, Scope } from "./ApiKey.js"
import type { Hashed } from "./OpaqueCredentials.js"
import type { Permit } from "./Permit.js"

/** What is kept of a new key. */
export interface NewApiKey {
  readonly name: string
  readonly hint: string
  readonly secretHash: string
  readonly scopes: ReadonlyArray<Scope>
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc | null
}

/** What storage promises about API keys. Secrets are never stored, only their hashes. */
export class ApiKeyStore extends Context.Tag("@earshot/core/access/ApiKeyStore")<
  ApiKeyStore,
  {
    readonly insert: (permit: Permit<"keys:manage">, key: NewApiKey) => Effect.Effect<ApiKey, StorageFault>
    readonly find: (permit: Permit<"keys:manage">, id: ApiKeyId) => Effect.Effect<Option.Option<ApiKey>, StorageFault>
    /** Newest first; up to one more than the page holds. Revoked and expired keys are listed too. */
    readonly list: (
      permit: Permit<"keys:manage">,
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<ApiKey>, StorageFault>
    /** Revokes the key from this instant on; one that was revoked before keeps its first instant. */
    readonly revoke: (
      permit: Permit<"keys:manage">,
      id: ApiKeyId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageFault>
    /** The key whose secret has this hash, whatever its state. It asks for no permit, since permits come of it. */
    readonly findByHash: (secretHash: string) => Effect.Effect<Option.Option<Hashed<ApiKey>>, StorageFault>
  }
>() {}
