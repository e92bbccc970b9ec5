import { Database, Engine, Organizations } from "@earshot/core"
import { EvaluatorKit, ModelKit, ResultKit } from "@earshot/test-kit"
import { afterAll, beforeAll, describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Redacted from "effect/Redacted"
import { start, type Started } from "../support/binary.js"
import { initialized, place, type Place } from "../support/databases.js"

describe("two servers on one PostgreSQL that receive requests in turn", () => {
  let at: Place
  let servers: ReadonlyArray<Started> = []
  let urls: ReadonlyArray<string> = []
  let driver: ModelKit.Driver
  /** Who does what no request does: makes organizations. */
  let host: ManagedRuntime.ManagedRuntime<Engine.Services, never>

  beforeAll(async () => {
    at = await place("postgres")
    const { key } = await initialized(at)
    servers = [0, 1].map(() =>
      start(["serve", "--port", "0", "--json", "--database", at.database, "--log-level", "none"])
    )
    const lines = await Promise.all(servers.map(({ until }) => until("\n")))
    urls = lines.map((line) => /http[^"]+/.exec(line)?.[0] ?? "")
    driver = ModelKit.httpDriver(urls, key)
    host = ManagedRuntime.make(Engine.layer.pipe(Layer.provideMerge(Database.layer(at.database)), Layer.orDie))
  })
  afterAll(async () => {
    await host.dispose()
    for (const { child } of servers) child.kill("SIGTERM")
    for (const { ended } of servers) expect((await ended).code).toBe(0)
    await at.remove()
  })

  const calls = async () => ({ driver, ...(await ModelKit.createEmptyProject(driver)) })
  const evaluators = async () => ModelKit.evaluatorFixture(driver, await ModelKit.createEmptyProject(driver))

  const tenant = async (): Promise<ModelKit.CapacityOwner> => {
    const { agent, apiKey, project } = await host.runPromise(
      Effect.flatMap(Organizations, (all) => all.create({ name: "Model" }))
    )
    return { driver: ModelKit.httpDriver(urls, Redacted.value(apiKey.secret)), project: project.id, agent: agent.id }
  }
  // The servers release expired leases by themselves at any time, so the command sequences have no crashes.
  const capacity = async () => ModelKit.capacityFixture(await tenant(), await tenant())

  it("match the model of capacity", async () => {
    await ResultKit.checkCapacityModel(capacity, { runs: 4, maxCommands: 30 })
  }, 3_600_000)

  it("process concurrent deletions of results as if in some order", async () => {
    await ResultKit.checkConcurrentDeletions(capacity, { runs: 10 })
  }, 3_600_000)

  it("match the model of calls and dashboards", async () => {
    await ModelKit.checkCallModel(calls, { runs: 4, maxCommands: 20 })
  }, 3_600_000)

  it("process concurrent requests on calls as if in some order", async () => {
    await ModelKit.checkConcurrentCalls(calls, { runs: 10, maxCommands: 5 })
  }, 3_600_000)

  it("match the model of evaluators and folders", async () => {
    await EvaluatorKit.checkEvaluatorModel(evaluators, { runs: 3, maxCommands: 15 })
  }, 3_600_000)

  it("process concurrent bulk updates as if in some order", async () => {
    await EvaluatorKit.checkConcurrentBulkUpdates(evaluators, { runs: 8 })
  }, 3_600_000)
})
