import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { OrganizationId } from "../kernel/Ids.js"
import { MAX_NAME } from "./Project.js"

/** A tenant: whatever Earshot keeps belongs to one organisation, and no caller sees beyond its own. */
export class Organization extends Schema.Class<Organization>("@earshot/core/catalog/Organization")({
  id: OrganizationId,
  name: Schema.String,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc)
}) {}

/** An organisation as it travels: `{id, name, created_at}`. */
export const encodeOrganization = Schema.encodeSync(Organization)

/** What creates an organisation. */
export const OrganizationDraft = Fields.object({ name: Fields.text({ max: MAX_NAME, blank: false }) })
export type OrganizationDraft = typeof OrganizationDraft.Type
