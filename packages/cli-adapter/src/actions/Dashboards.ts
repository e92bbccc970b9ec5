import {
  type Dashboard,
  DashboardId,
  Dashboards,
  encodeDashboard,
  encodeWidget,
  encodeWidgetData,
  Widgets
} from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import { drawDashboard } from "../charts/DrawDashboard.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { type Caller, callAs, resolveCaller, decodeId, withEngine } from "../Session.js"
import { type CommonOptions, defined, plainEngine } from "../Settings.js"
import { jsonLine } from "../Text.js"

export const list = (options: CommonOptions & PageOptions & { readonly project: number | undefined }): CommandEffect =>
  Effect.gen(function* () {
    const caller = yield* resolveCaller(options)
    const page = yield* callAs(
      caller,
      (yield* Dashboards).list
    )({
      ...pageQuery(options),
      ...defined({ project: options.project })
    })
    yield* printPage(page, {
      json: options.json,
      encode: encodeDashboard,
      none: "No dashboards found.",
      columns: [
        { name: "ID", of: (dashboard) => String(dashboard.id), right: true },
        { name: "NAME", of: (dashboard) => dashboard.name, least: 16 },
        { name: "PROJECT", of: (dashboard) => String(dashboard.projectId), right: true },
        { name: "WIDGETS", of: (dashboard) => String(dashboard.widgetCount), right: true },
        { name: "UPDATED", of: (dashboard) => DateTime.formatIso(dashboard.updatedAt).slice(0, 16).replace("T", " ") }
      ]
    })
  }).pipe(withEngine(plainEngine(options), { existing: true }))

/** The data of every widget of a dashboard. */
export const dataOf = (caller: Caller, dashboard: Dashboard) =>
  Effect.gen(function* () {
    const read = callAs(caller, (yield* Widgets).data)
    return yield* Effect.forEach(
      dashboard.widgets,
      (widget) => Effect.map(read(widget.id), (data) => ({ widget, data })),
      { concurrency: 4 }
    )
  })

export const show = (options: CommonOptions & { readonly id: number }): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* resolveCaller(options)
    const id = yield* decodeId(DashboardId, "Dashboard", options.id)
    const dashboard = yield* callAs(caller, (yield* Dashboards).read)(id)
    const widgets = yield* dataOf(caller, dashboard)
    yield* screen.print(
      options.json
        ? jsonLine({
            ...encodeDashboard(dashboard),
            widgets: widgets.map(({ data, widget }) => ({ ...encodeWidget(widget), data: encodeWidgetData(data) }))
          })
        : drawDashboard(dashboard, widgets, screen).join("\n")
    )
  }).pipe(withEngine(plainEngine(options), { existing: true }))
