import { queryOptions } from "@tanstack/react-query"
import { client, dataOf, EarshotError, queryClient, sessionEnd, type Session } from "./client.js"

/** The session of this browser, or null. */
export const sessionQuery = queryOptions({
  queryKey: ["session"],
  staleTime: 60_000,
  queryFn: async ({ signal }): Promise<Session | null> => {
    try {
      return await dataOf(client.GET("/user/v1/session/", { signal }))
    } catch (error) {
      if (error instanceof EarshotError && error.status === 401) return null
      throw error
    }
  }
})

/** Signs in with an API key or the token of a sign-in link. */
export const signIn = async (credential: { readonly api_key: string } | { readonly link: string }): Promise<void> => {
  const session = await dataOf(client.POST("/user/v1/session/", { body: credential }))
  const before = queryClient.getQueryData(sessionQuery.queryKey)
  // What another organization's session has read is not shown in this one's.
  if (before?.organization !== session.organization) queryClient.clear()
  queryClient.setQueryData(sessionQuery.queryKey, session)
  sessionEnd.set(false)
  await queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== "session" })
}

export const signOut = async (): Promise<void> => {
  await dataOf(client.DELETE("/user/v1/session/"))
  queryClient.clear()
}
