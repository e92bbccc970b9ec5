import { gateFailures, undecidedReason } from "@earshot/core"
import * as Effect from "effect/Effect"
import { allItems, Api, findItem, send, sendForText } from "../Api.js"
import { printSeconds, printShare } from "../charts/Numbers.js"
import { ReportedFailure, CommandRejected, UsageError } from "../Errors.js"
import type { CommandEffect } from "../CommandEffect.js"
import { repeatLines } from "../RepeatTable.js"
import { Screen } from "../Screen.js"
import type { OutboundOptions } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { onTarget } from "../Target.js"
import { sanitize, jsonLine } from "../Text.js"
import type { Wire } from "../Wire.js"
import { makeLiveTurns } from "./LiveTurns.js"
import { errorsOf, readSuite, type SuiteFileOptions, printErrors, writeReport } from "./Suites.js"

type Result = Wire<"Result">
type Run = Wire<"Run">

export interface RunOptions extends SuiteFileOptions, OutboundOptions {
  readonly phoneNumber: number | undefined
  readonly noWait: boolean
  /** Whether turns are printed while runs are played, also where stderr is no terminal. */
  readonly live: boolean
  /** Seconds. */
  readonly timeout: number | undefined
  readonly failOn: string
  /** Id of the result to compare with. */
  readonly base: number | undefined
  /** 0 to 1. */
  readonly minPassRate: number | undefined
  readonly allowUnjudged: boolean
}

/** A run, and why it did not succeed or could not be evaluated. */
interface Row {
  readonly run: Run
  readonly reason: string
}

const columns: ReadonlyArray<Column<Row>> = [
  { name: "RUN", of: ({ run: { id } }) => String(id), right: true },
  { name: "SCENARIO", of: ({ run }) => run.scenario_name, least: 12 },
  { name: "STATUS", of: ({ run: { status } }) => status },
  { name: "SUCCESS", of: ({ run: { success } }) => (success === null ? "" : success ? "yes" : "no") },
  { name: "LENGTH", of: ({ run: { duration } }) => (duration === null ? "" : printSeconds(duration)), right: true },
  { name: "REASON", of: ({ reason }) => reason, least: 20 }
]

/** The runs as a table, followed by the full text of the reasons that were truncated. */
const tableOf = (rows: ReadonlyArray<Row>, screen: number): ReadonlyArray<string> => {
  const [heading = "", ...lines] = table(columns, rows, screen)
  const cut = new Map<string, Array<number>>()
  for (const [at, { reason, run }] of rows.entries()) {
    if (lines[at]?.includes(sanitize(reason)) === false) cut.set(reason, [...(cut.get(reason) ?? []), run.id])
  }
  return [
    heading,
    ...lines,
    ...(cut.size === 0 ? [] : [""]),
    ...[...cut].map(([reason, ids]) => sanitize(`Run${ids.length === 1 ? "" : "s"} ${ids.join(", ")}: ${reason}`))
  ]
}

/** Completed, but its success could not be evaluated. */
const isUndecided = ({ status, success }: Run): boolean => status === "completed" && success === null

const finishedRuns = ({ runs_by_status: runs, total_runs: total }: Result): number =>
  total - runs.queued - runs.running - runs.evaluating

const progressOf = (result: Result): string =>
  `${finishedRuns(result)} of ${result.total_runs} runs finished, ${result.runs_by_status.running} running, ${result.runs_by_status.evaluating} evaluating`

const summaryOf = (result: Result): string => {
  const { completed, ...others } = result.runs_by_status
  const counts = Object.entries({ completed, ...others }).flatMap(([status, runs]) =>
    runs > 0 ? [`${runs} ${status}`] : []
  )
  const rate = result.success_rate === null ? "no success rate" : `${printShare(result.success_rate)} success`
  return `Result ${result.id} (${result.name}): ${counts.join(", ")}; ${rate}.`
}

const POLL_INTERVAL = "250 millis"

/** Every run of a result, oldest first. */
const runsOf = ({ id }: Result) =>
  Effect.map(allItems("/test_framework/v1/runs/", { result: id }), (runs) => runs.toReversed())

/** The runs with their errors, or why their success is unknown. */
const rowsOf = (runs: ReadonlyArray<Run>) =>
  Effect.forEach(runs, (run) =>
    isUndecided(run)
      ? send("get", "/test_framework/v1/runs/{id}/", { id: run.id }).pipe(
          Effect.map(({ criteria }): Row => ({ run, reason: undecidedReason(criteria) })),
          // The run was deleted in the meantime.
          Effect.catchTag("ApiRejected", (rejected) =>
            rejected.status === 404 ? Effect.succeed<Row>({ run, reason: "" }) : rejected
          )
        )
      : Effect.succeed<Row>({ run, reason: run.error ?? "" })
  )

/** For whom the runs of a channel wait that is not executed everywhere. */
const waitingFor = ({ channel, id }: Result): string => {
  const worker = `a worker that claims ${channel} runs (POST /test_framework/v1/runs/claim/)`
  const executor = "a process with EARSHOT_SPEECH_URL or EARSHOT_SPEECH_PROGRAM and EARSHOT_TRANSCRIBER_URL, or "
  return `The runs of result ${id} wait for ${channel === "voice" ? executor : ""}${worker}, see docs/runs.md.`
}

/** Polls without a started run after which it is said what the runs wait for. */
const IDLE_POLLS = 3

/** Waits until all runs have finished, and prints the progress. */
const waitForRuns = (made: Result, options: RunOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const watched = screen.progress && !options.json
    let printed = ""
    const printTurn = (line: string) =>
      watched
        ? Effect.zipRight(Effect.zipRight(screen.redraw(""), screen.note(line)), screen.redraw(printed))
        : screen.note(line)
    const lookForTurns = options.live || watched ? yield* makeLiveTurns(made.id, printTurn) : Effect.void
    for (let polls = 1; ; polls++) {
      const result = yield* send("get", "/test_framework/v1/results/{id}/", { id: made.id })
      const isIdle = result.runs_by_status.queued === result.total_runs && result.channel !== "text"
      if (polls === IDLE_POLLS && isIdle && !options.json) yield* screen.note(waitingFor(result))
      const progress = progressOf(result)
      if (progress !== printed && !options.json) {
        printed = progress
        yield* watched ? screen.redraw(progress) : screen.note(`${progress}.`)
      }
      if (result.runs_by_status.running > 0) yield* lookForTurns
      if (finishedRuns(result) === result.total_runs) {
        if (watched) yield* screen.redraw("")
        return result
      }
      yield* Effect.sleep(POLL_INTERVAL)
    }
  })

/** The latest completed result of the same name, agent and channel before this one. */
const previousResult = (made: Result) =>
  findItem(
    "/test_framework/v1/results/",
    { agent: made.agent },
    ({ channel, id, name, status }) =>
      id < made.id && name === made.name && channel === made.channel && status === "completed"
  )

/** The comparison that `--fail-on regression` needs; null where there is nothing to compare with. */
const comparisonWithBase = (made: Result, options: RunOptions) =>
  Effect.gen(function* () {
    if (options.failOn !== "regression") return null
    const base = options.base ?? (yield* previousResult(made))?.id
    if (base === undefined) {
      yield* (yield* Screen).note(
        `There is no earlier result of ${made.name} to compare with; every run has to succeed.`
      )
      return null
    }
    return yield* send("get", "/test_framework/v1/results/{id}/compare/", { id: made.id, query: { base } })
  })

const checkGateOptions = ({ base, failOn, minPassRate }: RunOptions) =>
  Effect.gen(function* () {
    if (minPassRate !== undefined && (minPassRate < 0 || minPassRate > 1)) {
      return yield* new UsageError({ reason: "--min-pass-rate is a share from 0 to 1." })
    }
    if (base === undefined) return
    if (failOn !== "regression") return yield* new UsageError({ reason: "--base needs --fail-on regression." })
    // Before anything is run, since a run may take long and cost credits.
    yield* send("get", "/test_framework/v1/results/{id}/", { id: base })
  })

/**
 * Runs a suite and waits for its runs; on a database it runs due jobs meanwhile, as `jobs run` does. It exits with 1 if a run did not
 * succeed, or if nothing decides whether it did, so that a CI job fails; see `gateFailures`.
 */
export const run = (options: RunOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const suite = yield* readSuite(options)
    const { isLocal, runJobs } = yield* Api
    yield* checkGateOptions(options)
    const { form } = suite
    if (options.phoneNumber !== undefined) form.set("phone_number", String(options.phoneNumber))
    const made = yield* send("post", "/test_framework/v2/scenarios/run_scenarios_json/", { form }).pipe(
      Effect.catchTag("ApiRejected", (rejected) =>
        Effect.flatMap(errorsOf(rejected), (errors) => Effect.as(printErrors(options, suite, errors), undefined))
      )
    )
    if (made === undefined) return yield* new ReportedFailure()
    const isRunHere = made.channel === "text"
    if (options.noWait) {
      if (options.json) return yield* screen.print(jsonLine(made))
      return yield* screen.note(
        isRunHere
          ? `The runs of result ${made.id} are queued. ${isLocal ? "A running server runs them, or `earshot jobs run`." : "The server runs them."}`
          : waitingFor(made)
      )
    }
    // Runs of other channels are evaluated here, too.
    yield* runJobs
    const waiting = waitForRuns(made, options)
    const { timeout } = options
    const result = yield* timeout === undefined
      ? waiting
      : Effect.timeoutFail(waiting, {
          duration: `${timeout} seconds`,
          onTimeout: () =>
            new CommandRejected({
              reason: `Result ${made.id} has not finished after ${timeout} seconds. Show its progress with \`earshot results show ${made.id}\`, or cancel it with \`earshot results cancel ${made.id}\`.`
            })
        })
    const runs = yield* runsOf(result)
    if (options.junit !== undefined) {
      const report = yield* sendForText("/test_framework/v1/results/{id}/junit/", {
        id: result.id,
        query: { allow_unjudged: options.allowUnjudged }
      })
      yield* writeReport(options.junit, () => report)
    }
    const repeats = yield* send("get", "/test_framework/v1/results/{id}/repeats/", { id: result.id })
    const failures = gateFailures(
      {
        failOn: options.failOn === "regression" ? "regression" : "failure",
        minPassRate: options.minPassRate ?? null,
        allowUnjudged: options.allowUnjudged
      },
      {
        result: {
          runsByStatus: result.runs_by_status,
          successRate: result.success_rate,
          totalRuns: result.total_runs
        },
        unjudged: runs.filter(isUndecided).length,
        deleted: made.total_runs - result.total_runs,
        comparison: yield* comparisonWithBase(made, options)
      }
    )
    if (options.json) {
      yield* screen.print(jsonLine({ result, runs, repeats, failures }))
    } else {
      const reliability = repeatLines(repeats, screen.columns)
      const rows = tableOf(yield* rowsOf(runs), screen.columns)
      yield* screen.print(
        [...rows, ...(reliability.length === 0 ? [] : ["", ...reliability]), "", sanitize(summaryOf(result))].join("\n")
      )
      if (failures.length > 0) yield* screen.note(failures.map(sanitize).join("\n"))
    }
    if (failures.length > 0) return yield* new ReportedFailure()
  }).pipe(
    Effect.scoped,
    onTarget(options, async () => {
      const { runningEngine } = await import("../EngineSettings.js")
      return runningEngine(options)
    })
  )
