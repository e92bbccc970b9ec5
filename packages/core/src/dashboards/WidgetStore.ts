import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { DashboardId, WidgetId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { StoredWidget, WidgetSpec } from "./WidgetSpec.js"

/** Port: storage of widgets. Limited to the permit's organization; widgets of deleted projects are not found. */
export class WidgetStore extends Context.Tag("@earshot/core/dashboards/WidgetStore")<
  WidgetStore,
  {
    readonly insert: (
      permit: Permit<"dashboards:write">,
      spec: WidgetSpec,
      now: DateTime.Utc
    ) => Effect.Effect<WidgetId, StorageError>
    readonly find: (permit: Permit, id: WidgetId) => Effect.Effect<Option.Option<StoredWidget>, StorageError>
    /** As `find`, and locks the widget until the transaction ends (FOR UPDATE). */
    readonly findForUpdate: (permit: Permit, id: WidgetId) => Effect.Effect<Option.Option<StoredWidget>, StorageError>
    /** All widgets of these dashboards, oldest first. */
    readonly ofDashboards: (
      permit: Permit,
      dashboards: ReadonlyArray<DashboardId>
    ) => Effect.Effect<ReadonlyArray<StoredWidget>, StorageError>
    readonly count: (permit: Permit, dashboard: DashboardId) => Effect.Effect<number, StorageError>
    /** Newest first, within the permit's resource scope; a page ends early at `PageBytes`. */
    readonly list: (
      permit: Permit<"dashboards:read">,
      page: PageRequest,
      /** Null means all dashboards. */
      dashboard: DashboardId | null
    ) => Effect.Effect<Found<StoredWidget>, StorageError>
    readonly save: (
      permit: Permit<"dashboards:write">,
      id: WidgetId,
      spec: WidgetSpec,
      now: DateTime.Utc
    ) => Effect.Effect<void, StorageError>
    readonly remove: (permit: Permit<"dashboards:delete">, id: WidgetId) => Effect.Effect<void, StorageError>
  }
>() {}
