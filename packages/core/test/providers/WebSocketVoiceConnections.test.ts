import { createServer, type Server } from "node:http"
import { AgentId, Voice } from "@earshot/core"
import * as OutboundHttp from "@earshot/core/providers/OutboundHttp"
import * as WebSocketVoiceConnections from "@earshot/core/providers/WebSocketVoiceConnections"
import { VoiceKit } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
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

interface Options {
  readonly allowHosts?: ReadonlyArray<string>
  readonly millis?: number
}

const connections = ({ allowHosts = ["127.0.0.1"], millis }: Options = {}) =>
  WebSocketVoiceConnections.layer(millis === undefined ? {} : { connectMillis: millis }).pipe(
    Layer.provide(OutboundHttp.layer({ allowHosts }))
  )

const connect = (url: string, options?: Options) =>
  Effect.flatMap(Voice.VoiceConnections, (lines) =>
    lines.connect({ url, headers: { authorization: "Bearer secret" } })
  ).pipe(Effect.provide(connections(options)))

const failure = (url: string, options?: Options) =>
  Effect.map(Effect.flip(connect(url, options)), ({ reason }) => reason)

const problem = (url: string, options?: Options) =>
  Voice.checkVoice(AgentId.make(1), { url, headers: {} }, "twilio", Voice.streamIdsOf("check"), null).pipe(
    Effect.provide(connections(options)),
    Effect.map((check) => check.problem)
  )

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
        protocol: Voice.mediaStream({ accountSid: "AC1", callSid: "CA1", streamSid: "MZ1" }),
        customParameters: {},
        maxMillis: 20_000
      })
      yield* call.say(Stream.make(VoiceKit.speakTones("hello")))
      const turn = yield* call.hear({ endMillis: 200, timeoutMillis: 10_000 })
      expect(Option.map(turn, ({ audio }) => VoiceKit.readTones(audio))).toEqual(Option.some("good day"))
      expect(yield* call.ended).toEqual({
        by: "main_agent",
        reason: "closed the connection (1005)",
        isClean: true
      })
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
      expect(yield* failure(`ws://127.0.0.1:${gone}`)).toBe("The agent's server refused the connection (ECONNREFUSED).")
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

  it.scopedLive("are checked: what is wrong is told apart, and an agent that speaks is heard", () =>
    Effect.gen(function* () {
      const answering = (status: number) =>
        serving(
          createServer((_, response) => {
            response.writeHead(status).end()
          })
        )
      const [open, forbidden, missing] = [yield* answering(200), yield* answering(403), yield* answering(404)]
      const gone = yield* Effect.scoped(serving(createServer()))
      const raw = (answer: string) =>
        serving(
          createServer().on("upgrade", (_, socket) => {
            socket.end(answer)
          })
        )
      const wrongKey = yield* raw(
        "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: x\r\n\r\n"
      )
      const noHttp = yield* raw("\u0015\u0003\u0003 no HTTP\r\n\r\n")
      const closing = yield* agentServer((socket) => {
        socket.close(1011)
      })
      const speaking = yield* agentServer((socket) => {
        socket.once("message", () => {
          socket.once("message", (start: Buffer) => {
            const { streamSid }: { readonly streamSid: string } = JSON.parse(start.toString())
            const payload = Buffer.from(VoiceKit.speakTones("Good day to you")).toString("base64")
            socket.send(JSON.stringify({ event: "media", streamSid, media: { payload } }))
          })
        })
      })
      expect(yield* problem(`ws://127.0.0.1:${open}`)).toBe("status")
      expect(yield* problem(`ws://127.0.0.1:${missing}`)).toBe("status")
      expect(yield* problem(`ws://127.0.0.1:${forbidden}`)).toBe("unauthorized")
      expect(yield* problem(`ws://127.0.0.1:${gone}`)).toBe("refused")
      expect(yield* problem(`wss://127.0.0.1:${open}`)).toBe("tls")
      expect(yield* problem(`ws://127.0.0.1:${wrongKey}`)).toBe("handshake")
      expect(yield* problem(`ws://127.0.0.1:${noHttp}`)).toBe("handshake")
      expect(yield* problem(`ws://127.0.0.1:${open}`, { allowHosts: [] })).toBe("address")
      expect(yield* problem("ws://agent.invalid", { allowHosts: ["agent.invalid"] })).toBe("dns")
      expect(yield* problem(`ws://127.0.0.1:${closing}`)).toBe("closed")
      expect(yield* problem(`ws://127.0.0.1:${speaking}`)).toBeNull()
    })
  )
})
