import { join } from "node:path"
import { JobRunner } from "@earshot/core"
import * as CodeHosts from "@earshot/core/providers/CodeHosts"
import * as RateLimits from "@earshot/core/providers/RateLimits"
import { checksFor, runConformance } from "@earshot/test-kit/conformance"
import { CheckoutKit, ProviderKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import { afterAll, describe, expect, it } from "vitest"
import { at } from "../support/Contract.js"
import { serverForBlock, type TestServer } from "../support/TestServer.js"

/** Checks that need limits or a repository, which other tests give. */
const skipped = ["E2/answered-200", "limits/upload", "limits/rate"]

/** Runs all checks while the server's jobs, such as simplifications, are run. */
const runAll = async (server: TestServer, only?: ReadonlyArray<string>) => {
  const [{ key }, other] = [await server.tenant(), await server.tenant()]
  const options = { url: server.url, apiKey: key, otherApiKey: other.key, run: "test", only }
  return server.run(
    Effect.raceFirst(
      Effect.promise(() => runConformance(options)),
      Effect.flatMap(JobRunner, (runner) => runner.run)
    )
  )
}

/** Responses of the model: a verdict for every question, and a prompt that is not shorter. */
const verdict = { reasoning: "It was said.", verdict: "decided", value: true, turn: 1, quote: "Hello" }
const unchanged = { simplified_prompt: "x".repeat(10_000) }

/** Checks of what is decided before anything is stored or read: credentials, bodies, suites as text. One database is enough. */
const WITHOUT_DATA = ["credentials", "operations", "messages", "limits", "E1"]

// All checks take half a minute of processor time, so that only one run has all of them.
describe("conformance of the server on PostgreSQL", async () => {
  const server = await serverForBlock({ database: "postgres" })

  it("passes every check of what is stored and leaves no data behind", async () => {
    const stored = checksFor().filter(({ id }) => !WITHOUT_DATA.some((name) => id.startsWith(`${name}/`)))
    const only = stored.map(({ id }) => id)
    const { notDeleted: left, passed, results } = await runAll(server, only)
    expect(results.filter(({ id, outcome }) => outcome !== "passed" && !skipped.includes(id))).toEqual([])
    expect(left).toEqual([])
    expect(passed).toBeGreaterThan(100)
  }, 300_000)
})

describe("conformance of the server on SQLite with a language model", async () => {
  const model = ProviderKit.fakeLanguageModel(({ name }) => (name === "verdict" ? verdict : unchanged))
  const server = await serverForBlock({ database: "sqlite", ports: { languageModel: model.layer } })

  it("passes every check with few requests to the model", async () => {
    const { notDeleted: left, passed, results } = await runAll(server)
    expect(results.filter(({ id, outcome }) => outcome !== "passed" && !skipped.includes(id))).toEqual([])
    expect(left).toEqual([])
    expect(passed).toBeGreaterThan(100)
    // Only simplifications ask the model: no call has a metric that does.
    expect(model.asked.length).toBeGreaterThan(0)
    expect(model.asked.length).toBeLessThan(50)
  }, 300_000)
})

describe("conformance of a server with limits", async () => {
  const allowances = { requests: { points: 25, seconds: 3 } }
  const server = await serverForBlock({
    limits: { bodyBytes: 20_000, multipartBytes: 30_000 },
    ports: { rateLimiter: RateLimits.layerMemory(allowances) }
  })
  const limits = { bodyBytes: 20_000, uploadBytes: 30_000, requestsPerMinute: 25 }

  it("passes the checks of limits when they are given", async () => {
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
  ])("fails %s if the given limit is %o", async (check, given, message) => {
    const { key } = await server.tenant()
    const { results } = await runConformance({ url: server.url, apiKey: key, only: [check], limits: given })
    expect(results).toMatchObject([{ id: check, outcome: "failed" }])
    expect(results[0]?.detail).toContain(message)
  })

  it("passes checks that have to wait for its rate limit", async () => {
    const { key } = await server.tenant()
    const { results } = await runConformance({ url: server.url, apiKey: key, only: ["pages"] })
    expect(results.filter(({ outcome }) => outcome !== "passed")).toEqual([])
  })
})

describe("conformance of a server with a repository", async () => {
  const folder = CheckoutKit.temporaryFolder()
  afterAll(folder.remove)
  const listening: { url?: string } = {}
  const server = await serverForBlock({
    ports: { codeHosts: CodeHosts.layer({ local: { directory: folder.path, publicUrl: () => listening.url } }) }
  })
  listening.url = server.url

  it("passes the checkout check with an existing repository and fails it with an unknown one", async () => {
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
