import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../kernel/Storage.js"
import type { ResourceScope } from "./Actor.js"
import type { Permit } from "./Permit.js"

/** What storage promises about the things that bounds name. A permit's organisation bounds every answer. */
export class ResourceScopeStore extends Context.Tag("@earshot/core/access/ResourceScopeStore")<
  ResourceScopeStore,
  {
    /**
     * Those of the bounds whose thing is there, each once and in no order: what is deleted is not, nor what another
     * organisation owns.
     */
    readonly present: (
      permit: Permit<"keys:manage">,
      bounds: ReadonlyArray<ResourceScope>
    ) => Effect.Effect<ReadonlyArray<ResourceScope>, StorageError>
  }
>() {}
