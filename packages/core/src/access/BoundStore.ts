import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { StorageFault } from "../kernel/Storage.js"
import type { Bound } from "./Actor.js"
import type { Permit } from "./Permit.js"

/** What storage promises about the things that bounds name. A permit's organisation bounds every answer. */
export class BoundStore extends Context.Tag("@earshot/core/access/BoundStore")<
  BoundStore,
  {
    /**
     * Those of the bounds whose thing is there, each once and in no order: what is deleted is not, nor what another
     * organisation owns.
     */
    readonly present: (
      permit: Permit<"keys:manage">,
      bounds: ReadonlyArray<Bound>
    ) => Effect.Effect<ReadonlyArray<Bound>, StorageFault>
  }
>() {}
