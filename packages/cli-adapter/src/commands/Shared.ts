/** Options and arguments that several commands share, each declared once. */
import {
  idArgument,
  integer,
  list,
  ofEngine,
  required,
  text,
  textArguments,
  toggle,
  URL_VARIABLE,
  withDefault,
  withEnvironment
} from "./Declare.js"

/** Also named by `earshot init`, which prints the command to run next. */
export const DEFAULT_DATABASE = "sqlite:./earshot.db"
export const DEFAULT_RECORDINGS = "earshot-recordings"

const database = withDefault(
  withEnvironment(
    text("--database <address>", "Database: sqlite:PATH or postgres://user@host/name."),
    "EARSHOT_DATABASE"
  ),
  DEFAULT_DATABASE
)

/** Where the engine's tables are. */
export const storage = {
  database,
  tablePrefix: ofEngine(
    withEnvironment(
      text("--table-prefix <prefix>", "Prefix of the names of the engine's tables. (default: none)"),
      "EARSHOT_TABLE_PREFIX"
    )
  )
}

/** The database, or a server. */
const target = {
  url: withEnvironment(
    text("--url <address>", "Server to use instead of a database, such as http://127.0.0.1:8080; needs an API key."),
    URL_VARIABLE
  ),
  ...storage
}

export const json = toggle("--json", "Print results and errors as JSON.")

/** Who the command acts as. The environment variables are read with the session, since --organization overrides them. */
const caller = {
  organization: ofEngine(
    integer(
      "--organization <id>",
      "Act as the host, with every permission, for this organization. Optional if there is only one.",
      { least: Number.MIN_SAFE_INTEGER }
    )
  ),
  apiKey: text("--api-key <key>", "Act as the holder of this API key, with its permissions. (env: EARSHOT_API_KEY)"),
  apiKeyFile: text("--api-key-file <file>", "File with the API key. - reads stdin.")
}

export const session = text("--session <token>", "Agent session token to send with the API key. (env: EARSHOT_SESSION)")

/** What every command over one organization's data takes. */
export const common = { ...target, json, ...caller }

export const page = {
  limit: withDefault(integer("--limit <n>", "Rows per page, 1 to 200."), 50),
  cursor: text("--cursor <cursor>", "Start of the page, as printed by the previous page.")
}

export const project = integer("--project <id>", "Only those of this project.")
export const agent = integer("--agent <id>", "Only those of this agent.")

export const id = (noun: string) => idArgument("id", `Id of the ${noun}.`)

export const expires = text("--expires <time>", "Expiry time, such as 2030-01-31T00:00:00Z.")

export const scopes = list(
  "--scope <scope>",
  "Scope to grant: all, calls:write, dashboards:read and so on. (default: the issuer's permissions)"
)

export const scopedTo = list(
  "--bound <kind:id>",
  "Resource to limit access to, with everything in it: project:1, agent:2, dashboard:3 or result:4."
)

export const permissions = list(
  "--permission <permission>",
  "Permission to grant, such as dashboards:read. (default: the issuer's read permissions)"
)

/** The private hosts that outbound requests may reach. */
export const outbound = {
  allowedHosts: ofEngine(
    list(
      "--allow-host <host>",
      "Private host that outbound requests may reach: agents under test, recordings, code hosts. (env: EARSHOT_ALLOW_HOSTS, comma-separated)"
    )
  )
}

/** Where a recording is saved. */
export const output = required(text("--output <file>", "File to write to; - is stdout. An existing file is replaced."))

/** The column store that answers charts. */
export const columnStore = withEnvironment(
  text(
    "--analytics <address>",
    "Column store that answers charts: embedded, embedded:DIRECTORY, or the clickhouse:// address of a server. (default: none)"
  ),
  "EARSHOT_ANALYTICS"
)

export const recordingsFolder = ofEngine(
  withDefault(
    withEnvironment(
      text(
        "--recordings <folder>",
        "Folder to store recordings in, or s3://BUCKET/PREFIX with AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION and AWS_ENDPOINT_URL_S3."
      ),
      "EARSHOT_RECORDINGS"
    ),
    DEFAULT_RECORDINGS
  )
)

export const collectAfter = integer(
  "--collect-after <hours>",
  "Hours after which a recording without a call is removed. (default: 24)"
)

/** What ingesting calls takes. */
export const ingesting = {
  ...outbound,
  recordings: recordingsFolder,
  maxRecordingBytes: ofEngine(
    withDefault(integer("--max-recording <bytes>", "Largest recording to store."), 200_000_000)
  ),
  keepDetails: ofEngine(
    list(
      "--keep-detail <detail>",
      "Store metadata, dynamic_variables, feedback, customer_number, call_ended_reason or all as delivered, also in calls that ask for redaction. (env: EARSHOT_KEEP_DETAILS, comma-separated)"
    )
  ),
  redactEveryday: ofEngine(
    toggle(
      "--redact-everyday",
      "Where redaction is asked for, also redact weekdays, relative days, durations, meetings and places such as 'home'. (env: EARSHOT_REDACT_EVERYDAY=1)"
    )
  ),
  redactLexicon: ofEngine(
    withEnvironment(
      text("--redact-lexicon <file>", 'JSON file with values to find by field: {"person_name": ["Ravi Dubey"]}.'),
      "EARSHOT_REDACT_LEXICON"
    )
  ),
  redactModel: ofEngine(
    withEnvironment(
      text(
        "--redact-model <folder>",
        "Token classification model in ONNX: config.json, tokenizer.json and model.onnx. Requires onnxruntime-node."
      ),
      "EARSHOT_REDACT_MODEL"
    )
  ),
  redactAnalyzer: ofEngine(
    withEnvironment(
      text(
        "--redact-analyzer <url>",
        "Named-entity server with the interface of Presidio's analyzer, such as http://127.0.0.1:5002."
      ),
      "EARSHOT_REDACT_ANALYZER_URL"
    )
  )
}

/** What checking out repositories takes. */
export const codeHosts = {
  repositories: ofEngine(
    text(
      "--repositories <folder>",
      "Folder of bare repositories on this machine, as FOLDER/ORG_ID/NAME.git. Requires git. (env: EARSHOT_REPOSITORIES)"
    )
  ),
  publicUrl: ofEngine(
    text("--public-url <url>", "URL that clients reach this server at, to clone from. (env: EARSHOT_PUBLIC_URL)")
  ),
  ...outbound
}

/** A resource's fields, as words or as a JSON document. */
export const input = {
  options: {
    input: text("--input <file>", "JSON object with fields; - reads stdin. FIELD=VALUE arguments override it.")
  },
  args: {
    fields: textArguments(
      "field=value",
      "Fields by their API names. Lists and objects are JSON, such as tags='[\"a\"]'."
    )
  }
}
