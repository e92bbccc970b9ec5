/** The commands and what they take. What they do lies in `commands/`, which is loaded when one of them runs. */
import * as Command from "@effect/cli/Command"
import * as Options from "@effect/cli/Options"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
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
  lazily(() => import("./commands/Init.js"), (module) => module.init)
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
    ...Settings.ingesting,
    maxBody: Settings.positive("max-body", "Bytes of a JSON or form body."),
    maxUpload: Settings.positive("max-upload", "Bytes of a multipart body, files included."),
    maxConnections: Settings.positive("max-connections", "Open connections; more are refused."),
    graceSeconds: Settings.positive("grace", "Seconds that requests in flight are given when the server stops."),
    rateLimit: Settings.positive("rate-limit", "Requests a minute that each credential may make; no limit unless told."),
    refusalLimit: Settings.positive(
      "refusal-limit",
      "Wrong credentials a minute that an address may send; no limit unless told."
    )
  },
  lazily(() => import("./commands/Serve.js"), (module) => module.serve)
).pipe(
  Command.withDescription("Serves the HTTP interface until it is told to stop. Logs go to stderr; see --log-level.")
)

/** The whole command. */
export const earshot = Command.make("earshot").pipe(
  Command.withDescription("Tests and observes AI voice agents."),
  Command.withSubcommands([init, serve])
)
