import type { Server } from "node:http"
import type { AddressInfo, Socket } from "node:net"
import type { Engine } from "@earshot/core"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { build, type BuiltApp, type ListenerOptions } from "./HttpListener.js"
import { flush } from "./Log.js"

/** Options of a server. */
export interface HttpServerOptions extends ListenerOptions {
  /** The address to listen on. Default: 127.0.0.1. */
  readonly host?: string
  /** The port to listen on, 0 for any free port. Default: 8080. */
  readonly port?: number
}

/** The server cannot listen on the address: it is in use, not an address of this machine, or a privileged port. */
export class ListenFailed extends Schema.TaggedError<ListenFailed>("@earshot/http-adapter/ListenFailed")(
  "ListenFailed",
  { host: Schema.String, port: Schema.Number, code: Schema.String }
) {
  override get message(): string {
    return `Cannot listen on ${this.host}:${this.port} (${this.code})`
  }
}

/** The address of a listening server. */
export class HttpServer extends Context.Tag("@earshot/http-adapter/HttpServer")<
  HttpServer,
  {
    readonly host: string
    /** The actual port, also if 0 was configured. */
    readonly port: number
    /** `http://host:port` and the base path, without a trailing slash. */
    readonly url: string
  }
>() {}

/**
 * A server over a running engine, which listens once the layer is built. When its scope closes it stops accepting
 * connections, lets requests in flight finish within `limits.graceMillis`, and has ended before the engine closes.
 */
export const layer = (options: HttpServerOptions = {}): Layer.Layer<HttpServer, ListenFailed, Engine.Services> =>
  Layer.scoped(
    HttpServer,
    Effect.map(startServer(options), ({ address }) => address)
  )

const startServer = (options: HttpServerOptions) =>
  Effect.acquireRelease(
    Effect.gen(function* () {
      const runtime = yield* Effect.runtime<Engine.Services>()
      const { host = "127.0.0.1", port = 8080 } = options
      const built = yield* Effect.promise(() => build(runtime, options))
      const { fastify } = built.app
      fastify.server.on("checkContinue", built.app.expectContinue)
      fastify.server.on("checkExpectation", built.app.expectationFailed)
      const sockets = trackSockets(fastify.server)
      yield* Effect.tryPromise({
        try: () => fastify.listen({ host, port, backlog: BACKLOG }),
        catch: (error) => new ListenFailed({ host, port, code: errorCode(error) })
      }).pipe(Effect.tapError(() => Effect.promise(built.close)))
      const address = { host, port: portNumber(fastify.server.address()) ?? port }
      return {
        address: {
          ...address,
          url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}${options.basePath ?? ""}`
        },
        stop: () => stopServer(built, sockets)
      }
    }),
    ({ stop }) => Effect.promise(stop)
  )

const errorCode = (error: unknown): string =>
  typeof error === "object" && error !== null && "code" in error ? String(error.code) : "UNKNOWN"

const portNumber = (address: AddressInfo | string | null): number | undefined =>
  typeof address === "object" && address !== null ? address.port : undefined

/** Connections that wait to be accepted. With Node's 511, a burst of more is retried by clients after seconds. */
const BACKLOG = 4_096

/** How often idle connections are closed while the server closes. */
const IDLE_CHECK_MILLIS = 50

/** The server's open connections. Node counts a connection as idle only after its first request. */
const trackSockets = (server: Server): ReadonlySet<Socket> => {
  const sockets = new Set<Socket>()
  server.on("connection", (socket) => {
    sockets.add(socket)
    socket.once("close", () => sockets.delete(socket))
  })
  return sockets
}

const stopServer = async ({ app, limits, log }: BuiltApp, sockets: ReadonlySet<Socket>): Promise<void> => {
  const { server } = app.fastify
  app.drain()
  const sweep = setInterval(() => {
    server.closeIdleConnections()
    for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  }, IDLE_CHECK_MILLIS)
  const grace = setTimeout(() => {
    log.warn("grace period is over; interrupting requests in flight")
    void app.interrupt().then(() => {
      server.closeAllConnections()
    })
  }, limits.graceMillis)
  await app.fastify.close()
  clearInterval(sweep)
  clearTimeout(grace)
  await app.interrupt()
  flush(log)
}
