import { existsSync } from "node:fs"
import { bundledCommand } from "../../packages/cli-adapter/test/support/bundle.js"
import { postgresUrl } from "@earshot/test-kit/postgres"
import { describe, expect, it } from "vitest"
import { runScenario } from "../src/chaos/runScenario.js"
import { makeFigures, percentile } from "../src/chaos/Scenario.js"
import { scenarios } from "../src/chaos/scenarios.js"

describe("failure tests", () => {
  it.skipIf(!existsSync("/proc/self/stat"))(
    "run a scenario against a server of its own and count its calls",
    async () => {
      const lines: Array<string> = []
      const scenario = scenarios.find(({ name }) => name === "wrong-keys")
      if (scenario === undefined) expect.fail("There is no such scenario.")
      const missed = await runScenario(
        scenario,
        "tiny",
        {
          databases: ["sqlite"],
          startPostgres: async () => ({ url: await postgresUrl(), stop: () => Promise.resolve() }),
          args: [],
          print: (line) => lines.push(line),
          program: bundledCommand()
        },
        { calls: 10, seconds: 1 }
      )
      const text = lines.join("\n")
      expect(text).toMatch(/ok {5}lost of [1-9]\d* acknowledged calls: 0\.0/)
      expect(text).toMatch(/wrong keys were answered with 401: \d+/)
      expect(text).toMatch(/undisturbed +health +[1-9]\d* requests/)
      expect(text).toMatch(/resident memory: \d\d+ MB/)
      // How long answers take is no matter of a test that runs beside others.
      expect(missed.filter((one) => !one.includes("p99"))).toEqual([])
    }
  )

  it("have names of their own", () => {
    const names = scenarios.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
  })

  it("report figures that miss their goals", () => {
    const lines: Array<string> = []
    const figures = makeFigures((line) => lines.push(line), "here")
    figures.atMost("memory", 501, 500, "MB")
    figures.atMost("memory", 500, 500, "MB")
    figures.atLeast("rate", 9, 10)
    figures.requests("title", [
      { kind: "ingest", ms: 5, status: 201 },
      { kind: "ingest", ms: 15, status: 0, error: "ECONNRESET" }
    ])
    expect(figures.missed()).toEqual(["here: memory: 501 MB (at most 500 MB)", "here: rate: 9.0 (at least 10)"])
    expect(lines.at(-1)).toMatch(/ingest +2 requests .*slowest +15 ms {2}201: 1, ECONNRESET: 1$/)
    expect([0.5, 0.99, 1].map((share) => percentile([3, 1, 2, 4], share))).toEqual([3, 4, 4])
  })
})
