import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { OrganizationId, ProjectId, ToolId } from "../kernel/Ids.js"
import { JsonObject } from "../kernel/Json.js"
import { MAX_NAME } from "./Project.js"

/** A tool that a simulated caller can use during a call. */
export class Tool extends Schema.Class<Tool>("@earshot/core/catalog/Tool")({
  id: ToolId,
  organizationId: Fields.named("organization", OrganizationId),
  projectId: Fields.named("project", ProjectId),
  name: Schema.String,
  description: Schema.String,
  /** The parameters of the tool, as a JSON Schema. */
  parameters: JsonObject,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** A tool in its wire form. */
export const encodeTool = Schema.encodeSync(Tool)

const MAX_DESCRIPTION = 10_000

/** The draft of a new tool. Source: docs/evaluators.md. */
export const ToolDraft = Fields.object({
  project: Fields.id(ProjectId),
  name: Fields.text({ max: MAX_NAME, blank: false }),
  description: Fields.withDefault(Fields.text({ max: MAX_DESCRIPTION }), ""),
  parameters: Fields.withDefault(JsonObject, {})
})
export type ToolDraft = typeof ToolDraft.Type

/** The patch of a tool; fields left out are unchanged. */
export const ToolPatch = Fields.object({
  name: Fields.optional(Fields.text({ max: MAX_NAME, blank: false })),
  description: Fields.optional(Fields.text({ max: MAX_DESCRIPTION })),
  parameters: Fields.optional(JsonObject)
})
