import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { OrganizationId, PhoneNumberId, ProjectId } from "../kernel/Ids.js"
import { MAX_NAME } from "./Project.js"

/** A number that simulated callers call from. */
export class PhoneNumber extends Schema.Class<PhoneNumber>("@earshot/core/catalog/PhoneNumber")({
  id: PhoneNumberId,
  organizationId: Fields.named("organization", OrganizationId),
  projectId: Fields.named("project", ProjectId),
  /** As given: an E.164 number, or a carrier's name of the line. */
  number: Schema.String,
  name: Schema.String,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** A phone number in its wire form. */
export const encodePhoneNumber = Schema.encodeSync(PhoneNumber)

/** As long as a call's `customer_number`, which is the other end of the same line. */
const number = Fields.text({ max: 100, blank: false })

/** The draft of a new phone number. Source: docs/evaluators.md. */
export const PhoneNumberDraft = Fields.object({
  project: Fields.id(ProjectId),
  number,
  name: Fields.withDefault(Fields.text({ max: MAX_NAME }), "")
})
export type PhoneNumberDraft = typeof PhoneNumberDraft.Type

/** The patch of a phone number; fields left out are unchanged. */
export const PhoneNumberPatch = Fields.object({
  number: Fields.optional(number),
  name: Fields.optional(Fields.text({ max: MAX_NAME }))
})
