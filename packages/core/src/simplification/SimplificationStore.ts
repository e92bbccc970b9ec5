import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { StorageError } from "../kernel/Storage.js"
import type { StoredSimplification } from "./Simplification.js"

/** What shortens prompts: rules only, or rules and a language model. */
export type Simplifier = "rules" | "model"

/** A prompt to simplify. */
export interface NewSimplification {
  /** Its id in the organization, which is also the key of its job. */
  readonly progressId: string
  readonly prompt: string
  /** SHA-256 of the prompt, in lower-case hex. */
  readonly promptHash: string
}

/** The result of a simplification. */
export interface SimplifiedPrompt {
  readonly text: string
  /** SHA-256 of the text, in lower-case hex. */
  readonly hash: string
  readonly by: Simplifier
}

/** What storage promises about simplifications. Every result is limited to the permit's organization. */
export class SimplificationStore extends Context.Tag("@earshot/core/simplification/SimplificationStore")<
  SimplificationStore,
  {
    /**
     * Inserts a simplification, unless one of the same prompt is in progress or was completed in the last ten seconds: then
     * returns that one's progress id, whichever process began it. One whose job is dead or gone is not in progress. The
     * caller enqueues the job in the same transaction, with the progress id as its key.
     */
    readonly begin: (
      permit: Permit<"catalog:write">,
      simplification: NewSimplification,
      now: DateTime.Utc
    ) => Effect.Effect<{ readonly progressId: string; readonly created: boolean }, StorageError>
    readonly find: (
      permit: Permit,
      progressId: string
    ) => Effect.Effect<Option.Option<StoredSimplification>, StorageError>
    /** Stores the result and ends the simplification. `isResult` is true of its hash from then on. */
    readonly complete: (
      permit: Permit,
      progressId: string,
      simplified: SimplifiedPrompt,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** Stores why there is no result. */
    readonly fail: (permit: Permit, progressId: string, reason: string) => Effect.Effect<void, StorageError>
    /** Whether the prompt of this hash is a result of one of these simplifiers. */
    readonly isResult: (
      permit: Permit,
      promptHash: string,
      by: ReadonlyArray<Simplifier>
    ) => Effect.Effect<boolean, StorageError>
    /** Deletes simplifications of all organizations that were requested before an instant, except those in progress. */
    readonly tidy: (before: DateTime.Utc) => Effect.Effect<void, StorageError>
  }
>() {}
