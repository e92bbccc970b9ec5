/** Language models of Anthropic, by its Messages API. */
import { createAnthropic } from "@ai-sdk/anthropic"
import { fromAiSdk, type LanguageModelConfig } from "./AiSdkLanguageModel.js"

export interface AnthropicLanguageModelConfig extends LanguageModelConfig {
  /** Default: `https://api.anthropic.com/v1`. */
  readonly baseUrl?: string
}

export const layer = ({ baseUrl = "https://api.anthropic.com/v1", ...config }: AnthropicLanguageModelConfig) =>
  fromAiSdk(config, {
    baseUrl,
    takesSeed: false,
    // An empty key, since the SDK would otherwise take one from the environment.
    makeModel: ({ apiKey = "", fetch }) =>
      createAnthropic({ apiKey, baseURL: baseUrl.replace(/\/+$/, ""), fetch })(config.model)
  })
