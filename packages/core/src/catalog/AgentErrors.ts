import * as Schema from "effect/Schema"

/** Another agent of the organization has this assistant id. */
export class AssistantIdTaken extends Schema.TaggedError<AssistantIdTaken>("@earshot/core/catalog/AssistantIdTaken")(
  "AssistantIdTaken",
  { assistantId: Schema.String }
) {}
