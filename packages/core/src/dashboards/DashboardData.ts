import * as Schema from "effect/Schema"
import { WidgetData } from "../analytics/WidgetData.js"
import * as Fields from "../kernel/Fields.js"
import { DashboardId, WidgetId } from "../kernel/Ids.js"

/** The data of a widget of a dashboard. */
const DashboardWidgetData = Schema.Struct({ id: WidgetId, data: WidgetData }).annotations({
  identifier: "DashboardWidgetData"
})

/** The data of all widgets of a dashboard, of the calls as they were at one moment. */
export const DashboardData = Schema.Struct({
  dashboardId: Fields.named("dashboard", DashboardId),
  /** The time that relative times in filters refer to. */
  asOf: Fields.named("as_of", Schema.DateTimeUtc),
  /** Oldest first, as in the dashboard. */
  widgets: Schema.Array(DashboardWidgetData)
}).annotations({ identifier: "DashboardData" })
export type DashboardData = typeof DashboardData.Type

/** The JSON form of a dashboard's data. */
export const encodeDashboardData = Schema.encodeSync(DashboardData)
