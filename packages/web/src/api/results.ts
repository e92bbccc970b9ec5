import { queryOptions } from "@tanstack/react-query"
import { client, dataOf } from "./client.js"

const path = (id: number) => ({ path: { id } })

/** Results and runs change while they run: they are read again every few seconds until then. */
const WHILE_RUNNING = 3_000

const isRunning = (status: string | undefined): boolean => status === "queued" || status === "running"

export const resultsQuery = queryOptions({
  queryKey: ["results"],
  queryFn: async ({ signal }) =>
    (await dataOf(client.GET("/test_framework/v1/results/", { params: { query: { limit: 100 } }, signal }))).results,
  refetchInterval: ({ state }) => (state.data?.some(({ status }) => isRunning(status)) === true ? WHILE_RUNNING : false)
})

export const resultQuery = (id: number) =>
  queryOptions({
    queryKey: ["result", id],
    queryFn: ({ signal }) => dataOf(client.GET("/test_framework/v1/results/{id}/", { params: path(id), signal })),
    refetchInterval: ({ state }) => (isRunning(state.data?.status) ? WHILE_RUNNING : false)
  })

/** The runs of a result, up to the 200 that a page takes. */
export const runsQuery = (result: number, isLive: boolean) =>
  queryOptions({
    queryKey: ["runs", result],
    queryFn: async ({ signal }) =>
      dataOf(client.GET("/test_framework/v1/runs/", { params: { query: { result, limit: 200 } }, signal })),
    refetchInterval: isLive ? WHILE_RUNNING : false
  })

export const repeatsQuery = (id: number) =>
  queryOptions({
    queryKey: ["repeats", id],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/test_framework/v1/results/{id}/repeats/", { params: path(id), signal }))
  })

export const comparisonQuery = (id: number, base: number) =>
  queryOptions({
    queryKey: ["comparison", id, base],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/test_framework/v1/results/{id}/compare/", {
          params: { path: { id }, query: { base } },
          signal
        })
      )
  })
