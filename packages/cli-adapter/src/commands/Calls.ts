import {
  choice,
  choiceArgument,
  command,
  group,
  integer,
  list,
  required,
  text,
  textArguments,
  withDefault
} from "./Declare.js"
import { LISTING_PLATFORM_NAMES } from "../ListingPlatforms.js"
import { agent, common, id, ingesting, input, output, page, project, recordingsFolder } from "./Shared.js"

const selection = {
  filter: text("--filter <json>", "Only calls that match this filter, as JSON; see docs/filters.md."),
  agent,
  project
}

const expand = text(
  "--expand <names>",
  "With --json, add these to each call, separated by commas: transcript, transcript_object, metadata, dynamic_variables, tool_calls, timings."
)

/** Repeated, since loading the engine takes longer than printing the help; a test compares it with the engine's list. */
export const PLATFORM_NAMES = [
  "provider_a",
  "provider_b",
  "provider_d",
  "provider_e",
  "provider_f",
  "vapi",
  "retell",
  "pipecat",
  "livekit",
  "elevenlabs"
] as const

const redact = list(
  "--redact <fields>",
  "Redact these fields in every call, in addition to its own redact_fields: all, or a list such as phone_number,ssn."
)

const concurrency = withDefault(
  integer("--concurrency <n>", "Calls to ingest at the same time, 1 to 256.", { most: 256 }),
  32
)

const ingest = command("ingest", {
  description:
    "Ingest calls, as the webhook does. Invalid calls are reported; the others are stored, and the exit code is 1.",
  options: {
    ...common,
    ...ingesting,
    redact,
    format: choice(
      "--format <platform>",
      "The files have a voice platform's webhooks or call objects, as the platform sends or exports them. (default: bodies of the observe endpoint)",
      PLATFORM_NAMES
    ),
    agent: integer("--agent <id>", "Agent of calls that have neither agent nor assistant_id."),
    concurrency
  },
  args: {
    files: textArguments(
      "file",
      "Files or glob patterns. Each file has a call as JSON, a list of calls, or one call per line (NDJSON). - reads stdin. (default: stdin)"
    )
  },
  action: async () => (await import("../actions/Ingest.js")).ingest
})

const importCalls = command("import", {
  description:
    "Import the calls of an account at a voice platform, newest first. Importing a call again does not store it twice.",
  options: {
    ...common,
    ...ingesting,
    since: required(
      text("--since <time>", "Calls since then: a time such as 2030-01-31T00:00:00Z, or 7d, 24h, 30m ago.")
    ),
    until: text("--until <time>", "Calls until then, in the same forms. (default: now)"),
    platformKeyFile: text(
      "--platform-key-file <file>",
      "File with the platform's API key; - reads stdin. (env: VAPI_API_KEY, RETELL_API_KEY, ELEVENLABS_API_KEY)"
    ),
    baseUrl: text("--base-url <address>", "Address of the platform's API, such as that of another region."),
    redact,
    agent: integer("--agent <id>", "Agent of all calls. (default: the agent whose assistant_id the call states)"),
    concurrency
  },
  args: { platform: choiceArgument("platform", "Voice platform.", LISTING_PLATFORM_NAMES) },
  action: async () => (await import("../actions/Import.js")).importCalls
})

export const calls = group("calls", "Ingest, import, list, show, score, review, export and delete production calls.", [
  ingest,
  importCalls,
  command("list", {
    description: "List calls, newest first.",
    options: { ...common, ...selection, ...page, expand },
    action: async () => (await import("../actions/Calls.js")).list
  }),
  command("facets", {
    description: "Count matching calls by the values of their fields.",
    options: {
      ...common,
      ...selection,
      fields: text(
        "--fields <names>",
        "Fields to count by, separated by commas, such as status,metadata.region. (default: the usual ones, and the paths of metadata in use)"
      ),
      limit: integer("--limit <n>", "Values of each field, 1 to 50. (default: 10)", { most: 50 })
    },
    action: async () => (await import("../actions/Calls.js")).facets
  }),
  command("show", {
    description: "Show a call with its transcript, tool calls and timings.",
    options: {
      ...common,
      expand: text(
        "--expand <names>",
        "With --json, add these, separated by commas: metadata, dynamic_variables, tool_calls, timings, recording, evaluations, delivery."
      )
    },
    args: { id: id("call") },
    action: async () => (await import("../actions/Calls.js")).show
  }),
  command("scores", {
    description: "Show the metric scores of a call and their explanations.",
    options: common,
    args: { id: id("call") },
    action: async () => (await import("../actions/Metrics.js")).scores
  }),
  command("evaluate", {
    description: "Queue the evaluation of a call.",
    options: {
      ...common,
      metrics: text("--metrics <ids>", "Ids of metrics, separated by commas. (default: all enabled metrics)")
    },
    args: { id: id("call") },
    action: async () => (await import("../actions/Metrics.js")).evaluate
  }),
  command("recording", {
    description: "Save the recording of a call: the muted one if the call has redact_fields.",
    options: {
      ...common,
      recordings: recordingsFolder,
      output
    },
    args: { id: id("call") },
    action: async () => (await import("../actions/SaveRecording.js")).saveRecording("call")
  }),
  command("review", {
    description: "Record a human review of a call: status=reviewed_success feedback=... and so on.",
    options: { ...common, ...input.options },
    args: { id: id("call"), ...input.args },
    action: async () => (await import("../actions/Calls.js")).review
  }),
  command("delete", {
    description: "Delete a call permanently, with its transcript, scores and recording.",
    options: common,
    args: { id: id("call") },
    action: async () => (await import("../actions/Calls.js")).remove
  }),
  command("export", {
    description: "Print all matching calls, newest first, as one line of JSON each (NDJSON).",
    options: { ...common, ...selection, expand },
    action: async () => (await import("../actions/Calls.js")).exportCalls
  })
])
