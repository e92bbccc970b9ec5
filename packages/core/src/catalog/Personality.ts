import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { OrganizationId, PersonalityId, ProjectId } from "../kernel/Ids.js"
import { LanguageCode } from "./LanguageCode.js"
import { MAX_NAME } from "./Project.js"
import { voiceBehavior, VoiceBehavior } from "./VoiceBehavior.js"

/**
 * How a simulated caller speaks and behaves. It belongs to one project and can be enabled in every project of the
 * organization (docs/decisions/0080-personalities-enabled-per-project.md).
 */
export class Personality extends Schema.Class<Personality>("@earshot/core/catalog/Personality")({
  id: PersonalityId,
  organizationId: Fields.named("organization", OrganizationId),
  /** The project that it was created in. */
  projectId: Fields.named("project", ProjectId),
  name: Schema.String,
  language: LanguageCode,
  /** Instructions on how the caller speaks and behaves. */
  description: Schema.String,
  /** How the caller behaves in calls by voice; null for a caller that waits for its turn. */
  voiceBehavior: Fields.named("voice_behavior", Schema.NullOr(VoiceBehavior)),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** A personality in its wire form. */
export const encodePersonality = Schema.encodeSync(Personality)

const MAX_DESCRIPTION = 10_000

/** The draft of a new personality. Source: docs/evaluators.md. */
export const PersonalityDraft = Fields.object({
  project: Fields.id(ProjectId),
  name: Fields.text({ max: MAX_NAME, blank: false }),
  language: Fields.choice(LanguageCode.literals),
  description: Fields.withDefault(Fields.text({ max: MAX_DESCRIPTION }), ""),
  voice_behavior: Fields.withDefault(voiceBehavior, null)
})
export type PersonalityDraft = typeof PersonalityDraft.Type

/** The patch of a personality; fields left out are unchanged. */
export const PersonalityPatch = Fields.object({
  name: Fields.optional(Fields.text({ max: MAX_NAME, blank: false })),
  language: Fields.optional(Fields.choice(LanguageCode.literals)),
  description: Fields.optional(Fields.text({ max: MAX_DESCRIPTION })),
  /** Replaces the whole behavior. */
  voice_behavior: Fields.optional(voiceBehavior)
})

/** Whether a project may use a personality. */
export type PersonalityAvailability = "enabled" | "not enabled" | "unknown"
