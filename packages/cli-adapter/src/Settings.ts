/** The settings of the engine, from a command's options and the environment. */
import type { CallDetail } from "@earshot/core"
import { NerLexicon, type SensitiveField, sensitiveFields } from "@earshot/redaction"
import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { DEFAULT_RECORDINGS } from "./commands/Shared.js"
import { type CommandRejected, UsageError } from "./Errors.js"
import { readText } from "./ReadText.js"
import type { EngineSettings } from "./Wiring.js"

/** How long a command's own list or chart may be computed, in seconds: whoever runs it can end it. */
const MAX_QUERY_SECONDS = 3600

/** Where the engine's tables are. */
export interface StorageOptions {
  readonly database: string
  readonly tablePrefix?: string | undefined
}

/** Who a command acts as. */
export interface CallerOptions {
  readonly organization: number | undefined
  readonly apiKey: string | undefined
  readonly session?: string | undefined
}

/** What every command over one organization's data takes. */
export interface CommonOptions extends CallerOptions, StorageOptions {
  readonly json: boolean
}

export interface OutboundOptions {
  readonly allowedHosts: ReadonlyArray<string>
}

export interface IngestingOptions extends OutboundOptions {
  readonly recordings: string
  readonly maxRecordingBytes: number | undefined
  readonly collectAfter?: number | undefined
  readonly keepDetails: ReadonlyArray<string>
  readonly redactEveryday: boolean
  readonly redactLexicon: string | undefined
  readonly redactAnalyzer: string | undefined
}

export interface CodeHostOptions extends OutboundOptions {
  readonly repositories: string | undefined
  readonly publicUrl: string | undefined
}

/** The entries that have a value. */
export const defined = (fields: object): Readonly<Record<string, unknown>> =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))

const nonBlank = (text: string | undefined): string | undefined =>
  text === undefined || text.trim() === "" ? undefined : text.trim()

/** A secret of the environment. */
export const secretFrom = (text: string | undefined): Redacted.Redacted | undefined => {
  const secret = nonBlank(text)
  return secret === undefined ? undefined : Redacted.make(secret)
}

/** Names given one by one, or several separated by commas. */
const splitList = (given: ReadonlyArray<string>): ReadonlyArray<string> =>
  given
    .flatMap((text) => text.split(","))
    .map((name) => name.trim())
    .filter((name) => name !== "")

/** Code hosts: from the options, else from the environment. */
export const codeHostSettings = (options?: Partial<CodeHostOptions>): EngineSettings["codeHosts"] => {
  const { EARSHOT_PUBLIC_URL, EARSHOT_REPOSITORIES } = process.env
  const publicUrl = nonBlank(options?.publicUrl) ?? nonBlank(EARSHOT_PUBLIC_URL)
  return {
    repositories: nonBlank(options?.repositories) ?? nonBlank(EARSHOT_REPOSITORIES),
    publicUrl: () => publicUrl
  }
}

/** The engine of a command that ingests no calls. Encryption keys come from the environment alone, since they are secrets. */
export const plainEngine = (
  options: StorageOptions & Partial<CodeHostOptions> & Partial<OutboundOptions>
): EngineSettings => ({
  codeHosts: codeHostSettings(options),
  allowedHosts: splitList([...(options.allowedHosts ?? []), process.env.EARSHOT_ALLOW_HOSTS ?? ""]),
  secretKeys: secretFrom(process.env.EARSHOT_SECRET_KEYS),
  secretKeysFile: nonBlank(process.env.EARSHOT_SECRET_KEYS_FILE),
  database: options.database,
  tablePrefix: nonBlank(options.tablePrefix),
  recordings: process.env.EARSHOT_RECORDINGS ?? DEFAULT_RECORDINGS,
  collectAfterHours: undefined,
  maxRecordingBytes: undefined,
  redaction: { keepDetails: [], everyday: false, lexicon: undefined, analyzerUrl: undefined },
  transcriber: undefined,
  languageModel: undefined,
  requestsPerMinute: undefined,
  refusalsPerMinute: undefined,
  // One caller, so nobody waits for a list, and no process has to be started for it.
  readers: 0,
  queryTimeoutSeconds: MAX_QUERY_SECONDS,
  processes: 1
})

/** The address of a server in an environment variable. */
const httpUrl = (variable: string): Effect.Effect<string | undefined, UsageError> => {
  const url = nonBlank(process.env[variable])
  return url === undefined || /^https?:\/\//.test(url)
    ? Effect.succeed(url)
    : new UsageError({ reason: `${variable}: The URL must start with http:// or https://.` })
}

/** The engine of a command that ingests calls; the transcriber comes from the environment, since its key is a secret. */
export const ingestingEngine = (
  options: StorageOptions & IngestingOptions & Partial<CodeHostOptions>
): Effect.Effect<EngineSettings, UsageError | CommandRejected> =>
  Effect.gen(function* () {
    const env = process.env
    const baseUrl = yield* httpUrl("EARSHOT_TRANSCRIBER_URL")
    return {
      ...(yield* withLanguageModel(plainEngine(options))),
      recordings: options.recordings,
      collectAfterHours: options.collectAfter,
      maxRecordingBytes: options.maxRecordingBytes,
      redaction: yield* redactionSettings(options),
      transcriber:
        baseUrl === undefined
          ? undefined
          : {
              baseUrl,
              apiKey: secretFrom(env.EARSHOT_TRANSCRIBER_KEY),
              model: nonBlank(env.EARSHOT_TRANSCRIBER_MODEL) ?? "whisper-1"
            }
    }
  })

/** A file of values by field; one that is not in this form is a usage error. */
export const lexiconOf = (
  file: string | undefined,
  option: string
): Effect.Effect<NerLexicon | undefined, UsageError | CommandRejected> =>
  file === undefined
    ? Effect.succeed(undefined)
    : Effect.flatMap(readText(file), (text) =>
        Effect.mapError(
          Schema.decode(Schema.parseJson(NerLexicon))(text, { onExcessProperty: "error" }),
          () => new UsageError({ reason: `${option}: ${file} must contain a JSON object of lists of texts by field.` })
        )
      )

const httpAddress = (option: string, url: string | undefined): Effect.Effect<string | undefined, UsageError> =>
  url === undefined || /^https?:\/\//.test(url)
    ? Effect.succeed(url)
    : new UsageError({ reason: `${option}: The URL must start with http:// or https://.` })

const redactionSettings = (
  options: IngestingOptions
): Effect.Effect<EngineSettings["redaction"], UsageError | CommandRejected> =>
  Effect.all({
    keepDetails: parseChoices(
      "--keep-detail",
      CALL_DETAILS,
      splitList([...options.keepDetails, process.env.EARSHOT_KEEP_DETAILS ?? ""])
    ),
    everyday: Effect.succeed(options.redactEveryday || /^(1|true)$/.test(process.env.EARSHOT_REDACT_EVERYDAY ?? "")),
    lexicon: lexiconOf(nonBlank(options.redactLexicon), "--redact-lexicon"),
    analyzerUrl: httpAddress("--redact-analyzer", nonBlank(options.redactAnalyzer))
  })

/** The engine with the language model that the environment configures, if it does. */
export const withLanguageModel = (settings: EngineSettings): Effect.Effect<EngineSettings, UsageError> =>
  Effect.gen(function* () {
    const { EARSHOT_MODEL, EARSHOT_MODEL_KEY, EARSHOT_MODEL_PROVIDER } = process.env
    const provider = nonBlank(EARSHOT_MODEL_PROVIDER) ?? "openai-compatible"
    const baseUrl = yield* httpUrl("EARSHOT_MODEL_URL")
    const model = nonBlank(EARSHOT_MODEL)
    const apiKey = secretFrom(EARSHOT_MODEL_KEY)
    if (provider === "anthropic") {
      if (model === undefined) return yield* new UsageError({ reason: "EARSHOT_MODEL: Set the name of the model." })
      return { ...settings, languageModel: { provider, baseUrl, model, apiKey } }
    }
    if (provider !== "openai-compatible") {
      return yield* new UsageError({ reason: "EARSHOT_MODEL_PROVIDER: Choose openai-compatible or anthropic." })
    }
    if (baseUrl === undefined) return settings
    if (model === undefined) {
      return yield* new UsageError({ reason: "EARSHOT_MODEL: Set the name of the model at EARSHOT_MODEL_URL." })
    }
    return { ...settings, languageModel: { provider, baseUrl, model, apiKey } }
  })

const CALL_DETAILS: ReadonlyArray<CallDetail> = ["metadata", "dynamic_variables", "feedback", "customer_number"]

/** The given names among the known ones; `all` is every one of them. */
const parseChoices = <A extends string>(
  option: string,
  known: ReadonlyArray<A>,
  given: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<A>, UsageError> => {
  if (given.includes("all")) return Effect.succeed(known)
  const unknown = given.find((name) => !known.some((one) => one === name))
  return unknown === undefined
    ? Effect.succeed(known.filter((one) => given.includes(one)))
    : new UsageError({
        reason: `${option}: "${unknown}" is not a valid choice. Choose all, or from ${known.join(", ")}.`
      })
}

/** The fields to redact that an option names. */
export const parseFields = (
  given: ReadonlyArray<string>,
  option: string
): Effect.Effect<ReadonlyArray<SensitiveField>, UsageError> => parseChoices(option, sensitiveFields, splitList(given))
