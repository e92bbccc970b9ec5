import type { SensitiveField } from "@earshot/redaction"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { AgentId, CallId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"
import type { CallRecord } from "./CallRecord.js"
import { CallStore } from "./CallStore.js"

/** What traces have to know of calls, and may remove, beyond the use cases of `Calls`. */
export class TracedCalls extends Context.Tag("@earshot/core/calls/TracedCalls")<
  TracedCalls,
  {
    /** The fields that are redacted in calls with one of these ids, of the agent or, without one, of any. */
    readonly redactFields: (
      permit: Permit<"calls:write">,
      calls: { readonly agentId: AgentId | null; readonly callIds: ReadonlyArray<string> }
    ) => Effect.Effect<ReadonlyArray<SensitiveField>, StorageError>
    /** Deletes those of some calls that a condition holds for. Call it in a transaction. */
    readonly removeIf: (
      permit: Permit<"calls:delete">,
      ids: ReadonlyArray<CallId>,
      condition: (call: CallRecord) => boolean
    ) => Effect.Effect<void, StorageError>
  }
>() {}

export const layer = Layer.effect(
  TracedCalls,
  Effect.map(CallStore, (store) =>
    TracedCalls.of({
      redactFields: store.redactFieldsOf,
      removeIf: (permit, ids, condition) =>
        Effect.gen(function* () {
          for (const id of ids) {
            const call = Option.getOrUndefined(yield* store.findForUpdate(permit, id))
            if (call !== undefined && condition(call)) yield* store.remove(permit, id)
          }
        })
    })
  )
)
