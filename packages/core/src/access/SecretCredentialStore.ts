import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Permit } from "./Permit.js"
import type { HashedCredential, NewSecretCredential, SecretCredential } from "./SecretCredential.js"

/**
 * What storage promises about one kind of credentials that are opaque secrets. Secrets are never stored, only their
 * hashes. A permit's organization limits every answer.
 */
export interface SecretCredentialStore<Credential extends SecretCredential, New extends NewSecretCredential> {
  readonly insert: (permit: Permit<"keys:manage">, credential: New) => Effect.Effect<Credential, StorageError>
  readonly find: (
    permit: Permit<"keys:manage">,
    id: Credential["id"]
  ) => Effect.Effect<Option.Option<Credential>, StorageError>
  /** Newest first; a page ends early at `PageBytes`. Includes revoked and expired credentials. */
  readonly list: (permit: Permit<"keys:manage">, page: PageRequest) => Effect.Effect<Found<Credential>, StorageError>
  /** Revokes the credential from this instant on; one that was revoked before keeps its first instant. */
  readonly revoke: (
    permit: Permit<"keys:manage">,
    id: Credential["id"],
    now: DateTime.Utc
  ) => Effect.Effect<void, StorageError>
  /**
   * The credentials whose secrets have one of these hashes, whatever their state, in any order. It takes no permit, since
   * permits result from it.
   */
  readonly findByHashes: (
    secretHashes: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<HashedCredential<Credential>>, StorageError>
}
