import {
  BulkDeleteInput,
  CapacityWire,
  ClaimedScenario,
  ClaimInput,
  CompareQuery,
  Comparison,
  CompleteInput,
  DeleteRunsInput,
  encodeCapacity,
  encodeClaimedRun,
  encodeComparison,
  encodeLease,
  encodeRepeats,
  encodeResult,
  encodeRun,
  encodeRunDetail,
  FailInput,
  HeartbeatInput,
  JUnitQuery,
  JsonObject,
  Result,
  ReportQuery,
  type ReportFormat,
  ResultId,
  ResultQuery,
  Results,
  Run,
  RunDetail,
  RunId,
  RunQuery,
  Repeats
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { anyEncoding, type Endpoint, json, noContent, type NamedSchema } from "../Endpoint.js"
import { streamResponse } from "../StreamResponse.js"
import { pathId, resource } from "./Resource.js"

const tag = "Results"

const REPORT_TYPES: Readonly<Record<ReportFormat, string>> = {
  markdown: "text/markdown",
  html: "text/html",
  junit: "application/xml"
}

export const result: NamedSchema = { name: "Result", schema: Result }

const run: NamedSchema = { name: "Run", schema: Run }

const runDetail: NamedSchema = { name: "RunDetail", schema: RunDetail }

const ClaimedRunsJson = Schema.Struct({
  results: Schema.Array(
    Schema.Struct({
      run: Schema.make<Run, typeof Run.Encoded>(Run.ast),
      lease: Schema.String,
      lease_expires_at: Schema.String,
      scenario: ClaimedScenario,
      provider_data: Schema.NullOr(JsonObject)
    })
  )
})

/** E8, E9 and related endpoints, including those of external workers. */
export const results: ReadonlyArray<Endpoint> = [
  {
    method: "POST",
    path: "/test_framework/v1/results/bulk_delete/",
    id: "results.bulkDelete",
    operation: "results.bulkDelete",
    tag,
    summary: "Bulk delete results",
    description: [
      "Soft-deletes results with their runs, and releases the slots and phone numbers that they hold. Unknown, deleted and",
      "inaccessible ids are ignored."
    ].join(" "),
    body: { name: "BulkDelete", schema: BulkDeleteInput, encodings: anyEncoding, example: { result_ids: [1, 2] } },
    responses: [{ status: 204, description: "The results or runs are deleted." }],
    handle: ({ body }) => Effect.flatMap(Results, (all) => Effect.as(all.bulkDelete(body), noContent))
  },
  {
    method: "POST",
    path: "/test_framework/v1/results/:id/delete_runs/",
    id: "results.deleteRuns",
    operation: "results.deleteRuns",
    tag,
    summary: "Delete runs from a result",
    description: "Soft-deletes runs of the result and recalculates the result from the remaining ones.",
    body: { name: "DeleteRuns", schema: DeleteRunsInput, encodings: anyEncoding, example: { run_ids: [1, 2] } },
    responses: [{ status: 204, description: "The results or runs are deleted." }],
    handle: ({ body, params }) =>
      Effect.gen(function* () {
        const id = yield* pathId(ResultId, params, "Result")
        yield* (yield* Results).deleteRuns(id, body)
        return noContent
      })
  },
  ...resource({
    path: "/test_framework/v1/results/",
    tag,
    noun: "result",
    name: "Result",
    id: ResultId,
    wire: Result,
    encode: encodeResult,
    list: {
      operation: "results.list",
      query: ResultQuery,
      run: (query) => Effect.flatMap(Results, (all) => all.list(query))
    },
    read: { operation: "results.read", run: (id) => Effect.flatMap(Results, (all) => all.read(id)) }
  }),
  {
    method: "POST",
    path: "/test_framework/v1/results/:id/cancel/",
    id: "results.cancel",
    operation: "results.cancel",
    tag,
    summary: "Cancel a result",
    description: [
      "Cancels all runs that have not ended, and releases their slots and phone numbers. Leases of canceled runs become",
      "invalid. Canceling twice succeeds."
    ].join(" "),
    responses: [{ status: 200, description: "The canceled result.", body: result }],
    handle: ({ params }) =>
      Effect.gen(function* () {
        const id = yield* pathId(ResultId, params, "Result")
        return json(200, encodeResult(yield* (yield* Results).cancel(id)))
      })
  },
  {
    method: "GET",
    path: "/test_framework/v1/results/:id/compare/",
    id: "results.compare",
    operation: "results.compare",
    tag,
    summary: "Compare a result with an earlier one",
    description: [
      "Lists improvements and regressions since `base`: overall, and per metric for scenarios with the same key. Differences",
      "up to `tolerance` count as unchanged: absolute for success rates, relative to the base's mean for metrics. Without",
      "`tolerance`, means are unchanged within two standard errors if both results have repeats, else within a quarter."
    ].join(" "),
    query: CompareQuery,
    responses: [{ status: 200, description: "The comparison.", body: { name: "Comparison", schema: Comparison } }],
    handle: ({ params, query }) =>
      Effect.gen(function* () {
        const id = yield* pathId(ResultId, params, "Result")
        return json(200, encodeComparison(yield* (yield* Results).compare(id, query)))
      })
  },
  {
    method: "GET",
    path: "/test_framework/v1/results/:id/repeats/",
    id: "results.repeats",
    operation: "results.repeats",
    tag,
    summary: "Read the reliability of a result",
    description: [
      "The success rate of each scenario, and pass^k: the estimated probability that k runs of it all succeed."
    ].join(" "),
    responses: [
      { status: 200, description: "The scenarios' reliability.", body: { name: "Repeats", schema: Repeats } }
    ],
    handle: ({ params }) =>
      Effect.gen(function* () {
        const id = yield* pathId(ResultId, params, "Result")
        return json(200, encodeRepeats(yield* (yield* Results).repeats(id)))
      })
  },
  {
    method: "GET",
    path: "/test_framework/v1/results/:id/export/",
    id: "results.export",
    operation: "results.export",
    tag,
    summary: "Export a result",
    description: "Streams all runs with transcripts and evaluations, oldest first, as newline-delimited JSON.",
    responses: [
      {
        status: 200,
        description: "One run per line.",
        body: runDetail,
        mediaType: "application/x-ndjson"
      }
    ],
    handle: ({ params }) =>
      Effect.gen(function* () {
        const id = yield* pathId(ResultId, params, "Result")
        return yield* streamResponse(
          "application/x-ndjson",
          Stream.map((yield* Results).export(id), (run) => `${JSON.stringify(encodeRunDetail(run))}\n`)
        )
      })
  },
  {
    method: "GET",
    path: "/test_framework/v1/results/:id/junit/",
    id: "results.junit",
    operation: "results.junit",
    tag,
    summary: "Export a result as a JUnit report",
    description: [
      "One test case per run: unsuccessful runs are failures; runs that failed to execute, timed out, or have an unknown success",
      "are errors; and canceled or unfinished runs are skipped."
    ].join(" "),
    query: JUnitQuery,
    responses: [{ status: 200, description: "The JUnit report.", mediaType: "application/xml" }],
    handle: ({ params, query }) =>
      Effect.gen(function* () {
        const id = yield* pathId(ResultId, params, "Result")
        const text = yield* (yield* Results).junit(id, query)
        return { status: 200, content: { as: "text", type: "application/xml; charset=utf-8", text } }
      })
  },
  {
    method: "GET",
    path: "/test_framework/v1/results/:id/report/",
    id: "results.report",
    operation: "results.report",
    tag,
    summary: "Report a result",
    description:
      "A report as Markdown, for a pull request, as an HTML page, or as JUnit's XML: the outcome, criteria and scores of each run, " +
      "without transcripts. All texts are escaped.",
    query: ReportQuery,
    responses: [
      {
        status: 200,
        description: "The report, with the media type of its format.",
        mediaType: REPORT_TYPES.markdown,
        otherMediaTypes: [REPORT_TYPES.html, REPORT_TYPES.junit]
      }
    ],
    handle: ({ params, query }) =>
      Effect.gen(function* () {
        const id = yield* pathId(ResultId, params, "Result")
        const { format, text } = yield* (yield* Results).report(id, query)
        return { status: 200, content: { as: "text", type: `${REPORT_TYPES[format]}; charset=utf-8`, text } }
      })
  },
  ...resource({
    path: "/test_framework/v1/runs/",
    tag,
    noun: "run",
    name: "Run",
    id: RunId,
    wire: Run,
    encode: encodeRun,
    list: {
      operation: "runs.list",
      query: RunQuery,
      run: (query) => Effect.flatMap(Results, (all) => all.listRuns(query))
    }
  }),
  {
    method: "GET",
    path: "/test_framework/v1/runs/:id/",
    id: "runs.read",
    operation: "runs.read",
    tag,
    summary: "Read a run",
    description: "Returns the run with its transcript, its evaluations, and the criteria that determined its success.",
    responses: [{ status: 200, description: "The run.", body: runDetail }],
    handle: ({ params }) =>
      Effect.gen(function* () {
        const id = yield* pathId(RunId, params, "Run")
        return json(200, encodeRunDetail(yield* (yield* Results).readRun(id)))
      })
  },
  {
    method: "POST",
    path: "/test_framework/v1/runs/:id/cancel/",
    id: "runs.cancel",
    operation: "runs.cancel",
    tag,
    summary: "Cancel a run",
    description: "Canceling a canceled run succeeds; 409 if the run has ended otherwise.",
    responses: [{ status: 200, description: "The canceled run.", body: run }],
    errorStatuses: [409],
    handle: ({ params }) =>
      Effect.gen(function* () {
        const id = yield* pathId(RunId, params, "Run")
        return json(200, encodeRun(yield* (yield* Results).cancelRun(id)))
      })
  },
  {
    method: "POST",
    path: "/test_framework/v1/runs/claim/",
    id: "runs.claim",
    operation: "runs.claim",
    tag,
    summary: "Claim runs to execute",
    description: [
      "Leases queued runs of a channel to a worker, oldest first, within their results' concurrency limits. Send a heartbeat",
      "before the lease expires, or the run can be claimed by another worker."
    ].join(" "),
    body: {
      name: "Claim",
      schema: ClaimInput,
      encodings: ["json"],
      example: { channel: "voice", limit: 5, lease_seconds: 60 }
    },
    responses: [
      {
        status: 200,
        description: "The claimed runs; empty if none is queued.",
        body: { name: "ClaimedRuns", schema: ClaimedRunsJson }
      }
    ],
    handle: ({ body }) =>
      Effect.flatMap(Results, (all) =>
        Effect.map(all.claim(body), (claimed) => json(200, { results: claimed.map(encodeClaimedRun) }))
      )
  },
  {
    method: "POST",
    path: "/test_framework/v1/runs/:id/heartbeat/",
    id: "runs.heartbeat",
    operation: "runs.heartbeat",
    tag,
    summary: "Renew the lease of a run",
    description:
      "Stop executing the run on a 404 (the run was deleted) or an error of `lease` (the lease has expired).",
    body: { name: "Heartbeat", schema: HeartbeatInput, encodings: ["json"], example: { lease: "token" } },
    responses: [
      {
        status: 200,
        description: "The new expiry of the lease.",
        body: { name: "Lease", schema: Schema.Struct({ lease_expires_at: Schema.String }) }
      }
    ],
    handle: ({ body, params }) =>
      Effect.gen(function* () {
        const id = yield* pathId(RunId, params, "Run")
        const until = yield* (yield* Results).heartbeat(id, body)
        return json(200, encodeLease(until))
      })
  },
  {
    method: "POST",
    path: "/test_framework/v1/runs/:id/complete/",
    id: "runs.complete",
    operation: "runs.complete",
    tag,
    summary: "Complete a run",
    description: [
      "Takes a transcript in any supported format, or a recording, which is transcribed and not stored: `transcript_type`",
      "`none-mono` with `voice_recording` in a multipart body or `voice_recording_url`. If the scenario has metrics or an",
      "expected outcome, the run is `evaluating` until the engine has scored it."
    ].join(" "),
    body: {
      name: "Complete",
      schema: CompleteInput,
      encodings: ["json", "multipart"],
      example: {
        lease: "token",
        transcript_type: "service",
        transcript_json: [{ role: "Main Agent", content: "Hello", start_time: 0, end_time: 1 }],
        duration: 62.5
      }
    },
    responses: [{ status: 200, description: "The updated run.", body: run }],
    handle: ({ body, params }) =>
      Effect.gen(function* () {
        const id = yield* pathId(RunId, params, "Run")
        return json(200, encodeRun(yield* (yield* Results).complete(id, body)))
      })
  },
  {
    method: "POST",
    path: "/test_framework/v1/runs/:id/fail/",
    id: "runs.fail",
    operation: "runs.fail",
    tag,
    summary: "Fail a run",
    description: "Reports that the run could not be executed.",
    body: { name: "Fail", schema: FailInput, encodings: ["json"], example: { lease: "token", error: "No answer" } },
    responses: [{ status: 200, description: "The updated run.", body: run }],
    handle: ({ body, params }) =>
      Effect.gen(function* () {
        const id = yield* pathId(RunId, params, "Run")
        return json(200, encodeRun(yield* (yield* Results).fail(id, body)))
      })
  },
  {
    method: "GET",
    path: "/test_framework/v1/capacity/",
    id: "results.capacity",
    operation: "results.capacity",
    tag,
    summary: "Read the current capacity",
    description: "Returns the slots and phone numbers that the organization's runs use, and the demand of queued runs.",
    responses: [{ status: 200, description: "Current capacity.", body: { name: "Capacity", schema: CapacityWire } }],
    handle: () =>
      Effect.flatMap(Results, (all) => Effect.map(all.capacity(), (held) => json(200, encodeCapacity(held))))
  }
]
