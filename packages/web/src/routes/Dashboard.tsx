import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { Link, useNavigate, useParams } from "@tanstack/react-router"
import { useState } from "react"
import { client, dataOf, type Dashboard, type Widget } from "../api/client.js"
import { dashboardDataQuery, dashboardQuery, type WidgetOutcome, wireFilter } from "../api/dashboards.js"
import { Empty, ErrorNotice, Loaded } from "../components/Feedback.js"
import { FilterBar } from "../components/FilterBar.js"
import { Icon } from "../components/Icon.js"
import { useMay } from "../components/permission.js"
import { Popover } from "../components/Popover.js"
import { ShareDialog } from "../components/ShareDialog.js"
import { WidgetEditor } from "../components/WidgetEditor.js"
import { titleOf, WidgetGrid } from "../components/WidgetGrid.js"
import { isSamePlace, moved, type Place, placeIn, resized, withPlace } from "../rules/charts.js"
import { fileOf } from "../rules/dashboardFile.js"
import { type FilterTree, readFilter } from "../rules/filter.js"
import "../styles/dashboards.css"

const path = (id: number) => ({ path: { id } })

/** Moves of a widget on the grid, as a menu has them. */
const MOVES = [
  ["Left", moved, -1, 0],
  ["Right", moved, 1, 0],
  ["Up", moved, 0, -1],
  ["Down", moved, 0, 1],
  ["Wider", resized, 1, 0],
  ["Narrower", resized, -1, 0],
  ["Taller", resized, 0, 1],
  ["Shorter", resized, 0, -1]
] as const

type Put = (change: (typeof MOVES)[number][1], columns: number, rows: number) => void

const WidgetActions = ({
  widget,
  put,
  onRefresh,
  onEdit
}: {
  readonly widget: Widget
  readonly put: Put
  readonly onRefresh: () => void
  readonly onEdit: () => void
}) => {
  const queries = useQueryClient()
  const remove = useMutation({
    mutationFn: () => dataOf(client.DELETE("/dashboards/widgets/{id}/", { params: path(widget.id) })),
    onSettled: () => queries.invalidateQueries({ queryKey: ["dashboard", widget.dashboard] })
  })
  return (
    <Popover
      side="right"
      className="button quiet icon small"
      title={`Actions of ${titleOf(widget)}`}
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
            {MOVES.map(([name, change, columns, rows]) => (
              <button
                key={name}
                type="button"
                className="button small"
                onClick={() => {
                  put(change, columns, rows)
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
          {remove.error === null ? null : <ErrorNotice error={remove.error} />}
        </>
      )}
    </Popover>
  )
}

/** Stores places of widgets in their metadata, one after the other. What is shown does not wait for it. */
const usePlacing = (dashboard: Dashboard) => {
  const queries = useQueryClient()
  const { queryKey } = dashboardQuery(dashboard.id)
  const mutationKey = ["places", dashboard.id]
  const save = useMutation({
    mutationKey,
    // Moves in a row are stored in their order.
    scope: { id: `places of ${dashboard.id}` },
    mutationFn: async (widgets: ReadonlyArray<Widget>) => {
      for (const { id, metadata } of widgets) {
        await dataOf(client.PATCH("/dashboards/widgets/{id}/", { params: path(id), body: { metadata } }))
      }
    },
    onSettled: () =>
      queries.isMutating({ mutationKey }) === 1 ? queries.invalidateQueries({ queryKey }) : Promise.resolve()
  })
  return {
    error: save.error,
    place: (places: ReadonlyMap<number, Place>) => {
      const changed: Array<Widget> = []
      const current = queries.getQueryData(queryKey) ?? dashboard
      const widgets = current.widgets.map((widget): Widget => {
        const place = places.get(widget.id)
        if (place === undefined || isSamePlace(placeIn(widget.metadata), place)) return widget
        const next = { ...widget, metadata: withPlace(widget.metadata, place) }
        changed.push(next)
        return next
      })
      void queries.cancelQueries({ queryKey })
      queries.setQueryData(queryKey, { ...current, widgets })
      save.mutate(changed)
    }
  }
}

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
  const [isSharing, setSharing] = useState(false)
  const navigate = useNavigate()
  const placing = usePlacing(dashboard)
  const mayShare = useMay("keys:manage")
  const mayEdit = useMay("dashboards:write")
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
              download(`dashboard-${dashboard.id}.json`, fileOf(dashboard))
            }}
          >
            <Icon name="download" /> Export
          </button>
          {mayShare ? (
            <button
              type="button"
              className="button"
              onClick={() => {
                setSharing(true)
              }}
            >
              <Icon name="share" /> Share
            </button>
          ) : null}
          {mayEdit ? (
            <button
              type="button"
              className="button primary"
              onClick={() => {
                setEditing("new")
              }}
            >
              <Icon name="plus" /> Widget
            </button>
          ) : null}
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
        {placing.error === null ? null : <ErrorNotice error={placing.error} />}
        {dashboard.widgets.length === 0 ? (
          <Empty title="No widgets yet">
            <p>Add a widget to chart the calls that match the filter of this dashboard.</p>
          </Empty>
        ) : (
          <WidgetGrid
            widgets={dashboard.widgets}
            outcomeOf={outcomeOf}
            onRefresh={() => void data.refetch()}
            onOpen={(calls) => {
              void navigate({ to: "/calls", search: { filter: calls ?? undefined } })
            }}
            {...(mayEdit
              ? {
                  onPlace: placing.place,
                  actions: (widget: Widget, put: Put) => (
                    <WidgetActions
                      widget={widget}
                      put={put}
                      onRefresh={() => void data.refetch()}
                      onEdit={() => {
                        setEditing(widget)
                      }}
                    />
                  )
                }
              : {})}
          />
        )}
      </div>
      {isSharing ? (
        <ShareDialog
          dashboard={dashboard}
          onClose={() => {
            setSharing(false)
          }}
        />
      ) : null}
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
