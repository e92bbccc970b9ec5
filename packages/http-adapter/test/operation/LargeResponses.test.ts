import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { at } from "../support/Contract.js"
import { CALLS, OBSERVE } from "../support/paths.js"
import { serverForBlock, type Tenant, type TestServer } from "../support/TestServer.js"

const STALL_MILLIS = 400
const TRANSCRIPT_CHARACTERS = 700_000

const GAUGE = /^earshot_http_response_bytes_in_flight (\d+)$/m

for (const database of TestEngine.databases) {
  describe(`large responses on ${database}`, async () => {
    const server = await serverForBlock({
      database,
      limits: { stallMillis: STALL_MILLIS, organizationResponseBytes: 3_000_000, responseBytes: 5_000_000 }
    })

    it("are sent in parts that together are the JSON of the record", async () => {
      const tenant = await withCalls(server, 2)
      const list = await server.send("GET", `${CALLS}?expand=transcript,transcript_object,metadata`, tenant)
      expect(list.status).toBe(200)
      expect(list.headers.get("content-type")).toBe("application/json; charset=utf-8")
      // 1.4 MB each, in both forms.
      expect(at(list.json, "results")).toHaveLength(2)
      const read = await server.send("GET", `${CALLS}${String(at(list.json, "results", "0", "id"))}/`, tenant)
      const { metadata, ...record } = asObject(at(list.json, "results", "0"))
      expect(read.json).toEqual(record)
      expect(metadata).toEqual({ region: "süd 🎉" })
      expect(String(at(read.json, "transcript"))).toContain("ä🎉")
      const plain = await server.send("GET", CALLS, tenant)
      expect(plain.text.length).toBeLessThan(2_000)
      expect((await server.send("HEAD", `${CALLS}?expand=transcript`, tenant)).status).toBe(200)
      await isIdle(server)
    })

    it("beyond the bytes of the organization are 503 until others have been read, and do not affect another organization", async () => {
      const tenant = await withCalls(server, 12)
      const other = await withCalls(server, 1)
      const reading = await unread(server, tenant, `${CALLS}export/`)
      const more = await unread(server, tenant, `${CALLS}export/`)
      await waitFor("both exports hold a call", async () => (await inFlight(server)) > 2_500_000)
      const busy = await server.send("GET", `${CALLS}?expand=transcript`, tenant)
      expect(busy.status).toBe(503)
      expect(busy.headers.get("retry-after")).toBe("1")
      expect(String(at(busy.json, "detail"))).toContain("The responses of the organization that are being sent hold")
      expect((await server.send("GET", CALLS, tenant)).status).toBe(200)
      expect(
        (await server.send("POST", OBSERVE, { ...tenant, json: { call_id: "new", agent: tenant.agent } })).status
      ).toBe(201)
      expect((await server.send("GET", `${CALLS}?expand=transcript`, other)).status).toBe(200)
      reading.destroy()
      more.destroy()
      await waitFor(
        "the list is read",
        async () => (await server.send("GET", `${CALLS}?expand=transcript`, tenant)).status === 200
      )
      await isIdle(server)
    })

    it("that nobody reads are ended, and their bytes given back", async () => {
      const tenant = await withCalls(server, 25)
      const sockets = await Promise.all([
        unread(server, tenant, `${CALLS}export/`),
        unread(server, tenant, `${CALLS}export/`)
      ])
      let received = 0
      const closed = sockets.map(
        (socket) =>
          new Promise<void>((resolve) =>
            socket.once("close", () => {
              resolve()
            })
          )
      )
      await waitFor("exports hold calls", async () => (await inFlight(server)) > 0)
      // For a time, since nothing is in flight either between two of the calls that a connection's buffers still take.
      let idle = 0
      await waitFor("no bytes are in flight any more", async () => {
        idle = (await inFlight(server)) === 0 ? idle + 1 : 0
        return idle === 10
      })
      // The server has closed the connection; the client sees it once it reads, and has not got everything.
      for (const socket of sockets) socket.on("data", (chunk) => (received += chunk.byteLength))
      await Promise.all(closed)
      expect(received).toBeLessThan(2 * 25 * TRANSCRIPT_CHARACTERS)
    })

    it("are completed for a client that reads slowly but steadily", async () => {
      const tenant = await withCalls(server, 12)
      const response = await fetch(`${server.url}${CALLS}export/`, { headers: { "x-service-api-key": tenant.key } })
      let lines = 0
      for await (const chunk of response.body ?? []) {
        lines += Buffer.from(chunk).toString("latin1").split("\n").length - 1
        await sleep(2)
      }
      expect(lines).toBe(12)
      await isIdle(server)
    })
  })
}

const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === "object" && value !== null ? { ...value } : {}

/** A tenant with so many calls, whose records have about 1.4 MB each. */
const withCalls = async (server: TestServer, count: number): Promise<Tenant> => {
  const tenant = await server.tenant()
  for (let n = 0; n < count; n++) {
    const { status } = await server.send("POST", OBSERVE, {
      key: tenant.key,
      json: {
        call_id: `call-${n}`,
        agent: tenant.agent,
        metadata: { region: "süd 🎉" },
        transcript_json: [
          { role: "Main Agent", content: `ä🎉 ${"x".repeat(TRANSCRIPT_CHARACTERS)}`, start_time: 0, end_time: 1 }
        ]
      }
    })
    expect(status).toBe(201)
  }
  return tenant
}

/** A request whose response nobody reads. */
const unread = (server: TestServer, { key }: Tenant, path: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = connect(server.port, "127.0.0.1", () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: test\r\nX-SERVICE-API-KEY: ${key}\r\n\r\n`, () => {
        resolve(socket)
      })
    })
    socket.on("error", reject)
  })

const inFlight = async (server: TestServer): Promise<number> =>
  Number(GAUGE.exec((await server.send("GET", "/metrics")).text)?.[1])

const isIdle = (server: TestServer): Promise<void> =>
  waitFor("no bytes are in flight", async () => (await inFlight(server)) === 0)

const waitFor = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await holds()) return
    await sleep(50)
  }
  expect.fail(`Not within ten seconds: ${what}.`)
}
