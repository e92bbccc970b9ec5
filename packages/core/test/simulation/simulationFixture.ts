/** The engine, an agent and scenarios that tests of runs by text share. */
import { Agents, JobRunner, Jobs, Metrics, type Result, Results, Suites, untrusted } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import * as Logger from "effect/Logger"
import { type ReceivedRequest } from "./fakeAgent.js"

export const allowHosts = ["127.0.0.1"]
export const quiet = Logger.remove(Logger.defaultLogger)

export const tested = Effect.gen(function* () {
  const owner = yield* TestEngine.fixture
  const as = TestEngine.as(owner.actor)
  const [results, suites, agents, metrics, runner, jobs] = yield* Effect.all([
    Results,
    Suites,
    Agents,
    Metrics,
    JobRunner,
    Jobs
  ])
  const runsOf = (result: Result) =>
    Effect.flatMap(as(results.listRuns({ result: result.id, limit: 200 })), (page) =>
      Effect.forEach(page.results.toReversed(), ({ id }) => as(results.readRun(id)))
    )
  return {
    ...owner,
    as,
    results,
    suites,
    metrics,
    runner,
    jobs,
    runsOf,
    reachable: (url: string, kind: "openai" | "webhook" = "webhook") =>
      as(agents.update(owner.agent.id, { chat_endpoint: { url, kind } })),
    start: (scenarios: ReadonlyArray<object>, more: object = {}) =>
      as(
        suites.run(
          untrusted({
            spec: { version: "1", suite: { name: "S" }, scenarios, ...more },
            agent_id: owner.agent.id,
            channel: "text"
          })
        )
      ),
    read: (result: Result) => as(results.read(result.id)),
    capacity: as(results.capacity()),
    one: (result: Result) =>
      Effect.map(runsOf(result), ([run]) => {
        if (run === undefined) throw new Error("There is no run")
        return run
      })
  }
})

/** A caller who books a table, by conditional actions. */
export const booking = {
  key: "books",
  name: "Books a table",
  type: "conditional_actions",
  conditional_actions: {
    role: "{{name}}, in a hurry",
    conditions: [
      { id: 0, condition: "FIRST_MESSAGE", action: "Hello, this is {{name}}." },
      { id: 1, condition: "The agent asks for the date", action: 'Let me see. <silence time="4" /> Friday.' },
      { id: 2, condition: 1, action: "[laughter] At eight, rather.", type: "action_followup" },
      { id: 3, condition: "The agent confirms the booking", action: "Bye. <endcall /> unsaid" }
    ]
  },
  test_profile: { name: "Ann", information: { main_agent_variables: { name: "Ann <endcall />" }, person: { age: 40 } } }
}

export const friendly = ({ body }: ReceivedRequest) => {
  const message = body.messages.at(-1)?.content ?? ""
  return {
    message: message.startsWith("Hello")
      ? "For which date would that be?"
      : message.includes("Friday")
        ? "Friday at seven?"
        : "Your booking is confirmed.",
    tool_calls: message.includes("eight") ? [{ name: "book", arguments: { at: 8 }, result: "done" }] : []
  }
}
