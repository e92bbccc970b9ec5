import type * as DateTime from "effect/DateTime"
import * as Schema from "effect/Schema"
import * as Fields from "../kernel/Fields.js"
import { DashboardId, ProjectId } from "../kernel/Ids.js"
import { FilterWire, GivenFilter, noFilter } from "./GivenFilter.js"
import { MAX_NAME, Widget } from "./Widget.js"

/** A page of charts about the calls of one project. Source: interface, Dashboard. */
export class Dashboard extends Schema.Class<Dashboard>("@earshot/core/dashboards/Dashboard")({
  id: DashboardId,
  name: Schema.String,
  projectId: Fields.named("project", ProjectId),
  /** As given by the client; applies to every widget. */
  filters: FilterWire,
  /** Oldest first. */
  widgets: Schema.Array(Widget),
  widgetCount: Fields.named("widget_count", Schema.Int),
  createdAt: Fields.named("created_at", Schema.DateTimeUtc),
  updatedAt: Fields.named("updated_at", Schema.DateTimeUtc)
}) {}

/** The JSON form of a dashboard. Source: interface, Dashboard. */
export const encodeDashboard = Schema.encodeSync(Dashboard)

/** The stored fields of a dashboard, without its widgets. */
export interface DashboardSpec {
  readonly projectId: ProjectId
  readonly name: string
  readonly filters: GivenFilter
}

export interface StoredDashboard {
  readonly id: DashboardId
  readonly spec: DashboardSpec
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** The body that creates a dashboard. Source: interface, E5. */
export const DashboardDraft = Fields.object({
  name: Fields.text({ max: MAX_NAME, blank: false }),
  project: Fields.id(ProjectId),
  filters: Fields.withDefault(GivenFilter, noFilter)
})

/** The body that updates a dashboard; omitted fields stay unchanged. */
export const DashboardPatch = Fields.object({
  name: Fields.optional(Fields.text({ max: MAX_NAME, blank: false })),
  project: Fields.optional(Fields.id(ProjectId)),
  filters: Fields.optional(GivenFilter)
})
