/** Responses with bytes that clients may request in part (RFC 9110, sections 13 and 14). */
import type { IncomingHttpHeaders } from "node:http"
import * as Effect from "effect/Effect"
import type * as Stream from "effect/Stream"
import type { SuccessResponse } from "./Endpoint.js"
import { type HttpResponseError, messageErrors } from "./ErrorResponses.js"
import { streamResponse } from "./StreamResponse.js"

/** Bytes that can be read from any position. */
export interface RangedContent<E> {
  readonly type: string
  readonly sizeBytes: number
  /** Identifies these bytes; a quoted text. */
  readonly etag: string
  readonly headers?: Readonly<Record<string, string>>
  /** The bytes from `start` up to, and not including, `end`; all of them by default. */
  readonly read: (range?: { readonly start: number; readonly end: number }) => Stream.Stream<Uint8Array, E>
}

/** What to send: everything, a part, nothing because the client has it, or nothing because there is no such part. */
export type RangeDecision =
  | { readonly send: "all" }
  | { readonly send: "part"; readonly start: number; readonly end: number }
  | { readonly send: "not_modified" }
  | { readonly send: "unsatisfiable" }

/** The headers that decide it. */
export interface RangeHeaders {
  readonly range?: string | undefined
  readonly "if-none-match"?: string | undefined
  readonly "if-range"?: string | ReadonlyArray<string> | undefined
}

const tagsOf = (header: string): ReadonlyArray<string> => header.split(",").map((tag) => tag.trim().replace(/^W\//, ""))

/** One range of bytes: from a position, optionally to another, or a number of bytes at the end. */
const RANGE = /^bytes=\s*(?:(\d+)-(\d*)|-(\d+))\s*$/i

/** The decision for a header `Range` (RFC 9110, section 14.1.2), which is ignored if it is malformed. */
const partOf = (range: string, sizeBytes: number): RangeDecision => {
  const [matched, first, last = "", suffix] = RANGE.exec(range) ?? []
  if (matched === undefined) return { send: "all" }
  const start = first === undefined ? Math.max(0, sizeBytes - Number(suffix)) : Number(first)
  const end = last === "" ? sizeBytes : Math.min(sizeBytes, Number(last) + 1)
  if (last !== "" && Number(last) < start) return { send: "all" }
  return start >= sizeBytes ? { send: "unsatisfiable" } : { send: "part", start, end }
}

/**
 * Decides by the headers `If-None-Match`, `Range` and `If-Range`. Malformed ranges, other units than bytes and several ranges
 * are answered with everything, as the specification allows; so are ranges of other bytes than these (`If-Range`).
 */
export const decideRange = (headers: RangeHeaders, sizeBytes: number, etag: string): RangeDecision => {
  const known = headers["if-none-match"]
  if (known !== undefined && (known.trim() === "*" || tagsOf(known).includes(etag))) return { send: "not_modified" }
  const { range } = headers
  const condition = headers["if-range"]
  // A weak tag, or a date, does not prove that these are the bytes that the client has a part of.
  return range === undefined || (condition !== undefined && condition.toString().trim() !== etag)
    ? { send: "all" }
    : partOf(range, sizeBytes)
}

/**
 * Sends bytes, or the part of them that the headers ask for. A request for headers reads none, and is about all bytes: ranges
 * are defined for GET alone (RFC 9110, section 14.2).
 */
export const rangedResponse = <E>(
  { headers, isHead }: { readonly headers: IncomingHttpHeaders; readonly isHead: boolean },
  { etag, headers: own, read, sizeBytes, type }: RangedContent<E>
): Effect.Effect<SuccessResponse, E | HttpResponseError> => {
  const decision = decideRange(isHead ? { ...headers, range: undefined } : headers, sizeBytes, etag)
  const common = { ...own, etag, "accept-ranges": "bytes" }
  switch (decision.send) {
    case "unsatisfiable":
      return Effect.fail(messageErrors.rangeNotSatisfiable(sizeBytes))
    case "not_modified":
      return Effect.succeed({ status: 304, headers: common })
    case "all":
    case "part": {
      const { end, start } = decision.send === "part" ? decision : { start: 0, end: sizeBytes }
      const head = {
        status: decision.send === "part" ? (206 as const) : (200 as const),
        headers: {
          ...common,
          "content-type": type,
          "content-length": String(end - start),
          ...(decision.send === "part" ? { "content-range": `bytes ${start}-${end - 1}/${sizeBytes}` } : {})
        }
      }
      return isHead
        ? Effect.succeed(head)
        : streamResponse(type, decision.send === "part" ? read({ start, end }) : read(), head)
    }
  }
}
