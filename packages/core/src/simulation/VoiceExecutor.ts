/**
 * Plays runs by voice: the testing agent on one side, speaking and listening as over a telephone, the agent's voice endpoint
 * on the other.
 */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { type Transcribe, Transcriber } from "../calls/Transcriber.js"
import type { JsonObject } from "../kernel/Json.js"
import { SHARED_CHANNELS, whyNotCalled } from "../catalog/VoiceChannels.js"
import type { SeededBehavior } from "../catalog/VoiceBehavior.js"
import { LanguageModel } from "../language/LanguageModel.js"
import { countWords } from "../metrics/Words.js"
import { noWords } from "../transcripts/TranscriptBuilder.js"
import type { RawTranscript, Word } from "../transcripts/Transcript.js"
import {
  type AgentTurn,
  type Broken,
  broken,
  type Ended,
  type Line,
  makeConversation,
  messageOf,
  storable,
  tookTooLong
} from "./Conversation.js"
import { type PlayedRun, RunExecutor, type RunToPlay } from "./RunExecutor.js"
import type { Scenario } from "./RunScript.js"
import type { Performance, PerformedMarker, Utterance } from "./TestingAgent.js"
import { makeVoiceCapacity } from "./VoiceCapacity.js"
import { reactToTurn } from "./VoiceReactions.js"
import { samplesOf } from "./voice/Audio.js"
import { seeded, seedOf, silenceBefore } from "./voice/BehaviorRules.js"
import { MAX_LATENESS_MILLIS } from "./voice/Lateness.js"
import { monoWav, stereoWav } from "./voice/CallWav.js"
import { type ImpairedLine, SECOND_TALKER } from "./voice/Impairments.js"
import { protocolOf } from "./voice/protocols/Protocols.js"
import { streamIdsOf } from "./voice/protocols/MediaStream.js"
import { TextToSpeech, wholeSpeech } from "./voice/TextToSpeech.js"
import type { TimeSpan } from "./voice/VoiceActivity.js"
import { voiceAddressOf } from "./voice/VoiceAddressRules.js"
import { type AgentTurn as SpokenTurn, type CallEnd, SPEAKING_MILLIS, startCall } from "./voice/VoiceCall.js"
import { VoiceConnections } from "./voice/VoiceConnection.js"

export interface VoiceExecutorConfig {
  /** Most turns of the testing agent in a run. Default: 50. */
  readonly maxMessages?: number
  /** How long an agent may stay silent when it is to answer. Default: 30 seconds. */
  readonly answerTimeout?: Duration.DurationInput
  /** How long the testing agent waits for the agent to speak first. Default: 3 seconds. */
  readonly greetingWait?: Duration.DurationInput
  /** How long an agent has to be quiet for its turn to be over. Default: 700 milliseconds. */
  readonly turnEnd?: Duration.DurationInput
  /** The longest turn of an agent. Default: 2 minutes. */
  readonly maxTurn?: Duration.DurationInput
  /**
   * How late frames may be sent: while more than 1 % of those of all calls of the process are later, it begins no further run.
   * Default: 40 milliseconds.
   */
  readonly maxLateness?: Duration.DurationInput
}

/** The longest text of a turn in characters. */
const MAX_TEXT = 20_000

/** Twilio's limit of the characters of a parameter's name and value. */
const MAX_PARAMETER = 500

/** What a transcript says of speech that has no words, or whose words are unknown. */
const INAUDIBLE = "[inaudible]"

/** How long the words of a call that is over are transcribed. */
const LAST_WORDS = "30 seconds"

/** The agent's variables as parameters of the call; those that are too long for one are left out. */
export const customParametersOf = (variables: JsonObject): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(variables)
      .map(([name, value]) => [name, typeof value === "string" ? value : JSON.stringify(value)] as const)
      .filter(([name, value]) => name.length + value.length <= MAX_PARAMETER)
  )

type Step = { readonly does: "speak"; readonly of: Utterance } | { readonly does: "mark"; readonly of: PerformedMarker }

const ORDER = { laughter: 0, speak: 1, silence: 2, hold: 2, endcall: 3 } as const

const orderOf = (step: Step): number => (step.does === "speak" ? ORDER.speak : ORDER[step.of.kind])

/** What is done in a performance, in its order. */
export const stepsOf = ({ markers, utterances }: Performance): ReadonlyArray<Step> =>
  [
    ...utterances.map((of): Step => ({ does: "speak", of })),
    ...markers.map((of): Step => ({ does: "mark", of }))
  ].toSorted((a, b) => a.of.after - b.of.after || orderOf(a) - orderOf(b))

/** A text as it is spoken: laughter is a marker in transcripts. */
const pronounced = (text: string): string => text.replaceAll("[laughter]", "ha ha ha")

const notTranscribed = (reason: string): Broken => broken("failed", `The agent's speech was not transcribed: ${reason}`)

const seconds = (millis: number): number => Math.round(millis) / 1000

/** Words whose times are relative to a turn's audio, at their times in the call. */
const wordsIn = ({ turns }: RawTranscript, { end, start }: TimeSpan): ReadonlyArray<Word> => {
  const place = (at: number | undefined) => at && seconds(Math.min(start + at * 1000, end))
  return turns.flatMap(({ words }) =>
    words.map((word) => ({ ...word, startTime: place(word.startTime), endTime: place(word.endTime) }))
  )
}

/** Plays runs of the channel `voice`, and of the others whose agents have a WebSocket of their kind; none without a transcriber. */
export const make = (config: VoiceExecutorConfig = {}) =>
  Effect.gen(function* () {
    const connections = yield* VoiceConnections
    const speech = yield* TextToSpeech
    const { transcribe } = yield* Transcriber
    const model = yield* LanguageModel
    const { maxMessages = 50 } = config
    const millisOf = (given: Duration.DurationInput | undefined, otherwise: Duration.DurationInput): number =>
      Duration.toMillis(given ?? otherwise)
    const answerTimeout = millisOf(config.answerTimeout, "30 seconds")
    const greetingWait = millisOf(config.greetingWait, "3 seconds")
    const turnEnd = millisOf(config.turnEnd, "700 millis")
    const maxTurn = millisOf(config.maxTurn, "2 minutes")
    const capacity = makeVoiceCapacity(millisOf(config.maxLateness, Duration.millis(MAX_LATENESS_MILLIS)))

    /** Speaks with the voice and the pace of a behavior. */
    const synthesizer = (behavior: SeededBehavior | null) => (text: string) =>
      speech
        .speak({
          text: pronounced(text),
          ...(behavior === null ? {} : { speed: behavior.pace }),
          ...(behavior?.voice ? { voice: behavior.voice } : {})
        })
        .pipe(Stream.mapError(({ reason }) => broken("failed", `The testing agent's speech: ${reason}`)))

    /** The line of a behavior, with what its second talker says in the voice of the server. */
    const lineOf = (behavior: SeededBehavior | null): Effect.Effect<ImpairedLine | null, Broken> =>
      Effect.gen(function* () {
        if (!behavior?.line) return null
        const hasTalker = behavior.line.second_talker_db !== null
        const secondTalker = hasTalker ? yield* wholeSpeech(synthesizer(null)(SECOND_TALKER)) : new Uint8Array()
        return { ...behavior.line, seed: behavior.seed, secondTalker }
      })

    const overBy = (end: CallEnd, scenario: Scenario): Broken | Ended => {
      switch (end.by) {
        case "testing_agent":
          return { _tag: "Ended", reason: "testing_agent_ended_call" }
        case "main_agent":
          return end.isClean
            ? { _tag: "Ended", reason: "main_agent_ended_call" }
            : broken("failed", `The agent's server ${end.reason}.`)
        case "max_duration":
          return tookTooLong(scenario)
        case "protocol":
          return broken("failed", `The agent's server ${end.reason}.`)
      }
    }

    const play =
      (transcribing: Transcribe) =>
      ({ channel, observer, run, scenario, voiceEndpoint }: RunToPlay): Effect.Effect<PlayedRun> =>
        Effect.gen(function* () {
          const conversation = makeConversation(scenario, model, {
            maxMessages,
            maxText: MAX_TEXT,
            onTurn: observer?.turn
          })
          const ids = streamIdsOf(`run-${run}-${yield* Clock.currentTimeMillis}`)
          const stated = scenario.persona?.voiceBehavior ?? null
          const behavior = stated && seeded(stated, seedOf(ids.callSid.slice(2)))
          const played = (...of: Parameters<typeof conversation.played>): PlayedRun => ({
            ...conversation.played(...of),
            voiceBehavior: behavior
          })
          const unplayed = (reason: string): PlayedRun => played({ is: "failed", reason }, 0)
          const why = whyNotCalled(channel, voiceEndpoint)
          if (voiceEndpoint === null || why !== null) return unplayed(why ?? "")
          const synthesize = synthesizer(behavior)
          const line = yield* Effect.either(lineOf(behavior))
          if (Either.isLeft(line)) return unplayed(line.left.reason)
          const connected = yield* Effect.either(connections.connect(voiceAddressOf(voiceEndpoint)))
          if (Either.isLeft(connected)) return unplayed(connected.left.reason)
          const call = yield* startCall(connected.right, {
            protocol: protocolOf(voiceEndpoint.protocol, ids),
            customParameters: customParametersOf(scenario.variables),
            maxMillis: scenario.maxDuration * 1000,
            line: line.right,
            onFrame: yield* capacity.enter,
            onAudio: observer?.audio
          })
          const over = (end: CallEnd) => overBy(end, scenario)
          const overOrBroken = (error: CallEnd | Broken) => ("by" in error ? over(error) : error)
          const clock = Effect.map(call.position, seconds)

          /** What was heard and is not kept yet: it is being transcribed. */
          const untranscribed = new Set<SpokenTurn>()
          /** Texts of the agent since the testing agent's last turn began. */
          let replies: ReadonlyArray<string> = []
          let hasAudio = false
          /** Milliseconds from the start of the call. */
          let callerSpokeUntil = 0
          let agentSpokeUntil = 0
          /** Turns of the agent that were waited for, and answers to them. */
          let listened = 0
          let answers = 0

          const keep = (turn: SpokenTurn, transcript: RawTranscript | undefined): void => {
            untranscribed.delete(turn)
            const words = transcript?.turns.map(({ content }) => content.trim()).join(" ") ?? ""
            const text = storable(words).slice(0, MAX_TEXT).trim() || INAUDIBLE
            conversation.addTurn({
              speaker: "main_agent",
              content: text,
              startTime: seconds(turn.start),
              endTime: seconds(turn.end),
              words: transcript === undefined ? noWords : wordsIn(transcript, turn)
            })
            conversation.addMessage({ speaker: "main_agent", text })
            replies = [...replies, text]
          }

          const wordsOf = (turn: SpokenTurn) => {
            const wav = monoWav(turn.audio)
            return transcribing({ contentType: "audio/wav", sizeBytes: wav.length, content: Stream.make(wav) })
          }

          /** Transcribes and keeps a turn of the agent. */
          const understand = (turn: SpokenTurn): Effect.Effect<void, Broken> =>
            Effect.gen(function* () {
              hasAudio = true
              agentSpokeUntil = turn.end
              untranscribed.add(turn)
              const transcript = yield* Effect.mapError(wordsOf(turn), ({ reason }) => notTranscribed(reason))
              keep(turn, transcript)
              if (turn.isCut) {
                const spoke = Duration.format(Duration.millis(maxTurn))
                return yield* Effect.fail(broken("failed", `The agent spoke for ${spoke} without a pause.`))
              }
            })

          /** Says something while the agent speaks. */
          const interject = (kind: "interruption" | "backchannel", content: string, audio: Uint8Array) =>
            Effect.gen(function* () {
              const isTurn = kind === "interruption"
              const { end, start } = yield* call.say(Stream.make(audio), isTurn ? "speech" : "noise")
              const [startTime, endTime] = [seconds(start), seconds(end)]
              conversation.addMoment({ kind, at_second: startTime, seconds: seconds(end - start), condition: null })
              // A back-channel is no turn: metrics of turns would count it as one.
              if (!isTurn) return
              callerSpokeUntil = end
              conversation.addTurn({ speaker: "testing_agent", content, startTime, endTime, words: noWords })
              conversation.addMessage({ speaker: "testing_agent", text: content })
            })

          /** Reacts to the agent while it speaks; true if it was interrupted. */
          const react = (of: SeededBehavior) =>
            reactToTurn<Broken>(of, listened++, {
              call,
              endMillis: turnEnd,
              timeoutMillis: answerTimeout,
              maxMillis: maxTurn,
              synthesize: (phrase) => wholeSpeech(synthesize(phrase)),
              interject,
              countWords: (turn) =>
                wordsOf(turn).pipe(
                  Effect.mapBoth({
                    onSuccess: ({ turns }) => countWords(turns.map(({ content }) => content).join(" ")),
                    onFailure: ({ reason }) => notTranscribed(reason)
                  })
                )
            }).pipe(Effect.mapError(overOrBroken))

          /** The agent's next turn. */
          const turnOf = Effect.gen(function* () {
            const turn = yield* Effect.mapError(
              call.hear({ endMillis: turnEnd, timeoutMillis: answerTimeout, maxMillis: maxTurn }),
              over
            )
            if (Option.isSome(turn)) return turn.value
            const silent = Duration.format(Duration.millis(answerTimeout))
            return yield* Effect.fail(
              broken(
                "timeout",
                hasAudio ? `The agent did not answer for ${silent}.` : `The agent sent no audio for ${silent}.`
              )
            )
          })

          /** Waits for the agent's next turn, and what it says to an interruption. */
          const listen = Effect.gen(function* () {
            const wasInterrupted = behavior !== null && (yield* react(behavior))
            // What it said until it stopped is a turn of its own.
            const stopped = wasInterrupted ? yield* call.takeTurn(SPEAKING_MILLIS) : Option.none()
            if (Option.isSome(stopped)) yield* understand(stopped.value)
            else {
              yield* understand(yield* turnOf)
              if (!wasInterrupted || agentSpokeUntil > callerSpokeUntil) return
            }
            // It may wait for the caller to go on: then that is its answer.
            const onset = yield* Effect.mapError(call.onset(greetingWait), over)
            if (Option.isSome(onset)) yield* understand(yield* turnOf)
          })

          const speak = ({ text }: Utterance) =>
            Effect.gen(function* () {
              const { end, start } = yield* Effect.mapError(call.say(synthesize(text)), overOrBroken)
              callerSpokeUntil = end
              conversation.addTurn({
                speaker: "testing_agent",
                content: text,
                startTime: seconds(start),
                endTime: seconds(end),
                words: noWords
              })
            })

          const mark = ({ kind, seconds: length }: PerformedMarker, condition: number | null) =>
            Effect.gen(function* () {
              conversation.addMoment({ kind, at_second: yield* clock, seconds: length, condition })
              if (kind !== "silence" && kind !== "hold") return
              yield* Effect.mapError(call.pause((length ?? 0) * 1000), over)
              // What the agent said into the silence is a turn of its own.
              const turn = yield* call.takeTurn(turnEnd)
              if (Option.isSome(turn)) yield* understand(turn.value)
            })

          const say = ({ item, performance }: AgentTurn) =>
            Effect.gen(function* () {
              const condition = item?.id ?? null
              replies = []
              if (item !== null) {
                conversation.addMoment({ kind: "condition", at_second: yield* clock, seconds: null, condition })
              }
              const message = messageOf(performance)
              // The first turn answers nothing.
              const silent = behavior === null || answers++ === 0 ? null : silenceBefore(behavior, answers - 1)
              if (silent !== null) yield* mark({ kind: "silence", seconds: silent, after: 0 }, null)
              if (message !== "") conversation.addMessage({ speaker: "testing_agent", text: message })
              for (const step of stepsOf(performance)) {
                yield* step.does === "speak" ? speak(step.of) : mark(step.of, condition)
              }
            })

          const answer: Line["answer"] = Effect.gen(function* () {
            // An agent that spoke into the silence at the end of an action has answered.
            const hasAnswered = replies.length > 0 && agentSpokeUntil > callerSpokeUntil
            if (!hasAnswered) yield* listen
            return { text: replies.join(" "), endsCall: false }
          })

          const greeted = Effect.gen(function* () {
            const onset = yield* Effect.mapError(call.onset(greetingWait), over)
            if (Option.isSome(onset)) yield* listen
          })

          const outcome = yield* greeted.pipe(
            Effect.zipRight(conversation.converse({ answer, clock, say })),
            Effect.catchTag("Ended", ({ reason }) => Effect.succeed(reason)),
            Effect.timeoutFail({
              duration: Duration.seconds(scenario.maxDuration),
              onTimeout: () => tookTooLong(scenario)
            }),
            Effect.match({
              onSuccess: (reason): PlayedRun["outcome"] => ({ is: "ended", reason }),
              onFailure: ({ is, reason }) => ({ is, reason })
            })
          )
          yield* call.hangUp
          const rest = yield* call.takeTurn(0)
          for (const turn of [...untranscribed, ...Option.toArray(rest)]) {
            const transcript = yield* wordsOf(turn).pipe(Effect.timeout(LAST_WORDS), Effect.option)
            keep(turn, Option.getOrUndefined(transcript))
          }
          const { agentTrack, callerTrack, durationMillis } = yield* call.record
          const recording = stereoWav(callerTrack, agentTrack, samplesOf(durationMillis))
          return played(outcome, seconds(durationMillis), recording)
        }).pipe(Effect.scoped)

    return RunExecutor.of(
      Option.match(transcribe, {
        onNone: () => ({ channels: [], play: () => Effect.dieMessage("There is no transcriber") }),
        onSome: (transcribing) => ({
          channels: ["voice"],
          shared: {
            channels: SHARED_CHANNELS,
            isPlayed: (channel, agent) => whyNotCalled(channel, agent.voiceEndpoint) === null
          },
          play: play(transcribing),
          hasCapacity: capacity.hasCapacity
        })
      })
    )
  })
