import { encodeResult, encodeRun, JobRunner, type Result, Results, type Run, Suites } from "@earshot/core"
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

const columns: ReadonlyArray<Column<Run>> = [
  { name: "RUN", of: ({ id }) => String(id), right: true },
  { name: "SCENARIO", of: ({ scenarioName }) => scenarioName, least: 12 },
  { name: "STATUS", of: ({ status }) => status },
  { name: "SUCCESS", of: ({ success }) => (success === null ? "" : success ? "yes" : "no") },
  { name: "LENGTH", of: ({ duration }) => (duration === null ? "" : printSeconds(duration)), right: true },
  { name: "WHY", of: ({ error }) => error ?? "", least: 20 }
]

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
    yield* screen.print(
      options.json
        ? printJson({ result: encodeResult(result), runs: runs.map((one) => encodeRun(one)) })
        : [...table(columns, runs, screen.columns), "", neutralised(summaryOf(result))].join("\n")
    )
    // A run that somebody cancelled or deleted meanwhile has shown nothing: no reason to go on.
    if (result.success === false || result.runsByStatus.cancelled > 0 || result.totalRuns < made.totalRuns) {
      return yield* new PartlyRefused()
    }
  }).pipe((steps) =>
    Effect.flatMap(workingEngine(plainEngine(options.database), options), (settings) =>
      withEngine(settings, { existing: true })(Effect.scoped(steps))
    )
  )
