import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { Filter } from "../filters/Filter.js"
import type { AgentId, CallId, ProjectId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { SensitiveField } from "@earshot/redaction"
import type { CallDeleted, RedactionIncomplete } from "./CallErrors.js"
import type { CallRecord } from "./CallRecord.js"
import type { Delivery } from "./Delivery.js"

/** What became of a delivery. */
export interface DeliveryOutcome {
  readonly call: CallRecord
  /** False where the call had been delivered before. */
  readonly created: boolean
  /** Whether what there is to evaluate is new. */
  readonly transcriptChanged: boolean
  /** Blobs that no record refers to any more. */
  readonly released: ReadonlyArray<string>
}

/** Which calls a list asks for. */
export interface CallCriteria {
  readonly filter: Filter
  readonly agentId: AgentId | undefined
  readonly projectId: ProjectId | undefined
  /** What relative times in the filter are relative to. */
  readonly now: DateTime.Utc
}

/** What storage promises about production calls. A permit's organisation and bounds limit every answer. */
export class CallStore extends Context.Tag("@earshot/core/calls/CallStore")<
  CallStore,
  {
    /**
     * Keeps a delivery: a new record (`Redelivery.firstRecord`), or the one its `(agent, call_id)` names, changed by
     * `Redelivery.redeliver`. It answers when the change is durable. Deliveries that wait at the same time share a
     * transaction but not their fate: each has its own outcome, and interrupting one leaves the others alone. It takes
     * no part in a transaction of the caller's. Where the call is to be evaluated, the job that does it (see
     * `EvaluationJob`) is there if and only if the change is. A delivery that would leave standing what another one asked
     * to be redacted is not kept (`Redelivery.redeliver`), nor is one whose call is gone meanwhile; one that is charged
     * for is charged once a call.
     */
    readonly deliver: (
      permit: Permit<"calls:write">,
      delivery: Delivery
    ) => Effect.Effect<DeliveryOutcome, StorageError | RedactionIncomplete | CallDeleted>
    /** The record that deliveries of `(agent, callId)` go to, if there is one. */
    readonly findByCallId: (
      permit: Permit<"calls:write">,
      agent: AgentId,
      callId: string
    ) => Effect.Effect<Option.Option<CallRecord>, StorageError>
    readonly find: (permit: Permit, id: CallId) => Effect.Effect<Option.Option<CallRecord>, StorageError>
    /** Newest first; up to one more than the page holds (see `Pages.pageOf`). */
    readonly list: (
      permit: Permit<"calls:read">,
      question: CallCriteria,
      page: PageRequest
    ) => Effect.Effect<ReadonlyArray<CallRecord>, StorageError>
    /** Locks a call for the rest of the transaction, so that a review, a delivery and a deletion do not undo each other. */
    readonly findForUpdate: (
      permit: Permit<"calls:write" | "calls:delete">,
      id: CallId
    ) => Effect.Effect<Option.Option<CallRecord>, StorageError>
    /**
     * Locks a call as `findForUpdate` does and answers what is redacted in it by now, without reading what was said:
     * whoever kept the call in mind asks before writing down something about it.
     */
    readonly lockRedactFields: (
      permit: Permit<"calls:write">,
      id: CallId
    ) => Effect.Effect<Option.Option<ReadonlyArray<SensitiveField>>, StorageError>
    /** Saves what a review changes: success, review, feedback, drop-off point, topic. */
    readonly saveReview: (permit: Permit<"calls:write">, call: CallRecord) => Effect.Effect<void, StorageError>
    /** Saves what an evaluation changes: success, drop-off point, topic, evaluation. */
    readonly saveEvaluation: (permit: Permit<"calls:write">, call: CallRecord) => Effect.Effect<void, StorageError>
    /** Deletes the call with all that belongs to it, but for the recording's bytes. */
    readonly remove: (permit: Permit<"calls:delete">, id: CallId) => Effect.Effect<void, StorageError>
  }
>() {}
