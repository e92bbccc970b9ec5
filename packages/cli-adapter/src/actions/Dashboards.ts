import * as Effect from "effect/Effect"
import { drawDashboard } from "../charts/DrawDashboard.js"
import { send } from "../Api.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { type CommonOptions, defined } from "../Settings.js"
import { onTarget } from "../Target.js"
import { jsonLine } from "../Text.js"
import { printMinute, type Wire } from "../Wire.js"
import { resourceActions } from "./Resource.js"

export const list = (options: CommonOptions & PageOptions & { readonly project: number | undefined }): CommandEffect =>
  Effect.gen(function* () {
    const page = yield* send("get", "/dashboards/dashboards/", {
      query: { ...pageQuery(options), ...defined({ project: options.project }) }
    })
    yield* printPage(page, {
      json: options.json,
      none: "No dashboards found.",
      columns: [
        { name: "ID", of: (dashboard) => String(dashboard.id), right: true },
        { name: "NAME", of: (dashboard) => dashboard.name, least: 16 },
        { name: "PROJECT", of: (dashboard) => String(dashboard.project), right: true },
        { name: "WIDGETS", of: (dashboard) => String(dashboard.widget_count), right: true },
        { name: "UPDATED", of: (dashboard) => printMinute(dashboard.updated_at) }
      ]
    })
  }).pipe(onTarget(options))

/** The data of every widget of a dashboard that is still there. */
export const dataOf = ({ id, widgets }: Wire<"Dashboard">) =>
  Effect.map(send("get", "/dashboards/dashboards/{id}/data/", { id }), (shown) =>
    widgets.flatMap((widget) => {
      const found = shown.widgets.find((one) => one.id === widget.id)
      return found === undefined ? [] : [{ widget, data: found.data }]
    })
  )

export const show = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const dashboard = yield* send("get", "/dashboards/dashboards/{id}/", { id: options.id })
    const widgets = yield* dataOf(dashboard)
    yield* screen.print(
      options.json
        ? jsonLine({ ...dashboard, widgets: widgets.map(({ data, widget }) => ({ ...widget, data })) })
        : drawDashboard(dashboard, widgets, screen).join("\n")
    )
  }).pipe(onTarget(options))

export const { create, remove, update } = resourceActions({
  noun: "dashboard",
  path: "/dashboards/dashboards/",
  columns: []
})
