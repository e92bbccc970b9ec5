import * as Context from "effect/Context"
import type { ResourceScope } from "./Actor.js"
import type { Permission } from "./Permission.js"
import type { NewSecretCredential } from "./SecretCredential.js"
import type { SecretCredentialStore } from "./SecretCredentialStore.js"
import type { ShareableLink } from "./ShareableLink.js"

/** What is stored of a new link. */
export interface NewShareableLink extends NewSecretCredential {
  readonly permissions: ReadonlyArray<Permission>
  readonly bounds: ReadonlyArray<ResourceScope>
}

export class ShareableLinkStore extends Context.Tag("@earshot/core/access/ShareableLinkStore")<
  ShareableLinkStore,
  SecretCredentialStore<ShareableLink, NewShareableLink>
>() {}
