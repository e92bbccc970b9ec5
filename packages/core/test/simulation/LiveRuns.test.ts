/** Runs that are listened to while they are played, on both databases. */
import { Agents, JobRunner, LiveRuns, type LiveEvent, Results, RunId, Suites, untrusted, Voice } from "@earshot/core"
import { TestEngine, VoiceKit } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Chunk from "effect/Chunk"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Schedule from "effect/Schedule"
import * as Stream from "effect/Stream"

const SCRIPT: ReadonlyArray<VoiceKit.AgentStep> = [
  { does: "await", text: "Hi.", delayMillis: 100 },
  { does: "say", text: "Which day?" },
  { does: "await", text: "Friday.", delayMillis: 100 },
  { does: "say", text: "Done." }
]

const request = (agent_id: number) =>
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
              { id: 0, condition: "FIRST_MESSAGE", action: "Hi." },
              { id: 1, condition: "The agent asks for the day", action: "Friday." },
              { id: 2, condition: 1, action: "<endcall />", type: "action_followup" }
            ]
          }
        }
      ]
    },
    agent_id,
    channel: "voice"
  })

/** What both sides say in tones, by the audio of events. */
const toneText = (events: ReadonlyArray<LiveEvent>, side: "caller" | "agent"): string =>
  VoiceKit.readTones(
    Buffer.concat(events.flatMap((event) => (event.type === "audio" ? [Buffer.from(event[side], "base64")] : [])))
  )

const contents = (events: ReadonlyArray<LiveEvent>): ReadonlyArray<string> =>
  events.flatMap((event) => (event.type === "turn" ? [`${event.speaker}: ${event.content}`] : []))

const TURNS = ["testing_agent: Hi.", "main_agent: Which day?", "testing_agent: Friday.", "main_agent: Done."]

for (const database of TestEngine.databases) {
  const engine = TestEngine.layer(database, {
    textToSpeech: VoiceKit.toneTextToSpeech,
    transcriber: VoiceKit.toneTranscriber,
    voiceConnections: VoiceKit.scriptedConnections(SCRIPT),
    simulation: { voice: { greetingWait: "400 millis", turnEnd: "300 millis" } }
  })

  describe(`runs in progress on ${database}`, () => {
    it.scopedLive("are heard: turns from the first one, the sound of both sides, and the end", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const as = TestEngine.as(actor)
        const [agents, live, results, suites, runner] = yield* Effect.all([
          Agents,
          LiveRuns,
          Results,
          Suites,
          JobRunner
        ])
        yield* as(agents.update(agent.id, { voice_endpoint: { url: "wss://agent.example" } }))
        const made = yield* as(suites.run(request(agent.id)))
        const { results: runs } = yield* as(results.listRuns({ result: made.id }))
        const { id } = runs[0]!
        expect(yield* Effect.flip(as(live.listen(id)))).toMatchObject({
          _tag: "RunNotLive",
          reason: "The run is not in progress: it is queued."
        })
        const playing = yield* Effect.fork(runner.drain)
        const listening = as(live.listen(id)).pipe(Effect.retry({ times: 200, schedule: Schedule.spaced("10 millis") }))
        const early = yield* Effect.fork(Effect.flatMap(listening, Stream.runCollect))
        // One that leaves, and one that comes late.
        yield* Effect.flatMap(listening, (events) => Stream.runCollect(Stream.take(events, 1)))
        const first = yield* Effect.flatMap(listening, (events) =>
          Stream.runHead(Stream.filter(events, ({ type }) => type === "turn"))
        )
        expect(first).toMatchObject({ value: { content: "Hi." } })
        const late = yield* Effect.flatMap(listening, Stream.runCollect)
        yield* Fiber.join(playing)
        const events = Chunk.toReadonlyArray(yield* Fiber.join(early))
        expect(contents(events)).toEqual(TURNS)
        expect(contents(Chunk.toReadonlyArray(late))).toEqual(TURNS)
        expect(toneText(events, "caller")).toBe("Hi. Friday.")
        expect(toneText(events, "agent")).toBe("Which day? Done.")
        const positions = events.flatMap((event) => (event.type === "audio" ? [event.at_ms] : []))
        expect(positions.slice(1).every((at, place) => at - (positions[place] ?? 0) === 100)).toBe(true)
        expect(events.at(-1)).toEqual({ type: "end" })
        expect(yield* Effect.flip(as(live.listen(id)))).toMatchObject({ _tag: "RunNotLive" })
        expect(yield* Effect.flip(as(live.listen(RunId.make(999_999))))).toMatchObject({ _tag: "NotFound" })
      }).pipe(Effect.provide(engine))
    )

    it.scopedLive("of others do not exist, and those of another process cannot be heard here", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const other = yield* TestEngine.fixture
        const as = TestEngine.as(actor)
        const [agents, live, results, suites] = yield* Effect.all([Agents, LiveRuns, Results, Suites])
        yield* as(agents.update(agent.id, { supported_channels: ["provider_d_v2"] }))
        const made = yield* as(suites.run(untrusted({ ...request(agent.id), channel: "provider_d_v2" })))
        const { results: runs } = yield* as(results.listRuns({ result: made.id }))
        const { id } = runs[0]!
        yield* as(results.claim(untrusted({ channel: "provider_d_v2" })))
        expect(yield* Effect.flip(as(live.listen(id)))).toMatchObject({
          reason:
            "The run is executed by another process or by a worker. Only the process that executes a run streams it."
        })
        expect(yield* Effect.flip(TestEngine.as(other.actor)(live.listen(id)))).toMatchObject({ _tag: "NotFound" })
      }).pipe(Effect.provide(engine))
    )

    it.scopedLive("wait for no listener: one that does not read loses audio, oldest first, and no turns", () =>
      Effect.gen(function* () {
        const { actor, agent } = yield* TestEngine.fixture
        const as = TestEngine.as(actor)
        const [agents, live, results, suites] = yield* Effect.all([Agents, LiveRuns, Results, Suites])
        yield* as(agents.update(agent.id, { supported_channels: ["provider_d_v2"] }))
        const made = yield* as(suites.run(untrusted({ ...request(agent.id), channel: "provider_d_v2" })))
        const { results: runs } = yield* as(results.listRuns({ result: made.id }))
        const { id } = runs[0]!
        const observer = yield* live.publish(id)
        const events = yield* as(live.listen(id))
        const say = (content: string): void => {
          observer.turn({ speaker: "main_agent", content, startTime: 0, endTime: 1, words: [] })
        }
        const read: Array<LiveEvent> = []
        const gate = yield* Deferred.make<undefined>()
        const reading = yield* Effect.fork(
          Stream.runForEach(events, (event) =>
            Effect.zipRight(
              Deferred.await(gate),
              Effect.sync(() => read.push(event))
            )
          )
        )
        say("0")
        yield* Effect.sleep("50 millis")
        const frame = Voice.silenceOf(Voice.FRAME_SAMPLES)
        for (let at = 0; at < 5 * 150; at++) observer.audio(at, null, frame)
        for (let at = 1; at <= 150; at++) say(String(at))
        yield* Deferred.succeed(gate, undefined)
        yield* Effect.sync(() => read.length).pipe(
          Effect.filterOrFail((count) => count === 251),
          Effect.retry({ times: 200, schedule: Schedule.spaced("10 millis") })
        )
        yield* Fiber.interrupt(reading)
        expect(contents(read)).toEqual(Array.from({ length: 151 }, (_, at) => `main_agent: ${at}`))
        const positions = read.flatMap((event) => (event.type === "audio" ? [event.at_ms] : []))
        expect(positions).toEqual(Array.from({ length: 100 }, (_, at) => (50 + at) * 100))
      }).pipe(Effect.provide(engine))
    )
  })
}
