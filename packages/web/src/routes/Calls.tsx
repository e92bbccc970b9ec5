import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query"
import { useNavigate, useSearch } from "@tanstack/react-router"
import { useCallback, useMemo, useState } from "react"
import {
  agentsQuery,
  callsQuery,
  type CallSelection,
  evaluateCall,
  csvPath,
  exportPath,
  metricNamesQuery,
  newestQuery,
  type Review,
  reviewCall
} from "../api/calls.js"
import { basePath } from "../api/client.js"
import { sessionQuery } from "../api/session.js"
import { CallTable, COLUMNS, DEFAULT_COLUMNS, metricColumn } from "../components/CallTable.js"
import { Empty, ErrorNotice, Loading, messageOf } from "../components/Feedback.js"
import { Facets } from "../components/Facets.js"
import { FilterBar } from "../components/FilterBar.js"
import { Icon } from "../components/Icon.js"
import { Popover } from "../components/Popover.js"
import { SavedViews } from "../components/SavedViews.js"
import { useStored } from "../components/stored.js"
import type { FilterTree } from "../rules/filter.js"
import { number } from "../rules/format.js"
import "../styles/calls.css"

const NO_NAMES: ReadonlyArray<string> = []

const readFlag = (value: unknown): boolean | undefined => (typeof value === "boolean" ? value : undefined)

const readColumns = (value: unknown): ReadonlyArray<string> | undefined =>
  Array.isArray(value) && value.length > 0 && value.every((one) => typeof one === "string") ? value : undefined

/** Runs an action for each, a few at a time, and counts those that failed. */
const forEach = async (ids: ReadonlyArray<number>, action: (id: number) => Promise<unknown>) => {
  const waiting = [...ids]
  let failure: unknown
  let failed = 0
  const work = async () => {
    for (let id = waiting.pop(); id !== undefined; id = waiting.pop()) {
      try {
        await action(id)
      } catch (error) {
        failure = error
        failed++
      }
    }
  }
  await Promise.all(Array.from({ length: 4 }, work))
  if (failed > 0) throw new Error(`${failed} of ${ids.length} failed: ${messageOf(failure)}`)
}

const BulkBar = ({ selected, onDone }: { readonly selected: ReadonlySet<number>; readonly onDone: () => void }) => {
  const queries = useQueryClient()
  const bulk = useMutation({
    mutationFn: (action: (id: number) => Promise<unknown>) => forEach([...selected], action),
    onSuccess: onDone,
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: ["calls"] })
      await queries.invalidateQueries({ queryKey: ["facets"] })
    }
  })
  const review = (given: Review) => () => {
    bulk.mutate((id) => reviewCall(id, { is_reviewed: true, ...given }))
  }
  return (
    <div className="bulk-bar" role="region" aria-label="Selected calls">
      <strong>{number(selected.size)} selected</strong>
      <button type="button" className="button small" disabled={bulk.isPending} onClick={review({ success: true })}>
        Mark success
      </button>
      <button type="button" className="button small" disabled={bulk.isPending} onClick={review({ success: false })}>
        Mark failure
      </button>
      <button
        type="button"
        className="button small"
        disabled={bulk.isPending}
        onClick={() => {
          bulk.mutate(evaluateCall)
        }}
      >
        Evaluate
      </button>
      <button type="button" className="button quiet small" onClick={onDone}>
        Clear
      </button>
      {bulk.isPending ? <span role="status">Working…</span> : null}
      {bulk.error === null ? null : (
        <span className="field-error" role="alert">
          {bulk.error.message}
        </span>
      )}
    </div>
  )
}

const NewCalls = ({
  selection,
  first,
  onShow
}: {
  readonly selection: CallSelection
  readonly first: number | undefined
  readonly onShow: () => void
}) => {
  const { data } = useQuery(newestQuery(selection))
  const isNew = data !== undefined && data !== null && first !== undefined && data > first
  return (
    <span role="status">
      {isNew ? (
        <button type="button" className="button small new-calls" onClick={onShow}>
          <span className="live" /> New calls
        </button>
      ) : (
        <span className="muted row" title="The list checks for new calls every ten seconds.">
          <span className="live idle" /> Live
        </span>
      )}
    </span>
  )
}

const ColumnChooser = ({
  shown,
  metrics,
  onChange
}: {
  readonly shown: ReadonlyArray<string>
  readonly metrics: ReadonlyArray<string>
  readonly onChange: (ids: ReadonlyArray<string>) => void
}) => {
  const all = [
    ...COLUMNS.map(({ id, name }) => ({ id, name })),
    ...metrics.map((name) => ({ id: `metric:${name}`, name }))
  ]
  return (
    <Popover
      side="right"
      label={
        <>
          <Icon name="columns" /> Columns
        </>
      }
    >
      {() => (
        <fieldset>
          <legend className="sr-only">Columns</legend>
          {all.map(({ id, name }) => (
            <label key={id} className="check">
              <input
                type="checkbox"
                checked={shown.includes(id)}
                disabled={id === "call"}
                onChange={() => {
                  const next = shown.includes(id) ? shown.filter((one) => one !== id) : [...shown, id]
                  onChange(all.map((one) => one.id).filter((one) => next.includes(one)))
                }}
              />
              <span className="plain">{name}</span>
            </label>
          ))}
        </fieldset>
      )}
    </Popover>
  )
}

/** Downloads of every call that matches, not of those alone that have been loaded. */
const Export = ({
  selection,
  columns
}: {
  readonly selection: CallSelection
  readonly columns: ReadonlyArray<string>
}) => (
  <Popover
    side="right"
    label={
      <>
        <Icon name="download" /> Export
      </>
    }
  >
    {(close) => (
      <>
        <p className="muted small pad-small">All calls that match</p>
        <a
          className="menu-item"
          href={`${basePath}${csvPath(selection, columns)}`}
          download="calls.csv"
          onClick={close}
        >
          CSV with these columns
        </a>
        <a className="menu-item" href={`${basePath}${exportPath(selection)}`} download="calls.ndjson" onClick={close}>
          NDJSON with transcripts
        </a>
      </>
    )}
  </Popover>
)

export const Calls = () => {
  const session = useQuery(sessionQuery)
  const search = useSearch({ from: "/app/calls" })
  const navigate = useNavigate({ from: "/calls" })
  const queries = useQueryClient()
  const selection: CallSelection = search
  const pages = useInfiniteQuery(callsQuery(selection))
  const agents = useQuery(agentsQuery)
  const [selected, setSelected] = useState<ReadonlySet<number>>(new Set())
  const [columns, setColumns] = useStored("earshot.columns", DEFAULT_COLUMNS, readColumns)

  const calls = useMemo(() => pages.data?.pages.flatMap(({ results }) => results) ?? [], [pages.data])
  const { data: named = NO_NAMES } = useQuery(metricNamesQuery)
  // Without permission to list metrics, those of the calls that are shown.
  const metrics = useMemo(
    () =>
      [
        ...new Set([...named, ...calls.slice(0, 300).flatMap((call) => call.metrics.map(({ name }) => name))])
      ].toSorted(),
    [calls, named]
  )
  const [hasFacets, setFacets] = useStored("earshot.facets", false, readFlag)
  const shown = useMemo(
    () =>
      columns.flatMap((id) => {
        const column = id.startsWith("metric:") ? metricColumn(id.slice(7)) : COLUMNS.find((one) => one.id === id)
        return column === undefined ? [] : [column]
      }),
    [columns]
  )
  const { fetchNextPage, isFetchingNextPage } = pages
  const more = useCallback(() => {
    if (!isFetchingNextPage) void fetchNextPage()
  }, [fetchNextPage, isFetchingNextPage])

  const setFilter = (filter: FilterTree) => {
    setSelected(new Set())
    void navigate({ search: { ...search, filter: filter ?? undefined } })
  }

  return (
    <>
      <div className="page-head">
        <h1>Calls</h1>
        <NewCalls
          selection={selection}
          first={calls[0]?.id}
          onShow={() => {
            void queries.resetQueries({ queryKey: callsQuery(selection).queryKey })
          }}
        />
        <div className="end">
          <button
            type="button"
            className="button"
            aria-pressed={hasFacets}
            onClick={() => {
              setFacets(!hasFacets)
            }}
          >
            <Icon name="facets" /> Facets
          </button>
          {(agents.data?.length ?? 0) > 1 ? (
            <select
              className="input agent-select"
              aria-label="Agent"
              value={search.agent ?? ""}
              onChange={(event) => {
                const agent = event.target.value === "" ? undefined : Number(event.target.value)
                void navigate({ search: { ...search, agent } })
              }}
            >
              <option value="">All agents</option>
              {agents.data?.map(({ id, name }) => (
                <option key={id} value={id}>
                  {name}
                </option>
              ))}
            </select>
          ) : null}
          <ColumnChooser shown={columns} metrics={metrics} onChange={setColumns} />
          {session.data === undefined || session.data === null ? null : (
            <SavedViews
              organization={session.data.organization}
              current={{ ...search, columns }}
              onOpen={(view) => {
                setColumns(view.columns)
                setSelected(new Set())
                void navigate({ search: { filter: view.filter, agent: view.agent } })
              }}
            />
          )}
          <Export selection={selection} columns={columns} />
        </div>
      </div>
      <FilterBar filter={search.filter ?? null} onChange={setFilter} />
      <div className={hasFacets ? "with-facets" : "without-facets"}>
        {hasFacets ? <Facets selection={selection} onChange={setFilter} /> : null}
        <div className="page flush" aria-busy={pages.isFetching}>
          {pages.error !== null && calls.length === 0 ? (
            <div className="pad">
              <ErrorNotice error={pages.error} onRetry={() => void pages.refetch()} />
            </div>
          ) : pages.isPending ? (
            <div className="pad">
              <Loading rows={14} />
            </div>
          ) : calls.length === 0 ? (
            <Empty title={search.filter === undefined ? "No calls yet" : "No calls match this filter"}>
              <p>
                {search.filter === undefined
                  ? "Calls appear here when a voice platform sends them. Settings shows the webhook addresses to use."
                  : "Change or clear the filter to see other calls."}
              </p>
            </Empty>
          ) : (
            <CallTable
              calls={calls}
              columns={shown}
              search={search}
              selected={selected}
              onSelect={setSelected}
              hasMore={pages.hasNextPage}
              onMore={more}
            />
          )}
        </div>
      </div>
      {selected.size > 0 ? (
        <BulkBar
          selected={selected}
          onDone={() => {
            setSelected(new Set())
          }}
        />
      ) : null}
    </>
  )
}
