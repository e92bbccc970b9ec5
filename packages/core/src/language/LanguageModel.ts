import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The request to the model failed. The reason can be stored: it repeats nothing of the question. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>("@earshot/core/language/ModelUnavailable")(
  "ModelUnavailable",
  {
    reason: Schema.String,
    /** Whether a later attempt may succeed. */
    retry: Schema.Boolean,
    /** The server's `Retry-After` in milliseconds. */
    retryAfter: Schema.optional(Schema.Number)
  }
) {
  override get message(): string {
    return this.reason
  }
}

/** The model's answer does not match the schema. */
export class AnswerUnusable extends Schema.TaggedError<AnswerUnusable>("@earshot/core/language/AnswerUnusable")(
  "AnswerUnusable",
  { reason: Schema.String }
) {
  override get message(): string {
    return this.reason
  }
}

/** A question whose answer has a schema. */
export interface Question<A, I> {
  /** The system prompt; it must not contain text of callers. */
  readonly system: string
  readonly prompt: string
  /** The schema's name, in snake_case. */
  readonly name: string
  readonly schema: Schema.Schema<A, I>
}

/** An answer, and what is needed to reproduce it. */
export interface Answer<A> {
  readonly value: A
  /** The model's name, as its server states it. */
  readonly model: string
  /** SHA-256 of the question, in lower-case hex. */
  readonly promptHash: string
  readonly seed: number
}

export type Ask = <A, I>(question: Question<A, I>) => Effect.Effect<Answer<A>, ModelUnavailable | AnswerUnusable>

/** The configured language model, if any. */
export class LanguageModel extends Context.Tag("@earshot/core/language/LanguageModel")<
  LanguageModel,
  { readonly ask: Option.Option<Ask> }
>() {}

/** No language model: what needs one is skipped with that reason. */
export const layerNone = Layer.succeed(LanguageModel, { ask: Option.none() })
