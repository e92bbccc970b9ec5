import {
  type PlayedRun,
  RunExecutor,
  RunId,
  Transcriber,
  TranscriptionFailed,
  Voice,
  type VoiceExecutorConfig
} from "@earshot/core"
import { SimulationKit, VoiceKit } from "@earshot/test-kit"
import { describeAudio } from "@earshot/redaction/audio"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Stream from "effect/Stream"
import { customParametersOf, stepsOf } from "../../../src/simulation/VoiceExecutor.js"
import { agentAt, executorOf, FIRST, linesOf, play, scenarioOf, type Script } from "./voiceFixture.js"

describe("a run by voice", () => {
  it.live("is a conversation of speech, with times as heard", () =>
    Effect.gen(function* () {
      const run = yield* play(
        [
          { does: "say", text: "Front desk." },
          { does: "await", text: "Hi, Ann here.", delayMillis: 400 },
          { does: "say", text: "For which date?" },
          { does: "await", text: "Let me see.Friday.", delayMillis: 250 },
          { does: "say", text: "Friday is booked." },
          { does: "await", text: "Bye.", delayMillis: 0 }
        ],
        scenarioOf([
          { ...FIRST, action: "Hi, Ann here." },
          { id: 1, condition: "The agent asks for the date", action: 'Let me see. <silence time="4" /> Friday.' },
          { id: 2, condition: "The agent books", action: "Bye. <endcall /> unsaid" }
        ])
      )
      expect(run.outcome).toEqual({ is: "ended", reason: "testing_agent_ended_call" })
      expect(linesOf(run)).toEqual([
        "agent: Front desk.",
        "caller: Hi, Ann here.",
        "agent: For which date?",
        "caller: Let me see.",
        "caller: Friday.",
        "agent: Friday is booked.",
        "caller: Bye."
      ])
      const { turns } = run.transcript
      const at = (turn: number, of: "startTime" | "endTime"): number => turns[turn]?.[of] ?? Number.NaN
      const gap = (turn: number): number => at(turn, "startTime") - at(turn - 1, "endTime")
      for (const [turn, latency] of [
        [2, 0.4],
        [4, 4],
        [5, 0.25]
      ] as const) {
        expect(Math.abs(gap(turn) - latency)).toBeLessThanOrEqual(0.045)
      }
      // The agent is heard to the end of its turn before the caller speaks.
      for (const turn of [1, 3, 6]) expect(gap(turn)).toBeGreaterThanOrEqual(0.7)
      expect(run.moments.map(({ condition, kind, seconds }) => [kind, seconds, condition])).toEqual([
        ["condition", null, 0],
        ["condition", null, 1],
        ["silence", 4, 1],
        ["condition", null, 2],
        ["endcall", null, 2]
      ])
      expect(run.moments[2]?.at_second).toBeCloseTo(at(3, "endTime"), 1)
      expect(run.durationSeconds).toBeGreaterThanOrEqual(at(6, "endTime"))
      const recorded = Either.getOrThrow(describeAudio(run.recording ?? new Uint8Array()))
      expect(Math.abs(recorded.durationSeconds - run.durationSeconds)).toBeLessThanOrEqual(0.02)
    })
  )

  it.live(
    "has what the agent says into a silence as a turn of its own, which answers an action that ends with it",
    () =>
      Effect.gen(function* () {
        const run = yield* play(
          [
            { does: "await", text: "One moment.", delayMillis: 2000 },
            { does: "say", text: "Are you still there?" },
            { does: "await", text: "Yes.", delayMillis: 100 },
            { does: "say", text: "Good." },
            { does: "wait", millis: 60_000 }
          ],
          scenarioOf([
            { ...FIRST, action: 'One moment. <hold time="8" />' },
            { id: 1, condition: "The agent asks whether the caller is still there", action: "Yes." },
            { id: 2, condition: 1, action: "<endcall />", type: "action_followup" }
          ])
        )
        expect(run.outcome).toEqual({ is: "ended", reason: "testing_agent_ended_call" })
        expect(linesOf(run)).toEqual([
          "caller: One moment.",
          "agent: Are you still there?",
          "caller: Yes.",
          "agent: Good."
        ])
        expect(run.transcript.turns[2]?.startTime).toBeGreaterThan(8)
      })
  )

  it.live("laughs aloud, and keeps the marker in the transcript", () =>
    Effect.gen(function* () {
      const run = yield* play(
        [{ does: "await", text: "ha ha ha No.", delayMillis: 0 }, { does: "close" }],
        scenarioOf([{ ...FIRST, action: "[laughter] No." }])
      )
      expect(linesOf(run)).toEqual(["caller: [laughter] No."])
      expect(run.moments.map(({ kind }) => kind)).toEqual(["condition", "laughter"])
      expect(run.outcome).toEqual({ is: "ended", reason: "main_agent_ended_call" })
    })
  )

  const waiting = scenarioOf([
    { ...FIRST, action: "Hello?" },
    { id: 1, condition: "The agent mentions zebras", action: "<endcall />" }
  ])
  const invalid = (count: number): Script => Array.from({ length: count }, () => ({ does: "send", message: "{]" }))

  it.live.each<
    readonly [string, Script, PlayedRun["outcome"]["is"], string, ReadonlyArray<string>, Partial<VoiceExecutorConfig>?]
  >([
    ["never speaks", [], "timeout", "The agent sent no audio for 30s.", ["caller: Hello?"]],
    [
      "stops answering",
      [{ does: "say", text: "Hi." }],
      "timeout",
      "The agent did not answer for 30s.",
      ["agent: Hi.", "caller: Hello?"]
    ],
    [
      "speaks without end",
      [
        { does: "await", text: "Hello?", delayMillis: 0 },
        { does: "say", text: "x".repeat(300), chunkMillis: 12_000 }
      ],
      "failed",
      "The agent spoke for 10s without a pause.",
      ["caller: Hello?", expect.stringMatching(/^agent: x{249}/) as unknown as string],
      { maxTurn: "10 seconds" }
    ],
    [
      "sends garbage",
      [{ does: "say", text: "Hi." }, { does: "wait", millis: 200 }, ...invalid(51)],
      "failed",
      expect.stringContaining("sent more than 50 invalid messages") as unknown as string,
      ["agent: Hi."]
    ],
    [
      "sends more audio than a call lasts",
      [
        { does: "say", text: "Hi." },
        { does: "wait", millis: 200 },
        { does: "say", text: "x".repeat(8000), chunkMillis: 1000 }
      ],
      "failed",
      expect.stringContaining("seconds of audio ahead of its playback") as unknown as string,
      [expect.stringMatching(/^agent: Hi\./) as unknown as string]
    ],
    [
      "hangs up in the middle of a word",
      [
        { does: "await", text: "Hello?", delayMillis: 0 },
        { does: "say", text: "Good morning." },
        { does: "wait", millis: 200 },
        { does: "close" }
      ],
      "ended",
      "main_agent_ended_call",
      ["caller: Hello?", expect.stringMatching(/^agent: Good/) as unknown as string]
    ],
    [
      "sends marks and clears without order",
      [
        { does: "mark", name: "none" },
        { does: "clear" },
        { does: "mark", name: "none" },
        { does: "await", text: "Hello?", delayMillis: 0 },
        { does: "clear" },
        { does: "say", text: "Hi." },
        { does: "mark", name: "late" },
        { does: "wait", millis: 900 },
        { does: "clear" },
        { does: "close" }
      ],
      "ended",
      "main_agent_ended_call",
      ["caller: Hello?", "agent: Hi."]
    ]
  ])("ends with a reason when the agent %s, and keeps what was heard", ([_, script, is, reason, turns, config = {}]) =>
    Effect.gen(function* () {
      const run = yield* play(script, waiting, config)
      expect(run.outcome).toEqual({ is, reason })
      expect(linesOf(run)).toEqual(turns)
    })
  )

  it.live("ends at its maximum duration, with the words that were being said", () =>
    Effect.gen(function* () {
      const run = yield* play(
        [
          { does: "await", text: "Hello?", delayMillis: 3000 },
          { does: "say", text: "a long answer that goes on ".repeat(20), chunkMillis: 1000 }
        ],
        { ...waiting, maxDuration: 10 }
      )
      expect(run.outcome).toEqual({ is: "timeout", reason: "The run took longer than its 10 seconds." })
      expect(linesOf(run)).toEqual(["caller: Hello?", expect.stringMatching(/^agent: a long answer/)])
      expect(run.durationSeconds).toBeCloseTo(10, 1)
    })
  )

  it.live("has [inaudible] in its transcript where speech has no words, and fails where it cannot be transcribed", () =>
    Effect.gen(function* () {
      const script: Script = [
        { does: "await", text: "Hello?", delayMillis: 0 },
        { does: "say", text: "Hi." },
        { does: "wait", millis: 1500 },
        { does: "close" }
      ]
      const transcribing = (result: Effect.Effect<{ readonly turns: [] }, TranscriptionFailed>) =>
        Layer.merge(
          VoiceKit.toneTextToSpeech,
          Layer.succeed(Transcriber, {
            transcribe: Option.some(() =>
              Effect.map(result, () => ({ _tag: "RawTranscript" as const, turns: [], toolCalls: [] }))
            )
          })
        )
      const wordless = yield* play(script, waiting, {}, transcribing(Effect.succeed({ turns: [] })))
      expect(linesOf(wordless).slice(0, 2)).toEqual(["caller: Hello?", "agent: [inaudible]"])
      const failing = transcribing(new TranscriptionFailed({ reason: "the server is down." }))
      const failed = yield* play(script, waiting, {}, failing)
      expect(failed.outcome).toEqual({
        is: "failed",
        reason: "The agent's speech was not transcribed: the server is down."
      })
      expect(linesOf(failed)).toEqual(["caller: Hello?", "agent: [inaudible]"])
    })
  )

  it.live("fails at once when the agent cannot be called, or speech cannot be made", () =>
    Effect.gen(function* () {
      const mute = Layer.merge(
        VoiceKit.toneTranscriber,
        Layer.succeed(Voice.TextToSpeech, {
          identity: "mute",
          speak: () => Stream.fail(new Voice.SpeechFailed({ reason: "the server is down." }))
        })
      )
      expect((yield* play([], waiting, {}, mute)).outcome).toEqual({
        is: "failed",
        reason: "The testing agent's speech: the server is down."
      })
      const executor = yield* RunExecutor.pipe(Effect.provide(executorOf(VoiceKit.scriptedConnections([]))))
      const unset = yield* executor.play({
        run: RunId.make(1),
        channel: "voice",
        agent: agentAt("wss://agent.example"),
        chatEndpoint: null,
        voiceEndpoint: null,
        scenario: waiting
      })
      expect(unset.outcome).toEqual({
        is: "failed",
        reason: "The agent has no voice endpoint: set voice_endpoint to run it by voice."
      })
    })
  )

  it.effect("is for external workers where no transcriber is configured", () =>
    Effect.gen(function* () {
      const { channels } = yield* RunExecutor
      expect(channels).toEqual([])
    }).pipe(
      Effect.provide(
        executorOf(
          VoiceKit.scriptedConnections([]),
          {},
          Layer.merge(VoiceKit.toneTextToSpeech, Layer.succeed(Transcriber, { transcribe: Option.none() }))
        )
      )
    )
  )
})

describe("the address of a call by voice", () => {
  it("has the endpoint's headers, and is signed as Twilio signs requests", () => {
    const headers = { Authorization: Redacted.make("Bearer x"), "x-twilio-signature": Redacted.make("forged") }
    const url = "wss://agent.example/media?x=1"
    expect(Voice.voiceAddressOf({ url, protocol: "twilio", headers, authToken: null })).toEqual({
      url,
      headers: { Authorization: "Bearer x", "x-twilio-signature": "forged" }
    })
    // printf %s wss://agent.example/media?x=1 | openssl dgst -sha1 -hmac 12345 -binary | base64
    expect(Voice.voiceAddressOf({ url, protocol: "twilio", headers, authToken: Redacted.make("12345") })).toEqual({
      url,
      headers: { Authorization: "Bearer x", "X-Twilio-Signature": "9aRn1HIqACip4msr4QL2esQ0pWs=" }
    })
  })

  it("is told the agent's variables as custom parameters, but for those that are too long", () => {
    expect(
      customParametersOf({
        name: "Ann",
        age: 40,
        tags: ["a"],
        none: null,
        long: "x".repeat(497),
        fits: "x".repeat(496)
      })
    ).toEqual({ name: "Ann", age: "40", tags: '["a"]', none: "null", fits: "x".repeat(496) })
  })
})

it("performs speech and markers in the order of an action", () => {
  const steps = stepsOf({
    utterances: [
      { text: "one", after: 0 },
      { text: "two", after: 3 }
    ],
    markers: [
      { kind: "laughter", seconds: null, after: 3 },
      { kind: "silence", seconds: 2, after: 0 },
      { kind: "hold", seconds: 1, after: 2 },
      { kind: "endcall", seconds: null, after: 3 }
    ],
    pause: 3,
    endsCall: true
  })
  expect(steps.map((step) => (step.does === "speak" ? step.of.text : step.of.kind))).toEqual([
    "one",
    "silence",
    "hold",
    "laughter",
    "two",
    "endcall"
  ])
})

/** By the address's last letter: answers, cannot be reached, or never completes the connection. */
const connections = Layer.succeed(Voice.VoiceConnections, {
  connect: ({ url }) =>
    url.endsWith("a")
      ? Effect.map(
          VoiceKit.scriptedConnection([
            { does: "await", text: "Hi", delayMillis: 100 },
            { does: "say", text: "Hello" },
            { does: "wait", millis: 60_000 }
          ]),
          ({ connection }) => connection
        )
      : url.endsWith("s")
        ? Effect.never
        : new Voice.VoiceFailed({ problem: "unreachable", reason: "The agent's server cannot be reached." })
})

SimulationKit.runExecutorContract("the voice executor", {
  executor: Layer.map(executorOf(connections), (context) => context).pipe(
    Layer.flatMap((context) =>
      Layer.effect(
        RunExecutor,
        Effect.map(RunExecutor, (executor) => ({
          ...executor,
          play: (run: Parameters<typeof executor.play>[0]) => VoiceKit.withVirtualClock(executor.play(run))
        })).pipe(Effect.provide(context))
      )
    )
  ),
  channel: "voice",
  answering: agentAt("wss://agents.example/a"),
  unreachable: agentAt("wss://agents.example/u"),
  silent: agentAt("wss://agents.example/s"),
  scenario: scenarioOf([
    { ...FIRST, action: "Hi" },
    { id: 1, condition: "The agent says hello", action: '<silence time="1" /> Goodbye <endcall />' }
  ])
})
