import { infiniteQueryOptions, queryOptions } from "@tanstack/react-query"
import { type FilterTree, isEmpty } from "../rules/filter.js"
import { client, dataOf, items } from "./client.js"

/** Which calls: those of a filter, and of one agent or all. */
export interface CallSelection {
  readonly filter?: FilterTree
  readonly agent?: number
}

const PAGE = 100

/** The query parameters of a list of calls. */
export const selectionQuery = ({ agent, filter }: CallSelection) => ({
  ...(filter === undefined || isEmpty(filter) ? {} : { filters_v2: JSON.stringify(filter) }),
  ...(agent === undefined ? {} : { agent_id: agent })
})

const firstCursor = (): string | null => null

/** Calls, newest first, in pages. */
export const callsQuery = (selection: CallSelection) =>
  infiniteQueryOptions({
    queryKey: ["calls", selectionQuery(selection)],
    queryFn: ({ pageParam, signal }) =>
      dataOf(
        client.GET("/observability/v1/call-logs/", {
          params: {
            query: { ...selectionQuery(selection), limit: PAGE, ...(pageParam === null ? {} : { cursor: pageParam }) }
          },
          signal
        })
      ),
    initialPageParam: firstCursor(),
    getNextPageParam: ({ next }) => next
  })

/** The newest call of a selection, asked for while the page is visible. */
export const newestQuery = (selection: CallSelection) =>
  queryOptions({
    queryKey: ["newest call", selectionQuery(selection)],
    queryFn: async ({ signal }) => {
      const { results } = await dataOf(
        client.GET("/observability/v1/call-logs/", {
          params: { query: { ...selectionQuery(selection), limit: 1 } },
          signal
        })
      )
      return results[0]?.id ?? null
    },
    refetchInterval: 10_000,
    refetchIntervalInBackground: false
  })

/** How many calls of a selection have each value of the usual fields. */
export const facetsQuery = (selection: CallSelection) =>
  queryOptions({
    queryKey: ["facets", selectionQuery(selection)],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/observability/v1/call-logs/facets/", { params: { query: selectionQuery(selection) }, signal })
      )
  })

/** More names than anybody chooses from. */
const MAX_METRICS = 1_000

/** The names of the metrics of all agents. */
export const metricNamesQuery = queryOptions({
  queryKey: ["metric names"],
  staleTime: 60_000,
  queryFn: async ({ signal }) => {
    const names = new Set<string>()
    for await (const { name } of items(client, "/test_framework/v1/metrics/", { query: { limit: 200 }, signal })) {
      if (names.add(name).size === MAX_METRICS) break
    }
    return [...names].toSorted()
  }
})

export const agentsQuery = queryOptions({
  queryKey: ["agents"],
  staleTime: 60_000,
  queryFn: async ({ signal }) =>
    (await dataOf(client.GET("/test_framework/v1/agents/", { params: { query: { limit: 200 } }, signal }))).results
})

/** What a person says of a call. */
export interface Review {
  readonly success?: boolean | null
  readonly is_reviewed?: boolean
  readonly feedback?: string
}

export const reviewCall = (id: number, review: Review) =>
  dataOf(client.PATCH("/observability/v1/call-logs/{id}/", { params: { path: { id } }, body: review }))

export const evaluateCall = (id: number) =>
  dataOf(client.POST("/observability/v1/call-logs/{id}/evaluate_metrics/", { params: { path: { id } }, body: {} }))

const EXPORT = "/observability/v1/call-logs/export/"

const queryText = (query: Readonly<Record<string, unknown>>): string =>
  new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)])).toString()

/** The address of every call of a selection, one JSON document per line. */
export const exportPath = (selection: CallSelection): string => `${EXPORT}?${queryText(selectionQuery(selection))}`

/** The columns of the list, by their ids, as an export as CSV names them. */
const CSV_COLUMNS: Readonly<Record<string, string>> = {
  time: "timestamp",
  call: "call_id",
  agent: "agent_name",
  duration: "duration_s",
  status: "status",
  ended: "call_ended_reason",
  topic: "topic",
  customer: "customer_number",
  dropoff: "dropoff_point",
  feedback: "feedback"
}

/** The address of every call of a selection as CSV, with the columns of the list; `metric:NAME` is one of a metric. */
export const csvPath = (selection: CallSelection, columns: ReadonlyArray<string>): string => {
  const metrics = columns.filter((id) => id.startsWith("metric:")).map((id) => id.slice(7))
  return `${EXPORT}?${queryText({
    format: "csv",
    ...selectionQuery(selection),
    columns: ["id", ...columns.flatMap((id) => CSV_COLUMNS[id] ?? [])].join(","),
    ...(metrics.length === 0 ? {} : { metrics: JSON.stringify(metrics) })
  })}`
}
