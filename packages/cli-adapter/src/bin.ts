/** Wires the engine and the server for a command. Each database and provider is loaded when the settings need it. */
import type { Database, Engine, LanguageModel } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Invocation } from "./commands/Declare.js"
import { UsageError } from "./Errors.js"
import { runCommand } from "./RunCommand.js"
import { type EngineSettings, Wiring } from "./Wiring.js"

const allowance = (perMinute: number | undefined) =>
  perMinute === undefined ? undefined : { points: perMinute, seconds: 60 }

/** Counts requests in PostgreSQL, which several servers may share; on SQLite in this process, or in the primary of a cluster. */
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
    return settings.processes > 1 ? RateLimits.layerCluster(allowances) : RateLimits.layerMemory(allowances)
  }
  const { PostgresRateLimits } = await import("@earshot/core/postgres")
  return PostgresRateLimits.layer(allowances)
}

/** Encrypts secrets with the keys of the environment. */
const secretBox = async ({ secretKeys }: EngineSettings) => {
  if (secretKeys === undefined) return undefined
  const AesSecretBox = await import("@earshot/core/providers/AesSecretBox")
  return Either.mapBoth(AesSecretBox.parse(secretKeys), {
    onLeft: ({ reason }) => new UsageError({ reason: `EARSHOT_SECRET_KEYS: ${reason}` }),
    onRight: AesSecretBox.layer
  })
}

const languageModel = (settings: EngineSettings["languageModel"]): Layer.Layer<LanguageModel> =>
  Layer.unwrapEffect(
    Effect.promise(async () => {
      if (settings === undefined) return (await import("./LoadedEngine.js")).noLanguageModel
      const { apiKey } = settings
      const LanguageModels = await import("@earshot/core/providers/LanguageModels")
      const OutboundHttp = await import("@earshot/core/providers/OutboundHttp")
      const key = apiKey === undefined ? {} : { apiKey }
      return LanguageModels.fromSettings(
        settings.provider === "anthropic"
          ? {
              provider: settings.provider,
              model: settings.model,
              ...key,
              ...(settings.baseUrl === undefined ? {} : { baseUrl: settings.baseUrl })
            }
          : { provider: settings.provider, baseUrl: settings.baseUrl, model: settings.model, ...key }
      ).pipe(Layer.provide(OutboundHttp.layer()))
    })
  )

type EngineLayer = Layer.Layer<Engine.Services, Database.DatabaseError | UsageError>

const engine = (settings: EngineSettings): EngineLayer =>
  Layer.unwrapEffect(
    Effect.promise(async (): Promise<EngineLayer> => {
      const { Database, Engine } = await import("./LoadedEngine.js")
      const FileBlobStore = await import("@earshot/core/providers/FileBlobStore")
      const HttpRecordingSource = await import("@earshot/core/providers/HttpRecordingSource")
      const CodeHosts = await import("@earshot/core/providers/CodeHosts")
      const box = await secretBox(settings)
      if (box !== undefined && Either.isLeft(box)) return Layer.fail(box.left)
      const { publicUrl, repositories } = settings.codeHosts
      const { allowedHosts, maxRecordingBytes, recordings, redactDetails, transcriber } = settings
      const limiter = await rateLimiter(settings)
      const bytes = maxRecordingBytes === undefined ? {} : { maxBytes: maxRecordingBytes }
      return Engine.layerWith({
        blobs: FileBlobStore.layer({ directory: recordings }),
        allowHosts: allowedHosts,
        recordings: HttpRecordingSource.layer(bytes),
        ingest: {
          redaction: { details: redactDetails },
          ...(maxRecordingBytes === undefined ? {} : { maxRecordingBytes })
        },
        codeHosts: CodeHosts.layer(repositories === undefined ? {} : { local: { directory: repositories, publicUrl } }),
        ...(box === undefined ? {} : { secretBox: box.right }),
        ...(limiter === undefined ? {} : { rateLimiter: limiter }),
        languageModel: languageModel(settings.languageModel),
        ...(transcriber === undefined
          ? {}
          : {
              transcriber: (await import("@earshot/core/providers/OpenAiTranscriber")).layer({
                baseUrl: transcriber.baseUrl,
                model: transcriber.model,
                ...(transcriber.apiKey === undefined ? {} : { apiKey: transcriber.apiKey })
              })
            })
      }).pipe(Layer.provide(Database.layer(settings.database, { tablePrefix: settings.tablePrefix })))
    })
  )

/** Runs a command that was parsed. */
export const execute = (invocation: Invocation): void => {
  runCommand(
    Layer.succeed(Wiring, {
      engine,
      languageModel,
      countForOthers: Effect.flatten(
        Effect.promise(async () => (await import("@earshot/core/providers/RateLimits")).countForOthers)
      ),
      server: (options) =>
        Layer.unwrapEffect(
          Effect.map(
            Effect.promise(() => import("./LoadedServer.js")),
            (http) => http.layer(options)
          )
        )
    }),
    invocation
  )
}
