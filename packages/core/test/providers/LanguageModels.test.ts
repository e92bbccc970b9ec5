import { createServer } from "node:http"
import { type Ask, LanguageModel, type Question } from "@earshot/core"
import * as LanguageModels from "@earshot/core/providers/LanguageModels"
import * as OutboundHttp from "@earshot/core/providers/OutboundHttp"
import { LLMock } from "@copilotkit/aimock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"

const mock = new LLMock({ port: 0 })
beforeAll(() => mock.start())
afterAll(() => mock.stop())
beforeEach(() => {
  mock.reset()
})

const question = (prompt: string): Question<{ readonly value: boolean }, { readonly value: boolean }> => ({
  system: "You judge.",
  prompt,
  name: "verdict",
  schema: Schema.Struct({ value: Schema.Boolean })
})

type Provider = LanguageModels.LanguageModelSettings["provider"]
type Config = Partial<Omit<LanguageModels.LanguageModelSettings, "provider">>

const ask = (provider: Provider, prompt: string, config: Config = {}) =>
  Effect.runPromise(
    Effect.flatMap(LanguageModel, ({ ask }) => Effect.either(Option.getOrThrow<Ask>(ask)(question(prompt)))).pipe(
      Effect.provide(
        LanguageModels.fromSettings({
          provider,
          baseUrl: `${mock.url}/v1/`,
          apiKey: Redacted.make("secret"),
          model: "judge-1",
          firstRetry: 1,
          ...config
        }).pipe(Layer.provide(OutboundHttp.layer()))
      )
    )
  )

const failure = async (...args: Parameters<typeof ask>) => Either.getOrNull(Either.flip(await ask(...args)))

for (const provider of LanguageModels.LANGUAGE_MODEL_PROVIDERS) {
  describe(`a language model of the provider ${provider}`, () => {
    it("answers with a value of the schema, and a hash of the question", async () => {
      mock.onMessage("is it so", { content: JSON.stringify({ value: true }) })
      const first = Either.getOrThrow(await ask(provider, "is it so"))
      expect(first).toMatchObject({ value: { value: true }, seed: 7 })
      expect(first.promptHash).toMatch(/^[0-9a-f]{64}$/)
      expect(Either.getOrThrow(await ask(provider, "is it so")).promptHash).toBe(first.promptHash)
      mock.onMessage("or so", { content: JSON.stringify({ value: false }) })
      expect(Either.getOrThrow(await ask(provider, "or so")).promptHash).not.toBe(first.promptHash)
      expect(mock.getRequests()[0]?.body).toMatchObject({ model: "judge-1", temperature: 0 })
    })

    it("sends no temperature to models that take none", async () => {
      mock.onMessage("is it so", { content: JSON.stringify({ value: true }) })
      Either.getOrThrow(await ask(provider, "is it so", { temperature: null }))
      expect(mock.getRequests()[0]?.body?.temperature).toBeUndefined()
    })

    it("asks for JSON in the prompt where the server does not constrain answers to a schema", async () => {
      mock.onMessage("plain", { content: JSON.stringify({ value: true }) })
      expect(Either.getOrThrow(await ask(provider, "plain", { structuredOutputs: false })).value).toEqual({
        value: true
      })
      expect(JSON.stringify(mock.getRequests()[0]?.body)).toContain("Answer with one JSON document of this JSON Schema")
    })

    it.each([["no JSON at all"], ['{"value": "yes"}'], ['{"other": true}']])(
      "fails with AnswerUnusable when the answer is %s",
      async (content) => {
        mock.onMessage("strange", { content })
        expect(await failure(provider, "strange")).toMatchObject({ _tag: "AnswerUnusable" })
      }
    )

    it("retries when the server is overloaded", async () => {
      mock.on({ userMessage: "busy", sequenceIndex: 0 }, { error: { message: "slow down" }, status: 429 })
      mock.on({ userMessage: "busy", sequenceIndex: 1 }, { error: { message: "oops" }, status: 500 })
      mock.on({ userMessage: "busy", sequenceIndex: 2 }, { content: JSON.stringify({ value: true }) })
      expect(Either.getOrThrow(await ask(provider, "busy")).value).toEqual({ value: true })
      expect(mock.getRequests()).toHaveLength(3)
    })

    it("does not retry when the server rejects the key, and repeats nothing of its response", async () => {
      mock.onMessage("never", { error: { message: "no such key: secret" }, status: 401 })
      expect(await failure(provider, "never")).toMatchObject({
        _tag: "ModelUnavailable",
        retry: false,
        reason: "The language model's server answered 401."
      })
      expect(mock.getRequests()).toHaveLength(1)
    })

    it("gives up after the configured number of retries, with a failure that may pass", async () => {
      mock.onMessage("always", { error: { message: "oops" }, status: 503 })
      expect(await failure(provider, "always", { retries: 1 })).toMatchObject({ _tag: "ModelUnavailable", retry: true })
      expect(mock.getRequests()).toHaveLength(2)
    })

    it("fails after its time limit, and when the server cannot be reached", async () => {
      const silent = createServer(() => undefined)
      await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
      const address = silent.address()
      const port = typeof address === "object" ? address?.port : undefined
      const late = await failure(provider, "slow", { baseUrl: `http://127.0.0.1:${port}/v1`, timeout: "200 millis" })
      silent.closeAllConnections()
      await new Promise((resolve) => silent.close(resolve))
      expect(late).toMatchObject({ retry: true, reason: "The language model took longer than 200ms." })
      expect(await failure(provider, "gone", { baseUrl: "http://127.0.0.1:9/v1", retries: 0 })).toMatchObject({
        retry: true,
        reason: "The language model could not be reached."
      })
    })
  })
}

it("an OpenAI-compatible server gets a bearer key, the seed and the JSON Schema", async () => {
  mock.onMessage("is it so", { content: JSON.stringify({ value: true }) })
  await ask("openai-compatible", "is it so")
  const [request] = mock.getRequests()
  expect(request?.path).toBe("/v1/chat/completions")
  expect(request?.body).toMatchObject({
    seed: 7,
    response_format: { type: "json_schema", json_schema: { name: "verdict" } }
  })
})

it("Anthropic's server gets the Messages API's path and no seed", async () => {
  mock.onMessage("is it so", { content: JSON.stringify({ value: true }) })
  await ask("anthropic", "is it so")
  const [request] = mock.getRequests()
  expect(request?.path).toBe("/v1/messages")
  expect(request?.body?.seed).toBeUndefined()
})
