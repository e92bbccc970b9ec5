import {
  type CodeHostFailed,
  type ConnectionRevoked,
  type Forbidden,
  type JobNotDead,
  type NoActiveConnection,
  NotFound,
  type Operation,
  type OperationRule,
  operations,
  type QueryTimedOut,
  type RateLimited,
  type RecordingUrlInvalid,
  type RedactionUnavailable,
  type RepositoryBusy,
  type RepositoryUnavailable,
  type ResponseBytes,
  type RunIsOver,
  type RunNotLive,
  type StorageBusy,
  type StorageFailed,
  type StorageUnusable,
  type Unauthenticated,
  type ValidationFailed,
  type VoiceCheckInProgress
} from "@earshot/core"
import * as Data from "effect/Data"
import * as Match from "effect/Match"

/** The status, headers and body of an error response. */
export interface ErrorResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
  /** Of a 503: why, for the metrics, if the engine's error does not say. */
  readonly reason?: "busy" | "request_bytes" | "answer_time" | "not_ready"
}

/** An error of the HTTP message itself, found before the engine is called. */
export class HttpResponseError extends Data.TaggedError("HttpResponseError")<{ readonly response: ErrorResponse }> {}

/** Every error that an endpoint may return. A new error of the engine does not compile until it has a status here. */
export type HttpError =
  | CodeHostFailed
  | ConnectionRevoked
  | Forbidden
  | JobNotDead
  | NoActiveConnection
  | NotFound
  | RateLimited
  | RecordingUrlInvalid
  | RedactionUnavailable
  | HttpResponseError
  | QueryTimedOut
  | RepositoryBusy
  | RepositoryUnavailable
  | ResponseBytes.ResponseBytesExceeded
  | RunIsOver
  | RunNotLive
  | StorageBusy
  | StorageFailed
  | StorageUnusable
  | Unauthenticated
  | ValidationFailed
  | VoiceCheckInProgress

const detail = (status: number, message: string, headers: Readonly<Record<string, string>> = {}): ErrorResponse => ({
  status,
  headers,
  body: { detail: message }
})

/** The header Retry-After: whole seconds, at least 1. */
const retryAfter = (seconds: number) => ({ "retry-after": String(Math.max(1, Math.ceil(seconds))) })

/** Seconds to wait before a request whose entity recognizer was unavailable is retried. */
const RETRY_REDACTION_SECONDS = 30

/** Seconds to wait before a request is retried whose database an operator has to repair. */
const RETRY_STORAGE_SECONDS = 30

/** An internal error. The response does not state the cause; the log does, under the same request id. */
export const serverError = (requestId: string): ErrorResponse => ({
  status: 500,
  headers: {},
  body: { detail: "A server error occurred.", request_id: requestId }
})

/** The header WWW-Authenticate of an operation's 401. Source: RFC 9110, section 11.6.1; API keys have no registered scheme. */
export const challengeFor = (operation: Operation): string => {
  const rule: OperationRule = operations[operation]
  const accepts: ReadonlyArray<string> = rule.accepts
  const isBearer =
    accepts.some((kind) => kind !== "api_key" && kind !== "shareable_link") || rule.additionalCredential !== undefined
  return [
    ...(accepts.includes("api_key") ? ['ApiKey realm="earshot"'] : []),
    ...(isBearer ? ['Bearer realm="earshot"'] : []),
    ...(accepts.includes("shareable_link") ? ['ShareableLink realm="earshot"'] : [])
  ].join(", ")
}

/** Codes of the operating system by which a disk or a folder, not the request, is at fault. */
const FULL = ["ENOSPC", "EDQUOT", "EFBIG"]
const UNAVAILABLE = ["EACCES", "EPERM", "EROFS", "EIO", "EMFILE", "ENFILE", "ENOTDIR", "ECONNREFUSED", "ETIMEDOUT"]

/** The response if the store of recordings failed for a reason that an operator can remove or that passes. */
const recordingsFailure = ({ cause, operation }: StorageFailed): ErrorResponse | undefined => {
  if (!operation.startsWith("BlobStore.")) return undefined
  const code = typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : ""
  if (FULL.includes(code)) return detail(507, "The store of recordings has no space left.")
  return UNAVAILABLE.includes(code)
    ? detail(503, "The store of recordings is unavailable.", retryAfter(RETRY_STORAGE_SECONDS))
    : undefined
}

/** The only place that maps the engine's errors to HTTP. Source: interface, Errors; Django REST Framework's conventions. */
export const toErrorResponse = (error: HttpError, requestId: string, challenge: string): ErrorResponse =>
  Match.value(error).pipe(
    Match.tagsExhaustive({
      ValidationFailed: ({ errors }): ErrorResponse => ({ status: 400, headers: {}, body: errors }),
      Unauthenticated: ({ message }) => detail(401, message, { "www-authenticate": challenge }),
      Forbidden: ({ message }) => detail(403, message),
      NotFound: ({ message }) => detail(404, message),
      RecordingUrlInvalid: ({ message }) => detail(403, message),
      JobNotDead: ({ message }) => detail(409, message),
      RunIsOver: ({ message }) => detail(409, message),
      RunNotLive: ({ message }) => detail(409, message),
      VoiceCheckInProgress: ({ message }) => detail(409, message),
      RateLimited: ({ message, retryAfterSeconds }) => detail(429, message, retryAfter(retryAfterSeconds)),
      NoActiveConnection: ({ message }) => detail(409, message),
      ConnectionRevoked: ({ message }) => detail(409, message),
      CodeHostFailed: ({ message, retryAfterSeconds }) =>
        detail(502, message, retryAfterSeconds === null ? {} : retryAfter(retryAfterSeconds)),
      RepositoryUnavailable: () => detail(404, notFound("Repository").message),
      RepositoryBusy: () => messageErrors.busy.response,
      RedactionUnavailable: ({ message }) => detail(503, message, retryAfter(RETRY_REDACTION_SECONDS)),
      ResponseBytesExceeded: ({ message }) => detail(503, message, retryAfter(1)),
      StorageBusy: () => messageErrors.busy.response,
      StorageFailed: (failed) => recordingsFailure(failed) ?? serverError(requestId),
      StorageUnusable: ({ message, reason }) =>
        reason === "full" ? detail(507, message) : detail(503, message, retryAfter(RETRY_STORAGE_SECONDS)),
      // The request is well formed, but what it asks for costs too much; 503 would make clients repeat it.
      QueryTimedOut: ({ message }) => detail(422, message),
      HttpResponseError: ({ response }) => response
    })
  )

const responseError = (...response: Parameters<typeof detail>): HttpResponseError =>
  new HttpResponseError({ response: detail(...response) })

const BUSY = "The service is busy. Try again in a moment."

const unavailable = (reason: NonNullable<ErrorResponse["reason"]>, message: string): HttpResponseError =>
  new HttpResponseError({ response: { ...detail(503, message, retryAfter(1)), reason } })

/** A field error that is found before the engine sees the body. */
export const fieldError = (field: string, message: string): HttpResponseError =>
  new HttpResponseError({ response: { status: 400, headers: {}, body: { [field]: [message] } } })

export const messageErrors = {
  malformedRequest: responseError(400, "The request is malformed."),
  malformedUrl: responseError(400, "The URL is malformed."),
  malformedJson: responseError(400, "JSON parse error: the body is not valid JSON."),
  malformedForm: responseError(400, "Form parse error: the body is not a valid form."),
  malformedQuery: responseError(400, "The query is malformed."),
  malformedText: responseError(400, "The body is not valid UTF-8."),
  tooManyParts: (limit: number) => responseError(400, `The request has more than ${limit} fields.`),
  forbiddenKey: responseError(400, 'The key "__proto__" is not allowed.'),
  tooDeep: responseError(400, "The body is nested too deeply."),
  tooManyValues: (limit: number) => responseError(400, `The body has more than ${limit} values.`),
  alreadyRead: responseError(
    500,
    "The body was read before Earshot's listener got the request. Mount the listener before body parsers, or leave the parsed JSON or form, or the bytes of any other body, in request.body."
  ),
  notFound: responseError(404, "Not found."),
  methodNotAllowed: (method: string, allow: string) => responseError(405, `Method "${method}" not allowed.`, { allow }),
  timeout: responseError(408, "The request timed out before it was received completely."),
  tooLarge: (limit: number) => responseError(413, `The body has more than ${limit} bytes.`),
  unsupportedMediaType: (type: string) => responseError(415, `Unsupported media type "${type}" in request.`),
  unsupportedCharset: (charset: string) =>
    responseError(415, `Unsupported charset "${charset}" in request: use UTF-8.`),
  unsupportedCoding: (coding: string) =>
    responseError(415, `Unsupported content coding "${coding}" in request.`, { "accept-encoding": "identity" }),
  otherOrigin: responseError(403, "Sign in from a page of this server: requests of other origins are refused."),
  readOnly: responseError(403, "Repositories are read-only: pushing is not supported."),
  rangeNotSatisfiable: (sizeBytes: number) =>
    responseError(416, `The range lies beyond the ${sizeBytes} bytes of the recording.`, {
      "content-range": `bytes */${sizeBytes}`
    }),
  expectationFailed: responseError(417, "The expectation is not supported: only 100-continue is."),
  headTooLarge: responseError(431, "The URL or the headers are too large."),
  busy: unavailable("busy", BUSY),
  tooManyBytes: unavailable("request_bytes", BUSY),
  tookTooLong: (seconds: number) =>
    unavailable("answer_time", `The request was not completed within ${seconds} seconds.`),
  notReady: (body: object) =>
    new HttpResponseError({ response: { status: 503, headers: retryAfter(1), body, reason: "not_ready" } })
} as const

export const notFound = (resource: string): NotFound => new NotFound({ resource })
