/** Requests of the organization that disturbs the others. */
import { once } from "node:events"
import { connect, type Socket } from "node:net"
import * as Schema from "effect/Schema"
import { send, type Sent } from "./Load.js"
import type { Tenant } from "./ServerProcess.js"

export const CALLS = "/observability/v1/call-logs/"

const Created = Schema.parseJson(Schema.Struct({ id: Schema.Int }))

export const offenderAt = (url: string, { key }: Tenant) => ({
  get: (path: string, patience?: number): Promise<Sent> => send(url + path, { key, agent: false, patience }),
  post: (path: string, body: object): Promise<Sent> =>
    send(url + path, { key, json: JSON.stringify(body), agent: false }),
  /** Creates something; returns its id. */
  create: async (path: string, body: object): Promise<number> => {
    const sent = await send(url + path, { key, json: JSON.stringify(body), agent: false })
    if (sent.status !== 201) throw new Error(`${path} was answered with ${sent.status}: ${sent.body}`)
    return Schema.decodeUnknownSync(Created)(sent.body).id
  },
  /** A request whose answer is never read. */
  unread: async (path: string): Promise<Socket> => {
    const { hostname, port } = new URL(url)
    const socket = connect(Number(port), hostname)
    socket.on("error", () => undefined)
    await once(socket, "connect")
    socket.pause()
    socket.write(`GET ${path} HTTP/1.1\r\nHost: chaos\r\nX-SERVICE-API-KEY: ${key}\r\n\r\n`)
    return socket
  }
})

export const listWith = (filter: object, limit = 50): string =>
  `${CALLS}?limit=${limit}&filters_v2=${encodeURIComponent(JSON.stringify(filter))}`
