import {
  callExportForm,
  CallExportQuery,
  CallFacets,
  CallFacetsQuery,
  CallId,
  CallQuery,
  CallReadQuery,
  CallRecordJson,
  Calls,
  csvHeader,
  csvLine,
  encodeCallFacets,
  encodeCallRecord,
  encodeExpandedCall,
  encodeListedCall,
  ExpandedCallJson,
  expandedIn,
  IngestBody,
  type Ingested,
  ListedCallJson,
  printCallRecord,
  readExpandedIn,
  ReviewPatch
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Stream from "effect/Stream"
import { anyEncoding, type Endpoint, json, jsonText, type NamedSchema, type SuccessResponse } from "../Endpoint.js"
import { streamResponse } from "../StreamResponse.js"
import { resource } from "./Resource.js"

const tag = "Calls"

const record: NamedSchema = { name: "CallRecord", schema: CallRecordJson }

const expanded: NamedSchema = { name: "ExpandedCall", schema: ExpandedCallJson }

/**
 * Runs an effect of a value, once. An effect that waits keeps those that it is made of, and with them the body of a call until it
 * is committed, hundreds of objects that every collection would copy.
 */
const handingOver = <I, A, E, R>(value: I, use: (value: I) => Effect.Effect<A, E, R>): Effect.Effect<A, E, R> => {
  const held = [value]
  return Effect.suspend(() => {
    const [effect = Effect.dieMessage("A value was handed over twice")] = held.splice(0).map((one) => use(one))
    return effect
  })
}

const ingestResponse = ({ call, created, printed }: Ingested): SuccessResponse => {
  const status = created ? 201 : 200
  return printed === undefined ? json(status, encodeCallRecord(call)) : jsonText(status, printCallRecord(call, printed))
}

/** E10: 201 for a new call, 200 for a redelivery. */
const observe: Endpoint = {
  method: "POST",
  path: "/observability/v1/observe/",
  id: "calls.ingest",
  operation: "calls.ingest",
  tag,
  summary: "Ingest a production call",
  description:
    "Idempotent: `agent` and `call_id` identify the call, and a redelivery updates its record. Send a recording as " +
    "`voice_recording` in a multipart body, or as a URL. The fields in `redact_fields` are removed from transcript and " +
    "recording before either is stored, for 0.4 credits per minute; redeliveries are redacted in the same way. A " +
    "recording that cannot be redacted is not stored, and `error_message` states the reason.",
  body: {
    name: "IngestBody",
    schema: IngestBody,
    encodings: ["json", "multipart"],
    example: {
      call_id: "call-2041",
      agent: 1,
      timestamp: "2025-06-02T09:30:00Z",
      transcript_json: [
        { role: "Testing Agent", content: "Do you have a table for two?", start_time: 0, end_time: 2.1 },
        { role: "Main Agent", content: "At eight, by the window.", start_time: 2.6, end_time: 4.4 }
      ],
      metadata: { region: "eu" }
    }
  },
  responses: [
    { status: 201, description: "The created call.", body: record },
    { status: 200, description: "The updated call of an earlier delivery.", body: record }
  ],
  handle: ({ body }) => Effect.flatMap(Calls, (calls) => Effect.map(handingOver(body, calls.ingest), ingestResponse))
}

const exportCalls: Endpoint = {
  method: "GET",
  path: "/observability/v1/call-logs/export/",
  id: "calls.export",
  operation: "calls.export",
  tag,
  summary: "Export calls",
  description:
    "Streams all calls that match the filters of the list, newest first, as newline-delimited JSON with their transcripts, or " +
    "as CSV (RFC 4180) with a header line and the columns that are named, in which a text that a spreadsheet would take for a " +
    "formula begins with an apostrophe. The connection is closed if the client stops reading.",
  query: CallExportQuery,
  responses: [
    {
      status: 200,
      description: "One call per line.",
      body: expanded,
      mediaType: "application/x-ndjson",
      otherMediaTypes: ["text/csv"]
    }
  ],
  handle: ({ query }) =>
    Effect.gen(function* () {
      const form = yield* callExportForm(query)
      const found = (yield* Calls).export(query)
      if (form.format === "ndjson") {
        return yield* streamResponse(
          "application/x-ndjson",
          Stream.map(found, (call) => `${JSON.stringify(encodeExpandedCall(call, form.expand))}\n`)
        )
      }
      const header = csvHeader(form.columns)
      // The header is sent with the first call, so that a failure before it is an error response.
      const rows = Stream.mapAccum(found, header, (before, call) => ["", before + csvLine(call, form.columns)])
      return yield* streamResponse(
        "text/csv; charset=utf-8",
        Stream.orElseIfEmpty(rows, () => header)
      )
    })
}

const facets: Endpoint = {
  method: "GET",
  path: "/observability/v1/call-logs/facets/",
  id: "calls.facets",
  operation: "calls.facets",
  tag,
  summary: "Count calls by the values of fields",
  description:
    "How many of the calls that match the filters of the list have each value of a field. A condition of a filter with `eq` " +
    "and a value selects exactly the calls that were counted for it. Fields that were not counted within the time limit of " +
    "a list are named in `timed_out`.",
  query: CallFacetsQuery,
  responses: [
    { status: 200, description: "The most frequent values.", body: { name: "CallFacets", schema: CallFacets } }
  ],
  handle: ({ query }) =>
    Effect.flatMap(Calls, (calls) => Effect.map(calls.facets(query), (counted) => json(200, encodeCallFacets(counted))))
}

export const calls: ReadonlyArray<Endpoint> = [
  observe,
  ...resource({
    path: "/observability/v1/call-logs/",
    tag,
    noun: "call",
    name: "CallRecord",
    resource: "Call",
    id: CallId,
    wire: CallRecordJson,
    encode: encodeCallRecord,
    listOf: {
      operation: "calls.list",
      query: CallQuery,
      item: { name: "ListedCall", schema: ListedCallJson },
      description:
        "Returns one page, newest first, without transcripts and documents unless `expand` names them. A page has at most " +
        "`limit` items and ends earlier if they are large. Pass `next` as `cursor` to get the next page; it is null on the " +
        "last one.",
      run: (query) =>
        Effect.gen(function* () {
          const { results, ...links } = yield* (yield* Calls).list(query)
          const { expand } = yield* expandedIn(query)
          return { ...links, results: results.map((call) => encodeListedCall(call, expand)) }
        })
    },
    readOf: {
      operation: "calls.read",
      query: CallReadQuery,
      item: expanded,
      run: (id, query) =>
        Effect.gen(function* () {
          const { expand } = yield* readExpandedIn(query)
          return encodeExpandedCall(yield* (yield* Calls).read(id, query), expand)
        })
    },
    update: {
      operation: "calls.review",
      description: "Records a human review of the call. Omitted fields keep their values.",
      schema: ReviewPatch,
      encodings: anyEncoding,
      example: { status: "reviewed_success", feedback: "Booked the right table." },
      run: (id, body) => Effect.flatMap(Calls, (calls) => calls.review(id, body))
    },
    delete: {
      operation: "calls.delete",
      description: "Permanently deletes the call with its transcript, evaluations and recording.",
      run: (id) => Effect.flatMap(Calls, (calls) => calls.delete(id))
    }
  }),
  facets,
  exportCalls
]
