import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type Ask, LanguageModel, type ModelUnavailable } from "../language/LanguageModel.js"
import { SimplificationRejected } from "./SimplificationErrors.js"
import { questionOf, readShortened } from "./SimplificationQuestion.js"
import type { Simplifier } from "./SimplificationStore.js"
import { isConcise, isSimple, simplifyPrompt } from "./SimplifyPrompt.js"

/** Shortens prompts without losing a rule. Stateless and independent of organizations. */
export class PromptSimplifier extends Context.Tag("@earshot/core/simplification/PromptSimplifier")<
  PromptSimplifier,
  {
    /** What shortens prompts here: a language model if one is configured, otherwise rules only. */
    readonly by: Simplifier
    /** Whether nothing can be removed. Synchronous; does not call the model. */
    readonly isOptimized: (prompt: string) => boolean
    /**
     * The shorter prompt, or the prompt itself if nothing can be removed. A language model's answer is validated, requested
     * once more with its errors, and rejected if the second answer has errors too.
     */
    readonly simplify: (prompt: string) => Effect.Effect<string, ModelUnavailable | SimplificationRejected>
  }
>() {}

const refusal = (why: string) =>
  new SimplificationRejected({ reason: `The language model's answer could not be used, twice:\n${why}` })

const notRead = (reason: string): Either.Either<string, string> => Either.left(reason)

const asking = (
  ask: Ask,
  prompt: string,
  again?: string
): Effect.Effect<string, ModelUnavailable | SimplificationRejected> =>
  ask(questionOf(prompt, again)).pipe(
    Effect.map(({ value }) => readShortened(prompt, value)),
    Effect.catchTag("AnswerUnusable", ({ reason }) => Effect.succeed(notRead(reason))),
    Effect.flatMap((read) =>
      Either.isRight(read)
        ? Effect.succeed(read.right)
        : again === undefined
          ? asking(ask, prompt, read.left)
          : refusal(read.left)
    )
  )

export const layer = Layer.effect(
  PromptSimplifier,
  Effect.map(LanguageModel, ({ ask }) =>
    PromptSimplifier.of(
      Option.match(ask, {
        onNone: () => ({
          by: "rules" as const,
          isOptimized: isSimple,
          simplify: (prompt: string) => Effect.sync(() => simplifyPrompt(prompt))
        }),
        onSome: (model) => ({
          by: "model" as const,
          isOptimized: isConcise,
          simplify: (prompt: string) => asking(model, prompt)
        })
      })
    )
  )
)
