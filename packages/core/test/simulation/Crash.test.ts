import { once } from "node:events"
import { Agents, CurrentActor, Database, Engine, hostActor, Organizations, Results, Suites } from "@earshot/core"
import { SqlClient } from "@effect/sql/SqlClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import { describe, expect, it } from "vitest"
import { workersOf } from "../jobs/workers.js"
import { fakeAgent } from "./fakeAgent.js"

const RUNS = 30

describe.each(["sqlite", "postgres"] as const)("runs whose process is killed, on %s,", (database) => {
  const { address, start, stop } = workersOf(new URL("./crash/worker.mjs", import.meta.url), database)

  it("are restarted by another process, completed once each, and leave no claim behind", async () => {
    const engine = ManagedRuntime.make(Engine.layer.pipe(Layer.provideMerge(Database.layer(address()))))
    try {
      await engine.runPromise(
        Effect.scoped(
          Effect.gen(function* () {
            // The first conversations never end, so that the process is killed in the midst of them.
            let isStuck = true
            const agent = yield* fakeAgent(({ body }) =>
              isStuck && body.messages.length > 1
                ? undefined
                : { message: "Go on.", end_call: body.messages.length > 4 }
            )
            const { agent: tested, organization } = yield* (yield* Organizations).create({ name: "Crash" })
            const as = Effect.provideService(CurrentActor, hostActor(organization.id))
            const agents = yield* Agents
            yield* as(agents.update(tested.id, { chat_endpoint: { url: agent.url, kind: "webhook" } }))
            const result = yield* as(
              (yield* Suites).run({
                agent_id: tested.id,
                channel: "text",
                spec: {
                  version: "1",
                  suite: { name: "Crash" },
                  defaults: { concurrency_limit: 5, metrics: ["latency_ms"] },
                  scenarios: [
                    {
                      key: "a",
                      name: "A",
                      type: "conditional_actions",
                      frequency: RUNS,
                      conditional_actions: {
                        role: "Caller",
                        conditions: [
                          { id: 0, condition: "FIRST_MESSAGE", action: "Hello." },
                          { id: 1, condition: 0, action: "And then?", type: "action_followup" },
                          { id: 2, condition: 1, action: "And then?", type: "action_followup" }
                        ]
                      }
                    }
                  ]
                }
              })
            )
            const read = as(Effect.flatMap(Results, (all) => all.read(result.id)))
            const first = start()
            yield* Effect.repeat(Effect.sleep("20 millis"), {
              until: () => agent.requests.filter(({ body }) => body.messages.length > 1).length >= 5
            })
            expect((yield* read).runsByStatus.running).toBe(5)
            const closed = once(first, "close")
            first.kill("SIGKILL")
            yield* Effect.promise(() => closed)
            isStuck = false
            const second = start()
            yield* Effect.repeat(Effect.zipRight(Effect.sleep("200 millis"), read), {
              until: ({ status }) => status === "completed"
            })
            yield* Effect.promise(() => stop(second))
            expect((yield* read).runsByStatus).toMatchObject({ completed: RUNS })
            const page = yield* as(Effect.flatMap(Results, (all) => all.listRuns({ result: result.id, limit: 200 })))
            const attempts = page.results.map((run) => run.attempts)
            expect([attempts.filter((tries) => tries === 2).length, Math.max(...attempts)]).toEqual([5, 2])
            expect(yield* as(Effect.flatMap(Results, (all) => all.capacity()))).toMatchObject({
              activeSessions: 0,
              pendingDemand: 0,
              slotsInUse: 0
            })
            const sql = yield* SqlClient
            const [kept] = yield* sql<{ n: number }>`SELECT count(*) AS n FROM run_transcripts`
            expect(Number(kept?.n)).toBe(RUNS)
          })
        )
      )
    } finally {
      await engine.dispose()
    }
  })
})
