/** Error bodies. Source: interface, Errors; design, errors in general. */

export const errorSchemas = {
  FieldErrors: {
    type: "object",
    description:
      "Error messages by field path, such as `filters.conditions[2].op`. Errors that belong to no field are under " +
      "`non_field_errors`.",
    minProperties: 1,
    additionalProperties: { type: "array", minItems: 1, items: { type: "string" } }
  },
  Detail: {
    type: "object",
    required: ["detail"],
    properties: { detail: { type: "string", description: "The error message." } }
  },
  ServerError: {
    type: "object",
    required: ["detail", "request_id"],
    properties: {
      detail: { type: "string", description: "The error message." },
      request_id: { type: "string", description: "Identifies the request in the server's log." }
    }
  }
}

const jsonContent = (schema: object, example: object) => ({ "application/json": { schema, example } })

const reference = (name: keyof typeof errorSchemas) => ({ $ref: `#/components/schemas/${name}` })

const detailResponse = (description: string, sentence: string, headers?: object) => ({
  description,
  ...(headers === undefined ? {} : { headers }),
  content: jsonContent(reference("Detail"), { detail: sentence })
})

const retryAfter = {
  "Retry-After": { description: "Seconds after which to try again.", schema: { type: "integer", minimum: 1 } }
}

export const errorResponses = {
  Invalid: {
    description: "Invalid input. Every field error is reported. A malformed request has a `detail` instead.",
    content: jsonContent(
      { anyOf: [reference("FieldErrors"), reference("Detail")] },
      { call_id: ["This field is required."] }
    )
  },
  Unauthenticated: detailResponse("Missing or invalid credential.", "Authentication credentials were not provided.", {
    "WWW-Authenticate": { description: "The accepted authentication schemes.", schema: { type: "string" } }
  }),
  Forbidden: detailResponse(
    "Missing permission.",
    "You do not have permission to perform this action (needs calls:write)."
  ),
  NotFound: detailResponse(
    "The resource does not exist, or is not accessible to the caller.",
    "No Project matches the given query."
  ),
  Conflict: detailResponse(
    "The request conflicts with the current state.",
    "There is no active connection to a code host."
  ),
  TooLarge: detailResponse("The body is too large.", "The body has more than 10485760 bytes."),
  UnsupportedMediaType: detailResponse("Unsupported media type.", 'Unsupported media type "text/plain" in request.'),
  UrlInvalid: detailResponse(
    "The signed URL is malformed, forged or expired.",
    "The URL is invalid or has expired. Request a new one."
  ),
  RangeNotSatisfiable: detailResponse(
    "The requested range lies beyond the end.",
    "The range lies beyond the 128044 bytes of the recording.",
    { "Content-Range": { description: "The size, as `bytes */128044`.", schema: { type: "string" } } }
  ),
  ExpectationFailed: detailResponse(
    "The header Expect asks for something other than `100-continue`.",
    "The expectation is not supported: only 100-continue is."
  ),
  HeadersTooLarge: detailResponse(
    "The URL and the headers are too large together, such as a long `filters_v2`.",
    "The URL or the headers are too large."
  ),
  QueryTimedOut: detailResponse(
    "The query ran longer than its time limit and was ended. Retrying does not help.",
    "The query took longer than 10 seconds and was ended. Use a shorter period of time or a simpler filter."
  ),
  RateLimited: detailResponse(
    "Rate limit exceeded.",
    "Request was throttled. Expected available in 3 seconds.",
    retryAfter
  ),
  ServerError: {
    description: "Internal error. The server's log contains details under the same `request_id`.",
    content: jsonContent(reference("ServerError"), {
      detail: "A server error occurred.",
      request_id: "4f1d2c3b5a69-1z"
    })
  },
  CodeHostFailed: detailResponse(
    "The code host failed, is unreachable, or rejected the connection.",
    "The code host refuses the connection's credential (HTTP 401).",
    retryAfter
  ),
  Busy: detailResponse(
    "Temporarily unavailable. Retry after the given time.",
    "The service is busy. Try again in a moment.",
    retryAfter
  ),
  NotReady: {
    description: "The server is not ready. The body states which check failed and why.",
    headers: retryAfter,
    content: jsonContent(
      { $ref: "#/components/schemas/Readiness" },
      {
        status: "not_ready",
        checks: {
          database: { status: "failed", detail: "The database cannot be reached or written." },
          schema: { status: "ok", detail: null },
          recordings: { status: "ok", detail: null },
          shutdown: { status: "ok", detail: null }
        }
      }
    )
  },
  StorageFull: detailResponse(
    "The database has no space left. An operator has to act.",
    "The database has no space left: its disk is full."
  )
}

export type ErrorName = keyof typeof errorResponses
