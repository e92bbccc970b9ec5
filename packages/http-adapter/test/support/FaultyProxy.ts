/** A reverse proxy that changes requests and responses, to inject faults. */
import { once } from "node:events"
import { createServer, type IncomingHttpHeaders } from "node:http"

export interface ProxiedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface ProxiedResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

export interface Interception {
  /** Changes the request. */
  readonly request?: (asked: ProxiedRequest) => ProxiedRequest
  /** Changes the response; `send` sends another request to the server. */
  readonly response?: (
    answer: ProxiedResponse,
    asked: ProxiedRequest,
    send: (asked: ProxiedRequest) => Promise<ProxiedResponse>
  ) => ProxiedResponse | Promise<ProxiedResponse>
}

export interface Proxy {
  readonly url: string
  readonly close: () => Promise<void>
}

/** Headers of a single connection. */
const HOP_BY_HOP = new Set(["host", "connection", "content-length", "transfer-encoding", "keep-alive", "expect"])

export const startProxy = async (target: string, interception: Interception): Promise<Proxy> => {
  const send = async ({ body, headers, method, path }: ProxiedRequest): Promise<ProxiedResponse> => {
    const kept = Object.entries(headers).flatMap(([name, value]) =>
      typeof value === "string" && !HOP_BY_HOP.has(name) ? [[name, value] as const] : []
    )
    const answer = await fetch(target + path, {
      method,
      headers: Object.fromEntries(kept),
      ...(method === "GET" || method === "HEAD" ? {} : { body: new Uint8Array(body) })
    })
    return {
      status: answer.status,
      headers: Object.fromEntries([...answer.headers].filter(([name]) => !HOP_BY_HOP.has(name))),
      text: await answer.text()
    }
  }
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { headers, method = "GET", url: path = "/" } = request
      const given: ProxiedRequest = { method, path, headers, body: Buffer.concat(chunks) }
      const asked = interception.request?.(given) ?? given
      void send(asked)
        .then((answer) => interception.response?.(answer, asked, send) ?? answer)
        .then((answer) => {
          response.writeHead(answer.status, answer.headers)
          response.end(answer.status === 204 ? undefined : answer.text)
        })
    })
  })
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}
