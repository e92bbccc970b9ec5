/** Connections whose request cannot be parsed, is too slow, or ends before its response does. */
import type { IncomingMessage } from "node:http"
import type { Duplex } from "node:stream"
import { messageErrors } from "./ErrorResponses.js"
import type { HttpLimits } from "./Limits.js"
import type { HeaderFields } from "./SecurityHeaders.js"

type Connection = Pick<Duplex, "destroy" | "end" | "pause" | "resume" | "writable">

const TOO_SLOW = "ERR_HTTP_REQUEST_TIMEOUT"

/** The client has closed the connection, perhaps amid a message. */
const CLOSED_BY_CLIENT = new Set(["ECONNRESET", "HPE_INVALID_EOF_STATE"])

/**
 * Connections that were too slow and are closed in one turn of the event loop. Node reports thousands of them at once, and
 * closing all of those would keep every request waiting for half a second.
 */
const CLOSED_PER_TURN = 50

/** Responds to messages that are not valid HTTP or too slow, and closes their connections. */
export const makeClientErrorHandler = (
  headers: HeaderFields
): ((error: Error & { readonly code?: string }, connection: Connection) => void) => {
  const slow: Array<Connection> = []
  const closeSlow = (): void => {
    for (const connection of slow.splice(0, CLOSED_PER_TURN)) {
      // Not when the client closes its side: thousands that do so at once would keep every request waiting as well.
      respond(TOO_SLOW, connection, headers, () => connection.destroy())
      connection.resume()
    }
    if (slow.length > 0) setImmediate(closeSlow)
  }
  return (error, connection) => {
    if (error.code !== TOO_SLOW) {
      respond(error.code ?? "", connection, headers)
      return
    }
    // Its request could be complete before it is closed, and then it would be served.
    connection.pause()
    if (slow.push(connection) === 1) setImmediate(closeSlow)
  }
}

/** There is no request object, so the response is written as text. */
const respond = (code: string, connection: Connection, headers: HeaderFields, onSent?: () => void): void => {
  if (CLOSED_BY_CLIENT.has(code) || !connection.writable) {
    connection.destroy()
    return
  }
  const { body, status } = clientErrorResponse(code).response
  const text = JSON.stringify(body)
  connection.end(
    [
      `HTTP/1.1 ${status} ${REASON_PHRASES[status] ?? "Bad Request"}`,
      "connection: close",
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(text)}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      "",
      text
    ].join("\r\n"),
    onSent
  )
}

const REASON_PHRASES: Readonly<Record<number, string>> = {
  408: "Request Timeout",
  431: "Request Header Fields Too Large"
}

const clientErrorResponse = (code: string) => {
  switch (code) {
    case TOO_SLOW:
      return messageErrors.timeout
    case "HPE_HEADER_OVERFLOW":
      return messageErrors.headTooLarge
    default:
      return messageErrors.malformedRequest
  }
}

/**
 * Reads and discards the rest of a request that was answered before it had arrived completely, for `limits.lingerMillis`
 * at most. Closing at once would reset the connection before the client had read the response.
 */
export const discardRest = (message: IncomingMessage, limits: HttpLimits): void => {
  const { socket } = message
  if (socket.destroyed) return
  const timer = setTimeout(() => socket.destroy(), limits.lingerMillis)
  timer.unref()
  const stop = () => {
    clearTimeout(timer)
  }
  message.once("end", stop).once("close", stop).resume()
}
