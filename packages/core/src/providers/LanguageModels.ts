/** The language models that settings can name. A provider's SDK is loaded when it is named. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { LanguageModel } from "../language/LanguageModel.js"
import type { AnthropicLanguageModelConfig } from "./AnthropicLanguageModel.js"
import type { OpenAiLanguageModelConfig } from "./OpenAiLanguageModel.js"
import type { OutboundHttp } from "./OutboundHttp.js"

export type LanguageModelSettings =
  | ({ readonly provider: "openai-compatible" } & OpenAiLanguageModelConfig)
  | ({ readonly provider: "anthropic" } & AnthropicLanguageModelConfig)

export const LANGUAGE_MODEL_PROVIDERS: ReadonlyArray<LanguageModelSettings["provider"]> = [
  "openai-compatible",
  "anthropic"
]

export const fromSettings = (settings: LanguageModelSettings): Layer.Layer<LanguageModel, never, OutboundHttp> =>
  Layer.unwrapEffect(
    Effect.promise(async () => {
      switch (settings.provider) {
        case "anthropic":
          return (await import("./AnthropicLanguageModel.js")).layer(settings)
        case "openai-compatible":
          return (await import("./OpenAiLanguageModel.js")).layer(settings)
      }
    })
  )
