import { operations, Results } from "@earshot/core"
import { EvaluatorKit, Properties, ModelKit, ResultKit, TestEngine, Fixtures } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { describe, it } from "vitest"
import { textAt } from "./support/Contract.js"
import { serverForBlock } from "./support/TestServer.js"

describe.each(TestEngine.databases)("model-based tests over HTTP on %s", async (database) => {
  const server = await serverForBlock({ database })
  const { key, project } = await server.tenant()
  const driver = ModelKit.httpDriver([server.url], key)

  const calls = async () => ({ driver, ...(await ModelKit.createEmptyProject(driver)) })
  const evaluators = async () => ModelKit.evaluatorFixture(driver, await ModelKit.createEmptyProject(driver))

  const tenant = async (): Promise<ModelKit.CapacityOwner> => {
    const made = await server.tenant()
    return { driver: ModelKit.httpDriver([server.url], made.key), project: made.project, agent: made.agent }
  }
  const capacity = async () =>
    ModelKit.capacityFixture(await tenant(), await tenant(), {
      endLeases: async () => {
        await server.run(TestEngine.execute("UPDATE runs SET lease_until_ms = 1 WHERE status = 'running'"))
      },
      sweep: async () => {
        await server.run(Effect.flatMap(Results, (results) => results.sweep))
      }
    })

  it("capacity equals the capacity model after any command sequence", async () => {
    await ResultKit.checkCapacityModel(capacity, { runs: 5, maxCommands: 30 })
  }, 3_600_000)

  it("concurrent deletions of results are linearizable", async () => {
    await ResultKit.checkConcurrentDeletions(capacity, { runs: 10 })
  }, 3_600_000)

  it("calls and dashboards equal the call model after any command sequence", async () => {
    await ModelKit.checkCallModel(calls, { runs: 6, maxCommands: 25 })
  }, 3_600_000)

  it("concurrent deliveries and reviews of calls are linearizable", async () => {
    await ModelKit.checkConcurrentCalls(calls, { runs: 10, maxCommands: 5 })
  }, 3_600_000)

  it("evaluators and folders equal the evaluator model after any command sequence", async () => {
    await EvaluatorKit.checkEvaluatorModel(evaluators, { runs: 6, maxCommands: 20 })
  }, 3_600_000)

  it("concurrent bulk updates are linearizable", async () => {
    await EvaluatorKit.checkConcurrentBulkUpdates(evaluators, { runs: 5 })
  }, 3_600_000)

  it("credentials are accepted exactly as the credential model predicts", async () => {
    const credentials = () => Promise.resolve(ModelKit.httpCredentialDriver(server.url, key, project))
    await ModelKit.checkCredentialModel(credentials, { runs: 5, maxCommands: 30 })
  }, 3_600_000)

  it("generated organizations can be created", async () => {
    for (const plan of fc.sample(Fixtures.plan, Properties.parameters(3))) {
      await Fixtures.load((await tenant()).driver, plan)
    }
  }, 3_600_000)

  describe("tokens that are limited to a project", () => {
    const permissions = [...new Set(Object.values(operations).map(({ needs }) => needs))]
    const limited = async (): Promise<ModelKit.ScopedFixture> => {
      const made = await server.tenant()
      const unlimited = ModelKit.httpDriver([server.url], made.key)
      const bounds = [{ type: "project", id: made.project }]
      const { body } = await unlimited("POST", "/user/v1/tokens/", { kind: "oauth2", bounds, permissions })
      const user = (await unlimited("POST", "/user/v1/users/", { email: "somebody@example.org" })).body
      return {
        to: "project",
        owner: { driver: unlimited, ...(await ModelKit.createEmptyProject(unlimited)) },
        limited: {
          driver: ModelKit.tokenDriver(server.url, textAt(body, "token")),
          project: made.project,
          agent: made.agent
        },
        user: Number(textAt(user, "id"))
      }
    }
    for (const { check, name } of ModelKit.scopeProperties(limited)) it(name, check, 3_600_000)
  })

  describe("tenant isolation", () => {
    const tenants = async (): Promise<ModelKit.TwoTenants> => {
      const [{ agent, driver: mine, project }, { driver: theirs }] = [await tenant(), await tenant()]
      return { mine, theirs, project, agent }
    }
    for (const { check, name } of ModelKit.tenantProperties(tenants)) it(name, check, 3_600_000)
  })
})
