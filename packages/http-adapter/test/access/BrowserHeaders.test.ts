import { operations, type OperationRule } from "@earshot/core"
import { describe, expect, it } from "vitest"
import type { Endpoint } from "../../src/Endpoint.js"
import { endpoints } from "../../src/routes/index.js"
import { at } from "../support/Contract.js"
import { withServer } from "../support/Operation.js"
import { serverForBlock, type TestServer } from "../support/TestServer.js"

const ORIGIN = "https://app.example.com"

const pathOf = ({ path }: Endpoint): string => path.replace(/:[a-z_]+/g, "1")

const acceptsEmbedding = ({ operation }: Endpoint): boolean => {
  if (operation === null) return false
  const { accepts }: OperationRule = operations[operation]
  return accepts.includes("embedded_session") || accepts.includes("shareable_link")
}

describe("every response", async () => {
  const server = await serverForBlock()
  const { key } = await server.tenant()

  it.each(endpoints.map((endpoint) => [endpoint.id, endpoint] as const))(
    "of %s is not stored, sniffed or framed, whoever asks",
    async (_id, endpoint) => {
      for (const options of [{}, { key }, { key: "ear_wrong" }]) {
        const body = endpoint.body === undefined ? {} : { json: {} }
        const { headers } = await server.send(endpoint.method, pathOf(endpoint), { ...options, ...body })
        expect(headers.get("cache-control")).toBe("no-store")
        expect(headers.get("x-content-type-options")).toBe("nosniff")
        expect(headers.get("referrer-policy")).toBe("no-referrer")
        expect(headers.get("content-security-policy")).toBe("default-src 'none'; frame-ancestors 'none'")
        expect(headers.get("access-control-allow-origin")).toBe(null)
        expect(headers.get("strict-transport-security")).toBe(null)
      }
    }
  )

  it("of other paths has the same headers, and the documentation its own policy that forbids framing as well", async () => {
    for (const path of ["/nowhere", "/health", "/metrics", "/%ff"]) {
      const { headers } = await server.send("GET", path)
      expect([path, headers.get("content-security-policy")]).toEqual([
        path,
        "default-src 'none'; frame-ancestors 'none'"
      ])
    }
    const docs = await server.send("GET", "/docs")
    expect(docs.headers.get("content-security-policy")).toMatch(/script-src 'self'.*; frame-ancestors 'none'$/)
    expect(docs.headers.get("cache-control")).toBe("public, max-age=300")
  })
})

describe("pages of other origins", () => {
  it("may read what embedded sessions and shareable links get, if their origin is allowed", async () => {
    await withServer({ allowOrigins: [ORIGIN] }, async (server) => {
      const { key, project } = await server.tenant()
      const dashboard = await server.send("POST", "/dashboards/dashboards/", { key, json: { name: "D", project } })
      const bounds = [{ type: "dashboard", id: at(dashboard.json, "id") }]
      const link = await server.send("POST", "/user/v1/shareable_links/", { key, json: { bounds } })
      const embedded = await server.send("POST", "/user/v1/tokens/", {
        key,
        json: { kind: "embedded_session", bounds }
      })
      const session = await server.send("POST", "/user/v1/tokens/", { key, json: { kind: "dashboard_session" } })
      const readBy = async (origin: string, headers: Record<string, string>) => {
        const answer = await server.send("GET", "/dashboards/dashboards/", { headers: { origin, ...headers } })
        expect(answer.headers.get("vary")).toBe("Origin")
        return [answer.status, answer.headers.get("access-control-allow-origin")]
      }
      const bearer = (token: unknown) => ({ authorization: `Bearer ${String(at(token, "token"))}` })
      expect(await readBy(ORIGIN, { "x-shareable-link": String(at(link.json, "token")) })).toEqual([200, ORIGIN])
      expect(await readBy(ORIGIN, bearer(embedded.json))).toEqual([200, ORIGIN])
      expect(await readBy(ORIGIN, { authorization: "Bearer expired" })).toEqual([401, ORIGIN])
      expect(await readBy("https://evil.example.com", bearer(embedded.json))).toEqual([200, null])
      expect(await readBy(ORIGIN, { "x-service-api-key": key })).toEqual([200, null])
      expect(await readBy(ORIGIN, bearer(session.json))).toEqual([200, null])
    })
  })

  it("may have the pages of links in a frame, if their origin is allowed, and nothing else", async () => {
    const ancestorsAt = async (server: TestServer, path: string) => {
      const { headers } = await fetch(`${server.url}${path}`, { headers: { accept: "text/html" }, redirect: "manual" })
      return /frame-ancestors (.*)$/.exec(headers.get("content-security-policy") ?? "")?.[1]
    }
    const others = ["/app", "/app/", "/app/calls", "/app/shared", "/app/login", "/docs", "/", "/dashboards/dashboards/"]
    await withServer({ allowOrigins: [ORIGIN, "https://b.example"] }, async (server) => {
      for (const path of ["/app/share", "/app/share/", "/app/share/7"]) {
        expect([path, await ancestorsAt(server, path)]).toEqual([path, `${ORIGIN} https://b.example`])
      }
      for (const path of others) expect([path, await ancestorsAt(server, path)]).toEqual([path, "'none'"])
    })
    await withServer({}, async (server) => {
      for (const path of ["/app/share/", ...others]) {
        expect([path, await ancestorsAt(server, path)]).toEqual([path, "'none'"])
      }
    })
  })

  it("get preflight responses for endpoints that accept embedded sessions or links, and for no other", async () => {
    await withServer({ allowOrigins: [ORIGIN] }, async (server) => {
      for (const endpoint of endpoints) {
        const { headers, status } = await server.send("OPTIONS", pathOf(endpoint), {
          headers: { origin: ORIGIN, "access-control-request-method": endpoint.method }
        })
        expect([endpoint.id, status]).toEqual([endpoint.id, 204])
        const allowed = acceptsEmbedding(endpoint)
        expect([endpoint.id, headers.get("access-control-allow-origin")]).toEqual([
          endpoint.id,
          allowed ? ORIGIN : null
        ])
        expect(headers.get("access-control-allow-methods")).toBe(allowed ? endpoint.method : null)
        expect(headers.get("access-control-allow-headers") ?? "").not.toContain("api-key")
      }
    })
  })

  it("are told to use HTTPS only behind a trusted proxy that says so", async () => {
    const headers = { "x-forwarded-for": "198.51.100.1", "x-forwarded-proto": "https" }
    await withServer({ trustProxy: 1 }, async (server) => {
      expect((await server.send("GET", "/health", { headers })).headers.get("strict-transport-security")).toBe(
        "max-age=31536000"
      )
    })
    await withServer({}, async (server) => {
      expect((await server.send("GET", "/health", { headers })).headers.get("strict-transport-security")).toBe(null)
    })
  })
})
