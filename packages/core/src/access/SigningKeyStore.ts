import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../kernel/Storage.js"
import type { SigningKey } from "./SigningKey.js"

/**
 * Stores signing keys. They belong to the database and not to an organization, so no permit is required; only
 * `SigningKeys` uses it.
 */
export class SigningKeyStore extends Context.Tag("@earshot/core/access/SigningKeyStore")<
  SigningKeyStore,
  {
    readonly insert: (key: SigningKey) => Effect.Effect<void, StorageError>
    /** All keys, newest first; ties have a fixed order. */
    readonly list: Effect.Effect<ReadonlyArray<SigningKey>, StorageError>
    readonly remove: (kids: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
  }
>() {}
