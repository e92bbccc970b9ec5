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
import * as Option from "effect/Option"
import { drawDashboard } from "../charts/DrawDashboard.js"
import { type PageOptions, pageQuery, printPage } from "../Listing.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { type Caller, calling, findCaller, idOf, withEngine } from "../Session.js"
import { type CallerOptions, plainEngine } from "../Settings.js"
import { printJson } from "../Text.js"

interface Common extends CallerOptions {
  readonly database: string
  readonly json: boolean
}

export const list = (options: Common & PageOptions & { readonly project: Option.Option<number> }): Running =>
  Effect.gen(function* () {
    const caller = yield* findCaller(options)
    const page = yield* calling(
      caller,
      (yield* Dashboards).list
    )({
      ...pageQuery(options),
      ...Option.match(options.project, { onNone: () => ({}), onSome: (project) => ({ project }) })
    })
    yield* printPage(page, {
      json: options.json,
      encode: encodeDashboard,
      none: "There are no dashboards.",
      columns: [
        { name: "ID", of: (dashboard) => String(dashboard.id), right: true },
        { name: "NAME", of: (dashboard) => dashboard.name, least: 16 },
        { name: "PROJECT", of: (dashboard) => String(dashboard.projectId), right: true },
        { name: "WIDGETS", of: (dashboard) => String(dashboard.widgetCount), right: true },
        { name: "UPDATED", of: (dashboard) => DateTime.formatIso(dashboard.updatedAt).slice(0, 16).replace("T", " ") }
      ]
    })
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))

/** The data of every widget of a dashboard. */
export const dataOf = (caller: Caller, dashboard: Dashboard) =>
  Effect.gen(function* () {
    const read = calling(caller, (yield* Widgets).data)
    return yield* Effect.forEach(
      dashboard.widgets,
      (widget) => Effect.map(read(widget.id), (data) => ({ widget, data })),
      { concurrency: 4 }
    )
  })

export const show = (options: Common & { readonly id: number }): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const caller = yield* findCaller(options)
    const id = yield* idOf(DashboardId, "Dashboard", options.id)
    const dashboard = yield* calling(caller, (yield* Dashboards).read)(id)
    const widgets = yield* dataOf(caller, dashboard)
    yield* screen.print(
      options.json
        ? printJson({
            ...encodeDashboard(dashboard),
            widgets: widgets.map(({ data, widget }) => ({ ...encodeWidget(widget), data: encodeWidgetData(data) }))
          })
        : drawDashboard(dashboard, widgets, screen).join("\n")
    )
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))
