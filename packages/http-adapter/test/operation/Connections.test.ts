import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { withServer } from "../support/Operation.js"
import type { TestServer } from "../support/TestServer.js"

const open = async (server: TestServer, localAddress = "127.0.0.1"): Promise<Socket> => {
  const socket = connect({ port: server.port, host: "127.0.0.1", localAddress })
  socket.on("error", () => undefined)
  await once(socket, "connect")
  return socket
}

const HALF_A_HEADER = "GET /health HTTP/1.1\r\nHost: earshot\r\nX-Unfinished: "
const REQUEST = "GET /health HTTP/1.1\r\nHost: earshot\r\n\r\n"

/** The status line of the answer to a request; empty if the connection was closed. */
const ask = (socket: Socket): Promise<string> =>
  new Promise((resolve) => {
    socket.once("data", (bytes: Buffer) => {
      resolve(bytes.toString("latin1").split("\r\n", 1)[0] ?? "")
    })
    socket.once("close", () => {
      resolve("")
    })
    socket.write(REQUEST)
  })

const untilClosed = (socket: Socket): Promise<void> =>
  socket.destroyed ? Promise.resolve() : once(socket, "close").then(() => undefined)

const metric = async (server: TestServer, name: string): Promise<number> => {
  const { text } = await server.send("GET", "/metrics")
  return Number(
    text
      .split("\n")
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1)
  )
}

describe("connections", () => {
  it("that wait for a request are closed for new ones of their address, the oldest without a request first", async () => {
    await withServer({ limits: { connectionsPerAddress: 3 } }, async (server) => {
      const address = "127.0.0.2"
      const [used, half, second] = [
        await open(server, address),
        await open(server, address),
        await open(server, address)
      ]
      expect(await ask(used)).toBe("HTTP/1.1 200 OK")
      half.write(HALF_A_HEADER)
      const third = await open(server, address)
      await untilClosed(half)
      expect(await ask(third)).toBe("HTTP/1.1 200 OK")
      expect(await ask(second)).toBe("HTTP/1.1 200 OK")
      const fourth = await open(server, address)
      expect(await ask(fourth)).toBe("HTTP/1.1 200 OK")
      await untilClosed(used)
      expect(await metric(server, 'earshot_http_connections_closed_total{reason="closed_for_new"}')).toBe(2)
      for (const socket of [second, third, fourth]) socket.destroy()
    })
  })

  it("with half a header do not keep others out, nor delay them", async () => {
    await withServer({ limits: { connections: 40, connectionsPerAddress: 40 } }, async (server) => {
      const { key } = await server.tenant()
      expect((await server.send("GET", "/user/v1/projects/", { key })).status).toBe(200)
      const flood: Array<Socket> = []
      for (let n = 0; n < 200; n++) {
        const socket = await open(server, "127.0.0.2")
        socket.write(HALF_A_HEADER)
        flood.push(socket)
      }
      const newcomer = await open(server, "127.0.0.3")
      expect(await ask(newcomer)).toBe("HTTP/1.1 200 OK")
      expect((await server.send("GET", "/user/v1/projects/", { key })).status).toBe(200)
      expect(await metric(server, "earshot_http_connections")).toBeLessThanOrEqual(40)
      for (const socket of [...flood, newcomer]) socket.destroy()
    })
  })

  it("leave a reserve to addresses from which a valid credential was sent", async () => {
    await withServer({ limits: { connections: 30, connectionsPerAddress: 30 } }, async (server) => {
      const { key } = await server.tenant()
      expect((await server.send("GET", "/user/v1/projects/", { key })).status).toBe(200)
      const strangers: Array<Socket> = []
      for (let n = 0; n < 30; n++) strangers.push(await open(server, "127.0.0.2"))
      await Promise.all(strangers.slice(0, 3).map(untilClosed))
      expect((await server.send("GET", "/user/v1/projects/", { key })).status).toBe(200)
      const known = [await open(server), await open(server)]
      expect(await Promise.all(known.map(ask))).toEqual(["HTTP/1.1 200 OK", "HTTP/1.1 200 OK"])
      for (const socket of [...strangers, ...known]) socket.destroy()
    })
  })

  it("of a trusted proxy are limited in total only", async () => {
    await withServer({ trustProxy: ["127.0.0.2"], limits: { connectionsPerAddress: 2 } }, async (server) => {
      const sockets = await Promise.all(Array.from({ length: 6 }, () => open(server, "127.0.0.2")))
      expect(await Promise.all(sockets.map(ask))).toEqual(Array.from({ length: 6 }, () => "HTTP/1.1 200 OK"))
      for (const socket of sockets) socket.destroy()
    })
  })
})

describe("a request that is not answered in time", () => {
  it("is answered with 503 and Retry-After, and counted by its reason", async () => {
    await withServer({ limits: { answerMillis: 100 } }, async (server) => {
      const { key } = await server.tenant()
      const socket = await open(server)
      socket.write(
        `POST /observability/v1/observe/ HTTP/1.1\r\nHost: a\r\nX-Service-Api-Key: ${key}\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n`
      )
      const [bytes]: ReadonlyArray<unknown> = await once(socket, "data")
      const text = String(bytes)
      expect(text).toMatch(/^HTTP\/1\.1 503 /)
      expect(text).toMatch(/^retry-after: 1\r$/m)
      expect(text).toContain("The request was not completed within 0.1 seconds.")
      socket.destroy()
      expect(await metric(server, 'earshot_http_unavailable_total{reason="answer_time"}')).toBe(1)
    })
  })
})

describe("the event loop's metrics", () => {
  it("are numbers that grow, also right after another scrape", async () => {
    await withServer({}, async (server) => {
      await server.send("GET", "/metrics")
      const { text } = await server.send("GET", "/metrics")
      expect(text).toContain("earshot_event_loop_delay_seconds_count")
      expect(text).not.toContain("nodejs_eventloop_lag")
      expect(text).not.toMatch(/ NaN$/m)
      expect(await metric(server, "earshot_event_loop_active_seconds_total")).toBeGreaterThan(0)
    })
  })
})
