import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { Transcriber } from "@earshot/core"
import * as OpenAiTranscriber from "@earshot/core/providers/OpenAiTranscriber"
import * as OutboundHttp from "@earshot/core/providers/OutboundHttp"
import { CallKit } from "@earshot/test-kit"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"

/** A speech server that answers these, one after the other, and what it was asked. */
const serving = (answers: ReadonlyArray<readonly [status: number, body: unknown]>) => {
  const asked: Array<{ readonly url: string | undefined; readonly key: string | undefined; readonly body: string }> = []
  return Effect.acquireRelease(
    Effect.async<Server>((resume) => {
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const [status, body] = answers[Math.min(asked.length, answers.length - 1)]!
          asked.push({
            url: request.url,
            key: request.headers.authorization,
            body: Buffer.concat(chunks).toString("latin1")
          })
          response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body))
        })
      })
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map((server) => ({ asked, baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/` })))
}

const transcribed = (baseUrl: string, config: Partial<OpenAiTranscriber.OpenAiTranscriberConfig> = {}) =>
  Effect.flatMap(Transcriber, ({ transcribe }) => {
    const file = CallKit.wav(1)
    return Option.getOrThrow(transcribe)({
      contentType: "audio/wav",
      sizeBytes: file.length,
      content: Stream.make(file.subarray(0, 10), file.subarray(10))
    })
  }).pipe(
    Effect.provide(
      OpenAiTranscriber.layer({ baseUrl, model: "speech-1", apiKey: Redacted.make("key"), ...config }).pipe(
        Layer.provide(OutboundHttp.layer())
      )
    )
  )

it.scopedLive("sends the recording and reads turns and words from the response", () =>
  Effect.gen(function* () {
    const { asked, baseUrl } = yield* serving([
      [
        200,
        {
          text: "Hello. Hi.",
          segments: [
            { text: " Hello. ", start: 0.1, end: 1, speaker: "A" },
            { text: "Hi.", start: 1.2, end: 2, speaker: "B" },
            { text: "Bye.", start: 2.2, end: 3, speaker: "A" }
          ],
          words: [
            { word: "Hello", start: 0.1, end: 0.9 },
            { word: "Hi", start: 1.2, end: 1.8 }
          ]
        }
      ]
    ])
    const transcript = yield* transcribed(baseUrl)
    expect(transcript.turns).toEqual([
      {
        speaker: "main_agent",
        content: "Hello.",
        startTime: 0.1,
        endTime: 1,
        words: [{ text: "Hello", startTime: 0.1, endTime: 0.9 }]
      },
      {
        speaker: "testing_agent",
        content: "Hi.",
        startTime: 1.2,
        endTime: 2,
        words: [{ text: "Hi", startTime: 1.2, endTime: 1.8 }]
      },
      { speaker: "main_agent", content: "Bye.", startTime: 2.2, endTime: 3, words: [] }
    ])
    expect(asked).toHaveLength(1)
    expect(asked[0]).toMatchObject({ url: "/v1/audio/transcriptions", key: "Bearer key" })
    expect(asked[0]!.body).toContain('name="model"\r\n\r\nspeech-1')
    expect(asked[0]!.body).toContain("WAVEfmt")
  })
)

it.scopedLive("makes one turn without times of a response that has neither segments nor times", () =>
  Effect.gen(function* () {
    const { baseUrl } = yield* serving([[200, { text: "Hello there" }]])
    const transcript = yield* transcribed(baseUrl)
    expect(transcript.turns).toEqual([
      { speaker: "main_agent", content: "Hello there", startTime: undefined, endTime: undefined, words: [] }
    ])
  })
)

it.scopedLive("retries when the server is overloaded and not when it rejects the request", () =>
  Effect.gen(function* () {
    const busy = yield* serving([
      [429, {}],
      [200, { text: "Hello" }]
    ])
    expect((yield* transcribed(busy.baseUrl)).turns).toHaveLength(1)
    expect(busy.asked).toHaveLength(2)
    const strict = yield* serving([[401, { error: { message: "secret detail" } }]])
    const error = yield* Effect.flip(transcribed(strict.baseUrl))
    expect(error.reason).toBe("the transcriber answered HTTP 401.")
    expect(strict.asked).toHaveLength(1)
  })
)

it.scopedLive("fails with a reason that repeats nothing of the recording or the response", () =>
  Effect.gen(function* () {
    const { asked, baseUrl } = yield* serving([[200, { segments: "my card number is 4111" }]])
    expect((yield* Effect.flip(transcribed(baseUrl))).reason).toBe("the transcriber sent an invalid response.")
    const large = yield* Effect.flip(transcribed(baseUrl, { maxBytes: 10 }))
    expect(large.reason).toContain("larger than the 10 bytes")
    expect(asked).toHaveLength(1)
  })
)
