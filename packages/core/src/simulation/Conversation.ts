/**
 * A conversation of the testing agent with an agent, on any channel: what the testing agent says next, and what is kept of it.
 */
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { ActionPart } from "../evaluators/ActionMarkup.js"
import type { ConditionalAction } from "../evaluators/ConditionalActions.js"
import type { LanguageModel } from "../language/LanguageModel.js"
import type { RunMoment } from "../results/RunDetail.js"
import type { ToolCall, Turn } from "../transcripts/Transcript.js"
import { type CallerQuestion, matchQuestion, phraseQuestion, speakQuestion, waitQuestion } from "./CallerQuestions.js"
import type { ChatMessage } from "./Chat.js"
import type { RunObserver } from "./LiveRun.js"
import type { PlayedRun } from "./RunExecutor.js"
import type { Scenario } from "./RunScript.js"
import {
  begin,
  choices,
  matchByWords,
  type Performance,
  perform,
  step,
  type TestingAgentState
} from "./TestingAgent.js"

/** Most characters of a run's conversation; far below the limit of transcripts. */
const MAX_CHARACTERS = 1_000_000

/** The testing agent's replies while no condition applies and no model is configured. */
const WAITING = ["I see.", "All right.", "Please go on."]

const NO_MODEL =
  "No language model is configured, and scenarios of this type are played by one. Configure a model, or write the scenario as conditional_actions."

/** A conversation that failed. */
export interface Broken {
  readonly _tag: "Broken"
  readonly is: "failed" | "timeout"
  readonly reason: string
}
export const broken = (is: Broken["is"], reason: string): Broken => ({ _tag: "Broken", is, reason })

/** A conversation that one side ended while the other spoke or listened. */
export interface Ended {
  readonly _tag: "Ended"
  readonly reason: string
}

/** The failure of a run that took longer than its scenario allows. */
export const tookTooLong = ({ maxDuration }: Scenario): Broken =>
  broken("timeout", `The run took longer than its ${maxDuration} seconds.`)

/** The testing agent's next turn. */
export interface AgentTurn {
  readonly performance: Performance
  readonly item: ConditionalAction | null
}

/** Where a conversation takes place. */
export interface Line {
  /** Performs a turn, and keeps it. */
  readonly say: (turn: AgentTurn) => Effect.Effect<void, Broken | Ended>
  /** The agent's response, which is kept. */
  readonly answer: Effect.Effect<Reply, Broken | Ended>
  /** Seconds from the start of the conversation. */
  readonly clock: Effect.Effect<number>
}

/** What an agent responded. */
export interface Reply {
  readonly text: string
  /** Whether it hangs up. */
  readonly endsCall: boolean
}

/** The message of an action: its words or, where it has none, its silence or hold. */
export const messageOf = ({ endsCall, markers, utterances }: Performance): string => {
  if (utterances.length > 0) return utterances.map(({ text }) => text).join(" ")
  const silent = markers.find(({ kind }) => kind === "silence" || kind === "hold")
  // A placeholder may have a blank value; an agent is never sent an empty message.
  return silent === undefined ? (endsCall ? "" : "[silence 0 s]") : `[${silent.kind} ${silent.seconds ?? 0} s]`
}

const spoken = (text: string, endsCall: boolean): Performance => ({
  utterances: text.trim() === "" ? [] : [{ text: text.trim(), after: 0 }],
  markers: [],
  pause: 0,
  endsCall
})

/** Texts of models and agents may contain characters that databases do not store. */
export const storable = (text: string): string => text.replaceAll("\0", "").toWellFormed()

export interface ConversationConfig {
  /** Most messages of the testing agent. */
  readonly maxMessages: number
  /** The longest text of a model in characters. */
  readonly maxText: number
  /** Called with each turn that is kept. */
  readonly onTurn?: RunObserver["turn"] | undefined
}

export interface Conversation {
  /** The messages so far, oldest first. */
  readonly messages: ReadonlyArray<ChatMessage>
  readonly toolCalls: ReadonlyArray<ToolCall>
  readonly addMessage: (message: ChatMessage) => void
  readonly addTurn: (turn: Turn) => void
  readonly addToolCall: (call: ToolCall) => void
  readonly addMoment: (moment: RunMoment) => void
  /** Converses to the end; the reason why the conversation ended. */
  readonly converse: (line: Line) => Effect.Effect<string, Broken>
  /** What was played, by the outcome of `converse`. */
  readonly played: (outcome: PlayedRun["outcome"], durationSeconds: number, recording?: Uint8Array) => PlayedRun
}

export const makeConversation = (
  scenario: Scenario,
  model: LanguageModel["Type"],
  { maxMessages, maxText, onTurn }: ConversationConfig
): Conversation => {
  const turns: Array<Turn> = []
  const toolCalls: Array<ToolCall> = []
  const moments: Array<RunMoment> = []
  const messages: Array<ChatMessage> = []
  let characters = 0

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
      const words = found.value.texts.map((text) => storable(text).slice(0, maxText))
      // If the model returns blank texts, the action's own words are used.
      if (words.some((text) => text.trim() === "")) return parts
      let place = 0
      return parts.map((part) =>
        part.kind === "speech" && part.text.trim() !== "" ? { ...part, text: ` ${words[place++] ?? part.text} ` } : part
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
  const next = (reply: Reply | undefined): Effect.Effect<AgentTurn | string, Broken> =>
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
        return yield* Effect.fail(broken("failed", "The testing agent's model: its answer does not match the schema."))
      }
      const { hang_up: hangsUp, message } = found.value
      const text = storable(message).slice(0, maxText)
      return text.trim() === "" && !hangsUp
        ? { item: null, performance: spoken(WAITING[0] ?? "", false) }
        : { item: null, performance: spoken(text, hangsUp) }
    })

  const converse = ({ answer, clock, say }: Line): Effect.Effect<string, Broken> =>
    Effect.gen(function* () {
      let reply: Reply | undefined
      for (let sent = 0; sent < maxMessages; sent++) {
        const turn = yield* next(reply)
        if (typeof turn === "string") return turn
        yield* say(turn)
        if ((yield* clock) > scenario.maxDuration) return yield* Effect.fail(tookTooLong(scenario))
        if (turn.performance.endsCall) {
          const isNoted = moments.at(-1)?.kind === "endcall"
          if (!isNoted) moments.push({ kind: "endcall", at_second: yield* clock, seconds: null, condition: null })
          return "testing_agent_ended_call"
        }
        reply = yield* answer
        if (reply.endsCall) return "main_agent_ended_call"
        if (characters > MAX_CHARACTERS) return "too_much_said"
      }
      return "too_many_messages"
    }).pipe(Effect.catchTag("Ended", ({ reason }) => Effect.succeed(reason)))

  return {
    messages,
    toolCalls,
    addMessage: (message) => {
      messages.push(message)
    },
    addTurn: (turn) => {
      turns.push(turn)
      onTurn?.(turn)
      characters += turn.content.length
    },
    addToolCall: (call) => {
      toolCalls.push(call)
      characters += call.name.length + call.arguments.length + (call.result?.length ?? 0)
    },
    addMoment: (moment) => {
      moments.push(moment)
    },
    converse,
    played: (outcome, durationSeconds, recording) => ({
      outcome,
      transcript: {
        _tag: "RawTranscript",
        // Turns that overlap are kept as they end.
        turns: turns.toSorted((a, b) => (a.startTime ?? 0) - (b.startTime ?? 0)),
        toolCalls
      },
      moments,
      voiceBehavior: null,
      durationSeconds,
      recording: recording ?? null
    })
  }
}
