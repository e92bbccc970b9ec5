import type { SensitiveField } from "@earshot/redaction"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Permit } from "../access/Permit.js"
import type { AgentId } from "../kernel/Ids.js"
import type { StorageError } from "../kernel/Storage.js"

/** Port: redacts the spans of calls, which are kept beside them. */
export class SpanRedaction extends Context.Tag("@earshot/core/calls/SpanRedaction")<
  SpanRedaction,
  {
    /**
     * Has the spans of a call redacted that are stored by fewer fields. It comes before the delivery, so that the job
     * is durable once the call is; spans that arrive in between are redacted when their call is stored.
     */
    readonly redact: (
      permit: Permit<"calls:write">,
      call: { readonly agentId: AgentId; readonly callId: string },
      fields: ReadonlyArray<SensitiveField>
    ) => Effect.Effect<void, StorageError>
  }
>() {}
