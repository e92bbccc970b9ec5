import {
  CallEvaluations,
  CallId,
  encodeEvaluation,
  encodeJob,
  encodeMetric,
  encodePredefinedMetric,
  encodeRequestedEvaluation,
  EvaluationJson,
  EvaluationRequest,
  Job,
  JobId,
  JobQuery,
  Jobs,
  MetricDraft,
  MetricId,
  MetricJson,
  MetricPatch,
  MetricQuery,
  Metrics,
  PredefinedMetric
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { anyEncoding, type Endpoint, json, type NamedSchema } from "../Endpoint.js"
import { pathId, resource } from "./Resource.js"

const tag = "Metrics"

/** E11. */
const predefined: Endpoint = {
  method: "GET",
  path: "/test_framework/v1/predefined-metrics/",
  id: "metrics.predefined",
  operation: "metrics.predefined",
  tag,
  summary: "List predefined metrics",
  description:
    "Predefined metrics are enabled for every agent until they are turned off for it. Returns all of them, without pages.",
  responses: [
    {
      status: 200,
      description: "All predefined metrics.",
      body: { name: "PredefinedMetrics", schema: Schema.Array(PredefinedMetric) }
    }
  ],
  handle: () =>
    Effect.flatMap(Metrics, (metrics) =>
      Effect.map(metrics.predefined(), (all) =>
        json(
          200,
          all.map((metric) => encodePredefinedMetric(metric))
        )
      )
    )
}

/** E12 and related endpoints. */
export const metrics: ReadonlyArray<Endpoint> = [
  predefined,
  ...resource({
    path: "/test_framework/v1/metrics/",
    tag,
    noun: "metric",
    name: "Metric",
    id: MetricId,
    wire: MetricJson,
    encode: encodeMetric,
    create: {
      operation: "metrics.create",
      description: "Identify the agent by `agent` or by its provider's `assistant_id`.",
      schema: MetricDraft,
      encodings: anyEncoding,
      example: {
        agent: 1,
        name: "Offers a call-back",
        type: "llm_judge",
        eval_type: "binary",
        prompt: "Does the agent offer a call-back when it cannot help at once?"
      },
      run: (body) => Effect.flatMap(Metrics, (metrics) => Effect.map(metrics.create(body), encodeMetric))
    },
    list: {
      operation: "metrics.list",
      query: MetricQuery,
      run: (query) => Effect.flatMap(Metrics, (metrics) => metrics.list(query))
    },
    read: { operation: "metrics.read", run: (id) => Effect.flatMap(Metrics, (metrics) => metrics.read(id)) },
    update: {
      operation: "metrics.update",
      description: "Omitted fields keep their values. The merged metric must be valid.",
      schema: MetricPatch,
      encodings: ["json"],
      example: { name: "Offers a call-back", display_order: 3 },
      run: (id, body) => Effect.flatMap(Metrics, (metrics) => metrics.update(id, body))
    },
    delete: {
      operation: "metrics.delete",
      description: "Also deletes its evaluations. Deleting a predefined metric turns it off for its agent.",
      run: (id) => Effect.flatMap(Metrics, (metrics) => metrics.delete(id))
    }
  })
]

const requested: NamedSchema = {
  name: "EvaluationRequested",
  schema: Schema.Struct({
    call: Schema.Int,
    metric_ids: Schema.NullOr(Schema.Array(Schema.Int)),
    job: Schema.Int.annotations({ description: "Id of the evaluation job; see the list of jobs for its state." })
  })
}

export const evaluations: ReadonlyArray<Endpoint> = [
  {
    method: "POST",
    path: "/observability/v1/call-logs/:id/evaluate_metrics/",
    id: "calls.evaluate",
    operation: "calls.evaluate",
    tag,
    summary: "Evaluate a call",
    description:
      "Queues an evaluation of the call with the given metrics, or with all metrics that are enabled for production calls. A " +
      "metric is charged once per call, however often it is evaluated.",
    body: {
      name: "EvaluationRequest",
      schema: EvaluationRequest,
      encodings: anyEncoding,
      example: { metric_ids: "12,15" }
    },
    responses: [{ status: 200, description: "The queued evaluation.", body: requested }],
    handle: ({ body, params }) =>
      Effect.flatMap(pathId(CallId, params, "Call"), (id) =>
        Effect.flatMap(CallEvaluations, (all) =>
          Effect.map(all.evaluate(id, body), (requested) => json(200, encodeRequestedEvaluation(requested)))
        )
      )
  },
  {
    method: "GET",
    path: "/observability/v1/call-logs/:id/evaluations/",
    id: "calls.evaluations",
    operation: "calls.evaluations",
    tag,
    summary: "List the evaluations of a call",
    description: "Each evaluation has a status, a reason if it has no value, and the moments that explain it.",
    responses: [
      {
        status: 200,
        description: "All evaluations of the call.",
        body: { name: "Evaluations", schema: Schema.Array(EvaluationJson) }
      }
    ],
    handle: ({ params }) =>
      Effect.flatMap(pathId(CallId, params, "Call"), (id) =>
        Effect.flatMap(CallEvaluations, (all) =>
          Effect.map(all.evaluations(id), (evaluations) => json(200, evaluations.map(encodeEvaluation)))
        )
      )
  }
]

const jobShape: NamedSchema = { name: "Job", schema: Job }

export const jobs: ReadonlyArray<Endpoint> = [
  ...resource({
    path: "/jobs/",
    tag: "Jobs",
    noun: "job",
    name: "Job",
    id: JobId,
    wire: Job,
    encode: encodeJob,
    list: {
      operation: "jobs.list",
      query: JobQuery,
      run: (query) => Effect.flatMap(Jobs, (jobs) => jobs.list(query))
    }
  }),
  {
    method: "POST",
    path: "/jobs/:id/retry/",
    id: "jobs.retry",
    operation: "jobs.retry",
    tag: "Jobs",
    summary: "Retry a dead job",
    description: "Queues the job with all its attempts. 409 if the job is not dead.",
    errorStatuses: [409],
    responses: [{ status: 200, description: "The queued job.", body: jobShape }],
    handle: ({ params }) =>
      Effect.flatMap(pathId(JobId, params, "Job"), (id) =>
        Effect.flatMap(Jobs, (jobs) => Effect.map(jobs.retry(id), (job) => json(200, encodeJob(job))))
      )
  }
]
