/** Callers that interrupt, show that they listen, are silent and speak over an impaired line. */
import { MAX_SEED, PersonalityDraft, type PlayedRun, type VoiceBehavior, Voice } from "@earshot/core"
import { VoiceKit } from "@earshot/test-kit"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Stream from "effect/Stream"
import { FIRST, linesOf, play, scenarioOf, speech } from "./voiceFixture.js"

const decode = Schema.decodeUnknownSync(PersonalityDraft)

const behaviorOf = (voice_behavior: object): VoiceBehavior | null =>
  decode({ project: 1, name: "Caller", language: "en", voice_behavior }).voice_behavior

const callerOf = (behavior: object, conditions: ReadonlyArray<object>) =>
  scenarioOf(conditions, {
    persona: { name: "Caller", description: "", language: "en", voiceBehavior: behaviorOf(behavior) }
  })

const HI_AND_BYE = [
  { ...FIRST, action: "Hi." },
  { id: 1, condition: 0, action: "Bye. <endcall />", type: "action_followup" }
]

const LONG = "Welcome to the front desk of the Grand Hotel. For reservations of rooms stay on the line, please."
const LONG_SECONDS = (LONG.length * VoiceKit.TONE_MILLIS) / 1000

const momentsOf = ({ moments }: PlayedRun, kind: string) => moments.filter((moment) => moment.kind === kind)

const at = (run: PlayedRun, turn: number, of: "startTime" | "endTime"): number =>
  run.transcript.turns[turn]?.[of] ?? Number.NaN

/** An agent that stops 100 ms after it is interrupted. */
const polite: ReadonlyArray<VoiceKit.AgentStep> = [
  { does: "say", text: LONG },
  { does: "awaitOnset", delayMillis: 100 },
  { does: "clear" }
]

describe("a caller that interrupts", () => {
  it.live("does so after its seconds of the agent's turn, and hears the answer to that", () =>
    Effect.gen(function* () {
      const run = yield* play(
        [
          ...polite,
          { does: "await", text: "Stop.", delayMillis: 300 },
          { does: "say", text: "Yes?" },
          { does: "await", text: "Hi.", delayMillis: 100 },
          { does: "say", text: "Ok." },
          { does: "wait", millis: 60_000 }
        ],
        callerOf({ interrupts: { after_seconds: 2, phrases: ["Stop."] } }, HI_AND_BYE)
      )
      expect(run.outcome).toEqual({ is: "ended", reason: "testing_agent_ended_call" })
      const [cut = "", ...rest] = linesOf(run)
      expect(cut).toMatch(/^agent: Welcome to the front desk of the Grand Hotel\. Fo/u)
      expect(cut.length).toBeLessThan(LONG.length)
      expect(rest).toEqual(["caller: Stop.", "agent: Yes?", "caller: Hi.", "agent: Ok.", "caller: Bye."])
      expect(Math.abs(at(run, 1, "startTime") - at(run, 0, "startTime") - 2)).toBeLessThanOrEqual(0.045)
      expect(Math.abs(at(run, 0, "endTime") - at(run, 1, "startTime") - 0.1)).toBeLessThanOrEqual(0.045)
      expect(momentsOf(run, "interruption")).toEqual([
        { kind: "interruption", at_second: at(run, 1, "startTime"), seconds: 0.2, condition: null }
      ])
    })
  )

  it.live("does so after its words, which are counted while the agent speaks", () =>
    Effect.gen(function* () {
      const slow = "Straightforwardly international accommodation considerations notwithstanding, congratulations."
      const run = yield* play(
        [
          { does: "say", text: slow },
          { does: "awaitOnset", delayMillis: 100 },
          { does: "clear" },
          { does: "await", text: "Stop.", delayMillis: 300 },
          { does: "say", text: "Yes?" },
          { does: "await", text: "Hi.", delayMillis: 100 },
          { does: "say", text: "Ok." },
          { does: "wait", millis: 60_000 }
        ],
        callerOf({ interrupts: { after_words: 4, phrases: ["Stop."] } }, HI_AND_BYE)
      )
      const [cut = "", ...rest] = linesOf(run)
      expect(rest).toEqual(["caller: Stop.", "agent: Yes?", "caller: Hi.", "agent: Ok.", "caller: Bye."])
      const words = cut.replace("agent: ", "").split(" ")
      expect(words.slice(0, 3)).toEqual(["Straightforwardly", "international", "accommodation"])
      expect([4, 5]).toContain(words.length)
    })
  )

  it.live("goes on after 3 seconds if the agent stops and waits", () =>
    Effect.gen(function* () {
      const run = yield* play(
        [
          ...polite,
          { does: "await", text: "Stop.Hi.", delayMillis: 100 },
          { does: "say", text: "Ok." },
          { does: "wait", millis: 60_000 }
        ],
        callerOf({ interrupts: { after_seconds: 1, phrases: ["Stop."] } }, HI_AND_BYE)
      )
      expect(linesOf(run).slice(1)).toEqual(["caller: Stop.", "caller: Hi.", "agent: Ok.", "caller: Bye."])
      expect(at(run, 2, "startTime") - at(run, 1, "endTime")).toBeGreaterThanOrEqual(3)
    })
  )

  it.live("hears out an agent that does not stop", () =>
    Effect.gen(function* () {
      const run = yield* play(
        [
          { does: "say", text: LONG },
          { does: "await", text: "Stop.Hi.", delayMillis: 100 },
          { does: "say", text: "Ok." },
          { does: "wait", millis: 60_000 }
        ],
        callerOf({ interrupts: { after_seconds: 1, phrases: ["Stop."] } }, HI_AND_BYE)
      )
      expect(linesOf(run)).toEqual([`agent: ${LONG}`, "caller: Stop.", "caller: Hi.", "agent: Ok.", "caller: Bye."])
      expect(at(run, 2, "startTime") - at(run, 0, "endTime")).toBeGreaterThanOrEqual(0.7)
    })
  )

  it.live("fails the run if its words cannot be synthesized", () =>
    Effect.gen(function* () {
      const mute = Layer.merge(
        Layer.succeed(Voice.TextToSpeech, {
          identity: "mute",
          speak: () => Stream.fail(new Voice.SpeechFailed({ reason: "the server is down." }))
        }),
        VoiceKit.toneTranscriber
      )
      for (const behavior of [{ interrupts: {} }, { line: { second_talker_db: -12 } }]) {
        const run = yield* play([{ does: "say", text: LONG }], callerOf(behavior, HI_AND_BYE), {}, mute)
        expect(run.outcome).toEqual({ is: "failed", reason: "The testing agent's speech: the server is down." })
      }
    })
  )
})

describe("a caller that shows that it listens", () => {
  it.live("says so in intervals of the agent's turn, and takes no turn of its own", () =>
    Effect.gen(function* () {
      const run = yield* play(
        [
          { does: "say", text: LONG },
          { does: "await", text: "Mm.Mm.Mm.Hi.", delayMillis: 100 },
          { does: "say", text: "Ok." },
          { does: "wait", millis: 60_000 }
        ],
        callerOf({ backchannels: { every_seconds: 1, phrases: ["Mm."] } }, HI_AND_BYE)
      )
      expect(linesOf(run)).toEqual([`agent: ${LONG}`, "caller: Hi.", "agent: Ok.", "caller: Bye."])
      expect(LONG_SECONDS).toBeGreaterThan(3.8)
      const places = momentsOf(run, "backchannel").map(({ at_second }) => at_second - at(run, 0, "startTime"))
      expect(places).toHaveLength(3)
      for (const [place, second] of places.entries()) {
        expect(Math.abs(second - (place + 1))).toBeLessThanOrEqual(0.045)
      }
    })
  )

  it.live("interrupts after that in the same turn", () =>
    Effect.gen(function* () {
      const run = yield* play(
        [
          { does: "say", text: LONG },
          { does: "await", text: "Mm.Stop.Hi.", delayMillis: 100 },
          { does: "say", text: "Ok." },
          { does: "wait", millis: 60_000 }
        ],
        callerOf(
          {
            backchannels: { every_seconds: 1, phrases: ["Mm."] },
            interrupts: { after_seconds: 1.5, phrases: ["Stop."] }
          },
          HI_AND_BYE
        )
      )
      const kinds = run.moments.map(({ kind }) => kind)
      expect(kinds.slice(0, 3)).toEqual(["backchannel", "interruption", "condition"])
    })
  )
})

it.live("a caller is silent before its answers, but not before it opens", () =>
  Effect.gen(function* () {
    const run = yield* play(
      [
        { does: "await", text: "Hi.", delayMillis: 100 },
        { does: "say", text: "Yes?" },
        { does: "wait", millis: 2000 },
        { does: "say", text: "Hello?" },
        { does: "wait", millis: 60_000 }
      ],
      callerOf({ silences: { seconds: 5 } }, HI_AND_BYE)
    )
    expect(linesOf(run)).toEqual(["caller: Hi.", "agent: Yes?", "agent: Hello?", "caller: Bye."])
    expect(at(run, 0, "startTime")).toBeLessThan(4)
    expect(at(run, 3, "startTime") - at(run, 1, "endTime")).toBeGreaterThanOrEqual(5.7)
    expect(momentsOf(run, "silence").map(({ condition, seconds }) => [seconds, condition])).toEqual([[5, null]])
  })
)

it.live("a caller speaks with its voice and its pace", () =>
  Effect.gen(function* () {
    const spoken: Array<Voice.Utterance> = []
    const voices = Layer.succeed(Voice.TextToSpeech, {
      identity: "recorded",
      speak: (utterance) =>
        Stream.sync(() => {
          spoken.push(utterance)
          return VoiceKit.speakTones(utterance.text)
        })
    })
    yield* play(
      [
        { does: "await", text: "Hi.", delayMillis: 100 },
        { does: "say", text: "Yes?" },
        { does: "wait", millis: 60_000 }
      ],
      callerOf({ voice: "nova", pace: 0.5 }, HI_AND_BYE),
      {},
      Layer.merge(voices, VoiceKit.toneTranscriber)
    )
    expect(spoken).toEqual(["Hi.", "Bye."].map((text) => ({ text, voice: "nova", speed: 0.5 })))
  })
)

describe("a run records the behavior of its caller", () => {
  const timed: ReadonlyArray<VoiceKit.AgentStep> = Array.from({ length: 8 }).flatMap((): Array<VoiceKit.AgentStep> => [
    { does: "say", text: "This is one of several sentences." },
    { does: "wait", millis: 6000 }
  ])
  const listening = scenarioOf(
    Array.from({ length: 8 }, (_, id) =>
      id === 0 ? { ...FIRST, action: "Hm." } : { id, condition: id - 1, action: "Hm.", type: "action_followup" }
    )
  )
  const playWith = (voiceBehavior: VoiceBehavior | null) =>
    play(
      timed,
      { ...listening, persona: { name: "Caller", description: "", language: null, voiceBehavior } },
      { answerTimeout: "10 seconds" },
      speech
    )
  const impaired = {
    backchannels: { every_seconds: 0.5, probability: 0.5, phrases: ["a", "b"] },
    interrupts: { after_seconds: 0.75, probability: 0.5, phrases: ["No.", "Stop."] },
    silences: { seconds: 0.5, probability: 0.5 },
    line: { noise_db: -40, packet_loss: 0.1, jitter_ms: 100, gain_db: -3, second_talker_db: -30 }
  }

  it.live("with the seed, which repeats what was cut, and what the agent heard of it", () =>
    Effect.gen(function* () {
      const first = yield* playWith(behaviorOf(impaired))
      const recorded = first.voiceBehavior
      expect(recorded).toMatchObject(impaired)
      const { seed } = recorded ?? { seed: null }
      expect(seed).toBeGreaterThanOrEqual(0)
      expect(seed).toBeLessThanOrEqual(MAX_SEED)
      const again = yield* playWith(recorded)
      // Bytes are compared as such: a deep comparison takes seconds.
      const bytesOf = ({ recording }: PlayedRun) => Buffer.from(recording ?? [])
      expect(bytesOf(again).length).toBeGreaterThan(0)
      expect(bytesOf(again).equals(bytesOf(first))).toBe(true)
      expect({ ...again, recording: null }).toEqual({ ...first, recording: null })
      const other = yield* playWith(recorded && { ...recorded, seed: 1 })
      expect(other.voiceBehavior).toMatchObject({ seed: 1 })
      expect(other.moments).not.toEqual(first.moments)
      expect(new Set(first.moments.map(({ kind }) => kind))).toEqual(
        new Set(["backchannel", "interruption", "silence", "condition"])
      )
    })
  )

  it.live("and nothing of a caller without one", () =>
    Effect.gen(function* () {
      expect((yield* playWith(null)).voiceBehavior).toBeNull()
    })
  )
})
