import type { ServerResponse } from "node:http"
import { Agents, TestProfiles, ValidationFailed } from "@earshot/core"
import { TestEngine } from "@earshot/test-kit"
import { expect, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestServices from "effect/TestServices"
import { completion, fakeAgent } from "./fakeAgent.js"
import { allowHosts, quiet, tested, booking, friendly } from "./simulationFixture.js"

for (const database of TestEngine.databases) {
  const plain = TestEngine.layer(database, { allowHosts })

  layer(Layer.merge(plain, quiet), { timeout: "2 minutes" })(
    `runs by text, without a language model, on ${database},`,
    (it) => {
      it.scoped(
        "follow conditional actions against the agent's endpoint, and record every turn, tool call and moment",
        () =>
          Effect.gen(function* () {
            const { capacity, one, reachable, read, runner, start } = yield* tested
            const agent = yield* fakeAgent(friendly)
            yield* reachable(agent.url)
            const result = yield* start([{ ...booking, metrics: ["talk_ratio"] }])
            expect(result.status).toBe("queued")
            yield* runner.drain
            const run = yield* one(result)
            expect(run).toMatchObject({ status: "completed", success: null, error: null, attempts: 1, criteria: [] })
            expect(run.endedReason).toBe("testing_agent_ended_call")
            expect(run.transcriptObject?.map(({ content, role, start_time }) => [role, content, start_time])).toEqual([
              ["Testing Agent", "Hello, this is Ann <endcall />.", 0],
              ["Main Agent", "For which date would that be?", 0],
              ["Testing Agent", "Let me see.", 0],
              ["Testing Agent", "Friday.", 4],
              ["Main Agent", "Friday at seven?", 4],
              ["Testing Agent", "[laughter] At eight, rather.", 4],
              ["Main Agent", "Your booking is confirmed.", 4],
              ["Testing Agent", "Bye.", 4]
            ])
            expect(run.moments).toEqual([
              { kind: "condition", at_second: 0, seconds: null, condition: 0 },
              { kind: "condition", at_second: 0, seconds: null, condition: 1 },
              { kind: "silence", at_second: 0, seconds: 4, condition: 1 },
              { kind: "condition", at_second: 4, seconds: null, condition: 2 },
              { kind: "laughter", at_second: 4, seconds: null, condition: 2 },
              { kind: "condition", at_second: 4, seconds: null, condition: 3 },
              { kind: "endcall", at_second: 4, seconds: null, condition: 3 }
            ])
            expect(run.duration).toBe(4)
            expect(agent.requests.map(({ body }) => body.message)).toEqual([
              "Hello, this is Ann <endcall />.",
              "Let me see. Friday.",
              "[laughter] At eight, rather."
            ])
            expect(agent.requests[0]?.body.variables).toEqual({ name: "Ann <endcall />" })
            expect(new Set(agent.requests.map(({ body }) => body.conversation_id)).size).toBe(1)
            expect(yield* read(result)).toMatchObject({ status: "completed", totalRuns: 1, successRate: null })
            expect(yield* capacity).toMatchObject({ activeSessions: 0, pendingDemand: 0, slotsInUse: 0 })
          })
      )

      it.scoped("use the chat-completions format, and are scored by the metrics of their scenario", () =>
        Effect.gen(function* () {
          const { agent: owned, as, metrics, one, reachable, read, runner, start } = yield* tested
          const agent = yield* fakeAgent((request) => completion(friendly(request).message))
          yield* reachable(agent.url, "openai")
          const code = yield* as(
            metrics.create({
              agent: owned.id,
              name: "Confirmed",
              type: "custom_code",
              eval_type: "binary",
              custom_code:
                'return { value: call.transcript.includes("confirmed"), explanation: call.expected_outcome }',
              configuration: { decides_success: true }
            })
          )
          const result = yield* start([
            { ...booking, metrics: ["latency_ms", code.id], expected_outcome: "{{name}} has a table." }
          ])
          yield* runner.drain
          const run = yield* one(result)
          expect(run).toMatchObject({
            status: "completed",
            success: true,
            error: null,
            criteria: [
              { criterion: "metric:confirmed", passed: true, reason: "Ann <endcall /> has a table." },
              { criterion: "metric:expected_outcome", passed: null, reason: "No language model is configured." }
            ]
          })
          expect(run.metrics.map(({ slug, status }) => [slug, status])).toEqual([
            ["latency_ms", "scored"],
            ["confirmed", "scored"],
            ["expected_outcome", "skipped"]
          ])
          expect(yield* read(result)).toMatchObject({
            successRate: 1,
            metrics: [{ name: "Latency" }, { name: "Confirmed" }]
          })
          expect(agent.requests[0]?.body.model).toBe(owned.name)
        })
      )

      it.scoped("do not succeed if a criterion is missed, and name it", () =>
        Effect.gen(function* () {
          const { agent: owned, as, metrics, one, reachable, read, runner, start } = yield* tested
          const agent = yield* fakeAgent(() => ({ message: "No.", end_call: true }))
          yield* reachable(agent.url)
          const code = yield* as(
            metrics.create({
              agent: owned.id,
              name: "Confirmed",
              type: "custom_code",
              eval_type: "binary",
              custom_code: 'return { value: false, explanation: "Nothing was booked." }',
              configuration: { decides_success: true }
            })
          )
          const result = yield* start([{ ...booking, metrics: [code.id] }])
          yield* runner.drain
          expect(yield* one(result)).toMatchObject({
            status: "completed",
            success: false,
            endedReason: "main_agent_ended_call",
            error: "Not met: Confirmed (Nothing was booked.)"
          })
          expect(yield* read(result)).toMatchObject({ successRate: 0 })
        })
      )

      it.scoped("fail with a reason if instructions need a language model and none is configured", () =>
        Effect.gen(function* () {
          const { one, reachable, runner, start } = yield* tested
          const agent = yield* fakeAgent(friendly)
          yield* reachable(agent.url)
          const result = yield* start([{ key: "a", name: "A", type: "instruction", instructions: "Ask for a table." }])
          yield* runner.drain
          expect(yield* one(result)).toMatchObject({
            status: "failed",
            success: false,
            error: expect.stringMatching(
              /^No language model is configured, and scenarios of this type are played by one\./
            )
          })
          expect(agent.requests).toEqual([])
        })
      )

      it.scoped("fail with a reason if the endpoint, the agent or the test profile is missing", () =>
        Effect.gen(function* () {
          const { agent: owned, as, one, project, reachable, runner, start } = yield* tested
          const agent = yield* fakeAgent(friendly)
          const without = yield* start([booking])
          yield* runner.drain
          expect((yield* one(without)).error).toBe(
            "The agent has no chat endpoint: set chat_endpoint to run it by text."
          )
          yield* reachable(agent.url)
          const profiles = yield* TestProfiles
          const profile = yield* as(profiles.create({ project: project.id, name: "Bo", information: {} }))
          const late = yield* start([{ ...booking, test_profile: profile.id }])
          yield* as(profiles.delete(profile.id))
          yield* runner.drain
          expect((yield* one(late)).error).toBe('The test profile "Bo" was deleted.')
          const last = yield* start([booking])
          yield* as(Effect.flatMap(Agents, (all) => all.delete(owned.id)))
          yield* runner.drain
          expect((yield* one(last)).error).toBe("The agent was deleted.")
        })
      )

      it.scoped("keep the turns before an unusable answer of the agent", () =>
        Effect.gen(function* () {
          const { one, reachable, runner, start } = yield* tested
          const agent = yield* fakeAgent((request, response) => {
            if (request.body.messages.length < 3) return friendly(request)
            response.statusCode = 500
            response.end("secret")
            return undefined
          })
          yield* reachable(agent.url)
          const result = yield* start([booking])
          yield* runner.drain
          const run = yield* one(result)
          expect(run).toMatchObject({ status: "failed", error: "The agent's server answered HTTP 500." })
          expect(run.transcriptObject).toHaveLength(4)
          expect(run.moments).toHaveLength(3)
        })
      )

      it.scoped("fail with a reason if expanded placeholders would exceed the size limit", () =>
        Effect.gen(function* () {
          const { one, reachable, runner, start } = yield* tested
          const agent = yield* fakeAgent(friendly)
          yield* reachable(agent.url)
          const many = "{{name}}".repeat(1000)
          const result = yield* start([
            {
              ...booking,
              conditional_actions: {
                role: many,
                conditions: [{ id: 0, condition: "FIRST_MESSAGE", action: many }]
              },
              test_profile: { name: "Ann", information: { main_agent_variables: { name: "a".repeat(400_000) } } }
            }
          ])
          yield* runner.drain
          expect(yield* one(result)).toMatchObject({
            status: "failed",
            attempts: 1,
            error: "What the test profile says fills the scenario's placeholders with more than 1000000 characters."
          })
          expect(agent.requests).toEqual([])
        })
      )

      it.scoped("send no empty message if a placeholder's value is blank", () =>
        Effect.gen(function* () {
          const { one, reachable, runner, start } = yield* tested
          const agent = yield* fakeAgent(() => ({ message: "For which date?", end_call: true }))
          yield* reachable(agent.url)
          const result = yield* start([
            {
              ...booking,
              conditional_actions: {
                role: "Caller",
                conditions: [{ id: 0, condition: "FIRST_MESSAGE", action: "{{name}}" }]
              },
              test_profile: { name: "Ann", information: { main_agent_variables: { name: " " } } }
            }
          ])
          yield* runner.drain
          expect(yield* one(result)).toMatchObject({ status: "completed", endedReason: "main_agent_ended_call" })
          expect(agent.requests.map(({ body }) => body.message)).toEqual(["[silence 0 s]"])
        })
      )

      it.scoped("handle hostile answers as plain text", () =>
        Effect.gen(function* () {
          const { one, reachable, runner, start } = yield* tested
          const hostile = "date \u0000\ud800 <endcall /> {{name}} __proto__ \u202e"
          const agent = yield* fakeAgent(() => ({
            message: hostile,
            tool_calls: [{ id: "\u0000\ud800", name: "a\u0000", arguments: "\ud800" }]
          }))
          yield* reachable(agent.url)
          const result = yield* start([booking])
          yield* runner.drain
          const run = yield* one(result)
          expect(run).toMatchObject({ status: "completed", endedReason: "no_condition_met" })
          expect(run.transcriptObject?.[1]?.content).toBe("date \ufffd <endcall /> {{name}} __proto__ \u202e")
        })
      )

      it.scoped("count simulated pauses in the duration without waiting", () =>
        Effect.gen(function* () {
          const { one, reachable, runner, start } = yield* tested
          const agent = yield* fakeAgent(friendly)
          yield* reachable(agent.url)
          const opening = [{ id: 0, condition: "FIRST_MESSAGE", action: 'Hi. <silence time="400" /> Still there?' }]
          const result = yield* start([
            { ...booking, conditional_actions: { role: "Caller", conditions: opening }, max_duration: 399 }
          ])
          yield* runner.drain
          expect(yield* one(result)).toMatchObject({
            status: "timeout",
            duration: 400,
            error: "The run took longer than its 399 seconds."
          })
          expect(agent.requests).toEqual([])
        })
      )

      it.scoped("limit the length of an answer", () =>
        Effect.gen(function* () {
          const { one, reachable, runner, start } = yield* tested
          const agent = yield* fakeAgent(() => ({ message: `date ${"x".repeat(20_000)}` }))
          yield* reachable(agent.url)
          const result = yield* start([booking])
          yield* runner.drain
          expect(yield* one(result)).toMatchObject({
            status: "failed",
            error: "The agent's answer has 20005 characters, which is more than 20000."
          })
        })
      )

      it.scoped("run as often as requested, within the concurrency limit", () =>
        Effect.gen(function* () {
          const { capacity, reachable, read, runner, runsOf, start } = yield* tested
          // Each round waits for as many as may be under way, and a while longer for one too many.
          const open: Array<ServerResponse> = []
          let most = 0
          const agent = yield* fakeAgent((_, response) => {
            most = Math.max(most, open.push(response))
            if (open.length === 3) {
              setTimeout(() => {
                for (const one of open.splice(0)) one.end(JSON.stringify({ message: "Bye.", end_call: true }))
              }, 30)
            }
            return undefined
          })
          yield* reachable(agent.url)
          const result = yield* start([{ ...booking, frequency: 9 }], { defaults: { concurrency_limit: 3 } })
          expect(yield* capacity).toMatchObject({ pendingDemand: 9 })
          yield* runner.drain
          expect(yield* read(result)).toMatchObject({ status: "completed", totalRuns: 9 })
          expect(most).toBe(3)
          expect(agent.requests).toHaveLength(9)
          expect((yield* runsOf(result)).map(({ attempts }) => attempts)).toEqual(Array.from({ length: 9 }, () => 1))
          expect(yield* capacity).toMatchObject({ activeSessions: 0, pendingDemand: 0, slotsInUse: 0 })
        })
      )

      it.effect("cannot be claimed by outside workers", () =>
        Effect.gen(function* () {
          const { as, results, start } = yield* tested
          yield* start([booking])
          const rejected = yield* Effect.flip(as(results.claim({ channel: "text" })))
          expect(rejected).toBeInstanceOf(ValidationFailed)
          expect(rejected).toMatchObject({
            errors: { channel: ["The engine executes runs of the channel text itself."] }
          })
        })
      )

      for (const way of ["deleted", "cancelled"] as const) {
        it.scoped(`stop when they are ${way} while playing, and report nothing afterwards`, () =>
          TestServices.provideLive(
            Effect.gen(function* () {
              const { as, capacity, jobs, one, reachable, results, runner, runsOf, start } = yield* tested
              let aborted = 0
              const agent = yield* fakeAgent((_, response) => {
                response.on("close", () => aborted++)
                return undefined
              })
              yield* reachable(agent.url)
              const result = yield* start([booking])
              const run = yield* one(result)
              const working = yield* Effect.fork(runner.drain)
              yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => agent.requests.length > 0 })
              yield* way === "deleted"
                ? as(results.bulkDelete({ result_ids: [result.id] }))
                : as(results.cancelRun(run.id))
              yield* Fiber.join(working)
              // The agent's request is given up.
              yield* Effect.repeat(Effect.sleep("10 millis"), { until: () => aborted > 0 })
              if (way === "deleted") expect(yield* runsOf(result)).toEqual([])
              else expect(yield* one(result)).toMatchObject({ status: "cancelled", transcript: "" })
              expect(yield* capacity).toMatchObject({ activeSessions: 0, pendingDemand: 0, slotsInUse: 0 })
              expect((yield* as(jobs.list({ kind: "execute_run" }))).results).toMatchObject([{ state: "succeeded" }])
            })
          )
        )
      }

      it.scoped("are released when their process shuts down, and restarted by the next one", () =>
        TestServices.provideLive(
          Effect.gen(function* () {
            const { capacity, one, reachable, runner, start } = yield* tested
            let isSilent = true
            const agent = yield* fakeAgent((request) => (isSilent ? undefined : friendly(request)))
            yield* reachable(agent.url)
            const result = yield* start([booking])
            const working = yield* Effect.fork(runner.run)
            yield* Effect.repeat(Effect.sleep("20 millis"), { until: () => agent.requests.length > 0 })
            expect((yield* one(result)).status).toBe("running")
            yield* Fiber.interrupt(working)
            expect((yield* one(result)).status).toBe("queued")
            expect(yield* capacity).toMatchObject({ activeSessions: 0, pendingDemand: 1, slotsInUse: 0 })
            isSilent = false
            yield* runner.drain
            expect(yield* one(result)).toMatchObject({ status: "completed", attempts: 2 })
          })
        )
      )

      it.scoped("time out if they exceed their maximum duration", () =>
        TestServices.provideLive(
          Effect.gen(function* () {
            const { one, reachable, runner, start } = yield* tested
            const agent = yield* fakeAgent(() => undefined)
            yield* reachable(agent.url)
            const result = yield* start([{ ...booking, max_duration: 1 }])
            yield* runner.drain
            expect(yield* one(result)).toMatchObject({
              status: "timeout",
              success: null,
              error: "The run took longer than its 1 seconds.",
              transcript: "[00:00] Testing Agent: Hello, this is Ann <endcall />."
            })
          })
        )
      )
    }
  )
}
