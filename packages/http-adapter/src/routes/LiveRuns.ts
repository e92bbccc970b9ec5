import { LiveEvent, LiveRuns, RunId } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"
import type { Endpoint } from "../Endpoint.js"
import { streamResponse } from "../StreamResponse.js"
import { pathId } from "./Resource.js"

export const liveRuns: ReadonlyArray<Endpoint> = [
  {
    method: "GET",
    path: "/test_framework/v1/runs/:id/live/",
    id: "runs.live",
    operation: "runs.listen",
    tag: "Results",
    summary: "Listen to a run in progress",
    description: [
      "Server-sent events, whose data are JSON: each turn, first those so far; the sound of a call by voice, in parts of 100 ms; and the end.",
      "A client that reads too slowly loses audio, oldest first. 409 if the run is not in progress, or is played by another process or a worker."
    ].join(" "),
    errorStatuses: [409],
    responses: [
      {
        status: 200,
        description: "The data of each event.",
        body: { name: "LiveEvent", schema: LiveEvent },
        mediaType: "text/event-stream"
      }
    ],
    handle: ({ params }) =>
      Effect.gen(function* () {
        const live = yield* (yield* LiveRuns).listen(yield* pathId(RunId, params, "Run"))
        const events = Stream.map(live, (event) => `data: ${JSON.stringify(event)}\n\n`)
        // A comment at once, since the response has to begin, and then so often that no proxy gives it up.
        const comments = Stream.repeat(Stream.make(": \n\n"), Schedule.spaced("15 seconds"))
        return yield* streamResponse("text/event-stream", Stream.merge(events, comments, { haltStrategy: "left" }), {
          status: 200,
          headers: { "cache-control": "no-store", "x-accel-buffering": "no" }
        })
      })
  }
]
