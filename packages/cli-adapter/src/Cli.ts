/** The commands and what they take. What they do lies in `commands/`, which is loaded when one of them runs. */
import * as Args from "@effect/cli/Args"
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { SubjectCommands } from "./commands/Subject.js"
import type { Running } from "./Running.js"
import * as Settings from "./Settings.js"

/** Loads a module and runs a command of it. */
const lazily =
  <M, O>(load: () => Promise<M>, command: (module: M) => (options: O) => Running) =>
  (options: O): Running =>
    Effect.flatMap(Effect.promise(load), (module) => command(module)(options))

const { database, json } = Settings

const init = Command.make(
  "init",
  {
    database,
    json,
    organization: Options.text("organization").pipe(
      Options.withPseudoName("NAME"),
      Options.withDescription("The organisation's name; also adds one to a database that has some."),
      Options.optional
    )
  },
  lazily(
    () => import("./commands/Init.js"),
    (module) => module.init
  )
).pipe(
  Command.withDescription(
    "Makes the database, with an organisation, a project, an agent and an API key, which is shown this once."
  )
)

const port = Options.integer("port").pipe(
  Options.filterMap(
    (value) => (value >= 0 && value <= 65_535 ? Option.some(value) : Option.none()),
    "--port takes a number from 0 (any free port) to 65535"
  ),
  Options.withDescription("The port to listen on, 0 for any that is free; 8080 unless told."),
  Options.withDefault(8080)
)

/** Beyond any machine's cores it is a slip of the finger, which would fill its memory. */
const MOST_PROCESSES = 256

const serve = Command.make(
  "serve",
  {
    database,
    json,
    host: Options.text("host").pipe(
      Options.withDescription("The address to listen on; 127.0.0.1 unless told, 0.0.0.0 for all."),
      Options.withDefault("127.0.0.1")
    ),
    port,
    processes: Options.integer("processes").pipe(
      Options.filterMap(
        (count) => (count >= 1 && count <= MOST_PROCESSES ? Option.some(count) : Option.none()),
        `--processes takes a number from 1 to ${MOST_PROCESSES}`
      ),
      Options.withDescription(
        `Processes that share the address, best no more than processor cores; 1 to ${MOST_PROCESSES}, one unless told. Of several, another one evaluates.`
      ),
      Options.withDefault(1)
    ),
    ...Settings.codeHosts,
    ...Settings.ingesting,
    ...Settings.agentHosts,
    maxBody: Settings.positive("max-body", "Bytes of a JSON or form body; 10485760 unless told."),
    maxUpload: Settings.positive("max-upload", "Bytes of a multipart body, files included; 67108864 unless told."),
    maxConnections: Settings.positive("max-connections", "Open connections, more are refused; 10000 unless told."),
    graceSeconds: Settings.positive(
      "grace",
      "Seconds that requests in flight are given when the server stops; 30 unless told."
    ),
    rateLimit: Settings.positive(
      "rate-limit",
      "Requests a minute that each credential may make; no limit unless told."
    ),
    refusalLimit: Settings.positive(
      "refusal-limit",
      "Wrong credentials a minute that an address may send; no limit unless told."
    )
  },
  lazily(
    () => import("./commands/Serve.js"),
    (module) => module.serve
  )
).pipe(
  Command.withDescription(
    "Serves the HTTP interface until it is told to stop, and does jobs: what needs a language model with the one of EARSHOT_MODEL_URL, EARSHOT_MODEL and EARSHOT_MODEL_KEY, transcripts with the speech server of EARSHOT_TRANSCRIBER_URL, EARSHOT_TRANSCRIBER_KEY and EARSHOT_TRANSCRIBER_MODEL. Logs go to stderr; see --log-level."
  )
)

const limit = Settings.positive("limit", "Rows on a page, 1 to 200; 50 unless told.")
const cursor = Options.text("cursor").pipe(
  Options.withDescription("Where the page begins, as an earlier page told."),
  Options.optional
)
const page = { limit, cursor }
const common = { database, json, ...Settings.caller }
const id = (what: string) => Args.integer({ name: "ID" }).pipe(Args.withDescription(what))

const scopes = Options.text("scope").pipe(
  Options.withDescription(
    "What the key may do: all, calls:write, dashboards:read and so on; may be given again. As much as its maker unless told."
  ),
  Options.repeated
)
const expires = Options.text("expires").pipe(
  Options.withPseudoName("TIME"),
  Options.withDescription("From when on it is refused, as 2030-01-31T00:00:00Z."),
  Options.optional
)
const bounds = Options.text("bound").pipe(
  Options.withPseudoName("KIND:ID"),
  Options.withDescription(
    "What it is bound to: project:1, agent:2, dashboard:3 or result:4, with what lies in it; may be given again."
  ),
  Options.repeated
)
const permissions = Options.text("permission").pipe(
  Options.withDescription(
    "What it may do there, dashboards:read and so on; may be given again. To read what its maker may read, unless told."
  ),
  Options.repeated
)

const organizations = Command.make("organizations").pipe(
  Command.withDescription("The organisations of this database."),
  Command.withSubcommands([
    Command.make(
      "list",
      { database, json, ...page },
      lazily(
        () => import("./commands/Organizations.js"),
        (module) => module.list
      )
    ).pipe(Command.withDescription("Lists organisations, newest first."))
  ])
)

const keys = Command.make("keys").pipe(
  Command.withDescription("API keys: what callers of the server show in the header X-SERVICE-API-KEY."),
  Command.withSubcommands([
    Command.make(
      "create",
      {
        ...common,
        name: Options.text("name").pipe(
          Options.withDescription("What to call the key."),
          Options.withDefault("Made at the command line")
        ),
        scopes,
        expires
      },
      lazily(
        () => import("./commands/Keys.js"),
        (module) => module.create
      )
    ).pipe(Command.withDescription("Makes a key and prints it, this once.")),
    Command.make(
      "list",
      { ...common, ...page },
      lazily(
        () => import("./commands/Keys.js"),
        (module) => module.list
      )
    ).pipe(Command.withDescription("Lists keys without their secrets, newest first.")),
    Command.make(
      "revoke",
      { ...common, id: id("The key's id.") },
      lazily(
        () => import("./commands/Keys.js"),
        (module) => module.revoke
      )
    ).pipe(Command.withDescription("Refuses a key from now on."))
  ])
)

const links = Command.make("links").pipe(
  Command.withDescription("Shareable links: to show some things to whoever has one."),
  Command.withSubcommands([
    Command.make(
      "create",
      {
        ...common,
        name: Options.text("name").pipe(Options.withDescription("What to call the link."), Options.withDefault("")),
        bounds,
        permissions,
        expires
      },
      lazily(
        () => import("./commands/Access.js"),
        (module) => module.createLink
      )
    ).pipe(Command.withDescription("Makes a link and prints its secret, this once.")),
    Command.make(
      "list",
      { ...common, ...page },
      lazily(
        () => import("./commands/Access.js"),
        (module) => module.listLinks
      )
    ).pipe(Command.withDescription("Lists links, newest first.")),
    Command.make(
      "revoke",
      { ...common, id: id("The link's id.") },
      lazily(
        () => import("./commands/Access.js"),
        (module) => module.revokeLink
      )
    ).pipe(Command.withDescription("Refuses a link from now on."))
  ])
)

const tokens = Command.make("tokens").pipe(
  Command.withDescription("Signed, short-lived tokens for connected apps and sessions."),
  Command.withSubcommands([
    Command.make(
      "issue",
      {
        ...common,
        kind: Options.choice("kind", ["oauth2", "dashboard_session", "embedded_session", "agent_session"]).pipe(
          Options.withDescription("What it is for.")
        ),
        bounds,
        permissions,
        ttl: Settings.positive(
          "ttl",
          "Seconds that it lives; 3600 unless told, of a dashboard_session 43200, of an agent_session 600."
        ),
        user: Settings.positive("user", "The user that it stands for.")
      },
      lazily(
        () => import("./commands/Access.js"),
        (module) => module.issueToken
      )
    ).pipe(Command.withDescription("Issues a token and prints it, this once.")),
    Command.make(
      "revoke",
      {
        ...common,
        jti: Args.text({ name: "JTI" }).pipe(Args.withDescription("The token's own id, its jti; or the whole token."))
      },
      lazily(
        () => import("./commands/Access.js"),
        (module) => module.revokeToken
      )
    ).pipe(Command.withDescription("Refuses a token from now on."))
  ])
)

const selection = {
  filter: Options.text("filter").pipe(
    Options.withPseudoName("JSON"),
    Options.withDescription(`Which calls, such as '{"field":"success","op":"eq","value":false}'; see docs/filters.md.`),
    Options.optional
  ),
  agent: Settings.positive("agent", "Calls of this agent alone."),
  project: Settings.positive("project", "Calls of this project alone.")
}

const calls = Command.make("calls").pipe(
  Command.withDescription("Production calls."),
  Command.withSubcommands([
    Command.make(
      "ingest",
      {
        ...common,
        ...Settings.ingesting,
        redact: Options.text("redact").pipe(
          Options.withPseudoName("FIELDS"),
          Options.withDescription(
            "Redact these fields in every call, beside those it names itself: phone_number,ssn or all; may be given again."
          ),
          Options.repeated
        ),
        agent: Settings.positive("agent", "The agent of calls that name neither agent nor assistant_id."),
        concurrency: Options.integer("concurrency").pipe(
          Options.filterMap(
            (value) => (value >= 1 && value <= 256 ? Option.some(value) : Option.none()),
            "--concurrency takes a number from 1 to 256"
          ),
          Options.withDescription("Calls taken in at a time; 32 unless told."),
          Options.withDefault(32)
        ),
        files: Args.text({ name: "FILE" }).pipe(
          Args.withDescription(
            "Files or patterns: a call as JSON, a list of calls, or a call a line (NDJSON). - or nothing is stdin."
          ),
          Args.repeated
        )
      },
      lazily(
        () => import("./commands/Ingest.js"),
        (module) => module.ingest
      )
    ).pipe(
      Command.withDescription("Takes calls in as the webhook does. What is refused is reported, and the rest goes on.")
    ),
    Command.make(
      "list",
      { ...common, ...selection, ...page },
      lazily(
        () => import("./commands/Calls.js"),
        (module) => module.list
      )
    ).pipe(Command.withDescription("Lists calls, newest first.")),
    Command.make(
      "show",
      { ...common, id: id("The call's id.") },
      lazily(
        () => import("./commands/Calls.js"),
        (module) => module.show
      )
    ).pipe(Command.withDescription("Shows a call with its transcript.")),
    Command.make(
      "scores",
      { ...common, id: id("The call's id.") },
      lazily(
        () => import("./commands/Metrics.js"),
        (module) => module.scores
      )
    ).pipe(Command.withDescription("Shows what metrics said of a call, and why.")),
    Command.make(
      "evaluate",
      {
        ...common,
        metrics: Options.text("metrics").pipe(
          Options.withPseudoName("IDS"),
          Options.withDescription("Ids of metrics, separated by commas; all that are enabled unless told."),
          Options.optional
        ),
        id: id("The call's id.")
      },
      lazily(
        () => import("./commands/Metrics.js"),
        (module) => module.evaluate
      )
    ).pipe(Command.withDescription("Queues a call's evaluation.")),
    Command.make(
      "export",
      { ...common, ...selection },
      lazily(
        () => import("./commands/Calls.js"),
        (module) => module.exportCalls
      )
    ).pipe(Command.withDescription("Prints every call as a line of JSON (NDJSON), newest first."))
  ])
)

/** What every command over a suite file takes. */
const suiteFile = {
  ...common,
  agent: Settings.positive("agent", "The agent to test; the file's agent_id unless told."),
  channel: Options.choice("channel", ["voice", "text", "provider_f", "provider_e_v2", "provider_d_v2"]).pipe(
    Options.withDescription("How the agent is reached; voice unless told."),
    Options.optional
  ),
  name: Options.text("name").pipe(
    Options.withDescription("What to call the run; the suite's name unless told."),
    Options.optional
  ),
  junit: Options.text("junit").pipe(
    Options.withPseudoName("PATH"),
    Options.withDescription("Also write a JUnit report to this file."),
    Options.optional
  ),
  file: Args.text({ name: "FILE" }).pipe(
    Args.withDescription("The suite, a JSON file; see docs/suites.md. - is stdin.")
  )
}

const suites = Command.make("suites").pipe(
  Command.withDescription("Test suites: files that say how an agent is tested."),
  Command.withSubcommands([
    Command.make(
      "validate",
      suiteFile,
      lazily(
        () => import("./commands/Suites.js"),
        (module) => module.validate
      )
    ).pipe(
      Command.withDescription(
        "Checks a suite against its agent and says what running it would do and cost. Nothing is created or called."
      )
    ),
    Command.make(
      "run",
      {
        ...suiteFile,
        ...Settings.agentHosts,
        phoneNumber: Settings.positive("phone-number", "The id of the number that voice runs call from."),
        noWait: Options.boolean("no-wait").pipe(
          Options.withDescription("End as soon as the runs are queued; somebody else plays them.")
        ),
        timeout: Settings.positive("timeout", "Seconds to wait at most; as long as it takes unless told.")
      },
      lazily(
        () => import("./commands/RunSuite.js"),
        (module) => module.run
      )
    ).pipe(
      Command.withDescription(
        "Runs a suite and waits for its runs, playing those by text itself, with the language model of EARSHOT_MODEL_URL, EARSHOT_MODEL and EARSHOT_MODEL_KEY. Ends with 1 where a run was no success."
      )
    )
  ])
)

const loadResults = () => import("./commands/Results.js")
const resultId = id("The result's id.")

const results = Command.make("results").pipe(
  Command.withDescription("Results: the runs of suites, and what they came to."),
  Command.withSubcommands([
    Command.make(
      "list",
      {
        ...common,
        project: Settings.positive("project", "Results of this project alone."),
        agent: Settings.positive("agent", "Results of this agent alone."),
        ...page
      },
      lazily(loadResults, (module) => module.list)
    ).pipe(Command.withDescription("Lists results, newest first.")),
    Command.make(
      "show",
      { ...common, id: resultId },
      lazily(loadResults, (module) => module.show)
    ).pipe(Command.withDescription("Shows a result with what its metrics came to.")),
    Command.make(
      "compare",
      {
        ...common,
        tolerance: Options.float("tolerance").pipe(
          Options.withDescription("What difference counts as none, 0 to 1; 0 unless told."),
          Options.optional
        ),
        base: Args.integer({ name: "BASE" }).pipe(Args.withDescription("The id of the result to compare with.")),
        id: resultId
      },
      lazily(loadResults, (module) => module.compare)
    ).pipe(Command.withDescription("Says what became better and what worse, scenario by scenario.")),
    Command.make(
      "export",
      {
        ...common,
        junit: Options.text("junit").pipe(
          Options.withPseudoName("PATH"),
          Options.withDescription("Write a JUnit report to this file instead; - is stdout."),
          Options.optional
        ),
        id: resultId
      },
      lazily(loadResults, (module) => module.exportResult)
    ).pipe(Command.withDescription("Prints every run with its transcript as a line of JSON (NDJSON).")),
    Command.make(
      "cancel",
      { ...common, id: resultId },
      lazily(loadResults, (module) => module.cancel)
    ).pipe(Command.withDescription("Cancels the runs of a result that are not over.")),
    Command.make(
      "delete",
      { ...common, ids: resultId.pipe(Args.repeated) },
      lazily(loadResults, (module) => module.remove)
    ).pipe(
      Command.withDescription("Deletes results with their runs, up to 100; those that are not there are passed over.")
    )
  ])
)

const runs = Command.make("runs").pipe(
  Command.withDescription("Runs: the simulated calls of results."),
  Command.withSubcommands([
    Command.make(
      "list",
      {
        ...common,
        result: Settings.positive("result", "Runs of this result alone."),
        status: Options.choice("status", [
          "queued",
          "running",
          "evaluating",
          "completed",
          "failed",
          "timeout",
          "cancelled"
        ]).pipe(Options.withDescription("Runs in this state alone."), Options.optional),
        ...page
      },
      lazily(loadResults, (module) => module.listRuns)
    ).pipe(Command.withDescription("Lists runs, newest first.")),
    Command.make(
      "show",
      { ...common, id: id("The run's id.") },
      lazily(loadResults, (module) => module.showRun)
    ).pipe(Command.withDescription("Shows a run.")),
    Command.make(
      "cancel",
      { ...common, id: id("The run's id.") },
      lazily(loadResults, (module) => module.cancelRun)
    ).pipe(Command.withDescription("Cancels a run that is not over.")),
    Command.make(
      "delete",
      {
        ...common,
        id: resultId,
        runs: Args.integer({ name: "RUN" }).pipe(
          Args.withDescription("Ids of the result's runs, up to 100."),
          Args.repeated
        )
      },
      lazily(loadResults, (module) => module.removeRuns)
    ).pipe(Command.withDescription("Deletes runs of a result; what it came to is then what the others come to."))
  ])
)

const redact = Command.make(
  "redact",
  {
    json,
    fields: Options.text("field").pipe(
      Options.withPseudoName("FIELDS"),
      Options.withDescription("What to look for: phone_number,ssn and so on; may be given again. All 29 unless told."),
      Options.repeated
    ),
    type: Options.text("type").pipe(
      Options.withDescription("The transcript_type of a JSON transcript, where it does not say itself."),
      Options.optional
    ),
    everyday: Options.boolean("everyday").pipe(
      Options.withDescription("Weekdays, 'tomorrow', lengths of time, meetings and places such as 'home' count too.")
    ),
    numbered: Options.boolean("numbered").pipe(
      Options.withDescription("[PHONE_NUMBER_1] and so on, the same for the same value.")
    ),
    file: Args.text({ name: "FILE" }).pipe(
      Args.withDescription("Text, a line an utterance; a transcript as JSON; or a call as JSON. - is stdin.")
    )
  },
  lazily(
    () => import("./commands/Redact.js"),
    (module) => module.redact
  )
).pipe(Command.withDescription("Shows what redaction would take out of a transcript, and why. It keeps nothing."))

const dashboards = Command.make("dashboards").pipe(
  Command.withDescription("Dashboards, drawn in the terminal."),
  Command.withSubcommands([
    Command.make(
      "list",
      { ...common, project: selection.project, ...page },
      lazily(
        () => import("./commands/Dashboards.js"),
        (module) => module.list
      )
    ).pipe(Command.withDescription("Lists dashboards, newest first.")),
    Command.make(
      "show",
      { ...common, id: id("The dashboard's id.") },
      lazily(
        () => import("./commands/Dashboards.js"),
        (module) => module.show
      )
    ).pipe(Command.withDescription("Draws a dashboard with what its widgets show now."))
  ])
)

const metrics = Command.make("metrics").pipe(
  Command.withDescription("Metrics: what is asked of calls."),
  Command.withSubcommands([
    Command.make(
      "predefined",
      common,
      lazily(
        () => import("./commands/Metrics.js"),
        (module) => module.predefined
      )
    ).pipe(Command.withDescription("Lists the metrics that every agent has until they are switched off.")),
    Command.make(
      "list",
      {
        ...common,
        agent: Settings.positive("agent", "Metrics of this agent alone, the predefined ones included."),
        ...page
      },
      lazily(
        () => import("./commands/Metrics.js"),
        (module) => module.list
      )
    ).pipe(Command.withDescription("Lists agents' metrics, newest first.")),
    Command.make(
      "show",
      { ...common, id: id("The metric's id.") },
      lazily(
        () => import("./commands/Metrics.js"),
        (module) => module.show
      )
    ).pipe(Command.withDescription("Shows a metric as JSON."))
  ])
)

const prompts = Command.make("prompts").pipe(
  Command.withDescription("Prompts of metrics."),
  Command.withSubcommands([
    Command.make(
      "simplify",
      {
        json,
        file: Args.text({ name: "FILE" }).pipe(Args.withDescription("The file that holds the prompt. - is stdin."))
      },
      lazily(
        () => import("./commands/Prompts.js"),
        (module) => module.simplify
      )
    ).pipe(
      Command.withDescription(
        "Prints a shorter prompt with every rule of the first: by rules, or by the model of EARSHOT_MODEL_URL. It keeps nothing."
      )
    )
  ])
)

const jobs = Command.make("jobs").pipe(
  Command.withDescription("Jobs: what is done after a request was answered."),
  Command.withSubcommands([
    Command.make(
      "list",
      {
        ...common,
        state: Options.choice("state", ["queued", "running", "succeeded", "dead"]).pipe(
          Options.withDescription("Jobs in this state alone."),
          Options.optional
        ),
        kind: Options.text("kind").pipe(Options.withDescription("Jobs of this kind alone."), Options.optional),
        ...page
      },
      lazily(
        () => import("./commands/Jobs.js"),
        (module) => module.list
      )
    ).pipe(Command.withDescription("Lists jobs, newest first; --state dead lists those that gave up.")),
    Command.make(
      "retry",
      { ...common, id: id("The job's id.") },
      lazily(
        () => import("./commands/Jobs.js"),
        (module) => module.retry
      )
    ).pipe(Command.withDescription("Gives a dead job all its attempts again.")),
    Command.make(
      "run",
      { database, json, ...Settings.agentHosts },
      lazily(
        () => import("./commands/Jobs.js"),
        (module) => module.run
      )
    ).pipe(Command.withDescription("Does what is due and ends; a running server does it by itself."))
  ])
)

const connections = Command.make("connections").pipe(
  Command.withDescription("Connections to code hosts, which repositories are checked out through."),
  Command.withSubcommands([
    Command.make(
      "create",
      {
        ...common,
        ...Settings.codeHosts,
        name: Options.text("name").pipe(Options.withDescription("What to call it."), Options.withDefault("")),
        settings: Options.text("set").pipe(
          Options.withPseudoName("NAME=VALUE"),
          Options.withDescription(
            "What the host asks for; may be given again. github: app_id, installation_id, owner, base_url. gitlab: namespace, base_url. local: nothing."
          ),
          Options.repeated
        ),
        secretFile: Options.text("secret-file").pipe(
          Options.withPseudoName("FILE"),
          Options.withDescription(
            "The file that holds the app's private key (github) or the access token (gitlab); - is stdin."
          ),
          Options.optional
        ),
        host: Args.text({ name: "HOST" }).pipe(Args.withDescription("The kind of code host: github, gitlab or local."))
      },
      lazily(
        () => import("./commands/Connections.js"),
        (module) => module.create
      )
    ).pipe(Command.withDescription("Makes a connection, which is inactive. Its secret is kept sealed.")),
    Command.make(
      "list",
      { ...common, ...page },
      lazily(
        () => import("./commands/Connections.js"),
        (module) => module.list
      )
    ).pipe(Command.withDescription("Lists connections without their secrets, newest first.")),
    Command.make(
      "test",
      { ...common, ...Settings.codeHosts, id: id("The connection's id.") },
      lazily(
        () => import("./commands/Connections.js"),
        (module) => module.test
      )
    ).pipe(Command.withDescription("Tries a connection against its code host.")),
    Command.make(
      "activate",
      { ...common, ...Settings.codeHosts, id: id("The connection's id.") },
      lazily(
        () => import("./commands/Connections.js"),
        (module) => module.activate
      )
    ).pipe(Command.withDescription("Tries a connection and makes it the one that is used.")),
    Command.make(
      "revoke",
      { ...common, ...Settings.codeHosts, id: id("The connection's id.") },
      lazily(
        () => import("./commands/Connections.js"),
        (module) => module.revoke
      )
    ).pipe(Command.withDescription("Revokes a connection for good, and the keys that were had through it.")),
    Command.make(
      "reseal",
      { database, json },
      lazily(
        () => import("./commands/Connections.js"),
        (module) => module.reseal
      )
    ).pipe(Command.withDescription("Seals every secret with the first key of EARSHOT_SECRET_KEYS."))
  ])
)

const checkout = Command.make(
  "checkout",
  {
    database,
    json,
    ...Settings.callerWithSession,
    ...Settings.codeHosts,
    env: Options.boolean("env").pipe(
      Options.withDescription(
        'Print what a shell evaluates, so that git uses the key: eval "$(earshot checkout --env web)".'
      )
    ),
    repo: Args.text({ name: "REPO" }).pipe(Args.withDescription("The repository's short name."))
  },
  lazily(
    () => import("./commands/Connections.js"),
    (module) => module.checkout
  )
).pipe(Command.withDescription("Makes a key that reads one repository for an hour, and prints it, this once."))

const input = {
  input: Options.text("input").pipe(
    Options.withPseudoName("FILE"),
    Options.withDescription("A JSON object with fields, - for stdin; FIELD=VALUE goes before what stands in it."),
    Options.optional
  ),
  fields: Args.text({ name: "SET" }).pipe(
    Args.withDescription(
      "FIELD=VALUE, by the names that the server knows; lists and objects are JSON, such as tags='[\"a\"]'."
    ),
    Args.repeated
  )
}
const ofText = (name: string, what: string) => Options.text(name).pipe(Options.withDescription(what), Options.optional)

/** The five commands that every kind of thing has. */
const subjectCommands = <M>(
  load: () => Promise<M>,
  commands: (module: M) => SubjectCommands,
  one: string,
  selection: Record<string, Options.Options<Option.Option<string | number>>>
) =>
  [
    Command.make(
      "list",
      {
        ...common,
        ...page,
        // `all` of none has no meaning to the library.
        selection: Object.keys(selection).length === 0 ? Options.map(Options.none, () => ({})) : Options.all(selection)
      },
      lazily(load, (module) => commands(module).list)
    ).pipe(Command.withDescription("Lists them, newest first.")),
    Command.make(
      "show",
      { ...common, id: id(`The ${one}'s id.`) },
      lazily(load, (module) => commands(module).show)
    ).pipe(Command.withDescription("Shows one with all of its fields.")),
    Command.make(
      "create",
      { ...common, ...input },
      lazily(load, (module) => commands(module).create)
    ).pipe(Command.withDescription("Makes one and shows it.")),
    Command.make(
      "update",
      { ...common, id: id(`The ${one}'s id.`), ...input },
      lazily(load, (module) => commands(module).update)
    ).pipe(Command.withDescription("Changes the fields that are given.")),
    Command.make(
      "delete",
      { ...common, id: id(`The ${one}'s id.`) },
      lazily(load, (module) => commands(module).remove)
    ).pipe(Command.withDescription("Deletes one."))
  ] as const

const loadEvaluators = () => import("./commands/Evaluators.js")
const loadCatalog = () => import("./commands/TestCatalog.js")
const ofProject = { project: Settings.positive("project", "Those of this project alone.") }

const evaluators = Command.make("evaluators").pipe(
  Command.withDescription("Test cases: how a simulated caller behaves, and what is asked of the call."),
  Command.withSubcommands([
    ...subjectCommands(loadEvaluators, (module) => module, "evaluator", {
      ...ofProject,
      agent: Settings.positive("agent", "Those of this agent alone."),
      folder_path: ofText("folder-path", "Those in this very folder; blank for those in none."),
      tag: ofText("tag", "Those with this tag."),
      search: ofText("search", "Those with this text in their name or instructions, in any case.")
    }),
    Command.make(
      "bulk-update",
      {
        ...common,
        ...input,
        many: Options.boolean("many").pipe(Options.withDescription("Show all of them, not the first alone."))
      },
      lazily(loadEvaluators, (module) => module.bulkUpdate)
    ).pipe(
      Command.withDescription(
        "Changes many in one go, all or none: scenarios='[1,2]' project=1 folder_path=smoke append_instruction=..."
      )
    )
  ])
)

const projects = Command.make("projects").pipe(
  Command.withDescription("What belongs together: agents, their tests, calls and dashboards."),
  Command.withSubcommands(subjectCommands(loadCatalog, (module) => module.projects, "project", {}))
)

const agents = Command.make("agents").pipe(
  Command.withDescription("The agents that are tested and observed, and where they are reached."),
  Command.withSubcommands(subjectCommands(loadCatalog, (module) => module.agents, "agent", ofProject))
)

const personalities = Command.make("personalities").pipe(
  Command.withDescription("How simulated callers speak and behave."),
  Command.withSubcommands([
    ...subjectCommands(loadCatalog, (module) => module.personalities, "personality", {
      ...ofProject,
      enabled_in: Settings.positive("enabled-in", "Those that this project has enabled."),
      language: ofText("language", "Those of this language.")
    }),
    Command.make(
      "enable",
      { ...common, id: id("The project's id."), ...input },
      lazily(loadCatalog, (module) => module.enable)
    ).pipe(Command.withDescription("Enables some for a project: personalities=1,2 or personalities=all language=en"))
  ])
)

const profiles = Command.make("profiles").pipe(
  Command.withDescription("What simulated callers know about themselves."),
  Command.withSubcommands(
    subjectCommands(loadCatalog, (module) => module.profiles, "test profile", {
      ...ofProject,
      agent: Settings.positive("agent", "Those written for this agent.")
    })
  )
)

const phoneNumbers = Command.make("phone-numbers").pipe(
  Command.withDescription("Numbers that simulated callers call from."),
  Command.withSubcommands(subjectCommands(loadCatalog, (module) => module.phoneNumbers, "phone number", ofProject))
)

const tools = Command.make("tools").pipe(
  Command.withDescription("What simulated callers can use while they talk."),
  Command.withSubcommands(subjectCommands(loadCatalog, (module) => module.tools, "tool", ofProject))
)

const folders = Command.make("folders").pipe(
  Command.withDescription("Places for evaluators, under dot-separated paths."),
  Command.withSubcommands(subjectCommands(loadCatalog, (module) => module.folders, "folder", ofProject))
)

const demo = Command.make(
  "demo",
  {
    noServe: Options.boolean("no-serve").pipe(
      Options.withDescription("Stop after the dashboard is drawn, before the server starts.")
    ),
    port: Options.integer("port").pipe(
      Options.withDescription("The port of the server; 8080 unless told, or a free one where that is taken."),
      Options.optional
    )
  },
  lazily(
    () => import("./commands/Demo.js"),
    (module) => module.demo
  )
).pipe(
  Command.withDescription(
    "Shows what Earshot does: takes sample calls in, redacts one, scores, finds and counts them, and serves them, in a database that is gone when it ends."
  )
)

/** Commands that hold others, with those. */
export const groups = {
  calls: Command.getSubcommands(calls),
  suites: Command.getSubcommands(suites),
  results: Command.getSubcommands(results),
  runs: Command.getSubcommands(runs),
  dashboards: Command.getSubcommands(dashboards),
  projects: Command.getSubcommands(projects),
  agents: Command.getSubcommands(agents),
  evaluators: Command.getSubcommands(evaluators),
  personalities: Command.getSubcommands(personalities),
  profiles: Command.getSubcommands(profiles),
  "phone-numbers": Command.getSubcommands(phoneNumbers),
  tools: Command.getSubcommands(tools),
  folders: Command.getSubcommands(folders),
  metrics: Command.getSubcommands(metrics),
  prompts: Command.getSubcommands(prompts),
  jobs: Command.getSubcommands(jobs),
  keys: Command.getSubcommands(keys),
  links: Command.getSubcommands(links),
  tokens: Command.getSubcommands(tokens),
  connections: Command.getSubcommands(connections),
  organizations: Command.getSubcommands(organizations)
}

/** The whole command. */
export const earshot = Command.make("earshot").pipe(
  Command.withDescription("Tests and observes AI voice agents."),
  Command.withSubcommands([
    demo,
    init,
    serve,
    calls,
    suites,
    results,
    runs,
    redact,
    dashboards,
    projects,
    agents,
    evaluators,
    personalities,
    profiles,
    phoneNumbers,
    tools,
    folders,
    metrics,
    prompts,
    jobs,
    keys,
    links,
    tokens,
    connections,
    checkout,
    organizations
  ])
)
