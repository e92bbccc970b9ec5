import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { OrganizationId, PersonalityId, ProjectId } from "../kernel/Ids.js"
import { LanguageCode } from "./LanguageCode.js"
import { MAX_NAME } from "./Project.js"

/**
 * How a simulated caller speaks and behaves. It was made in one project and may be enabled in any of the organisation's
 * (docs/decisions/0080-personalities-enabled-per-project.md).
 */
export class Personality extends Schema.Class<Personality>("@earshot/core/catalog/Personality")({
  id: PersonalityId,
  organizationId: Fields.named("organization", OrganizationId),
  /** Where it was made. */
  projectId: Fields.named("project", ProjectId),
  name: Schema.String,
  language: LanguageCode,
  /** What the caller is told about its own manner. */
  description: Schema.String,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** A personality as it travels. */
export const encodePersonality = Schema.encodeSync(Personality)

const MAX_DESCRIPTION = 10_000

/** What creates a personality. Source: design, section 7. */
export const PersonalityDraft = Fields.object({
  project: Fields.id(ProjectId),
  name: Fields.text({ max: MAX_NAME, blank: false }),
  language: Fields.choice(LanguageCode.literals),
  description: Fields.withDefault(Fields.text({ max: MAX_DESCRIPTION }), "")
})
export type PersonalityDraft = typeof PersonalityDraft.Type

/** What changes a personality; fields left out stay as they are. */
export const PersonalityPatch = Fields.object({
  name: Fields.optional(Fields.text({ max: MAX_NAME, blank: false })),
  language: Fields.optional(Fields.choice(LanguageCode.literals)),
  description: Fields.optional(Fields.text({ max: MAX_DESCRIPTION }))
})

/** Whether a project may use a personality. */
export type PersonalityAvailability = "enabled" | "not enabled" | "unknown"
