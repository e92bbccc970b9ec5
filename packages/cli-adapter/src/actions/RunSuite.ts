import {
  type Comparison,
  encodeRepeats,
  encodeResult,
  encodeRun,
  gateFailures,
  JobRunner,
  type Result,
  ResultId,
  Results,
  type Run,
  Suites,
  undecidedReason
} from "@earshot/core"
import * as Effect from "effect/Effect"
import { printSeconds, printShare } from "../charts/Numbers.js"
import { ReportedFailure, CommandRejected, UsageError } from "../Errors.js"
import type { CommandEffect } from "../CommandEffect.js"
import { repeatLines } from "../RepeatTable.js"
import { Screen } from "../Screen.js"
import { type Caller, callAs, decodeId, resolveCaller, withEngine } from "../Session.js"
import { type OutboundOptions, defined, plainEngine, withLanguageModel } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { sanitize, jsonLine } from "../Text.js"
import { readSuite, type SuiteFileOptions, printErrors, writeReport } from "./Suites.js"

export interface RunOptions extends SuiteFileOptions, OutboundOptions {
  readonly phoneNumber: number | undefined
  readonly noWait: boolean
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
  { name: "SCENARIO", of: ({ run: { scenarioName } }) => scenarioName, least: 12 },
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

const finishedRuns = ({ runsByStatus, totalRuns }: Result): number =>
  totalRuns - runsByStatus.queued - runsByStatus.running - runsByStatus.evaluating

const progressOf = (result: Result): string =>
  `${finishedRuns(result)} of ${result.totalRuns} runs finished, ${result.runsByStatus.running} running, ${result.runsByStatus.evaluating} evaluating`

const summaryOf = (result: Result): string => {
  const { completed, ...others } = result.runsByStatus
  const counts = Object.entries({ completed, ...others }).flatMap(([status, runs]) =>
    runs > 0 ? [`${runs} ${status}`] : []
  )
  const rate = result.successRate === null ? "no success rate" : `${printShare(result.successRate)} success`
  return `Result ${result.id} (${result.name}): ${counts.join(", ")}; ${rate}.`
}

const POLL_INTERVAL = "250 millis"

/** Every run of a result, oldest first. */
const runsOf = (caller: Caller, result: Result) =>
  Effect.gen(function* () {
    const list = callAs(caller, (yield* Results).listRuns)
    const all: Array<Run> = []
    let cursor: string | null = null
    do {
      const page: Effect.Effect.Success<ReturnType<typeof list>> = yield* list({
        result: result.id,
        limit: 200,
        ...(cursor === null ? {} : { cursor })
      })
      all.push(...page.results)
      cursor = page.next
    } while (cursor !== null)
    return all.toReversed()
  })

/** The runs with their errors, or why their success is unknown. */
const rowsOf = (caller: Caller, runs: ReadonlyArray<Run>) =>
  Effect.gen(function* () {
    const read = callAs(caller, (yield* Results).readRun)
    return yield* Effect.forEach(runs, (run) =>
      isUndecided(run)
        ? read(run.id).pipe(
            Effect.map(({ criteria }): Row => ({ run, reason: undecidedReason(criteria) })),
            // The run was deleted in the meantime.
            Effect.catchTag("NotFound", () => Effect.succeed<Row>({ run, reason: "" }))
          )
        : Effect.succeed<Row>({ run, reason: run.error ?? "" })
    )
  })

/** Waits until all runs have finished, and prints the progress. */
const waitForRuns = (caller: Caller, made: Result, options: RunOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const read = callAs(caller, (yield* Results).read)
    const watched = screen.progress && !options.json
    let printed = ""
    for (;;) {
      const result = yield* read(made.id)
      const progress = progressOf(result)
      if (progress !== printed && !options.json) {
        printed = progress
        yield* watched ? screen.redraw(progress) : screen.note(`${progress}.`)
      }
      if (finishedRuns(result) === result.totalRuns) {
        if (watched) yield* screen.redraw("")
        return result
      }
      yield* Effect.sleep(POLL_INTERVAL)
    }
  })

const workerHint = (result: Result): string =>
  `The runs of result ${result.id} wait for a worker that claims ${result.channel} runs (POST /test_framework/v1/runs/claim/, see docs/runs.md).`

/** The latest completed result of the same name, agent and channel before this one. */
const previousResult = (caller: Caller, made: Result) =>
  Effect.gen(function* () {
    const list = callAs(caller, (yield* Results).list)
    let cursor: string | null = null
    do {
      const page: Effect.Effect.Success<ReturnType<typeof list>> = yield* list({
        agent: made.agentId,
        limit: 200,
        ...(cursor === null ? {} : { cursor })
      })
      const found = page.results.find(
        ({ channel, id, name, status }) =>
          id < made.id && name === made.name && channel === made.channel && status === "completed"
      )
      if (found !== undefined) return found.id
      cursor = page.next
    } while (cursor !== null)
    return undefined
  })

/** The comparison that `--fail-on regression` needs; null where there is nothing to compare with. */
const comparisonWithBase = (caller: Caller, made: Result, options: RunOptions) =>
  Effect.gen(function* () {
    if (options.failOn !== "regression") return null
    const base = options.base ?? (yield* previousResult(caller, made))
    if (base === undefined) {
      yield* (yield* Screen).note(
        `There is no earlier result of ${made.name} to compare with; every run has to succeed.`
      )
      return null
    }
    const compared: Comparison = yield* callAs(caller, (yield* Results).compare)(made.id, { base })
    return compared
  })

const checkGateOptions = (caller: Caller, { base, failOn, minPassRate }: RunOptions) =>
  Effect.gen(function* () {
    if (minPassRate !== undefined && (minPassRate < 0 || minPassRate > 1)) {
      return yield* new UsageError({ reason: "--min-pass-rate is a share from 0 to 1." })
    }
    if (base === undefined) return
    if (failOn !== "regression") return yield* new UsageError({ reason: "--base needs --fail-on regression." })
    // Before anything is run, since a run may take long and cost credits.
    yield* callAs(caller, (yield* Results).read)(yield* decodeId(ResultId, "Result", base))
  })

/**
 * Runs a suite and waits for its runs, running due jobs meanwhile, as `jobs run` does. It exits with 1 if a run did not
 * succeed, or if nothing decides whether it did, so that a CI job fails; see `gateFailures`.
 */
export const run = (options: RunOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const suite = yield* readSuite(options)
    const caller = yield* resolveCaller(options)
    yield* checkGateOptions(caller, options)
    const body = { ...suite.body, ...defined({ phone_number: options.phoneNumber }) }
    const made = yield* callAs(
      caller,
      (yield* Suites).run
    )(body).pipe(
      Effect.catchTag("ValidationFailed", ({ errors }) => Effect.as(printErrors(options, suite, errors), undefined))
    )
    if (made === undefined) return yield* new ReportedFailure()
    const isRunHere = made.channel === "text"
    if (options.noWait) {
      if (options.json) return yield* screen.print(jsonLine(encodeResult(made)))
      return yield* screen.note(
        isRunHere
          ? `The runs of result ${made.id} are queued. A running server runs them, or \`earshot jobs run\`.`
          : workerHint(made)
      )
    }
    if (!isRunHere && !options.json) yield* screen.note(workerHint(made))
    // Runs of other channels are evaluated here, too.
    yield* Effect.forkScoped((yield* JobRunner).run)
    const waiting = waitForRuns(caller, made, options)
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
    const runs = yield* runsOf(caller, result)
    if (options.junit !== undefined) {
      const report = yield* callAs(caller, (yield* Results).junit)(result.id, { allow_unjudged: options.allowUnjudged })
      yield* writeReport(options.junit, () => report)
    }
    const repeats = yield* callAs(caller, (yield* Results).repeats)(result.id)
    const failures = gateFailures(
      {
        failOn: options.failOn === "regression" ? "regression" : "failure",
        minPassRate: options.minPassRate ?? null,
        allowUnjudged: options.allowUnjudged
      },
      {
        result,
        unjudged: runs.filter(isUndecided).length,
        deleted: made.totalRuns - result.totalRuns,
        comparison: yield* comparisonWithBase(caller, made, options)
      }
    )
    if (options.json) {
      const printed = runs.map((one) => encodeRun(one))
      yield* screen.print(
        jsonLine({ result: encodeResult(result), runs: printed, repeats: encodeRepeats(repeats), failures })
      )
    } else {
      const reliability = repeatLines(repeats, screen.columns)
      const rows = tableOf(yield* rowsOf(caller, runs), screen.columns)
      yield* screen.print(
        [...rows, ...(reliability.length === 0 ? [] : ["", ...reliability]), "", sanitize(summaryOf(result))].join("\n")
      )
      if (failures.length > 0) yield* screen.note(failures.map(sanitize).join("\n"))
    }
    if (failures.length > 0) return yield* new ReportedFailure()
  }).pipe((steps) =>
    Effect.flatMap(withLanguageModel(plainEngine(options)), (settings) =>
      withEngine(settings, { existing: true })(Effect.scoped(steps))
    )
  )
