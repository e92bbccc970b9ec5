import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageError } from "../kernel/Storage.js"
import type { ResourceScope } from "./Actor.js"
import type { Permit } from "./Permit.js"
declare const ResourceScopeStore_base: Context.TagClass<
  ResourceScopeStore,
  "@earshot/core/access/ResourceScopeStore",
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
>
/** What storage promises about the things that bounds name. A permit's organisation bounds every answer. */
export declare class ResourceScopeStore extends ResourceScopeStore_base {}
export {}
//# sourceMappingURL=ResourceScopeStore.d.ts.map
