import { once } from "node:events"
import { connect } from "node:net"
import { describe, expect, it, vi } from "vitest"
import { at } from "../support/Contract.js"
import { sendRaw, serverForBlock } from "../support/TestServer.js"
import { withServer } from "../support/Operation.js"
import { CALLS, OBSERVE } from "../support/paths.js"

describe("HTTP messages", async () => {
  const server = await serverForBlock({
    limits: { headersMillis: 250, requestMillis: 500, lingerMillis: 200, keepAliveMillis: 300 }
  })
  const { agent, key, project } = await server.tenant()
  const head = `POST ${OBSERVE} HTTP/1.1\r\nhost: x\r\nx-service-api-key: ${key}\r\ncontent-type: application/json\r\n`
  const whole = (text: string): string => text.split("\r\n\r\n")[1] ?? ""

  it("are answered with 408 if headers or body arrive too slowly", async () => {
    const slow = [
      await sendRaw(server.port, "POST / HTTP/1.1\r\nhost: x\r\nx-a"),
      await sendRaw(server.port, `${head}content-length: 100\r\n\r\n{"call_id": "x", "agent": ${agent}, `),
      await sendRaw(server.port, `${head}transfer-encoding: chunked\r\n\r\n5\r\n{"cal\r\n`)
    ]
    for (const answer of slow) {
      expect(answer).toMatch(/^HTTP\/1.1 408 Request Timeout\r\n/)
      expect(JSON.parse(whole(answer))).toEqual({ detail: "The request timed out before it was received completely." })
    }
    expect(at((await server.send("GET", CALLS, { key })).json, "results")).toEqual([])
    const metrics = await server.send("GET", "/metrics")
    expect(metrics.text).toContain("earshot_http_requests_in_flight 0\n")
    expect(metrics.text).toContain("earshot_http_body_bytes_in_flight 0\n")
  })

  it("are answered with a JSON error if they are not valid HTTP or too large", async () => {
    for (const message of [
      "nonsense\r\n\r\n",
      "GET / HTTP/9.9\r\n\r\n",
      `${head}content-length: x\r\n\r\n`,
      `${head}content-length: 2\r\ntransfer-encoding: chunked\r\n\r\n{}`
    ]) {
      const answer = await sendRaw(server.port, message)
      expect(answer).toMatch(/^HTTP\/1.1 400 Bad Request\r\n/)
      expect(JSON.parse(whole(answer))).toEqual({ detail: "The request is malformed." })
    }
    const long = "a".repeat(66_000)
    for (const message of [
      `GET / HTTP/1.1\r\nhost: x\r\nx-a: ${long}\r\n\r\n`,
      `GET /?${long} HTTP/1.1\r\nhost: x\r\n\r\n`
    ]) {
      const large = await sendRaw(server.port, message)
      expect(large).toMatch(/^HTTP\/1.1 431 /)
      expect(JSON.parse(whole(large))).toEqual({ detail: "The URL or the headers are too large." })
    }
  })

  it("may have a URL with the largest filter of a dashboard", async () => {
    const filterOf = (prefix: string, count: number, field: (n: number) => string) =>
      Array.from({ length: count }, (_, n) => ({ field: field(n), op: "neq", value: `${prefix} ${n}` }))
    const isAccepted = async (filters: unknown) => {
      const query = new URLSearchParams({ filters_v2: JSON.stringify(filters) }).toString()
      return { bytes: query.length, status: (await server.send("GET", `${CALLS}?${query}`, { key })).status }
    }
    const path = (n: number) => `metadata.key_${n}`
    // As much as a dashboard's filter and a widget's may cost each: 100 conditions on paths.
    const [ofDashboard, ofWidget] = ["d", "w"].map((prefix) => filterOf(prefix, 100, path))
    const dashboard = await server.send("POST", "/dashboards/dashboards/", {
      key,
      json: { name: "Large", project, filters: { operator: "and", conditions: ofDashboard } }
    })
    expect(dashboard.status).toBe(201)
    const merged = [...(ofDashboard ?? []), ...(ofWidget ?? [])]
    expect((await isAccepted({ operator: "and", conditions: merged })).status).toBe(200)
    const more = [...merged, { field: "topic", op: "eq", value: "x" }]
    expect((await isAccepted({ operator: "and", conditions: more })).status).toBe(400)
    // Fields of the call cost less, so that the length is what bounds them.
    const long = await isAccepted({ operator: "and", conditions: filterOf("t", 600, () => "topic") })
    expect(long.bytes).toBeGreaterThan(40_000)
    expect(long.status).toBe(200)
  })

  it("are answered with 404 for an unknown path and 405 with Allow for an unsupported method", async () => {
    for (const path of ["/nowhere/", "/openapi-json"]) {
      const { json, status } = await server.send("GET", path)
      expect([status, json]).toEqual([404, { detail: "Not found." }])
    }
    expect((await server.send("GET", "/%zz")).json).toEqual({ detail: "The URL is malformed." })
    for (const [method, path, allow] of [
      ["GET", OBSERVE, "POST, OPTIONS"],
      ["PUT", "/dashboards/widgets/1/", "GET, HEAD, PATCH, DELETE, OPTIONS"],
      ["PROPFIND", "/dashboards/dashboards", "POST, GET, HEAD, OPTIONS"],
      ["PUT", "/test_framework/v1/metrics/simplify_prompt/", "POST, OPTIONS"],
      ["DELETE", "/health", "GET, HEAD, OPTIONS"]
    ] as const) {
      const { headers, json, status } = await server.send(method, path, { key })
      expect([status, json]).toEqual([405, { detail: `Method "${method}" not allowed.` }])
      expect(headers.get("allow")?.split(", ").sort()).toEqual(allow.split(", ").sort())
      const options = await server.send("OPTIONS", path)
      expect([options.status, options.headers.get("allow")]).toEqual([204, headers.get("allow")])
    }
  })

  it("are answered with the request id of their log line", async () => {
    const { headers } = await server.send("GET", "/health")
    const id = headers.get("x-request-id") ?? ""
    expect(id).not.toBe("")
    expect(server.logs()).toContain(`"request_id":"${id}"`)
  })

  it("are not accepted beyond the connection limit", async () => {
    await withServer({ limits: { connections: 3 } }, async ({ port }) => {
      const open = await Promise.all(
        Array.from({ length: 8 }, async () => {
          const socket = connect(port, "127.0.0.1")
          socket.on("error", () => undefined)
          await once(socket, "connect")
          return socket
        })
      )
      // The operating system accepts them, and the server closes them as soon as it sees them.
      await vi.waitUntil(() => open.filter((socket) => !socket.destroyed).length <= 3, {
        timeout: 30_000,
        interval: 20
      })
      for (const socket of open) socket.destroy()
    })
  })
})
