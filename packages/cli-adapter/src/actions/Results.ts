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
import * as Stream from "effect/Stream"
import { printNumber, printSeconds, printShare } from "../charts/Numbers.js"
import { CommandRejected, ReportedFailure } from "../Errors.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { repeatLines } from "../RepeatTable.js"
import { Screen } from "../Screen.js"
import { callAs, resolveCaller, decodeId, withEngine } from "../Session.js"
import { type CommonOptions, defined, plainEngine } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { sanitize, sanitizeLines, jsonLine } from "../Text.js"

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
  { name: "CREATED (UTC)", of: ({ createdAt }) => minute(createdAt) }
]

const runColumns: ReadonlyArray<Column<Run>> = [
  { name: "ID", of: ({ id }) => String(id), right: true },
  { name: "RESULT", of: ({ resultId }) => String(resultId), right: true },
  { name: "SCENARIO", of: ({ scenarioName }) => scenarioName, least: 12 },
  { name: "STATUS", of: ({ status }) => status },
  { name: "SUCCESS", of: ({ success }) => (success === null ? "" : success ? "yes" : "no") },
  { name: "LENGTH", of: ({ duration }) => (duration === null ? "" : printSeconds(duration)), right: true },
  { name: "ATTEMPTS", of: ({ attempts }) => String(attempts), right: true },
  { name: "ERROR", of: ({ error }) => error ?? "", least: 12 }
]

export const list = (
  options: CommonOptions & PageOptions & { readonly project: number | undefined; readonly agent: number | undefined }
): CommandEffect =>
  Effect.gen(function* () {
    const caller = yield* resolveCaller(options)
    const page = yield* callAs(
      caller,
      (yield* Results).list
    )({ ...pageQuery(options), ...defined({ project: options.project, agent: options.agent }) })
    yield* printPage(page, { json: options.json, encode: encodeResult, none: "No results found.", columns })
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const listRuns = (
  options: CommonOptions & PageOptions & { readonly result: number | undefined; readonly status: string | undefined }
): CommandEffect =>
  Effect.gen(function* () {
    const caller = yield* resolveCaller(options)
    const page = yield* callAs(
      caller,
      (yield* Results).listRuns
    )({ ...pageQuery(options), ...defined({ result: options.result, status: options.status }) })
    yield* printPage(page, {
      json: options.json,
      encode: encodeRun,
      none: "No runs found.",
      columns: runColumns
    })
  }).pipe(withEngine(plainEngine(options), { existing: true }))

/** Names and values, without blank ones. */
const facts = (known: ReadonlyArray<readonly [string, string]>): string =>
  known
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name.padEnd(12)} ${sanitize(value)}`)
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
    ["Created", DateTime.formatIso(result.createdAt)]
  ])
}

export const show = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const result = yield* callAs(caller, (yield* Results).read)(yield* decodeId(ResultId, "Result", options.id))
    if (options.json) return yield* screen.print(jsonLine(encodeResult(result)))
    const metrics: ReadonlyArray<Column<Result["metrics"][number]>> = [
      { name: "METRIC", of: ({ name }) => name, least: 16 },
      { name: "AVERAGE", of: ({ average }) => (average === null ? "" : printNumber(average)), right: true },
      { name: "RUNS", of: ({ runs }) => String(runs), right: true }
    ]
    const reliability = repeatLines(yield* callAs(caller, (yield* Results).repeats)(result.id), screen.columns)
    yield* screen.print(
      [
        describe(result),
        ...(reliability.length === 0 ? [] : ["", ...reliability]),
        ...(result.metrics.length === 0 ? [] : ["", ...table(metrics, result.metrics, screen.columns)])
      ].join("\n")
    )
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const showRun = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const run = yield* callAs(caller, (yield* Results).readRun)(yield* decodeId(RunId, "Run", options.id))
    yield* screen.print(options.json ? jsonLine(encodeRunDetail(run)) : describeRun(run, screen.columns).join("\n"))
  }).pipe(withEngine(plainEngine(options), { existing: true }))

type Score = RunDetail["metrics"][number]

const scoreColumns: ReadonlyArray<Column<Score>> = [
  { name: "METRIC", of: ({ metric_name: name }) => name, least: 16 },
  { name: "STATUS", of: ({ status }) => status },
  { name: "VALUE", of: ({ value }) => (value === null ? "" : String(value)), right: true },
  { name: "REASON", of: ({ explanation, reason }) => reason ?? explanation ?? "", least: 20 }
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
    ["Attempts", String(run.attempts)],
    ["Error", run.error ?? ""],
    ["Ended because", run.endedReason ?? ""],
    ["Started", run.startedAt === null ? "" : DateTime.formatIso(run.startedAt)],
    ["Ended", run.endedAt === null ? "" : DateTime.formatIso(run.endedAt)]
  ]),
  ...(run.metrics.length === 0 ? [] : ["", ...table(scoreColumns, run.metrics, columns)]),
  ...(run.transcript === "" ? [] : ["", sanitizeLines(run.transcript)])
]

type ComparedScenario = Comparison["scenarios"][number]
type ComparedMetric = Comparison["metrics"][number]

const signed = (value: number | null, print: (size: number) => string): string =>
  value === null ? "" : `${value > 0 ? "+" : value < 0 ? "-" : ""}${print(Math.abs(value))}`

/** The metrics that changed: `csat -1.5, latency_ms +120`. */
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

/** Compares two results; with `--fail-on regression`, the exit code is 1 if the later one is worse. */
export const compare = (
  options: CommonOptions & {
    readonly base: number
    readonly id: number
    readonly tolerance: number | undefined
    readonly failOn: string | undefined
  }
): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const compared = yield* callAs(caller, (yield* Results).compare)(yield* decodeId(ResultId, "Result", options.id), {
      base: options.base,
      ...defined({ tolerance: options.tolerance })
    })
    yield* screen.print(
      options.json
        ? jsonLine(encodeComparison(compared))
        : [
            ...table(scenarioColumns, compared.scenarios, screen.columns),
            ...(compared.metrics.length === 0 ? [] : ["", ...table(metricColumns, compared.metrics, screen.columns)]),
            "",
            sanitize(summary(compared))
          ].join("\n")
    )
    const isWorse =
      compared.change === "worse" || compared.scenarioCounts.worse > 0 || compared.scenarioCounts.mixed > 0
    if (options.failOn === "regression" && isWorse) return yield* new ReportedFailure()
  }).pipe(withEngine(plainEngine(options), { existing: true }))

/** Prints the runs of a result as one line of JSON each, or as a JUnit report. */
export const exportResult = (
  options: CommonOptions & { readonly id: number; readonly junit: string | undefined }
): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const results = yield* Results
    const id = yield* decodeId(ResultId, "Result", options.id)
    if (options.junit !== undefined) {
      const path = options.junit
      const report = yield* callAs(caller, results.junit)(id)
      if (path === "-") return yield* screen.print(report)
      return yield* Effect.tryPromise({
        try: () => writeFile(path, report),
        catch: () => new CommandRejected({ reason: `Cannot write ${path}.` })
      })
    }
    const actor = yield* caller.admit("results.export")
    yield* results.export(id).pipe(
      Stream.provideService(CurrentActor, actor),
      Stream.map((run) => jsonLine(encodeRunDetail(run))),
      Stream.grouped(50),
      Stream.runForEach((lines) => screen.print([...lines].join("\n")))
    )
  }).pipe(withEngine(plainEngine(options), { existing: true }))

const canceledRuns = (result: Result): number => result.runsByStatus.cancelled

/** Cancels the unfinished runs of a result. */
export const cancel = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const result = yield* callAs(caller, (yield* Results).cancel)(yield* decodeId(ResultId, "Result", options.id))
    yield* options.json
      ? screen.print(jsonLine(encodeResult(result)))
      : screen.note(`Canceled: ${canceledRuns(result)} of the ${result.totalRuns} runs of result ${result.id}.`)
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const cancelRun = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const run = yield* callAs(caller, (yield* Results).cancelRun)(yield* decodeId(RunId, "Run", options.id))
    yield* options.json ? screen.print(jsonLine(encodeRun(run))) : screen.note(`Canceled run ${run.id}.`)
  }).pipe(withEngine(plainEngine(options), { existing: true }))

/** Source: interface, E8. Ids that do not exist are ignored. */
export const remove = (options: CommonOptions & { readonly ids: ReadonlyArray<number> }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    yield* callAs(caller, (yield* Results).bulkDelete)({ result_ids: options.ids })
    if (!options.json)
      yield* screen.note(`Deleted results ${options.ids.join(", ")}; ids that do not exist were ignored.`)
  }).pipe(withEngine(plainEngine(options), { existing: true }))

/** Source: interface, E9. */
export const removeRuns = (
  options: CommonOptions & { readonly id: number; readonly runs: ReadonlyArray<number> }
): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(ResultId, "Result", options.id)
    yield* callAs(caller, (yield* Results).deleteRuns)(id, { run_ids: options.runs })
    if (!options.json) yield* screen.note(`Deleted runs ${options.runs.join(", ")} of result ${id}.`)
  }).pipe(withEngine(plainEngine(options), { existing: true }))
