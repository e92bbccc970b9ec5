import { createServer, type Server } from "node:http"
import { Voice } from "@earshot/core"
import * as OutboundHttp from "@earshot/core/providers/OutboundHttp"
import * as WebSocketVoiceConnections from "@earshot/core/providers/WebSocketVoiceConnections"
import { VoiceKit } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { type WebSocket, WebSocketServer } from "ws"

/** A server whose port is closed with the scope. */
const serving = (server: Server, sockets?: WebSocketServer) =>
  Effect.acquireRelease(
    Effect.async<number>((resume) => {
      server.listen(0, "127.0.0.1", () => {
        const address = server.address()
        resume(Effect.succeed(typeof address === "object" && address !== null ? address.port : 0))
      })
    }),
    () =>
      Effect.sync(() => {
        for (const socket of sockets?.clients ?? []) socket.terminate()
        server.closeAllConnections()
        server.close()
      })
  )

const agentServer = (answer: (socket: WebSocket, authorization: string | undefined) => void) => {
  const server = createServer()
  const sockets = new WebSocketServer({ server })
  sockets.on("connection", (socket, request) => {
    answer(socket, request.headers.authorization)
  })
  return serving(server, sockets)
}

const connect = (
  url: string,
  options: { readonly allowHosts?: ReadonlyArray<string>; readonly millis?: number } = {}
) =>
  Effect.flatMap(Voice.VoiceConnections, (lines) =>
    lines.connect({ url, headers: { authorization: "Bearer secret" } })
  ).pipe(
    Effect.provide(
      WebSocketVoiceConnections.layer(options.millis === undefined ? {} : { connectMillis: options.millis }).pipe(
        Layer.provide(OutboundHttp.layer({ allowHosts: options.allowHosts ?? ["127.0.0.1"] }))
      )
    )
  )

const failure = (url: string, options?: Parameters<typeof connect>[1]) =>
  Effect.map(Effect.flip(connect(url, options)), ({ reason }) => reason)

describe("connections to agents by voice", () => {
  it.scopedLive("carry a call in both directions, with the headers", () =>
    Effect.gen(function* () {
      let seen: string | undefined
      const port = yield* agentServer((socket, authorization) => {
        seen = authorization
        const agent = VoiceKit.scriptedAgent(
          {
            send: (message) => {
              socket.send(message)
            },
            close: () => {
              socket.close()
            }
          },
          [
            { does: "await", text: "hello", delayMillis: 0 },
            { does: "say", text: "good day" },
            { does: "wait", millis: 700 },
            { does: "close" }
          ]
        )
        socket.on("message", (data: Buffer) => {
          agent.receive(data.toString(), Date.now())
        })
        Effect.runFork(agent.play)
      })
      const connection = yield* connect(`ws://127.0.0.1:${port}/media`)
      const call = yield* Voice.startCall(connection, {
        ids: { accountSid: "AC1", callSid: "CA1", streamSid: "MZ1" },
        customParameters: {},
        maxMillis: 20_000
      })
      yield* call.say(VoiceKit.speakTones("hello"))
      const turn = yield* call.hear({ endMillis: 200, timeoutMillis: 10_000 })
      expect(Option.map(turn, ({ audio }) => VoiceKit.readTones(audio))).toEqual(Option.some("good day"))
      expect(yield* call.ended).toEqual({ by: "main_agent", reason: "closed the connection (1005)" })
      expect(seen).toBe("Bearer secret")
    })
  )

  it.scopedLive("are not opened to private addresses that the operator does not allow", () =>
    Effect.gen(function* () {
      let connections = 0
      const port = yield* agentServer(() => {
        connections++
      })
      const denied = "The agent's server has no public address; the operator can allow its host by name."
      expect(yield* failure(`ws://127.0.0.1:${port}`, { allowHosts: [] })).toBe(denied)
      expect(yield* failure(`ws://localhost:${port}`, { allowHosts: [] })).toBe(denied)
      expect(yield* failure(`ws://[::ffff:127.0.0.1]:${port}`, { allowHosts: [] })).toBe(denied)
      expect(connections).toBe(0)
    })
  )

  it.scopedLive("say why they cannot be opened", () =>
    Effect.gen(function* () {
      const denying = yield* serving(
        createServer((_, response) => {
          response.writeHead(401).end()
        })
      )
      const redirecting = yield* serving(
        createServer((_, response) => {
          response.writeHead(302, { location: "ws://127.0.0.1:1/" }).end()
        })
      )
      const hanging = yield* serving(createServer().on("upgrade", () => undefined))
      const gone = yield* Effect.scoped(serving(createServer()))
      expect(yield* failure(`ws://127.0.0.1:${denying}`)).toBe(
        "The agent's server answered HTTP 401 instead of opening a WebSocket."
      )
      expect(yield* failure(`ws://127.0.0.1:${redirecting}`)).toBe(
        "The agent's server answered HTTP 302 instead of opening a WebSocket."
      )
      expect(yield* failure(`ws://127.0.0.1:${hanging}`, { millis: 100 })).toBe(
        "The agent's server took longer than 0.1 seconds."
      )
      expect(yield* failure(`ws://127.0.0.1:${gone}`)).toBe("The agent's server cannot be reached (ECONNREFUSED).")
      expect(yield* failure(`http://127.0.0.1:${denying}`)).toBe(
        "The agent's server can be reached over ws and wss only."
      )
      expect(yield* failure("no address")).toBe("The agent's server has no valid URL.")
    })
  )

  it.scopedLive("end at a message that is too long", () =>
    Effect.gen(function* () {
      const port = yield* agentServer((socket) => {
        socket.on("error", () => undefined)
        socket.send("x".repeat(Voice.MAX_MESSAGE + 1))
      })
      const connection = yield* connect(`ws://127.0.0.1:${port}`)
      const found = yield* Effect.repeat(Effect.delay(connection.take, 10), { until: (events) => events.length > 0 })
      expect(found).toMatchObject([{ is: "closed", reason: `sent a message of more than ${Voice.MAX_MESSAGE} bytes` }])
    })
  )
})
