import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../kernel/Storage.js"
import type { ResourceScope } from "./Actor.js"
import type { Permit } from "./Permit.js"

/** Looks up the resources of scopes. A permit's organization limits every answer. */
export class ResourceScopeStore extends Context.Tag("@earshot/core/access/ResourceScopeStore")<
  ResourceScopeStore,
  {
    /**
     * The scopes whose resource exists, each once and in no order. Deleted resources and those of other organizations do
     * not exist.
     */
    readonly present: (
      permit: Permit<"keys:manage">,
      scopes: ReadonlyArray<ResourceScope>
    ) => Effect.Effect<ReadonlyArray<ResourceScope>, StorageError>
  }
>() {}
