import * as RateLimits from "@earshot/core/providers/RateLimits"
import { runConformance } from "@earshot/test-kit/conformance"
import { once } from "node:events"
import { createServer } from "node:http"
import { describe, expect, it } from "vitest"
import { type Interception, startProxy } from "../support/FaultyProxy.js"
import {
  acceptRevokedFor,
  acceptRevokedInOneOfTwoProcesses,
  accessFaults,
  rejectOnce
} from "../support/injectedFaults/accessFaults.js"
import { callFaults } from "../support/injectedFaults/callFaults.js"
import type { InjectedFault } from "../support/injectedFaults/changes.js"
import { resultFaults } from "../support/injectedFaults/resultFaults.js"
import { suiteFaults } from "../support/injectedFaults/suiteFaults.js"
import { serverForBlock } from "../support/TestServer.js"

describe("the conformance checks of a server", async () => {
  const server = await serverForBlock()
  const { key } = await server.tenant()
  const other = await server.tenant()

  const faults = [...accessFaults(key), ...callFaults(), ...resultFaults(key), ...suiteFaults()]

  // That they pass without a fault is tested in `Server.test.ts`, which runs all checks.
  it.each(faults)("detect that %s", async (_title, check, interception) => {
    const proxy = await startProxy(server.url, interception)
    try {
      const options = { url: proxy.url, apiKey: key, otherApiKey: other.key, only: [check] }
      const [result, ...more] = (await runConformance(options)).results
      expect(more).toEqual([])
      expect(result).toMatchObject({ id: check, outcome: "failed" })
      expect(result?.detail).not.toBe("")
    } finally {
      await proxy.close()
    }
  })

  it("allow five seconds until all processes know a revocation, and no more", async () => {
    const outcome = async (interception: Interception) => {
      const proxy = await startProxy(server.url, interception)
      const options = { url: proxy.url, apiKey: key, only: ["credentials/revoked"], limits: { processes: 2 } }
      try {
        const { results } = await runConformance(options)
        return results.map((result) => result.outcome).join()
      } finally {
        await proxy.close()
      }
    }
    const interceptions = [
      acceptRevokedFor(4000),
      acceptRevokedFor(60_000),
      rejectOnce(),
      acceptRevokedInOneOfTwoProcesses()
    ]
    expect(await Promise.all(interceptions.map(outcome))).toEqual(["passed", "failed", "failed", "failed"])
  })

  it("fail when they were not run within the time limit, also if the server does not respond", async () => {
    const silent = createServer(() => undefined)
    silent.listen(0, "127.0.0.1")
    await once(silent, "listening")
    try {
      const address = silent.address()
      const url = `http://127.0.0.1:${typeof address === "object" && address !== null ? address.port : 0}`
      const report = await runConformance({ url, apiKey: key, seconds: 1, only: ["E11", "pages"] })
      expect([report.passed, report.failed]).toEqual([0, 3])
      expect(report.results.map(({ detail }) => detail)).toContain("not run: the time limit was reached")
    } finally {
      silent.closeAllConnections()
      silent.close()
    }
  })
})

/** Faults of a server with limits: what is wrong, the check that must detect it, its cause, and part of the message. */
const limitFaults = (): ReadonlyArray<readonly [...InjectedFault, message: string]> => {
  let isSpent = false
  return [
    [
      "a 429 has no Retry-After",
      "limits/rate",
      {
        response: (answer) => ({
          ...answer,
          headers: Object.fromEntries(Object.entries(answer.headers).filter(([name]) => name !== "retry-after"))
        })
      },
      "Retry-After is nothing"
    ],
    [
      "a throttled key is never accepted again",
      "limits/rate",
      {
        response: (answer, asked, send) => {
          const isThrottled = answer.status === 429
          if (isThrottled) isSpent = true
          // A request with another key shows that the first one is throttled.
          return isSpent && !isThrottled && asked.path.includes("predefined")
            ? send({ ...asked, path: "/no/such/path/" })
            : answer
        }
      },
      "answered 404"
    ],
    ["a 413 has no body", "limits/body", { response: (a) => (a.status === 413 ? { ...a, text: "" } : a) }, "detail"],
    [
      "a body that is too large is truncated",
      "limits/upload",
      { request: (asked) => ({ ...asked, body: asked.body.subarray(0, 30_000) }) },
      "expected 413"
    ]
  ]
}

describe("the conformance checks of limits", async () => {
  const server = await serverForBlock({
    limits: { bodyBytes: 20_000, multipartBytes: 30_000 },
    ports: { rateLimiter: RateLimits.layerMemory({ requests: { points: 25, seconds: 2 } }) }
  })
  const limits = { bodyBytes: 20_000, uploadBytes: 30_000, requestsPerMinute: 25 }

  it.each(limitFaults())("detect that %s", async (_title, check, interception, message) => {
    const { key } = await server.tenant()
    const proxy = await startProxy(server.url, interception)
    try {
      const { results } = await runConformance({ url: proxy.url, apiKey: key, only: [check], limits })
      expect(results).toMatchObject([{ id: check, outcome: "failed" }])
      expect(results[0]?.detail).toContain(message)
    } finally {
      await proxy.close()
    }
  })
})
