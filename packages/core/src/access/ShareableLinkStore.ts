import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { ShareableLinkId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { Bound } from "./Actor.js"
import type { Permission } from "./Permission.js"
import type { Hashed } from "./OpaqueCredentials.js"
import type { Permit } from "./Permit.js"
import type { ShareableLink } from "./ShareableLink.js"

/** What is kept of a new link. */
export interface NewShareableLink {
  readonly name: string
  readonly hint: string
  readonly secretHash: string
  readonly permissions: ReadonlyArray<Permission>
  readonly bounds: ReadonlyArray<Bound>
  readonly createdAt: DateTime.Utc
  readonly expiresAt: DateTime.Utc | null
}

/** What storage promises about shareable links. Secrets are never stored, only their hashes. */
export class ShareableLinkStore extends Context.Tag("@earshot/core/access/ShareableLinkStore")<
  ShareableLinkStore,
  {
    readonly insert: (
      permit: Permit<"keys:manage">,
      link: NewShareableLink
    ) => Effect.Effect<ShareableLink, StorageFault>
    readonly find: (
      permit: Permit<"keys:manage">,
      id: ShareableLinkId
    ) => Effect.Effect<Option.Option<ShareableLink>, StorageFault>
    /** Newest first; up to one more than the page holds. Revoked and expired links are listed too. */
    readonly list: (
      permit: Permit<"keys:manage">,
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<ShareableLink>, StorageFault>
    /** Revokes the link from this instant on; one that was revoked before keeps its first instant. */
    readonly revoke: (
      permit: Permit<"keys:manage">,
      id: ShareableLinkId,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageFault>
    /** The link whose secret has this hash, whatever its state. It asks for no permit, since permits come of it. */
    readonly findByHash: (secretHash: string) => Effect.Effect<Option.Option<Hashed<ShareableLink>>, StorageFault>
  }
>() {}
