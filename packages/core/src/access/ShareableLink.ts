import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { ShareableLinkId } from "../kernel/Ids.js"
import { ResourceScope } from "./Actor.js"
import { resourceScopesField, permissionsField } from "./Grant.js"
import { Permission } from "./Permission.js"
import { identityFields, lifetimeFields } from "./SecretCredential.js"

/**
 * A link that gives whoever has it some permissions on some resources: an opaque secret. Of the secret, only the hint is
 * known after the link was created.
 */
export class ShareableLink extends Schema.Class<ShareableLink>("@earshot/core/access/ShareableLink")({
  id: ShareableLinkId,
  ...identityFields,
  permissions: Schema.Array(Permission),
  bounds: Schema.Array(ResourceScope),
  ...lifetimeFields
}) {}

/** The wire form of a link, without its secret. */
export const encodeShareableLink = Schema.encodeSync(ShareableLink)

/** A link that was just created: the only time that its secret can be shown. */
export interface IssuedShareableLink {
  readonly link: ShareableLink
  readonly secret: Redacted.Redacted
}

/** The wire form of a link that was just created: the link's fields, and the secret as `token`. */
export const encodeIssuedShareableLink = (issued: IssuedShareableLink) => ({
  ...encodeShareableLink(issued.link),
  token: Redacted.value(issued.secret)
})

/** The input that creates a link. `permissions` default to reading. */
export const ShareableLinkDraft = Fields.object({
  name: Fields.withDefault(Fields.text({ max: 255 }), ""),
  permissions: Fields.optional(permissionsField),
  bounds: resourceScopesField,
  expires_at: Fields.withDefault(Fields.nullable(Fields.timestamp), null)
})
export type ShareableLinkDraft = typeof ShareableLinkDraft.Type
