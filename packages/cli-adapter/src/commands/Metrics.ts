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
import * as Option from "effect/Option"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { calling, findCaller, idOf, withEngine } from "../Session.js"
import { type CallerOptions, plainEngine } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { printJson } from "../Text.js"

interface Common extends CallerOptions {
  readonly database: string
  readonly json: boolean
}

export const predefined = (options: Common): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const all = (yield* calling(caller, (yield* Metrics).predefined)()).map((one) => encodePredefinedMetric(one))
    if (options.json) return yield* screen.print(printJson(all))
    const columns: ReadonlyArray<Column<(typeof all)[number]>> = [
      { name: "SLUG", of: (metric) => metric.slug },
      { name: "VALUE", of: (metric) => metric.eval_type },
      { name: "COST", of: (metric) => metric.cost, right: true },
      { name: "WHAT", of: (metric) => metric.description, least: 20 }
    ]
    yield* screen.print(table(columns, all, screen.columns).join("\n"))
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

export const list = (options: Common & PageOptions & { readonly agent: Option.Option<number> }): Running =>
  Effect.gen(function* () {
    const caller = yield* findCaller(options)
    const page = yield* calling(
      caller,
      (yield* Metrics).list
    )({
      ...pageQuery(options),
      ...Option.match(options.agent, { onNone: () => ({}), onSome: (id) => ({ agent_id: id }) })
    })
    yield* printPage(page, {
      json: options.json,
      encode: encodeMetric,
      none: "There are no metrics yet: --agent ID lists those that every agent has, too.",
      columns: [
        { name: "ID", of: (metric) => String(metric.id), right: true },
        { name: "NAME", of: (metric) => metric.name, least: 16 },
        { name: "SLUG", of: (metric) => metric.slug ?? "", least: 12 },
        { name: "TYPE", of: (metric) => metric.type },
        { name: "VALUE", of: (metric) => metric.evalType },
        { name: "AGENT", of: (metric) => String(metric.agentId), right: true },
        { name: "ON", of: (metric) => (metric.observabilityEnabled ? "yes" : "no") }
      ]
    })
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

export const show = (options: Common & { readonly id: number }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const id = yield* idOf(MetricId, "Metric", options.id)
    yield* screen.print(printJson(encodeMetric(yield* calling(caller, (yield* Metrics).read)(id))))
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

const columns: ReadonlyArray<Column<StoredEvaluation>> = [
  { name: "METRIC", of: (one) => one.metricName, least: 16 },
  { name: "STATUS", of: (one) => one.status },
  { name: "VALUE", of: (one) => (one.value === null ? "" : String(one.value)), right: true },
  { name: "WHY", of: (one) => one.detail.reason ?? one.detail.explanation ?? "", least: 20 }
]

/** What metrics said of a call. */
export const scores = (options: Common & { readonly id: number }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const id = yield* idOf(CallId, "Call", options.id)
    const said = yield* calling(caller, (yield* CallEvaluations).evaluations)(id)
    if (options.json) return yield* screen.print(printJson(said.map(encodeEvaluation)))
    if (said.length === 0)
      return yield* screen.note("Nothing was said of this call yet: `earshot jobs run` does what waits.")
    yield* screen.print(table(columns, said, screen.columns).join("\n"))
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

/** Queues an evaluation. */
export const evaluate = (options: Common & { readonly id: number; readonly metrics: Option.Option<string> }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const id = yield* idOf(CallId, "Call", options.id)
    const asked = yield* calling(caller, (yield* CallEvaluations).evaluate)(id, {
      metric_ids: Option.getOrNull(options.metrics)
    })
    yield* options.json
      ? screen.print(printJson({ call: asked.callId, metric_ids: asked.metricIds, job: asked.jobId }))
      : screen.note(`Job ${asked.jobId} is queued; a running server does it, and so does \`earshot jobs run\`.`)
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))
