/** The HTTP client, and what happens when its session has ended. */
import { createClient, dataOf, type EarshotClient, EarshotError, items, type components } from "@earshot/client"
import { keepPreviousData, MutationCache, QueryCache, QueryClient } from "@tanstack/react-query"
import { makeConnection } from "./connection.js"

/** The base path of the server, which it writes into the page; empty for none. */
export const basePath = document.documentElement.dataset.base ?? ""

/** Origin and base path of the server. */
export const baseUrl = `${location.origin}${basePath}`

export const connection = makeConnection(async () => (await fetch(`${baseUrl}/ready`)).ok)

export const client = createClient({ baseUrl, fetch: connection.fetch })

export { dataOf, type EarshotClient, EarshotError, items }

/** A client with a shareable link or the token of an embedded session; the session of this browser is not sent with it. */
export const clientWith = (credential: { readonly link: string } | { readonly token: string }): EarshotClient =>
  createClient({
    ...credential,
    baseUrl,
    fetch: (request) => fetch(request, { credentials: "omit" })
  })

export type Schemas = components["schemas"]
export type Call = Schemas["ListedCall"]
export type CallDetail = Schemas["ExpandedCall"]
export type Facet = Schemas["CallFacet"]
export type Filter = Schemas["Filter"]
export type Widget = Schemas["Widget"]
export type Dashboard = Schemas["Dashboard"]
export type WidgetData = Schemas["WidgetData"]
export type Result = Schemas["Result"]
export type RunDetail = Schemas["RunDetail"]
export type Evaluation = Schemas["Evaluation"]
export type ToolCall = Schemas["CallToolCall"]
export type Timings = ReadonlyArray<Schemas["TurnTiming"]>
export type Metric = Schemas["Metric"]
export type Session = Schemas["BrowserSession"]

/** Whether a session that was in force has ended: the page stays as it is while its user signs in again. */
const listeners = new Set<() => void>()
let expired = false

export const sessionEnd = {
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => {
      listeners.delete(listener)
    }
  },
  isExpired: () => expired,
  set: (value: boolean) => {
    expired = value
    for (const listener of listeners) listener()
  }
}

const onError = (error: unknown, isOfSession: boolean): void => {
  if (!isOfSession && error instanceof EarshotError && error.status === 401) sessionEnd.set(true)
}

export const queryClient = new QueryClient({
  queryCache: new QueryCache({
    onError: (error, query) => {
      onError(error, query.queryKey[0] === "session")
    }
  }),
  mutationCache: new MutationCache({
    onError: (error, _variables, _context, mutation) => {
      onError(error, mutation.options.mutationKey?.[0] === "session")
    }
  }),
  defaultOptions: {
    queries: {
      staleTime: 15_000,
      placeholderData: keepPreviousData,
      // The client repeats what can be repeated. What still fails is read again when the server answers again.
      retry: false,
      refetchOnWindowFocus: false
    }
  }
})

connection.subscribe(() => {
  if (connection.state() !== "connected") return
  void queryClient.refetchQueries({ predicate: ({ state }) => state.status === "error" })
})
