import { createHash } from "node:crypto"
import { createOpenAICompatible } from "@ai-sdk/openai-compatible"
import { APICallError, generateText, jsonSchema, NoObjectGeneratedError, Output } from "ai"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as JSONSchema from "effect/JSONSchema"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import { isPlainObject } from "../kernel/Json.js"
import { AnswerUnusable, type Ask, LanguageModel, ModelUnavailable, type Question } from "../language/LanguageModel.js"

export interface OpenAiLanguageModelConfig {
  /** The server's base address, for example `https://models.example/v1`; `/chat/completions` is added to it. */
  readonly baseUrl: string
  readonly apiKey?: Redacted.Redacted
  readonly model: string
  /** For one question, tries included; a minute unless told. */
  readonly timeout?: Duration.DurationInput
  /** Tries after the first that failed for a passing reason; 2 unless told. */
  readonly retries?: number
  /** Milliseconds before the second try, doubled for each one after it; 500 unless told. */
  readonly firstRetry?: number
  /** Sent with every question, for servers that answer the same to the same; 7 unless told. */
  readonly seed?: number
  /** Whether the server holds answers to a JSON Schema; it does unless told. Others are asked for JSON in words. */
  readonly structuredOutputs?: boolean
}

/** The longest that a server's wish to be left alone is waited for within one question. */
const MOST_PATIENCE = 20_000

const retryAfterOf = (error: APICallError): number | undefined => {
  const seconds = Number(error.responseHeaders?.["retry-after"])
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 3600) * 1000 : undefined
}

/** The SDK's failures, in words that hold nothing of the prompt and nothing of the server's own. */
const faultOf = (error: unknown): ModelUnavailable | AnswerUnusable => {
  if (NoObjectGeneratedError.isInstance(error)) return unusable
  if (APICallError.isInstance(error)) {
    const status = error.statusCode
    if (status === undefined) return unreachable
    // What the server did say was not to be read.
    if (status < 300) return unusable
    const retryAfter = retryAfterOf(error)
    return new ModelUnavailable({
      reason: `The language model's server answered ${status}.`,
      retry: status === 408 || status === 409 || status === 429 || status >= 500,
      ...(retryAfter === undefined ? {} : { retryAfter })
    })
  }
  return unreachable
}

const unusable = new AnswerUnusable({ reason: "The language model's answer was not of the form that was asked for." })
const unreachable = new ModelUnavailable({ reason: "The language model could not be reached.", retry: true })

const isPassing = (error: ModelUnavailable | AnswerUnusable): boolean =>
  error._tag === "ModelUnavailable" && error.retry && (error.retryAfter ?? 0) <= MOST_PATIENCE

/** JSONSchema.make's type and the SDK's are of one standard and of two makers; as a document they are the same. */
const schemaOf = (form: string): Parameters<typeof jsonSchema>[0] => {
  const schema: unknown = JSON.parse(form)
  return isPlainObject(schema) ? schema : {}
}

/** A language model behind the `chat/completions` operation that most servers offer. */
export const layer = (config: OpenAiLanguageModelConfig): Layer.Layer<LanguageModel> => {
  const { firstRetry = 500, retries = 2, seed = 7, structuredOutputs = true, timeout = "1 minute" } = config
  const model = createOpenAICompatible({
    name: "configured",
    baseURL: config.baseUrl.replace(/\/+$/, ""),
    supportsStructuredOutputs: structuredOutputs,
    ...(config.apiKey === undefined ? {} : { apiKey: Redacted.value(config.apiKey) })
  })(config.model)

  const ask: Ask = <A, I>(question: Question<A, I>) => {
    const form = JSON.stringify(JSONSchema.make(question.schema))
    const system = structuredOutputs
      ? question.system
      : `${question.system}\n\nAnswer with one JSON document of this JSON Schema and nothing else:\n${form}`
    const promptHash = createHash("sha256")
      .update(JSON.stringify([system, question.prompt, form]))
      .digest("hex")
    const decode = Schema.decodeUnknown(question.schema)
    const once = Effect.tryPromise({
      try: (abortSignal) =>
        generateText({
          model,
          system,
          prompt: question.prompt,
          output: structuredOutputs
            ? Output.object({ name: question.name, schema: jsonSchema(schemaOf(form)) })
            : Output.json(),
          temperature: 0,
          seed,
          maxRetries: 0,
          abortSignal
        }).then(({ output, response }) => ({ output, model: response.modelId })),
      catch: faultOf
    })
    return once.pipe(
      Effect.retry({
        while: (error) =>
          isPassing(error)
            ? Effect.as(Effect.sleep(error._tag === "ModelUnavailable" ? (error.retryAfter ?? 0) : 0), true)
            : Effect.succeed(false),
        schedule: Schedule.jittered(Schedule.exponential(Duration.millis(firstRetry))),
        times: retries
      }),
      Effect.timeoutFail({
        duration: timeout,
        onTimeout: () =>
          new ModelUnavailable({
            reason: `The language model took longer than ${Duration.format(timeout)}.`,
            retry: true
          })
      }),
      Effect.flatMap((answer) =>
        Effect.matchEffect(decode(answer.output), {
          onFailure: () => unusable,
          onSuccess: (value) => Effect.succeed({ value, model: answer.model, promptHash, seed })
        })
      )
    )
  }

  return Layer.succeed(LanguageModel, { ask: Option.some(ask) })
}
