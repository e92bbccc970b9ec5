/** Connections whose request cannot be parsed, is too slow, or ends before its response does. */
import type { IncomingMessage } from "node:http"
import type { Socket } from "node:net"
import { messageErrors } from "./ErrorResponses.js"
import type { HttpLimits } from "./Limits.js"
import type { HeaderFields } from "./SecurityHeaders.js"

/** Responds to a message that is not valid HTTP or too slow. There is no request object, so the response is written as text. */
export const handleClientError = (
  error: Error & { readonly code?: string },
  socket: Socket,
  headers: HeaderFields
): void => {
  if (error.code === "ECONNRESET" || !socket.writable) {
    socket.destroy()
    return
  }
  const { body, status } = clientErrorResponse(error.code ?? "").response
  const text = JSON.stringify(body)
  socket.end(
    [
      `HTTP/1.1 ${status} ${REASON_PHRASES[status] ?? "Bad Request"}`,
      "connection: close",
      "content-type: application/json; charset=utf-8",
      `content-length: ${Buffer.byteLength(text)}`,
      ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
      "",
      text
    ].join("\r\n")
  )
}

const REASON_PHRASES: Readonly<Record<number, string>> = {
  408: "Request Timeout",
  431: "Request Header Fields Too Large"
}

const clientErrorResponse = (code: string) => {
  switch (code) {
    case "ERR_HTTP_REQUEST_TIMEOUT":
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
