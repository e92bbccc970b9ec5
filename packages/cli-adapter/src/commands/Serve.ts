import { command, integer, list, text, withDefault } from "./Declare.js"
import { codeHosts, collectAfter, columnStore, storage, ingesting, json } from "./Shared.js"

/** More is a typo, which would fill the machine's memory. */
const MAX_PROCESSES = 256
const MAX_READERS = 64
const MAX_QUERY_SECONDS = 3600
/** A day: a longer limit limits nothing. */
const MAX_SECONDS = 86_400
const MAX_DATABASE_CONNECTIONS = 1000

export const serve = command("serve", {
  description:
    "Serve the HTTP API and run jobs until the process receives SIGINT or SIGTERM. Logs are written to stderr. EARSHOT_MODEL_PROVIDER, EARSHOT_MODEL_URL, EARSHOT_MODEL and EARSHOT_MODEL_KEY configure the language model; EARSHOT_TRANSCRIBER_URL, EARSHOT_TRANSCRIBER_KEY and EARSHOT_TRANSCRIBER_MODEL the transcriber; EARSHOT_SPEECH_URL, EARSHOT_SPEECH_KEY, EARSHOT_SPEECH_MODEL and EARSHOT_SPEECH_VOICE, or EARSHOT_SPEECH_PROGRAM, the speech of runs by voice.",
  options: {
    ...storage,
    json,
    host: withDefault(text("--host <address>", "Address to listen on; 0.0.0.0 for all interfaces."), "127.0.0.1"),
    port: withDefault(
      integer("--port <port>", "Port to listen on; 0 for any free port.", { least: 0, most: 65_535 }),
      8080
    ),
    processes: withDefault(
      integer(
        "--processes <n>",
        `Processes that share the address, at most one per CPU core (limit: ${MAX_PROCESSES}). With more than one, a separate process runs jobs.`,
        { most: MAX_PROCESSES }
      ),
      1
    ),
    ...codeHosts,
    ...ingesting,
    collectAfter,
    analytics: columnStore,
    maxBody: withDefault(integer("--max-body <bytes>", "Largest JSON or form body."), 10_485_760),
    maxUpload: withDefault(integer("--max-upload <bytes>", "Largest multipart body, files included."), 67_108_864),
    maxBodies: withDefault(
      integer("--max-bodies <bytes>", "Bodies of all requests in memory, in each process; 503 beyond it."),
      536_870_912
    ),
    maxResponses: withDefault(
      integer("--max-responses <bytes>", "Stored documents in memory for responses, in each process; 503 beyond it."),
      134_217_728
    ),
    maxResponsesPerOrganization: withDefault(
      integer("--max-org-responses <bytes>", "The same for one organization; at most --max-responses."),
      33_554_432
    ),
    pageBytes: withDefault(
      integer("--max-page <bytes>", "Stored documents on a page of a list, which ends early beyond it."),
      4_000_000
    ),
    maxHead: withDefault(
      integer("--max-head <bytes>", "Largest URL and headers of a request together.", {
        least: 1024,
        most: 16_777_216
      }),
      65_536
    ),
    maxParts: withDefault(
      integer("--max-parts <n>", "Parts of a multipart body, and fields of a form or query."),
      1000
    ),
    maxJsonDepth: withDefault(integer("--max-json-depth <n>", "Nesting of a JSON body.", { most: 1000 }), 100),
    maxJsonValues: withDefault(integer("--max-json-values <n>", "Values of a JSON body."), 1_000_000),
    headersTimeoutSeconds: withDefault(
      integer("--headers-timeout <seconds>", "Time for a request's headers to arrive.", { most: MAX_SECONDS }),
      5
    ),
    requestTimeoutSeconds: withDefault(
      integer("--request-timeout <seconds>", "Time for a complete request to arrive.", { most: MAX_SECONDS }),
      60
    ),
    idleTimeoutSeconds: withDefault(
      integer("--idle-timeout <seconds>", "Time without a byte after which a connection is closed.", {
        most: MAX_SECONDS
      }),
      120
    ),
    keepAliveSeconds: withDefault(
      integer("--keep-alive <seconds>", "Time that a connection is kept open for the next request.", {
        most: MAX_SECONDS
      }),
      5
    ),
    stallTimeoutSeconds: withDefault(
      integer("--stall-timeout <seconds>", "Time in which a client has to read the next 32 KiB of a large response.", {
        most: MAX_SECONDS
      }),
      30
    ),
    statementTimeoutSeconds: withDefault(
      integer(
        "--sql-timeout <seconds>",
        "On PostgreSQL, longest time of a statement and of waiting for a connection or lock; 503 beyond it.",
        { most: MAX_QUERY_SECONDS }
      ),
      5
    ),
    databaseConnections: withDefault(
      integer("--database-connections <n>", "On PostgreSQL, connections of each process besides those of --readers.", {
        most: MAX_DATABASE_CONNECTIONS
      }),
      10
    ),
    maxConnections: withDefault(
      integer(
        "--max-connections <n>",
        "Open connections. Beyond it, a new one replaces one without a request, or is closed."
      ),
      10_000
    ),
    graceSeconds: withDefault(
      integer("--grace <seconds>", "Time for requests in flight to finish when the server stops."),
      30
    ),
    readers: integer(
      "--readers <n>",
      "Lists, charts and exports that are computed at a time in each process. On SQLite each takes a process of its own, and 0 computes them in the server's. (default: 3)",
      { least: 0, most: MAX_READERS }
    ),
    queryTimeoutSeconds: withDefault(
      integer(
        "--query-timeout <seconds>",
        "Longest time that a list or chart is computed; a page of an export may take six times as long.",
        { most: MAX_QUERY_SECONDS }
      ),
      10
    ),
    maxConnectionsPerAddress: withDefault(
      integer("--max-per-address <n>", "Open connections of one address, unless it is a trusted proxy's."),
      2_000
    ),
    answerTimeoutSeconds: withDefault(
      integer("--answer-timeout <seconds>", "Time for a request to be answered; 503 after it.", { most: 3600 }),
      60
    ),
    trustProxy: list(
      "--trust-proxy <address>",
      "Address or network (CIDR) of a proxy whose X-Forwarded-For and Forwarded are trusted, or the number of proxies. (default: none)"
    ),
    allowOrigins: list(
      "--allow-origin <origin>",
      "Origin, such as https://app.example.com, whose pages may have shared dashboards in a frame and use embedded sessions and shareable links. (default: none)"
    ),
    rateLimit: integer("--rate-limit <n>", "Requests per minute for each credential. (default: no limit)"),
    refusalLimit: withDefault(
      integer(
        "--refusal-limit <n>",
        "Failed authentications per minute for each client address and prefix of a key; 429 beyond it. Valid credentials are never rejected."
      ),
      60
    )
  },
  action: async () => (await import("../actions/Serve.js")).serve
})
