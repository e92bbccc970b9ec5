/** Wires the engine and the server for a command. Each database and provider is loaded when the settings need it. */
import type { Database, Engine, LanguageModel, SecretBox } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"
import type { Invocation } from "./commands/Declare.js"
import { UsageError } from "./Errors.js"
import { namedEntities } from "./NamedEntities.js"
import { runCommand } from "./RunCommand.js"
import { shrinkHeap } from "./ServerHeap.js"
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

/** The file that an SQLite database's key is in, where none is configured. */
const keyFileOf = (database: string): string | undefined =>
  database.startsWith("sqlite:") && database !== "sqlite::memory:"
    ? `${database.slice("sqlite:".length)}.key`
    : undefined

/**
 * Seals secrets with the keys of the environment, of a file, or for SQLite of the file next to the database, which is
 * created with the first command. Processes on a PostgreSQL database may be on several machines: they are given their key.
 */
const secretBox = (settings: EngineSettings): Effect.Effect<Layer.Layer<SecretBox.SecretBox> | undefined, UsageError> =>
  Effect.gen(function* () {
    const own = keyFileOf(settings.database)
    const { secretKeys, secretKeysFile } = settings
    if (secretKeys === undefined && secretKeysFile === undefined && own === undefined) return undefined
    const KeyFile = yield* Effect.promise(() => import("@earshot/core/providers/SecretKeyFile"))
    const AesSecretBox = yield* Effect.promise(() => import("@earshot/core/providers/AesSecretBox"))
    const [from, keys] =
      secretKeys !== undefined
        ? (["EARSHOT_SECRET_KEYS", Effect.succeed(secretKeys)] as const)
        : secretKeysFile !== undefined
          ? (["EARSHOT_SECRET_KEYS_FILE", KeyFile.read(secretKeysFile)] as const)
          : ([own ?? "", KeyFile.readOrCreate(own ?? "")] as const)
    return yield* Effect.flatMap(keys, AesSecretBox.parse).pipe(
      Effect.mapBoth({
        onFailure: ({ reason }) => new UsageError({ reason: `${from}: ${reason}` }),
        onSuccess: AesSecretBox.layer
      })
    )
  })

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

/** The providers that redaction uses beside its rules; none by default. A model is loaded, until the scope closes. */
const nerOf = (
  settings: EngineSettings["redaction"]
): Effect.Effect<Pick<Engine.Ports, "ner">, UsageError, Scope.Scope> =>
  settings.analyzerUrl === undefined && settings.lexicon === undefined && settings.model === undefined
    ? Effect.succeed({})
    : Effect.mapBoth(namedEntities(settings), {
        onFailure: (reason) => new UsageError({ reason: `--redact-model: ${reason}` }),
        onSuccess: (ner) => ({ ner })
      })

/** Where recordings are stored: a folder, or a bucket of a server with the S3 API. */
const blobStore = ({ recordings, s3 }: EngineSettings): Effect.Effect<NonNullable<Engine.Ports["blobs"]>, UsageError> =>
  Effect.gen(function* () {
    const S3Messages = yield* Effect.promise(() => import("@earshot/core/providers/S3Messages"))
    if (!S3Messages.isS3Url(recordings)) {
      const FileBlobStore = yield* Effect.promise(() => import("@earshot/core/providers/FileBlobStore"))
      return FileBlobStore.layer({ directory: recordings })
    }
    const location = yield* Effect.mapError(
      S3Messages.parseS3Url(recordings),
      (reason) => new UsageError({ reason: `--recordings: ${reason}` })
    )
    const { accessKeyId, endpoint, region, secretAccessKey, sessionToken } = s3
    if (accessKeyId === undefined || secretAccessKey === undefined) {
      const missing = accessKeyId === undefined ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY"
      return yield* new UsageError({ reason: `${missing}: Set the credentials of the bucket ${location.bucket}.` })
    }
    if (endpoint !== undefined && !(/^https?:\/\//.test(endpoint) && URL.canParse(endpoint))) {
      return yield* new UsageError({
        reason: "AWS_ENDPOINT_URL_S3: The URL must start with http:// or https://."
      })
    }
    const S3BlobStore = yield* Effect.promise(() => import("@earshot/core/providers/S3BlobStore"))
    return S3BlobStore.layer({
      ...location,
      credentials: { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) },
      ...(region === undefined ? {} : { region }),
      ...(endpoint === undefined ? {} : { endpoint })
    })
  })

/** The column store that answers charts; none by default. */
const columnStore = (address: string | undefined): Effect.Effect<Pick<Engine.Ports, "analytics">, UsageError> =>
  address === undefined
    ? Effect.succeed({})
    : Effect.flatMap(
        Effect.promise(() => import("./LoadedEngine.js")),
        ({ ColumnStores }) =>
          Effect.mapBoth(ColumnStores.at(address), {
            onFailure: ({ reason }) => new UsageError({ reason: `--analytics: ${reason}` }),
            onSuccess: (analytics) => ({ analytics })
          })
      )

type EngineLayer = Layer.Layer<Engine.Services, Database.DatabaseError | UsageError>

/** Speech, kept in memory once it is synthesized. */
const speechOf = async (speech: NonNullable<EngineSettings["textToSpeech"]>) => {
  const SpeechCache = await import("@earshot/core/providers/SpeechCache")
  if ("program" in speech) {
    const { program, voice } = speech
    const CommandTextToSpeech = await import("@earshot/core/providers/CommandTextToSpeech")
    return Layer.provide(
      SpeechCache.layer(),
      CommandTextToSpeech.layer({ program, ...(voice === undefined ? {} : { voice }) })
    )
  }
  const { apiKey, ...server } = speech
  const OpenAiTextToSpeech = await import("@earshot/core/providers/OpenAiTextToSpeech")
  return Layer.provide(
    SpeechCache.layer(),
    OpenAiTextToSpeech.layer({ ...server, ...(apiKey === undefined ? {} : { apiKey }) })
  )
}

const engineOn = (
  settings: EngineSettings,
  box: Layer.Layer<SecretBox.SecretBox> | undefined,
  ports: Pick<Engine.Ports, "analytics" | "blobs" | "ner">
): Layer.Layer<Engine.Services, never, Engine.Storage> =>
  Layer.unwrapEffect(
    Effect.promise(async () => {
      const { Engine } = await import("./LoadedEngine.js")
      const HttpRecordingSource = await import("@earshot/core/providers/HttpRecordingSource")
      const CodeHosts = await import("@earshot/core/providers/CodeHosts")
      const { publicUrl, repositories } = settings.codeHosts
      const { allowedHosts, maxRecordingBytes, redaction, textToSpeech, transcriber } = settings
      const limiter = await rateLimiter(settings)
      const bytes = maxRecordingBytes === undefined ? {} : { maxBytes: maxRecordingBytes }
      return Engine.layerWith({
        ...(settings.pageBytes === undefined ? {} : { pageBytes: settings.pageBytes }),
        ...ports,
        ...(settings.collectAfterHours === undefined
          ? {}
          : { recordingStorage: { collectAfter: `${settings.collectAfterHours} hours` as const } }),
        allowHosts: allowedHosts,
        recordings: HttpRecordingSource.layer(bytes),
        ingest: {
          redaction: { keepDetails: redaction.keepDetails, everyday: redaction.everyday },
          ...(maxRecordingBytes === undefined ? {} : { maxRecordingBytes })
        },
        codeHosts: CodeHosts.layer(repositories === undefined ? {} : { local: { directory: repositories, publicUrl } }),
        ...(box === undefined ? {} : { secretBox: box }),
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
            }),
        ...(textToSpeech === undefined ? {} : { textToSpeech: await speechOf(textToSpeech) })
      })
    })
  )

/** The engine of a command. The database is opened first: no key is created for one that is refused. */
export const engine = (settings: EngineSettings): EngineLayer =>
  Layer.unwrapEffect(
    Effect.map(
      Effect.promise(() => import("./LoadedEngine.js")),
      ({ Database }) =>
        Layer.flatMap(
          Database.layer(settings.database, {
            tablePrefix: settings.tablePrefix,
            readers: settings.readers,
            queryTimeout: `${settings.queryTimeoutSeconds} seconds`,
            statementTimeout:
              settings.statementTimeoutSeconds === undefined
                ? undefined
                : `${settings.statementTimeoutSeconds} seconds`,
            maxConnections: settings.databaseConnections
          }),
          (storage) =>
            Layer.unwrapScoped(
              Effect.gen(function* () {
                const blobs = yield* blobStore(settings)
                const box = yield* secretBox(settings)
                return engineOn(settings, box, {
                  blobs,
                  ...(yield* columnStore(settings.analytics)),
                  ...(yield* nerOf(settings.redaction))
                })
              })
            ).pipe(Layer.provide(Layer.succeedContext(storage)))
        )
    )
  )

/** Runs a command that was parsed. */
export const execute = (invocation: Invocation): void => {
  runCommand(
    Layer.succeed(Wiring, {
      engine,
      languageModel,
      platformCalls: (account, period) =>
        Stream.unwrap(
          Effect.promise(async () => {
            const PlatformCalls = await import("@earshot/core/providers/PlatformCalls")
            const OutboundHttp = await import("@earshot/core/providers/OutboundHttp")
            return Stream.provideLayer(PlatformCalls.list(account, period), OutboundHttp.layer())
          })
        ),
      countForOthers: Effect.flatten(
        Effect.promise(async () => (await import("@earshot/core/providers/RateLimits")).countForOthers)
      ),
      server: (options) =>
        Layer.unwrapEffect(
          Effect.map(
            Effect.promise(() => import("./LoadedServer.js")),
            (http) => Layer.tap(http.layer(options), () => shrinkHeap)
          )
        )
    }),
    invocation
  )
}
