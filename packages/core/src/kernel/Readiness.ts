import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"

/** What was checked, and why it failed; null if it did not. */
export interface ReadinessCheck {
  readonly name: "database" | "schema" | "recordings"
  readonly failure: string | null
}

/** Checks whether requests can be served now. */
export class Readiness extends Context.Tag("@earshot/core/kernel/Readiness")<
  Readiness,
  {
    /**
     * Writes to the database and to the store of recordings, and compares the schema with this version's. Each check ends
     * within two seconds; the result is kept for one second.
     */
    readonly checks: Effect.Effect<ReadonlyArray<ReadinessCheck>>
  }
>() {}
