import * as Context from "effect/Context"
import type * as DateTime from "effect/DateTime"
import type * as Effect from "effect/Effect"
import type * as Option from "effect/Option"
import type { Permit } from "../access/Permit.js"
import type { DashboardId, ProjectId } from "../kernel/Ids.js"
import type { Found, PageRequest } from "../kernel/Pages.js"
import type { StorageError } from "../kernel/Storage.js"
import type { DashboardSpec, StoredDashboard } from "./Dashboard.js"

/** Port: storage of dashboards. Limited to the permit's organization; dashboards of deleted projects are not found. */
export class DashboardStore extends Context.Tag("@earshot/core/dashboards/DashboardStore")<
  DashboardStore,
  {
    readonly insert: (
      permit: Permit<"dashboards:write">,
      spec: DashboardSpec,
      now: DateTime.Utc
    ) => Effect.Effect<StoredDashboard, StorageError>
    readonly find: (permit: Permit, id: DashboardId) => Effect.Effect<Option.Option<StoredDashboard>, StorageError>
    /** As `find`, and locks the dashboard until the transaction ends (FOR UPDATE). */
    readonly findForUpdate: (
      permit: Permit,
      id: DashboardId
    ) => Effect.Effect<Option.Option<StoredDashboard>, StorageError>
    /** Newest first, within the permit's resource scope; a page ends early at `PageBytes`. */
    readonly list: (
      permit: Permit<"dashboards:read">,
      page: PageRequest,
      /** Null means all projects. */
      project: ProjectId | null
    ) => Effect.Effect<Found<StoredDashboard>, StorageError>
    /** Saves name and filters. */
    readonly save: (permit: Permit<"dashboards:write">, dashboard: StoredDashboard) => Effect.Effect<void, StorageError>
    /** Deletes the dashboard and its widgets. */
    readonly remove: (permit: Permit<"dashboards:delete">, id: DashboardId) => Effect.Effect<void, StorageError>
  }
>() {}
