import { readFile } from "node:fs/promises"
import { fileURLToPath } from "node:url"
import { Agents, JobRunner, Results, Suites, untrusted } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { fakeAgent } from "./fakeAgent.js"

const example = fileURLToPath(new URL("../../../../examples/suites/booking.json", import.meta.url))

layer(TestEngine.layer("sqlite", { allowHosts: ["127.0.0.1"] }))("the suite that the guides show", (it) => {
  it.scoped("succeeds with an agent that meets its expectations", () =>
    Effect.gen(function* () {
      const file = yield* Effect.promise(() => readFile(example, "utf8"))
      const agent = yield* fakeAgent(({ body }) => {
        const answers = ["For which date would that be?", "And your name?", "Your booking is confirmed."]
        return { message: answers[Math.floor(body.messages.length / 2)] }
      })
      const owner = yield* TestEngine.fixture
      const as = TestEngine.as(owner.actor)
      const chat_endpoint = { url: agent.url, kind: "webhook" }
      yield* as(Effect.flatMap(Agents, (all) => all.update(owner.agent.id, untrusted({ chat_endpoint }))))
      const made = yield* as(
        Effect.flatMap(Suites, (all) => all.run({ file, agent_id: owner.agent.id, channel: "text" }))
      )
      yield* Effect.flatMap(JobRunner, (runner) => runner.drain)
      const results = yield* Results
      const { results: runs } = yield* as(results.listRuns({ result: made.id }))
      expect(runs.map(({ status }) => status)).toEqual(["completed", "completed"])
      const run = yield* as(results.readRun(runs[0]!.id))
      expect(run.transcript.split("\n").map((line) => line.slice(line.indexOf(": ") + 2))).toEqual([
        "Hello, a table for two, please.",
        "For which date would that be?",
        "On Friday.",
        "And your name?",
        "Ann Smith.",
        "Your booking is confirmed.",
        "Thank you, bye."
      ])
    })
  )
})
