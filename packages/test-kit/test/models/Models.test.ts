import { CallEvaluations, CallId, JobRunner, Results } from "@earshot/core"
import { EvaluatorKit, ModelKit, PageKit, ResultKit, TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as Schema from "effect/Schema"
import { afterAll, describe, it } from "vitest"

describe.each(TestEngine.databases)("an engine on %s", (database) => {
  const runtime = ManagedRuntime.make(TestEngine.layer(database))
  afterAll(() => runtime.dispose())

  const world = () =>
    runtime.runPromise(
      Effect.map(TestEngine.world, ({ actor, agent, project }): ModelKit.CallWorld => ({
        door: ModelKit.engineDoor((steps) => runtime.runPromise(steps), actor),
        project: project.id,
        agent: agent.id
      }))
    )

  const evaluators = async () => {
    const { agent, door, project } = await world()
    return ModelKit.evaluatorWorld(door, { agent, project })
  }

  it("keeps calls and dashboards as the model says", async () => {
    ModelKit.assertHappened(await ModelKit.checkCallModel(world, { walks: 15, steps: 50 }))
  }, 3_600_000)

  it("answers calls at once as some order of them would be answered", async () => {
    ModelKit.assertHappened(await ModelKit.checkCallsAtOnce(world, { walks: 20, steps: 5 }))
  }, 3_600_000)

  it("keeps evaluators and folders as the model says", async () => {
    ModelKit.assertHappened(await EvaluatorKit.checkEvaluatorModel(evaluators, { walks: 12, steps: 40 }))
  }, 3_600_000)

  it("leaves evaluators after bulk updates at once as some order of them would", async () => {
    ModelKit.assertHappened(await EvaluatorKit.checkBulkUpdatesAtOnce(evaluators, { walks: 15 }))
  }, 3_600_000)

  const capacity = async () =>
    ModelKit.capacityWorld(await world(), await world(), {
      endLeases: async () => {
        await runtime.runPromise(TestEngine.execute("UPDATE runs SET lease_until_ms = 1 WHERE status = 'running'"))
      },
      sweep: async () => {
        await runtime.runPromise(Effect.flatMap(Results, (results) => results.sweep))
      }
    })

  it("holds what the model of capacity says that runs need", async () => {
    ModelKit.assertHappened(await ResultKit.checkCapacityModel(capacity, { walks: 10, steps: 40 }))
  }, 3_600_000)

  it("leaves results after deletions at once as some order of them would", async () => {
    ModelKit.assertHappened(await ResultKit.checkDeletionsAtOnce(capacity, { walks: 15 }))
  }, 3_600_000)

  it("lets in whom the model of credentials lets in", async () => {
    const door = () =>
      runtime.runPromise(
        Effect.map(TestEngine.world, ({ actor, project }) =>
          ModelKit.engineCredentialDoor((steps) => runtime.runPromise(steps), actor, project.id)
        )
      )
    ModelKit.assertHappened(await ModelKit.checkCredentialModel(door, { walks: 15, steps: 40 }))
  }, 3_600_000)

  describe("charts and charges", () => {
    const working = async (): Promise<ModelKit.ChartWorld> => ({
      ...(await world()),
      work: () => runtime.runPromise(Effect.flatMap(JobRunner, (runner) => runner.drain))
    })
    for (const { check, says } of [...ModelKit.chartDataLaws(working), ...ModelKit.chargeLaws(world)]) {
      it(says, check, 3_600_000)
    }
  })

  describe("pages", () => {
    const list = async (): Promise<PageKit.PagedList> => {
      const { door, project } = await world()
      const path = "/dashboards/dashboards/"
      return {
        insert: async () => idOf((await door("POST", path, { name: "Row", project })).body),
        remove: async (id) => {
          await door("DELETE", `${path}${id}/`)
        },
        page: async (cursor, limit) => {
          const query = `project=${project}&limit=${limit}${cursor === null ? "" : `&cursor=${cursor}`}`
          return pageOf((await door("GET", `${path}?${query}`)).body)
        }
      }
    }
    for (const { check, says } of PageKit.pageLaws(list)) it(says, check, 3_600_000)
  })

  describe("tenants", () => {
    const tenants = async (): Promise<ModelKit.TwoTenants> => {
      const [{ agent, door, project }, other] = [await world(), await world()]
      return { mine: door, theirs: other.door, project, agent }
    }
    for (const { check, says } of ModelKit.tenantLaws(tenants)) it(says, check, 3_600_000)
  })
})

describe.each(TestEngine.databases)("an engine with a language model on %s", (database) => {
  const engine = TestEngine.layer(database, { languageModel: ModelKit.judgeOfCharges.layer })
  // Evaluations fail here on purpose, and are warned of.
  const runtime = ManagedRuntime.make(Layer.merge(engine, Logger.remove(Logger.defaultLogger)))
  afterAll(() => runtime.dispose())

  const world = async (): Promise<ModelKit.EvaluatedWorld> => {
    const { actor, agent, project } = await runtime.runPromise(TestEngine.world)
    return {
      door: ModelKit.engineDoor((steps) => runtime.runPromise(steps), actor),
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

  for (const { check, says } of ModelKit.evaluationChargeLaws(world)) it(says, check, 3_600_000)
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
