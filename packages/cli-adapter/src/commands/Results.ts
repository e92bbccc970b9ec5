import { writeFile } from "node:fs/promises"
import {
  type Comparison,
  CurrentActor,
  encodeComparison,
  encodeResult,
  encodeRunDetail,
  encodeRun,
  type Result,
  ResultId,
  Results,
  type Run,
  type RunDetail,
  RunId
} from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { printNumber, printSeconds, printShare } from "../charts/Numbers.js"
import { Refused } from "../Faults.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { calling, findCaller, idOf, withEngine } from "../Session.js"
import { type CallerOptions, plainEngine } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { neutralised, neutralisedLines, printJson } from "../Text.js"

interface Common extends CallerOptions {
  readonly database: string
  readonly json: boolean
}

const given = <A>(name: string, value: Option.Option<A>) =>
  Option.match(value, { onNone: () => ({}), onSome: (one) => ({ [name]: one }) })

const minute = (at: DateTime.Utc): string => DateTime.formatIso(at).slice(0, 16).replace("T", " ")

const rate = (value: number | null): string => (value === null ? "" : printShare(value))

const columns: ReadonlyArray<Column<Result>> = [
  { name: "ID", of: ({ id }) => String(id), right: true },
  { name: "NAME", of: ({ name }) => name, least: 12 },
  { name: "AGENT", of: ({ agentName }) => agentName, least: 8 },
  { name: "CHANNEL", of: ({ channel }) => channel },
  { name: "STATUS", of: ({ status }) => status },
  { name: "RUNS", of: ({ totalRuns }) => String(totalRuns), right: true },
  { name: "SUCCESS", of: ({ successRate }) => rate(successRate), right: true },
  { name: "MADE (UTC)", of: ({ createdAt }) => minute(createdAt) }
]

const runColumns: ReadonlyArray<Column<Run>> = [
  { name: "ID", of: ({ id }) => String(id), right: true },
  { name: "RESULT", of: ({ resultId }) => String(resultId), right: true },
  { name: "SCENARIO", of: ({ scenarioName }) => scenarioName, least: 12 },
  { name: "STATUS", of: ({ status }) => status },
  { name: "SUCCESS", of: ({ success }) => (success === null ? "" : success ? "yes" : "no") },
  { name: "LENGTH", of: ({ duration }) => (duration === null ? "" : printSeconds(duration)), right: true },
  { name: "TRIES", of: ({ attempts }) => String(attempts), right: true },
  { name: "FAULT", of: ({ error }) => error ?? "", least: 12 }
]

export const list = (
  options: Common & PageOptions & { readonly project: Option.Option<number>; readonly agent: Option.Option<number> }
): Running =>
  Effect.gen(function* () {
    const caller = yield* findCaller(options)
    const page = yield* calling(
      caller,
      (yield* Results).list
    )({ ...pageQuery(options), ...given("project", options.project), ...given("agent", options.agent) })
    yield* printPage(page, { json: options.json, encode: encodeResult, none: "There are no results.", columns })
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

export const listRuns = (
  options: Common & PageOptions & { readonly result: Option.Option<number>; readonly status: Option.Option<string> }
): Running =>
  Effect.gen(function* () {
    const caller = yield* findCaller(options)
    const page = yield* calling(
      caller,
      (yield* Results).listRuns
    )({ ...pageQuery(options), ...given("result", options.result), ...given("status", options.status) })
    yield* printPage(page, {
      json: options.json,
      encode: encodeRun,
      none: "There are no such runs.",
      columns: runColumns
    })
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

/** Names and values, those that are known. */
const facts = (known: ReadonlyArray<readonly [string, string]>): string =>
  known
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name.padEnd(12)} ${neutralised(value)}`)
    .join("\n")

const describe = (result: Result): string => {
  const counts = Object.entries(result.runsByStatus).filter(([, runs]) => runs > 0)
  return facts([
    ["Result", `${result.name} (${result.id})`],
    ["Agent", `${result.agentName} (${result.agentId})`],
    ["Channel", result.channel],
    ["Status", result.status],
    [
      "Runs",
      `${result.totalRuns}${counts.length === 0 ? "" : `: ${counts.map(([status, runs]) => `${runs} ${status}`).join(", ")}`}`
    ],
    ["Success", rate(result.successRate)],
    ["Made", DateTime.formatIso(result.createdAt)]
  ])
}

export const show = (options: Common & { readonly id: number }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const result = yield* calling(caller, (yield* Results).read)(yield* idOf(ResultId, "Result", options.id))
    if (options.json) return yield* screen.print(printJson(encodeResult(result)))
    const metrics: ReadonlyArray<Column<Result["metrics"][number]>> = [
      { name: "METRIC", of: ({ name }) => name, least: 16 },
      { name: "AVERAGE", of: ({ average }) => (average === null ? "" : printNumber(average)), right: true },
      { name: "RUNS", of: ({ runs }) => String(runs), right: true }
    ]
    yield* screen.print(
      [
        describe(result),
        ...(result.metrics.length === 0 ? [] : ["", ...table(metrics, result.metrics, screen.columns)])
      ].join("\n")
    )
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

export const showRun = (options: Common & { readonly id: number }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const run = yield* calling(caller, (yield* Results).readRun)(yield* idOf(RunId, "Run", options.id))
    yield* screen.print(options.json ? printJson(encodeRunDetail(run)) : describeRun(run, screen.columns).join("\n"))
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

type Score = RunDetail["metrics"][number]

const scoreColumns: ReadonlyArray<Column<Score>> = [
  { name: "METRIC", of: ({ metric_name: name }) => name, least: 16 },
  { name: "STATUS", of: ({ status }) => status },
  { name: "VALUE", of: ({ value }) => (value === null ? "" : String(value)), right: true },
  { name: "WHY", of: ({ explanation, reason }) => reason ?? explanation ?? "", least: 20 }
]

const describeRun = (run: RunDetail, columns: number): ReadonlyArray<string> => [
  facts([
    ["Run", `${run.scenarioName} (${run.id})`],
    ["Scenario", run.scenarioKey],
    ["Result", String(run.resultId)],
    ["Channel", run.channel],
    ["Number", run.phoneNumber ?? ""],
    ["Status", run.status],
    ["Success", run.success === null ? (run.status === "completed" ? "unknown" : "") : run.success ? "yes" : "no"],
    ["Length", run.duration === null ? "" : printSeconds(run.duration)],
    ["Tries", String(run.attempts)],
    ["Fault", run.error ?? ""],
    ["How it ended", run.endedReason ?? ""],
    ["Began", run.startedAt === null ? "" : DateTime.formatIso(run.startedAt)],
    ["Ended", run.endedAt === null ? "" : DateTime.formatIso(run.endedAt)]
  ]),
  ...(run.metrics.length === 0 ? [] : ["", ...table(scoreColumns, run.metrics, columns)]),
  ...(run.transcript === "" ? [] : ["", neutralisedLines(run.transcript)])
]

type ComparedScenario = Comparison["scenarios"][number]
type ComparedMetric = Comparison["metrics"][number]

const signed = (value: number | null, print: (size: number) => string): string =>
  value === null ? "" : `${value > 0 ? "+" : value < 0 ? "-" : ""}${print(Math.abs(value))}`

/** What made a scenario what it is: `csat -1.5, latency_ms +120`. */
const reasons = ({ metrics }: ComparedScenario): string =>
  metrics
    .filter(({ change }) => change === "better" || change === "worse" || change === "changed")
    .map(({ change, difference, name }) => `${name} ${difference === null ? change : signed(difference, printNumber)}`)
    .join(", ")

const scenarioColumns: ReadonlyArray<Column<ComparedScenario>> = [
  { name: "SCENARIO", of: ({ name }) => name, least: 12 },
  { name: "CHANGE", of: ({ change }) => change },
  { name: "BASE", of: ({ successRate }) => rate(successRate.base), right: true },
  { name: "NOW", of: ({ successRate }) => rate(successRate.result), right: true },
  { name: "METRICS", of: reasons, least: 12 }
]

const metricColumns: ReadonlyArray<Column<ComparedMetric>> = [
  { name: "METRIC", of: ({ name }) => name, least: 12 },
  { name: "CHANGE", of: ({ change }) => change },
  { name: "BASE", of: ({ base }) => (base === null ? "" : printNumber(base)), right: true },
  { name: "NOW", of: ({ result }) => (result === null ? "" : printNumber(result)), right: true },
  { name: "DIFFERENCE", of: ({ difference }) => signed(difference, printNumber), right: true }
]

const summary = ({ base, result, scenarioCounts, successRate }: Comparison): string => {
  const counts = Object.entries(scenarioCounts).filter(([, count]) => count > 0)
  const rates =
    successRate.base === null || successRate.result === null
      ? ""
      : ` Success ${printShare(successRate.base)} to ${printShare(successRate.result)}.`
  return `${base.name} (${base.id}) to ${result.name} (${result.id}): ${
    counts.length === 0 ? "no scenarios" : counts.map(([change, count]) => `${count} ${change}`).join(", ")
  }.${rates}`
}

/** What became better and what worse from one result to another. */
export const compare = (
  options: Common & { readonly base: number; readonly id: number; readonly tolerance: Option.Option<number> }
): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const compared = yield* calling(caller, (yield* Results).compare)(yield* idOf(ResultId, "Result", options.id), {
      base: options.base,
      ...given("tolerance", options.tolerance)
    })
    yield* screen.print(
      options.json
        ? printJson(encodeComparison(compared))
        : [
            ...table(scenarioColumns, compared.scenarios, screen.columns),
            ...(compared.metrics.length === 0 ? [] : ["", ...table(metricColumns, compared.metrics, screen.columns)]),
            "",
            neutralised(summary(compared))
          ].join("\n")
    )
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

/** Every run of a result, a line of JSON each; or a JUnit report. */
export const exportResult = (
  options: Common & { readonly id: number; readonly junit: Option.Option<string> }
): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const results = yield* Results
    const id = yield* idOf(ResultId, "Result", options.id)
    if (Option.isSome(options.junit)) {
      const path = options.junit.value
      const report = yield* calling(caller, results.junit)(id)
      if (path === "-") return yield* screen.print(report)
      return yield* Effect.tryPromise({
        try: () => writeFile(path, report),
        catch: () => new Refused({ reason: `${path} cannot be written.` })
      })
    }
    const actor = yield* caller.admit("results.export")
    yield* results.export(id).pipe(
      Stream.provideService(CurrentActor, actor),
      Stream.map((run) => printJson(encodeRunDetail(run))),
      Stream.grouped(50),
      Stream.runForEach((lines) => screen.print([...lines].join("\n")))
    )
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

/** Cancels what is not over. */
export const cancel = (options: Common & { readonly id: number }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const result = yield* calling(caller, (yield* Results).cancel)(yield* idOf(ResultId, "Result", options.id))
    yield* options.json
      ? screen.print(printJson(encodeResult(result)))
      : screen.note(
          `Of the result ${result.id}, ${result.runsByStatus.cancelled} of ${result.totalRuns} runs are cancelled.`
        )
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

export const cancelRun = (options: Common & { readonly id: number }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const run = yield* calling(caller, (yield* Results).cancelRun)(yield* idOf(RunId, "Run", options.id))
    yield* options.json ? screen.print(printJson(encodeRun(run))) : screen.note(`The run ${run.id} is cancelled.`)
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

/** Source: interface, E8: what is not there is passed over. */
export const remove = (options: Common & { readonly ids: ReadonlyArray<number> }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    yield* calling(caller, (yield* Results).bulkDelete)({ result_ids: options.ids })
    if (!options.json) yield* screen.note(`Deleted, as far as they were there: ${options.ids.join(", ")}.`)
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

/** Source: interface, E9. */
export const removeRuns = (options: Common & { readonly id: number; readonly runs: ReadonlyArray<number> }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const id = yield* idOf(ResultId, "Result", options.id)
    yield* calling(caller, (yield* Results).deleteRuns)(id, { run_ids: options.runs })
    if (!options.json) yield* screen.note(`Deleted of the result ${id}: ${options.runs.join(", ")}.`)
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))
