import {
  encodeResult,
  encodeRun,
  JobRunner,
  type Result,
  Results,
  type Run,
  Suites,
  undecidedSentence
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { printSeconds, printShare } from "../charts/Numbers.js"
import { PartlyRefused, Refused } from "../Faults.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { type Caller, calling, findCaller, withEngine } from "../Session.js"
import { type AgentHostOptions, plainEngine, workingEngine } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { neutralised, printJson } from "../Text.js"
import { orNothing, readSuite, type SuiteFileOptions, tellFaults, writeReport } from "./Suites.js"

export interface RunOptions extends SuiteFileOptions, AgentHostOptions {
  readonly phoneNumber: Option.Option<number>
  readonly noWait: boolean
  /** Seconds. */
  readonly timeout: Option.Option<number>
}

/** A run with what is to say of its success. */
interface Row {
  readonly run: Run
  readonly why: string
}

const columns: ReadonlyArray<Column<Row>> = [
  { name: "RUN", of: ({ run: { id } }) => String(id), right: true },
  { name: "SCENARIO", of: ({ run: { scenarioName } }) => scenarioName, least: 12 },
  { name: "STATUS", of: ({ run: { status } }) => status },
  { name: "SUCCESS", of: ({ run: { success } }) => (success === null ? "" : success ? "yes" : "no") },
  { name: "LENGTH", of: ({ run: { duration } }) => (duration === null ? "" : printSeconds(duration)), right: true },
  { name: "WHY", of: ({ why }) => why, least: 20 }
]

/** The runs as a table, and below it in full what it had no room for: often the end of a sentence says what helps. */
const tableOf = (rows: ReadonlyArray<Row>, screen: number): ReadonlyArray<string> => {
  const [heading = "", ...lines] = table(columns, rows, screen)
  const cut = new Map<string, Array<number>>()
  for (const [at, { run, why }] of rows.entries()) {
    if (lines[at]?.includes(neutralised(why)) === false) cut.set(why, [...(cut.get(why) ?? []), run.id])
  }
  return [
    heading,
    ...lines,
    ...(cut.size === 0 ? [] : [""]),
    ...[...cut].map(([why, ids]) => neutralised(`Run${ids.length === 1 ? "" : "s"} ${ids.join(", ")}: ${why}`))
  ]
}

/** Over, and yet nobody knows whether it was a success. */
const isUnjudged = ({ status, success }: Run): boolean => status === "completed" && success === null

const overOf = ({ runsByStatus, totalRuns }: Result): number =>
  totalRuns - runsByStatus.queued - runsByStatus.running - runsByStatus.evaluating

const progressOf = (result: Result): string =>
  `${overOf(result)} of ${result.totalRuns} runs are over, ${result.runsByStatus.running} under way, ${result.runsByStatus.evaluating} being scored`

const summaryOf = (result: Result): string => {
  const { completed, ...others } = result.runsByStatus
  const counts = Object.entries({ completed, ...others }).flatMap(([status, runs]) =>
    runs > 0 ? [`${runs} ${status}`] : []
  )
  const rate = result.successRate === null ? "no success rate" : `${printShare(result.successRate)} success`
  return `Result ${result.id} (${result.name}): ${counts.join(", ")}; ${rate}.`
}

/** How often the result is looked at. */
const LOOK = "250 millis"

/** Every run of a result, oldest first. */
const runsOf = (caller: Caller, result: Result) =>
  Effect.gen(function* () {
    const list = calling(caller, (yield* Results).listRuns)
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

/** What is to say of the runs' success: what was missed, or why nothing was judged. */
const rowsOf = (caller: Caller, runs: ReadonlyArray<Run>) =>
  Effect.gen(function* () {
    const read = calling(caller, (yield* Results).readRun)
    return yield* Effect.forEach(runs, (run) =>
      isUnjudged(run)
        ? read(run.id).pipe(
            Effect.map(({ criteria }): Row => ({ run, why: undecidedSentence(criteria) })),
            // Deleted meanwhile.
            Effect.catchTag("NotFound", () => Effect.succeed<Row>({ run, why: "" }))
          )
        : Effect.succeed<Row>({ run, why: run.error ?? "" })
    )
  })

/** Waits until all runs are over, and tells how it goes. */
const awaited = (caller: Caller, made: Result, options: RunOptions) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const read = calling(caller, (yield* Results).read)
    const watched = screen.progress && !options.json
    let told = ""
    for (;;) {
      const result = yield* read(made.id)
      const progress = progressOf(result)
      if (progress !== told && !options.json) {
        told = progress
        yield* watched ? screen.redraw(progress) : screen.note(`${progress}.`)
      }
      if (overOf(result) === result.totalRuns) {
        if (watched) yield* screen.redraw("")
        return result
      }
      yield* Effect.sleep(LOOK)
    }
  })

const waitsFor = (result: Result): string =>
  `The runs of result ${result.id} wait for a worker that claims them by ${result.channel}: POST /test_framework/v1/runs/claim/, as docs/runs.md has it.`

/**
 * Runs a suite and waits for it, playing and scoring what is due meanwhile, as `jobs run` does. It is refused where a run
 * was no success, so that continuous integration stops there.
 */
export const run = (options: RunOptions): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const suite = yield* readSuite(options)
    const caller = yield* findCaller(options)
    const body = { ...suite.body, ...orNothing("phone_number", options.phoneNumber) }
    const started = yield* calling(
      caller,
      (yield* Suites).run
    )(body).pipe(
      Effect.map(Option.some),
      Effect.catchTag("ValidationFailed", ({ faults }) => Effect.as(tellFaults(options, suite, faults), Option.none()))
    )
    if (Option.isNone(started)) return yield* new PartlyRefused()
    const made = started.value
    const isPlayedHere = made.channel === "text"
    if (options.noWait) {
      if (options.json) return yield* screen.print(printJson(encodeResult(made)))
      return yield* screen.note(
        isPlayedHere
          ? `The runs of result ${made.id} are queued; a running server plays them, and so does \`earshot jobs run\`.`
          : waitsFor(made)
      )
    }
    if (!isPlayedHere && !options.json) yield* screen.note(waitsFor(made))
    // Those of other channels are scored here, too.
    yield* Effect.forkScoped((yield* JobRunner).run)
    const waiting = awaited(caller, made, options)
    const result = yield* Option.match(options.timeout, {
      onNone: () => waiting,
      onSome: (seconds) =>
        Effect.timeoutFail(waiting, {
          duration: `${seconds} seconds`,
          onTimeout: () =>
            new Refused({
              reason: `Result ${made.id} is not over after ${seconds} seconds: \`earshot results show ${made.id}\` tells how far it is, \`earshot results cancel ${made.id}\` stops it.`
            })
        })
    })
    const runs = yield* runsOf(caller, result)
    if (Option.isSome(options.junit)) {
      const report = yield* calling(caller, (yield* Results).junit)(result.id)
      yield* writeReport(options.junit, () => report)
    }
    if (options.json) {
      yield* screen.print(printJson({ result: encodeResult(result), runs: runs.map((one) => encodeRun(one)) }))
    } else {
      const lines = tableOf(yield* rowsOf(caller, runs), screen.columns)
      yield* screen.print([...lines, "", neutralised(summaryOf(result))].join("\n"))
      const unjudged = runs.filter(isUnjudged).length
      if (unjudged > 0) {
        yield* screen.note(
          `Warning: nothing was judged of ${unjudged} of ${runs.length} runs; their success is unknown.`
        )
      }
    }
    // A run that somebody cancelled or deleted meanwhile has shown nothing: no reason to go on.
    if (result.success === false || result.runsByStatus.cancelled > 0 || result.totalRuns < made.totalRuns) {
      return yield* new PartlyRefused()
    }
  }).pipe((steps) =>
    Effect.flatMap(workingEngine(plainEngine(options.database), options), (settings) =>
      withEngine(settings, { existing: true })(Effect.scoped(steps))
    )
  )
