import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../kernel/Storage.js"
import type { SigningKey } from "./SigningKey.js"

/**
 * What storage promises about signing keys. They belong to the database and not to an organisation, so no permit is
 * asked for; nothing but `SigningKeys` uses it.
 */
export class SigningKeyStore extends Context.Tag("@earshot/core/access/SigningKeyStore")<
  SigningKeyStore,
  {
    readonly insert: (key: SigningKey) => Effect.Effect<void, StorageError>
    /** All keys, the newest first; of two of one instant, always the same one. */
    readonly list: Effect.Effect<ReadonlyArray<SigningKey>, StorageError>
    readonly remove: (kids: ReadonlyArray<string>) => Effect.Effect<void, StorageError>
  }
>() {}
