/** Options that several commands share, and the environment variables that stand in for them. */
import * as Options from "@effect/cli/Options"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { Misused } from "./Faults.js"
import type { EngineSettings } from "./Wiring.js"

export const DEFAULT_DATABASE = "sqlite:./earshot.db"
export const DEFAULT_RECORDINGS = "earshot-recordings"

export const database = Options.text("database").pipe(
  Options.withPseudoName("ADDRESS"),
  Options.withDescription(
    `Where the data is: sqlite:PATH or postgres://user:password@host:port/name. Also EARSHOT_DATABASE; ${DEFAULT_DATABASE} unless told.`
  ),
  Options.withFallbackConfig(Config.string("EARSHOT_DATABASE")),
  Options.withDefault(DEFAULT_DATABASE)
)

export const json = Options.boolean("json").pipe(
  Options.withDescription("Print JSON instead of text, and faults as JSON too.")
)

const organization = Options.integer("organization").pipe(
  Options.withPseudoName("ID"),
  Options.withDescription(
    "Act as the host, with every permission, for this organisation. It can be left out where there is only one."
  ),
  Options.optional
)

const apiKey = Options.redacted("api-key").pipe(
  Options.withPseudoName("KEY"),
  Options.withDescription("Act as the holder of this API key, with its permissions. Also EARSHOT_API_KEY."),
  Options.optional
)

/** Whom a command acts for. */
export const caller = { organization, apiKey }

export interface CallerOptions {
  readonly organization: Option.Option<number>
  readonly apiKey: Option.Option<Redacted.Redacted>
}

const recordings = Options.text("recordings").pipe(
  Options.withPseudoName("FOLDER"),
  Options.withDescription(
    `The folder that recordings are kept in. Also EARSHOT_RECORDINGS; ${DEFAULT_RECORDINGS} unless told.`
  ),
  Options.withFallbackConfig(Config.string("EARSHOT_RECORDINGS")),
  Options.withDefault(DEFAULT_RECORDINGS)
)

const recordingHosts = Options.text("allow-recording-host").pipe(
  Options.withPseudoName("HOST"),
  Options.withDescription(
    "A host in a private network that recordings may be fetched from; may be given again. Also EARSHOT_RECORDING_HOSTS, separated by commas."
  ),
  Options.repeated
)

const positive = (name: string, what: string) =>
  Options.integer(name).pipe(
    Options.filterMap((value) => (value > 0 ? Option.some(value) : Option.none()), `--${name} takes a number above 0`),
    Options.withDescription(what),
    Options.optional
  )

const maxRecordingBytes = positive(
  "max-recording",
  "The largest recording that is kept, in bytes; 200000000 unless told."
)

/** What taking calls in needs to know. */
export const ingesting = { recordings, recordingHosts, maxRecordingBytes }

export interface IngestingOptions {
  readonly recordings: string
  readonly recordingHosts: ReadonlyArray<string>
  readonly maxRecordingBytes: Option.Option<number>
}

export { positive }

/** The engine of a command that takes in no calls. */
export const plainEngine = (address: string): EngineSettings => ({
  database: address,
  recordings: process.env.EARSHOT_RECORDINGS ?? DEFAULT_RECORDINGS,
  recordingHosts: [],
  maxRecordingBytes: undefined,
  transcriber: undefined,
  languageModel: undefined,
  requestsPerMinute: undefined,
  refusalsPerMinute: undefined
})

/** The engine of a command that takes in calls; the transcriber comes from the environment, since its key is a secret. */
export const ingestingEngine = (address: string, options: IngestingOptions): Effect.Effect<EngineSettings, Misused> =>
  Effect.gen(function* () {
    const env = process.env
    const baseUrl = nonBlank(env.EARSHOT_TRANSCRIBER_URL)
    if (baseUrl !== undefined && !/^https?:\/\//.test(baseUrl)) {
      return yield* new Misused({ reason: "EARSHOT_TRANSCRIBER_URL: it begins with http:// or https://." })
    }
    const key = nonBlank(env.EARSHOT_TRANSCRIBER_KEY)
    return {
      ...(yield* modelled(plainEngine(address))),
      recordings: options.recordings,
      recordingHosts: [
        ...options.recordingHosts,
        ...(env.EARSHOT_RECORDING_HOSTS ?? "").split(",").map((host) => host.trim())
      ].filter((host) => host !== ""),
      maxRecordingBytes: Option.getOrUndefined(options.maxRecordingBytes),
      transcriber:
        baseUrl === undefined
          ? undefined
          : {
              baseUrl,
              apiKey: key === undefined ? undefined : Redacted.make(key),
              model: nonBlank(env.EARSHOT_TRANSCRIBER_MODEL) ?? "whisper-1"
            }
    }
  })

/** The engine with the language model that the environment names. */
export const modelled = (settings: EngineSettings): Effect.Effect<EngineSettings, Misused> =>
  Effect.gen(function* () {
    const env = process.env
    const baseUrl = nonBlank(env.EARSHOT_MODEL_URL)
    if (baseUrl === undefined) return settings
    if (!/^https?:\/\//.test(baseUrl)) {
      return yield* new Misused({ reason: "EARSHOT_MODEL_URL: it begins with http:// or https://." })
    }
    const model = nonBlank(env.EARSHOT_MODEL)
    if (model === undefined)
      return yield* new Misused({ reason: "EARSHOT_MODEL: name the model to ask at EARSHOT_MODEL_URL." })
    const key = nonBlank(env.EARSHOT_MODEL_KEY)
    return {
      ...settings,
      languageModel: { baseUrl, model, apiKey: key === undefined ? undefined : Redacted.make(key) }
    }
  })

const nonBlank = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === "" ? undefined : text.trim()
