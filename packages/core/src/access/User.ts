import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { OrganizationId, UserId } from "../kernel/Ids.js"

/** A user of an organization, for whom sessions act and things are created. */
export class User extends Schema.Class<User>("@earshot/core/access/User")({
  id: UserId,
  organizationId: Fields.named("organization", OrganizationId),
  /** In lower case, unique within the organization. */
  email: Schema.String,
  name: Schema.String,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc)
}) {}

/** The wire form of a user: `{id, organization, email, name, created_at}`. */
export const encodeUser = Schema.encodeSync(User)

/** RFC 5321 allows 254 characters; what is before and after the @ is for the mail server to validate. */
const email = Fields.text({ max: 254 }).pipe(
  Schema.filter((text) => /^[^\s@]+@[^\s@]+$/.test(text) || "Enter a valid email address.")
)

/** The input that creates a user. */
export const UserDraft = Fields.object({
  email,
  name: Fields.withDefault(Fields.text({ max: 255 }), "")
})
export type UserDraft = typeof UserDraft.Type
