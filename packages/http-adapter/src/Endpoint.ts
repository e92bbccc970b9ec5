import type { IncomingHttpHeaders } from "node:http"
import type { CurrentActor, Engine, Operation, ResultWithheld, Untrusted } from "@earshot/core"
import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import type { ErrorResponse, HttpError, HttpResponseError } from "./ErrorResponses.js"
import type { PartSource } from "./PacedBody.js"

/** How a body may be encoded. Source: interface, Endpoints. `protobuf` is for exporters of OpenTelemetry: it is not decoded. */
export type Encoding = "json" | "form" | "multipart" | "protobuf"

export const PROTOBUF_TYPE = "application/x-protobuf"

/** For endpoints that accept every encoding. */
export const anyEncoding: ReadonlyArray<Encoding> = ["json", "form", "multipart"]

/** The input of an endpoint, not yet validated by the engine. */
export interface EndpointRequest {
  /** Path parameters as text. */
  readonly params: Readonly<Record<string, string>>
  /** Query parameters, decoded by the query schema; empty if the endpoint has none. */
  readonly query: Readonly<Record<string, unknown>> & Untrusted
  /** The decoded body, whatever its encoding; undefined if the endpoint has none. */
  readonly body: Untrusted
  readonly headers: IncomingHttpHeaders
  /** Whether only the headers of the response are sent. */
  readonly isHead: boolean
}

/** Who sends a request to an endpoint that requires no credential. */
export interface Visitor {
  /** The network that the request comes from, by which refusals are limited. */
  readonly from: string
  /** The cookie of a browser session, if the browser says that the request comes from a page of this server. */
  readonly session: string | undefined
  /** Whether the browser says that the request comes from a page of another origin. */
  readonly isOfOtherOrigin: boolean
  /** The header that sets the cookie of a session until it expires, or without one removes the cookie. */
  readonly sessionCookie: (session?: { readonly secret: string; readonly expiresAt: Date }) => string
}

/** The input of an endpoint that requires no credential. */
export interface PublicRequest extends EndpointRequest {
  readonly visitor: Visitor
}

/** The input of an endpoint with a protocol of its own. */
export interface RawRequest extends EndpointRequest {
  /** The network that it comes from, by which refusals are limited. */
  readonly from: string
  /** Parses bytes as JSON, within the limits of bodies. */
  readonly parseJson: (bytes: Uint8Array) => Either.Either<unknown, HttpResponseError>
  /** Reads the undecoded body. Nothing is read before this runs. */
  readonly bytes: Effect.Effect<Uint8Array, HttpResponseError>
}

/** A successful response. */
export interface SuccessResponse {
  readonly status: 200 | 201 | 204 | 206 | 302 | 304
  readonly content?: ResponseContent
  readonly headers?: Readonly<Record<string, string>>
}

export type ResponseContent =
  | { readonly as: "json"; readonly value: unknown; readonly type?: string }
  | { readonly as: "text"; readonly type: string; readonly text: string | Buffer }
  | { readonly as: "parts"; readonly type: string; readonly source: PartSource }

/** A response with a JSON body. */
export const json = (status: 200 | 201, value: unknown): SuccessResponse => ({ status, content: { as: "json", value } })

export const JSON_TYPE = "application/json; charset=utf-8"

/** A response with a JSON body that is text already. */
export const jsonText = (status: 200 | 201, text: string): SuccessResponse => ({
  status,
  // ASCII is copied in a fraction of the time in which Node encodes a text.
  content: {
    as: "text",
    type: JSON_TYPE,
    text: Buffer.byteLength(text) === text.length ? Buffer.from(text, "latin1") : text
  }
})

/** The media type of what a caller gets that may not read the result of what it has done. */
export const RECEIPT_TYPE = "application/vnd.earshot.receipt+json"

export const noContent: SuccessResponse = { status: 204 }

/** A schema with its name in the OpenAPI document. A request body's schema also determines how forms are decoded. */
export interface NamedSchema {
  readonly name: string
  readonly schema: Schema.Schema.All
}

export interface RequestBody extends NamedSchema {
  readonly encodings: ReadonlyArray<Encoding>
  /** Whether it may be as large as a multipart body, since it may contain a recording. */
  readonly isLarge?: true
  /** Whether it may be compressed. The limit of its size also applies to the decompressed one. */
  readonly mayBeGzipped?: true
  /** A valid body. */
  readonly example: Readonly<Record<string, unknown>>
}

/** A successful response in the OpenAPI document. */
export interface ResponseDescription {
  readonly status: SuccessResponse["status"]
  /** What the response holds, or what has happened. */
  readonly description: string
  /** The schema of a JSON response; absent for 204 and other media types. */
  readonly body?: NamedSchema
  /** The media type if it is not application/json. With `body`, one JSON document per line. */
  readonly mediaType?: string
  /** Whether it is protobuf if the request was. */
  readonly mayBeProtobuf?: true
  /** The other media types of a text that a request chooses between. */
  readonly otherMediaTypes?: ReadonlyArray<string>
}

interface EndpointDescription {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE"
  /** Parameters are written `:id`. Served with and without a trailing slash. */
  readonly path: `/${string}`
  /** The unique `operationId` of the OpenAPI document. */
  readonly id: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  readonly query?: Schema.Schema.All
  readonly body?: RequestBody
  readonly responses: readonly [ResponseDescription, ...ReadonlyArray<ResponseDescription>]
  /** Error statuses beyond those that follow from its operation, path and body. */
  readonly errorStatuses?: ReadonlyArray<403 | 404 | 409 | 416 | 422 | 502>
  /** Headers of every response, errors included. */
  readonly headers?: Readonly<Record<string, string>>
}

/** An endpoint that requires a credential. */
export interface AuthenticatedEndpoint extends EndpointDescription {
  /** The operation it calls. The caller's permission is checked before the body is read. */
  readonly operation: Operation
  /** Whether an API key may also be a bearer token, for clients that send no header of another name. */
  readonly takesBearerKeys?: true
  /** The body of an error as its client reads it; undefined for JSON. */
  readonly encodeError?: (response: ErrorResponse, contentType: string) => ResponseContent | undefined
  readonly handle: (
    request: EndpointRequest
  ) => Effect.Effect<SuccessResponse, HttpError | ResultWithheld, Engine.Services | CurrentActor>
}

/** An endpoint that requires no credential. */
export interface PublicEndpoint extends EndpointDescription {
  readonly operation: null
  /** Whether it deals with the session of a browser, and so fails like endpoints that require a credential. */
  readonly signsIn?: true
  readonly handle: (request: PublicRequest) => Effect.Effect<SuccessResponse, HttpError, Engine.Services>
}

/** A raw endpoint in the OpenAPI document. */
export interface RawDescription {
  readonly body: RequestBody
  /** Names of the document's security schemes, of which a request uses one. */
  readonly security: readonly [string, ...ReadonlyArray<string>]
}

/** An endpoint with a protocol of its own, which authenticates its callers itself. */
export interface RawEndpoint extends EndpointDescription {
  readonly operation: "raw"
  /** The media type of its body, which may be gzipped. */
  readonly mediaType?: string
  /** Whether the body may be as large as a multipart body. */
  readonly isLarge?: true
  /** The header WWW-Authenticate of a 401. */
  readonly challenge: string
  readonly described?: RawDescription
  readonly handle: (request: RawRequest) => Effect.Effect<SuccessResponse, HttpError, Engine.Services>
}

/** An endpoint of the API. The server, the OpenAPI document and the 405 responses are all made from one list of these. */
export type Endpoint = AuthenticatedEndpoint | PublicEndpoint

/** A raw endpoint that is part of the OpenAPI document. */
export type DescribedRawEndpoint = RawEndpoint & { readonly described: RawDescription }

/** An endpoint of the OpenAPI document. */
export type DocumentedEndpoint = Endpoint | DescribedRawEndpoint

/** An endpoint that the server serves. Of raw endpoints only described ones are part of the OpenAPI document. */
export type ServedEndpoint = Endpoint | RawEndpoint
