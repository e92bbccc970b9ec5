import type { PoolClient } from "pg"
import { connect } from "node:net"
import { serverAddress } from "./serverAddress.js"

/** An SSLRequest: its length and code. Source: PostgreSQL's documentation, Message Formats. */
const SSL_REQUEST = Buffer.from([0, 0, 0, 8, 4, 210, 22, 47])

/** How long the server has to answer, in milliseconds. */
const TIMEOUT = 1000

/**
 * Whether a connection's server answers at all, by a request on a new connection that it answers with one byte, before
 * encryption and passwords. A server that is frozen, or that cannot be reached any more, does not. Returns what withdraws
 * the question.
 */
export const checkServer = (client: PoolClient, onAnswer: (answers: boolean) => void): (() => void) => {
  const address = serverAddress(client)
  if (address === undefined) {
    onAnswer(true)
    return () => undefined
  }
  let isOver = false
  const finish = (answers: boolean) => {
    if (isOver) return
    isOver = true
    clearTimeout(timer)
    socket.destroy()
    onAnswer(answers)
  }
  // What has arrived is read first: this process may have been busy.
  const timer = setTimeout(() => setImmediate(() => finish(false)), TIMEOUT)
  const socket = connect(address)
  socket.on("error", () => finish(false))
  socket.on("close", () => finish(false))
  socket.once("data", () => finish(true))
  socket.write(SSL_REQUEST)
  return () => {
    isOver = true
    clearTimeout(timer)
    socket.destroy()
  }
}
