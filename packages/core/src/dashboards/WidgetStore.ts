import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { Filter } from "../filters/Filter.js"
import type { DashboardId, ProjectId, WidgetId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { EvalType } from "../metrics/Metric.js"
import type { WidgetSpec } from "./WidgetSpec.js"

/** A widget with what it takes from its dashboard and its metric. */
export interface StoredWidget {
  readonly id: WidgetId
  readonly spec: WidgetSpec
  readonly projectId: ProjectId
  readonly dashboardFilter: Filter
  /** There also when the metric has been deleted since. */
  readonly metric: { readonly name: string; readonly evalType: EvalType } | null
  readonly createdAt: DateTime.Utc
  readonly updatedAt: DateTime.Utc
}

/** What storage promises about widgets. A permit's organisation bounds every answer; those of deleted projects are not there. */
export class WidgetStore extends Context.Tag("@earshot/core/dashboards/WidgetStore")<
  WidgetStore,
  {
    readonly insert: (
      permit: Permit<"dashboards:write">,
      spec: WidgetSpec,
      now: DateTime.Utc
    ) => Effect.Effect<WidgetId, StorageFault>
    readonly find: (permit: Permit, id: WidgetId) => Effect.Effect<Option.Option<StoredWidget>, StorageFault>
    /** As `find`, and nobody changes or deletes the widget until the transaction ends. */
    readonly hold: (permit: Permit, id: WidgetId) => Effect.Effect<Option.Option<StoredWidget>, StorageFault>
    /** All widgets of these dashboards, oldest first. */
    readonly ofDashboards: (
      permit: Permit,
      dashboards: ReadonlyArray<DashboardId>
    ) => Effect.Effect<ReadonlyArray<StoredWidget>, StorageFault>
    readonly count: (permit: Permit, dashboard: DashboardId) => Effect.Effect<number, StorageFault>
    /** Newest first, within the permit's reach; up to one more than the page holds (see `Pages.pageOf`). */
    readonly list: (
      permit: Permit<"dashboards:read">,
      page: PageRequest,
      /** Null for those of all dashboards. */
      dashboard: DashboardId | null
    ) => Effect.Effect<ReadonlyArray<StoredWidget>, StorageFault>
    readonly save: (
      permit: Permit<"dashboards:write">,
      id: WidgetId,
      spec: WidgetSpec,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageFault>
    readonly remove: (permit: Permit<"dashboards:delete">, id: WidgetId) => Effect.Effect<void, StorageFault>
  }
>() {}
