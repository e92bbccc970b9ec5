import { Voice } from "@earshot/core"
import { VoiceKit } from "@earshot/test-kit"
import { describeAudio } from "@earshot/redaction/audio"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Random from "effect/Random"
import * as Stream from "effect/Stream"
import type * as Scope from "effect/Scope"

const { readTones, speakTones } = VoiceKit

const config = (): Voice.VoiceCallConfig => ({
  protocol: Voice.mediaStream({ accountSid: "AC1", callSid: "CA1", streamSid: "MZ1" }),
  customParameters: { name: "Ann" },
  maxMillis: 3_600_000
})
const patience = { endMillis: 300, timeoutMillis: 10_000 }

interface Called {
  readonly call: Voice.VoiceCall
  readonly agent: VoiceKit.ScriptedAgent
}

/** Calls a scripted agent under a virtual clock. */
const calling = <A, E>(
  script: ReadonlyArray<VoiceKit.AgentStep>,
  program: (called: Called) => Effect.Effect<A, E, Scope.Scope>,
  options: Partial<Voice.VoiceCallConfig> = {}
) =>
  VoiceKit.withVirtualClock(
    Effect.scoped(
      Effect.gen(function* () {
        const { agent, connection } = yield* VoiceKit.scriptedConnection(script)
        return yield* program({ agent, call: yield* Voice.startCall(connection, { ...config(), ...options }) })
      })
    )
  )

const textOf = (turn: Option.Option<Voice.AgentTurn>): string | null =>
  Option.match(turn, { onNone: () => null, onSome: ({ audio }) => readTones(audio) })

/** The left and right track of a recording, as mu-law. */
const sidesOf = (wav: Uint8Array) => {
  const view = Buffer.from(wav)
  const side = (offset: number) => {
    const samples = new Int16Array((wav.length - 44) / 4)
    for (let at = 0; at < samples.length; at++) samples[at] = view.readInt16LE(44 + 4 * at + offset)
    return Voice.encodeMulaw(samples)
  }
  return { left: side(0), right: side(2) }
}

describe("a call by voice", () => {
  // Four hundred latencies in all, in chunks of ten lengths; each second of a call takes 10 ms of processor time.
  const TURNS = 40
  it.live.each(Array.from({ length: 10 }, (_, seed) => seed))(
    "measures answer latencies of 0 to 3,000 ms within 25 ms, and loses nothing of the transcript (seed %i)",
    (seed) =>
      Effect.gen(function* () {
        const turns = yield* Effect.forEach(Array.from({ length: TURNS }), (_, turn) =>
          Effect.map(Random.nextIntBetween(0, 3001), (delayMillis) => ({
            question: `Q${turn} é`,
            answer: `A${turn}`,
            delayMillis
          }))
        ).pipe(Effect.withRandom(Random.make(seed)))
        const script = turns.flatMap(({ answer, delayMillis, question }): ReadonlyArray<VoiceKit.AgentStep> => [
          { does: "await", text: question, delayMillis },
          { does: "say", text: answer, chunkMillis: 1 + (seed * 37) / 2 }
        ])
        const { record, texts } = yield* calling(script, ({ call }) =>
          Effect.gen(function* () {
            const texts = yield* Effect.forEach(turns, ({ question }) =>
              Effect.zipRight(call.say(Stream.make(speakTones(question))), Effect.map(call.hear(patience), textOf))
            )
            yield* call.hangUp
            return { texts, record: yield* call.record }
          })
        )
        expect(texts).toEqual(turns.map(({ answer }) => answer))
        const { answers } = record.measures
        expect(answers.length).toBe(TURNS)
        for (const { latencyMillis, turn } of answers) {
          expect(Math.abs(latencyMillis - (turns[turn]?.delayMillis ?? -1))).toBeLessThanOrEqual(25)
        }
        const samples = Voice.samplesOf(record.durationMillis)
        const wav = Voice.stereoWav(record.callerTrack, record.agentTrack, samples)
        const { left, right } = sidesOf(wav)
        expect(readTones(left)).toBe(turns.map(({ question }) => question).join(" "))
        expect(readTones(right)).toBe(turns.map(({ answer }) => answer).join(" "))
        const { durationSeconds } = Either.getOrThrow(describeAudio(wav))
        expect(Math.abs(durationSeconds * 1000 - record.durationMillis)).toBeLessThanOrEqual(20)
      })
  )

  it.live.each([
    ["cleared", 0],
    ["cleared", 180],
    ["cleared", 1234],
    ["drained", 0]
  ] as const)("measures how long an interrupted agent goes on (%s after %i ms)", ([how, delayMillis]) =>
    Effect.gen(function* () {
      const long = "a long answer that goes on ".repeat(5)
      const script: ReadonlyArray<VoiceKit.AgentStep> = [
        { does: "say", text: long, chunkMillis: 1000 },
        { does: "awaitOnset", delayMillis },
        ...(how === "cleared" ? [{ does: "clear" as const }] : [])
      ]
      const { record, span } = yield* calling(script, ({ call }) =>
        Effect.gen(function* () {
          const onset = Option.getOrThrow(yield* call.onset(5000))
          yield* call.pause(1000)
          const span = yield* call.say(Stream.make(speakTones("wait")))
          yield* call.hear(patience)
          yield* call.hangUp
          expect(onset).toBeLessThanOrEqual(25)
          return { span, record: yield* call.record }
        })
      )
      const [found] = record.measures.bargeIns
      const truth = how === "cleared" ? delayMillis : long.length * VoiceKit.TONE_MILLIS - span.start
      expect(found?.how).toBe(how)
      expect(Math.abs((found?.stopMillis ?? -1) - truth)).toBeLessThanOrEqual(25)
      expect(Math.abs(record.measures.talkOverMillis - Math.min(truth, span.end - span.start))).toBeLessThanOrEqual(25)
    })
  )

  it.live("plays five minutes of silence, answers marks, and sends the start, keys and stop", () =>
    Effect.gen(function* () {
      const script: ReadonlyArray<VoiceKit.AgentStep> = [
        { does: "say", text: "hello" },
        { does: "mark", name: "played" },
        { does: "mark", name: "cleared" }
      ]
      const { agent, end, record } = yield* calling(
        script,
        ({ agent, call }) =>
          Effect.gen(function* () {
            expect(textOf(yield* call.hear(patience))).toBe("hello")
            expect(agent.answeredMarks).toEqual(["played", "cleared"])
            yield* call.press("5")
            return { agent, end: yield* call.ended, record: yield* call.record }
          }),
        { maxMillis: 300_000 }
      )
      expect(end).toEqual({ by: "max_duration" })
      expect(agent.started()).toMatchObject({ customParameters: { name: "Ann" } })
      expect(agent.stopped()).toBe(true)
      expect(Math.abs(record.durationMillis - 300_000)).toBeLessThanOrEqual(20)
      expect(record.measures.deadAir.length).toBe(1)
    })
  )

  /** Audio in parts of these samples, each after so many milliseconds. */
  const partsOf = (audio: Uint8Array, samples: number, millis: number): Stream.Stream<Uint8Array> =>
    Stream.range(0, Math.ceil(audio.length / samples) - 1).pipe(
      Stream.mapEffect((part) => Effect.as(Effect.sleep(millis), audio.subarray(part * samples, (part + 1) * samples)))
    )

  it.live.each([
    ["faster than it is played", 7, 0, 0],
    ["as fast as it is played", 800, 100, 0],
    ["with a gap", 4000, 800, 300]
  ] as const)("speaks while its audio is still being synthesized: %s", ([, samples, millis, gap]) =>
    Effect.gen(function* () {
      const text = "a longer text that is spoken"
      const audio = speakTones(text)
      const { record, span } = yield* calling([{ does: "await", text: "none", delayMillis: 0 }], ({ call }) =>
        Effect.gen(function* () {
          const span = yield* call.say(partsOf(audio, samples, millis))
          const after = yield* call.say(Stream.make(speakTones("then")))
          expect(after.start).toBeGreaterThanOrEqual(span.end)
          yield* call.hangUp
          return { span, record: yield* call.record }
        })
      )
      const { left } = sidesOf(
        Voice.stereoWav(record.callerTrack, record.agentTrack, Voice.samplesOf(record.durationMillis))
      )
      if (gap === 0) expect(readTones(left)).toBe(`${text}then`)
      const length = Voice.millisOf(audio.length) + gap * Math.ceil(audio.length / samples - 1)
      expect(Math.abs(span.end - span.start - length)).toBeLessThanOrEqual(gap === 0 ? 0 : 40)
      // It began when enough of it was there, not when all of it was.
      expect(span.start).toBeLessThanOrEqual(Math.max(millis, 200) + 40)
    })
  )

  it.live("fails as its audio does, and ends with the call while it waits for audio", () =>
    Effect.gen(function* () {
      const broken = yield* calling([], ({ call }) =>
        Effect.flip(call.say(Stream.concat(Stream.make(speakTones("begun")), Stream.fail("the server is down"))))
      )
      expect(broken).toBe("the server is down")
      const ended = yield* calling([{ does: "wait", millis: 200 }, { does: "close" }], ({ call }) =>
        Effect.flip(call.say(Stream.concat(Stream.make(speakTones("begun")), Stream.never)))
      )
      expect(ended).toMatchObject({ by: "main_agent" })
      const empty = yield* calling([], ({ call }) =>
        Effect.zip(
          call.say(Stream.empty),
          Effect.map(call.record, ({ callerTrack }) => callerTrack)
        )
      )
      expect(empty[0].start).toBe(empty[0].end)
      expect(empty[1]).toEqual([])
    })
  )

  it.live("says that an agent does not answer", () =>
    calling([], ({ call }) =>
      Effect.gen(function* () {
        yield* call.say(Stream.make(speakTones("hello")))
        expect(yield* call.hear(patience)).toEqual(Option.none())
        expect((yield* call.record).measures.timeToFirstAudioMillis).toBe(null)
      })
    )
  )

  const media = (audio: Uint8Array): string =>
    JSON.stringify({ event: "media", streamSid: "MZ1", media: { payload: Buffer.from(audio).toString("base64") } })

  it.live.each<[string, ReadonlyArray<VoiceKit.AgentStep>, Partial<Voice.CallEnd>]>([
    ["closes in the middle of a word", [{ does: "wait", millis: 100 }, { does: "close" }], { by: "main_agent" }],
    [
      "sends garbage",
      Array.from({ length: 60 }, () => ({ does: "send", message: "garbage" }) as const),
      {
        by: "protocol",
        reason: "sent more than 50 invalid messages. The first: A message is not JSON"
      }
    ],
    [
      "never stops to send",
      Array.from({ length: 30 }, () => ({ does: "send", message: media(Voice.silenceOf(100_000)) }) as const),
      { by: "protocol", reason: "sent more than 300 seconds of audio ahead of its playback" }
    ],
    [
      "sends more than a call may have",
      Array.from({ length: 90 }, () => ({ does: "send", message: `"${"x".repeat(1_000_000)}"` }) as const),
      { by: "protocol" }
    ],
    [
      "speaks for ever",
      Array.from({ length: 60 }, () => ({ does: "say", text: "bla".repeat(25), chunkMillis: 500 }) as const),
      { by: "max_duration" }
    ]
  ])("ends if the agent %s, and keeps what was heard", ([, steps, end]) =>
    Effect.gen(function* () {
      const script: ReadonlyArray<VoiceKit.AgentStep> = [
        { does: "say", text: "hello there", chunkMillis: 500 },
        { does: "wait", millis: 200 },
        ...steps
      ]
      const { exit, record } = yield* calling(
        script,
        ({ call }) =>
          Effect.gen(function* () {
            const exit = yield* Effect.exit(call.hear({ ...patience, endMillis: 60_000 }))
            return { exit, record: yield* call.record }
          }),
        { maxMillis: 60_000 }
      )
      expect(Exit.isFailure(exit) && exit.cause).toMatchObject({ error: end })
      const { right } = sidesOf(
        Voice.stereoWav(record.callerTrack, record.agentTrack, Voice.samplesOf(record.durationMillis))
      )
      expect("hello there".startsWith(readTones(right).slice(0, 4))).toBe(true)
      expect(readTones(right).length).toBeGreaterThanOrEqual(4)
    })
  )
})
