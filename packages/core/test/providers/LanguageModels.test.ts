import { createServer } from "node:http"
import { type Ask, LanguageModel, type Question } from "@earshot/core"
import * as OpenAiLanguageModel from "@earshot/core/providers/OpenAiLanguageModel"
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

const ask = (prompt: string, config: Partial<OpenAiLanguageModel.OpenAiLanguageModelConfig> = {}) =>
  Effect.runPromise(
    Effect.flatMap(LanguageModel, ({ ask }) => Effect.either(Option.getOrThrow<Ask>(ask)(question(prompt)))).pipe(
      Effect.provide(
        OpenAiLanguageModel.layer({
          baseUrl: `${mock.url}/v1/`,
          apiKey: Redacted.make("secret"),
          model: "judge-1",
          firstRetry: 1,
          ...config
        }).pipe(Layer.provide(OutboundHttp.layer()))
      )
    )
  )

describe("a language model behind an OpenAI-compatible server", () => {
  it("answers in the form that was asked for, and tells what it takes to ask again", async () => {
    mock.onMessage("is it so", { content: JSON.stringify({ value: true }) })
    const first = Either.getOrThrow(await ask("is it so"))
    expect(first).toMatchObject({ value: { value: true }, seed: 7 })
    expect(first.promptHash).toMatch(/^[0-9a-f]{64}$/)
    expect(Either.getOrThrow(await ask("is it so")).promptHash).toBe(first.promptHash)
    mock.onMessage("or so", { content: JSON.stringify({ value: false }) })
    expect(Either.getOrThrow(await ask("or so")).promptHash).not.toBe(first.promptHash)
    const [request] = mock.getRequests()
    expect(request?.body).toMatchObject({
      model: "judge-1",
      seed: 7,
      temperature: 0,
      response_format: { type: "json_schema", json_schema: { name: "verdict" } }
    })
  })

  it("asks for JSON in words where the server knows no schemas", async () => {
    mock.onMessage("plain", { content: JSON.stringify({ value: true }) })
    expect(Either.getOrThrow(await ask("plain", { structuredOutputs: false })).value).toEqual({ value: true })
    const [request] = mock.getRequests()
    expect(JSON.stringify(request?.body)).toContain("Answer with one JSON document of this JSON Schema")
  })

  it.each([["no JSON at all"], ['{"value": "yes"}'], ['{"other": true}']])("cannot use %s", async (content) => {
    mock.onMessage("strange", { content })
    expect(Either.getOrNull(Either.flip(await ask("strange")))).toMatchObject({ _tag: "AnswerUnusable" })
  })

  it("tries again when the server is overloaded, and not when it refuses", async () => {
    mock.on({ userMessage: "busy", sequenceIndex: 0 }, { error: { message: "slow down" }, status: 429 })
    mock.on({ userMessage: "busy", sequenceIndex: 1 }, { error: { message: "oops" }, status: 500 })
    mock.on({ userMessage: "busy", sequenceIndex: 2 }, { content: JSON.stringify({ value: true }) })
    expect(Either.getOrThrow(await ask("busy")).value).toEqual({ value: true })
    expect(mock.getRequests()).toHaveLength(3)

    mock.reset()
    mock.onMessage("never", { error: { message: "no such key: secret" }, status: 401 })
    expect(Either.getOrNull(Either.flip(await ask("never")))).toMatchObject({
      _tag: "ModelUnavailable",
      retry: false,
      reason: "The language model's server answered 401."
    })
    expect(mock.getRequests()).toHaveLength(1)

    mock.reset()
    mock.onMessage("always", { error: { message: "oops" }, status: 503 })
    expect(Either.getOrNull(Either.flip(await ask("always", { retries: 1 })))).toMatchObject({
      _tag: "ModelUnavailable",
      retry: true
    })
    expect(mock.getRequests()).toHaveLength(2)
  })

  it("is given up on after its time, and when nobody is there", async () => {
    const silent = createServer(() => undefined)
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve))
    const address = silent.address()
    const port = typeof address === "object" ? address?.port : undefined
    const late = await ask("slow", { baseUrl: `http://127.0.0.1:${port}/v1`, timeout: "200 millis" })
    silent.closeAllConnections()
    await new Promise((resolve) => silent.close(resolve))
    expect(Either.getOrNull(Either.flip(late))).toMatchObject({
      retry: true,
      reason: "The language model took longer than 200ms."
    })
    expect(
      Either.getOrNull(Either.flip(await ask("gone", { baseUrl: "http://127.0.0.1:9/v1", retries: 0 })))
    ).toMatchObject({ retry: true, reason: "The language model could not be reached." })
  })
})
