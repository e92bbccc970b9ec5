import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { DashboardId, WidgetId } from "../kernel/Ids.js"
import type { PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { StoredWidget, WidgetSpec } from "./WidgetSpec.js"

/** What storage promises about widgets. A permit's organisation bounds every answer; those of deleted projects are not there. */
export class WidgetStore extends Context.Tag("@earshot/core/dashboards/WidgetStore")<
  WidgetStore,
  {
    readonly insert: (
      permit: Permit<"dashboards:write">,
      spec: WidgetSpec,
      now: DateTime.Utc
    ) => Effect.Effect<WidgetId, StorageError>
    readonly find: (permit: Permit, id: WidgetId) => Effect.Effect<Option.Option<StoredWidget>, StorageError>
    /** As `find`, and nobody changes or deletes the widget until the transaction ends. */
    readonly findForUpdate: (permit: Permit, id: WidgetId) => Effect.Effect<Option.Option<StoredWidget>, StorageError>
    /** All widgets of these dashboards, oldest first. */
    readonly ofDashboards: (
      permit: Permit,
      dashboards: ReadonlyArray<DashboardId>
    ) => Effect.Effect<ReadonlyArray<StoredWidget>, StorageError>
    readonly count: (permit: Permit, dashboard: DashboardId) => Effect.Effect<number, StorageError>
    /** Newest first, within the permit's reach; up to one more than the page holds (see `Pages.pageOf`). */
    readonly list: (
      permit: Permit<"dashboards:read">,
      page: PageRequest,
      /** Null for those of all dashboards. */
      dashboard: DashboardId | null
    ) => Effect.Effect<ReadonlyArray<StoredWidget>, StorageError>
    readonly save: (
      permit: Permit<"dashboards:write">,
      id: WidgetId,
      spec: WidgetSpec,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    readonly remove: (permit: Permit<"dashboards:delete">, id: WidgetId) => Effect.Effect<void, StorageError>
  }
>() {}
