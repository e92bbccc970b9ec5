import { queryOptions } from "@tanstack/react-query"
import { both, type FilterTree } from "../rules/filter.js"
import { type CallSelection, selectionQuery } from "./calls.js"
import { client, dataOf, EarshotError, type Schemas } from "./client.js"

const path = (id: number) => ({ path: { id } })

export const callQuery = (id: number) =>
  queryOptions({
    queryKey: ["call", id],
    queryFn: ({ signal }) =>
      dataOf(
        client.GET("/observability/v1/call-logs/{id}/", {
          params: { ...path(id), query: { expand: "metadata,dynamic_variables,tool_calls,timings" } },
          signal
        })
      )
  })

/** What is stored of the deliveries of a call, as formatted JSON. */
export const deliveryQuery = (id: number) =>
  queryOptions({
    queryKey: ["delivery", id],
    queryFn: async ({ signal }) => {
      const { delivery } = await dataOf(
        client.GET("/observability/v1/call-logs/{id}/", {
          params: { ...path(id), query: { expand: "delivery" } },
          signal
        })
      )
      return JSON.stringify(delivery ?? null, null, 2)
    }
  })

export const evaluationsQuery = (id: number) =>
  queryOptions({
    queryKey: ["evaluations", id],
    queryFn: ({ signal }) =>
      dataOf(client.GET("/observability/v1/call-logs/{id}/evaluations/", { params: path(id), signal }))
  })

/** More than a wide screen has pixels for one channel. */
const POINTS = 2_000

/** The waveform of a call; null if it has no recording. */
export const peaksQuery = (id: number) =>
  queryOptions({
    queryKey: ["peaks", id],
    staleTime: Infinity,
    queryFn: async ({ signal }): Promise<Schemas["RecordingPeaks"] | null> => {
      try {
        return await dataOf(
          client.GET("/observability/v1/call-logs/{id}/recording/peaks/", {
            params: { ...path(id), query: { points: POINTS } },
            signal
          })
        )
      } catch (error) {
        if (error instanceof EarshotError && (error.status === 404 || error.status === 403)) return null
        throw error
      }
    },
    refetchInterval: ({ state }) => (state.data?.status === "pending" ? 1_000 : false)
  })

/** The calls before and after one within a selection, whose calls are newest first. */
export const neighborsQuery = (id: number, selection: CallSelection) =>
  queryOptions({
    queryKey: ["neighbors", id, selectionQuery(selection)],
    queryFn: async ({ signal }) => {
      const list = async (bound: FilterTree, limit: number) =>
        dataOf(
          client.GET("/observability/v1/call-logs/", {
            params: {
              query: { ...selectionQuery({ ...selection, filter: both(selection.filter ?? null, bound) }), limit }
            },
            signal
          })
        )
      const [older, newer] = await Promise.all([
        list({ field: "id", op: "lt", value: id }, 1),
        list({ field: "id", op: "gt", value: id }, 200)
      ])
      return {
        older: older.results[0]?.id,
        // Of more than a page, the one next to this call is not among the newest: none is offered.
        newer: newer.next === null ? newer.results.at(-1)?.id : undefined
      }
    }
  })

export const runQuery = (id: number) =>
  queryOptions({
    queryKey: ["run", id],
    queryFn: ({ signal }) => dataOf(client.GET("/test_framework/v1/runs/{id}/", { params: path(id), signal })),
    refetchInterval: ({ state }) =>
      state.data !== undefined && ["queued", "running", "evaluating"].includes(state.data.status) ? 2_000 : false
  })
