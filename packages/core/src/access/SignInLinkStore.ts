import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { OrganizationId, UserId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { ApiKeyScope } from "./ApiKey.js"
import type { Permit } from "./Permit.js"

/** What a sign-in link gives: a session of this person with these scopes. */
export interface SignInGrant {
  readonly organizationId: OrganizationId
  readonly userId: UserId | null
  readonly scopes: ReadonlyArray<ApiKeyScope>
}

export class SignInLinkStore extends Context.Tag("@earshot/core/access/SignInLinkStore")<
  SignInLinkStore,
  {
    readonly insert: (
      permit: Permit<"keys:manage">,
      link: {
        readonly secretHash: string
        readonly scopes: ReadonlyArray<ApiKeyScope>
        readonly expiresAt: DateTime.Utc
      }
    ) => Effect.Effect<void, StorageError>
    /** Removes the link with this hash and returns what it gives, unless it has expired; of two calls at once, one gets it. */
    readonly redeem: (secretHash: string, now: DateTime.Utc) => Effect.Effect<Option.Option<SignInGrant>, StorageError>
    /** Deletes the links and the browser sessions of all organizations that expired before this instant. */
    readonly deleteExpired: (before: DateTime.Utc) => Effect.Effect<void, StorageError>
  }
>() {}
