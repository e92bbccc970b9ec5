import { join } from "node:path"
import { JobRunner } from "@earshot/core"
import * as CodeHosts from "@earshot/core/providers/CodeHosts"
import * as RateLimits from "@earshot/core/providers/RateLimits"
import { runConformance } from "@earshot/test-kit/conformance"
import { CheckoutKit, ProviderKit, TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import { at } from "../support/Contract.js"
import { serverForBlock, type TestServer } from "../support/TestServer.js"

/** What the server takes at most was not told, nor a repository; other tests tell. */
const untold = ["E2/answered-200", "limits/upload", "limits/rate"]

/** Tries every rule. Prompts are simplified, and calls judged, by jobs, which the server's process does as long as it is asked. */
const tried = async (server: TestServer) => {
  const [{ key }, other] = [await server.tenant(), await server.tenant()]
  const asked = { url: server.url, apiKey: key, otherApiKey: other.key, run: "test" }
  return server.run(
    Effect.raceFirst(
      Effect.promise(() => runConformance(asked)),
      Effect.flatMap(JobRunner, (runner) => runner.run)
    )
  )
}

describe.each(TestEngine.databases)("the server on %s, known by its URL alone", async (database) => {
  const server = await serverForBlock({ database })

  it("keeps every rule of the interface, and nothing is left behind", async () => {
    const { notDeleted: left, passed, results } = await tried(server)
    expect(results.filter(({ id, outcome }) => outcome !== "passed" && !untold.includes(id))).toEqual([])
    expect(left).toEqual([])
    expect(passed).toBeGreaterThan(100)
  }, 300_000)
})

/** Decides whatever it is asked, and shortens no prompt more than rules do. */
const decided = { reasoning: "It was said.", verdict: "decided", value: true, turn: 1, quote: "Hello" }
const asItWas = { simplified_prompt: "x".repeat(10_000) }

describe("a server with a language model, known by its URL alone", async () => {
  const model = ProviderKit.fakeLanguageModel(({ name }) => (name === "verdict" ? decided : asItWas))
  const server = await serverForBlock({ ports: { languageModel: model.layer } })

  it("keeps every rule of the interface, and is asked little", async () => {
    const { notDeleted: left, passed, results } = await tried(server)
    expect(results.filter(({ id, outcome }) => outcome !== "passed" && !untold.includes(id))).toEqual([])
    expect(left).toEqual([])
    expect(passed).toBeGreaterThan(100)
    // The prompts that are to be simplified: no call is one that a metric would ask the model about.
    expect(model.asked.length).toBeGreaterThan(0)
    expect(model.asked.length).toBeLessThan(50)
  }, 300_000)
})

describe("a server with limits, known by its URL alone", async () => {
  const allowances = { requests: { points: 25, seconds: 3 } }
  const server = await serverForBlock({
    limits: { bodyBytes: 20_000, multipartBytes: 30_000 },
    ports: { rateLimiter: RateLimits.layerMemory(allowances) }
  })
  const limits = { bodyBytes: 20_000, uploadBytes: 30_000, requestsPerMinute: 25 }

  it("is held to what it was started with", async () => {
    const { key } = await server.tenant()
    const report = await runConformance({ url: server.url, apiKey: key, only: ["limits"], limits })
    expect(report.results.map(({ detail, id, outcome }) => [id, outcome, detail])).toEqual([
      ["limits/body", "passed", ""],
      ["limits/upload", "passed", ""],
      ["limits/rate", "passed", ""]
    ])
    expect(report.notDeleted).toEqual([])
  })

  it.each([
    ["limits/body", { bodyBytes: 20_001 }, "answered 413"],
    ["limits/body", { bodyBytes: 19_999 }, "answered 400"],
    ["limits/upload", { uploadBytes: 29_999 }, "answered 400"],
    ["limits/rate", { requestsPerMinute: 26 }, "answered 429"],
    ["limits/rate", { requestsPerMinute: 12 }, "25 requests of one key were let in; expected 429 after 12"]
  ])("is found out where it keeps another limit than was told: %s, %o", async (check, told, says) => {
    const { key } = await server.tenant()
    const { results } = await runConformance({ url: server.url, apiKey: key, only: [check], limits: told })
    expect(results).toMatchObject([{ id: check, outcome: "failed" }])
    expect(results[0]?.detail).toContain(says)
  })

  it("is waited for by checks that are about something else", async () => {
    const { key } = await server.tenant()
    const { results } = await runConformance({ url: server.url, apiKey: key, only: ["pages"] })
    expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([])
  })
})

describe("a server with a repository, known by its URL alone", async () => {
  const folder = CheckoutKit.temporaryFolder()
  afterAll(folder.remove)
  const listening: { url?: string } = {}
  const server = await serverForBlock({
    ports: { codeHosts: CodeHosts.layer({ local: { directory: folder.path, publicUrl: () => listening.url } }) }
  })
  listening.url = server.url

  it("hands out a checkout of what was named, and is found out where it has none of that name", async () => {
    const { key, organization } = await server.tenant()
    await CheckoutKit.makeRepository(join(folder.path, String(organization), "web.git"), { "README.md": "The web" })
    const connections = "/repohost/connections/"
    const made = await server.send("POST", connections, { key, json: { host: "local" } })
    const active = await server.send("POST", `${connections}${String(at(made.json, "id"))}/activate/`, { key })
    expect([made.status, active.status]).toEqual([201, 200])
    const outcomes = async (repo: string) =>
      (await runConformance({ url: server.url, apiKey: key, only: ["E2/answered-200"], repo })).results
    expect(await outcomes("web")).toMatchObject([{ outcome: "passed", detail: "" }])
    expect(await outcomes("other")).toMatchObject([{ outcome: "failed" }])
  })
})
