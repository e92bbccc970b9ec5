import type { CallDetail, Database, Engine, LanguageModel, Platforms } from "@earshot/core"
import type { NerLexicon } from "@earshot/redaction"
import type { HttpServer, HttpServerOptions, ListenFailed } from "@earshot/http-adapter"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type * as Stream from "effect/Stream"
import type { UsageError } from "./Errors.js"

/** A language model, by the provider whose API it has. */
export type LanguageModelSettings = {
  readonly model: string
  readonly apiKey: Redacted.Redacted | undefined
} & (
  | { readonly provider: "openai-compatible"; readonly baseUrl: string }
  | { readonly provider: "anthropic"; readonly baseUrl: string | undefined }
)

/** How calls are redacted that ask for it. */
export interface RedactionSettings {
  /** Details of calls that are stored as delivered. */
  readonly keepDetails: ReadonlyArray<CallDetail>
  readonly everyday: boolean
  /** Values by field, found wherever they are said. */
  readonly lexicon: NerLexicon | undefined
  /** The folder of a token classification model in ONNX. */
  readonly model: string | undefined
  /** The address of a server with the interface of Presidio's analyzer. */
  readonly analyzerUrl: string | undefined
}

/** A server with the S3 API, from the environment variables of the AWS command line. */
export interface S3Settings {
  readonly endpoint: string | undefined
  readonly region: string | undefined
  readonly accessKeyId: string | undefined
  readonly secretAccessKey: Redacted.Redacted | undefined
  readonly sessionToken: Redacted.Redacted | undefined
}

/** A server with OpenAI's operations for speech. */
interface SpeechServer {
  readonly baseUrl: string
  readonly apiKey: Redacted.Redacted | undefined
  readonly model: string
}

/** The settings of a command's engine. */
export interface EngineSettings {
  /** `sqlite:PATH` or `postgres://...` */
  readonly database: string
  /** What the names of the tables begin with. */
  readonly tablePrefix: string | undefined
  /** The folder that recordings are stored in, or `s3://BUCKET/PREFIX`. */
  readonly recordings: string
  /** How the server of a bucket is reached. */
  readonly s3: S3Settings
  /** Hours after which a recording that no call refers to is removed. */
  readonly collectAfterHours: number | undefined
  /** Private hosts that outbound requests may reach. */
  readonly allowedHosts: ReadonlyArray<string>
  /** The largest recording in bytes. */
  readonly maxRecordingBytes: number | undefined
  readonly redaction: RedactionSettings
  /** The server that transcribes `none-mono` calls, and what agents say in runs by voice. */
  readonly transcriber: SpeechServer | undefined
  /** What speaks for the testing agent in runs by voice: a server, or a program of this machine. */
  readonly textToSpeech:
    | (SpeechServer & { readonly voice: string })
    | { readonly program: string; readonly voice: string | undefined }
    | undefined
  /** Metrics that need a language model are skipped without one. */
  readonly languageModel: LanguageModelSettings | undefined
  readonly codeHosts: {
    /** The folder of bare repositories on this machine. */
    readonly repositories: string | undefined
    /** The URL that clients reach the server at; read when a repository is checked out. */
    readonly publicUrl: () => string | undefined
  }
  /** Secret keys, as in the environment; the first one seals. */
  readonly secretKeys: Redacted.Redacted | undefined
  /** The file with the secret keys, where the environment has none. */
  readonly secretKeysFile: string | undefined
  /** Requests per minute for each credential, and failed authentications per minute for each client address. */
  readonly requestsPerMinute: number | undefined
  readonly refusalsPerMinute: number | undefined
  /** Lists, charts and exports that are computed at a time; undefined for the database's default. */
  readonly readers: number | undefined
  /** How long a list or chart may be computed. */
  readonly queryTimeoutSeconds: number
  /** Bytes of stored documents on a page of a list; or the default. */
  readonly pageBytes: number | undefined
  /** How long a statement of an ordinary request may take on PostgreSQL, and the connections for these; or the defaults. */
  readonly statementTimeoutSeconds: number | undefined
  readonly databaseConnections: number | undefined
  /** The address of the column store that answers charts. */
  readonly analytics: string | undefined
  /** Processes that share the rate limits. */
  readonly processes: number
}

/** Makes the engine and the server. Only types are imported, so that a command loads what it uses. */
export class Wiring extends Context.Tag("@earshot/cli-adapter/Wiring")<
  Wiring,
  {
    readonly engine: (settings: EngineSettings) => Layer.Layer<Engine.Services, Database.DatabaseError | UsageError>
    /** The language model of the settings, or none: for commands that need no engine. */
    readonly languageModel: (settings: EngineSettings["languageModel"]) => Layer.Layer<LanguageModel>
    /** The calls of an account at a voice platform. */
    readonly platformCalls: (
      account: Platforms.PlatformAccount,
      period: Platforms.Period
    ) => Stream.Stream<Platforms.ListedPlatformCall, Platforms.PlatformCallsFailed>
    readonly server: (options: HttpServerOptions) => Layer.Layer<HttpServer, ListenFailed, Engine.Services>
    /** Counts requests for the workers of this process, where no shared database does. */
    readonly countForOthers: Effect.Effect<void>
  }
>() {}
