import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { OrganizationId } from "../kernel/Ids.js"
import { MAX_NAME } from "./Project.js"

/** A tenant: all data belongs to one organization, and no caller can access another one. */
export class Organization extends Schema.Class<Organization>("@earshot/core/catalog/Organization")({
  id: OrganizationId,
  name: Schema.String,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc)
}) {}

/** An organization in its wire form: `{id, name, created_at}`. */
export const encodeOrganization = Schema.encodeSync(Organization)

/** The draft of a new organization. */
export const OrganizationDraft = Fields.object({ name: Fields.text({ max: MAX_NAME, blank: false }) })
export type OrganizationDraft = typeof OrganizationDraft.Type
