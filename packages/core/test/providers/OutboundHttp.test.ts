import { createServer as createHttpServer, type RequestListener } from "node:http"
import { type AddressInfo, createServer, type Server, type Socket } from "node:net"
import * as Outbound from "@earshot/core/providers/OutboundHttp"
import { makeFetch } from "@earshot/core/providers/OutboundFetch"
import { expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { describe } from "vitest"

/** So long that a test never meets it; `short` is for tests of the time limit. */
const limits = { maxBytes: 1000, totalMillis: 60_000 }
const short = { ...limits, totalMillis: 300 }

/** A server on loopback, gone with its connections when the scope closes; its `host:port`. */
const listening = (server: Server) =>
  Effect.acquireRelease(
    Effect.async<{ readonly host: string; readonly close: () => void }>((resume) => {
      const sockets = new Set<Socket>()
      server.on("connection", (socket: Socket) => {
        sockets.add(socket)
        socket.on("error", () => undefined)
        socket.once("close", () => sockets.delete(socket))
      })
      server.listen(0, "127.0.0.1", () => {
        const close = () => {
          for (const socket of sockets) socket.destroy()
          server.close()
        }
        resume(Effect.succeed({ host: `127.0.0.1:${(server.address() as AddressInfo).port}`, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  ).pipe(Effect.map(({ host }) => host))

/** A server that does this with every connection once it has read something. */
const speaking = (act: (socket: Socket) => void) =>
  listening(
    createServer((socket) => {
      socket.once("data", () => {
        act(socket)
      })
    })
  )

const serving = (listener: RequestListener) => listening(createHttpServer(listener))

const allowing = (...allowHosts: ReadonlyArray<string>) => Outbound.layer({ allowHosts })

const send = (request: Partial<Outbound.OutboundRequest> & { readonly url: string }) =>
  Effect.flatMap(Outbound.OutboundHttp, (http) => http.send({ limits, ...request }))

/** Why a request to an allowed loopback address fails. */
const reasonOf = (request: Partial<Outbound.OutboundRequest> & { readonly url: string }) =>
  Effect.flip(send(request)).pipe(
    Effect.map(({ reason }) => reason),
    Effect.provide(allowing("127.0.0.1"))
  )

/** Writes again and again, until the connection is closed. */
const repeat = (socket: Socket, text: string, everyMillis: number) => {
  const timer = setInterval(() => socket.write(text), everyMillis)
  socket.once("close", () => {
    clearInterval(timer)
  })
}

describe("a server that does not answer as it should", () => {
  it.scopedLive("fails with NoResponse when it switches protocols and leaves the socket open", () =>
    Effect.gen(function* () {
      const host = yield* speaking((socket) =>
        socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
      )
      const reason = yield* reasonOf({ url: `http://${host}/` })
      expect(reason).toEqual({ is: "NoResponse" })
    })
  )

  it.scopedLive("fails with NoResponse when it switches protocols and closes the socket", () =>
    Effect.gen(function* () {
      const host = yield* speaking((socket) =>
        socket.end("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n")
      )
      expect(yield* reasonOf({ url: `http://${host}/` })).toEqual({ is: "NoResponse" })
    })
  )

  it.scopedLive("fails with TimedOut when the socket never answers", () =>
    Effect.gen(function* () {
      const host = yield* speaking(() => undefined)
      expect(yield* reasonOf({ url: `http://${host}/`, limits: short })).toEqual({ is: "TimedOut", seconds: 0.3 })
    })
  )

  it.scopedLive("fails with Idle when nothing comes for the idle limit, before the head and within the body", () =>
    Effect.gen(function* () {
      const idle = { ...limits, idleMillis: 100 }
      const silent = yield* speaking(() => undefined)
      expect(yield* reasonOf({ url: `http://${silent}/`, limits: idle })).toEqual({ is: "Idle", seconds: 0.1 })
      const stuck = yield* speaking((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx"))
      expect(yield* reasonOf({ url: `http://${stuck}/`, limits: idle })).toEqual({ is: "Idle", seconds: 0.1 })
    })
  )

  it.scopedLive("fails with TimedOut when the head comes a byte at a time", () =>
    Effect.gen(function* () {
      const host = yield* speaking((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nX-A: ")
        repeat(socket, "a", 20)
      })
      expect(yield* reasonOf({ url: `http://${host}/`, limits: short })).toMatchObject({ is: "TimedOut" })
    })
  )

  it.scopedLive("fails with TimedOut when the body comes a byte at a time", () =>
    Effect.gen(function* () {
      const host = yield* speaking((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n")
        repeat(socket, "a", 20)
      })
      const slow = { ...short, idleMillis: 10_000 }
      expect(yield* reasonOf({ url: `http://${host}/`, limits: slow })).toMatchObject({ is: "TimedOut" })
    })
  )

  it.scopedLive("fails with TimedOut when it sends informational responses without end", () =>
    Effect.gen(function* () {
      const host = yield* speaking((socket) => {
        repeat(socket, "HTTP/1.1 102 Processing\r\n\r\n", 20)
      })
      expect(yield* reasonOf({ url: `http://${host}/`, limits: short })).toMatchObject({ is: "TimedOut" })
    })
  )

  it.scopedLive("fails with TooLarge when the body never ends", () =>
    Effect.gen(function* () {
      const host = yield* speaking((socket) => {
        socket.write("HTTP/1.1 200 OK\r\n\r\n")
        repeat(socket, "a".repeat(400), 1)
      })
      expect(yield* reasonOf({ url: `http://${host}/` })).toEqual({ is: "TooLarge", maxBytes: 1000 })
    })
  )

  it.scopedLive("fails with TooLarge when the announced length is above the limit", () =>
    Effect.gen(function* () {
      const host = yield* speaking((socket) => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n"))
      expect(yield* reasonOf({ url: `http://${host}/` })).toEqual({ is: "TooLarge", maxBytes: 1000 })
    })
  )

  it.scopedLive("fails with Unreachable when the connection is reset before the head", () =>
    Effect.gen(function* () {
      const host = yield* speaking((socket) => socket.resetAndDestroy())
      expect(yield* reasonOf({ url: `http://${host}/` })).toEqual({ is: "Unreachable", code: "ECONNRESET" })
    })
  )

  it.scopedLive("fails with Incomplete when the connection is reset within the body", () =>
    Effect.gen(function* () {
      const host = yield* speaking((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nx")
        setTimeout(() => socket.resetAndDestroy(), 20)
      })
      expect(yield* reasonOf({ url: `http://${host}/` })).toMatchObject({ is: "Incomplete" })
    })
  )

  it.scopedLive("fails with Unreachable when it does not speak HTTP or sends too large a head", () =>
    Effect.gen(function* () {
      const mail = yield* speaking((socket) => socket.write("220 mail.example ESMTP\r\n"))
      expect(yield* reasonOf({ url: `http://${mail}/` })).toMatchObject({ is: "Unreachable" })
      const large = yield* speaking((socket) => socket.write(`HTTP/1.1 200 OK\r\nX-A: ${"a".repeat(100_000)}\r\n\r\n`))
      expect(yield* reasonOf({ url: `http://${large}/` })).toMatchObject({ is: "Unreachable" })
    })
  )

  it.scopedLive("fails with Encoded when the body is compressed", () =>
    Effect.gen(function* () {
      const host = yield* serving((_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end("x"))
      expect(yield* reasonOf({ url: `http://${host}/` })).toEqual({ is: "Encoded" })
    })
  )

  it.scopedLive("keeps the status of an error whose body is too large", () =>
    Effect.gen(function* () {
      const host = yield* serving((_, response) => response.writeHead(503).end("x".repeat(5000)))
      const response = yield* send({ url: `http://${host}/` }).pipe(Effect.provide(allowing("127.0.0.1")))
      expect(response).toMatchObject({ status: 503, body: Buffer.alloc(0) })
    })
  )
})

describe("the address check", () => {
  it.live.each([
    "http://127.0.0.1/",
    "http://localhost/",
    "http://2130706433/",
    "http://10.0.0.1/",
    "http://169.254.169.254/latest/meta-data/",
    "http://[::1]/",
    "http://[::ffff:127.0.0.1]/"
  ])("rejects %s where no host is allowed", (url) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(send({ url })).pipe(Effect.provide(allowing()))
      expect(error.reason).toEqual({ is: "AddressNotPublic" })
    })
  )

  it.scopedLive("sends nothing to a name that resolves to a private address", () =>
    Effect.gen(function* () {
      let requests = 0
      const host = yield* serving((_, response) => {
        requests++
        response.end()
      })
      const url = `http://localhost:${host.split(":")[1]}/`
      const error = yield* Effect.flip(send({ url })).pipe(Effect.provide(allowing("127.0.0.1")))
      expect(error.reason).toEqual({ is: "AddressNotPublic" })
      expect(requests).toBe(0)
    })
  )

  it.scopedLive("is not bypassed by a connection that a trusted request left open", () =>
    Effect.gen(function* () {
      const host = yield* serving((_, response) => response.end("x"))
      const url = `http://localhost:${host.split(":")[1]}/`
      const reasons = yield* Effect.gen(function* () {
        yield* send({ url, isTrusted: true })
        return (yield* Effect.flip(send({ url }))).reason
      }).pipe(Effect.provide(allowing()))
      expect(reasons).toEqual({ is: "AddressNotPublic" })
    })
  )

  it.scopedLive("takes a host of the allow-list for every port, and a host with a port for that port", () =>
    Effect.gen(function* () {
      const host = yield* serving((_, response) => response.end("x"))
      const url = `http://${host}/`
      for (const allowed of ["127.0.0.1", host]) {
        expect((yield* send({ url }).pipe(Effect.provide(allowing(allowed)))).status).toBe(200)
      }
      for (const allowed of ["127.0.0.2", "localhost", "127.0.0.1:1"]) {
        const error = yield* Effect.flip(send({ url })).pipe(Effect.provide(allowing(allowed)))
        expect(error.reason).toEqual({ is: "AddressNotPublic" })
      }
    })
  )

  it.live.each(["ftp://127.0.0.1/", "file:///etc/passwd", "data:text/plain,x"])("rejects the scheme of %s", (url) =>
    Effect.gen(function* () {
      expect(yield* reasonOf({ url })).toEqual({ is: "UnsupportedScheme" })
    })
  )

  it.live("rejects what is not an absolute URL, and headers that HTTP does not allow", () =>
    Effect.gen(function* () {
      expect(yield* reasonOf({ url: "nowhere" })).toEqual({ is: "InvalidUrl" })
      expect(yield* reasonOf({ url: "http://127.0.0.1:1/", headers: { "x-a": "one\r\nx-b: two" } })).toEqual({
        is: "InvalidRequest"
      })
    })
  )
})

describe("redirects", () => {
  it.scopedLive("are followed up to the limit, and a loop ends", () =>
    Effect.gen(function* () {
      let hops = 0
      const host = yield* serving((request, response) => {
        hops++
        if (request.url === "/end") response.end("x")
        else response.writeHead(302, { location: request.url === "/loop" ? "/loop" : "/end" }).end()
      })
      const response = yield* send({ url: `http://${host}/one`, maxRedirects: 1 }).pipe(
        Effect.provide(allowing("127.0.0.1"))
      )
      expect(response.body.toString()).toBe("x")
      hops = 0
      expect(yield* reasonOf({ url: `http://${host}/loop`, maxRedirects: 5 })).toEqual({
        is: "TooManyRedirects",
        maxRedirects: 5
      })
      expect(hops).toBe(6)
    })
  )

  it.scopedLive("share one time limit", () =>
    Effect.gen(function* () {
      const host = yield* serving((_, response) => {
        setTimeout(() => response.writeHead(302, { location: "/" }).end(), 100)
      })
      expect(yield* reasonOf({ url: `http://${host}/`, maxRedirects: 1000, limits: short })).toMatchObject({
        is: "TimedOut"
      })
    })
  )

  it.scopedLive("to private addresses, other schemes and invalid URLs fail", () =>
    Effect.gen(function* () {
      const targets = new Map([
        ["/metadata", "http://169.254.169.254/latest/"],
        ["/name", "http://localhost/"],
        ["/file", "file:///etc/passwd"],
        ["/invalid", "http://["]
      ])
      const host = yield* serving((request, response) =>
        response.writeHead(307, { location: targets.get(request.url ?? "") ?? "/" }).end()
      )
      const reason = (path: string) => reasonOf({ url: `http://${host}${path}`, maxRedirects: 5 })
      expect(yield* reason("/metadata")).toEqual({ is: "AddressNotPublic" })
      expect(yield* reason("/name")).toEqual({ is: "AddressNotPublic" })
      expect(yield* reason("/file")).toEqual({ is: "UnsupportedScheme" })
      expect(yield* reason("/invalid")).toEqual({ is: "InvalidRedirect" })
    })
  )

  it.scopedLive("of a trusted request to another private origin fail", () =>
    Effect.gen(function* () {
      const other = yield* serving((_, response) => response.end("x"))
      const host = yield* serving((_, response) => response.writeHead(302, { location: `http://${other}/` }).end())
      const error = yield* Effect.flip(send({ url: `http://${host}/`, maxRedirects: 5, isTrusted: true })).pipe(
        Effect.provide(allowing())
      )
      expect(error.reason).toEqual({ is: "AddressNotPublic" })
    })
  )

  it.scopedLive("to another origin are followed without the caller's headers, and back with them", () =>
    Effect.gen(function* () {
      const seen: Array<string | undefined> = []
      const other = yield* serving((request, response) => {
        seen.push(request.headers.authorization, request.headers.cookie)
        response.end("x")
      })
      const host = yield* serving((request, response) => {
        seen.push(request.headers.authorization)
        response.writeHead(302, { location: request.url === "/" ? "/again" : `http://${other}/` }).end()
      })
      yield* send({
        url: `http://${host}/`,
        headers: { authorization: "secret", cookie: "secret" },
        maxRedirects: 5
      }).pipe(Effect.provide(allowing("127.0.0.1")))
      expect(seen).toEqual(["secret", "secret", undefined, undefined])
    })
  )

  it.scopedLive("of a POST are returned as responses", () =>
    Effect.gen(function* () {
      const host = yield* serving((_, response) => response.writeHead(307, { location: "/other" }).end())
      const response = yield* send({
        url: `http://${host}/`,
        method: "POST",
        body: Buffer.from("x"),
        maxRedirects: 5
      }).pipe(Effect.provide(allowing("127.0.0.1")))
      expect(response.status).toBe(307)
    })
  )
})

describe("connections", () => {
  it.scopedLive("are kept alive and used again", () =>
    Effect.gen(function* () {
      const ports = new Set<number | undefined>()
      const host = yield* serving((request, response) => {
        ports.add(request.socket.remotePort)
        response.end("x")
      })
      yield* Effect.provide(
        Effect.forEach([1, 2, 3], () => send({ url: `http://${host}/` })),
        allowing("127.0.0.1")
      )
      expect(ports.size).toBe(1)
    })
  )

  it.scopedLive("that the server closed meanwhile are replaced for a GET", () =>
    Effect.gen(function* () {
      let requests = 0
      const host = yield* listening(
        createServer((socket) => {
          let answered = false
          socket.on("data", () => {
            requests++
            // The second request on a connection meets a server that has given it up.
            if (answered) socket.resetAndDestroy()
            else socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx")
            answered = true
          })
        })
      )
      const statuses = yield* Effect.provide(
        Effect.forEach([1, 2], () => Effect.map(send({ url: `http://${host}/` }), ({ status }) => status)),
        allowing("127.0.0.1")
      )
      expect(statuses).toEqual([200, 200])
      expect(requests).toBe(3)
    })
  )

  it.scopedLive("are closed when the request is interrupted, and when a stream is left before its end", () =>
    Effect.gen(function* () {
      let opened = 0
      let closed = 0
      const host = yield* listening(
        createServer((socket) => {
          opened++
          socket.on("error", () => undefined)
          socket.once("close", () => closed++)
          socket.once("data", () => socket.write("HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nx"))
        })
      )
      yield* Effect.gen(function* () {
        const http = yield* Outbound.OutboundHttp
        const sending = yield* Effect.fork(http.send({ url: `http://${host}/`, limits }))
        yield* Effect.yieldNow().pipe(Effect.repeat({ until: () => opened === 1 }), Effect.timeout("5 seconds"))
        yield* Fiber.interrupt(sending)
        yield* Effect.scoped(
          Effect.flatMap(http.open({ url: `http://${host}/`, limits }), ({ body }) =>
            Stream.runCollect(Stream.take(body, 1))
          )
        )
      }).pipe(Effect.provide(allowing("127.0.0.1")))
      yield* Effect.sleep("5 millis").pipe(Effect.repeat({ until: () => closed === 2 }), Effect.timeout("5 seconds"))
      expect({ opened, closed }).toEqual({ opened: 2, closed: 2 })
    })
  )
})

describe("the fetch for libraries", () => {
  const fetching = Effect.map(Outbound.OutboundHttp, (http) => makeFetch(http, { limits }))

  it.scopedLive("sends method, headers and body, and returns status, headers and body", () =>
    Effect.gen(function* () {
      const host = yield* serving((request, response) => {
        const chunks: Array<Buffer> = []
        request.on("data", (chunk: Buffer) => chunks.push(chunk))
        request.on("end", () => {
          response.writeHead(201, { "x-method": request.method, "x-key": request.headers["x-key"] })
          response.end(Buffer.concat(chunks))
        })
      })
      const fetch = yield* fetching
      const response = yield* Effect.promise(() =>
        fetch(`http://${host}/`, { method: "POST", headers: { "x-key": "k" }, body: "text" })
      )
      expect([response.status, response.headers.get("x-method"), response.headers.get("x-key")]).toEqual([
        201,
        "POST",
        "k"
      ])
      expect(yield* Effect.promise(() => response.text())).toBe("text")
    }).pipe(Effect.provide(allowing("127.0.0.1")))
  )

  it.live("rejects with a TypeError whose cause says why, and with the signal's reason when it is aborted", () =>
    Effect.gen(function* () {
      const fetch = yield* fetching
      const error = yield* Effect.flip(
        Effect.tryPromise({ try: () => fetch("http://127.0.0.1/"), catch: (cause) => cause })
      )
      expect(error).toBeInstanceOf(TypeError)
      expect(error).toMatchObject({ cause: { reason: { is: "AddressNotPublic" } } })
      const reason = new Error("stopped")
      const aborted = yield* Effect.flip(
        Effect.tryPromise({
          try: () => fetch("http://127.0.0.1/", { signal: AbortSignal.abort(reason) }),
          catch: (cause) => cause
        })
      )
      expect(aborted).toBe(reason)
    }).pipe(Effect.provide(allowing()))
  )
})
