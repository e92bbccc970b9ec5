import {
  type AgentId,
  authorize,
  Evaluators,
  Folders,
  hostActor,
  type MetricId,
  MetricStore,
  type OrganizationId,
  Personalities,
  PhoneNumbers,
  type ProjectId,
  TestProfiles,
  Tools,
  ValidationFailed
} from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import * as DateTime from "effect/DateTime"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as MetricStoreSql from "../../src/storage/sql/MetricStoreSql.js"

/** The engine, and the store of metrics, which no use case fills yet. */
export const engine = (database: TestEngine.DatabaseName) =>
  MetricStoreSql.layer.pipe(Layer.provideMerge(TestEngine.layer(database)))

/** The field errors of a use case that is expected to fail. */
export const errorsOf = <A, E, R>(useCase: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(useCase), (error) => (error instanceof ValidationFailed ? error.errors : error))

export const unknown = (...ids: ReadonlyArray<number>) => ids.map((id) => `Invalid pk "${id}" - object does not exist.`)

/** Metrics of an agent, which nothing else in these tests needs a use case for. */
export const makeMetrics = (
  of: { readonly organization: OrganizationId; readonly project: ProjectId; readonly agent: AgentId },
  count: number
): Effect.Effect<ReadonlyArray<MetricId>, unknown, MetricStore> =>
  Effect.gen(function* () {
    const store = yield* MetricStore
    const permit = Either.getOrThrow(authorize(hostActor(of.organization), "agents.create"))
    const made = yield* Effect.forEach(Array.from({ length: count }), (_, n) =>
      store.insert(
        permit,
        {
          projectId: of.project,
          agentId: of.agent,
          name: `Metric ${n}`,
          slug: null,
          type: "llm_judge",
          evalType: "binary"
        },
        DateTime.unsafeMake(0)
      )
    )
    return made.map(({ id }) => id)
  })

/** An organization with something of everything that an evaluator can refer to. */
export const seededProject = Effect.gen(function* () {
  const owner = yield* TestEngine.fixture
  const as = TestEngine.as(owner.actor)
  const project = owner.project.id
  const personalities = yield* Personalities
  const personality = yield* as(personalities.create({ project, name: "Patient", language: "en" }))
  const disabled = yield* as(personalities.create({ project, name: "Rude", language: "de" }))
  yield* as(personalities.enable(project, { personalities: personality.id }))
  const profile = yield* as(
    (yield* TestProfiles).create({
      project,
      name: "Ann",
      information: { main_agent_variables: { name: "Ann" }, account: { plan: "gold" } }
    })
  )
  const number = yield* as((yield* PhoneNumbers).create({ project, number: "+15550100", name: "Front desk" }))
  const tools = yield* Effect.forEach(["keypad", "calendar", "crm"], (name) =>
    Effect.flatMap(Tools, (all) => as(all.create({ project, name })))
  )
  const folders = yield* Folders
  const folder = yield* as(folders.create({ project, path: "smoke" }))
  const inner = yield* as(folders.create({ project, path: "smoke.nightly" }))
  const metrics = yield* makeMetrics({ organization: owner.organization.id, project, agent: owner.agent.id }, 4)
  const evaluators = yield* Evaluators
  const make = (input: object = {}) =>
    as(
      evaluators.create({
        agent: owner.agent.id,
        name: "Books a table",
        scenario_type: "instruction",
        instructions: "Ask for a table for two.",
        ...input
      })
    )
  return {
    ...owner,
    as,
    make,
    personality,
    disabled,
    profile,
    number,
    tools,
    folder,
    inner,
    metrics,
    toolIds: tools.map(({ id }) => id)
  }
})

export const opening = { id: 0, condition: "FIRST_MESSAGE", action: "Hello", type: "standard", fixed_message: true }

export const actions = {
  role: "Somebody in a hurry",
  conditions: [
    opening,
    {
      id: 1,
      condition: "The agent asks for a date",
      action: `<silence time="2" />Friday [laughter]`,
      type: "standard",
      fixed_message: false
    },
    { id: 2, condition: 1, action: `<hold time="5" />Bye <endcall />`, type: "action_followup", fixed_message: false }
  ]
}
