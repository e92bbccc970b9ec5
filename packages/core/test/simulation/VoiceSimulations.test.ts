/** Runs by voice through the engine: a WebSocket server, two databases, and the clock of the machine. */
import { createHmac } from "node:crypto"
import { once } from "node:events"
import {
  Agents,
  CallRecordings,
  type Channel,
  JobRunner,
  Personalities,
  Recordings,
  Results,
  Suites,
  untrusted,
  Voice,
  type VoiceProtocolName
} from "@earshot/core"
import { TestEngine, VoiceKit } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Stream from "effect/Stream"
import { WebSocketServer } from "ws"
import { allowHosts } from "./simulationFixture.js"

/** A server of agents that play a script, and what each connection was opened with. */
const serveAgent = (script: ReadonlyArray<VoiceKit.AgentStep>, protocol: VoiceProtocolName = "twilio") =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const server = new WebSocketServer({ host: "127.0.0.1", port: 0 })
      const opened: Array<{
        readonly signature: unknown
        readonly agent: VoiceKit.ScriptedAgent
        readonly closed: Promise<unknown>
      }> = []
      const playing = new Set<Fiber.RuntimeFiber<void>>()
      server.on("connection", (socket, request) => {
        const agent = VoiceKit.scriptedAgent(
          {
            send: (message) => {
              socket.send(message)
            },
            close: () => {
              socket.close(1000)
            }
          },
          script,
          protocol
        )
        socket.on("message", (data: Buffer, isBinary) => {
          agent.receive(isBinary ? data : data.toString(), Date.now())
        })
        opened.push({ signature: request.headers["x-twilio-signature"], agent, closed: once(socket, "close") })
        playing.add(Effect.runFork(agent.play))
      })
      await once(server, "listening")
      const address = server.address()
      const port = typeof address === "object" && address !== null ? address.port : 0
      return { server, opened, playing, url: `ws://127.0.0.1:${port}/media` }
    }),
    ({ playing, server }) =>
      Effect.zipRight(
        Fiber.interruptAll(playing),
        Effect.async<undefined>((resume) => {
          for (const client of server.clients) client.terminate()
          server.close(() => {
            resume(Effect.succeed(undefined))
          })
        })
      )
  )

for (const database of TestEngine.databases) {
  const engine = TestEngine.layer(database, {
    allowHosts,
    textToSpeech: VoiceKit.toneTextToSpeech,
    transcriber: VoiceKit.toneTranscriber,
    simulation: { voice: { greetingWait: "200 millis", turnEnd: "300 millis" } }
  })
  describe(`runs by voice on ${database}`, () => {
    it.scopedLive("are played over a signed WebSocket, scored and stored", () =>
      Effect.gen(function* () {
        const served = yield* serveAgent([
          { does: "await", text: "Hi, Ann.", delayMillis: 100 },
          { does: "say", text: "Which day?" },
          { does: "await", text: "Friday.", delayMillis: 100 },
          { does: "say", text: "Done." }
        ])
        const { actor, agent } = yield* TestEngine.fixture
        const as = TestEngine.as(actor)
        const [agents, results, suites, runner] = yield* Effect.all([Agents, Results, Suites, JobRunner])
        yield* as(agents.update(agent.id, { voice_endpoint: { url: served.url, auth_token: "12345" } }))
        const personalities = yield* Personalities
        const caller = yield* as(
          personalities.create(
            untrusted({
              ...{ project: agent.projectId, name: "Slow", language: "en" },
              voice_behavior: { silences: { seconds: 0.2 } }
            })
          )
        )
        yield* as(personalities.enable(agent.projectId, { personalities: caller.id }))
        const made = yield* as(
          suites.run(
            untrusted({
              spec: {
                version: "1",
                suite: { name: "S" },
                scenarios: [
                  {
                    key: "books",
                    name: "Books",
                    type: "conditional_actions",
                    conditional_actions: {
                      role: "A caller",
                      conditions: [
                        { id: 0, condition: "FIRST_MESSAGE", action: "Hi, {{name}}." },
                        { id: 1, condition: "The agent asks for the day", action: "Friday." },
                        { id: 2, condition: 1, action: "<endcall />", type: "action_followup" }
                      ]
                    },
                    personality: "Slow",
                    test_profile: { name: "Ann", information: { main_agent_variables: { name: "Ann" } } },
                    assertions: [
                      { type: "contains", text: "Done" },
                      { type: "max_latency", milliseconds: 900 }
                    ]
                  }
                ]
              },
              agent_id: agent.id,
              channel: "voice"
            })
          )
        )
        yield* runner.drain
        const { results: runs } = yield* as(results.listRuns({ result: made.id }))
        const run = yield* as(results.readRun(runs[0]!.id))
        expect(run).toMatchObject({ status: "completed", endedReason: "testing_agent_ended_call", success: true })
        expect(run.voiceBehavior).toEqual({ ...caller.voiceBehavior, seed: expect.any(Number) })
        expect(run.moments.filter(({ kind }) => kind === "silence")).toHaveLength(2)
        expect(run.transcript.split("\n").map((line) => line.slice(line.indexOf("]") + 2))).toEqual([
          "Testing Agent: Hi, Ann.",
          "Main Agent: Which day?",
          "Testing Agent: Friday.",
          "Main Agent: Done."
        ])
        const recordings = yield* CallRecordings
        const audio = yield* as(recordings.openRun(run.id))
        const wav = Buffer.concat(Chunk.toReadonlyArray(yield* Stream.runCollect(audio.read())))
        const channel = (offset: number) =>
          VoiceKit.readTones(
            Voice.encodeMulaw(
              Int16Array.from({ length: (wav.length - 44) / 4 }, (_, at) => wav.readInt16LE(44 + 4 * at + offset))
            )
          )
        expect([channel(0), channel(2)]).toEqual(["Hi, Ann. Friday.", "Which day? Done."])
        expect(run.recording).toEqual({
          content_type: "audio/wav",
          size_bytes: wav.length,
          duration_s: run.duration,
          channels: 2
        })
        yield* as(results.deleteRuns(made.id, { run_ids: [run.id] }))
        expect(yield* Effect.flip(as(recordings.openRun(run.id)))).toMatchObject({ _tag: "NotFound" })
        expect(yield* (yield* Recordings).collect).toBe(1)
        const [opened, ...others] = served.opened
        expect(others).toEqual([])
        expect(opened?.signature).toBe(createHmac("sha1", "12345").update(served.url).digest("base64"))
        expect(opened?.agent.started()).toMatchObject({ customParameters: { name: "Ann" } })
        yield* Effect.promise(() => opened?.closed ?? Promise.resolve())
        expect(opened?.agent.stopped()).toBe(true)
      }).pipe(Effect.provide(engine))
    )

    it.scopedLive(
      "of WebRTC channels are played where the agent has a WebSocket of their kind, and wait for workers otherwise",
      () =>
        Effect.gen(function* () {
          const served = yield* serveAgent(
            [
              { does: "await", text: "Hi.", delayMillis: 100 },
              { does: "say", text: "Bye." }
            ],
            "pipecat"
          )
          const { actor, agent } = yield* TestEngine.fixture
          const as = TestEngine.as(actor)
          const [agents, results, suites, runner] = yield* Effect.all([Agents, Results, Suites, JobRunner])
          const supported_channels = ["provider_d_v2", "provider_f"] as const
          yield* as(
            agents.update(agent.id, { supported_channels, voice_endpoint: { url: served.url, protocol: "pipecat" } })
          )
          const request = (channel: Channel) =>
            untrusted({
              spec: {
                version: "1",
                suite: { name: "S" },
                scenarios: [
                  {
                    key: "greets",
                    name: "Greets",
                    type: "conditional_actions",
                    conditional_actions: {
                      role: "A caller",
                      conditions: [
                        { id: 0, condition: "FIRST_MESSAGE", action: "Hi." },
                        { id: 1, condition: 0, action: "<endcall />", type: "action_followup" }
                      ]
                    }
                  }
                ]
              },
              agent_id: agent.id,
              channel
            })
          expect(yield* as(suites.validate(request("provider_d_v2")))).toMatchObject({ notRunnable: null })
          expect((yield* as(suites.validate(request("provider_f")))).notRunnable).toContain(
            "Workers can claim the runs"
          )
          const own = yield* as(suites.run(request("provider_d_v2")))
          const others = yield* as(suites.run(request("provider_f")))
          const claim = (channel: Channel) => as(results.claim(untrusted({ channel, limit: 10 })))
          expect(yield* claim("provider_d_v2")).toEqual([])
          expect(yield* Effect.flip(claim("voice"))).toMatchObject({ _tag: "ValidationFailed" })
          yield* runner.drain
          const { results: runs } = yield* as(results.listRuns({ result: own.id }))
          const run = yield* as(results.readRun(runs[0]!.id))
          expect(run).toMatchObject({ status: "completed", endedReason: "testing_agent_ended_call" })
          expect(run.transcript).toMatch(/Testing Agent: Hi\.\n.*Main Agent: Bye\./)
          const claimed = yield* claim("provider_f")
          expect(claimed.map(({ run: { resultId } }) => resultId)).toEqual([others.id])
          // What was created for an endpoint that is gone fails with its reason.
          const late = yield* as(suites.run(request("provider_d_v2")))
          yield* as(agents.update(agent.id, { voice_endpoint: null }))
          yield* runner.drain
          const { results: lateRuns } = yield* as(results.listRuns({ result: late.id }))
          expect(lateRuns[0]).toMatchObject({ status: "failed", error: expect.stringContaining("pipecat") })
          // Then its runs are workers'.
          const free = yield* as(suites.run(request("provider_d_v2")))
          expect((yield* claim("provider_d_v2")).map(({ run: { resultId } }) => resultId)).toEqual([free.id])
        }).pipe(Effect.provide(engine))
    )
  })
}
