/** The settings of the engine, from a command's options and the environment. */
import type { CallDetail } from "@earshot/core"
import { NerLexicon } from "@earshot/redaction"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { DEFAULT_RECORDINGS } from "./commands/Shared.js"
import { type CommandRejected, UsageError } from "./Errors.js"
import { readText } from "./ReadText.js"
import {
  type CodeHostOptions,
  type IngestingOptions,
  nonBlank,
  type OutboundOptions,
  parseChoices,
  secretFrom,
  splitList,
  type StorageOptions
} from "./Settings.js"
import type { EngineSettings } from "./Wiring.js"

/** How long a command's own list or chart may be computed, in seconds: whoever runs it can end it. */
const MAX_QUERY_SECONDS = 3600

/** Code hosts: from the options, else from the environment. */
export const codeHostSettings = (options?: Partial<CodeHostOptions>): EngineSettings["codeHosts"] => {
  const { EARSHOT_PUBLIC_URL, EARSHOT_REPOSITORIES } = process.env
  const publicUrl = nonBlank(options?.publicUrl) ?? nonBlank(EARSHOT_PUBLIC_URL)
  return {
    repositories: nonBlank(options?.repositories) ?? nonBlank(EARSHOT_REPOSITORIES),
    publicUrl: () => publicUrl
  }
}

/** The server of a bucket, by the variables that every S3 tool reads. */
const s3Settings = (): EngineSettings["s3"] => {
  const env = process.env
  return {
    endpoint: nonBlank(env.AWS_ENDPOINT_URL_S3) ?? nonBlank(env.AWS_ENDPOINT_URL),
    region: nonBlank(env.AWS_REGION) ?? nonBlank(env.AWS_DEFAULT_REGION),
    accessKeyId: nonBlank(env.AWS_ACCESS_KEY_ID),
    secretAccessKey: secretFrom(env.AWS_SECRET_ACCESS_KEY),
    sessionToken: secretFrom(env.AWS_SESSION_TOKEN)
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
  s3: s3Settings(),
  collectAfterHours: undefined,
  maxRecordingBytes: undefined,
  redaction: { keepDetails: [], everyday: false, lexicon: undefined, model: undefined, analyzerUrl: undefined },
  transcriber: undefined,
  textToSpeech: undefined,
  languageModel: undefined,
  requestsPerMinute: undefined,
  refusalsPerMinute: undefined,
  // One caller, so nobody waits for a list, and no process has to be started for it.
  readers: 0,
  queryTimeoutSeconds: MAX_QUERY_SECONDS,
  statementTimeoutSeconds: undefined,
  databaseConnections: undefined,
  pageBytes: undefined,
  analytics: undefined,
  processes: 1
})

/** The address of a server in an environment variable. */
const httpUrl = (variable: string): Effect.Effect<string | undefined, UsageError> => {
  const url = nonBlank(process.env[variable])
  return url === undefined || /^https?:\/\//.test(url)
    ? Effect.succeed(url)
    : new UsageError({ reason: `${variable}: The URL must start with http:// or https://.` })
}

/** What transcribes and synthesizes speech. It comes from the environment, since keys of servers are secrets. */
const speechSettings: Effect.Effect<Pick<EngineSettings, "transcriber" | "textToSpeech">, UsageError> = Effect.gen(
  function* () {
    const env = process.env
    const [transcriberUrl, speechUrl] = [
      yield* httpUrl("EARSHOT_TRANSCRIBER_URL"),
      yield* httpUrl("EARSHOT_SPEECH_URL")
    ]
    const program = nonBlank(env.EARSHOT_SPEECH_PROGRAM)
    if (program !== undefined && speechUrl !== undefined) {
      return yield* new UsageError({ reason: "Set either EARSHOT_SPEECH_URL or EARSHOT_SPEECH_PROGRAM." })
    }
    return {
      transcriber:
        transcriberUrl === undefined
          ? undefined
          : {
              baseUrl: transcriberUrl,
              apiKey: secretFrom(env.EARSHOT_TRANSCRIBER_KEY),
              model: nonBlank(env.EARSHOT_TRANSCRIBER_MODEL) ?? "whisper-1"
            },
      textToSpeech:
        program !== undefined
          ? { program, voice: nonBlank(env.EARSHOT_SPEECH_VOICE) }
          : speechUrl === undefined
            ? undefined
            : {
                baseUrl: speechUrl,
                apiKey: secretFrom(env.EARSHOT_SPEECH_KEY),
                model: nonBlank(env.EARSHOT_SPEECH_MODEL) ?? "tts-1",
                voice: nonBlank(env.EARSHOT_SPEECH_VOICE) ?? "alloy"
              }
    }
  }
)

/** The engine of a command that executes runs. */
export const runningEngine = (
  options: StorageOptions & Partial<OutboundOptions>
): Effect.Effect<EngineSettings, UsageError> =>
  Effect.gen(function* () {
    return { ...(yield* withLanguageModel(plainEngine(options))), ...(yield* speechSettings) }
  })

/** The engine of a command that ingests calls. */
export const ingestingEngine = (
  options: StorageOptions & IngestingOptions & Partial<CodeHostOptions>
): Effect.Effect<EngineSettings, UsageError | CommandRejected> =>
  Effect.gen(function* () {
    return {
      ...(yield* withLanguageModel(plainEngine(options))),
      ...(yield* speechSettings),
      recordings: options.recordings,
      collectAfterHours: options.collectAfter,
      maxRecordingBytes: options.maxRecordingBytes,
      redaction: yield* redactionSettings(options)
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

/** An address of a server, as an option has it. */
export const httpAddress = (option: string, url: string | undefined): Effect.Effect<string | undefined, UsageError> =>
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
    model: Effect.succeed(nonBlank(options.redactModel)),
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

const CALL_DETAILS: ReadonlyArray<CallDetail> = [
  "metadata",
  "dynamic_variables",
  "feedback",
  "customer_number",
  "call_ended_reason"
]
