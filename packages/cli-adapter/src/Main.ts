/** Runs one command line: parses it, runs its command, and ends the process with the code that says what became of it. */
import { format } from "node:util"
import * as CliConfig from "@effect/cli/CliConfig"
import * as Command from "@effect/cli/Command"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import * as NodePath from "@effect/platform-node/NodePath"
import * as NodeTerminal from "@effect/platform-node/NodeTerminal"
import * as Cause from "effect/Cause"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { earshot } from "./Cli.js"
import { Misused, type Report, reportOf } from "./Faults.js"
import * as Screen from "./Screen.js"
import { Signals } from "./Signals.js"
import { neutralised, printJson } from "./Text.js"
import { VERSION } from "./Version.js"
import type { Wiring } from "./Wiring.js"

const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const

// eslint-disable-next-line no-control-regex -- the escape sequences of colours
const withoutColours = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, "")

/**
 * What the argument parser prints: help on stdout and faults on stderr, with its colours only where they are wanted.
 */
const parserConsole = (colour: boolean): Console.Console => {
  const silent = Effect.void
  const print =
    (stream: NodeJS.WriteStream, colours: boolean) =>
    (...args: ReadonlyArray<unknown>) =>
      Effect.sync(() => {
        const text = format(...args)
        stream.write(`${(colours ? text : withoutColours(text)).trimEnd()}\n`)
      })
  const out = print(process.stdout, colour)
  const err = print(process.stderr, false)
  return {
    [Console.TypeId]: Console.TypeId,
    assert: () => silent,
    clear: silent,
    count: () => silent,
    countReset: () => silent,
    debug: err,
    dir: () => silent,
    dirxml: () => silent,
    error: err,
    group: () => silent,
    groupEnd: silent,
    info: out,
    log: out,
    table: () => silent,
    time: () => silent,
    timeEnd: () => silent,
    timeLog: () => silent,
    trace: () => silent,
    warn: err,
    unsafe: globalThis.console
  }
}

/** The engine's own log goes beside the results, a line of JSON an event. */
const logging = Logger.replace(
  Logger.defaultLogger,
  Logger.map(Logger.jsonLogger, (line) => {
    process.stderr.write(`${line}\n`)
  })
)

/** What became of a command: its errors as they report themselves, and what nobody expected as the system's fault. */
const reportOfCause = (cause: Cause.Cause<unknown>, verbose: boolean): Report => {
  const failure = Cause.failureOption(cause)
  const report =
    failure._tag === "Some"
      ? reportOf(failure.value)
      : ({ code: 3, lines: ["The command failed in a way that nobody expected."], body: undefined } satisfies Report)
  if (report.code !== 3) return report
  const details = verbose ? Cause.pretty(cause, { renderErrorCause: true }) : undefined
  const hint = "More is told with --log-level debug."
  return {
    ...report,
    lines: [...report.lines, ...(details === undefined ? [hint] : details.split("\n"))],
    body: { detail: report.lines.join(" ") }
  }
}

/** Writes what is pending, then ends the process: a stray handle must not keep a finished command alive. */
const leave = (code: number): void => {
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)))
}

/** The arguments that the parser sees before any command does. */
const guarded = (argv: ReadonlyArray<string>): Effect.Effect<void, Misused> =>
  argv.includes("--wizard") && !(process.stdin.isTTY && process.stdout.isTTY)
    ? new Misused({ reason: "--wizard asks questions, and nobody is there to answer: stdin is no terminal." })
    : Effect.void

/** Runs the command line of this process. */
export const main = (wiring: Layer.Layer<Wiring>): void => {
  // Replaces the arguments in the process list, where other users could read a key or a password.
  process.title = "earshot"
  // A reader that has gone is noticed where a line is written.
  process.stdout.on("error", () => undefined)
  process.stderr.on("error", () => undefined)

  const argv = process.argv
  const asJson = argv.includes("--json")
  const verbose = argv.some((word, at) => /^(debug|trace|all)$/i.test(word) && argv[at - 1] === "--log-level")
  let endsWell = false
  let caught: keyof typeof SIGNAL_NUMBERS | undefined

  const program = Effect.gen(function* () {
    yield* guarded(argv)
    const { colour } = yield* Screen.Screen
    yield* Command.run(earshot, { name: "earshot", version: VERSION, executable: "earshot" })(argv).pipe(
      Effect.withConsole(parserConsole(colour))
    )
  }).pipe(
    Effect.provide(
      Layer.mergeAll(
        wiring,
        Screen.layer,
        logging,
        NodeFileSystem.layer,
        NodePath.layer,
        NodeTerminal.layer,
        CliConfig.layer({ showBuiltIns: false }),
        Layer.succeed(Signals, {
          endWell: Effect.sync(() => {
            endsWell = true
          })
        })
      )
    )
  )

  const fiber = Effect.runFork(program)

  const onSignal = (signal: keyof typeof SIGNAL_NUMBERS): void => {
    if (caught !== undefined) process.exit(128 + SIGNAL_NUMBERS[signal])
    caught = signal
    Effect.runFork(Fiber.interrupt(fiber))
  }
  process.on("SIGINT", onSignal)
  process.on("SIGTERM", onSignal)

  fiber.addObserver((exit) => {
    if (Exit.isSuccess(exit)) {
      leave(0)
      return
    }
    if (caught !== undefined && Cause.isInterruptedOnly(exit.cause)) {
      leave(endsWell ? 0 : 128 + SIGNAL_NUMBERS[caught])
      return
    }
    const { body, code, lines } = reportOfCause(exit.cause, verbose)
    if (asJson && body !== undefined) process.stderr.write(`${printJson(body)}\n`)
    else for (const line of lines) process.stderr.write(`${neutralised(line)}\n`)
    leave(code)
  })
}
