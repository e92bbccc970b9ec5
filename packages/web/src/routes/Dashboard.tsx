import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { client, dataOf, type Dashboard, type Widget } from "../api/client.js"
import { dashboardDataQuery, dashboardQuery, type WidgetOutcome, wireFilter } from "../api/dashboards.js"
import { Empty, ErrorNotice, Loaded, Loading } from "../components/Feedback.js"
import { FilterBar } from "../components/FilterBar.js"
import { Icon } from "../components/Icon.js"
import { Popover } from "../components/Popover.js"
import { WidgetChart } from "../components/WidgetChart.js"
import { WidgetEditor } from "../components/WidgetEditor.js"
import { type Place, placesOf } from "../rules/charts.js"
import { describe, type FilterTree, readFilter, topConditions } from "../rules/filter.js"
import "../styles/dashboards.css"

const path = (id: number) => ({ path: { id } })

/** Moves of a widget on the grid, by keyboard or pointer. */
const MOVES: ReadonlyArray<readonly [name: string, move: (place: Place) => Place]> = [
  ["Left", (place) => ({ ...place, x: Math.max(0, place.x - 1) })],
  ["Right", (place) => ({ ...place, x: Math.min(12 - place.w, place.x + 1) })],
  ["Up", (place) => ({ ...place, y: Math.max(0, place.y - 1) })],
  ["Down", (place) => ({ ...place, y: place.y + 1 })],
  ["Wider", (place) => ({ ...place, w: Math.min(12 - place.x, place.w + 1) })],
  ["Narrower", (place) => ({ ...place, w: Math.max(2, place.w - 1) })],
  ["Taller", (place) => ({ ...place, h: Math.min(12, place.h + 1) })],
  ["Shorter", (place) => ({ ...place, h: Math.max(1, place.h - 1) })]
]

const EffectiveFilter = ({ widget }: { readonly widget: Widget }) => {
  const filter = readFilter(widget.effective_filters) ?? null
  return (
    <p className="effective muted plain" title="The calls that this widget shows">
      {filter === null ? "All calls" : topConditions(filter).map(describe).join(" · ")}
    </p>
  )
}

const WidgetCard = ({
  widget,
  place,
  outcome,
  onRefresh,
  onEdit
}: {
  readonly widget: Widget
  readonly place: Place
  /** Undefined while it is read. */
  readonly outcome: WidgetOutcome | undefined
  readonly onRefresh: () => void
  readonly onEdit: () => void
}) => {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const refresh = () => queries.invalidateQueries({ queryKey: ["dashboard", widget.dashboard] })
  const move = useMutation({
    mutationFn: (next: Place) => {
      const { metadata } = widget
      const kept = typeof metadata === "object" && metadata !== null && !Array.isArray(metadata) ? metadata : {}
      return dataOf(
        client.PATCH("/dashboards/widgets/{id}/", {
          params: path(widget.id),
          body: { metadata: { ...kept, layout: next } }
        })
      )
    },
    onSettled: refresh
  })
  const remove = useMutation({
    mutationFn: () => dataOf(client.DELETE("/dashboards/widgets/{id}/", { params: path(widget.id) })),
    onSettled: refresh
  })
  const title = widget.name === "" ? widget.field || "Calls" : widget.name
  return (
    <section
      className="card widget"
      aria-label={title}
      style={{
        gridColumn: `${place.x + 1} / span ${place.w}`,
        gridRow: `${place.y + 1} / span ${place.h}`
      }}
    >
      <header>
        <div className="grow">
          <h2 className="truncate plain">{title}</h2>
          <EffectiveFilter widget={widget} />
        </div>
        <Popover
          side="right"
          className="button quiet icon small"
          title={`Actions of ${title}`}
          label={<Icon name="more" />}
        >
          {(close) => (
            <>
              <button
                type="button"
                className="menu-item"
                onClick={() => {
                  close()
                  onEdit()
                }}
              >
                <Icon name="edit" /> Edit
              </button>
              <button
                type="button"
                className="menu-item"
                onClick={() => {
                  onRefresh()
                  close()
                }}
              >
                <Icon name="refresh" /> Refresh
              </button>
              <fieldset className="moves">
                <legend className="label">Place on the grid</legend>
                {MOVES.map(([name, change]) => (
                  <button
                    key={name}
                    type="button"
                    className="button small"
                    disabled={move.isPending}
                    onClick={() => {
                      move.mutate(change(place))
                    }}
                  >
                    {name}
                  </button>
                ))}
              </fieldset>
              <button
                type="button"
                className="menu-item button-danger"
                onClick={() => {
                  remove.mutate()
                }}
              >
                <Icon name="trash" /> Delete
              </button>
            </>
          )}
        </Popover>
      </header>
      <div className="body">
        {outcome === undefined ? (
          <Loading rows={4} />
        ) : "error" in outcome ? (
          <ErrorNotice error={outcome.error} onRetry={onRefresh} />
        ) : (
          <WidgetChart
            data={outcome.data}
            widget={widget}
            onOpen={(filter) => {
              void navigate({ to: "/calls", search: { filter: filter ?? undefined } })
            }}
          />
        )}
      </div>
    </section>
  )
}

/** A dashboard as JSON without ids, which another server takes. */
const exported = (dashboard: Dashboard): string =>
  JSON.stringify(
    {
      name: dashboard.name,
      filters: dashboard.filters,
      widgets: dashboard.widgets.map(
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

const download = (name: string, text: string): void => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

const View = ({ dashboard }: { readonly dashboard: Dashboard }) => {
  const queries = useQueryClient()
  const [editing, setEditing] = useState<Widget | "new">()
  const places = placesOf(dashboard.widgets)
  const data = useQuery(dashboardDataQuery(dashboard))
  const outcomeOf = (id: number): WidgetOutcome | undefined =>
    data.data?.get(id) ?? (data.error === null ? undefined : { error: data.error })
  const filter = readFilter(dashboard.filters) ?? null
  const save = useMutation({
    mutationFn: (filters: FilterTree) =>
      dataOf(
        client.PATCH("/dashboards/dashboards/{id}/", {
          params: path(dashboard.id),
          body: { filters: wireFilter(filters) }
        })
      ),
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ["dashboard", dashboard.id] })
      await queries.invalidateQueries({ queryKey: ["dashboard data", dashboard.id] })
    }
  })
  return (
    <>
      <div className="page-head">
        <Link to="/dashboards" className="button quiet icon" aria-label="Back to the dashboards">
          <Icon name="left" />
        </Link>
        <h1 className="truncate plain">{dashboard.name}</h1>
        <div className="end">
          <button
            type="button"
            className="button"
            onClick={() => {
              download(`dashboard-${dashboard.id}.json`, exported(dashboard))
            }}
          >
            <Icon name="download" /> Export
          </button>
          <button
            type="button"
            className="button primary"
            onClick={() => {
              setEditing("new")
            }}
          >
            <Icon name="plus" /> Widget
          </button>
        </div>
      </div>
      <FilterBar
        filter={filter}
        onChange={(next) => {
          save.mutate(next)
        }}
      />
      <div className="page">
        {save.error === null ? null : <ErrorNotice error={save.error} />}
        {dashboard.widgets.length === 0 ? (
          <Empty title="No widgets yet">
            <p>Add a widget to chart the calls that match the filter of this dashboard.</p>
          </Empty>
        ) : (
          <div className="grid">
            {dashboard.widgets.map((widget) => (
              <WidgetCard
                key={widget.id}
                widget={widget}
                place={places.get(widget.id) ?? { x: 0, y: 0, w: 6, h: 3 }}
                outcome={outcomeOf(widget.id)}
                onRefresh={() => void data.refetch()}
                onEdit={() => {
                  setEditing(widget)
                }}
              />
            ))}
          </div>
        )}
      </div>
      {editing === undefined ? null : (
        <WidgetEditor
          dashboard={dashboard}
          {...(editing === "new" ? {} : { widget: editing })}
          onClose={() => {
            setEditing(undefined)
          }}
        />
      )}
    </>
  )
}

export const DashboardPage = () => {
  const { id } = useParams({ from: "/app/dashboards/$id" })
  const dashboard = useQuery({ ...dashboardQuery(Number(id)), placeholderData: undefined })
  if (dashboard.data !== undefined) return <View dashboard={dashboard.data} />
  return (
    <>
      <div className="page-head">
        <h1>Dashboard</h1>
      </div>
      <div className="page">
        <Loaded of={dashboard}>{() => null}</Loaded>
      </div>
    </>
  )
}
