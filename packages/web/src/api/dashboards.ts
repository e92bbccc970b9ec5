import { queryOptions } from "@tanstack/react-query"
import { client, dataOf, type Filter, type WidgetData } from "./client.js"
import type { FilterTree } from "../rules/filter.js"

const path = (id: number) => ({ path: { id } })

export const dashboardsQuery = queryOptions({
  queryKey: ["dashboards"],
  queryFn: async ({ signal }) =>
    (await dataOf(client.GET("/dashboards/dashboards/", { params: { query: { limit: 200 } }, signal }))).results
})

export const dashboardQuery = (id: number) =>
  queryOptions({
    queryKey: ["dashboard", id],
    queryFn: ({ signal }) => dataOf(client.GET("/dashboards/dashboards/{id}/", { params: path(id), signal }))
  })

/** What a widget shows; read again every minute while the page is visible. */
export const widgetDataQuery = (id: number) =>
  queryOptions({
    queryKey: ["widget data", id],
    queryFn: ({ signal }): Promise<WidgetData> =>
      dataOf(client.GET("/dashboards/widgets/{id}/data/", { params: path(id), signal })),
    refetchInterval: 60_000,
    refetchIntervalInBackground: false
  })

export const projectsQuery = queryOptions({
  queryKey: ["projects"],
  staleTime: 60_000,
  queryFn: async ({ signal }) =>
    (await dataOf(client.GET("/user/v1/projects/", { params: { query: { limit: 200 } }, signal }))).results
})

/** A filter as the API describes it. */
// eslint-disable-next-line typescript/consistent-type-assertions -- the same JSON, whose lists are read-only here
export const wireFilter = (filter: FilterTree): Filter => filter as Filter
