/** Language models behind the `chat/completions` operation that most servers offer. */
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { fromAiSdk, type LanguageModelConfig } from "./AiSdkLanguageModel.js"

export interface OpenAiLanguageModelConfig extends LanguageModelConfig {
  /** The server's base address, for example `https://models.example/v1`; `/chat/completions` is appended. */
  readonly baseUrl: string
}

export const layer = (config: OpenAiLanguageModelConfig) =>
  fromAiSdk(config, {
    baseUrl: config.baseUrl,
    makeModel: ({ apiKey, fetch }) =>
      createOpenAICompatible({
        name: "openai-compatible",
        baseURL: config.baseUrl.replace(/\/+$/, ""),
        supportsStructuredOutputs: config.structuredOutputs ?? true,
        fetch,
        ...(apiKey === undefined ? {} : { apiKey })
      })(config.model)
  })
