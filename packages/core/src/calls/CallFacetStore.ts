import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { Permit } from "../access/Permit.js"
import type { StorageError } from "../kernel/Storage.js"
import type { CallFacets, FacetRequest } from "./CallFacets.js"

/** Port: how many calls have each value of a field. */
export class CallFacetStore extends Context.Tag("@earshot/core/calls/CallFacetStore")<
  CallFacetStore,
  {
    /**
     * The facets of the calls in the scope of a permit that match, of the calls as they are at one moment. It runs as a
     * list does, with the same time limit; fields that are not counted by then are `timedOut`. It fails with `QueryTimedOut`
     * only where the calls themselves cannot be counted in time.
     */
    readonly count: (permit: Permit<"calls:read">, request: FacetRequest) => Effect.Effect<CallFacets, StorageError>
  }
>() {}
