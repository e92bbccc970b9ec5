/** Options that several commands share, and the environment variables that stand in for them. */
import type { CallDetail } from "@earshot/core"
import type { SensitiveField } from "@earshot/redaction"
import * as Options from "@effect/cli/Options"
import * as Config from "effect/Config"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import { UsageError } from "./Errors.js"
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

const session = Options.redacted("session").pipe(
  Options.withPseudoName("TOKEN"),
  Options.withDescription("The agent's session that goes with the key. Also EARSHOT_SESSION."),
  Options.optional
)

const apiKey = Options.redacted("api-key").pipe(
  Options.withPseudoName("KEY"),
  Options.withDescription("Act as the holder of this API key, with its permissions. Also EARSHOT_API_KEY."),
  Options.optional
)

/** Whom a command acts for. */
export const caller = { organization, apiKey }

/** The same for commands that ask for an agent's session beside the key. */
export const callerWithSession = { ...caller, session }

export interface CallerOptions {
  readonly organization: Option.Option<number>
  readonly apiKey: Option.Option<Redacted.Redacted>
  readonly session?: Option.Option<Redacted.Redacted>
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

/** What playing runs by text needs to know. */
export const agentHosts = {
  allowedAgentHosts: Options.text("allow-agent-host").pipe(
    Options.withPseudoName("HOST"),
    Options.withDescription(
      "A host in a private network that agents under test may be reached at; may be given again. Also EARSHOT_AGENT_HOSTS, separated by commas."
    ),
    Options.repeated
  )
}

export interface AgentHostOptions {
  readonly allowedAgentHosts: ReadonlyArray<string>
}

const maxRecordingBytes = positive(
  "max-recording",
  "The largest recording that is kept, in bytes; 200000000 unless told."
)

const redactDetails = Options.text("redact-detail").pipe(
  Options.withPseudoName("DETAIL"),
  Options.withDescription(
    "Redact metadata, dynamic_variables, feedback or customer_number (or all four: all) too, where a call asks for redaction; may be given again. Also EARSHOT_REDACT_DETAILS, separated by commas."
  ),
  Options.repeated
)

/** What taking calls in needs to know. */
export const ingesting = { recordings, recordingHosts, maxRecordingBytes, redactDetails }

export interface IngestingOptions {
  readonly recordings: string
  readonly recordingHosts: ReadonlyArray<string>
  readonly maxRecordingBytes: Option.Option<number>
  readonly redactDetails: ReadonlyArray<string>
}

export { positive }

/** What checking out repositories needs to know. */
export const codeHosts = {
  repositories: Options.text("repositories").pipe(
    Options.withPseudoName("FOLDER"),
    Options.withDescription(
      "Bare repositories of this machine, as FOLDER/ORGANISATION ID/NAME.git; git has to be installed for these. Also EARSHOT_REPOSITORIES."
    ),
    Options.optional
  ),
  publicUrl: Options.text("public-url").pipe(
    Options.withPseudoName("URL"),
    Options.withDescription("Where clients reach the server, to clone from it. Also EARSHOT_PUBLIC_URL."),
    Options.optional
  ),
  allowedCodeHosts: Options.text("allow-code-host").pipe(
    Options.withPseudoName("HOST"),
    Options.withDescription(
      "A code host in a private network, or over plain http; may be given again. Also EARSHOT_CODE_HOSTS, separated by commas."
    ),
    Options.repeated
  )
}

export interface CodeHostOptions {
  readonly repositories: Option.Option<string>
  readonly publicUrl: Option.Option<string>
  readonly allowedCodeHosts: ReadonlyArray<string>
}

/** Where repositories are checked out from: as the options say, else as the environment does. */
export const codeHostSettings = (options?: CodeHostOptions): EngineSettings["codeHosts"] => {
  const { EARSHOT_CODE_HOSTS, EARSHOT_PUBLIC_URL, EARSHOT_REPOSITORIES } = process.env
  const chosen = (option: Option.Option<string> | undefined, variable: string | undefined) =>
    nonBlank(option === undefined ? undefined : Option.getOrUndefined(option)) ?? nonBlank(variable)
  const publicUrl = chosen(options?.publicUrl, EARSHOT_PUBLIC_URL)
  return {
    repositories: chosen(options?.repositories, EARSHOT_REPOSITORIES),
    publicUrl: () => publicUrl,
    allowedHosts: [...(options?.allowedCodeHosts ?? []), ...splitList([EARSHOT_CODE_HOSTS ?? ""])]
  }
}

/** The engine of a command that takes in no calls. Keys come from the environment alone, since they are secrets. */
export const plainEngine = (address: string, options?: CodeHostOptions): EngineSettings => ({
  codeHosts: codeHostSettings(options),
  secretKeys: Option.getOrUndefined(
    Option.map(Option.fromNullable(nonBlank(process.env.EARSHOT_SECRET_KEYS)), (keys) => Redacted.make(keys))
  ),
  database: address,
  recordings: process.env.EARSHOT_RECORDINGS ?? DEFAULT_RECORDINGS,
  recordingHosts: [],
  agentHosts: splitList([process.env.EARSHOT_AGENT_HOSTS ?? ""]),
  maxRecordingBytes: undefined,
  redactDetails: [],
  transcriber: undefined,
  languageModel: undefined,
  requestsPerMinute: undefined,
  refusalsPerMinute: undefined,
  processes: 1
})

/** The engine of a command that takes in calls; the transcriber comes from the environment, since its key is a secret. */
export const ingestingEngine = (address: string, options: IngestingOptions): Effect.Effect<EngineSettings, UsageError> =>
  Effect.gen(function* () {
    const env = process.env
    const baseUrl = nonBlank(env.EARSHOT_TRANSCRIBER_URL)
    if (baseUrl !== undefined && !/^https?:\/\//.test(baseUrl)) {
      return yield* new UsageError({ reason: "EARSHOT_TRANSCRIBER_URL: it begins with http:// or https://." })
    }
    const key = nonBlank(env.EARSHOT_TRANSCRIBER_KEY)
    return {
      ...(yield* withLanguageModel(plainEngine(address))),
      recordings: options.recordings,
      recordingHosts: [
        ...options.recordingHosts,
        ...(env.EARSHOT_RECORDING_HOSTS ?? "").split(",").map((host) => host.trim())
      ].filter((host) => host !== ""),
      maxRecordingBytes: Option.getOrUndefined(options.maxRecordingBytes),
      redactDetails: yield* parseChoices(
        "--redact-detail",
        CALL_DETAILS,
        splitList([...options.redactDetails, env.EARSHOT_REDACT_DETAILS ?? ""])
      ),
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

/** The engine of a worker: with the language model of the environment, and agents that may be reached beside public ones. */
export const workerEngine = (
  settings: EngineSettings,
  options: AgentHostOptions
): Effect.Effect<EngineSettings, UsageError> =>
  Effect.map(withLanguageModel(settings), (found) => ({
    ...found,
    agentHosts: [...splitList(options.allowedAgentHosts), ...found.agentHosts]
  }))

/** The engine with the language model that the environment names. */
export const withLanguageModel = (settings: EngineSettings): Effect.Effect<EngineSettings, UsageError> =>
  Effect.gen(function* () {
    const env = process.env
    const baseUrl = nonBlank(env.EARSHOT_MODEL_URL)
    if (baseUrl === undefined) return settings
    if (!/^https?:\/\//.test(baseUrl)) {
      return yield* new UsageError({ reason: "EARSHOT_MODEL_URL: it begins with http:// or https://." })
    }
    const model = nonBlank(env.EARSHOT_MODEL)
    if (model === undefined)
      return yield* new UsageError({ reason: "EARSHOT_MODEL: name the model to ask at EARSHOT_MODEL_URL." })
    const key = nonBlank(env.EARSHOT_MODEL_KEY)
    return {
      ...settings,
      languageModel: { baseUrl, model, apiKey: key === undefined ? undefined : Redacted.make(key) }
    }
  })

const CALL_DETAILS: ReadonlyArray<CallDetail> = ["metadata", "dynamic_variables", "feedback", "customer_number"]

/** Names given one by one, or several with commas between them. */
const splitList = (given: ReadonlyArray<string>): ReadonlyArray<string> =>
  given
    .flatMap((text) => text.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "")

/** Of some known names, those that were given; `all` is every one of them. */
const parseChoices = <A extends string>(
  option: string,
  known: ReadonlyArray<A>,
  given: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<A>, UsageError> => {
  if (given.includes("all")) return Effect.succeed(known)
  const strange = given.find((name) => !known.some((one) => one === name))
  return strange === undefined
    ? Effect.succeed(known.filter((one) => given.includes(one)))
    : new UsageError({ reason: `${option}: "${strange}" is none of ${known.join(", ")}, or all.` })
}

/** Fields to redact, as an option names them. Loads the list of fields only when it is needed. */
export const parseFields = (
  given: ReadonlyArray<string>,
  option: string
): Effect.Effect<ReadonlyArray<SensitiveField>, UsageError> =>
  Effect.flatMap(
    Effect.promise(() => import("@earshot/redaction")),
    ({ sensitiveFields }) => parseChoices(option, sensitiveFields, splitList(given))
  )

const nonBlank = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === "" ? undefined : text.trim()
