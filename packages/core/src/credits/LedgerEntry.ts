import * as Schema from "effect/Schema"
import { Credits, type MicroCredits } from "../kernel/Credits.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, CallId, LedgerEntryId, OrganizationId, ProjectId } from "../kernel/Ids.js"

/** What credits are charged for. */
export const ChargeReason = Schema.Literal("redaction", "metric_evaluation")
export type ChargeReason = typeof ChargeReason.Type

/** A charge: never changed and never deleted, not even with what it was charged for. */
export class LedgerEntry extends Schema.Class<LedgerEntry>("@earshot/core/credits/LedgerEntry")({
  id: LedgerEntryId,
  organizationId: Fields.named("organization", OrganizationId),
  projectId: Fields.named("project", ProjectId),
  agentId: Fields.named("agent", Schema.NullOr(AgentId)),
  /** The call it was charged for, which may be gone by now. */
  callId: Fields.named("call", Schema.NullOr(CallId)),
  reason: ChargeReason,
  /** What was measured, where the price is one by time. */
  seconds: Schema.NullOr(Schema.Number),
  /** Credits, a decimal of six places; positive is what the organization owes. */
  amount: Credits,
  createdAt: Fields.named("created_at", Schema.DateTimeUtc)
}) {}

/** An entry in its wire form: `{id, organization, project, agent, call, reason, seconds, amount, created_at}`. */
export const encodeLedgerEntry = Schema.encodeSync(LedgerEntry)

/** A charge to be made. */
export interface Charge {
  readonly reason: ChargeReason
  /** What is charged once: a second charge of the same key is not made. */
  readonly key: string
  readonly projectId: ProjectId
  readonly agentId: AgentId | null
  readonly callId: CallId | null
  readonly amount: MicroCredits
}
