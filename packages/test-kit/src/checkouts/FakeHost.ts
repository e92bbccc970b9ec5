/** The server that the fake code hosts share: on loopback, with failures on demand. */
import { createServer, type IncomingHttpHeaders, type IncomingMessage } from "node:http"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"

export interface FakeRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: unknown
}

export interface FakeResponse {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, a string as it is. Default: no body. */
  readonly body?: unknown
}

/** A response; or none: the connection is left open, is closed, or switches protocols and is left open. */
export type FakeOutcome = FakeResponse | "hangs" | "cut" | "switches"

export interface FakeHost {
  readonly url: string
  /** Every request, in order. */
  readonly requests: ReadonlyArray<FakeRequest>
  /** The outcome of requests with this method and path prefix, until `recover`. */
  readonly fail: (method: string, path: string, outcome: FakeOutcome) => void
  readonly recover: () => void
}

/** Serves on loopback until its scope closes. */
export const serveFake = (
  respond: (request: FakeRequest) => FakeResponse
): Effect.Effect<FakeHost, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<{ readonly host: FakeHost; readonly close: () => void }>((resume) => {
        const requests: Array<FakeRequest> = []
        let failures: ReadonlyArray<{ readonly method: string; readonly path: string; readonly outcome: FakeOutcome }> =
          []
        const server = createServer((message, response) => {
          void readRequest(message).then((request) => {
            requests.push(request)
            const failure = failures.find(
              ({ method, path }) => method === request.method && request.path.startsWith(path)
            )
            const outcome = failure === undefined ? respond(request) : failure.outcome
            if (outcome === "hangs") return
            if (outcome === "cut") {
              message.socket.destroy()
              return
            }
            if (outcome === "switches") {
              message.socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
              return
            }
            const { body, headers = {}, status } = outcome
            response.writeHead(status, { "content-type": "application/json", ...headers })
            response.end(body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body))
          })
        })
        server.listen(0, "127.0.0.1", () => {
          const address = server.address()
          const port = typeof address === "object" && address !== null ? address.port : 0
          const host: FakeHost = {
            url: `http://127.0.0.1:${port}`,
            requests,
            fail: (method, path, outcome) => {
              failures = [...failures, { method, path, outcome }]
            },
            recover: () => {
              failures = []
            }
          }
          resume(
            Effect.succeed({
              host,
              close: () => {
                server.closeAllConnections()
                server.close()
              }
            })
          )
        })
      }),
      ({ close }) => Effect.sync(close)
    ),
    ({ host }) => host
  )

const readRequest = async (message: IncomingMessage): Promise<FakeRequest> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of message) if (chunk instanceof Buffer) chunks.push(chunk)
  const text = Buffer.concat(chunks).toString()
  const body: unknown = text === "" ? undefined : JSON.parse(text)
  return { method: message.method ?? "", path: message.url ?? "", headers: message.headers, body }
}
