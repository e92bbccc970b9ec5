import type { CallDetail, Database, Engine, LanguageModel } from "@earshot/core"
import type { HttpServer, HttpServerOptions, ListenFailed } from "@earshot/http-adapter"
import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import type { UsageError } from "./Errors.js"

/** What a command asks of the engine it runs. */
export interface EngineSettings {
  /** `sqlite:PATH` or `postgres://...` */
  readonly database: string
  /** The folder that recordings are kept in. */
  readonly recordings: string
  /** Hosts in private networks that recordings may be fetched from. */
  readonly recordingHosts: ReadonlyArray<string>
  /** Hosts in private networks that agents under test may lie on. */
  readonly agentHosts: ReadonlyArray<string>
  /** The largest recording in bytes. */
  readonly maxRecordingBytes: number | undefined
  /** Details of calls that are redacted along with transcript and recording. */
  readonly redactDetails: ReadonlyArray<CallDetail>
  /** A speech server that makes transcripts of `none-mono` calls. */
  readonly transcriber:
    { readonly baseUrl: string; readonly apiKey: Redacted.Redacted | undefined; readonly model: string } | undefined
  /** A server of language models, which judges; what needs one is skipped without. */
  readonly languageModel:
    { readonly baseUrl: string; readonly apiKey: Redacted.Redacted | undefined; readonly model: string } | undefined
  readonly codeHosts: {
    /** The folder of bare repositories that this machine serves. */
    readonly repositories: string | undefined
    /** Where clients reach the server; asked for when a repository is checked out. */
    readonly publicUrl: () => string | undefined
    /** Code hosts in private networks, or over plain http. */
    readonly allowedHosts: ReadonlyArray<string>
  }
  /** Keys that secrets are sealed with, as the environment holds them; the first one seals. */
  readonly secretKeys: Redacted.Redacted | undefined
  /** Requests a minute that a credential may make, and wrong credentials a minute that an address may send. */
  readonly requestsPerMinute: number | undefined
  readonly refusalsPerMinute: number | undefined
  /** Processes that serve together, and so share what may be asked of them a minute. */
  readonly processes: number
}

/** Where engine and server come from. The types alone are imported, so that a command loads what it uses. */
export class Wiring extends Context.Tag("@earshot/cli-adapter/Wiring")<
  Wiring,
  {
    readonly engine: (settings: EngineSettings) => Layer.Layer<Engine.Services, Database.DatabaseUnusable | UsageError>
    /** The language model of the settings, or none: for commands that need no engine. */
    readonly languageModel: (settings: EngineSettings["languageModel"]) => Layer.Layer<LanguageModel>
    readonly server: (options: HttpServerOptions) => Layer.Layer<HttpServer, ListenFailed, Engine.Services>
    /** From now on this process counts the requests of those that it leads, where no database does. */
    readonly countForOthers: Effect.Effect<void>
  }
>() {}
