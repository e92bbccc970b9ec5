import type { IncomingHttpHeaders } from "node:http"
import type { Readable } from "node:stream"
import type { CurrentActor, Engine, Operation } from "@earshot/core"
import type * as Effect from "effect/Effect"
import type * as Schema from "effect/Schema"
import type { HttpError, HttpResponseError } from "./ErrorResponses.js"

/** How a body may be encoded. Source: interface, Endpoints. */
export type Encoding = "json" | "form" | "multipart"

/** Those of the endpoints whose bodies may come in any encoding. */
export const anyEncoding: ReadonlyArray<Encoding> = ["json", "form", "multipart"]

/** What an endpoint is told of a request, before any rule of the engine has seen it. */
export interface EndpointRequest {
  /** The path's parameters, as they stand in the path. */
  readonly params: Readonly<Record<string, string>>
  /** The query, read as its schema has it; empty where the endpoint takes none. */
  readonly query: Readonly<Record<string, unknown>>
  /** The body, whatever its encoding; undefined where the endpoint takes none. */
  readonly body: unknown
}

/** What an endpoint for a client with a protocol of its own is told besides. */
export interface RawRequest extends EndpointRequest {
  readonly headers: IncomingHttpHeaders
  /** Reads the body as it is: nothing is read before this runs. */
  readonly bytes: Effect.Effect<Uint8Array, HttpResponseError>
}

/** A successful answer. */
export interface SuccessResponse {
  readonly status: 200 | 201 | 204
  readonly content?: ResponseContent
  readonly headers?: Readonly<Record<string, string>>
}

export type ResponseContent =
  | { readonly as: "json"; readonly value: unknown }
  | { readonly as: "text"; readonly type: string; readonly text: string | Buffer }
  | { readonly as: "stream"; readonly type: string; readonly stream: Readable }

/** An answer with a JSON body. */
export const json = (status: 200 | 201, value: unknown): SuccessResponse => ({ status, content: { as: "json", value } })

export const noContent: SuccessResponse = { status: 204 }

/** A body, or an answer's body, as the OpenAPI document describes it; a body's schema also says how a form is read. */
export interface NamedSchema {
  /** The name it has in the document. */
  readonly name: string
  readonly schema: Schema.Schema.All
}

export interface RequestBody extends NamedSchema {
  readonly encodings: ReadonlyArray<Encoding>
  /** A body that the endpoint takes. */
  readonly example: Readonly<Record<string, unknown>>
}

/** One way in which an endpoint answers when all is well. */
export interface ResponseDescription {
  readonly status: SuccessResponse["status"]
  /** When it answers so. */
  readonly description: string
  /** The wire form of the answer; left out for 204 and for answers that are no JSON. */
  readonly body?: NamedSchema
  /** The type of an answer that is no JSON, or, with a shape, one JSON document a line. */
  readonly mediaType?: string
}

interface EndpointDescription {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** With a trailing slash where the interface writes one, parameters as `:id`. Both forms are served. */
  readonly path: `/${string}`
  /** What the OpenAPI document and the metrics call it; unique. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly query?: Schema.Schema.All
  readonly body?: RequestBody
  readonly responses: readonly [ResponseDescription, ...ReadonlyArray<ResponseDescription>]
  /** Refusals of its own, besides those that its operation, path and body bring along. */
  readonly errorStatuses?: ReadonlyArray<404 | 409 | 502>
  /** Headers of every answer, refusals included. */
  readonly headers?: Readonly<Record<string, string>>
}

/** What answers that hold a credential say to whatever may keep them. Source: RFC 6749, section 5.1. */
export const noStore = { "cache-control": "no-store" } as const

/** An endpoint whose caller has to be let in first. */
export interface AuthenticatedEndpoint extends EndpointDescription {
  /** The operation that it calls: its credentials are checked before the body is read. */
  readonly operation: Operation
  readonly handle: (
    request: EndpointRequest
  ) => Effect.Effect<SuccessResponse, HttpError, Engine.Services | CurrentActor>
}

/** An endpoint for everybody. */
export interface PublicEndpoint extends EndpointDescription {
  readonly operation: null
  readonly handle: (request: EndpointRequest) => Effect.Effect<SuccessResponse, HttpError, Engine.Services>
}

/** An endpoint for a client with a protocol of its own, which is let in by the endpoint itself. */
export interface RawEndpoint extends EndpointDescription {
  readonly operation: "raw"
  /** The one media type that its body may have; gzip is taken as its coding. */
  readonly mediaType?: string
  /** What a 401 names as the way in. */
  readonly challenge: string
  readonly handle: (request: RawRequest) => Effect.Effect<SuccessResponse, HttpError, Engine.Services>
}

/**
 * One endpoint: where it is, which operation of the engine it calls, what it takes and answers. The server, the OpenAPI
 * document and the 405s are all made of one list of these.
 */
export type Endpoint = AuthenticatedEndpoint | PublicEndpoint

/** What the server serves: endpoints, and those that are no part of the document. */
export type ServedEndpoint = Endpoint | RawEndpoint
