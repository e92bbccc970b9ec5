/** A dashboard as JSON without ids, which another project or server takes. */
import { type FilterTree, isGroup, readFilter } from "./filter.js"

/** A widget in a file: what a request creates it from, with its metric by name. */
export interface WidgetInFile {
  readonly name: string
  readonly chart_type: string
  readonly field: string
  readonly metric_name: string | null
  readonly data_type: string | null
  readonly aggregation_function: string | null
  readonly time_period: string | null
  readonly group_by: unknown
  readonly filters: FilterTree
  readonly metadata: unknown
}

export interface DashboardInFile {
  readonly name: string
  readonly filters: FilterTree
  readonly widgets: ReadonlyArray<WidgetInFile>
}

/** The text of a file. */
export const fileOf = ({
  filters,
  name,
  widgets
}: {
  readonly name: string
  readonly filters: unknown
  readonly widgets: ReadonlyArray<{ readonly [Key in keyof WidgetInFile]: unknown }>
}): string =>
  JSON.stringify(
    {
      name,
      filters,
      widgets: widgets.map(
        ({
          aggregation_function,
          chart_type,
          data_type,
          field,
          filters,
          group_by,
          metadata,
          metric_name,
          name,
          time_period
        }) => ({
          name,
          chart_type,
          field,
          metric_name,
          data_type,
          aggregation_function,
          time_period,
          group_by,
          filters,
          metadata
        })
      )
    },
    null,
    2
  )

/** The most widgets of a dashboard (docs/dashboards.md). */
const MAX_WIDGETS = 100

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const asText = (value: unknown): string => (typeof value === "string" ? value : "")
const asTextOrNull = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null)

/** What a file has, or what is wrong with it. Whether a widget follows the rules of its chart is checked by the server. */
export type ReadFile = { readonly dashboard: DashboardInFile } | { readonly error: string }

const widgetIn = (value: unknown): WidgetInFile | string => {
  if (!isRecord(value)) return "is not an object."
  const filters = readFilter(value.filters ?? null)
  if (filters === undefined) return "has filters that are not a filter."
  if (typeof value.chart_type !== "string") return "has no chart_type."
  return {
    name: asText(value.name),
    chart_type: value.chart_type,
    field: asText(value.field),
    metric_name: asTextOrNull(value.metric_name),
    data_type: asTextOrNull(value.data_type),
    aggregation_function: asTextOrNull(value.aggregation_function),
    time_period: asTextOrNull(value.time_period),
    group_by: value.group_by ?? null,
    filters,
    metadata: value.metadata ?? null
  }
}

export const readFile = (text: string): ReadFile => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return { error: "This is not JSON." }
  }
  if (!isRecord(value) || !Array.isArray(value.widgets)) {
    return { error: "This is not a dashboard: it has no list of widgets." }
  }
  const filters = readFilter(value.filters ?? null)
  if (filters === undefined) return { error: "The filters of the dashboard are not a filter." }
  if (value.widgets.length > MAX_WIDGETS) return { error: `A dashboard has at most ${MAX_WIDGETS} widgets.` }
  const widgets = value.widgets.map(widgetIn)
  const wrong = widgets.findIndex((widget) => typeof widget === "string")
  const reason = widgets[wrong]
  if (typeof reason === "string") return { error: `Widget ${wrong + 1} ${reason}` }
  return {
    dashboard: {
      name: asText(value.name),
      filters,
      widgets: widgets.filter((widget) => typeof widget !== "string")
    }
  }
}

/** Fields that hold ids of the server that a filter was made on. */
const ID_FIELDS = ["id", "agent.id", "metric_evaluations.metric.id"]

const idFieldsOf = (filter: FilterTree): ReadonlyArray<string> =>
  filter === null
    ? []
    : isGroup(filter)
      ? filter.conditions.flatMap(idFieldsOf)
      : ID_FIELDS.includes(filter.field)
        ? [filter.field]
        : []

/** The fields with ids in the filters of a dashboard, which mean nothing, or something else, in another place. */
export const fieldsWithIds = ({ filters, widgets }: DashboardInFile): ReadonlyArray<string> => [
  ...new Set([filters, ...widgets.map((widget) => widget.filters)].flatMap(idFieldsOf))
]
