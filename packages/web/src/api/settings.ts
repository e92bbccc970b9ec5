/** What the settings read: keys, links, integrations, code connections, metrics, jobs and charges. */
import { queryOptions } from "@tanstack/react-query"
import { client, dataOf, type Schemas } from "./client.js"
import { listQuery, pageQuery } from "./pages.js"

export type Integration = Schemas["Integration"]
export type ShareableLink = Schemas["ShareableLinkPage"]["results"][number]
export type CodeConnection = Schemas["CodeConnection"]
export type LedgerEntry = Schemas["LedgerEntryPage"]["results"][number]
export type Permission = Schemas["BrowserSession"]["permissions"][number]

export const keysQuery = listQuery(["keys"], (cursor, signal) =>
  dataOf(client.GET("/user/v1/api_keys/", { params: { query: pageQuery(cursor) }, signal }))
)

export const linksQuery = listQuery(["links"], (cursor, signal) =>
  dataOf(client.GET("/user/v1/shareable_links/", { params: { query: pageQuery(cursor) }, signal }))
)

export const integrationsQuery = listQuery(["integrations"], (cursor, signal) =>
  dataOf(client.GET("/observability/v1/integrations/", { params: { query: pageQuery(cursor) }, signal }))
)

export const connectionsQuery = listQuery(["connections"], (cursor, signal) =>
  dataOf(client.GET("/repohost/connections/", { params: { query: pageQuery(cursor) }, signal }))
)

export type JobState = Schemas["Job"]["state"]

export const jobsQuery = (state: JobState) =>
  listQuery(["jobs", state], (cursor, signal) =>
    dataOf(client.GET("/jobs/", { params: { query: { ...pageQuery(cursor), state } }, signal }))
  )

/** Which charges; `since` is included, `until` is not. */
export interface LedgerFilter {
  readonly reason?: LedgerEntry["reason"]
  readonly agent?: number
  readonly call?: number
  readonly since?: string
  readonly until?: string
}

export const ledgerQuery = (filter: LedgerFilter) =>
  listQuery(["ledger", filter], (cursor, signal) =>
    dataOf(client.GET("/credits/ledger/", { params: { query: { ...pageQuery(cursor), ...filter } }, signal }))
  )

export const totalsQuery = (filter: LedgerFilter) =>
  queryOptions({
    queryKey: ["credit totals", filter],
    queryFn: ({ signal }) => dataOf(client.GET("/credits/totals/", { params: { query: filter }, signal }))
  })

/** The progress of a simplification, read until it has ended; null for one that had nothing to wait for. */
export const simplificationQuery = (id: string | undefined) =>
  queryOptions({
    queryKey: ["simplification", id],
    enabled: id !== undefined && id !== "",
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/test_framework/v1/metrics/simplify_prompt_progress/", {
          params: { query: { progress_id: id ?? "" } },
          signal
        })
      ),
    refetchInterval: ({ state }) =>
      state.data?.status === "completed" || state.data?.status === "failed" ? false : 1_000
  })
