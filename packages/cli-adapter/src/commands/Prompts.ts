import {
  encodeSimplification,
  Faults,
  PromptSimplifier,
  promptSimplifier,
  type Simplification,
  SimplificationDraft,
  skippedSimplification
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Refused } from "../Faults.js"
import { readText } from "../ReadText.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { modelled, plainEngine } from "../Settings.js"
import { neutralisedLines, printJson } from "../Text.js"
import { Wiring } from "../Wiring.js"

export interface SimplifyOptions {
  readonly json: boolean
  readonly file: string
}

const simplified = (prompt: string) =>
  Effect.gen(function* () {
    const simplifier = yield* PromptSimplifier
    if (simplifier.isOptimised(prompt)) return skippedSimplification(prompt)
    const shorter = yield* simplifier.simplify(prompt)
    const result: Simplification = {
      simplifiedPrompt: shorter,
      originalPrompt: prompt,
      skippedSimplification: shorter === prompt,
      progressId: ""
    }
    return result
  })

/** Makes a prompt shorter. It needs no database, and keeps nothing. */
export const simplify = (options: SimplifyOptions): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const wiring = yield* Wiring
    // What a file ends with is no part of the prompt.
    const text = (yield* readText(options.file)).trim()
    const { original_prompt: prompt } = yield* Faults.decodeInput(SimplificationDraft, { original_prompt: text })
    const { languageModel } = yield* modelled(plainEngine(""))
    const result = yield* simplified(prompt ?? "").pipe(
      Effect.provide(Layer.provide(promptSimplifier, wiring.languageModel(languageModel))),
      Effect.catchTag("SimplificationRefused", ({ reason }) => new Refused({ reason }))
    )
    if (options.json) return yield* screen.print(printJson(encodeSimplification(result)))
    yield* screen.print(neutralisedLines(result.simplifiedPrompt))
    if (result.skippedSimplification) yield* screen.note("There is nothing left to take away.")
  })
