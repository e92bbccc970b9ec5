import * as Schema from "effect/Schema"
import { Credits, type MicroCredits } from "../kernel/Credits.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, CallId, LedgerEntryId, OrganizationId, ProjectId } from "../kernel/Ids.js"

/** What credits are charged for. */
export const ChargeReason = Schema.Literal("redaction", "metric_evaluation")
export type ChargeReason = typeof ChargeReason.Type

/** A charge. Immutable, and retained after what it was charged for is deleted. */
export class LedgerEntry extends Schema.Class<LedgerEntry>("@earshot/core/credits/LedgerEntry")({
  id: LedgerEntryId,
  organizationId: Fields.named("organization", OrganizationId),
  projectId: Fields.named("project", ProjectId),
  agentId: Fields.named("agent", Schema.NullOr(AgentId)),
  /** The call it was charged for, which may be deleted. */
  callId: Fields.named("call", Schema.NullOr(CallId)),
  reason: ChargeReason,
  /** The measured time, if the price is by time. */
  seconds: Schema.NullOr(Schema.Number),
  /** Credits, a decimal of six places; positive amounts are owed by the organization. */
  amount: Credits,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc)
}) {}

/** An entry in its wire form: `{id, organization, project, agent, call, reason, seconds, amount, created_at}`. */
export const encodeLedgerEntry = Schema.encodeSync(LedgerEntry)

/** A new charge. */
export interface Charge {
  readonly reason: ChargeReason
  /** The idempotency key: a second charge with the same key is skipped. */
  readonly key: string
  readonly projectId: ProjectId
  readonly agentId: AgentId | null
  readonly callId: CallId | null
  readonly amount: MicroCredits
}
