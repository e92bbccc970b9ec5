/** Plays runs by text: the testing agent on one side, the agent's chat endpoint on the other. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { ActionPart } from "../evaluators/ActionMarkup.js"
import type { ConditionalAction } from "../evaluators/ConditionalActions.js"
import { isWithin, lengthOf } from "../kernel/Text.js"
import { LanguageModel } from "../language/LanguageModel.js"
import type { RunMoment } from "../results/RunDetail.js"
import { noWords } from "../transcripts/TranscriptBuilder.js"
import type { ToolCall, Turn } from "../transcripts/Transcript.js"
import { type CallerQuestion, matchQuestion, phraseQuestion, speakQuestion, waitQuestion } from "./CallerQuestions.js"
import type { ChatMessage, ChatReply } from "./Chat.js"
import { ChatAgent } from "./ChatAgent.js"
import { type PlayedRun, RunExecutor, type RunToPlay } from "./RunExecutor.js"
import {
  begin,
  choices,
  matchByWords,
  type Performance,
  perform,
  step,
  type TestingAgentState
} from "./TestingAgent.js"

export interface TextExecutorConfig {
  /** Most messages of the testing agent in a run. Default: 50. */
  readonly maxMessages?: number
  /** The time limit of one response of the agent. Default: 1 minute. */
  readonly answerTimeout?: Duration.DurationInput
  /** The longest response in characters. Default: 20,000. */
  readonly maxAnswer?: number
}

/** Most characters of a run's conversation; far below the limit of transcripts. */
const MAX_CHARACTERS = 1_000_000

const MAX_TOOL_CALLS = 1000
const MAX_TOOL_NAME = 1000

/** The testing agent's replies while no condition applies and no model is configured. */
const WAITING = ["I see.", "All right.", "Please go on."]

const NO_ENDPOINT = "The agent has no chat endpoint: set chat_endpoint to run it by text."
const NO_MODEL =
  "No language model is configured, and scenarios of this type are played by one. Configure a model, or write the scenario as conditional_actions."

/** A conversation that failed. */
interface Broken {
  readonly _tag: "Broken"
  readonly is: "failed" | "timeout"
  readonly reason: string
}
const broken = (is: Broken["is"], reason: string): Broken => ({ _tag: "Broken", is, reason })

/** The testing agent's next turn. */
interface AgentTurn {
  readonly performance: Performance
  readonly item: ConditionalAction | null
}

const spoken = (text: string, endsCall: boolean): Performance => ({
  utterances: text.trim() === "" ? [] : [{ text: text.trim(), after: 0 }],
  markers: [],
  pause: 0,
  endsCall
})

/** The message of an action: its words or, where it has none, its silence or hold. */
const messageOf = ({ endsCall, markers, utterances }: Performance): string => {
  if (utterances.length > 0) return utterances.map(({ text }) => text).join(" ")
  const silent = markers.find(({ kind }) => kind === "silence" || kind === "hold")
  // A placeholder may have a blank value; an agent is never sent an empty message.
  return silent === undefined ? (endsCall ? "" : "[silence 0 s]") : `[${silent.kind} ${silent.seconds ?? 0} s]`
}

/** Texts of models and agents may contain characters that databases do not store. */
const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed()

export const layer = (config: TextExecutorConfig = {}) =>
  Layer.effect(
    RunExecutor,
    Effect.gen(function* () {
      const chat = yield* ChatAgent
      const model = yield* LanguageModel
      const { maxAnswer = 20_000, maxMessages = 50 } = config
      const answerTimeout = Duration.decode(config.answerTimeout ?? "1 minute")

      /** Asks the model, if there is one; an answer that does not match the schema counts as none. */
      const asked = <A>(question: CallerQuestion<A>): Effect.Effect<Option.Option<A>, Broken> =>
        Option.match(model.ask, {
          onNone: () => Effect.succeedNone,
          onSome: (ask) =>
            ask(question).pipe(
              Effect.map(({ value }) => Option.some(value)),
              Effect.catchTags({
                AnswerUnusable: () => Effect.succeedNone,
                ModelUnavailable: ({ reason }) => Effect.fail(broken("failed", `The testing agent's model: ${reason}`))
              })
            )
        })

      const play = ({ agent, chatEndpoint, run, scenario }: RunToPlay): Effect.Effect<PlayedRun> =>
        Effect.gen(function* () {
          const began = yield* Clock.currentTimeMillis
          const turns: Array<Turn> = []
          const toolCalls: Array<ToolCall> = []
          const moments: Array<RunMoment> = []
          const messages: Array<ChatMessage> = []
          // A chat endpoint cannot perceive silence, so pauses advance the conversation's clock without waiting.
          let paused = 0
          let characters = 0
          const clock = Effect.map(
            Clock.currentTimeMillis,
            (now) => Math.round(Math.max(0, now - began) + paused * 1000) / 1000
          )
          const result = (outcome: PlayedRun["outcome"]): Effect.Effect<PlayedRun> =>
            Effect.map(clock, (durationSeconds) => ({
              outcome,
              transcript: { _tag: "RawTranscript", turns, toolCalls },
              moments,
              durationSeconds
            }))

          const addTurn = (speaker: Turn["speaker"], text: string, at: number): void => {
            turns.push({ speaker, content: text, startTime: at, endTime: at, words: noWords })
            characters += text.length
          }

          /** Performs an action, and records its markers at their times. */
          const say = ({ item, performance }: AgentTurn) =>
            Effect.map(clock, (at) => {
              const place = (after: number): number => Math.round((at + after) * 1000) / 1000
              if (item !== null) moments.push({ kind: "condition", at_second: at, seconds: null, condition: item.id })
              for (const { after, kind, seconds } of performance.markers) {
                moments.push({ kind, at_second: place(after), seconds, condition: item?.id ?? null })
              }
              for (const { after, text } of performance.utterances) addTurn("testing_agent", text, place(after))
              paused += performance.pause
              const message = messageOf(performance)
              if (message !== "") messages.push({ speaker: "testing_agent", text: message })
            })

          /** The agent's response to the conversation so far. */
          const answer: Effect.Effect<ChatReply, Broken> = Effect.gen(function* () {
            if (chatEndpoint === null) return yield* Effect.fail(broken("failed", NO_ENDPOINT))
            const since = yield* clock
            const reply = yield* chat
              .reply(chatEndpoint, {
                conversation: `run-${run}-${began}`,
                model: agent.assistantId ?? agent.name,
                messages: [...messages],
                variables: scenario.variables
              })
              .pipe(
                Effect.mapError(({ reason }) => broken("failed", reason)),
                Effect.timeoutFail({
                  duration: answerTimeout,
                  onTimeout: () =>
                    broken("timeout", `The agent took longer than ${Duration.format(answerTimeout)} to answer.`)
                })
              )
            const text = storable(reply.text)
            if (!isWithin(maxAnswer, text)) {
              return yield* Effect.fail(
                broken(
                  "failed",
                  `The agent's answer has ${lengthOf(text)} characters, which is more than ${maxAnswer}.`
                )
              )
            }
            const at = yield* clock
            for (const tool of reply.toolCalls.slice(0, Math.max(0, MAX_TOOL_CALLS - toolCalls.length))) {
              const name = storable(tool.name).slice(0, MAX_TOOL_NAME)
              const args = storable(tool.arguments).slice(0, maxAnswer)
              const result = tool.result === undefined ? undefined : storable(tool.result).slice(0, maxAnswer)
              characters += name.length + args.length + (result?.length ?? 0)
              toolCalls.push({
                id: tool.id === undefined ? undefined : storable(tool.id).slice(0, MAX_TOOL_NAME),
                name,
                arguments: args,
                result,
                succeeded: undefined,
                startTime: since,
                endTime: at
              })
            }
            addTurn("main_agent", text, at)
            messages.push({ speaker: "main_agent", text })
            return { ...reply, text }
          })

          /** An action's parts with the words that the caller finds for them. */
          const phrased = (item: ConditionalAction): Effect.Effect<ReadonlyArray<ActionPart>, Broken> =>
            Effect.gen(function* () {
              const end = item.action.findIndex(({ kind }) => kind === "endcall")
              // Parts after the end of the call are dropped.
              const parts = end === -1 ? item.action : item.action.slice(0, end + 1)
              const texts = parts.flatMap((part) =>
                part.kind === "speech" && part.text.trim() !== "" ? [part.text.trim()] : []
              )
              if (item.fixedMessage || texts.length === 0) return parts
              const found = yield* asked(phraseQuestion(scenario, messages, texts))
              if (Option.isNone(found) || found.value.texts.length !== texts.length) return parts
              const words = found.value.texts.map((text) => storable(text).slice(0, maxAnswer))
              // If the model returns blank texts, the action's own words are used.
              if (words.some((text) => text.trim() === "")) return parts
              let place = 0
              return parts.map((part) =>
                part.kind === "speech" && part.text.trim() !== ""
                  ? { ...part, text: ` ${words[place++] ?? part.text} ` }
                  : part
              )
            })

          /** Matches by meaning with a model; by words without one, or if its answer does not match the schema. */
          const matched = (state: TestingAgentState, reply: string): Effect.Effect<number | null, Broken> => {
            const may = choices(state)
            if (may.first !== null || may.described.length === 0) return Effect.succeed(null)
            return Effect.map(
              asked(
                matchQuestion(
                  may.described.map(({ description, item }) => ({ id: item.id, description })),
                  messages
                )
              ),
              Option.match({ onNone: () => matchByWords(may, reply), onSome: ({ condition }) => condition })
            )
          }

          const acted = (item: ConditionalAction) =>
            Effect.map(phrased(item), (parts): AgentTurn => ({ item, performance: perform(parts) }))

          const waiting = (times: number) =>
            Effect.map(asked(waitQuestion(scenario, messages)), (found): AgentTurn => ({
              item: null,
              performance: spoken(
                storable(Option.match(found, { onNone: () => "", onSome: ({ message }) => message })).trim() ||
                  (WAITING[(times - 1) % WAITING.length] ?? ""),
                false
              )
            }))

          /** The testing agent's next turn, or the reason why it hangs up. */
          let state: TestingAgentState | undefined
          const next = (reply: ChatReply | undefined): Effect.Effect<AgentTurn | string, Broken> =>
            Effect.gen(function* () {
              if (scenario.actions !== null) {
                const taken =
                  state === undefined || reply === undefined
                    ? begin(scenario.actions)
                    : step(state, reply.text, yield* matched(state, reply.text))
                state = taken.state
                const { move } = taken
                return move.does === "leave"
                  ? move.because
                  : move.does === "act"
                    ? yield* acted(move.item)
                    : yield* waiting(move.times)
              }
              if (Option.isNone(model.ask)) return yield* Effect.fail(broken("failed", NO_MODEL))
              if (reply === undefined && scenario.firstMessage.trim() !== "") {
                return { item: null, performance: spoken(scenario.firstMessage, false) }
              }
              const found = yield* asked(speakQuestion(scenario, messages))
              if (Option.isNone(found)) {
                return yield* Effect.fail(
                  broken("failed", "The testing agent's model: its answer does not match the schema.")
                )
              }
              const { hang_up: hangsUp, message } = found.value
              const text = storable(message).slice(0, maxAnswer)
              return text.trim() === "" && !hangsUp
                ? { item: null, performance: spoken(WAITING[0] ?? "", false) }
                : { item: null, performance: spoken(text, hangsUp) }
            })

          const tookTooLong = broken("timeout", `The run took longer than its ${scenario.maxDuration} seconds.`)

          const converse: Effect.Effect<string, Broken> = Effect.gen(function* () {
            let reply: ChatReply | undefined
            for (let sent = 0; sent < maxMessages; sent++) {
              const move = yield* next(reply)
              if (typeof move === "string") return move
              yield* say(move)
              // Pauses count although nothing waits for them.
              if ((yield* clock) > scenario.maxDuration) return yield* Effect.fail(tookTooLong)
              if (move.performance.endsCall) {
                const isNoted = moments.at(-1)?.kind === "endcall"
                if (!isNoted) {
                  moments.push({ kind: "endcall", at_second: yield* clock, seconds: null, condition: null })
                }
                return "testing_agent_ended_call"
              }
              reply = yield* answer
              if (reply.endsCall) return "main_agent_ended_call"
              if (characters > MAX_CHARACTERS) return "too_much_said"
            }
            return "too_many_messages"
          })

          if (chatEndpoint === null) return yield* result({ is: "failed", reason: NO_ENDPOINT })
          return yield* converse.pipe(
            Effect.timeoutFail({
              duration: Duration.seconds(scenario.maxDuration),
              onTimeout: () => tookTooLong
            }),
            Effect.matchEffect({
              onSuccess: (reason) => result({ is: "ended", reason }),
              onFailure: ({ is, reason }) => result({ is, reason })
            })
          )
        })

      return RunExecutor.of({ channels: ["text"], play })
    })
  )
