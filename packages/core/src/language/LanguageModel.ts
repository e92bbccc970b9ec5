import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"

/** The model could not be asked; the reason is fit for a record and repeats nothing that was asked. */
export class ModelUnavailable extends Schema.TaggedError<ModelUnavailable>("@earshot/core/language/ModelUnavailable")(
  "ModelUnavailable",
  {
    reason: Schema.String,
    /** Whether asking later may help. */
    retry: Schema.Boolean,
    /** Milliseconds that the model's server asked to be left alone. */
    retryAfter: Schema.optional(Schema.Number)
  }
) {
  override get message(): string {
    return this.reason
  }
}

/** The model answered something that is not of the form that was asked for. */
export class AnswerUnusable extends Schema.TaggedError<AnswerUnusable>("@earshot/core/language/AnswerUnusable")(
  "AnswerUnusable",
  { reason: Schema.String }
) {
  override get message(): string {
    return this.reason
  }
}

/** A question whose answer has a form. */
export interface Question<A, I> {
  /** What the model is to be; nothing of a caller's belongs in here. */
  readonly system: string
  readonly prompt: string
  /** Names the form to the model, in snake_case. */
  readonly name: string
  readonly schema: Schema.Schema<A, I>
}

/** An answer, and what it takes to ask the same again. */
export interface Answer<A> {
  readonly value: A
  /** The model that answered, as its server names it. */
  readonly model: string
  /** SHA-256 of what was asked, in lower-case hex. */
  readonly promptHash: string
  readonly seed: number
}

export type Ask = <A, I>(question: Question<A, I>) => Effect.Effect<Answer<A>, ModelUnavailable | AnswerUnusable>

/** The language model that the operator named; none where none is configured. */
export class LanguageModel extends Context.Tag("@earshot/core/language/LanguageModel")<
  LanguageModel,
  { readonly ask: Option.Option<Ask> }
>() {}

/** No language model: what needs one is skipped and says so. */
export const layerNone = Layer.succeed(LanguageModel, { ask: Option.none() })
