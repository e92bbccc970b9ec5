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

/** E6 and the endpoint for its progress. */
export const simplifications: ReadonlyArray<Endpoint> = [
  {
    method: "POST",
    path: "/test_framework/v1/metrics/simplify_prompt/",
    id: "simplifications.request",
    operation: "simplifications.request",
    tag,
    summary: "Simplify a metric prompt",
    description:
      "Simplifies `original_prompt`, or the prompt of `metric_id` if it is omitted. If the prompt cannot be simplified, " +
      "`skipped_simplification` is true and `progress_id` is empty; otherwise `simplified_prompt` is empty, and `progress_id` " +
      "identifies the simplification for polling. The metric is not changed: update it with the simplified prompt.",
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
        description: "The result, or the id for polling.",
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
    summary: "Read the progress of a simplification",
    description:
      "`error` states why a simplification failed. 404 if the organization has no simplification with this `progress_id`.",
    query: SimplificationQuery,
    errorStatuses: [404],
    responses: [
      {
        status: 200,
        description: "The status, and the result once it is completed.",
        body: { name: "SimplificationProgress", schema: SimplificationProgressWire }
      }
    ],
    handle: ({ query }) =>
      Effect.flatMap(Simplifications, (all) =>
        Effect.map(all.progress(query), (progress) => json(200, encodeSimplificationProgress(progress)))
      )
  }
]
