import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../kernel/Storage.js"
import type { StoredSigningKey } from "./SigningKey.js"

/**
 * Stores signing keys. They belong to the database and not to an organization, so no permit is required; only
 * `SigningKeys` uses it.
 */
export class SigningKeyStore extends Context.Tag("@earshot/core/access/SigningKeyStore")<
  SigningKeyStore,
  {
    readonly insert: (key: StoredSigningKey) => Effect.Effect<void, StorageError>
    /** All keys, newest first; ties have a fixed order. */
    readonly list: Effect.Effect<ReadonlyArray<StoredSigningKey>, StorageError>
    /** Stores the secret sealed anew, unless it was replaced meanwhile. */
    readonly reseal: (key: StoredSigningKey, sealed: string) => Effect.Effect<void, StorageError>
    readonly remove: (kids: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
  }
>() {}
