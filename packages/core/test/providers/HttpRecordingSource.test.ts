import { createServer, type RequestListener, type Server } from "node:http"
import type { AddressInfo } from "node:net"
import { RecordingSource } from "@earshot/core"
import * as HttpRecordingSource from "@earshot/core/providers/HttpRecordingSource"
import * as OutboundHttp from "@earshot/core/providers/OutboundHttp"
import { CallKit, ProviderKit } from "@earshot/test-kit"
import { afterAll, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import * as Stream from "effect/Stream"

const file = CallKit.wav(1)

/** A server on loopback, gone when the scope closes, with its address. */
const serving = (handle: RequestListener) =>
  Effect.acquireRelease(
    Effect.async<Server>((resume) => {
      const server = createServer(handle)
      server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
    }),
    (server) =>
      Effect.sync(() => {
        server.closeAllConnections()
        server.close()
      })
  ).pipe(Effect.map((server) => `127.0.0.1:${(server.address() as AddressInfo).port}`))

const fetched = (
  url: string,
  { allowHosts = [], ...config }: HttpRecordingSource.HttpRecordingSourceConfig & OutboundHttp.OutboundHttpConfig = {}
) =>
  Effect.flatMap(RecordingSource, (source) => Stream.runCollect(source.fetch(url))).pipe(
    Effect.map((chunks) => Buffer.concat(Chunk.toReadonlyArray(chunks))),
    Effect.provide(HttpRecordingSource.layer(config).pipe(Layer.provide(OutboundHttp.layer({ allowHosts }))))
  )

const allowed = { allowHosts: ["127.0.0.1"] }

const hosting = Effect.runSync(Scope.make())
afterAll(() => Effect.runPromise(Scope.close(hosting, Exit.void)))
const host = await Effect.runPromise(
  serving((request, response) => (request.url === "/a.wav" ? response.end(file) : response.writeHead(404).end())).pipe(
    Scope.extend(hosting)
  )
)

ProviderKit.recordingSourceContract("HTTP from a host that the operator allows", {
  source: HttpRecordingSource.layer().pipe(Layer.provide(OutboundHttp.layer(allowed))),
  served: { url: `http://${host}/a.wav`, bytes: file },
  missing: `http://${host}/b.wav`,
  forbidden: "http://127.0.0.2/a.wav"
})

it.live.each([
  "http://127.0.0.1/a",
  "http://localhost/a",
  "http://127.1/a",
  "http://2130706433/a",
  "http://0x7f.1/a",
  "http://0.0.0.0/a",
  "http://10.1.2.3/a",
  "http://172.16.0.1/a",
  "http://192.168.1.1/a",
  "http://169.254.169.254/latest/meta-data/",
  "http://100.64.0.1/a",
  "http://100.100.100.200/a",
  "http://168.63.129.16/a",
  "http://224.0.0.1/a",
  "http://255.255.255.255/a",
  "http://192.0.0.192/a",
  "http://[::]/a",
  "http://[::1]/a",
  "http://[::ffff:127.0.0.1]/a",
  "http://[::127.0.0.1]/a",
  "http://[64:ff9b::7f00:1]/a",
  "http://[64:ff9b:1::7f00:1]/a",
  "http://[2002:7f00:1::]/a",
  "http://[fe80::1]/a",
  "http://[fc00::1]/a",
  "http://[fd00:ec2::254]/a",
  "http://[ff02::1]/a",
  "http://[::ffff:a9fe:a9fe]/latest/meta-data/",
  "http://[::ffff:10.0.0.1]/a",
  "http://someone:secret@127.0.0.1/a",
  "http://①②⑦.⓪.⓪.①/a",
  "http://0177.0.0.1/a",
  "https://127.0.0.1/a",
  "https://[::1]/a"
])("refuses to fetch a recording from %s, which is not a public address", (url) =>
  Effect.gen(function* () {
    expect(yield* Effect.flip(fetched(url))).toMatchObject({ _tag: "RecordingUrlNotAllowed" })
  })
)

it.live.each(["ftp://example.com/a", "file:///etc/passwd", "data:audio/wav;base64,AAAA", "nowhere"])(
  "refuses to fetch a recording from %s, which is not an http or https URL",
  (url) =>
    Effect.gen(function* () {
      expect(yield* Effect.flip(fetched(url))).toMatchObject({ _tag: "RecordingUrlNotAllowed" })
    })
)

it.scopedLive("follows redirects and refuses those to private addresses and other schemes", () =>
  Effect.gen(function* () {
    const asked: Array<string | undefined> = []
    const host = yield* serving((request, response) => {
      asked.push(request.url)
      const to: Record<string, string> = {
        "/relative": "/file",
        "/metadata": "http://169.254.169.254/latest/",
        "/loopback": `http://localhost:${host.split(":")[1]}/file`,
        "/scheme": "file:///etc/passwd",
        "/circle": "/circle",
        "/nowhere": "http://["
      }
      const location = to[request.url ?? ""]
      if (location === undefined) response.end(file)
      else response.writeHead(302, { location }).end()
    })
    const at = (path: string) => fetched(`http://${host}${path}`, allowed)
    expect((yield* at("/relative")).length).toBe(file.length)
    for (const path of ["/metadata", "/loopback", "/scheme"]) {
      expect(yield* Effect.flip(at(path))).toMatchObject({ _tag: "RecordingUrlNotAllowed" })
    }
    expect(yield* Effect.flip(at("/circle"))).toMatchObject({
      _tag: "RecordingUnavailable",
      reason: "the server redirected more than 5 times."
    })
    expect(yield* Effect.flip(at("/nowhere"))).toMatchObject({ _tag: "RecordingUnavailable" })
    expect(asked.filter((path) => path === "/file")).toHaveLength(1)
  })
)

it.scopedLive("gives the reason when a recording is missing, too large, too slow, cut short or compressed", () =>
  Effect.gen(function* () {
    const host = yield* serving((request, response) => {
      switch (request.url) {
        case "/404":
          response.writeHead(404).end("gone")
          break
        case "/announced":
          response.writeHead(200, { "content-length": "5000000" }).write("x")
          break
        case "/endless": {
          const more = () => {
            while (response.write(Buffer.alloc(65_536)));
          }
          response.on("drain", more)
          more()
          break
        }
        case "/slow":
          response.write("x")
          break
        case "/silent":
          break
        case "/cut":
          response.writeHead(200, { "content-length": "1000" }).write("x")
          setTimeout(() => response.destroy(), 20)
          break
        case "/gzip":
          response.writeHead(200, { "content-encoding": "gzip" }).end("x")
          break
        default:
          response.end()
      }
    })
    const reason = (path: string) =>
      Effect.flip(fetched(`http://${host}${path}`, { ...allowed, maxBytes: 1_000_000, timeoutMillis: 300 })).pipe(
        Effect.map((error) => [error._tag, error.reason])
      )
    expect(yield* reason("/404")).toEqual(["RecordingUnavailable", "the server answered HTTP 404."])
    expect(yield* reason("/announced")).toEqual(["RecordingUnavailable", "the server sent more than 1000000 bytes."])
    expect(yield* reason("/endless")).toEqual(["RecordingUnavailable", "the server sent more than 1000000 bytes."])
    expect(yield* reason("/slow")).toEqual(["RecordingUnavailable", "the server took longer than 0.3 seconds."])
    expect(yield* reason("/silent")).toEqual(["RecordingUnavailable", "the server took longer than 0.3 seconds."])
    expect(yield* reason("/cut")).toEqual([
      "RecordingUnavailable",
      "the server closed the connection before the end of its response (ECONNRESET)."
    ])
    expect(yield* reason("/gzip")).toEqual([
      "RecordingUnavailable",
      "the server sent a compressed response, which was not requested."
    ])
  })
)

it.live("gives the reason when the connection is refused", () =>
  Effect.gen(function* () {
    const host = yield* Effect.scoped(serving(() => undefined))
    expect(yield* Effect.flip(fetched(`http://${host}/a`, allowed))).toMatchObject({
      _tag: "RecordingUnavailable",
      reason: "the server cannot be reached (ECONNREFUSED)."
    })
  })
)

it.scopedLive("gives up at once when the server switches protocols", () =>
  Effect.gen(function* () {
    const host = yield* serving((_, response) => {
      response.socket?.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
    })
    const error = yield* Effect.flip(fetched(`http://${host}/a.wav`, { ...allowed, timeoutMillis: 60_000 }))
    expect(error.message).toBe("the server sent no response.")
  })
)
