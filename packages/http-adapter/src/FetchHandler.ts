/** The endpoints as a function from `Request` to `Response`, for frameworks that have no `node:http` server. */
import { createServer, request as openRequest, type IncomingMessage } from "node:http"
import { type Duplex, duplexPair, Readable } from "node:stream"
import { pipeline } from "node:stream/promises"
import type { ReadableStream as WebStream } from "node:stream/web"
import type { Engine } from "@earshot/core"
import type * as Runtime from "effect/Runtime"
import { build, type ListenerOptions } from "./HttpListener.js"

/** What the host knows of a request's client. */
export interface FetchClient {
  /** The address of the peer, by which failed authentication is limited and `trustProxy` decides. Default: unknown. */
  readonly remoteAddress?: string | undefined
}

export interface FetchHandler {
  /**
   * Answers a request. Bodies are streamed both ways: the next part of a response is made when the one before was read. The
   * request is interrupted if its signal aborts or the response's body is canceled. Rejects with the reason of an abort, and
   * with a TypeError after `close`.
   */
  readonly fetch: (request: Request, client?: FetchClient) => Promise<Response>
  /** Interrupts running requests. */
  readonly close: () => Promise<void>
}

/** Headers that concern one connection, which a `Request` or `Response` has none of. */
const HOP_BY_HOP = new Set([
  "connection",
  "keep-alive",
  "proxy-connection",
  "transfer-encoding",
  "upgrade",
  "expect",
  "te"
])

/** Statuses whose responses have no body. */
const WITHOUT_BODY = new Set([204, 205, 304])

const headersOf = (rawHeaders: ReadonlyArray<string>): Headers => {
  const headers = new Headers()
  for (let at = 0; at + 1 < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] ?? ""
    if (!HOP_BY_HOP.has(name.toLowerCase())) headers.append(name, rawHeaders[at + 1] ?? "")
  }
  return headers
}

const responseOf = (method: string, incoming: IncomingMessage): Response => {
  const { rawHeaders, statusCode: status = 500 } = incoming
  const headers = headersOf(rawHeaders)
  if (method === "HEAD" || WITHOUT_BODY.has(status)) {
    incoming.resume()
    return new Response(null, { status, headers })
  }
  // eslint-disable-next-line typescript/consistent-type-assertions -- Node's type of the same class, from another declaration
  return new Response(Readable.toWeb(incoming) as ReadableStream<Uint8Array>, { status, headers })
}

/** What was written before the other end closed can still be read; what was cut off is an error. */
const closeTogether = (near: Duplex, far: Duplex): void => {
  near.on("close", () => far.destroy())
  far.on("close", () => {
    if (!far.writableFinished) near.destroy()
  })
}

/**
 * The endpoints over a running engine, for Next.js, Hono and the like, and for tests without a port. Requests go through
 * Node's HTTP parser on a connection in memory, so limits, errors and headers are those of a server.
 *
 * ```ts
 * const engine = await createEngine({ database: "sqlite:./calls.db" })
 * const { fetch } = await earshotFetch(await engine.runtime(), { basePath: "/api/earshot" })
 * export const GET = (request: Request) => fetch(request)
 * ```
 */
export const earshotFetch = async (
  runtime: Runtime.Runtime<Engine.Services>,
  options: ListenerOptions = {}
): Promise<FetchHandler> => {
  const { app, close, limits } = await build(runtime, options)
  const server = createServer({ maxHeaderSize: limits.headBytes }, (request, response) => {
    app.fastify.routing(request, response)
  })
  const open = new Set<Duplex>()
  let closed = false

  const fetch = (request: Request, { remoteAddress }: FetchClient = {}): Promise<Response> =>
    new Promise((resolve, reject) => {
      if (closed) {
        reject(new TypeError("The handler is closed."))
        return
      }
      const { signal } = request
      const aborted = (): Error => (signal.reason instanceof Error ? signal.reason : new Error(String(signal.reason)))
      if (signal.aborted) {
        reject(aborted())
        return
      }
      const [near, far] = duplexPair()
      closeTogether(near, far)
      open.add(far)
      far.on("close", () => open.delete(far))
      server.emit("connection", Object.assign(far, { remoteAddress }))

      const { host, pathname, search } = new URL(request.url)
      const headers = [...request.headers].filter(([name]) => !HOP_BY_HOP.has(name))
      const outgoing = openRequest({
        createConnection: () => near,
        method: request.method,
        path: `${pathname}${search}`,
        headers: { ...Object.fromEntries(headers), host, connection: "close" }
      })
      const abort = () => outgoing.destroy(aborted())
      signal.addEventListener("abort", abort, { once: true })
      near.on("close", () => {
        signal.removeEventListener("abort", abort)
      })
      outgoing.on("response", (incoming) => {
        resolve(responseOf(request.method, incoming))
      })
      outgoing.on("error", reject)
      if (request.body === null) {
        outgoing.end()
        return
      }
      // eslint-disable-next-line typescript/consistent-type-assertions -- as above
      const body = Readable.fromWeb(request.body as WebStream<Uint8Array>)
      // A response that comes before the whole body was sent ends the upload; an error of the body rejects.
      pipeline(body, outgoing).catch(reject)
    })

  return {
    fetch,
    close: async () => {
      closed = true
      await close()
      for (const one of open) one.destroy()
    }
  }
}
