import { CallEvaluations, CallId, JobRunner, Results } from "@earshot/core"
import { EvaluatorKit, ModelKit, PageKit, ResultKit, TestEngine } from "@earshot/test-kit"
import { type PlainEngine, startEngine } from "@earshot/test-kit/plain"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schema from "effect/Schema"
import { afterAll, describe, it } from "vitest"

describe.each(TestEngine.databases)("an engine on %s", (database) => {
  const runtime = ManagedRuntime.make(TestEngine.layer(database))
  // Jobs are run on a database without the jobs of the many calls that are never evaluated.
  const working = ManagedRuntime.make(TestEngine.layer(database))
  afterAll(async () => {
    await runtime.dispose()
    await working.dispose()
  })

  const fixtureOf = (engine: typeof runtime) =>
    engine.runPromise(
      Effect.map(TestEngine.fixture, ({ actor, agent, project }): ModelKit.CallFixture => ({
        driver: ModelKit.engineDriver((steps) => engine.runPromise(steps), actor),
        project: project.id,
        agent: agent.id
      }))
    )
  const fixture = () => fixtureOf(runtime)
  const workFixture = async (): Promise<ModelKit.WorkFixture> => ({
    ...(await fixtureOf(working)),
    work: () => working.runPromise(Effect.flatMap(JobRunner, (runner) => runner.drain))
  })

  // PostgreSQL takes three times as long for a command, and the same rules decide on both. What happens at once is up to the
  // database, so that those models are not shorter there.
  const times = (runs: number): number => (database === "postgres" ? Math.ceil(runs / 2) : runs)

  const evaluators = async () => {
    const { agent, driver, project } = await fixture()
    return ModelKit.evaluatorFixture(driver, { agent, project })
  }

  it("matches the model of calls and dashboards", async () => {
    ModelKit.assertCovered(await ModelKit.checkCallModel(fixture, { runs: times(15), maxCommands: 50 }))
  }, 3_600_000)

  it("linearizes concurrent requests on calls", async () => {
    ModelKit.assertCovered(await ModelKit.checkConcurrentCalls(fixture, { runs: 20, maxCommands: 5 }))
  }, 3_600_000)

  it("stores what the events of platforms state, in any order and number", async () => {
    ModelKit.assertCovered(await ModelKit.checkPlatformEvents(fixture, { runs: times(8), maxCommands: 40 }))
  }, 3_600_000)

  it("matches the model of evaluators and folders", async () => {
    ModelKit.assertCovered(await EvaluatorKit.checkEvaluatorModel(evaluators, { runs: times(12), maxCommands: 40 }))
  }, 3_600_000)

  it("linearizes concurrent bulk updates", async () => {
    ModelKit.assertCovered(await EvaluatorKit.checkConcurrentBulkUpdates(evaluators, { runs: 15 }))
  }, 3_600_000)

  const capacity = async () =>
    ModelKit.capacityFixture(await fixture(), await fixture(), {
      endLeases: async () => {
        await runtime.runPromise(TestEngine.execute("UPDATE runs SET lease_until_ms = 1 WHERE status = 'running'"))
      },
      sweep: async () => {
        await runtime.runPromise(Effect.flatMap(Results, (results) => results.sweep))
      }
    })

  it("matches the model of capacity", async () => {
    ModelKit.assertCovered(await ResultKit.checkCapacityModel(capacity, { runs: times(10), maxCommands: 40 }))
  }, 3_600_000)

  it("linearizes concurrent deletions and reports", async () => {
    ModelKit.assertCovered(await ResultKit.checkConcurrentDeletions(capacity, { runs: 15 }))
  }, 3_600_000)

  it("matches the model of credentials", async () => {
    const driver = () =>
      runtime.runPromise(
        Effect.map(TestEngine.fixture, ({ actor, project }) =>
          ModelKit.engineCredentialDriver((steps) => runtime.runPromise(steps), actor, project.id)
        )
      )
    ModelKit.assertCovered(await ModelKit.checkCredentialModel(driver, { runs: times(15), maxCommands: 40 }))
  }, 3_600_000)

  describe("work and lists", () => {
    for (const { check, name } of [...ModelKit.workProperties(workFixture), ...ModelKit.listProperties(fixture)]) {
      it(name, check, 3_600_000)
    }
  })

  describe("charts and charges", () => {
    for (const { check, name } of [
      ...ModelKit.chartDataProperties(workFixture),
      ...ModelKit.chargeProperties(fixture)
    ]) {
      it(name, check, 3_600_000)
    }
  })

  describe("pages", () => {
    // Each list is that of a project of its own; an organization takes longer to create.
    let organization: Promise<ModelKit.CallFixture> | undefined
    const list = async (): Promise<PageKit.PagedList> => {
      const { driver } = await (organization ??= fixture())
      const project = idOf((await driver("POST", "/user/v1/projects/", { name: "Pages" })).body)
      const path = "/dashboards/dashboards/"
      return {
        insert: async () => idOf((await driver("POST", path, { name: "Row", project })).body),
        remove: async (id) => {
          await driver("DELETE", `${path}${id}/`)
        },
        page: async (cursor, limit) => {
          const query = `project=${project}&limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`
          return pageOf((await driver("GET", `${path}?${query}`)).body)
        }
      }
    }
    for (const { check, name } of PageKit.pageProperties(list)) it(name, check, 3_600_000)
  })

  describe.each(["project", "agent"] as const)("credentials that are limited to a %s", (type) => {
    const limited = async (): Promise<ModelKit.ScopedFixture> => {
      const { actor, agent, project } = await runtime.runPromise(TestEngine.fixture)
      const driverOf = (bounds: typeof actor.bounds) =>
        ModelKit.engineDriver((steps) => runtime.runPromise(steps), { ...actor, bounds })
      const driver = driverOf(null)
      const user = idOf((await driver("POST", "/user/v1/users/", { email: "somebody@example.org" })).body)
      return {
        to: type,
        owner: { driver, ...(await ModelKit.createEmptyProject(driver)) },
        limited: {
          driver: driverOf([{ type, id: type === "project" ? project.id : agent.id }]),
          project: project.id,
          agent: agent.id
        },
        user
      }
    }
    for (const { check, name } of ModelKit.scopeProperties(limited)) it(name, check, 3_600_000)
  })

  describe("tenants", () => {
    const tenants = async (): Promise<ModelKit.TwoTenants> => {
      const [{ agent, driver, project }, other] = [await fixture(), await fixture()]
      return { mine: driver, theirs: other.driver, project, agent }
    }
    for (const { check, name } of ModelKit.tenantProperties(tenants)) it(name, check, 3_600_000)
  })
})

describe.each(TestEngine.databases)("an engine with a language model on %s", (database) => {
  const engine = TestEngine.layer(database, { languageModel: ModelKit.chargeTestModel.layer })
  // Evaluations fail here on purpose and log warnings.
  const runtime = ManagedRuntime.make(Layer.merge(engine, Logger.remove(Logger.defaultLogger)))
  afterAll(() => runtime.dispose())

  const fixture = async (): Promise<ModelKit.EvaluatedFixture> => {
    const { actor, agent, project } = await runtime.runPromise(TestEngine.fixture)
    return {
      driver: ModelKit.engineDriver((steps) => runtime.runPromise(steps), actor),
      project: project.id,
      agent: agent.id,
      evaluate: (call, metrics) =>
        runtime.runPromise(
          Effect.flatMap(CallEvaluations, (all) => all.evaluate(CallId.make(call), { metric_ids: metrics })).pipe(
            TestEngine.as(actor)
          )
        ),
      work: () => runtime.runPromise(Effect.flatMap(JobRunner, (runner) => runner.drain))
    }
  }

  for (const { check, name } of ModelKit.evaluationChargeProperties(fixture)) it(name, check, 3_600_000)
})

describe.each(TestEngine.databases)("an engine with a clock on %s", (database) => {
  let engine: PlainEngine | undefined
  afterAll(() => engine?.stop())
  const fixture = async (): Promise<ModelKit.LeaseFixture> => {
    const started = (engine ??= await startEngine({ database }))
    const { actor, agent } = await started.fixture()
    return {
      driver: started.driver(actor),
      agent: agent.id,
      advance: (milliseconds) => {
        started.clock.advance(milliseconds)
      }
    }
  }
  for (const { check, name } of ModelKit.leaseProperties(fixture)) it(name, check, 3_600_000)
})

const Id = Schema.decodeUnknownSync(Schema.Struct({ id: Schema.Number }))
const idOf = (body: unknown): number => Id(body).id

const Page = Schema.decodeUnknownSync(
  Schema.Struct({
    next: Schema.NullOr(Schema.String),
    previous: Schema.NullOr(Schema.String),
    results: Schema.Array(Schema.Struct({ id: Schema.Number }))
  })
)
const pageOf = (body: unknown): PageKit.PageOfIds => {
  const { next, previous, results } = Page(body)
  return { next, previous, ids: results.map(({ id }) => id) }
}
