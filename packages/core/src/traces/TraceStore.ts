import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { AgentId, CallId, TraceId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { StoredTrace, Trace, TraceAddress, TraceState } from "./Trace.js"
import type { TracePart } from "./TracePart.js"

type Write = Permit<"calls:write">

/** What storage promises about traces. */
export class TraceStore extends Context.Tag("@earshot/core/traces/TraceStore")<
  TraceStore,
  {
    /** The traces that have one of the keys. */
    readonly find: (permit: Write, address: TraceAddress) => Effect.Effect<ReadonlyArray<StoredTrace>, StorageError>
    /**
     * Gives all the keys to one trace, which is locked until the transaction ends: the one that has one of them, the oldest if
     * they are several, into which the others are merged, or a new one.
     */
    readonly claim: (
      permit: Write,
      address: TraceAddress,
      trace: Pick<Trace, "agentId" | "redactFields">,
      now: DateTime.Utc
    ) => Effect.Effect<StoredTrace, StorageError>
    /** The traces whose spans are, or may be, of a call, by its agent and the id that its platform has for it. */
    readonly ofCall: (
      permit: Write,
      call: { readonly agentId: AgentId; readonly callId: string }
    ) => Effect.Effect<ReadonlyArray<StoredTrace>, StorageError>
    /** Those of some calls that no trace has stored. */
    readonly withoutTrace: (
      permit: Write,
      calls: ReadonlyArray<CallId>
    ) => Effect.Effect<ReadonlyArray<CallId>, StorageError>
    readonly findForUpdate: (permit: Write, id: TraceId) => Effect.Effect<Option.Option<StoredTrace>, StorageError>
    readonly save: (permit: Write, stored: StoredTrace) => Effect.Effect<void, StorageError>
    /** Adds the parts that it does not have yet; returns how many. */
    readonly addParts: (id: TraceId, parts: ReadonlyArray<TracePart>) => Effect.Effect<number, StorageError>
    /** Replaces parts by the same parts redacted. */
    readonly replaceParts: (id: TraceId, parts: ReadonlyArray<TracePart>) => Effect.Effect<void, StorageError>
    /** The parts by their start; of the last ones up to `limit`. */
    readonly parts: (id: TraceId, limit: number) => Effect.Effect<ReadonlyArray<TracePart>, StorageError>
    readonly read: (permit: Permit<"calls:read">, id: TraceId) => Effect.Effect<Option.Option<Trace>, StorageError>
    /** Newest first. */
    readonly list: (
      permit: Permit<"calls:read">,
      of: { readonly state: TraceState | undefined },
      page: PageRequest
    ) => Effect.Effect<Found<Trace>, StorageError>
    /**
     * Closes stored and failed traces whose last span came before an instant and deletes their parts, up to `limit`: the
     * job of a trace in any other state is still to run. Deletes traces in any state whose last span came before another
     * instant. Returns how many were closed.
     */
    readonly expire: (
      before: { readonly closed: DateTime.Utc; readonly deleted: DateTime.Utc },
      limit: number
    ) => Effect.Effect<number, StorageError>
  }
>() {}
