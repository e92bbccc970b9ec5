import * as Data from "effect/Data"

/** Why there is no response. */
export type OutboundReason =
  /** Not an absolute URL, or one of a scheme other than http and https. */
  | { readonly is: "InvalidUrl" }
  | { readonly is: "UnsupportedScheme" }
  /** A header that HTTP does not allow. */
  | { readonly is: "InvalidRequest" }
  /** The host, or the name it resolves to, has a private address, and the operator does not allow it. */
  | { readonly is: "AddressNotPublic" }
  /** The connection failed; `code` is Node's, such as `ECONNREFUSED`. */
  | { readonly is: "Unreachable"; readonly code: string | undefined }
  /** The connection was closed, or switched to another protocol, without a response. */
  | { readonly is: "NoResponse" }
  /** The connection failed in the middle of the body. */
  | { readonly is: "Incomplete"; readonly code: string | undefined }
  | { readonly is: "TimedOut"; readonly seconds: number }
  /** Nothing came for so long. */
  | { readonly is: "Idle"; readonly seconds: number }
  | { readonly is: "TooLarge"; readonly maxBytes: number }
  | { readonly is: "TooManyRedirects"; readonly maxRedirects: number }
  | { readonly is: "InvalidRedirect" }
  /** A content encoding that was not requested. */
  | { readonly is: "Encoded" }

/** A request without a usable response. It repeats nothing of the request, which holds secrets, and nothing of the response. */
export class OutboundError extends Data.TaggedError("OutboundError")<{ readonly reason: OutboundReason }> {
  /** A predicate to put after the name of the other side: `cannot be reached (ECONNREFUSED)`. */
  override get message(): string {
    return predicateOf(this.reason)
  }
}

const PASSING_STATUSES: ReadonlyArray<number> = [408, 429, 500, 502, 503, 504]
const PASSING_REASONS: ReadonlyArray<OutboundReason["is"]> = ["Unreachable", "NoResponse", "Incomplete", "Idle"]

/** Whether the same request may succeed a moment later, by the status of its response or the reason why there is none. */
export const mayPass = (outcome: { readonly status: number } | OutboundError): boolean =>
  "status" in outcome ? PASSING_STATUSES.includes(outcome.status) : PASSING_REASONS.includes(outcome.reason.is)

const predicateOf = (reason: OutboundReason): string => {
  switch (reason.is) {
    case "InvalidUrl":
      return "has no valid URL"
    case "UnsupportedScheme":
      return "can be reached over http and https only"
    case "InvalidRequest":
      return "cannot be sent these headers"
    case "AddressNotPublic":
      return "has no public address; the operator can allow its host by name"
    case "Unreachable":
      return `cannot be reached${suffixOf(reason.code)}`
    case "NoResponse":
      return "sent no response"
    case "Incomplete":
      return `closed the connection before the end of its response${suffixOf(reason.code)}`
    case "TimedOut":
      return `took longer than ${reason.seconds} seconds`
    case "Idle":
      return `sent nothing for ${reason.seconds} seconds`
    case "TooLarge":
      return `sent more than ${reason.maxBytes} bytes`
    case "TooManyRedirects":
      return `redirected more than ${reason.maxRedirects} times`
    case "InvalidRedirect":
      return "redirected to an invalid URL"
    case "Encoded":
      return "sent a compressed response, which was not requested"
  }
}

const suffixOf = (code: string | undefined): string => (code === undefined ? "" : ` (${code})`)
