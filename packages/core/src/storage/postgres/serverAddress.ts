import type { PoolClient } from "pg"
import type { NetConnectOpts } from "node:net"

/** Where a connection's server listens; undefined if the driver does not say. */
export const serverAddress = (client: PoolClient): NetConnectOpts | undefined => {
  // node-postgres keeps them as properties that its types leave out.
  const host: unknown = Reflect.get(client, "host")
  const port: unknown = Reflect.get(client, "port")
  if (typeof host !== "string") return undefined
  return host.startsWith("/") ? { path: `${host}/.s.PGSQL.${String(port)}` } : { host, port: Number(port) }
}
