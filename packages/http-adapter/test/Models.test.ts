import { Results } from "@earshot/core"
import { EvaluatorKit, Laws, ModelKit, ResultKit, TestEngine, Worlds } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, it } from "vitest"
import { serving } from "./support/TestServer.js"

describe.each(TestEngine.databases)("a server on %s, by its URL", async (database) => {
  const server = await serving({ database })
  const { key, project } = await server.tenant()
  const door = ModelKit.httpDoor([server.url], key)

  const calls = async () => ({ door, ...(await ModelKit.createEmptyProject(door)) })
  const evaluators = async () => ModelKit.evaluatorWorld(door, await ModelKit.createEmptyProject(door))

  const tenant = async (): Promise<ModelKit.CapacityOwner> => {
    const made = await server.tenant()
    return { door: ModelKit.httpDoor([server.url], made.key), project: made.project, agent: made.agent }
  }
  const capacity = async () =>
    ModelKit.capacityWorld(await tenant(), await tenant(), {
      endLeases: async () => {
        await server.run(TestEngine.execute("UPDATE runs SET lease_until_ms = 1 WHERE status = 'running'"))
      },
      sweep: async () => {
        await server.run(Effect.flatMap(Results, (results) => results.sweep))
      }
    })

  it("holds what the model of capacity says that runs need", async () => {
    await ResultKit.checkCapacityModel(capacity, { walks: 5, steps: 30 })
  }, 3_600_000)

  it("leaves results after deletions at once as some order of them would", async () => {
    await ResultKit.checkDeletionsAtOnce(capacity, { walks: 10 })
  }, 3_600_000)

  it("keeps calls and dashboards as the model says", async () => {
    await ModelKit.checkCallModel(calls, { walks: 6, steps: 25 })
  }, 3_600_000)

  it("answers calls at once as some order of them would be answered", async () => {
    await ModelKit.checkCallsAtOnce(calls, { walks: 10, steps: 5 })
  }, 3_600_000)

  it("keeps evaluators and folders as the model says", async () => {
    await EvaluatorKit.checkEvaluatorModel(evaluators, { walks: 6, steps: 20 })
  }, 3_600_000)

  it("leaves evaluators after bulk updates at once as some order of them would", async () => {
    await EvaluatorKit.checkBulkUpdatesAtOnce(evaluators, { walks: 5 })
  }, 3_600_000)

  it("lets in whom the model of credentials lets in", async () => {
    const credentials = () => Promise.resolve(ModelKit.httpCredentialDoor(server.url, key, project))
    await ModelKit.checkCredentialModel(credentials, { walks: 5, steps: 30 })
  }, 3_600_000)

  it("takes whole organisations", async () => {
    for (const plan of fc.sample(Worlds.world, Laws.parameters(3))) {
      await Worlds.load((await tenant()).door, plan)
    }
  }, 3_600_000)

  describe("tenants", () => {
    const tenants = async (): Promise<ModelKit.TwoTenants> => {
      const [{ agent, door: mine, project }, { door: theirs }] = [await tenant(), await tenant()]
      return { mine, theirs, project, agent }
    }
    for (const { check, name: says } of ModelKit.tenantLaws(tenants)) it(says, check, 3_600_000)
  })
})
