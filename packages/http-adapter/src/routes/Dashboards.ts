import {
  Dashboard,
  DashboardData,
  DashboardDraft,
  DashboardId,
  DashboardPatch,
  DashboardQuery,
  Dashboards,
  encodeDashboard,
  encodeDashboardData,
  encodeWidget,
  encodeWidgetData,
  Widget,
  WidgetData,
  WidgetDraft,
  WidgetId,
  WidgetPatch,
  WidgetQuery,
  Widgets
} from "@earshot/core"
import * as Effect from "effect/Effect"
import { ANALYTICS_SOURCE_DESCRIPTION, withAnalyticsSource } from "../analyticsSource.js"
import { anyEncoding, type Endpoint, json, type NamedSchema } from "../Endpoint.js"
import { pathId, resource } from "./Resource.js"

const tag = "Dashboards"

/** E5 and related endpoints. */
export const dashboards: ReadonlyArray<Endpoint> = [
  ...resource({
    path: "/dashboards/dashboards/",
    tag,
    noun: "dashboard",
    name: "Dashboard",
    id: DashboardId,
    wire: Dashboard,
    encode: encodeDashboard,
    create: {
      operation: "dashboards.create",
      schema: DashboardDraft,
      encodings: anyEncoding,
      example: { name: "This week", project: 1, filters: { field: "timestamp", op: "gte", value: "today-7d" } },
      run: (body) => Effect.flatMap(Dashboards, (dashboards) => Effect.map(dashboards.create(body), encodeDashboard))
    },
    list: {
      operation: "dashboards.list",
      query: DashboardQuery,
      run: (query) => Effect.flatMap(Dashboards, (dashboards) => dashboards.list(query))
    },
    read: {
      operation: "dashboards.read",
      run: (id) => Effect.flatMap(Dashboards, (dashboards) => dashboards.read(id))
    },
    update: {
      operation: "dashboards.update",
      schema: DashboardPatch,
      encodings: anyEncoding,
      example: { name: "Last week" },
      run: (id, body) => Effect.flatMap(Dashboards, (dashboards) => dashboards.update(id, body))
    },
    delete: {
      operation: "dashboards.delete",
      description: "Also deletes its widgets.",
      run: (id) => Effect.flatMap(Dashboards, (dashboards) => dashboards.delete(id))
    }
  }),
  {
    method: "GET",
    path: "/dashboards/dashboards/:id/data/",
    id: "dashboards.data",
    operation: "dashboards.data",
    tag,
    summary: "Read the data of all widgets of a dashboard",
    description: `All charts are of the calls as they are at one moment. ${ANALYTICS_SOURCE_DESCRIPTION}`,
    errorStatuses: [422],
    responses: [
      {
        status: 200,
        description: "The current data of every widget.",
        body: { name: "DashboardData", schema: DashboardData }
      }
    ],
    handle: ({ params }) =>
      Effect.flatMap(pathId(DashboardId, params, "Dashboard"), (id) =>
        Effect.flatMap(Dashboards, (dashboards) =>
          withAnalyticsSource(Effect.map(dashboards.data(id), (shown) => json(200, encodeDashboardData(shown))))
        )
      )
  }
]

const data: NamedSchema = { name: "WidgetData", schema: WidgetData }

const draft = {
  dashboard: 1,
  name: "Calls per day",
  chart_type: "bar",
  field: "duration",
  aggregation_function: "count",
  time_period: "day"
}

/** E3 and related endpoints. */
export const widgets: ReadonlyArray<Endpoint> = [
  ...resource({
    path: "/dashboards/widgets/",
    tag,
    noun: "widget",
    name: "Widget",
    id: WidgetId,
    wire: Widget,
    encode: encodeWidget,
    create: {
      operation: "widgets.create",
      schema: WidgetDraft,
      encodings: anyEncoding,
      example: draft,
      run: (body) => Effect.flatMap(Widgets, (widgets) => Effect.map(widgets.create(body), encodeWidget))
    },
    list: {
      operation: "widgets.list",
      query: WidgetQuery,
      run: (query) => Effect.flatMap(Widgets, (widgets) => widgets.list(query))
    },
    read: { operation: "widgets.read", run: (id) => Effect.flatMap(Widgets, (widgets) => widgets.read(id)) },
    update: {
      operation: "widgets.update",
      description: "Omitted fields keep their values. The merged widget must satisfy the rules of its chart type.",
      schema: WidgetPatch,
      encodings: ["json"],
      example: { name: "Calls per hour", time_period: "hour" },
      run: (id, body) => Effect.flatMap(Widgets, (widgets) => widgets.update(id, body))
    },
    delete: { operation: "widgets.delete", run: (id) => Effect.flatMap(Widgets, (widgets) => widgets.delete(id)) }
  }),
  {
    method: "GET",
    path: "/dashboards/widgets/:id/data/",
    id: "widgets.data",
    operation: "widgets.data",
    tag,
    summary: "Read the data of a widget",
    description: ANALYTICS_SOURCE_DESCRIPTION,
    errorStatuses: [422],
    responses: [{ status: 200, description: "The current data of the widget.", body: data }],
    handle: ({ params }) =>
      Effect.flatMap(pathId(WidgetId, params, "Widget"), (id) =>
        Effect.flatMap(Widgets, (widgets) =>
          withAnalyticsSource(Effect.map(widgets.data(id), (shown) => json(200, encodeWidgetData(shown))))
        )
      )
  },
  {
    method: "POST",
    path: "/dashboards/widgets/preview_data/",
    id: "widgets.preview",
    operation: "widgets.preview",
    tag,
    summary: "Preview the data of a widget",
    description: `Computes the data of an unsaved widget. Nothing is stored. ${ANALYTICS_SOURCE_DESCRIPTION}`,
    errorStatuses: [422],
    body: { name: "WidgetDraft", schema: WidgetDraft, encodings: anyEncoding, example: draft },
    responses: [{ status: 200, description: "The current data of such a widget.", body: data }],
    handle: ({ body }) =>
      Effect.flatMap(Widgets, (widgets) =>
        withAnalyticsSource(Effect.map(widgets.preview(body), (shown) => json(200, encodeWidgetData(shown))))
      )
  }
]
