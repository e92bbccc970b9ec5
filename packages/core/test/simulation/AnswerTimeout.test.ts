import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestServices from "effect/TestServices"
import { fakeAgent } from "./fakeAgent.js"
import { allowHosts, quiet, tested, booking } from "./simulationFixture.js"

for (const database of TestEngine.databases) {
  const impatient = TestEngine.layer(database, { allowHosts, simulation: { answerTimeout: "200 millis" } })

  layer(Layer.merge(impatient, quiet), { timeout: "1 minute" })(
    `runs by text, with little patience, on ${database},`,
    (it) => {
      it.scoped("time out if the agent takes too long for one answer", () =>
        TestServices.provideLive(
          Effect.gen(function* () {
            const { one, reachable, runner, start } = yield* tested
            const agent = yield* fakeAgent(() => undefined)
            yield* reachable(agent.url)
            const result = yield* start([booking])
            yield* runner.drain
            const run = yield* one(result)
            expect(run).toMatchObject({ status: "timeout", error: "The agent took longer than 200ms to answer." })
            expect(run.transcriptObject).toHaveLength(1)
          })
        )
      )
    }
  )
}
