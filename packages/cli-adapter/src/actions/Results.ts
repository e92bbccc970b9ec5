import { writeFile } from "node:fs/promises"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { send, sendForText, streamLines } from "../Api.js"
import { printNumber, printSeconds, printShare } from "../charts/Numbers.js"
import { CommandRejected, ReportedFailure } from "../Errors.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { describeRecording } from "../Recording.js"
import { repeatLines } from "../RepeatTable.js"
import { Screen } from "../Screen.js"
import { type CommonOptions, defined } from "../Settings.js"
import { directionColumn, evaluationColumns } from "./Metrics.js"
import { writeReport } from "./Suites.js"
import { type Column, table } from "../Table.js"
import { onTarget } from "../Target.js"
import { sanitize, sanitizeLines, jsonLine } from "../Text.js"
import { printMinute, type Wire } from "../Wire.js"

const rate = (value: number | null): string => (value === null ? "" : printShare(value))

const columns: ReadonlyArray<Column<Wire<"Result">>> = [
  { name: "ID", of: ({ id }) => String(id), right: true },
  { name: "NAME", of: ({ name }) => name, least: 12 },
  { name: "AGENT", of: ({ agent_name: agent }) => agent, least: 8 },
  { name: "CHANNEL", of: ({ channel }) => channel },
  { name: "STATUS", of: ({ status }) => status },
  { name: "RUNS", of: (result) => String(result.total_runs), right: true },
  { name: "SUCCESS", of: (result) => rate(result.success_rate), right: true },
  { name: "CREATED (UTC)", of: (result) => printMinute(result.created_at) }
]

const runColumns: ReadonlyArray<Column<Wire<"Run">>> = [
  { name: "ID", of: ({ id }) => String(id), right: true },
  { name: "RESULT", of: ({ result }) => String(result), right: true },
  { name: "SCENARIO", of: (run) => run.scenario_name, least: 12 },
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
    const page = yield* send("get", "/test_framework/v1/results/", {
      query: { ...pageQuery(options), ...defined({ project: options.project, agent: options.agent }) }
    })
    yield* printPage(page, { json: options.json, none: "No results found.", columns })
  }).pipe(onTarget(options))

export const listRuns = (
  options: CommonOptions & PageOptions & { readonly result: number | undefined; readonly status: string | undefined }
): CommandEffect =>
  Effect.gen(function* () {
    const page = yield* send("get", "/test_framework/v1/runs/", {
      query: { ...pageQuery(options), ...defined({ result: options.result, status: options.status }) }
    })
    yield* printPage(page, { json: options.json, none: "No runs found.", columns: runColumns })
  }).pipe(onTarget(options))

/** Names and values, without blank ones. */
const facts = (known: ReadonlyArray<readonly [string, string]>): string =>
  known
    .filter(([, value]) => value !== "")
    .map(([name, value]) => `${name.padEnd(12)} ${sanitize(value)}`)
    .join("\n")

const describe = (result: Wire<"Result">): string => {
  const counts = Object.entries(result.runs_by_status).filter(([, runs]) => runs > 0)
  return facts([
    ["Result", `${result.name} (${result.id})`],
    ["Agent", `${result.agent_name} (${result.agent})`],
    ["Channel", result.channel],
    ["Status", result.status],
    [
      "Runs",
      `${result.total_runs}${counts.length === 0 ? "" : `: ${counts.map(([status, runs]) => `${runs} ${status}`).join(", ")}`}`
    ],
    ["Success", rate(result.success_rate)],
    ["Created", result.created_at]
  ])
}

export const show = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { id } = options
    const result = yield* send("get", "/test_framework/v1/results/{id}/", { id })
    if (options.json) return yield* screen.print(jsonLine(result))
    const metrics: ReadonlyArray<Column<Wire<"Result">["metrics"][number]>> = [
      { name: "METRIC", of: ({ name }) => name, least: 16 },
      { name: "AVERAGE", of: ({ average }) => (average === null ? "" : printNumber(average)), right: true },
      directionColumn,
      { name: "RUNS", of: ({ runs }) => String(runs), right: true }
    ]
    const repeats = yield* send("get", "/test_framework/v1/results/{id}/repeats/", { id })
    const reliability = repeatLines(repeats, screen.columns)
    yield* screen.print(
      [
        describe(result),
        ...(reliability.length === 0 ? [] : ["", ...reliability]),
        ...(result.metrics.length === 0 ? [] : ["", ...table(metrics, result.metrics, screen.columns)])
      ].join("\n")
    )
  }).pipe(onTarget(options))

export const showRun = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const run = yield* send("get", "/test_framework/v1/runs/{id}/", { id: options.id })
    yield* screen.print(options.json ? jsonLine(run) : describeRun(run, screen.columns).join("\n"))
  }).pipe(onTarget(options))

const describeRun = (run: Wire<"RunDetail">, columns: number): ReadonlyArray<string> => [
  facts([
    ["Run", `${run.scenario_name} (${run.id})`],
    ["Scenario", run.scenario_key],
    ["Result", String(run.result)],
    ["Channel", run.channel],
    ["Number", run.phone_number ?? ""],
    ["Status", run.status],
    ["Success", run.success === null ? (run.status === "completed" ? "unknown" : "") : run.success ? "yes" : "no"],
    ["Length", run.duration === null ? "" : printSeconds(run.duration)],
    ["Attempts", String(run.attempts)],
    ["Recording", describeRecording(run.recording)],
    ["Error", run.error ?? ""],
    ["Ended because", run.ended_reason ?? ""],
    ["Started", run.started_at ?? ""],
    ["Ended", run.ended_at ?? ""]
  ]),
  ...(run.metrics.length === 0 ? [] : ["", ...table(evaluationColumns, run.metrics, columns)]),
  ...(run.transcript === "" ? [] : ["", sanitizeLines(run.transcript)])
]

type Comparison = Wire<"Comparison">
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
  { name: "BASE", of: (one) => rate(one.success_rate.base), right: true },
  { name: "NOW", of: (one) => rate(one.success_rate.result), right: true },
  { name: "METRICS", of: reasons, least: 12 }
]

const metricColumns: ReadonlyArray<Column<ComparedMetric>> = [
  { name: "METRIC", of: ({ name }) => name, least: 12 },
  { name: "CHANGE", of: ({ change }) => change },
  directionColumn,
  { name: "BASE", of: ({ base }) => (base === null ? "" : printNumber(base)), right: true },
  { name: "NOW", of: ({ result }) => (result === null ? "" : printNumber(result)), right: true },
  { name: "DIFFERENCE", of: ({ difference }) => signed(difference, printNumber), right: true }
]

const summary = ({ base, result, scenario_counts: scenarioCounts, success_rate: successRate }: Comparison): string => {
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
    const compared = yield* send("get", "/test_framework/v1/results/{id}/compare/", {
      id: options.id,
      query: { base: options.base, ...defined({ tolerance: options.tolerance }) }
    })
    yield* screen.print(
      options.json
        ? jsonLine(compared)
        : [
            ...table(scenarioColumns, compared.scenarios, screen.columns),
            ...(compared.metrics.length === 0 ? [] : ["", ...table(metricColumns, compared.metrics, screen.columns)]),
            "",
            sanitize(summary(compared))
          ].join("\n")
    )
    const { mixed, worse } = compared.scenario_counts
    if (options.failOn === "regression" && (compared.change === "worse" || worse > 0 || mixed > 0)) {
      return yield* new ReportedFailure()
    }
  }).pipe(onTarget(options))

/** Runs that are printed at a time. */
const PRINTED_AT_ONCE = 50

/** Prints or writes a report of a result. */
export const report = (
  options: CommonOptions & {
    readonly id: number
    readonly format: string
    readonly output: string | undefined
    readonly allowUnjudged: boolean
  }
): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { format } = options
    const query = { format, ...(options.allowUnjudged ? { allow_unjudged: true } : {}) }
    const text = yield* sendForText("/test_framework/v1/results/{id}/report/", { id: options.id, query })
    if (options.output !== undefined) return yield* writeReport(options.output, () => text)
    yield* screen.print(options.json ? jsonLine({ format, text }) : text.trimEnd())
  }).pipe(onTarget(options))

/** Prints the runs of a result as one line of JSON each, or as a JUnit report. */
export const exportResult = (
  options: CommonOptions & { readonly id: number; readonly junit: string | undefined }
): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { id, junit } = options
    if (junit !== undefined) {
      const report = yield* sendForText("/test_framework/v1/results/{id}/junit/", { id })
      if (junit === "-") return yield* screen.print(report)
      return yield* Effect.tryPromise({
        try: () => writeFile(junit, report),
        catch: () => new CommandRejected({ reason: `Cannot write ${junit}.` })
      })
    }
    yield* streamLines("/test_framework/v1/results/{id}/export/", { id }).pipe(
      Stream.grouped(PRINTED_AT_ONCE),
      Stream.runForEach((runs) => screen.print([...runs].map(jsonLine).join("\n")))
    )
  }).pipe(onTarget(options))

/** Cancels the unfinished runs of a result. */
export const cancel = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const result = yield* send("post", "/test_framework/v1/results/{id}/cancel/", { id: options.id })
    yield* options.json
      ? screen.print(jsonLine(result))
      : screen.note(
          `Canceled: ${result.runs_by_status.cancelled} of the ${result.total_runs} runs of result ${result.id}.`
        )
  }).pipe(onTarget(options))

export const cancelRun = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const run = yield* send("post", "/test_framework/v1/runs/{id}/cancel/", { id: options.id })
    yield* options.json ? screen.print(jsonLine(run)) : screen.note(`Canceled run ${run.id}.`)
  }).pipe(onTarget(options))

/** Source: interface, E8. Ids that do not exist are ignored. */
export const remove = (options: CommonOptions & { readonly ids: ReadonlyArray<number> }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    yield* send("post", "/test_framework/v1/results/bulk_delete/", { body: { result_ids: options.ids } })
    if (!options.json)
      yield* screen.note(`Deleted results ${options.ids.join(", ")}; ids that do not exist were ignored.`)
  }).pipe(onTarget(options))

/** Source: interface, E9. */
export const removeRuns = (
  options: CommonOptions & { readonly id: number; readonly runs: ReadonlyArray<number> }
): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const { id, runs } = options
    yield* send("post", "/test_framework/v1/results/{id}/delete_runs/", { id, body: { run_ids: runs } })
    if (!options.json) yield* screen.note(`Deleted runs ${runs.join(", ")} of result ${id}.`)
  }).pipe(onTarget(options))
