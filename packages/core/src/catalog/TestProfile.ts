import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { AgentId, ProjectId, TestProfileId, UserId } from "../kernel/Ids.js"
import { ANY_OBJECT, JsonObject } from "../kernel/Json.js"
import { validateInformation } from "./ProfileRules.js"
import { MAX_NAME } from "./Project.js"

/** What a simulated caller knows about itself. Source: interface, Test profile. */
export class TestProfile extends Schema.Class<TestProfile>("@earshot/core/catalog/TestProfile")({
  id: TestProfileId,
  name: Schema.String,
  projectId: Fields.named("project", ProjectId),
  /** The agent it is for; null for all agents of the project. */
  agentId: Fields.named("agent", Schema.NullOr(AgentId)),
  agentName: Fields.named("agent_name", Schema.NullOr(Schema.String)),
  /** Sections of facts; `main_agent_variables` holds the values of `{{variable}}` placeholders. See `ProfileRules`. */
  information: JsonObject,
  createdBy: Fields.named("created_by", Schema.NullOr(UserId)),
  lastUpdatedBy: Fields.named("last_updated_by", Schema.NullOr(UserId)),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** A test profile in its wire form. */
export const encodeTestProfile = Schema.encodeSync(TestProfile)

const information = Fields.custom<JsonObject, JsonObject>(validateInformation, (value) => value, ANY_OBJECT)

/** The draft of a new test profile. Source: docs/evaluators.md. */
export const TestProfileDraft = Fields.object({
  project: Fields.id(ProjectId),
  name: Fields.text({ max: MAX_NAME, blank: false }),
  agent: Fields.withDefault(Fields.nullable(Fields.id(AgentId)), null),
  information: Fields.withDefault(information, {})
})
export type TestProfileDraft = typeof TestProfileDraft.Type

/** The patch of a test profile; fields left out are unchanged. */
export const TestProfilePatch = Fields.object({
  name: Fields.optional(Fields.text({ max: MAX_NAME, blank: false })),
  agent: Fields.optional(Fields.nullable(Fields.id(AgentId))),
  information: Fields.optional(information)
})
