import {
  BulkDeleteInput,
  CapacityWire,
  ClaimInput,
  type ClaimedRun,
  CompareQuery,
  Comparison,
  CompleteInput,
  DeleteRunsInput,
  encodeCapacity,
  encodeComparison,
  encodeResult,
  encodeRun,
  encodeRunDetail,
  FailInput,
  HeartbeatInput,
  JsonObject,
  Result,
  ResultId,
  ResultQuery,
  Results,
  Run,
  RunDetail,
  RunId,
  RunQuery
} from "@earshot/core"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { anyEncoding, type Endpoint, json, noContent, type NamedSchema } from "../Endpoint.js"
import { streamResponse } from "../StreamResponse.js"
import { pathId, resource } from "./Resource.js"

const tag = "Results"

export const result: NamedSchema = { name: "Result", schema: Result }

const run: NamedSchema = { name: "Run", schema: Run }

const runDetail: NamedSchema = { name: "RunDetail", schema: RunDetail }

const ClaimedRunsJson = Schema.Struct({
  results: Schema.Array(
    Schema.Struct({
      run: Schema.make<Run, typeof Run.Encoded>(Run.ast),
      lease: Schema.String,
      lease_expires_at: Schema.String,
      scenario: JsonObject,
      provider_data: Schema.NullOr(JsonObject)
    })
  )
})

const formatMillis = (millis: number): string => DateTime.formatIso(DateTime.unsafeMake(millis))

const encodeClaimedRun = (claimed: ClaimedRun) => ({
  run: encodeRun(claimed.run),
  lease: claimed.lease,
  lease_expires_at: formatMillis(claimed.leaseExpiresAt),
  scenario: claimed.script,
  provider_data: claimed.providerData
})

/** E8, E9 and their neighbours; what outside workers call. */
export const results: ReadonlyArray<Endpoint> = [
  {
    method: "POST",
    path: "/test_framework/v1/results/bulk_delete/",
    id: "results.bulkDelete",
    operation: "results.bulkDelete",
    tag,
    summary: "Bulk delete results",
    description: [
      "Takes results and their runs out of sight for good, and gives back the slots and phone numbers that they hold. Ids",
      "that are unknown, deleted already or out of reach are passed over."
    ].join(" "),
    body: { name: "BulkDelete", schema: BulkDeleteInput, encodings: anyEncoding, example: { result_ids: [1, 2] } },
    responses: [{ status: 204, description: "They are gone, as are those that were gone before." }],
    handle: ({ body }) => Effect.flatMap(Results, (all) => Effect.as(all.bulkDelete(body), noContent))
  },
  {
    method: "POST",
    path: "/test_framework/v1/results/:id/delete_runs/",
    id: "results.deleteRuns",
    operation: "results.deleteRuns",
    tag,
    summary: "Delete runs from a result",
    description: "Takes runs of the result out of sight; the result is then what the others come to.",
    body: { name: "DeleteRuns", schema: DeleteRunsInput, encodings: anyEncoding, example: { run_ids: [1, 2] } },
    responses: [{ status: 204, description: "They are gone, as are those that were gone before." }],
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
      "Cancels its runs that are not over and gives back what they hold; the others stay as they are. Whoever executes one",
      "finds that its lease does not hold any more. Cancelling twice is no fault."
    ].join(" "),
    responses: [{ status: 200, description: "The result as it is now.", body: result }],
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
      "What became better and what worse since `base`: scenarios with the same key, metric by metric, and the two as",
      "wholes. A success rate may differ by `tolerance` (0 to 1), a metric's mean by that share of the base's, before it",
      "counts as changed."
    ].join(" "),
    query: CompareQuery,
    responses: [{ status: 200, description: "The differences.", body: { name: "Comparison", schema: Comparison } }],
    handle: ({ params, query }) =>
      Effect.gen(function* () {
        const id = yield* pathId(ResultId, params, "Result")
        return json(200, encodeComparison(yield* (yield* Results).compare(id, query)))
      })
  },
  {
    method: "GET",
    path: "/test_framework/v1/results/:id/export/",
    id: "results.export",
    operation: "results.export",
    tag,
    summary: "Export a result",
    description: "Every run with its transcript and what metrics said of it, oldest first, one JSON document a line.",
    responses: [
      {
        status: 200,
        description: "One run a line.",
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
    summary: "A result as a JUnit report",
    description: [
      "A case a run: no success is a failure, a run that could not be played or timed out an error, one that was cancelled",
      "or is not over is skipped."
    ].join(" "),
    responses: [{ status: 200, description: "The report.", mediaType: "application/xml" }],
    handle: ({ params }) =>
      Effect.gen(function* () {
        const id = yield* pathId(ResultId, params, "Result")
        const text = yield* (yield* Results).junit(id)
        return { status: 200, content: { as: "text", type: "application/xml; charset=utf-8", text } }
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
    description:
      "With its transcript, what metrics said of it, and the criteria that decided whether it was a success.",
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
    description: "One that was cancelled stays so; one that is over otherwise cannot be cancelled (409).",
    responses: [{ status: 200, description: "The run as it is now.", body: run }],
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
      "Gives queued runs of a channel to a worker, oldest first and within their results' concurrency limits. Send a",
      "heartbeat before each lease is over, or the run is given to somebody else."
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
        description: "The runs, none where nothing is queued.",
        body: { name: "Claimed", schema: ClaimedRunsJson }
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
    summary: "Keep a claimed run",
    description:
      "A run that was deleted is not found, and a lease that has ended is a fault of `lease`: stop executing the run.",
    body: { name: "Heartbeat", schema: HeartbeatInput, encodings: ["json"], example: { lease: "token" } },
    responses: [
      {
        status: 200,
        description: "When the lease ends now.",
        body: { name: "Lease", schema: Schema.Struct({ lease_expires_at: Schema.String }) }
      }
    ],
    handle: ({ body, params }) =>
      Effect.gen(function* () {
        const id = yield* pathId(RunId, params, "Run")
        const until = yield* (yield* Results).heartbeat(id, body)
        return json(200, { lease_expires_at: formatMillis(until.epochMillis) })
      })
  },
  {
    method: "POST",
    path: "/test_framework/v1/runs/:id/complete/",
    id: "runs.complete",
    operation: "runs.complete",
    tag,
    summary: "Report a run that is over",
    description: [
      "With a transcript in any of the formats that calls come in, or with a recording, which is transcribed and not kept:",
      "`transcript_type` `none-mono`, with `voice_recording` in a multipart body or `voice_recording_url`. Where the scenario has metrics or an expected outcome",
      "the run is `evaluating` until a worker of the engine has scored it."
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
    responses: [{ status: 200, description: "The run as it is now.", body: run }],
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
    summary: "Report a run that could not be executed",
    body: { name: "Fail", schema: FailInput, encodings: ["json"], example: { lease: "token", error: "No answer" } },
    responses: [{ status: 200, description: "The run as it is now.", body: run }],
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
    summary: "What the organisation's runs take up",
    responses: [{ status: 200, description: "It.", body: { name: "Capacity", schema: CapacityWire } }],
    handle: () =>
      Effect.flatMap(Results, (all) => Effect.map(all.capacity(), (held) => json(200, encodeCapacity(held))))
  }
]
