import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { OrganizationId, UserId } from "../kernel/Ids.js"

/** A person of an organisation, in whose name sessions act and things are created. */
export class User extends Schema.Class<User>("@earshot/core/access/User")({
  id: UserId,
  organizationId: Fields.named("organization", OrganizationId),
  /** In lower case; one person an organisation. */
  email: Schema.String,
  name: Schema.String,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc)
}) {}

/** A person as they travel: `{id, organization, email, name, created_at}`. */
export const encodeUser = Schema.encodeSync(User)

/** RFC 5321 allows 254 characters; what is before and after the sign is for the mail server to judge. */
const email = Fields.text({ max: 254 }).pipe(
  Schema.filter((text) => /^[^\s@]+@[^\s@]+$/.test(text) || "Enter a valid email address.")
)

/** What creates a person. */
export const UserDraft = Fields.object({
  email,
  name: Fields.withDefault(Fields.text({ max: 255 }), "")
})
export type UserDraft = typeof UserDraft.Type
