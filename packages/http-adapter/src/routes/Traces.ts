/** OpenTelemetry spans, by its protocol over HTTP (OTLP). */
import { TraceId, Tracing, untrusted } from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type AuthenticatedEndpoint, type Endpoint, json, PROTOBUF_TYPE, type ResponseContent } from "../Endpoint.js"
import type { ErrorResponse } from "../ErrorResponses.js"
import { resource } from "./Resource.js"

const tag = "Traces"

/** Its parts are read as far as they are what the protocol says; see `Tracing.decodeJson`. */
const ExportRequest = Schema.Struct({
  resourceSpans: Schema.optional(
    Schema.Array(Schema.Record({ key: Schema.String, value: Schema.Unknown })).annotations({
      description: "Spans by the process that made them, as OTLP defines it."
    })
  )
})

const ExportResponse = Schema.Struct({
  partialSuccess: Schema.optional(
    Schema.Struct({
      rejectedSpans: Schema.String.annotations({ description: "How many spans were rejected, as a text." }),
      errorMessage: Schema.String.annotations({ description: "Why they were." })
    }).annotations({ description: "Absent if no span was rejected." })
  )
})

const isProtobuf = (contentType: string): boolean => contentType.toLowerCase().startsWith(PROTOBUF_TYPE)

/** A protobuf `Status`, which exporters read. */
const encodeError = ({ body }: ErrorResponse, contentType: string): ResponseContent | undefined =>
  isProtobuf(contentType)
    ? { as: "text", type: PROTOBUF_TYPE, text: Buffer.from(Tracing.encodeStatus(messageOf(body))) }
    : undefined

const messageOf = (body: unknown): string =>
  typeof body === "object" && body !== null && "detail" in body && typeof body.detail === "string"
    ? body.detail
    : JSON.stringify(body)

const receive: AuthenticatedEndpoint = {
  method: "POST",
  path: "/otel/v1/traces/",
  id: "traces.receive",
  operation: "traces.receive",
  tag,
  summary: "Receive OpenTelemetry spans",
  description:
    "Takes the export requests of OpenTelemetry (OTLP over HTTP) as protobuf or JSON, which may be gzipped. Spans of LiveKit " +
    "Agents, of Pipecat, and of libraries that follow the conventions for generative AI are gathered by job, conversation, " +
    "room or trace, and their call is stored once its root span has ended, or after five minutes without spans. Errors of " +
    "requests in protobuf are a protobuf `Status`.",
  query: Tracing.TraceOptions,
  takesBearerKeys: true,
  encodeError,
  body: {
    name: "TraceExportRequest",
    schema: ExportRequest,
    encodings: ["json", "protobuf"],
    mayBeGzipped: true,
    example: {
      resourceSpans: [
        {
          scopeSpans: [
            {
              scope: { name: "livekit-agents" },
              spans: [
                {
                  traceId: "5b8efff798038103d269b633813fc60c",
                  spanId: "eee19b7ec3c1b174",
                  name: "agent_session",
                  startTimeUnixNano: "1741107600000000000",
                  endTimeUnixNano: "1741107644300000000",
                  attributes: [{ key: "lk.job_id", value: { stringValue: "AJ_1" } }]
                }
              ]
            }
          ]
        }
      ]
    }
  },
  responses: [
    {
      status: 200,
      description: "The spans were received; in the encoding of the request.",
      body: { name: "TraceExportResponse", schema: ExportResponse },
      mayBeProtobuf: true
    }
  ],
  handle: ({ body, query }) =>
    Effect.flatMap(Tracing.Traces, (traces) => {
      const protobuf = body instanceof Uint8Array ? body : undefined
      return Effect.map(
        traces.receive(protobuf === undefined ? { json: body } : { protobuf }, untrusted(query)),
        ({ reason, rejected }) =>
          protobuf === undefined
            ? json(200, Tracing.responseJson(rejected, reason))
            : {
                status: 200,
                content: {
                  as: "text",
                  type: PROTOBUF_TYPE,
                  text: Buffer.from(Tracing.encodeResponse(rejected, reason))
                }
              }
      )
    })
}

/** Exporters whose endpoint is the whole path add theirs to it. */
export const traceAliases: ReadonlyArray<Endpoint> = [
  { ...receive, path: "/otel/v1/traces/v1/traces/", id: "traces.receive.alias" }
]

export const traces: ReadonlyArray<Endpoint> = [
  receive,
  ...resource({
    path: "/observability/v1/traces/",
    tag,
    noun: "trace",
    name: "Trace",
    id: TraceId,
    wire: Tracing.Trace,
    encode: Tracing.encodeTrace,
    list: {
      operation: "traces.list",
      query: Tracing.TraceQuery,
      run: (query) => Effect.flatMap(Tracing.Traces, (all) => all.list(query))
    },
    read: { operation: "traces.read", run: (id) => Effect.flatMap(Tracing.Traces, (all) => all.read(id)) }
  })
]
