/** Metrics, and the scores of calls. */
import { scoreInWords } from "@earshot/core"
import * as Effect from "effect/Effect"
import { Api, send } from "../Api.js"
import { CommandRejected } from "../Errors.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { type CommonOptions, defined } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { onTarget } from "../Target.js"
import { jsonLine, sanitize, sanitizeLines } from "../Text.js"
import type { Wire } from "../Wire.js"
import { resourceActions } from "./Resource.js"

export const predefined = (options: CommonOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const all = yield* send("get", "/test_framework/v1/predefined-metrics/")
    if (options.json) return yield* screen.print(jsonLine(all))
    const columns: ReadonlyArray<Column<(typeof all)[number]>> = [
      { name: "SLUG", of: (metric) => metric.slug },
      { name: "VALUE", of: (metric) => metric.eval_type },
      { name: "COST", of: (metric) => metric.cost, right: true },
      { name: "DESCRIPTION", of: (metric) => metric.description, least: 20 }
    ]
    yield* screen.print(table(columns, all, screen.columns).join("\n"))
  }).pipe(onTarget(options))

export const list = (options: CommonOptions & PageOptions & { readonly agent: number | undefined }): CommandEffect =>
  Effect.gen(function* () {
    const page = yield* send("get", "/test_framework/v1/metrics/", {
      query: { ...pageQuery(options), ...defined({ agent_id: options.agent }) }
    })
    yield* printPage(page, {
      json: options.json,
      none: "No metrics found. --agent ID also lists the predefined metrics.",
      columns: [
        { name: "ID", of: (metric) => String(metric.id), right: true },
        { name: "NAME", of: (metric) => metric.name, least: 16 },
        { name: "SLUG", of: (metric) => metric.slug ?? "", least: 12 },
        { name: "TYPE", of: (metric) => metric.type },
        { name: "VALUE", of: (metric) => metric.eval_type },
        { name: "AGENT", of: (metric) => String(metric.agent), right: true },
        { name: "ENABLED", of: (metric) => (metric.observability_enabled ? "yes" : "no") }
      ]
    })
  }).pipe(onTarget(options))

export const show = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    yield* screen.print(jsonLine(yield* send("get", "/test_framework/v1/metrics/{id}/", { id: options.id })))
  }).pipe(onTarget(options))

/** Which values of a metric are better: `lower`. */
export const directionColumn: Column<{ readonly better: "higher" | "lower" | null }> = {
  name: "BETTER",
  of: ({ better }) => better ?? ""
}

export const evaluationColumns: ReadonlyArray<Column<Wire<"Evaluation">>> = [
  { name: "METRIC", of: (one) => one.metric_name, least: 16 },
  { name: "STATUS", of: (one) => one.status },
  { name: "VALUE", of: (one) => (one.value === null ? "" : scoreInWords(one)), right: true },
  // Words such as `passed` say it themselves.
  { ...directionColumn, of: (one) => (typeof one.value === "number" ? directionColumn.of(one) : "") },
  { name: "REASON", of: (one) => one.reason ?? one.explanation ?? "", least: 20 }
]

/** Shows the metric scores of a call. */
export const scores = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const evaluations = yield* send("get", "/observability/v1/call-logs/{id}/evaluations/", { id: options.id })
    if (options.json) return yield* screen.print(jsonLine(evaluations))
    if (evaluations.length === 0) {
      return yield* screen.note(
        "This call has no scores yet. A running server runs pending evaluations, or `earshot jobs run`."
      )
    }
    yield* screen.print(table(evaluationColumns, evaluations, screen.columns).join("\n"))
  }).pipe(onTarget(options))

/** Queues the evaluation of a call. */
export const evaluate = (
  options: CommonOptions & { readonly id: number; readonly metrics: string | undefined }
): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const asked = yield* send("post", "/observability/v1/call-logs/{id}/evaluate_metrics/", {
      id: options.id,
      body: { metric_ids: options.metrics ?? null }
    })
    yield* options.json
      ? screen.print(jsonLine(asked))
      : screen.note(`Job ${asked.job} is queued. A running server runs it, or \`earshot jobs run\`.`)
  }).pipe(onTarget(options))

export const { create, remove, update } = resourceActions({
  noun: "metric",
  path: "/test_framework/v1/metrics/",
  columns: []
})

const setEnabled =
  (enabled: boolean) =>
  (options: CommonOptions & { readonly id: number }): CommandEffect =>
    Effect.gen(function* () {
      const screen = yield* Screen
      const metric = yield* send("patch", "/test_framework/v1/metrics/{id}/", {
        id: options.id,
        body: { observability_enabled: enabled, simulation_enabled: enabled }
      })
      yield* options.json
        ? screen.print(jsonLine(metric))
        : screen.note(`${enabled ? "Enabled" : "Disabled"} metric ${metric.id} (${sanitize(metric.name)}).`)
    }).pipe(onTarget(options))

export const enable = setEnabled(true)

export const disable = setEnabled(false)

const POLL_INTERVAL = "250 millis"

/** Simplifies the prompt of a metric; on a database, a job of this process does it. */
export const simplify = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    let result: Wire<"Simplification"> & { readonly status?: string; readonly error?: string | null } = yield* send(
      "post",
      "/test_framework/v1/metrics/simplify_prompt/",
      { body: { metric_id: options.id } }
    )
    if (result.progress_id !== "") yield* (yield* Api).runJobs
    while (result.progress_id !== "" && result.status !== "completed") {
      if (result.status === "failed") {
        return yield* new CommandRejected({ reason: result.error ?? "The prompt could not be simplified." })
      }
      yield* Effect.sleep(POLL_INTERVAL)
      result = yield* send("get", "/test_framework/v1/metrics/simplify_prompt_progress/", {
        query: { progress_id: result.progress_id }
      })
    }
    const { original_prompt, simplified_prompt, skipped_simplification } = result
    if (options.json)
      return yield* screen.print(jsonLine({ simplified_prompt, original_prompt, skipped_simplification }))
    yield* screen.print(sanitizeLines(simplified_prompt))
    if (skipped_simplification) yield* screen.note("The prompt cannot be simplified further.")
  }).pipe(
    Effect.scoped,
    onTarget(options, async () => {
      const { plainEngine, withLanguageModel } = await import("../EngineSettings.js")
      return withLanguageModel(plainEngine(options))
    })
  )
