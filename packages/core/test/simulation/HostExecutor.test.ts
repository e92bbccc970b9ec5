import { type PlayedRun, JobRunner, Results, RunExecutor, Suites } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"

/** A host's own executor, and one that has a fault in it. */
let plays = 0
const stumbling = Layer.succeed(RunExecutor, {
  channels: ["text"],
  play: (): Effect.Effect<PlayedRun> =>
    Effect.suspend(() => {
      plays++
      return Effect.die(new TypeError("secret"))
    })
})
const quiet = Logger.remove(Logger.defaultLogger)

for (const database of TestEngine.databases) {
  layer(Layer.merge(TestEngine.layer(database, { runExecutor: stumbling }), quiet), { timeout: "1 minute" })(
    `runs of a host's executor, on ${database},`,
    (it) => {
      it.effect("fail at once, without a retry, if the executor throws", () =>
        Effect.gen(function* () {
          const { actor, agent } = yield* TestEngine.fixture
          const as = TestEngine.as(actor)
          const results = yield* Results
          plays = 0
          const made = yield* as(
            (yield* Suites).run({
              spec: {
                version: "1",
                suite: { name: "S" },
                scenarios: [{ key: "a", name: "A", type: "instruction", instructions: "Ask." }]
              },
              agent_id: agent.id,
              channel: "text"
            })
          )
          yield* (yield* JobRunner).drain
          expect((yield* as(results.listRuns({ result: made.id }))).results).toMatchObject([
            { status: "failed", attempts: 1, error: "The run could not be executed (TypeError)." }
          ])
          expect(plays).toBe(1)
        })
      )
    }
  )
}
