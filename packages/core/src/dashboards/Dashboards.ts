import * as Context from "effect/Context"
import type { NotFound } from "../access/AccessErrors.js"
import type { UseCase } from "../access/UseCase.js"
import type { ValidationFailed } from "../kernel/Faults.js"
import type { DashboardId } from "../kernel/Ids.js"
import type * as Pages from "../kernel/Pages.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { Dashboard } from "./Dashboard.js"

/** Dashboards of the caller's organisation. Inputs are what came from outside and are judged here. */
export class Dashboards extends Context.Tag("@earshot/core/dashboards/Dashboards")<
  Dashboards,
  {
    /** `{name, project, filters?}`. Source: interface, E5. */
    readonly create: UseCase<"dashboards.create", [input: unknown], Dashboard, ValidationFailed | StorageFault>
    /** `{cursor?, limit?, project?}`; newest first. */
    readonly list: UseCase<"dashboards.list", [query: unknown], Pages.Page<Dashboard>, ValidationFailed | StorageFault>
    readonly read: UseCase<"dashboards.read", [id: DashboardId], Dashboard, NotFound | StorageFault>
    /** `{name?, filters?}`; a dashboard stays in its project. */
    readonly update: UseCase<
      "dashboards.update",
      [id: DashboardId, input: unknown],
      Dashboard,
      ValidationFailed | NotFound | StorageFault
    >
    /** Deletes the dashboard with its widgets, for good. */
    readonly delete: UseCase<"dashboards.delete", [id: DashboardId], void, NotFound | StorageFault>
  }
>() {}
