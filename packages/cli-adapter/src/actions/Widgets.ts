import * as Effect from "effect/Effect"
import { send } from "../Api.js"
import { type InputOptions, readInput } from "../Assignments.js"
import { drawWidget } from "../charts/DrawDashboard.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import type { CommonOptions } from "../Settings.js"
import { onTarget } from "../Target.js"
import { jsonLine } from "../Text.js"
import type { Wire } from "../Wire.js"
import { resourceActions } from "./Resource.js"

export const { create, list, remove, show, update } = resourceActions({
  noun: "widget",
  path: "/dashboards/widgets/",
  columns: [
    { name: "DASHBOARD", of: ({ dashboard }) => String(dashboard), right: true },
    { name: "NAME", of: ({ name }) => name, least: 12 },
    { name: "CHART", of: ({ chart_type: chart }) => chart },
    { name: "FIELD", of: ({ field }) => field, least: 12 },
    { name: "METRIC", of: ({ metric_name: metric }) => metric ?? "", least: 8 }
  ]
})

const printData = (json: boolean, shown: Wire<"WidgetData">) =>
  Effect.flatMap(Screen, (screen) => screen.print(json ? jsonLine(shown) : drawWidget(shown, screen).join("\n")))

export const data = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    yield* printData(options.json, yield* send("get", "/dashboards/widgets/{id}/data/", { id: options.id }))
  }).pipe(onTarget(options))

export const preview = (options: CommonOptions & InputOptions): CommandEffect =>
  Effect.gen(function* () {
    const body = yield* readInput(options)
    yield* printData(options.json, yield* send("post", "/dashboards/widgets/preview_data/", { body }))
  }).pipe(onTarget(options))
