/** Plays runs by text: the testing agent on one side, the agent's chat endpoint on the other. */
import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { isWithin, lengthOf } from "../kernel/Text.js"
import { LanguageModel } from "../language/LanguageModel.js"
import { noWords } from "../transcripts/TranscriptBuilder.js"
import type { Turn } from "../transcripts/Transcript.js"
import { ChatAgent } from "./ChatAgent.js"
import {
  type AgentTurn,
  broken,
  type Line,
  makeConversation,
  messageOf,
  storable,
  tookTooLong
} from "./Conversation.js"
import { type PlayedRun, RunExecutor, type RunToPlay } from "./RunExecutor.js"

export interface TextExecutorConfig {
  /** Most messages of the testing agent in a run. Default: 50. */
  readonly maxMessages?: number
  /** The time limit of one response of the agent. Default: 1 minute. */
  readonly answerTimeout?: Duration.DurationInput
  /** The longest response in characters. Default: 20,000. */
  readonly maxAnswer?: number
}

const MAX_TOOL_CALLS = 1000
const MAX_TOOL_NAME = 1000

const NO_ENDPOINT = "The agent has no chat endpoint: set chat_endpoint to run it by text."

/** Plays runs of the channel `text`. */
export const make = (config: TextExecutorConfig = {}) =>
  Effect.gen(function* () {
    const chat = yield* ChatAgent
    const model = yield* LanguageModel
    const { maxAnswer = 20_000, maxMessages = 50 } = config
    const answerTimeout = Duration.decode(config.answerTimeout ?? "1 minute")

    const play = ({ agent, chatEndpoint, observer, run, scenario }: RunToPlay): Effect.Effect<PlayedRun> =>
      Effect.gen(function* () {
        const conversation = makeConversation(scenario, model, {
          maxMessages,
          maxText: maxAnswer,
          onTurn: observer?.turn
        })
        if (chatEndpoint === null) return conversation.played({ is: "failed", reason: NO_ENDPOINT }, 0)
        const began = yield* Clock.currentTimeMillis
        // A chat endpoint cannot perceive silence, so pauses advance the conversation's clock without waiting.
        let paused = 0
        const clock = Effect.map(
          Clock.currentTimeMillis,
          (now) => Math.round(Math.max(0, now - began) + paused * 1000) / 1000
        )
        const addTurn = (speaker: Turn["speaker"], text: string, at: number): void => {
          conversation.addTurn({ speaker, content: text, startTime: at, endTime: at, words: noWords })
        }

        /** Performs an action, and records its markers at their times. */
        const say = ({ item, performance }: AgentTurn) =>
          Effect.map(clock, (at) => {
            const place = (after: number): number => Math.round((at + after) * 1000) / 1000
            const condition = item?.id ?? null
            if (item !== null) conversation.addMoment({ kind: "condition", at_second: at, seconds: null, condition })
            for (const { after, kind, seconds } of performance.markers) {
              conversation.addMoment({ kind, at_second: place(after), seconds, condition })
            }
            for (const { after, text } of performance.utterances) addTurn("testing_agent", text, place(after))
            paused += performance.pause
            const message = messageOf(performance)
            if (message !== "") conversation.addMessage({ speaker: "testing_agent", text: message })
          })

        /** The agent's response to the conversation so far. */
        const answer: Line["answer"] = Effect.gen(function* () {
          const since = yield* clock
          const reply = yield* chat
            .reply(chatEndpoint, {
              conversation: `run-${run}-${began}`,
              model: agent.assistantId ?? agent.name,
              messages: [...conversation.messages],
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
              broken("failed", `The agent's answer has ${lengthOf(text)} characters, which is more than ${maxAnswer}.`)
            )
          }
          const at = yield* clock
          const room = Math.max(0, MAX_TOOL_CALLS - conversation.toolCalls.length)
          for (const tool of reply.toolCalls.slice(0, room)) {
            conversation.addToolCall({
              id: tool.id === undefined ? undefined : storable(tool.id).slice(0, MAX_TOOL_NAME),
              name: storable(tool.name).slice(0, MAX_TOOL_NAME),
              arguments: storable(tool.arguments).slice(0, maxAnswer),
              result: tool.result === undefined ? undefined : storable(tool.result).slice(0, maxAnswer),
              succeeded: undefined,
              startTime: since,
              endTime: at
            })
          }
          addTurn("main_agent", text, at)
          conversation.addMessage({ speaker: "main_agent", text })
          return { text, endsCall: reply.endsCall }
        })

        const outcome = yield* conversation.converse({ answer, clock, say }).pipe(
          Effect.timeoutFail({
            duration: Duration.seconds(scenario.maxDuration),
            onTimeout: () => tookTooLong(scenario)
          }),
          Effect.match({
            onSuccess: (reason): PlayedRun["outcome"] => ({ is: "ended", reason }),
            onFailure: ({ is, reason }) => ({ is, reason })
          })
        )
        return conversation.played(outcome, yield* clock)
      })

    return RunExecutor.of({ channels: ["text"], play })
  })

export const layer = (config: TextExecutorConfig = {}) => Layer.effect(RunExecutor, make(config))
