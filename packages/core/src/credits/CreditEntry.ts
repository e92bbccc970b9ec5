import * as Schema from "effect/Schema"
import { Credits, type MicroCredits } from "../kernel/Credits.js"
import * as Fields from "../kernel/Fields.js"
import { CreditEntryId, OrganizationId } from "../kernel/Ids.js"

/** A charge that was made. Entries are never changed and never removed. */
export class CreditEntry extends Schema.Class<CreditEntry>("@earshot/core/credits/CreditEntry")({
  id: CreditEntryId,
  organizationId: Fields.named("organization", OrganizationId),
  /** What was paid for: `metric_evaluation`, `redaction` and so on. */
  kind: Schema.String,
  /** What makes this charge one charge: a second of the same kind and key is not made. */
  key: Schema.String,
  amount: Credits,
  /** A sentence for the statement. */
  description: Schema.String,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc)
}) {}

/** A charge as it travels: `{id, organization, kind, key, amount, description, created_at}`. */
export const encodeCreditEntry = Schema.encodeSync(CreditEntry)

/** A charge to be made. */
export interface Charge {
  readonly kind: string
  readonly key: string
  readonly amount: MicroCredits
  readonly description: string
}
