/** Servers for tests: Earshot on a new in-memory database, and one with scripted responses. */
import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { createEngine } from "@earshot/core/promise"
import { earshotListener } from "@earshot/http-adapter"

const listen = async (listener: RequestListener) => {
  const server = createServer(listener)
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const port = typeof address === "object" && address !== null ? address.port : 0
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    }
  }
}

/** Earshot with one organization, and a key with every permission. */
export const startEarshot = async () => {
  const engine = await createEngine({ database: "sqlite::memory:" })
  const { agent, api_key, project } = await engine.organizations.create({ name: "Lakeside Hotel" })
  const earshot = await earshotListener(await engine.runtime(), { logLevel: "silent" })
  const { baseUrl, close } = await listen(earshot.listener)
  return {
    baseUrl,
    apiKey: api_key.api_key,
    agent: agent.id,
    project: project.id,
    close: async () => {
      await close()
      await earshot.close()
      await engine.close()
    }
  }
}

export interface ReceivedRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

/** A server that answers with the given responses, one after the other, and repeats the last one. */
export const startScripted = async (...responses: ReadonlyArray<(response: ServerResponse) => void>) => {
  const received: Array<ReceivedRequest> = []
  const { baseUrl, close } = await listen((request, response) => {
    let body = ""
    request.on("data", (chunk: Buffer) => (body += chunk.toString()))
    request.on("end", () => {
      received.push({ method: request.method ?? "", path: request.url ?? "", headers: request.headers, body })
      responses[Math.min(received.length, responses.length) - 1]?.(response)
    })
  })
  return { baseUrl, close, received }
}

/** A JSON response. */
export const json =
  (status: number, body: unknown, headers: Readonly<Record<string, string>> = {}) =>
  (response: ServerResponse): void => {
    response.writeHead(status, { "content-type": "application/json", ...headers })
    response.end(JSON.stringify(body))
  }
