import type { PoolClient } from "pg"
import { connect } from "node:net"
import { serverAddress } from "./serverAddress.js"

/** The code of a CancelRequest. Source: PostgreSQL's documentation, Message Formats. */
const CANCEL_REQUEST = 80877102

/** How long the server has to accept the request, in milliseconds. */
const TIMEOUT = 1000

/**
 * Asks the server to cancel the statement that runs on a connection, by a connection of its own: the pool may have none to
 * spare. It is sent without TLS, as libpq does: the server takes the request before it asks for encryption or a password,
 * and the key in it is of this connection alone. If it fails, the statement runs into its limit.
 *
 * The request names a connection, not a statement: one that the server handles after the statement has ended cancels the
 * next statement there. The server closes the request's connection once it has handled it, which `onHandled` reports;
 * with false if that is not known, so that the connection must not be used again.
 */
export const cancelStatement = (client: PoolClient, onHandled: (isHandled: boolean) => void): void => {
  const address = serverAddress(client)
  // node-postgres keeps them as properties that its types leave out.
  const processId: unknown = Reflect.get(client, "processID")
  const secretKey: unknown = Reflect.get(client, "secretKey")
  if (address === undefined || typeof processId !== "number" || typeof secretKey !== "number") {
    onHandled(false)
    return
  }
  const request = Buffer.alloc(16)
  request.writeInt32BE(16, 0)
  request.writeInt32BE(CANCEL_REQUEST, 4)
  request.writeInt32BE(processId, 8)
  request.writeInt32BE(secretKey, 12)
  let isHandled = false
  const socket = connect(address)
  socket.on("error", () => undefined)
  socket.on("end", () => {
    isHandled = true
  })
  socket.on("close", () => onHandled(isHandled))
  socket.setTimeout(TIMEOUT, () => socket.destroy())
  // The end is reported to those who read.
  socket.resume()
  // Not ended: what is between here and the server may close both directions then.
  socket.write(request)
}
