/** What a shareable link or an embedded session shows of its dashboards: to look at, and nothing else. */
import { QueryClient, QueryClientProvider, useQuery } from "@tanstack/react-query"
import { useParams } from "@tanstack/react-router"
import { useState } from "react"
import { clientWith, type Dashboard, dataOf, type EarshotClient, EarshotError } from "../api/client.js"
import { dashboardDataQuery, type WidgetOutcome } from "../api/dashboards.js"
import { Empty, ErrorNotice, Loading } from "../components/Feedback.js"
import { Logo } from "../components/Icon.js"
import { WidgetGrid } from "../components/WidgetGrid.js"
import { fullTime } from "../rules/format.js"
import { describe, readFilter, topConditions } from "../rules/filter.js"
import { sharedWith } from "../rules/share.js"
import "../styles/dashboards.css"

/** The credential is no longer accepted, or the dashboard is gone: what was shown before is not shown on. */
const isOver = (error: unknown): boolean => error instanceof EarshotError && [401, 403, 404].includes(error.status)

const Unusable = () => (
  <Empty title="This page cannot be shown">
    <p role="alert">This link is invalid, expired or revoked. Ask for another one.</p>
  </Empty>
)

const messageFor = (error: unknown) =>
  error instanceof EarshotError && error.status === 401 ? (
    <Unusable />
  ) : (
    <div className="pad-large">
      <ErrorNotice error={error} />
    </div>
  )

/** Its own queries, so that what a link may read never mixes with what the session of this browser has read. */
const makeQueries = () =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        retry: (failures, error) => !(error instanceof EarshotError) && failures < 2,
        refetchOnWindowFocus: true
      }
    }
  })

const SharedDashboard = ({ dashboard, from }: { readonly dashboard: Dashboard; readonly from: EarshotClient }) => {
  const data = useQuery(dashboardDataQuery(dashboard, from))
  const outcomeOf = (id: number): WidgetOutcome | undefined =>
    data.data?.get(id) ?? (data.error === null ? undefined : { error: data.error })
  const filter = readFilter(dashboard.filters) ?? null
  if (isOver(data.error)) return messageFor(data.error)
  return (
    <>
      <p className="shared-filter muted plain">
        {filter === null ? "All calls" : topConditions(filter).map(describe).join(" · ")}
        {data.dataUpdatedAt === 0 ? null : ` · as of ${fullTime(new Date(data.dataUpdatedAt).toISOString())}`}
      </p>
      {dashboard.widgets.length === 0 ? (
        <Empty title="This dashboard has no widgets" />
      ) : (
        <WidgetGrid widgets={dashboard.widgets} outcomeOf={outcomeOf} onRefresh={() => void data.refetch()} />
      )}
    </>
  )
}

const Shared = ({ from }: { readonly from: EarshotClient }) => {
  const { id } = useParams({ strict: false })
  const [chosen, setChosen] = useState(id === undefined ? undefined : Number(id))
  const dashboards = useQuery({
    queryKey: ["dashboards"],
    queryFn: async ({ signal }) =>
      (await dataOf(from.GET("/dashboards/dashboards/", { params: { query: { limit: 200 } }, signal }))).results,
    refetchInterval: 60_000,
    refetchIntervalInBackground: false
  })
  if (isOver(dashboards.error)) return messageFor(dashboards.error)
  if (dashboards.data === undefined) {
    return dashboards.error === null ? <Loading rows={8} /> : messageFor(dashboards.error)
  }
  const dashboard = chosen === undefined ? dashboards.data[0] : dashboards.data.find((one) => one.id === chosen)
  return (
    <>
      <header className="page-head">
        <Logo />
        <h1 className="truncate plain">{dashboard?.name ?? "Dashboard"}</h1>
        {dashboards.data.length > 1 ? (
          <select
            className="input agent-select end"
            aria-label="Dashboard"
            value={dashboard?.id ?? ""}
            onChange={(event) => {
              setChosen(Number(event.target.value))
            }}
          >
            {dashboard === undefined ? <option value="">Choose a dashboard</option> : null}
            {dashboards.data.map((one) => (
              <option key={one.id} value={one.id}>
                {one.name}
              </option>
            ))}
          </select>
        ) : null}
      </header>
      <div className="page">
        {dashboard === undefined ? (
          <Empty title="This dashboard is not shared with this link" />
        ) : (
          <SharedDashboard key={dashboard.id} dashboard={dashboard} from={from} />
        )}
      </div>
    </>
  )
}

export const SharePage = () => {
  // It stays in the address, so that the page can be loaded again; a fragment is in no request and in no Referer.
  const [from] = useState(() => {
    const credential = sharedWith(location.hash)
    return credential === undefined ? undefined : clientWith(credential)
  })
  const [queries] = useState(makeQueries)
  return (
    <QueryClientProvider client={queries}>
      <main className="shared">{from === undefined ? <Unusable /> : <Shared from={from} />}</main>
    </QueryClientProvider>
  )
}
