/** The `earshot` command: this file alone chooses databases and providers, and loads each when a command asks for it. */
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { main } from "./Main.js"
import { type EngineSettings, Wiring } from "./Wiring.js"

const allowance = (perMinute: number | undefined) =>
  perMinute === undefined ? undefined : { points: perMinute, seconds: 60 }

/** What counts requests: PostgreSQL where several servers may share it, else this process. */
const rateLimiter = async (settings: EngineSettings) => {
  const requests = allowance(settings.requestsPerMinute)
  const refusals = allowance(settings.refusalsPerMinute)
  if (requests === undefined && refusals === undefined) return undefined
  const allowances = {
    ...(requests === undefined ? {} : { requests }),
    ...(refusals === undefined ? {} : { refusals })
  }
  if (settings.database.startsWith("sqlite:")) {
    const RateLimits = await import("@earshot/core/providers/RateLimits")
    return RateLimits.layerMemory(allowances)
  }
  const { PostgresRateLimits } = await import("@earshot/core/postgres")
  return PostgresRateLimits.layer(allowances)
}

const engine = (settings: EngineSettings) =>
  Layer.unwrapEffect(
    Effect.promise(async () => {
      const { Database, Engine } = await import("@earshot/core")
      const FileBlobStore = await import("@earshot/core/providers/FileBlobStore")
      const HttpRecordingSource = await import("@earshot/core/providers/HttpRecordingSource")
      const { languageModel, maxRecordingBytes, recordingHosts, recordings, transcriber } = settings
      const limiter = await rateLimiter(settings)
      const bytes = maxRecordingBytes === undefined ? {} : { maxBytes: maxRecordingBytes }
      return Engine.layerWith({
        blobs: FileBlobStore.layer({ directory: recordings }),
        recordings: HttpRecordingSource.layer({ allowedHosts: recordingHosts, ...bytes }),
        ...(maxRecordingBytes === undefined ? {} : { ingest: { maxRecordingBytes } }),
        ...(limiter === undefined ? {} : { rateLimiter: limiter }),
        ...(languageModel === undefined
          ? {}
          : {
              languageModel: (await import("@earshot/core/providers/OpenAiLanguageModel")).layer({
                baseUrl: languageModel.baseUrl,
                model: languageModel.model,
                ...(languageModel.apiKey === undefined ? {} : { apiKey: languageModel.apiKey })
              })
            }),
        ...(transcriber === undefined
          ? {}
          : {
              transcriber: (await import("@earshot/core/providers/OpenAiTranscriber")).layer({
                baseUrl: transcriber.baseUrl,
                model: transcriber.model,
                ...(transcriber.apiKey === undefined ? {} : { apiKey: transcriber.apiKey })
              })
            })
      }).pipe(Layer.provide(Database.layer(settings.database)))
    })
  )

main(
  Layer.succeed(Wiring, {
    engine,
    server: (options) =>
      Layer.unwrapEffect(
        Effect.map(
          Effect.promise(() => import("@earshot/http-adapter")),
          (http) => http.layer(options)
        )
      )
  })
)
