import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import { Credits, format, type MicroCredits, sum } from "../kernel/Credits.js"
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

/** Which entries. Of one project, agent, call or reason; `since` is included, `until` is not. */
export interface LedgerFilter {
  readonly reason?: ChargeReason | undefined
  readonly project?: ProjectId | undefined
  readonly agent?: AgentId | undefined
  readonly call?: CallId | undefined
  readonly since?: DateTime.Utc | undefined
  readonly until?: DateTime.Utc | undefined
}

/** The charges for one reason. */
export interface ReasonTotal {
  readonly reason: ChargeReason
  readonly entries: number
  readonly amount: MicroCredits
}

/** Credits in their wire form without the limit of a price, since a sum can be larger. */
const Amount = Schema.String.annotations({ jsonSchema: { type: "string", pattern: "^-?\\d+\\.\\d{6}$" } })

/** The wire form of the sum of charges. */
export const LedgerTotals = Schema.Struct({
  entries: Schema.Int.annotations({ description: "Number of charges." }),
  amount: Amount,
  by_reason: Schema.Array(
    Schema.Struct({
      reason: ChargeReason,
      entries: Schema.Int.annotations({ description: "Number of charges." }),
      amount: Amount
    }).annotations({ identifier: "LedgerReasonTotal" })
  ).annotations({ description: "The same by reason; reasons without a charge are left out." })
}).annotations({ identifier: "LedgerTotals" })

export const encodeLedgerTotals = (totals: ReadonlyArray<ReasonTotal>): typeof LedgerTotals.Type => ({
  entries: totals.reduce((all, { entries }) => all + entries, 0),
  amount: format(sum(totals.map(({ amount }) => amount))),
  by_reason: totals.map(({ amount, entries, reason }) => ({ reason, entries, amount: format(amount) }))
})
