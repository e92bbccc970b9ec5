import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { OrganizationId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { Permit } from "./Permit.js"

/** What storage promises about tokens that were revoked before their time. */
export class RevokedTokenStore extends Context.Tag("@earshot/core/access/RevokedTokenStore")<
  RevokedTokenStore,
  {
    /** Keeps the revocation until `until`; doing it again changes nothing. What has run out by `now` may be dropped. */
    readonly insert: (
      permit: Permit<"keys:manage">,
      jti: string,
      until: DateTime.Utc,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** Whether an organisation has revoked this token. It asks for no permit, since permits come of it. */
    readonly has: (organizationId: OrganizationId, jti: string) => Effect.Effect<boolean, StorageError>
  }
>() {}
