import * as Context from "effect/Context"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Permit } from "../access/Permit.js"
import { type UseCase, useCase } from "../access/UseCase.js"
import { decodeInput, fieldError, ValidationFailed } from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { AgentId, CallId, ProjectId } from "../kernel/Ids.js"
import type { Input } from "../kernel/Input.js"
import * as Pages from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import { type Charge, ChargeReason, type LedgerEntry, type LedgerFilter, type ReasonTotal } from "./LedgerEntry.js"
import { LedgerStore } from "./LedgerStore.js"

/** Which charges: by reason, project, agent, call, and by time from `since` to before `until`. */
export const LedgerFilterQuery = Fields.object({
  reason: Fields.optional(Fields.choice(ChargeReason.literals)),
  project: Fields.optional(Fields.id(ProjectId)),
  agent: Fields.optional(Fields.id(AgentId)),
  call: Fields.optional(Fields.id(CallId)),
  since: Fields.optional(Fields.timestamp),
  until: Fields.optional(Fields.timestamp)
})

/** The query of a list of charges. */
export const LedgerQuery = Fields.object({ ...Pages.PageQuery.fields, ...LedgerFilterQuery.fields })

/** A period that ends before it starts matches nothing, which is rather a mistake. */
const withPeriod = <A extends LedgerFilter>(filter: A): Effect.Effect<A, ValidationFailed> =>
  filter.since !== undefined && filter.until !== undefined && !DateTime.lessThan(filter.since, filter.until)
    ? Effect.fail(new ValidationFailed({ errors: fieldError("until", "Enter a time after `since`.") }))
    : Effect.succeed(filter)

/** The charges of the caller's organization. Source: docs/redaction.md and docs/metrics.md. */
export class Ledger extends Context.Tag("@earshot/core/credits/Ledger")<
  Ledger,
  {
    /** `{reason?, project?, agent?, call?, since?, until?, cursor?, limit?}`. Newest first. */
    readonly list: UseCase<
      "credits.list",
      [query: Input<typeof LedgerQuery>],
      Pages.Page<LedgerEntry>,
      ValidationFailed | StorageError
    >
    /** `{reason?, project?, agent?, call?, since?, until?}`. The sums of all charges that match, by reason. */
    readonly totals: UseCase<
      "credits.totals",
      [query: Input<typeof LedgerFilterQuery>],
      ReadonlyArray<ReasonTotal>,
      ValidationFailed | StorageError
    >
    /**
     * Adds charges in the transaction of what they are for. Charges are idempotent: one whose key was charged before is
     * skipped, and so is one of zero.
     */
    readonly charge: (
      permit: Permit,
      charges: ReadonlyArray<Charge>,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}

export const layer = Layer.effect(
  Ledger,
  Effect.map(LedgerStore, (store) =>
    Ledger.of({
      charge: (permit, charges, now) =>
        store.insert(
          permit,
          charges.filter(({ amount }) => amount !== 0n),
          now
        ),
      list: useCase("credits.list")((permit, query) =>
        Pages.paginate(LedgerQuery, query, (page, filter) =>
          Effect.flatMap(withPeriod(filter), (valid) => store.list(permit, valid, page))
        )
      ),
      totals: useCase("credits.totals")((permit, query) =>
        Effect.flatMap(Effect.flatMap(decodeInput(LedgerFilterQuery, query), withPeriod), (filter) =>
          store.totals(permit, filter)
        )
      )
    })
  )
)
