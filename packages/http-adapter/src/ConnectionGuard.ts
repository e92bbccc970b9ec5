/** Limits of open connections: in total, by address, and for addresses whose clients have not been authenticated. */
import type { Socket } from "node:net"
import type { HttpLimits } from "./Limits.js"

/** Why a connection was rejected, or closed for another one. */
export type ClosedConnection = "rejected_total" | "rejected_address" | "closed_for_new"

export interface ConnectionGuard {
  /** Registers a new connection; closes it, or another one that waits, if a limit is reached. */
  readonly open: (socket: Socket) => void
  /** A request's headers have arrived, or its response has been sent. */
  readonly beginRequest: (socket: Socket) => void
  readonly endRequest: (socket: Socket) => void
  /** A caller at this address presented a valid credential: its connections may use the reserve. */
  readonly admit: (address: string) => void
  readonly openConnections: () => number
  readonly closed: (reason: ClosedConnection) => number
}

/** The part of the connections that is reserved for addresses whose callers were authenticated. */
const RESERVED = 0.1

/** How long an address may use the reserve after a valid credential, and how many addresses are remembered. */
const ADMITTED_MILLIS = 10 * 60_000
const ADMITTED_ADDRESSES = 10_000

interface Connection {
  readonly socket: Socket
  readonly address: string
  requests: number
  /** Whether a request was ever received completely enough to be routed. */
  isFresh: boolean
}

/** Connections without a request in flight. Those that never sent one are closed first, and among them the oldest. */
class Waiting {
  readonly fresh = new Set<Connection>()
  readonly idle = new Set<Connection>()

  add(connection: Connection): void {
    ;(connection.isFresh ? this.fresh : this.idle).add(connection)
  }

  delete(connection: Connection): void {
    this.fresh.delete(connection)
    this.idle.delete(connection)
  }

  oldest(): Connection | undefined {
    return this.fresh.values().next().value ?? this.idle.values().next().value
  }
}

/**
 * @param isExempt whether an address is that of a trusted proxy, which many clients share: it is limited in total only
 */
export const makeConnectionGuard = (
  limits: Pick<HttpLimits, "connections" | "connectionsPerAddress">,
  isExempt: (address: string) => boolean,
  now: () => number = Date.now
): ConnectionGuard => {
  const connections = new Map<Socket, Connection>()
  const byAddress = new Map<string, { count: number; readonly waiting: Waiting }>()
  const strangers = new Waiting()
  const known = new Waiting()
  const admittedAt = new Map<string, number>()
  const closed: Record<ClosedConnection, number> = { rejected_total: 0, rejected_address: 0, closed_for_new: 0 }

  const isAdmitted = (address: string): boolean => {
    const at = admittedAt.get(address)
    return at !== undefined && now() - at < ADMITTED_MILLIS
  }

  const wait = (connection: Connection): void => {
    byAddress.get(connection.address)?.waiting.add(connection)
    ;(isAdmitted(connection.address) ? known : strangers).add(connection)
  }

  const stopWaiting = (connection: Connection): void => {
    byAddress.get(connection.address)?.waiting.delete(connection)
    strangers.delete(connection)
    known.delete(connection)
  }

  const remove = (connection: Connection): void => {
    if (!connections.delete(connection.socket)) return
    stopWaiting(connection)
    const group = byAddress.get(connection.address)
    if (group !== undefined && --group.count === 0) byAddress.delete(connection.address)
  }

  /** Closes a waiting connection for a new one; false if there is none. */
  const makeRoom = (victim: Connection | undefined): boolean => {
    if (victim === undefined) return false
    closed.closed_for_new++
    remove(victim)
    victim.socket.destroy()
    return true
  }

  /** The reason to reject a new connection, after closing one that waits if that helps. */
  const refusal = (address: string): ClosedConnection | undefined => {
    const group = byAddress.get(address)
    if (group !== undefined && group.count >= limits.connectionsPerAddress && !isExempt(address)) {
      return makeRoom(group.waiting.oldest()) ? undefined : "rejected_address"
    }
    const mayUseReserve = isAdmitted(address)
    const most = mayUseReserve ? limits.connections : Math.ceil(limits.connections * (1 - RESERVED))
    if (connections.size < most) return undefined
    return makeRoom(strangers.oldest()) || (mayUseReserve && makeRoom(known.oldest())) ? undefined : "rejected_total"
  }

  return {
    open: (socket) => {
      const address = socket.remoteAddress ?? ""
      const reason = refusal(address)
      if (reason !== undefined) {
        closed[reason]++
        socket.destroy()
        return
      }
      const connection: Connection = { socket, address, requests: 0, isFresh: true }
      const group = byAddress.get(address)
      if (group === undefined) byAddress.set(address, { count: 1, waiting: new Waiting() })
      else group.count++
      connections.set(socket, connection)
      wait(connection)
      socket.once("close", () => {
        remove(connection)
      })
    },
    beginRequest: (socket) => {
      const connection = connections.get(socket)
      if (connection === undefined) return
      stopWaiting(connection)
      connection.isFresh = false
      connection.requests++
    },
    endRequest: (socket) => {
      const connection = connections.get(socket)
      if (connection === undefined || --connection.requests > 0) return
      wait(connection)
    },
    admit: (address) => {
      const oldest = admittedAt.size >= ADMITTED_ADDRESSES ? admittedAt.keys().next().value : undefined
      if (oldest !== undefined && !admittedAt.has(address)) admittedAt.delete(oldest)
      admittedAt.set(address, now())
    },
    openConnections: () => connections.size,
    closed: (reason) => closed[reason]
  }
}
