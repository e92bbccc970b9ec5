/** Listening to runs in progress. */
import { events, type components } from "@earshot/client"
import { client, dataOf } from "./client.js"

type LiveEvent = components["schemas"]["LiveEvent"]
export type LiveTurn = Extract<LiveEvent, { readonly type: "turn" }>

/** What happens in a run until it ends; throws the server's reason if it cannot be heard. */
export async function* listenToRun(id: number, signal: AbortSignal): AsyncGenerator<LiveEvent, void, undefined> {
  const body = await dataOf(
    client.GET("/test_framework/v1/runs/{id}/live/", { params: { path: { id } }, signal, parseAs: "stream" })
  )
  // eslint-disable-next-line typescript/consistent-type-assertions -- the events are those of the API's document
  for await (const event of events(body)) yield event as LiveEvent
}
