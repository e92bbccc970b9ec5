/** The bodies of errors. Source: interface, Errors; design, errors in general. */

export const errorSchemas = {
  FieldErrors: {
    type: "object",
    description:
      "What is wrong, under the path of each field, such as `filters.conditions[2].op`; under `non_field_errors` what " +
      "fits no field.",
    minProperties: 1,
    additionalProperties: { type: "array", minItems: 1, items: { type: "string" } }
  },
  Detail: {
    type: "object",
    required: ["detail"],
    properties: { detail: { type: "string" } }
  },
  ServerError: {
    type: "object",
    required: ["detail", "request_id"],
    properties: {
      detail: { type: "string" },
      request_id: { type: "string", description: "Under this id the log says more." }
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
    description:
      "The input breaks the rules of its kind; every fault is told. A body that cannot be read has a `detail`.",
    content: jsonContent(
      { anyOf: [reference("FieldErrors"), reference("Detail")] },
      { call_id: ["This field is required."] }
    )
  },
  Unauthenticated: detailResponse(
    "No credential that is accepted here.",
    "Authentication credentials were not provided.",
    {
      "WWW-Authenticate": { description: "The ways in.", schema: { type: "string" } }
    }
  ),
  Forbidden: detailResponse(
    "The credential lacks a permission.",
    "You do not have permission to perform this action (needs calls:write)."
  ),
  NotFound: detailResponse("There is no such thing, or not for this caller.", "No Project matches the given query."),
  Conflict: detailResponse(
    "Things are not as this request needs them.",
    "There is no active connection to a code host."
  ),
  TooLarge: detailResponse("The body is too large.", "The body has more than 10485760 bytes."),
  UnsupportedMediaType: detailResponse(
    "The body is of a type that is not accepted here.",
    'Unsupported media type "text/plain" in request.'
  ),
  RateLimited: detailResponse(
    "The credential made more requests than it may.",
    "Request was throttled. Expected available in 3 seconds.",
    retryAfter
  ),
  ServerError: {
    description: "A failure of the service. The log says more under the same id.",
    content: jsonContent(reference("ServerError"), {
      detail: "A server error occurred.",
      request_id: "4f1d2c3b5a69-1z"
    })
  },
  CodeHostFailed: detailResponse(
    "The code host failed, cannot be reached, or refuses the connection.",
    "The code host refuses the connection's credential (HTTP 401).",
    retryAfter
  ),
  Busy: detailResponse(
    "The service is busy; the same request may work in a moment.",
    "The service is busy. Try again in a moment.",
    retryAfter
  )
}

export type ErrorName = keyof typeof errorResponses
