import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"

/** A request as the fake agent got it. */
export interface ReceivedRequest {
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: {
    readonly message?: string
    readonly messages: ReadonlyArray<{ readonly role: string; readonly content: string }>
    readonly conversation_id?: string
    readonly variables?: unknown
    readonly model?: string
    readonly user?: string
  }
}

export interface FakeAgent {
  readonly url: string
  readonly requests: Array<ReceivedRequest>
}

/** An agent on loopback that answers as a test says, gone when the scope closes. */
export const fakeAgent = (answer: (request: ReceivedRequest, response: ServerResponse) => unknown) =>
  Effect.acquireRelease(
    Effect.async<{ server: Server; agent: FakeAgent }>((resume) => {
      const requests: Array<ReceivedRequest> = []
      const server = createServer((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          const one = {
            url: request.url ?? "",
            headers: request.headers,
            body: JSON.parse(Buffer.concat(chunks).toString()) as ReceivedRequest["body"]
          }
          requests.push(one)
          const reply = answer(one, response)
          if (reply !== undefined) {
            response.setHeader("content-type", "application/json")
            response.end(JSON.stringify(reply))
          }
        })
      })
      server.listen(0, "127.0.0.1", () =>
        resume(
          Effect.succeed({
            server,
            agent: { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/chat`, requests }
          })
        )
      )
    }),
    ({ server }) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map(({ agent }) => agent))

/** What a chat-completions server answers. */
export const completion = (content: string) => ({
  choices: [{ index: 0, finish_reason: "stop", message: { role: "assistant", content } }]
})
