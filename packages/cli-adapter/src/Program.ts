/** The command line: every command in its place, parsed by commander. What a command does is loaded when it runs. */
import { type Argument, Command, CommanderError, Option } from "commander"
import { backup, restore } from "./commands/Backup.js"
import { calls } from "./commands/Calls.js"
import { agents, folders, personalities, phoneNumbers, profiles, projects, tools } from "./commands/Catalog.js"
import { checkout } from "./commands/Checkout.js"
import { connections } from "./commands/Connections.js"
import { credits } from "./commands/Credits.js"
import { dashboards, widgets } from "./commands/Dashboards.js"
import { type Declaration, type Execute, helpHint } from "./commands/Declare.js"
import { demo } from "./commands/Demo.js"
import { evaluators } from "./commands/Evaluators.js"
import { init } from "./commands/Init.js"
import { integrations } from "./commands/Integrations.js"
import { jobs } from "./commands/Jobs.js"
import { keys } from "./commands/Keys.js"
import { links } from "./commands/Links.js"
import { metrics } from "./commands/Metrics.js"
import { organizations } from "./commands/Organizations.js"
import { prompts } from "./commands/Prompts.js"
import { analytics } from "./commands/Analytics.js"
import { recordings } from "./commands/Recordings.js"
import { redact } from "./commands/Redact.js"
import { results } from "./commands/Results.js"
import { runs } from "./commands/Runs.js"
import { secrets } from "./commands/Secrets.js"
import { serve } from "./commands/Serve.js"
import { signIn } from "./commands/SignIn.js"
import { suites } from "./commands/Suites.js"
import { tokens } from "./commands/Tokens.js"
import { traces } from "./commands/Traces.js"
import { completions, SHELLS } from "./Completions.js"

/** The groups of the help, in its order. */
const HEADINGS: ReadonlyArray<readonly [string, ReadonlyArray<Declaration>]> = [
  ["Start:", [demo, init, serve, signIn]],
  ["Calls:", [calls, integrations, traces, dashboards, widgets, metrics, redact, prompts]],
  ["Tests:", [suites, results, runs, evaluators, personalities, profiles, phoneNumbers, tools, folders]],
  [
    "Administration:",
    [
      organizations,
      projects,
      agents,
      keys,
      links,
      tokens,
      connections,
      checkout,
      credits,
      secrets,
      recordings,
      analytics,
      backup,
      restore,
      jobs
    ]
  ]
]

/** The names that `--log-level` takes. */
const LOG_LEVELS = ["all", "trace", "debug", "info", "warning", "warn", "error", "fatal", "none"] as const

/** The widest help; longer lines are hard to read. */
const MAX_COLUMNS = 100

/** Where the parser writes. */
export interface Output {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Columns of the terminal. */
  readonly columns: number
  readonly color: boolean
}

/** A group without a command is asked for its help, which is not an error. */
class EarshotCommand extends Command {
  override createCommand(name?: string): Command {
    return new EarshotCommand(name)
  }
  override help(): never {
    return super.help()
  }
}

const argumentTerm = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? "..." : ""}`
  return argument.required ? `<${name}>` : `[${name}]`
}

/** The program. It writes to `output` and throws a `CommanderError` where a process would exit. */
export const makeProgram = (version: string, execute: Execute, output: Output): Command => {
  const bold = (text: string) => `\u001b[1m${text}\u001b[0m`
  const program = new EarshotCommand("earshot")
    .description("Test and observe AI voice agents.")
    .usage("<command> [options]")
    .exitOverride()
    .configureOutput({
      writeOut: output.out,
      writeErr: output.err,
      getOutHelpWidth: () => Math.min(output.columns, MAX_COLUMNS),
      getErrHelpWidth: () => Math.min(output.columns, MAX_COLUMNS),
      getOutHasColors: () => output.color,
      getErrHasColors: () => output.color
    })
    .configureHelp({
      minWidthToWrap: 20,
      styleTitle: bold,
      subcommandTerm: (one) => [one.name(), ...one.registeredArguments.map(argumentTerm)].join(" ")
    })
    .helpOption("-h, --help", "Show help.")
    .helpCommand("help [command]", "Show the help of a command.")
    .version(version, "--version", "Show the version.")
    .addOption(
      new Option("--log-level <level>", "Least severe level that is logged on stderr. (default: info)").choices(
        LOG_LEVELS
      )
    )
    .addOption(new Option("--completions <shell>", "Print completions for a shell.").choices(SHELLS))
  program.showHelpAfterError(`${helpHint(program)} (options follow the command)`)
  for (const [heading, declarations] of HEADINGS) {
    program.commandsGroup(heading)
    for (const declare of declarations) declare(program, execute)
  }
  program.on("option:completions", (shell: string) => {
    output.out(completions(program, shell))
    throw new CommanderError(0, "earshot.completions", "")
  })
  return program
}
