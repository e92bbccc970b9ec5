import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { StorageError } from "../kernel/Storage.js"
import type { StoredSimplification } from "./Simplification.js"

/** What takes words away: rules alone, or a language model as well. */
export type Simplifier = "rules" | "model"

/** A prompt to simplify. */
export interface NewSimplification {
  /** Its id for the organization and, as the key, of its job. */
  readonly progressId: string
  readonly prompt: string
  /** SHA-256 of the prompt, in lower-case hex. */
  readonly promptHash: string
}

/** How a simplification came out. */
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
     * Keeps a simplification, unless one of the same prompt is under way, or was completed in the last ten seconds: then
     * that one's progress id is answered, whichever process began it. One whose job is dead or gone is not under way. The job is to be enqueued, with the
     * progress id as its key, in the same transaction as this.
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
    /** Keeps the result, and that this text is one; the simplification is not under way any more. */
    readonly complete: (
      permit: Permit,
      progressId: string,
      simplified: SimplifiedPrompt,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    /** Keeps why there is no result. */
    readonly refuse: (permit: Permit, progressId: string, reason: string) => Effect.Effect<void, StorageError>
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
