import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { AgentId, CallId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { SensitiveField } from "@earshot/redaction"
import type { CallDeleted, RedactionIncomplete } from "./CallErrors.js"
import type { CallCriteria } from "./CallQuery.js"
import type { CallRecord } from "./CallRecord.js"
import type { Delivery } from "./Delivery.js"
import type { CallExpansions, ListedCall } from "./ListedCall.js"

/** The result of a stored delivery. */
export interface DeliveryOutcome {
  readonly call: CallRecord
  /** False for a redelivery. */
  readonly created: boolean
  readonly transcriptChanged: boolean
  /** Blobs that no record refers to anymore. */
  readonly released: ReadonlyArray<string>
}

/** Port: storage of production calls. Every operation is limited to the permit's organization and resource scope. */
export class CallStore extends Context.Tag("@earshot/core/calls/CallStore")<
  CallStore,
  {
    /**
     * Stores a delivery as a new record (`firstRecord`), or merges it into the record with its `(agent, call_id)`
     * (`mergeRedelivery`). Completes when the change is durable. Concurrent deliveries share a transaction (group
     * commit), but each has its own outcome, and interrupting one does not affect the others. It does not take part in
     * the caller's transaction. The evaluation job (see `EvaluationJob`) is enqueued in the same transaction. Fails with
     * `RedactionIncomplete` if `mergeRedelivery` reports missing redaction, and with `CallDeleted` if the merge base was
     * deleted. Redaction is charged once per call.
     */
    readonly deliver: (
      permit: Permit<"calls:write">,
      delivery: Delivery
    ) => Effect.Effect<DeliveryOutcome, StorageError | RedactionIncomplete | CallDeleted>
    /** The record with `(agent, callId)`, if there is one. */
    readonly findByCallId: (
      permit: Permit<"calls:write">,
      agent: AgentId,
      callId: string
    ) => Effect.Effect<Option.Option<CallRecord>, StorageError>
    /** The fields that are redacted in calls with one of these ids, of the agent or, without one, of any. */
    readonly redactFieldsOf: (
      permit: Permit<"calls:write">,
      calls: { readonly agentId: AgentId | null; readonly callIds: ReadonlyArray<string> }
    ) => Effect.Effect<ReadonlyArray<SensitiveField>, StorageError>
    readonly find: (permit: Permit, id: CallId) => Effect.Effect<Option.Option<CallRecord>, StorageError>
    /** Newest first; a page ends early at `PageBytes`. */
    readonly list: (
      permit: Permit<"calls:read">,
      question: CallCriteria,
      page: PageRequest,
      expand: CallExpansions
    ) => Effect.Effect<Found<ListedCall>, StorageError>
    /** As `list`, with whole records. */
    readonly listRecords: (
      permit: Permit<"calls:read">,
      question: CallCriteria,
      page: PageRequest
    ) => Effect.Effect<Found<CallRecord>, StorageError>
    /** As `find`, and locks the call until the transaction ends (FOR UPDATE). */
    readonly findForUpdate: (
      permit: Permit<"calls:write" | "calls:delete">,
      id: CallId
    ) => Effect.Effect<Option.Option<CallRecord>, StorageError>
    /**
     * Locks a call as `findForUpdate` does and returns its current `redactFields` without loading the transcript. To be
     * checked before storing anything derived from a call that was read earlier.
     */
    readonly lockRedactFields: (
      permit: Permit<"calls:write">,
      id: CallId
    ) => Effect.Effect<Option.Option<ReadonlyArray<SensitiveField>>, StorageError>
    /** Saves what a review changes: success, review, feedback, drop-off point, topic. */
    readonly saveReview: (permit: Permit<"calls:write">, call: CallRecord) => Effect.Effect<void, StorageError>
    /** Saves what an evaluation changes: success, drop-off point, topic, evaluation. */
    readonly saveEvaluation: (permit: Permit<"calls:write">, call: CallRecord) => Effect.Effect<void, StorageError>
    /** Deletes the call with everything that belongs to it, except the recording's blob. */
    readonly remove: (permit: Permit<"calls:delete">, id: CallId) => Effect.Effect<void, StorageError>
  }
>() {}
