import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { OrganizationId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Permit } from "./Permit.js"

/** Stores revocations of tokens that have not expired yet. */
export class RevokedTokenStore extends Context.Tag("@earshot/core/access/RevokedTokenStore")<
  RevokedTokenStore,
  {
    /** Stores the revocation until `until`; repeating it changes nothing. Those that ended by `now` may be deleted. */
    readonly insert: (
      permit: Permit<"keys:manage">,
      jti: string,
      until: DateTime.Utc,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** Whether an organization has revoked this token. It takes no permit, since permits result from it. */
    readonly has: (organizationId: OrganizationId, jti: string) => Effect.Effect<boolean, StorageError>
  }
>() {}
