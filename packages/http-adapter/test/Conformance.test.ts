import { JobRunner } from "@earshot/core"
import { runConformance } from "@earshot/test-kit/conformance"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { serving } from "./support/TestServer.js"

describe.each(TestEngine.databases)("the server on %s, known by its URL alone", async (database) => {
  const server = await serving({ database })

  it("keeps every rule of the interface, and nothing is left behind", async () => {
    const [{ key }, other] = [await server.tenant(), await server.tenant()]
    const asked = { url: server.url, apiKey: key, otherApiKey: other.key, run: "test" }
    // Prompts are simplified by jobs, which the server's process does as long as it is asked.
    const report = await server.run(
      Effect.raceFirst(
        Effect.promise(() => runConformance(asked)),
        Effect.flatMap(JobRunner, (runner) => runner.run)
      )
    )
    expect(report.results.filter(({ outcome }) => outcome !== "passed")).toEqual([])
    expect(report.left).toEqual([])
    expect(report.passed).toBeGreaterThan(100)
  }, 300_000)
})
