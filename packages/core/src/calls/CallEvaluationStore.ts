import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type { Permit } from "../access/Permit.js"
import type { CallId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { CallRecord } from "./CallRecord.js"

/** What of a call its evaluations change. */
export type CallOutcome = Pick<CallRecord, "id" | "success" | "dropoffPoint" | "topic" | "evaluation">

/** What of a call decides how its evaluations change it. */
export type LockedCall = CallOutcome & Pick<CallRecord, "isReviewed" | "redactFields">

/** Port: the calls of one organization that are evaluated together, in one statement for all of them. */
export class CallEvaluationStore extends Context.Tag("@earshot/core/calls/CallEvaluationStore")<
  CallEvaluationStore,
  {
    /** The calls that exist, with their transcripts, by id. */
    readonly findAll: (
      permit: Permit<"calls:write">,
      ids: ReadonlyArray<CallId>
    ) => Effect.Effect<ReadonlyArray<CallRecord>, StorageError>
    /** Locks the calls that exist until the transaction ends, in the order of their ids. */
    readonly lockAll: (
      permit: Permit<"calls:write">,
      ids: ReadonlyArray<CallId>
    ) => Effect.Effect<ReadonlyArray<LockedCall>, StorageError>
    /** Saves what evaluations change. */
    readonly saveAll: (
      permit: Permit<"calls:write">,
      outcomes: ReadonlyArray<CallOutcome>,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
  }
>() {}
