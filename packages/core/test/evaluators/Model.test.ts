import {
  type CurrentActor,
  encodeEvaluator,
  EvaluatorId,
  Evaluators,
  FolderId,
  Folders,
  Tools,
  ValidationFailed
} from "@earshot/core"
import { EvaluatorKit, TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { afterAll, describe, it } from "vitest"
import { engine, makeMetrics } from "./fixtures.js"

describe.each(TestEngine.databases)("any walk through evaluators and folders on %s", (database) => {
  const runtime = ManagedRuntime.make(engine(database))
  afterAll(() => runtime.dispose())

  const world = () =>
    runtime.runPromise(
      Effect.gen(function* () {
        const { actor, agent, organization, project } = yield* TestEngine.world
        const as = TestEngine.as(actor)
        const evaluators = yield* Evaluators
        const folders = yield* Folders
        const tools = yield* Tools
        const ask = (useCase: Effect.Effect<unknown, unknown, CurrentActor>): Promise<EvaluatorKit.DoorAnswer> =>
          runtime.runPromise(
            as(useCase).pipe(
              Effect.map((made) => ({ id: idOf(made), faults: [] })),
              Effect.catchIf(
                (error) => error instanceof ValidationFailed,
                ({ faults }) => Effect.succeed({ id: null, faults: Object.keys(faults) })
              )
            )
          )
        const door: EvaluatorKit.EvaluatorDoor = {
          create: (input) => ask(evaluators.create(input)),
          patch: (id, input) => ask(evaluators.update(EvaluatorId.make(id), input)),
          remove: (id) => ask(evaluators.delete(EvaluatorId.make(id))),
          bulkUpdate: (input) => ask(evaluators.bulkUpdate(input)),
          createFolder: (input) => ask(folders.create(input)),
          moveFolder: (id, input) => ask(folders.update(FolderId.make(id), input)),
          removeFolder: (id) => ask(folders.delete(FolderId.make(id))),
          all: () =>
            runtime.runPromise(
              Effect.map(as(evaluators.list({ project: project.id, limit: 200 })), ({ results }) =>
                results.map((one) => encodeEvaluator(one))
              )
            ),
          folders: () =>
            runtime.runPromise(
              Effect.map(as(folders.list({ project: project.id, limit: 200 })), ({ results }) =>
                results.map(({ path }) => path)
              )
            )
        }
        const made = yield* Effect.forEach(["a", "b", "c", "d", "e"], (name) =>
          as(tools.create({ project: project.id, name }))
        )
        return {
          door,
          project: project.id,
          agent: agent.id,
          metrics: yield* makeMetrics({ organization: organization.id, project: project.id, agent: agent.id }, 5),
          tools: made.map(({ id }) => id)
        }
      })
    )

  it("shows what the reference model says, and refuses what it refuses", async () => {
    await EvaluatorKit.checkEvaluatorModel(world, { walks: 12, steps: 25 })
  }, 120_000)
})

const idOf = (made: unknown): number | null =>
  typeof made === "object" && made !== null && "id" in made && typeof made.id === "number" ? made.id : null
