/** Language models through the AI SDK. A provider of the SDK is a file of ten lines that calls `fromAiSdk`. */
import { createHash } from "node:crypto"
import {
  APICallError,
  generateText,
  jsonSchema,
  type LanguageModel as AiSdkModel,
  NoObjectGeneratedError,
  Output
} from "ai"
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
import { makeFetch } from "./OutboundFetch.js"
import { mayPass } from "./OutboundError.js"
import { OutboundHttp } from "./OutboundHttp.js"

/** What every provider takes. */
export interface LanguageModelConfig {
  /** The model's name, as its provider spells it. */
  readonly model: string
  readonly apiKey?: Redacted.Redacted
  /** For one question, retries included. Default: 1 minute. */
  readonly timeout?: Duration.DurationInput
  /** Retries after a failure that may pass. Default: 2. */
  readonly retries?: number
  /** Milliseconds before the first retry, doubled for each one after it. Default: 500. */
  readonly firstRetry?: number
  /** Sent with every question to models that take one, for answers that can be reproduced. Default: 7. */
  readonly seed?: number
  /** Null for models that take none. Default: 0. */
  readonly temperature?: number | null
  /** The most tokens of an answer. Default: the model's own limit, or 4096 for a model of Anthropic's that the SDK does not know. */
  readonly maxOutputTokens?: number
  /**
   * Whether the server constrains answers to a JSON Schema. Where not, the prompt asks for JSON of the schema. Default: true.
   */
  readonly structuredOutputs?: boolean
}

/** What a provider of the SDK is made with: how it connects, with no setting of its own from the environment. */
export interface AiSdkConnection {
  readonly apiKey: string | undefined
  /** Sends by the engine's HTTP client. */
  readonly fetch: typeof globalThis.fetch
}

export interface AiSdkProvider {
  readonly makeModel: (connection: AiSdkConnection) => AiSdkModel
  /** The address of the model's server. The operator configures it, so it may be private. */
  readonly baseUrl: string
  /** Whether its models take a seed. Default: true. */
  readonly takesSeed?: boolean
}

/** The longest `Retry-After`, in milliseconds, that is waited for within one question. */
const MAX_RETRY_AFTER = 20_000

/** An answer of 128,000 tokens is about 0.5 MB. */
const MAX_RESPONSE_BYTES = 8 * 1024 * 1024

const retryAfterOf = (error: APICallError): number | undefined => {
  const seconds = Number(error.responseHeaders?.["retry-after"])
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds, 3600) * 1000 : undefined
}

/** The SDK's errors, without text of the prompt or of the server. */
const toModelError = (error: unknown): ModelUnavailable | AnswerUnusable => {
  if (NoObjectGeneratedError.isInstance(error)) return unusable
  if (APICallError.isInstance(error)) {
    const status = error.statusCode
    if (status === undefined) return unreachable
    // The SDK could not parse a successful response.
    if (status < 300) return unusable
    const retryAfter = retryAfterOf(error)
    return new ModelUnavailable({
      reason: `The language model's server answered ${status}.`,
      retry: mayPass({ status }),
      ...(retryAfter === undefined ? {} : { retryAfter })
    })
  }
  return unreachable
}

const unusable = new AnswerUnusable({ reason: "The language model's answer does not match the requested schema." })
const unreachable = new ModelUnavailable({ reason: "The language model could not be reached.", retry: true })

const isRetried = (error: ModelUnavailable | AnswerUnusable): error is ModelUnavailable =>
  error._tag === "ModelUnavailable" && error.retry && (error.retryAfter ?? 0) <= MAX_RETRY_AFTER

/** JSONSchema.make and the SDK type the same standard differently. */
const schemaOf = (form: string): Parameters<typeof jsonSchema>[0] => {
  const schema: unknown = JSON.parse(form)
  return isPlainObject(schema) ? schema : {}
}

/** A language model of any provider of the AI SDK. */
export const fromAiSdk = (
  config: LanguageModelConfig,
  { baseUrl, makeModel, takesSeed = true }: AiSdkProvider
): Layer.Layer<LanguageModel, never, OutboundHttp> => {
  const { firstRetry = 500, retries = 2, seed = 7, structuredOutputs = true, temperature = 0 } = config
  const timeout = Duration.decode(config.timeout ?? "1 minute")

  const makeAsk =
    (model: AiSdkModel): Ask =>
    <A, I>(question: Question<A, I>) => {
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
            ...(temperature === null ? {} : { temperature }),
            ...(takesSeed ? { seed } : {}),
            ...(config.maxOutputTokens === undefined ? {} : { maxOutputTokens: config.maxOutputTokens }),
            maxRetries: 0,
            abortSignal
          }).then(({ output, response }) => ({ output, model: response.modelId })),
        catch: toModelError
      })
      return once.pipe(
        Effect.retry({
          while: (error) =>
            isRetried(error) ? Effect.as(Effect.sleep(error.retryAfter ?? 0), true) : Effect.succeed(false),
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

  return Layer.effect(
    LanguageModel,
    Effect.map(OutboundHttp, (http) => {
      const fetch = makeFetch(http, {
        // Later than the limit of the question, whose error names it.
        limits: { maxBytes: MAX_RESPONSE_BYTES, totalMillis: Duration.toMillis(timeout) + 1000 },
        trustedUrl: baseUrl
      })
      // The SDK writes warnings to the console at every call; a host that wants them sets this first.
      globalThis.AI_SDK_LOG_WARNINGS ??= false
      const apiKey = config.apiKey === undefined ? undefined : Redacted.value(config.apiKey)
      return { ask: Option.some(makeAsk(makeModel({ apiKey, fetch }))) }
    })
  )
}
