import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { OrganizationId, ProjectId } from "../kernel/Ids.js"

/** The longest name of anything in the catalogue that the interface sets no limit for. */
export const MAX_NAME = 255

/**
 * A project: the room in an organisation that agents, dashboards and test cases share. The encoded side of a noun's
 * schema is its wire form.
 */
export class Project extends Schema.Class<Project>("@earshot/core/catalog/Project")({
  id: ProjectId,
  organizationId: Fields.named("organization", OrganizationId),
  name: Schema.String,
  description: Schema.String,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** A project as it travels: `{id, organization, name, description, created_at, updated_at}`. */
export const encodeProject = Schema.encodeSync(Project)

/** What creates a project. */
export const ProjectDraft = Fields.object({
  name: Fields.text({ max: MAX_NAME, blank: false }),
  description: Fields.withDefault(Fields.text({ max: 10_000 }), "")
})
export type ProjectDraft = typeof ProjectDraft.Type

/** What changes a project; fields left out stay as they are. */
export const ProjectPatch = Fields.object({
  name: Fields.optional(Fields.text({ max: MAX_NAME, blank: false })),
  description: Fields.optional(Fields.text({ max: 10_000 }))
})
export type ProjectPatch = typeof ProjectPatch.Type
