import * as Context from "effect/Context"
import type { NotFound } from "../access/AccessErrors.js"
import type { UseCase } from "../access/UseCase.js"
import type { WidgetData } from "../analytics/WidgetData.js"
import type { ValidationFailed } from "../kernel/Faults.js"
import type { WidgetId } from "../kernel/Ids.js"
import type * as Pages from "../kernel/Pages.js"
import type { StorageFault } from "../kernel/Storage.js"
import type { Widget } from "./Widget.js"

/** The charts of dashboards, and what they show. Inputs are what came from outside and are judged here. */
export class Widgets extends Context.Tag("@earshot/core/dashboards/Widgets")<
  Widgets,
  {
    /** The writable fields of a Widget; `dashboard` and `chart_type` are required. */
    readonly create: UseCase<"widgets.create", [input: unknown], Widget, ValidationFailed | StorageFault>
    /** `{cursor?, limit?, dashboard?}`; newest first. */
    readonly list: UseCase<"widgets.list", [query: unknown], Pages.Page<Widget>, ValidationFailed | StorageFault>
    readonly read: UseCase<"widgets.read", [id: WidgetId], Widget, NotFound | StorageFault>
    /** Any of the writable fields, laid over the widget; the whole is judged by the chart rules. Source: interface, E3. */
    readonly update: UseCase<
      "widgets.update",
      [id: WidgetId, input: unknown],
      Widget,
      ValidationFailed | NotFound | StorageFault
    >
    readonly delete: UseCase<"widgets.delete", [id: WidgetId], void, NotFound | StorageFault>
    /** What the widget shows at this moment. */
    readonly data: UseCase<"widgets.data", [id: WidgetId], WidgetData, NotFound | StorageFault>
    /** What a widget of this input (as for `create`) would show; nothing is kept. */
    readonly preview: UseCase<"widgets.preview", [input: unknown], WidgetData, ValidationFailed | StorageFault>
  }
>() {}
