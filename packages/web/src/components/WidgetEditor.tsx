/** Every field of a widget, with a live preview, and the rules' messages at their fields. */
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { type ReactNode, useDeferredValue, useState } from "react"
import { client, dataOf, type Dashboard, EarshotError, type Schemas, type Widget } from "../api/client.js"
import { wireFilter } from "../api/dashboards.js"
import { FIELDS, type FilterTree, readFilter } from "../rules/filter.js"
import { Dialog } from "./Dialog.js"
import { fieldMessages, messageOf } from "./Feedback.js"
import { FilterBar } from "./FilterBar.js"
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

const Field = ({
  name,
  error,
  children
}: {
  readonly name: string
  readonly error: string | undefined
  readonly children: ReactNode
}) => (
  <div className="field">
    <label className="field">
      <span className="label">{name}</span>
      {children}
    </label>
    {error === undefined ? null : (
      <span className="field-error" role="alert">
        {error}
      </span>
    )}
  </div>
)

const Choice = <A extends string>({
  value,
  options,
  none,
  onChange
}: {
  readonly value: string | null | undefined
  readonly options: ReadonlyArray<A>
  readonly none?: string
  readonly onChange: (value: A | null) => void
}) => (
  <select
    className="input"
    value={value ?? ""}
    onChange={(event) => {
      onChange(options.find((one) => one === event.target.value) ?? null)
    }}
  >
    {none === undefined ? null : <option value="">{none}</option>}
    {options.map((one) => (
      <option key={one} value={one}>
        {one}
      </option>
    ))}
  </select>
)

const groupFieldOf = ({ group_by }: Draft): string =>
  group_by !== null && group_by !== undefined && "field" in group_by ? group_by.field : ""

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
  const groupField = groupFieldOf(draft)
  const isBar = draft.chart_type === "bar"
  return (
    <>
      <datalist id="widget-fields">
        {Object.keys(FIELDS).map((field) => (
          <option key={field} value={field} />
        ))}
      </datalist>
      <Field name="Field" error={at("field")}>
        <input
          className="input"
          list="widget-fields"
          value={draft.field ?? ""}
          onChange={(event) => {
            const field = event.target.value
            set({ field, ...(field === "metric_evaluations.value" ? {} : { metric: null }) })
          }}
        />
      </Field>
      {draft.field === "metric_evaluations.value" ? (
        <Field name="Metric" error={at("metric")}>
          <select
            className="input"
            value={draft.metric ?? ""}
            onChange={(event) => {
              set({ metric: event.target.value === "" ? null : Number(event.target.value) })
            }}
          >
            <option value="">Choose a metric</option>
            {metrics.data?.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </Field>
      ) : null}
      {isBar ? (
        <>
          <Field name="Function" error={at("aggregation_function")}>
            <Choice
              value={draft.aggregation_function}
              options={FUNCTIONS}
              onChange={(value) => {
                set({ aggregation_function: value })
              }}
            />
          </Field>
          <Field name="Period" error={at("time_period")}>
            <Choice
              value={draft.time_period}
              options={PERIODS}
              onChange={(value) => {
                set({ time_period: value })
              }}
            />
          </Field>
        </>
      ) : null}
      <Field name="Group by" error={at("group_by")}>
        <input
          className="input"
          list="widget-fields"
          value={groupField}
          placeholder="no grouping"
          onChange={(event) => {
            const field = event.target.value
            set({ group_by: field === "" ? null : { type: "field", field } })
          }}
        />
      </Field>
      <Field name="Data type" error={at("data_type")}>
        <Choice
          value={draft.data_type}
          options={DATA_TYPES}
          none="by the field"
          onChange={(value) => {
            set({ data_type: value })
          }}
        />
      </Field>
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
  "dashboard",
  "chart_type",
  "field",
  "metric",
  "time_period",
  "aggregation_function",
  "group_by",
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
      if ("id" in saved) await queries.invalidateQueries({ queryKey: ["widget data", saved.id] })
    }
  })
  const error = save.error ?? preview.error
  const at = (field: string) => fieldMessages(error, field)
  const filter: FilterTree = readFilter(draft.filters ?? null) ?? null
  const isPlaced = error instanceof EarshotError && Object.keys(error.errors).some((field) => PLACES.includes(field))
  const groupField = groupFieldOf(draft)
  return (
    <Dialog title={widget === undefined ? "New widget" : "Edit widget"} onClose={onClose}>
      <div className="form-grid">
        <Field name="Name" error={at("name")}>
          <input
            className="input"
            value={draft.name ?? ""}
            maxLength={255}
            onChange={(event) => {
              set({ name: event.target.value })
            }}
          />
        </Field>
        <Field name="Chart" error={at("chart_type")}>
          <Choice
            value={draft.chart_type}
            options={CHARTS}
            onChange={(chart) => {
              setDraft(withChart(draft, chart ?? "bar"))
            }}
          />
        </Field>
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
              field: draft.field ?? "",
              group_by: groupField === "" ? null : { type: "field", field: groupField },
              effective_filters: null
            }}
            onOpen={() => undefined}
          />
        )}
      </section>
      {error !== null && !isPlaced ? (
        <p className="field-error plain" role="alert">
          {messageOf(error)}
        </p>
      ) : null}
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
