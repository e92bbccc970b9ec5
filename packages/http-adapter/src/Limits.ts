/** Limits of requests and connections. The operator can set each of them. */
export interface HttpLimits {
  /** Largest JSON or form body in bytes. */
  readonly bodyBytes: number
  /** Largest multipart body in bytes, files included. */
  readonly multipartBytes: number
  /** Bytes of all bodies in memory at a time; requests beyond it are answered with 503. */
  readonly bytesInFlight: number
  /** Most parts of a multipart body, and most fields of a form or a query. */
  readonly parts: number
  /**
   * Bytes of a request's URL and headers together. Filters are part of URLs; on the other hand every connection may hold
   * this much memory for as long as `headersMillis`.
   */
  readonly headBytes: number
  /** Deepest nesting, and most values, of a JSON text. */
  readonly jsonDepth: number
  readonly jsonNodes: number
  /** Milliseconds in which a request's headers, and the complete request, must arrive. */
  readonly headersMillis: number
  readonly requestMillis: number
  /** Milliseconds without a byte in either direction after which a connection is dropped. */
  readonly idleMillis: number
  /** Milliseconds an idle connection is kept open for the next request. */
  readonly keepAliveMillis: number
  /** Milliseconds for which the rest of a rejected body is read and discarded, so that the client can read the response. */
  readonly lingerMillis: number
  /**
   * Bytes of stored documents in memory for responses, of an organization and of all. Beyond it further reads are answered
   * with 503. An organization may read one larger document at a time.
   */
  readonly organizationResponseBytes: number
  readonly responseBytes: number
  /** Milliseconds in which a client that reads a large response or an export must take the next 32 KiB. */
  readonly stallMillis: number
  /** Milliseconds in which a request must be answered; for a streamed response, in which it must begin. */
  readonly answerMillis: number
  /**
   * Most open connections. Beyond it, connections that wait for a request are closed for new ones, the oldest first. A tenth
   * is reserved for addresses from which a valid credential was sent within the last ten minutes.
   */
  readonly connections: number
  /** Most connections of one address, unless it is a trusted proxy's. */
  readonly connectionsPerAddress: number
  /** Milliseconds in which requests in flight may finish when the server closes. */
  readonly graceMillis: number
}

export const defaultLimits: HttpLimits = {
  bodyBytes: 10 * 1024 * 1024,
  multipartBytes: 64 * 1024 * 1024,
  bytesInFlight: 512 * 1024 * 1024,
  parts: 1000,
  headBytes: 64 * 1024,
  jsonDepth: 100,
  jsonNodes: 1_000_000,
  headersMillis: 5_000,
  requestMillis: 60_000,
  idleMillis: 120_000,
  keepAliveMillis: 5_000,
  lingerMillis: 5_000,
  organizationResponseBytes: 32 * 1024 * 1024,
  responseBytes: 128 * 1024 * 1024,
  stallMillis: 30_000,
  answerMillis: 60_000,
  connections: 10_000,
  connectionsPerAddress: 2_000,
  graceMillis: 30_000
}

/** The longest time that a timer of Node takes, in milliseconds: longer ones end at once. */
const MAX_MILLIS = 2 ** 31 - 1

/** The largest text and buffer that Node handles. */
const MAX_BYTES = Number.MAX_SAFE_INTEGER

/** Node's largest size of a request's head. */
const MAX_HEAD_BYTES = 2 ** 31 - 1

const mostOf = (name: string): number =>
  name === "headBytes" ? MAX_HEAD_BYTES : name.endsWith("Millis") ? MAX_MILLIS : MAX_BYTES

/** What is wrong with limits, one message each; empty if nothing is. */
export const limitErrors = (limits: HttpLimits): ReadonlyArray<string> => [
  ...Object.entries(limits).flatMap(([name, value]: [string, unknown]) =>
    typeof value === "number" && Number.isSafeInteger(value) && value >= 1 && value <= mostOf(name)
      ? []
      : [`limits.${name}: Ensure this value is an integer from 1 to ${mostOf(name)}.`]
  ),
  ...(limits.headersMillis > limits.requestMillis
    ? ["limits.headersMillis: Ensure this value is at most requestMillis: the headers are a part of the request."]
    : []),
  ...(limits.organizationResponseBytes > limits.responseBytes
    ? ["limits.organizationResponseBytes: Ensure this value is at most responseBytes, which is for all organizations."]
    : []),
  ...(Math.max(limits.bodyBytes, limits.multipartBytes) > limits.bytesInFlight
    ? ["limits.bytesInFlight: Ensure this value is at least bodyBytes and multipartBytes, or no such body is accepted."]
    : [])
]

/** The default limits with those that are given. Throws a `TypeError` that says what is wrong with them. */
export const makeLimits = (given: Partial<HttpLimits> = {}): HttpLimits => {
  const known = Object.entries(given).filter(([, value]: [string, unknown]) => value !== undefined)
  const unknown = known.flatMap(([name]) => (name in defaultLimits ? [] : [`limits.${name}: There is no such limit.`]))
  const limits = { ...defaultLimits, ...Object.fromEntries(known) }
  const errors = [...unknown, ...limitErrors(limits)]
  if (errors.length > 0) throw new TypeError(errors.join("\n"))
  return limits
}
