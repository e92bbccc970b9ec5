import * as Context from "effect/Context"
import type * as Stream from "effect/Stream"
import type { Forbidden, NotFound, Unauthenticated } from "../access/AccessErrors.js"
import type { CurrentActor } from "../access/Actor.js"
import type { UseCase } from "../access/UseCase.js"
import type { ValidationFailed } from "../kernel/Faults.js"
import type { CallId } from "../kernel/Ids.js"
import type { Page } from "../kernel/Pages.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { CallRecord } from "./CallRecord.js"

/** What became of a delivered call. */
export interface Ingested {
  readonly call: CallRecord
  /** False for a call that was delivered before and is updated by this delivery. */
  readonly created: boolean
}

/** Production calls of the caller's organisation. Inputs are what came from outside and are judged here. */
export class Calls extends Context.Tag("@earshot/core/calls/Calls")<
  Calls,
  {
    /**
     * E10. The body as parsed JSON or form fields (see `IngestBody`), with an `Upload` under `voice_recording` where a
     * file came along. Answers once the call is durably kept. It keeps the call in a transaction of its own, which it
     * shares with other deliveries: do not call it inside `UnitOfWork.atomically`.
     */
    readonly ingest: UseCase<"calls.ingest", [input: unknown], Ingested, ValidationFailed | StorageFault>
    /** `{filters_v2?, agent_id?, project?, cursor?, limit?}`; `filters_v2` as JSON text or an object. Newest first. */
    readonly list: UseCase<"calls.list", [query: unknown], Page<CallRecord>, ValidationFailed | StorageFault>
    readonly read: UseCase<"calls.read", [id: CallId], CallRecord, NotFound | StorageFault>
    /** What a person says of a call: `{success?, is_reviewed?, status?, feedback?, dropoff_point?, topic?}`. */
    readonly review: UseCase<
      "calls.review",
      [id: CallId, patch: unknown],
      CallRecord,
      ValidationFailed | NotFound | StorageFault
    >
    /** Deletes a call for good, with its transcript, evaluations and recording. */
    readonly delete: UseCase<"calls.delete", [id: CallId], void, NotFound | StorageFault>
    /** Every call that `list` would page through, oldest page last, read page by page as the stream is pulled. */
    readonly export: (
      query: unknown
    ) => Stream.Stream<CallRecord, ValidationFailed | StorageFault | Unauthenticated | Forbidden, CurrentActor>
  }
>() {}
