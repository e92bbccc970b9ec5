import type { Engine } from "@earshot/core"
import { AccessKit, TestEngine } from "@earshot/test-kit"
import { layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"

for (const database of TestEngine.databases) {
  layer(TestEngine.layer(database))(`reading in process on ${database}`, (it) => {
    const organization = (execute: <A>(steps: Effect.Effect<A, never, Engine.Services>) => Promise<A>) => async () => {
      const { actor, agent, project } = await execute(TestEngine.fixture)
      return {
        project: project.id,
        agent: agent.id,
        caller: (permissions: Parameters<AccessKit.SeededOrganization["caller"]>[0]) =>
          Promise.resolve(AccessKit.engineRequester(execute, { ...actor, permissions: new Set(permissions) }))
      }
    }

    it.effect(
      "needs a permission to read, whatever the operation",
      () =>
        Effect.gen(function* () {
          const execute = Runtime.runPromise(yield* Effect.runtime<Engine.Services>())
          yield* Effect.promise(() => AccessKit.readingCoverage(organization(execute)))
          // What a caller may read of an answer is decided after the database has returned it: each run asks every operation.
          yield* Effect.promise(AccessKit.readingProperty(organization(execute), database === "sqlite" ? 12 : 3).check)
        }),
      60_000
    )
  })
}
