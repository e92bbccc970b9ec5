import {
  CallEvaluations,
  CallId,
  encodeEvaluation,
  encodeJob,
  encodeMetric,
  encodePredefinedMetric,
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
  description: "What every agent is measured by until it is switched off. All of them, on no pages.",
  responses: [
    {
      status: 200,
      description: "Every predefined metric.",
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

/** E12 and its neighbours. */
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
      description: "The agent is named by `agent` or by its provider's `assistant_id`.",
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
      description: "Fields that are left out stay as they are; the metric's rules judge the whole.",
      schema: MetricPatch,
      encodings: ["json"],
      example: { name: "Offers a call-back", display_order: 3 },
      run: (id, body) => Effect.flatMap(Metrics, (metrics) => metrics.update(id, body))
    },
    delete: {
      operation: "metrics.delete",
      description:
        "What it said of calls goes out of sight with it. A predefined metric is so switched off for its agent.",
      run: (id) => Effect.flatMap(Metrics, (metrics) => metrics.delete(id))
    }
  })
]

const requested: NamedSchema = {
  name: "EvaluationRequested",
  schema: Schema.Struct({
    call: Schema.Int,
    metric_ids: Schema.NullOr(Schema.Array(Schema.Int)),
    job: Schema.Int.annotations({ description: "See the list of jobs for what became of it." })
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
      "A worker evaluates the call with the metrics that are named, or with all that are enabled for production calls. A " +
      "metric is charged once a call, however often it is asked for.",
    body: {
      name: "EvaluationRequest",
      schema: EvaluationRequest,
      encodings: anyEncoding,
      example: { metric_ids: "12,15" }
    },
    responses: [{ status: 200, description: "It is queued.", body: requested }],
    handle: ({ body, params }) =>
      Effect.flatMap(pathId(CallId, params, "Call"), (id) =>
        Effect.flatMap(CallEvaluations, (all) =>
          Effect.map(all.evaluate(id, body), ({ callId, jobId, metricIds }) =>
            json(200, { call: callId, metric_ids: metricIds, job: jobId })
          )
        )
      )
  },
  {
    method: "GET",
    path: "/observability/v1/call-logs/:id/evaluations/",
    id: "calls.evaluations",
    operation: "calls.evaluations",
    tag,
    summary: "Read what metrics said of a call",
    description: "Each with its status, its reason where there is no value, and the moments that explain it.",
    responses: [
      {
        status: 200,
        description: "Every evaluation of the call.",
        body: { name: "Evaluations", schema: Schema.Array(EvaluationJson) }
      }
    ],
    handle: ({ params }) =>
      Effect.flatMap(pathId(CallId, params, "Call"), (id) =>
        Effect.flatMap(CallEvaluations, (all) =>
          Effect.map(all.evaluations(id), (said) => json(200, said.map(encodeEvaluation)))
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
    summary: "Try a dead job again",
    description: "It has all its attempts before it again. 409 where the job is not dead.",
    errorStatuses: [409],
    responses: [{ status: 200, description: "The job, queued anew.", body: jobShape }],
    handle: ({ params }) =>
      Effect.flatMap(pathId(JobId, params, "Job"), (id) =>
        Effect.flatMap(Jobs, (jobs) => Effect.map(jobs.retry(id), (job) => json(200, encodeJob(job))))
      )
  }
]
