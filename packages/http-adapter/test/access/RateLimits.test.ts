import * as RateLimits from "@earshot/core/providers/RateLimits"
import { describe, expect, it } from "vitest"
import { startServer } from "../support/TestServer.js"

describe("rate limits", () => {
  it("throttle keys by their requests and addresses by their failed attempts, with Retry-After", async () => {
    const server = await startServer({
      ports: {
        rateLimiter: RateLimits.layerMemory({
          requests: { points: 3, seconds: 60 },
          refusals: { points: 2, seconds: 60 }
        })
      }
    })
    try {
      const [first, second] = [await server.tenant(), await server.tenant()]
      const ask = (key: string) => server.send("GET", "/user/v1/projects/", { key })
      for (let n = 0; n < 3; n++) expect((await ask(first.key)).status).toBe(200)
      const limited = await ask(first.key)
      expect(limited.status).toBe(429)
      expect(Number(limited.headers.get("retry-after"))).toBeGreaterThanOrEqual(1)
      expect(Number(limited.headers.get("retry-after"))).toBeLessThanOrEqual(60)
      expect((await ask("ear_guess")).status).toBe(401)
      expect((await ask("ear_guess")).status).toBe(401)
      expect((await ask("ear_guess")).status).toBe(429)
      expect((await ask(second.key)).status).toBe(200)
      expect((await server.send("GET", "/health")).status).toBe(200)
    } finally {
      await server.close()
    }
  })

  it("count failed attempts by client address behind a trusted proxy, and by /64 network for IPv6", async () => {
    const server = await startServer({
      trustProxy: true,
      ports: { rateLimiter: RateLimits.layerMemory({ refusals: { points: 1, seconds: 60 } }) }
    })
    try {
      const guess = async (from: string) =>
        (await server.send("GET", "/user/v1/projects/", { key: "ear_guess", headers: { "x-forwarded-for": from } }))
          .status
      const addresses = [
        ["203.0.113.1", 401],
        ["203.0.113.2", 401],
        ["203.0.113.1", 429],
        ["::ffff:203.0.113.2", 429],
        ["2001:db8:1:2::1", 401],
        ["2001:db8:1:2:ffff::9", 429],
        ["2001:0DB8:0001:0002:0:0:0:1", 429],
        ["2001:db8:1:3::1", 401],
        ["2001:db8::", 401],
        ["::1", 401],
        ["nonsense", 401]
      ] as const
      for (const [from, status] of addresses) expect([from, await guess(from)]).toEqual([from, status])
    } finally {
      await server.close()
    }
  })
})
