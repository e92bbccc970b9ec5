import {
  encodeSimplification,
  encodeSimplificationProgress,
  SimplificationDraft,
  SimplificationProgressWire,
  SimplificationQuery,
  Simplifications,
  SimplificationWire
} from "@earshot/core"
import * as Effect from "effect/Effect"
import { anyEncoding, type Endpoint, json } from "../Endpoint.js"

const tag = "Metrics"

/** E6 and its neighbour. */
export const simplifications: ReadonlyArray<Endpoint> = [
  {
    method: "POST",
    path: "/test_framework/v1/metrics/simplify_prompt/",
    id: "simplifications.request",
    operation: "simplifications.request",
    tag,
    summary: "Simplify a metric prompt",
    description:
      "`original_prompt`, or `metric_id`, whose prompt is then taken; with both the prompt is the one that is given. Where nothing is left to take away, the answer says so at once " +
      "(`skipped_simplification`) and `progress_id` is blank; otherwise `simplified_prompt` is blank, and `progress_id` " +
      "is what to ask again with. The result is offered: a metric gets it by being patched with it.",
    body: {
      name: "SimplificationDraft",
      schema: SimplificationDraft,
      encodings: anyEncoding,
      example: {
        original_prompt:
          "Please make sure that you return TRUE if the agent greets the caller within 5 seconds. Otherwise, return FALSE."
      }
    },
    responses: [
      {
        status: 200,
        description: "The result, or the id to ask again with.",
        body: { name: "Simplification", schema: SimplificationWire }
      }
    ],
    handle: ({ body }) =>
      Effect.flatMap(Simplifications, (all) =>
        Effect.map(all.request(body), (result) => json(200, encodeSimplification(result)))
      )
  },
  {
    method: "GET",
    path: "/test_framework/v1/metrics/simplify_prompt_progress/",
    id: "simplifications.progress",
    operation: "simplifications.progress",
    tag,
    summary: "Ask how far a simplification is",
    description: "`error` says why one failed. Another organization's `progress_id` is a 404, as any that nobody has.",
    query: SimplificationQuery,
    errorStatuses: [404],
    responses: [
      {
        status: 200,
        description: "The result so far.",
        body: { name: "SimplificationProgress", schema: SimplificationProgressWire }
      }
    ],
    handle: ({ query }) =>
      Effect.flatMap(Simplifications, (all) =>
        Effect.map(all.progress(query), (progress) => json(200, encodeSimplificationProgress(progress)))
      )
  }
]
