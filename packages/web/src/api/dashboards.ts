import { queryOptions } from "@tanstack/react-query"
import {
  client,
  type Dashboard,
  dataOf,
  type EarshotClient,
  EarshotError,
  type Filter,
  type WidgetData
} from "./client.js"
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

/** The data of a widget, or why there is none. */
export type WidgetOutcome = { readonly data: WidgetData } | { readonly error: Error }

/** The server ended a chart that took too long. */
const TOOK_TOO_LONG = 422

const outcomeOf = async (from: EarshotClient, id: number, signal: AbortSignal): Promise<WidgetOutcome> => {
  try {
    return { data: await dataOf(from.GET("/dashboards/widgets/{id}/data/", { params: path(id), signal })) }
  } catch (error) {
    if (error instanceof EarshotError && error.status === TOOK_TOO_LONG) return { error }
    throw error
  }
}

/**
 * What the widgets of a dashboard show, by id, of the calls as they are at one moment. Where all together take too long, one
 * by one. Read again every minute while the page is visible.
 */
export const dashboardDataQuery = ({ id, widgets }: Dashboard, from: EarshotClient = client) =>
  queryOptions({
    queryKey: ["dashboard data", id, widgets.map((widget) => widget.id)],
    queryFn: async ({ signal }): Promise<ReadonlyMap<number, WidgetOutcome>> => {
      try {
        const all = await dataOf(from.GET("/dashboards/dashboards/{id}/data/", { params: path(id), signal }))
        return new Map(all.widgets.map((one) => [one.id, { data: one.data }]))
      } catch (error) {
        if (!(error instanceof EarshotError) || error.status !== TOOK_TOO_LONG) throw error
        return new Map(
          await Promise.all(
            widgets.map(async (widget) => [widget.id, await outcomeOf(from, widget.id, signal)] as const)
          )
        )
      }
    },
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
