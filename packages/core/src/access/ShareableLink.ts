import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { OrganizationId, ShareableLinkId, UserId } from "../kernel/Ids.js"
import { Bound } from "./Actor.js"
import { boundsField, permissionsField } from "./Grant.js"
import { Permission } from "./Permission.js"

/**
 * A link that shows some things to whoever has it: an opaque secret, bound to resources and to what may be done with
 * them. Of the secret, only the hint is left once it was shown.
 */
export class ShareableLink extends Schema.Class<ShareableLink>("@earshot/core/access/ShareableLink")({
  id: ShareableLinkId,
  organizationId: Fields.named("organization", OrganizationId),
  name: Schema.String,
  hint: Schema.String,
  permissions: Schema.Array(Permission),
  bounds: Schema.Array(Bound),
  createdBy: Fields.named("created_by", Schema.NullOr(UserId)),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  /** From this instant on the link is refused. */
  expiresAt: Fields.named("expires_at", Schema.NullOr(Schema.DateTimeUtc)),
  revokedAt: Fields.named("revoked_at", Schema.NullOr(Schema.DateTimeUtc))
}) {}

/** A link as it travels, without its secret. */
export const encodeShareableLink = Schema.encodeSync(ShareableLink)

/** A link that was just made: the only time that its secret is there to be shown. */
export interface IssuedShareableLink {
  readonly link: ShareableLink
  readonly secret: Redacted.Redacted
}

/** A link that was just made as it travels: the link's fields, and the secret as `token`. */
export const encodeIssuedShareableLink = (issued: IssuedShareableLink) => ({
  ...encodeShareableLink(issued.link),
  token: Redacted.value(issued.secret)
})

/** What creates a link. Without permissions it may look at what it is bound to, and nothing else. */
export const ShareableLinkDraft = Fields.object({
  name: Fields.withDefault(Fields.text({ max: 255 }), ""),
  permissions: Fields.optional(permissionsField),
  bounds: boundsField,
  expires_at: Fields.withDefault(Fields.nullable(Fields.timestamp), null)
})
export type ShareableLinkDraft = typeof ShareableLinkDraft.Type
