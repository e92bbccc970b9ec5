import { runConformance } from "@earshot/test-kit/conformance"
import { TestEngine } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { serving } from "./support/TestServer.js"

describe.each(TestEngine.databases)("the server on %s, known by its URL alone", async (database) => {
  const server = await serving({ database })

  it("keeps every rule of the interface, and nothing is left behind", async () => {
    const [{ key }, other] = [await server.tenant(), await server.tenant()]
    const report = await runConformance({ url: server.url, apiKey: key, otherApiKey: other.key, run: "test" })
    expect(report.results.filter(({ outcome }) => outcome !== "passed")).toEqual([])
    expect(report.left).toEqual([])
    expect(report.passed).toBeGreaterThan(80)
  }, 300_000)
})
