/** Runs one command, reports its error, and ends the process with its exit code. */
import { loggerLayer } from "@earshot/http-adapter"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type { Invocation } from "./commands/Declare.js"
import { optionErrorLines, type Report, reportOf } from "./Errors.js"
import * as Screen from "./Screen.js"
import { Signals } from "./Signals.js"
import { jsonLine, sanitize } from "./Text.js"
import type { Wiring } from "./Wiring.js"

const SIGNAL_NUMBERS = { SIGINT: 2, SIGTERM: 15 } as const

/**
 * A signal so soon after the first is the same one: a terminal signals the whole process group at Ctrl-C, and package
 * managers forward signals to their scripts.
 */
const REPEATED_MILLIS = 500

/** Commands log in the server's format; `--log-level` selects what is written. */
const logging = loggerLayer({ level: "debug" })

const LEVELS: ReadonlyMap<string, LogLevel.LogLevel> = new Map([
  ["all", LogLevel.All],
  ["trace", LogLevel.Trace],
  ["debug", LogLevel.Debug],
  ["info", LogLevel.Info],
  ["warning", LogLevel.Warning],
  ["warn", LogLevel.Warning],
  ["error", LogLevel.Error],
  ["fatal", LogLevel.Fatal],
  ["none", LogLevel.None]
])

const VERBOSE = new Set(["debug", "trace", "all"])

/** The report of a command that failed; a defect is reported as a system failure. */
const reportOfCause = (cause: Cause.Cause<unknown>, verbose: boolean): Report => {
  const failure = Cause.failureOption(cause)
  const report =
    failure._tag === "Some"
      ? reportOf(failure.value)
      : ({ code: 3, lines: ["The command failed with an unexpected error."], body: undefined } satisfies Report)
  if (report.code !== 3 || report.isExplained === true) return report
  const details = verbose ? Cause.pretty(cause, { renderErrorCause: true }) : undefined
  const hint = "Run it with --log-level debug for details."
  return {
    ...report,
    lines: [...report.lines, ...(details === undefined ? [hint] : details.split("\n"))],
    body: { detail: report.lines.join(" ") }
  }
}

/** How long a reader that has stopped reading may delay the end of the process. */
const FLUSH_MILLIS = 5000

/** Flushes the output, then ends the process: an open handle must not keep a finished command alive. */
const exit = (code: number): void => {
  setTimeout(() => process.exit(code), FLUSH_MILLIS).unref()
  process.stdout.write("", () => process.stderr.write("", () => process.exit(code)))
}

/** Runs a command until it ends or a signal ends it, and exits. */
export const runCommand = (wiring: Layer.Layer<Wiring>, { logLevel, options, start }: Invocation): void => {
  const asJson = process.argv.includes("--json")
  let signalIsSuccess = false
  let secondSignalKills = true
  let caught: keyof typeof SIGNAL_NUMBERS | undefined
  let caughtAt = 0

  const program = Effect.flatten(Effect.promise(start)).pipe(
    Logger.withMinimumLogLevel(LEVELS.get(logLevel ?? "info") ?? LogLevel.Info),
    Effect.provide(
      Layer.mergeAll(
        wiring,
        Screen.layer,
        logging,
        Layer.succeed(Signals, {
          endWell: Effect.sync(() => {
            signalIsSuccess = true
          }),
          once: Effect.sync(() => {
            secondSignalKills = false
          })
        })
      )
    )
  )

  const fiber = Effect.runFork(program)

  const onSignal = (signal: keyof typeof SIGNAL_NUMBERS): void => {
    if (caught !== undefined) {
      if (secondSignalKills && performance.now() - caughtAt > REPEATED_MILLIS) {
        process.exit(128 + SIGNAL_NUMBERS[signal])
      }
      return
    }
    caught = signal
    caughtAt = performance.now()
    Effect.runFork(Fiber.interrupt(fiber))
  }
  process.on("SIGINT", onSignal)
  process.on("SIGTERM", onSignal)

  fiber.addObserver((ended) => {
    if (Exit.isSuccess(ended)) {
      exit(0)
      return
    }
    if (caught !== undefined && Cause.isInterruptedOnly(ended.cause)) {
      exit(signalIsSuccess ? 0 : 128 + SIGNAL_NUMBERS[caught])
      return
    }
    const { body, code, errors, lines } = reportOfCause(ended.cause, VERBOSE.has(logLevel ?? ""))
    if (asJson && body !== undefined) process.stderr.write(`${jsonLine(body)}\n`)
    else {
      for (const line of errors === undefined ? lines : optionErrorLines(errors, options)) {
        process.stderr.write(`${sanitize(line)}\n`)
      }
    }
    exit(code)
  })
}
