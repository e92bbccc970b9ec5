/** What the server takes of one request and one connection. Every figure can be set by the operator. */
export interface HttpLimits {
  /** Bytes of a JSON or form body. */
  readonly bodyBytes: number
  /** Bytes of a multipart body, files included. */
  readonly multipartBytes: number
  /** Parts of a multipart body, and fields of a form. */
  readonly parts: number
  /** How deep a JSON body may nest. */
  readonly jsonDepth: number
  /** Milliseconds for a request's headers, and for all of it, to arrive. */
  readonly headersMillis: number
  readonly requestMillis: number
  /** Open connections; more are refused. */
  readonly connections: number
  /** Milliseconds that requests in flight are given to finish when the server closes. */
  readonly graceMillis: number
}

export const defaultLimits: HttpLimits = {
  bodyBytes: 10 * 1024 * 1024,
  multipartBytes: 64 * 1024 * 1024,
  parts: 100,
  jsonDepth: 100,
  headersMillis: 10_000,
  requestMillis: 60_000,
  connections: 10_000,
  graceMillis: 30_000
}
