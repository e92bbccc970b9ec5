/** Every field of a widget, with a live preview, and the rules' messages at their fields. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useDeferredValue, useState } from "react"
import { client, dataOf, type Dashboard, type Schemas, type Widget } from "../api/client.js"
import { wireFilter } from "../api/dashboards.js"
import { fieldMessages } from "../rules/fieldErrors.js"
import { FIELDS, type FilterTree, readFilter } from "../rules/filter.js"
import { Dialog } from "./Dialog.js"
import { FilterBar } from "./FilterBar.js"
import { entities, FormError, named, Select, TextField } from "./Form.js"
import { WidgetChart } from "./WidgetChart.js"

type Draft = Schemas["WidgetDraft"]

const CHARTS = ["bar", "line", "pie", "stat"] as const
const PERIODS = ["hour", "day", "week", "month"] as const
const FUNCTIONS = ["count", "sum", "avg", "min", "max", "p50", "p95", "p99"] as const
const DATA_TYPES = ["numeric", "boolean", "string", "datetime", "dynamic"] as const

const draftOf = (dashboard: Dashboard, widget: Widget | undefined): Draft =>
  widget === undefined
    ? {
        dashboard: dashboard.id,
        chart_type: "bar",
        name: "",
        field: "duration",
        aggregation_function: "count",
        time_period: "day"
      }
    : {
        dashboard: dashboard.id,
        chart_type: widget.chart_type,
        name: widget.name,
        field: widget.field,
        metric: widget.metric,
        data_type: widget.data_type,
        time_period: widget.time_period,
        aggregation_function: widget.aggregation_function,
        group_by: widget.group_by,
        filters: widget.filters
      }

/** What a chart type does not take is left out (chart rules of the interface). */
const withChart = (draft: Draft, chart_type: Draft["chart_type"]): Draft => ({
  ...draft,
  chart_type,
  ...(chart_type === "bar"
    ? {
        aggregation_function: draft.aggregation_function ?? "count",
        time_period: draft.time_period ?? "day"
      }
    : { aggregation_function: null, time_period: null }),
  ...(chart_type === "stat" ? { field: "", metric: null, data_type: null, group_by: null } : {}),
  ...(chart_type !== "stat" && (draft.field ?? "") === "" ? { field: "duration" } : {})
})

/** A grouping that a draft can have. */
type Grouping =
  { readonly type: "field"; readonly field: string } | { readonly type: "bucket"; readonly interval: number }

const groupingOf = ({ group_by }: Draft): Grouping | null =>
  group_by === null || group_by === undefined
    ? null
    : "field" in group_by
      ? { type: "field", field: group_by.field }
      : "interval" in group_by
        ? { type: "bucket", interval: group_by.interval }
        : null

const MINUTE = 60_000

const GROUPINGS = [
  ["field", "By a field"],
  ["bucket", "By an interval of time"]
] as const

const newGrouping = (type: Grouping["type"] | null): Grouping | null =>
  type === null ? null : type === "field" ? { type, field: "call_ended_reason" } : { type, interval: 60 * MINUTE }

/** The fields of a chart over calls, which numbers at a glance do not take. */
const ChartFields = ({
  draft,
  project,
  at,
  set
}: {
  readonly draft: Draft
  readonly project: number
  readonly at: (field: string) => string | undefined
  readonly set: (change: Partial<Draft>) => void
}) => {
  const metrics = useQuery({
    queryKey: ["metrics", project],
    queryFn: async ({ signal }) =>
      (await dataOf(client.GET("/test_framework/v1/metrics/", { params: { query: { limit: 200 } }, signal }))).results
  })
  const grouping = groupingOf(draft)
  const isBar = draft.chart_type === "bar"
  return (
    <>
      <datalist id="widget-fields">
        {Object.keys(FIELDS).map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
      <TextField
        name="Field"
        error={at("field")}
        list="widget-fields"
        value={draft.field ?? ""}
        onChange={(field) => {
          set({ field, ...(field === "metric_evaluations.value" ? {} : { metric: null }) })
        }}
      />
      {draft.field === "metric_evaluations.value" ? (
        <Select
          name="Metric"
          error={at("metric")}
          value={draft.metric}
          none="Choose a metric"
          options={entities(metrics.data)}
          onChange={(metric) => {
            set({ metric })
          }}
        />
      ) : null}
      {isBar ? (
        <>
          <Select
            name="Function"
            error={at("aggregation_function")}
            value={draft.aggregation_function}
            options={named(FUNCTIONS)}
            onChange={(aggregation_function) => {
              set({ aggregation_function })
            }}
          />
          <Select
            name="Period"
            error={at("time_period")}
            value={draft.time_period}
            options={named(PERIODS)}
            onChange={(time_period) => {
              set({ time_period })
            }}
          />
        </>
      ) : null}
      <Select
        name="Grouping"
        error={grouping === null ? at("group_by") : undefined}
        value={grouping?.type}
        none="None"
        options={GROUPINGS}
        onChange={(type) => {
          set({ group_by: newGrouping(type) })
        }}
      />
      {grouping?.type === "field" ? (
        <TextField
          name="Group by"
          error={at("group_by")}
          list="widget-fields"
          value={grouping.field}
          onChange={(field) => {
            set({ group_by: { type: "field", field } })
          }}
        />
      ) : null}
      {grouping?.type === "bucket" ? (
        <TextField
          name="Interval in minutes"
          type="number"
          error={at("group_by")}
          value={String(grouping.interval / MINUTE)}
          onChange={(minutes) => {
            set({ group_by: { type: "bucket", interval: Math.round(Number(minutes) * MINUTE) } })
          }}
        />
      ) : null}
      <Select
        name="Data type"
        error={at("data_type")}
        value={draft.data_type}
        options={named(DATA_TYPES)}
        none="by the field"
        onChange={(data_type) => {
          set({ data_type })
        }}
      />
    </>
  )
}

const usePreview = (draft: Draft) => {
  const deferred = useDeferredValue(draft)
  return useQuery({
    queryKey: ["preview", deferred],
    queryFn: ({ signal }) => dataOf(client.POST("/dashboards/widgets/preview_data/", { body: deferred, signal })),
    retry: false
  })
}

const PLACES = [
  "name",
  "chart_type",
  "field",
  "metric",
  "time_period",
  "aggregation_function",
  "group_by",
  "data_type",
  "filters"
]

export const WidgetEditor = ({
  dashboard,
  widget,
  onClose
}: {
  readonly dashboard: Dashboard
  readonly widget?: Widget
  readonly onClose: () => void
}) => {
  const queries = useQueryClient()
  const [draft, setDraft] = useState(() => draftOf(dashboard, widget))
  const set = (change: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...change }))
  }
  const preview = usePreview(draft)
  const save = useMutation({
    mutationFn: () =>
      widget === undefined
        ? dataOf(client.POST("/dashboards/widgets/", { body: draft }))
        : dataOf(client.PATCH("/dashboards/widgets/{id}/", { params: { path: { id: widget.id } }, body: draft })),
    onSuccess: async (saved) => {
      onClose()
      await queries.invalidateQueries({ queryKey: ["dashboard", dashboard.id] })
      if ("id" in saved) await queries.invalidateQueries({ queryKey: ["dashboard data", saved.dashboard] })
    }
  })
  const error = save.error ?? preview.error
  const at = (field: string) => fieldMessages(error, field)
  const filter: FilterTree = readFilter(draft.filters ?? null) ?? null
  return (
    <Dialog title={widget === undefined ? "New widget" : "Edit widget"} onClose={onClose}>
      <div className="form-grid">
        <TextField
          name="Name"
          error={at("name")}
          value={draft.name ?? ""}
          maxLength={255}
          onChange={(name) => {
            set({ name })
          }}
        />
        <Select
          name="Chart"
          error={at("chart_type")}
          value={draft.chart_type}
          options={named(CHARTS)}
          onChange={(chart) => {
            setDraft(withChart(draft, chart ?? "bar"))
          }}
        />
        {draft.chart_type === "stat" ? null : (
          <ChartFields draft={draft} at={at} set={set} project={dashboard.project} />
        )}
      </div>
      <div className="field">
        <span className="label">Filter</span>
        <div className="inline-filter">
          <FilterBar
            filter={filter}
            onChange={(next) => {
              set({ filters: wireFilter(next) })
            }}
          />
        </div>
        {at("filters") === undefined ? null : <span className="field-error">{at("filters")}</span>}
      </div>
      <section className="preview" aria-label="Preview" aria-busy={preview.isFetching}>
        {preview.data === undefined || preview.error !== null ? (
          <p className="muted">{preview.error === null ? "Loading…" : "The preview needs a valid widget."}</p>
        ) : (
          <WidgetChart
            data={preview.data}
            widget={{
              name: draft.name ?? "",
              metric: draft.metric ?? null,
              group_by: groupingOf(draft),
              effective_filters: null
            }}
          />
        )}
      </section>
      <FormError error={error} fields={PLACES} />
      <footer>
        <button type="button" className="button quiet" onClick={onClose}>
          Cancel
        </button>
        <button
          type="button"
          className="button primary"
          disabled={save.isPending}
          onClick={() => {
            save.mutate()
          }}
        >
          Save
        </button>
      </footer>
    </Dialog>
  )
}
