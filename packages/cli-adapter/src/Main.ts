/** Runs one command line: parses it, runs its command, and ends the process with the code that says what became of it. */
import { format } from "node:util"
import { loggerLayer } from "@earshot/http-adapter"
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
import * as Option from "effect/Option"
import { earshot } from "./Cli.js"
import { Misused, optionLines, type OutputClosed, type Report, reportOf } from "./Faults.js"
import * as Help from "./Help.js"
import * as Screen from "./Screen.js"
import { Signals } from "./Signals.js"
import { neutralised, printJson } from "./Text.js"
import { VERSION } from "./Version.js"
import type { Wiring } from "./Wiring.js"

const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const

/**
 * A signal so soon after the first is the same one: a terminal signals the whole process group at Ctrl-C, and package
 * managers pass on to their scripts what they got.
 */
const REPEATED_MILLIS = 500

// eslint-disable-next-line no-control-regex -- the escape sequences of colours
const withoutColours = (text: string): string => text.replace(/\u001b\[[0-9;]*m/g, "")

/** What the argument parser prints goes to stdout, with its colours only where they are wanted; its faults are kept. */
const parserConsole = (colour: boolean, faults: Array<string>): Console.Console => {
  const silent = Effect.void
  const out = (...args: ReadonlyArray<unknown>) =>
    Effect.sync(() => {
      const text = format(...args)
      process.stdout.write(`${(colour ? text : withoutColours(text)).trimEnd()}\n`)
    })
  const err = (...args: ReadonlyArray<unknown>) =>
    Effect.sync(() => {
      faults.push(withoutColours(format(...args)).trim())
    })
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

/** The log goes beside the results in lines of one form, those of requests too; `--log-level` says which are written. */
const logging = loggerLayer({ level: "debug" })

/** What became of a command: its errors as they report themselves, and what nobody expected as the system's fault. */
const reportOfCause = (cause: Cause.Cause<unknown>, verbose: boolean): Report => {
  const failure = Cause.failureOption(cause)
  const report =
    failure._tag === "Some"
      ? reportOf(failure.value)
      : ({ code: 3, lines: ["The command failed in a way that nobody expected."], body: undefined } satisfies Report)
  if (report.code !== 3 || report.told === true) return report
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

/** The arguments of the command itself, up to a `--`. */
const optionsOf = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const end = args.indexOf("--")
  return end === -1 ? args : args.slice(0, end)
}

/** An option's values among the arguments, by any of the two ways of writing it; undefined where it has none. */
const valuesOf = (options: ReadonlyArray<string>, name: string): ReadonlyArray<string | undefined> =>
  options.flatMap((word, at) =>
    word === name ? [options[at + 1]] : word.startsWith(`${name}=`) ? [word.slice(name.length + 1)] : []
  )

/** What others call it is understood as well. */
const levelOf = (word: string): string => (word === "warn" ? "warning" : word)

/** The arguments with `--log-level` in front, the only place where the parser takes it from among other options. */
const logLevelFirst = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const options = optionsOf(args)
  const moved = options.map((word, at) => /^--log-level(?:=|$)/.test(word) || options[at - 1] === "--log-level")
  return [
    ...valuesOf(options, "--log-level").flatMap((level) =>
      level === undefined ? [] : ["--log-level", levelOf(level)]
    ),
    ...args.filter((_, at) => moved[at] !== true)
  ]
}

/** The arguments with a `-` for stdin after the options: the parser takes what follows one for no options. */
const stdinLast = (args: ReadonlyArray<string>): ReadonlyArray<string> => {
  const options = optionsOf(args)
  // After an option it may be that one's value.
  const at = options.findIndex(
    (word, place) =>
      word === "-" && options[place - 1]?.startsWith("-") === false && options[place + 1]?.startsWith("--") === true
  )
  return at === -1 ? args : [...options.toSpliced(at, 1), "-", ...args.slice(options.length)]
}

const noneOf = (option: string, word: string, words: ReadonlyArray<string>): string =>
  `${option}: "${word}" is none of ${words.join(", ")}.`

/** What is settled before the parser sees the arguments: help, and commands that there are none of. True if that was all. */
const settled = (args: ReadonlyArray<string>): Effect.Effect<boolean, Misused | OutputClosed, Screen.Screen> =>
  Effect.gen(function* () {
    const options = optionsOf(args)
    const screen = yield* Screen.Screen
    if (options.includes("--wizard") && !screen.interactive) {
      return yield* new Misused({
        reason: "--wizard asks questions, and nobody is there to answer: stdin is no terminal."
      })
    }
    for (const level of valuesOf(options, "--log-level")) {
      if (level === undefined) return yield* new Misused({ reason: "--log-level takes a value." })
      if (!Help.LOG_LEVELS.some((one) => one === levelOf(level))) {
        return yield* new Misused({ reason: noneOf("--log-level", level, Help.LOG_LEVELS) })
      }
    }
    if (["--version", "--completions", "--wizard"].some((word) => options.includes(word))) return false
    const { group, path, stray, unknown } = Help.named(args)
    const what = ["earshot", path].filter((word) => word !== "").join(" ")
    if (Option.isSome(unknown)) {
      const hint = unknown.value === "help" ? ` \`${what} --help\` tells more.` : ""
      return yield* new Misused({
        reason: `There is no command \`${what} ${unknown.value}\`. There are: ${Help.commandsOf(path).join(", ")}.${hint}`
      })
    }
    const asked = options.includes("--help") || options.includes("-h")
    if (!asked && Option.isSome(stray)) {
      return yield* new Misused({
        reason: `Put options behind the command: ${what} COMMAND ${stray.value.replace(/=.*$/s, "")}. There are: ${Help.commandsOf(path).join(", ")}.`
      })
    }
    if (!asked && !group) return false
    yield* screen.print(Help.help(path, screen).join("\n"))
    return true
  })

/** What the parser found wrong, in words that name the option it found it at. */
const parserFault = (printed: ReadonlyArray<string>, args: ReadonlyArray<string>): Report => {
  const { path } = Help.named(args)
  const said = printed.join(" ").trim()
  const stray = /^Received unknown argument: '(--[a-z-]+)'$/.exec(said)?.[1]
  const [, wrong, kind] = /^'(.*)' is not a (integer|float)$/s.exec(said) ?? []
  const options = optionsOf(args)
  const names = Help.valuedOptions(path)
  const option = names.find((name) => valuesOf(options, name).includes(wrong))
  const strange = names.flatMap((name) => {
    const words = Help.wordsOf(path, name)
    const word = valuesOf(options, name).find((one) => one !== undefined && words?.includes(one) === false)
    return words === undefined || word === undefined ? [] : [noneOf(name, word, words)]
  })
  const message =
    stray !== undefined && names.includes(stray)
      ? `${stray} takes a value, and at most one.`
      : wrong !== undefined
        ? `${option === undefined ? "" : `${option}: `}"${wrong}" is not a ${kind === "float" ? "number" : "whole number"}.`
        : said.startsWith("Expected one of the following cases") && strange[0] !== undefined
          ? strange[0]
          : said === ""
            ? "The command line is not understood."
            : said
  const hint = `See: ${["earshot", path, "--help"].filter((word) => word !== "").join(" ")}`
  return { code: 2, lines: [message, hint], body: { detail: message } }
}

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
  const parserFaults: Array<string> = []
  let endsWell = false
  let endsAtSecond = true
  let caught: keyof typeof SIGNAL_NUMBERS | undefined
  let caughtAt = 0

  const program = Effect.gen(function* () {
    if (yield* settled(argv.slice(2))) return
    const { colour } = yield* Screen.Screen
    yield* Command.run(earshot, { name: "earshot", version: VERSION, executable: "earshot" })([
      ...argv.slice(0, 2),
      ...logLevelFirst(stdinLast(argv.slice(2)))
    ]).pipe(Effect.withConsole(parserConsole(colour, parserFaults)))
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
          }),
          once: Effect.sync(() => {
            endsAtSecond = false
          })
        })
      )
    )
  )

  const fiber = Effect.runFork(program)

  const onSignal = (signal: keyof typeof SIGNAL_NUMBERS): void => {
    if (caught !== undefined) {
      if (endsAtSecond && performance.now() - caughtAt > REPEATED_MILLIS) process.exit(128 + SIGNAL_NUMBERS[signal])
      return
    }
    caught = signal
    caughtAt = performance.now()
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
    const reported = reportOfCause(exit.cause, verbose)
    const args = argv.slice(2)
    const { body, code, faults, lines } =
      reported.code === 2 && reported.lines.length === 0 && reported.told !== true
        ? parserFault(parserFaults, args)
        : reported
    const told = faults === undefined ? lines : optionLines(faults, Help.valuedOptions(Help.named(args).path))
    if (asJson && body !== undefined) process.stderr.write(`${printJson(body)}\n`)
    else for (const line of told) process.stderr.write(`${neutralised(line)}\n`)
    leave(code)
  })
}
