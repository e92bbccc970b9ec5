/** The call that spans are parts of. Pure: the order in which the spans arrived makes no difference. */
import * as Either from "effect/Either"
import type { JsonObject } from "../kernel/Json.js"
import type { Platform } from "../platforms/Platform.js"
import { LATEST_EPOCH_MILLISECONDS, MAX_CALL_SECONDS } from "../transcripts/Limits.js"
import { type CallTime, makeTranscriptBuilder } from "../transcripts/TranscriptBuilder.js"
import type { RawTranscript, Speaker } from "../transcripts/Transcript.js"
import { timingOf, type TimingStage, type TurnTiming } from "../transcripts/TurnTiming.js"
import { callIdOf } from "./TraceKeys.js"
import type { TracedFacts, TracedTool, TracePart, TraceSource } from "./TracePart.js"

/** What the spans of a call state about it. */
export interface AssembledCall {
  readonly source: TraceSource
  /** The platform whose library made the spans; undefined for general conventions. */
  readonly platform: Platform | undefined
  readonly callId: string
  /** What may be the platform's id of the agent, the most specific first. */
  readonly assistantIds: ReadonlyArray<string>
  readonly traceId: string
  /** Milliseconds since 1970; undefined if no span has a valid time. */
  readonly startedAt: number | undefined
  readonly durationSeconds: number | undefined
  readonly endedReason: string | undefined
  readonly customerNumber: string | undefined
  /** Undefined without a turn or a tool call. */
  readonly transcript: RawTranscript | undefined
  /** Why the spans make no transcript. */
  readonly transcriptError: string | undefined
  readonly details: JsonObject
}

export const PLATFORMS: Readonly<Record<TraceSource, Platform | undefined>> = {
  livekit: "provider_e",
  pipecat: "provider_d",
  gen_ai: undefined
}

const EARLIEST_MILLIS = 1e11

const isInstant = (millis: number): boolean => millis > EARLIEST_MILLIS && millis <= LATEST_EPOCH_MILLISECONDS

const timeOf = (millis: number | undefined): CallTime | undefined =>
  millis === undefined || !isInstant(millis) ? undefined : { clock: "epoch", seconds: millis / 1000, path: "spans" }

/** A turn, where it belongs by time, and when it was spoken as far as that is known. */
interface SpokenTurn {
  readonly at: number
  readonly speaker: Speaker
  readonly content: string
  readonly start: number | undefined
  readonly end: number | undefined
  readonly timing: TurnTiming | undefined
}

interface CalledTool extends TracedTool {
  readonly start: number
  readonly end: number | undefined
}

interface Conversation {
  readonly turns: ReadonlyArray<SpokenTurn>
  readonly tools: ReadonlyArray<CalledTool>
}

const byTime = (one: TracePart, other: TracePart): number =>
  one.start - other.start || one.end - other.end || (one.span < other.span ? -1 : one.span > other.span ? 1 : 0)

/** The parts below each part, by its span, however deep; a circle of parents ends. */
const descendantsIn = (parts: ReadonlyArray<TracePart>): ((part: TracePart) => ReadonlyArray<TracePart>) => {
  const children = new Map<string, Array<TracePart>>()
  for (const part of parts) {
    if (part.parent === undefined) continue
    const siblings = children.get(part.parent)
    if (siblings === undefined) children.set(part.parent, [part])
    else siblings.push(part)
  }
  return (part) => {
    const found = new Set<TracePart>()
    const waiting = [part.span]
    for (let span = waiting.pop(); span !== undefined; span = waiting.pop()) {
      for (const child of children.get(span) ?? []) {
        if (found.has(child)) continue
        found.add(child)
        waiting.push(child.span)
      }
    }
    return [...found].toSorted(byTime)
  }
}

const ofKind = (parts: ReadonlyArray<TracePart>, kind: TracePart["kind"]): ReadonlyArray<TracePart> =>
  parts.filter((part) => part.kind === kind)

const textsOf = (parts: ReadonlyArray<TracePart>, separator: string): string =>
  parts.flatMap(({ text }) => (text === undefined ? [] : [text])).join(separator)

const earliest = (parts: ReadonlyArray<TracePart>): number | undefined =>
  parts.length === 0 ? undefined : parts.reduce((least, { start }) => Math.min(least, start), Infinity)

const latest = (parts: ReadonlyArray<TracePart>): number | undefined =>
  parts.length === 0 ? undefined : parts.reduce((most, { end }) => Math.max(most, end), 0)

type Stage = Extract<TimingStage, keyof TracePart>

/** The first measurement of a stage among some parts. */
const measured = (
  stage: Stage,
  parts: ReadonlyArray<TracePart>,
  source: string
): readonly [TimingStage, unknown, string] => [stage, parts.find((part) => part[stage] !== undefined)?.[stage], source]

/** The time that the tools of a turn took together. */
const toolTime = (parts: ReadonlyArray<TracePart>): readonly [TimingStage, unknown, string] => {
  const tools = ofKind(parts, "tool")
  const millis = tools.reduce((sum, { end, start }) => sum + (end - start), 0)
  return ["tool", tools.length === 0 ? undefined : millis / 1000, "function_tool"]
}

const calledTools = (parts: ReadonlyArray<TracePart>): ReadonlyArray<CalledTool> =>
  ofKind(parts, "tool").flatMap(({ end, start, tools = [] }) => tools.map((tool) => ({ ...tool, start, end })))

/** Longest distance in milliseconds between a turn and speech that belongs to it without being below it. */
const NEAR_MILLIS = 50

/**
 * When somebody spoke in a turn: the speech below it; in traces where speech is beside the turns, the speech that begins
 * within it.
 */
const speechOf = (
  turn: TracePart,
  below: ReadonlyArray<TracePart>,
  loose: ReadonlyArray<TracePart>
): ReadonlyArray<TracePart> =>
  below.length > 0
    ? below
    : loose.filter(({ start }) => start >= turn.start - NEAR_MILLIS && start <= turn.end + NEAR_MILLIS)

const liveKit = (parts: ReadonlyArray<TracePart>): Conversation => {
  const below = descendantsIn(parts)
  const turns = parts.filter(({ kind }) => kind === "user_turn" || kind === "agent_turn")
  const owned = new Set(turns.flatMap(below))
  const loose = (kind: TracePart["kind"]) => ofKind(parts, kind).filter((part) => !owned.has(part))
  const looseSpeech = { user_turn: loose("user_speech"), agent_turn: loose("agent_speech") } as const
  return {
    turns: turns.flatMap((turn): ReadonlyArray<SpokenTurn> => {
      const inside = below(turn)
      if (turn.kind === "user_turn") {
        const speech = speechOf(turn, ofKind(inside, "user_speech"), looseSpeech.user_turn)
        const wait = turn.endpointing
        return [
          {
            at: turn.start,
            speaker: "testing_agent",
            content: turn.text ?? "",
            start: earliest(speech) ?? turn.start,
            // The span ends when the turn is taken to be over.
            end: latest(speech) ?? (wait === undefined ? undefined : Math.max(turn.start, turn.end - wait * 1000)),
            timing: timingOf([
              measured("endpointing", [turn], "lk.end_of_turn_delay"),
              measured("speech_to_text", [turn], "lk.transcription_delay")
            ])
          }
        ]
      }
      const speech = speechOf(turn, ofKind(inside, "agent_speech"), looseSpeech.agent_turn)
      const models = ofKind(inside, "model")
      const synthesis = ofKind(inside, "speech")
      return [
        {
          at: earliest(speech) ?? turn.start,
          speaker: "main_agent",
          content: turn.text ?? (textsOf(models, "\n") || textsOf(synthesis, " ")),
          // The span begins with the request to the model, not with the speech.
          start: earliest(speech),
          end: latest(speech),
          timing: timingOf([
            measured("model_first_token", models, "lk.response.ttft"),
            measured("text_to_speech_first_byte", synthesis, "lk.response.ttfb"),
            toolTime(inside),
            measured("end_to_end", [turn], "lk.e2e_latency")
          ])
        }
      ]
    }),
    tools: calledTools(parts)
  }
}

/** The turn that a part is in, which is above it or, where parents are missing, the last to begin before it. */
const pipecat = (parts: ReadonlyArray<TracePart>): Conversation => {
  const below = descendantsIn(parts)
  const turns = ofKind(parts, "turn")
  const spoken = new Map<TracePart | undefined, Array<TracePart>>()
  const owner = new Map(turns.flatMap((turn) => below(turn).map((part) => [part, turn] as const)))
  for (const part of parts) {
    if (part.kind !== "speech_to_text" && part.kind !== "speech" && part.kind !== "model" && part.kind !== "tool")
      continue
    const turn = owner.get(part) ?? turns.findLast(({ start }) => start <= part.start)
    const list = spoken.get(turn)
    if (list === undefined) spoken.set(turn, [part])
    else list.push(part)
  }
  return {
    turns: [...spoken].flatMap(([turn, inside]): ReadonlyArray<SpokenTurn> => {
      const transcribed = ofKind(inside, "speech_to_text")
      const synthesis = ofKind(inside, "speech")
      const models = ofKind(inside, "model")
      const first = synthesis[0]
      const agentStart = first === undefined ? undefined : first.start + (first.text_to_speech_first_byte ?? 0) * 1000
      const latency = turn?.end_to_end
      const userEnd = agentStart === undefined || latency === undefined ? undefined : agentStart - latency * 1000
      const userStart = earliest(transcribed)
      return [
        {
          at: userStart ?? turn?.start ?? 0,
          speaker: "testing_agent",
          content: textsOf(transcribed, " "),
          // The span of a transcription begins when it is final, so the beginning of the speech is not known.
          start: undefined,
          end: userEnd ?? userStart,
          timing: timingOf([measured("speech_to_text", transcribed, "metrics.ttfb")])
        },
        {
          at: agentStart ?? earliest(models) ?? turn?.start ?? 0,
          speaker: "main_agent",
          content: textsOf(synthesis, " ") || textsOf(models, "\n"),
          start: agentStart,
          end: undefined,
          timing: timingOf([
            measured("model_first_token", models, "metrics.ttfb"),
            measured("text_to_speech_first_byte", synthesis, "metrics.ttfb"),
            toolTime(inside),
            measured("end_to_end", turn === undefined ? [] : [turn], "turn.user_bot_latency_seconds")
          ])
        }
      ]
    }),
    tools: calledTools(parts)
  }
}

const genAi = (parts: ReadonlyArray<TracePart>): Conversation => {
  const chats = ofKind(parts, "chat")
  const executed = calledTools(parts)
  const known = new Set(executed.flatMap(({ id }) => (id === undefined ? [] : [id])))
  return {
    turns: chats.flatMap((chat) =>
      (chat.messages ?? []).map(({ role, text }): SpokenTurn =>
        role === "user"
          ? {
              at: chat.start,
              speaker: "testing_agent",
              content: text,
              start: undefined,
              end: chat.start,
              timing: undefined
            }
          : {
              at: chat.end,
              speaker: "main_agent",
              content: text,
              start: undefined,
              end: undefined,
              timing: timingOf([measured("model_first_token", [chat], "gen_ai.response.time_to_first_chunk")])
            }
      )
    ),
    tools: [
      ...executed,
      ...chats.flatMap(({ start, end, tools = [] }) =>
        tools.flatMap((tool) =>
          tool.id !== undefined && known.has(tool.id)
            ? []
            : [{ ...tool, start: tool.result === undefined ? end : start, end: undefined }]
        )
      )
    ]
  }
}

const CONVERSATIONS: Readonly<Record<TraceSource, (parts: ReadonlyArray<TracePart>) => Conversation>> = {
  livekit: liveKit,
  pipecat,
  gen_ai: genAi
}

const transcriptOf = (
  { tools, turns }: Conversation,
  startedAt: number | undefined
): Either.Either<RawTranscript, string> => {
  const builder = makeTranscriptBuilder()
  for (const turn of turns.toSorted((one, other) => one.at - other.at)) {
    const start = timeOf(turn.start)
    const end = timeOf(turn.end)
    // A reversed range is two measurements that do not agree.
    const isReversed = start !== undefined && end !== undefined && end.seconds < start.seconds
    builder.addTurn({ ...turn, start, end: isReversed ? undefined : end })
  }
  for (const tool of tools.toSorted((one, other) => one.start - other.start)) {
    const { failed, id, name, result } = tool
    if (name !== "" || result === undefined) {
      builder.addToolCall({ id, name, arguments: tool.arguments, at: timeOf(tool.start) })
    }
    if (result !== undefined) {
      const at = timeOf(tool.end ?? tool.start)
      builder.addToolResult({
        id,
        name: name === "" ? undefined : name,
        result,
        succeeded: failed === undefined ? undefined : !failed,
        at
      })
    }
  }
  const callStart = startedAt === undefined ? undefined : startedAt / 1000
  return Either.mapLeft(builder.finish({ callStart, recognized: true }), (errors) =>
    Object.values(errors).flat().join(" ")
  )
}

/** What the parts state, of each field the first value in their order. */
const factsOf = (parts: ReadonlyArray<TracePart>): TracedFacts & { readonly assistantIds: ReadonlyArray<string> } => {
  const all = parts.flatMap(({ facts }) => (facts === undefined ? [] : [facts]))
  const first = (key: Exclude<keyof TracedFacts, "assistantIds">) =>
    all.find((facts) => facts[key] !== undefined)?.[key]
  const lists = all.map(({ assistantIds = [] }) => assistantIds)
  const longest = lists.reduce((most, { length }) => Math.max(most, length), 0)
  const ids = Array.from({ length: longest }, (_, place) =>
    lists.flatMap((list) => list.slice(place, place + 1))
  ).flat()
  return {
    callId: first("callId"),
    customerNumber: first("customerNumber"),
    endedReason: first("endedReason"),
    roomName: first("roomName"),
    direction: first("direction"),
    model: first("model"),
    assistantIds: [...new Set(ids)].slice(0, MAX_ASSISTANT_IDS)
  }
}

/** Names that are tried to find the agent. */
const MAX_ASSISTANT_IDS = 10

const SOURCES: ReadonlyArray<TraceSource> = ["livekit", "pipecat", "gen_ai"]

/** The call of some parts, of which there is at least one. The parts of the most specific conventions count. */
export const assembleCall = (given: ReadonlyArray<TracePart>): AssembledCall | undefined => {
  const source = SOURCES.find((one) => given.some((part) => part.source === one))
  const parts = given.filter((part) => part.source === source).toSorted(byTime)
  const [first] = parts
  if (source === undefined || first === undefined) return undefined
  const facts = factsOf(parts)
  const timed = parts.filter(({ start }) => isInstant(start))
  const sessions = ofKind(timed, "session")
  const startedAt = earliest(sessions) ?? earliest(timed)
  const ended = sessions.length === 0 || source === "gen_ai" ? undefined : latest(sessions)
  const seconds = startedAt === undefined || ended === undefined ? undefined : (ended - startedAt) / 1000
  const conversation = CONVERSATIONS[source](parts)
  const transcript = transcriptOf(conversation, startedAt)
  const raw = Either.getOrUndefined(transcript)
  const hasContent = raw !== undefined && (raw.turns.length > 0 || raw.toolCalls.length > 0)
  return {
    source,
    platform: PLATFORMS[source],
    callId: callIdOf(facts.callId ?? first.trace),
    assistantIds: facts.assistantIds,
    traceId: first.trace,
    startedAt: startedAt === undefined ? undefined : Math.round(startedAt),
    durationSeconds:
      seconds === undefined || seconds > MAX_CALL_SECONDS ? undefined : Math.round(seconds * 1000) / 1000,
    endedReason: facts.endedReason,
    customerNumber: facts.customerNumber,
    transcript: hasContent ? raw : undefined,
    transcriptError: Either.getOrUndefined(Either.flip(transcript)),
    details: {
      traces: [...new Set(parts.map(({ trace }) => trace))].slice(0, MAX_TRACE_IDS),
      ...(facts.roomName === undefined ? {} : { room: facts.roomName }),
      ...(facts.direction === undefined ? {} : { direction: facts.direction })
    }
  }
}

/** Ids of traces that are kept in the metadata. */
const MAX_TRACE_IDS = 10
