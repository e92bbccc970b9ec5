import {
  CallEvaluations,
  CallId,
  encodeEvaluation,
  encodeMetric,
  encodePredefinedMetric,
  MetricId,
  Metrics,
  type StoredEvaluation
} from "@earshot/core"
import * as Effect from "effect/Effect"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { callAs, resolveCaller, decodeId, withEngine } from "../Session.js"
import { type CommonOptions, defined, plainEngine } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { jsonLine } from "../Text.js"

export const predefined = (options: CommonOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const all = (yield* callAs(caller, (yield* Metrics).predefined)()).map((one) => encodePredefinedMetric(one))
    if (options.json) return yield* screen.print(jsonLine(all))
    const columns: ReadonlyArray<Column<(typeof all)[number]>> = [
      { name: "SLUG", of: (metric) => metric.slug },
      { name: "VALUE", of: (metric) => metric.eval_type },
      { name: "COST", of: (metric) => metric.cost, right: true },
      { name: "DESCRIPTION", of: (metric) => metric.description, least: 20 }
    ]
    yield* screen.print(table(columns, all, screen.columns).join("\n"))
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const list = (options: CommonOptions & PageOptions & { readonly agent: number | undefined }): CommandEffect =>
  Effect.gen(function* () {
    const caller = yield* resolveCaller(options)
    const page = yield* callAs(
      caller,
      (yield* Metrics).list
    )({
      ...pageQuery(options),
      ...defined({ agent_id: options.agent })
    })
    yield* printPage(page, {
      json: options.json,
      encode: encodeMetric,
      none: "No metrics found. --agent ID also lists the predefined metrics.",
      columns: [
        { name: "ID", of: (metric) => String(metric.id), right: true },
        { name: "NAME", of: (metric) => metric.name, least: 16 },
        { name: "SLUG", of: (metric) => metric.slug ?? "", least: 12 },
        { name: "TYPE", of: (metric) => metric.type },
        { name: "VALUE", of: (metric) => metric.evalType },
        { name: "AGENT", of: (metric) => String(metric.agentId), right: true },
        { name: "ENABLED", of: (metric) => (metric.observabilityEnabled ? "yes" : "no") }
      ]
    })
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const show = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(MetricId, "Metric", options.id)
    yield* screen.print(jsonLine(encodeMetric(yield* callAs(caller, (yield* Metrics).read)(id))))
  }).pipe(withEngine(plainEngine(options), { existing: true }))

export const evaluationColumns: ReadonlyArray<Column<StoredEvaluation>> = [
  { name: "METRIC", of: (one) => one.metricName, least: 16 },
  { name: "STATUS", of: (one) => one.status },
  { name: "VALUE", of: (one) => (one.value === null ? "" : String(one.value)), right: true },
  { name: "REASON", of: (one) => one.detail.reason ?? one.detail.explanation ?? "", least: 20 }
]

/** Shows the metric scores of a call. */
export const scores = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(CallId, "Call", options.id)
    const evaluations = yield* callAs(caller, (yield* CallEvaluations).evaluations)(id)
    if (options.json) return yield* screen.print(jsonLine(evaluations.map(encodeEvaluation)))
    if (evaluations.length === 0)
      return yield* screen.note("This call has no scores yet. Run pending evaluations with `earshot jobs run`.")
    yield* screen.print(table(evaluationColumns, evaluations, screen.columns).join("\n"))
  }).pipe(withEngine(plainEngine(options), { existing: true }))

/** Queues the evaluation of a call. */
export const evaluate = (
  options: CommonOptions & { readonly id: number; readonly metrics: string | undefined }
): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(CallId, "Call", options.id)
    const asked = yield* callAs(caller, (yield* CallEvaluations).evaluate)(id, {
      metric_ids: options.metrics ?? null
    })
    yield* options.json
      ? screen.print(jsonLine({ call: asked.callId, metric_ids: asked.metricIds, job: asked.jobId }))
      : screen.note(`Job ${asked.jobId} is queued. A running server runs it, or \`earshot jobs run\`.`)
  }).pipe(withEngine(plainEngine(options), { existing: true }))
