import {
  encodeSimplification,
  FieldErrors,
  PromptSimplifier,
  promptSimplifier,
  type Simplification,
  SimplificationDraft,
  skippedSimplification
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { CommandRejected } from "../Errors.js"
import { readText } from "../ReadText.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { withLanguageModel, plainEngine } from "../EngineSettings.js"
import { sanitizeLines, jsonLine } from "../Text.js"
import { Wiring } from "../Wiring.js"

export interface SimplifyOptions {
  readonly json: boolean
  readonly file: string
}

const simplified = (prompt: string) =>
  Effect.gen(function* () {
    const simplifier = yield* PromptSimplifier
    if (simplifier.isOptimized(prompt)) return skippedSimplification(prompt)
    const shorter = yield* simplifier.simplify(prompt)
    const result: Simplification = {
      simplifiedPrompt: shorter,
      originalPrompt: prompt,
      skippedSimplification: shorter === prompt,
      progressId: ""
    }
    return result
  })

/** Prints a shorter prompt. It needs no database and stores nothing. */
export const simplify = (options: SimplifyOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const wiring = yield* Wiring
    // Without the line break at the end of the file.
    const text = (yield* readText(options.file)).trim()
    const { original_prompt: prompt } = yield* FieldErrors.decodeInput(SimplificationDraft, { original_prompt: text })
    const { languageModel } = yield* withLanguageModel(plainEngine({ database: "" }))
    const result = yield* simplified(prompt ?? "").pipe(
      Effect.provide(Layer.provide(promptSimplifier, wiring.languageModel(languageModel))),
      Effect.catchTag("SimplificationRejected", ({ reason }) => new CommandRejected({ reason }))
    )
    if (options.json) return yield* screen.print(jsonLine(encodeSimplification(result)))
    yield* screen.print(sanitizeLines(result.simplifiedPrompt))
    if (result.skippedSimplification) yield* screen.note("The prompt cannot be simplified further.")
  })
