import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { OrganizationId, ProjectId } from "../kernel/Ids.js"

/** The longest name where the interface sets no limit. */
export const MAX_NAME = 255

/**
 * A project groups the agents, dashboards and test cases of an organization. The encoded side of a class's schema is its
 * wire form.
 */
export class Project extends Schema.Class<Project>("@earshot/core/catalog/Project")({
  id: ProjectId,
  organizationId: Fields.named("organization", OrganizationId),
  name: Schema.String,
  description: Schema.String,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** A project in its wire form: `{id, organization, name, description, created_at, updated_at}`. */
export const encodeProject = Schema.encodeSync(Project)

/** The draft of a new project. */
export const ProjectDraft = Fields.object({
  name: Fields.text({ max: MAX_NAME, blank: false }),
  description: Fields.withDefault(Fields.text({ max: 10_000 }), "")
})
export type ProjectDraft = typeof ProjectDraft.Type

/** The patch of a project; fields left out are unchanged. */
export const ProjectPatch = Fields.object({
  name: Fields.optional(Fields.text({ max: MAX_NAME, blank: false })),
  description: Fields.optional(Fields.text({ max: 10_000 }))
})
export type ProjectPatch = typeof ProjectPatch.Type
