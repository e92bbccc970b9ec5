import * as Schema from "effect/Schema"

/** Another agent of the organisation answers to this assistant id already. */
export class AssistantIdTaken extends Schema.TaggedError<AssistantIdTaken>("@earshot/core/catalog/AssistantIdTaken")(
  "AssistantIdTaken",
  { assistantId: Schema.String }
) {}
