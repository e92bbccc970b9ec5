/** What the server takes of one request and one connection. Every figure can be set by the operator. */
export interface HttpLimits {
  /** Bytes of a JSON or form body. */
  readonly bodyBytes: number
  /** Bytes of a multipart body, files included. */
  readonly multipartBytes: number
  /** Bytes of all bodies together that are held at a time; beyond, callers are asked to come back. */
  readonly bytesInFlight: number
  /** Parts of a multipart body, and fields of a form or a query. */
  readonly parts: number
  /**
   * Bytes of a request's address and headers together. Filters come in addresses; but all connections may hold so much at
   * a time, for as long as headers may take to arrive.
   */
  readonly headBytes: number
  /** How deep a JSON text may nest, and how many values it may hold. */
  readonly jsonDepth: number
  readonly jsonNodes: number
  /** Milliseconds for a request's headers, and for all of it, to arrive. */
  readonly headersMillis: number
  readonly requestMillis: number
  /** Milliseconds without a byte in either direction after which a connection is dropped. */
  readonly idleMillis: number
  /** Milliseconds that a connection is kept open for the next request. */
  readonly keepAliveMillis: number
  /** Milliseconds for which the rest of a refused body is read and thrown away, so that its sender sees the answer. */
  readonly lingerMillis: number
  /** Open connections; more are dropped. */
  readonly connections: number
  /** Milliseconds that requests in flight are given to finish when the server closes. */
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
  headersMillis: 10_000,
  requestMillis: 60_000,
  idleMillis: 120_000,
  keepAliveMillis: 5_000,
  lingerMillis: 5_000,
  connections: 10_000,
  graceMillis: 30_000
}
