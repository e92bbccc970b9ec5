import { isPlainObject } from "../kernel/Json.js"
import type { Decoder } from "./Decoder.js"
import { makeTranscriptBuilder, relativeTime } from "./TranscriptBuilder.js"
import { MAX_TURNS, MAX_WORDS } from "./Limits.js"
import {
  envelope,
  hasAnyKey,
  joinPath,
  jsonTextOf,
  optionalFlagOf,
  optionalListOf,
  optionalTextOf,
  type PayloadErrors,
  readRows,
  type Row,
  rowsOrNone,
  secondsOf,
  textOf,
  wordOf,
  wordTimesOf
} from "./PayloadReader.js"
import type { Speaker, Word } from "./Transcript.js"
import { fromMilliseconds, timingOf, type TimingStage, type TurnTiming } from "./TurnTiming.js"

type Kind = Speaker | "tool_call_invocation" | "tool_call_result" | "not_speech"

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["agent", "main_agent"],
  ["user", "testing_agent"],
  // A person that the agent transfers the call to.
  ["transfer_target", "testing_agent"],
  ["tool_call_invocation", "tool_call_invocation"],
  ["tool_call_result", "tool_call_result"],
  ["node_transition", "not_speech"],
  ["dtmf", "not_speech"],
  ["sms", "not_speech"],
  // Context injected by the developer during the call; not speech.
  ["injected", "not_speech"]
])

/**
 * `provider_b`: a list of `{role, content, words: [{word, start, end}]}`, or the event `{event, call}` around it, where
 * `call.transcript_with_tool_calls` is read before `call.transcript_object`; or the call alone.
 *
 * A turn lasts from its first word to its last; without words its times are unknown. The speakers are `agent`, `user`
 * and `transfer_target`. A call without a list, as of an event that is sent before its end, has no turns. `tool_call_invocation` and `tool_call_result` become tool calls (`time_sec` is their time);
 * `node_transition`, `dtmf`, `sms` and `injected` rows are ignored. `latency` of the call has the timings of answers.
 * Source: the provider's public webhook.
 */
export const decode: Decoder = (input) => {
  const builder = makeTranscriptBuilder()
  const { errors } = builder
  const { path: root, recognized, rows, timings } = locate(errors, input)
  readRows(errors, rows, root, (row, path) => {
    const kind = builder.kindOf(row, "role", path, KINDS)
    if (kind === undefined || kind === "not_speech") return
    if (kind === "tool_call_invocation") {
      const id = optionalTextOf(errors, row, "tool_call_id", path)
      const name = textOf(errors, row, "name", path)
      const args = jsonTextOf(errors, row, "arguments", path)
      const at = relativeTime(secondsOf(errors, row, "time_sec", path), joinPath(path, "time_sec"))
      builder.addToolCall({ id, name, arguments: args, at })
    } else if (kind === "tool_call_result") {
      const id = optionalTextOf(errors, row, "tool_call_id", path)
      const result = jsonTextOf(errors, row, "content", path)
      const succeeded = optionalFlagOf(errors, row, "successful", path)
      const at = relativeTime(secondsOf(errors, row, "time_sec", path), joinPath(path, "time_sec"))
      builder.addToolResult({ id, name: undefined, result, succeeded, at })
    } else {
      const content = textOf(errors, row, "content", path)
      const words = wordsOf(errors, row, path)
      const { endTime, startTime } = wordTimesOf(words)
      const place = joinPath(path, "words")
      builder.addTurn({
        speaker: kind,
        content,
        start: relativeTime(startTime, place),
        end: relativeTime(endTime, place),
        words
      })
    }
  })
  builder.addAnswerTimings(timings)
  return builder.finish({ recognized })
}

/** The keys of the provider's call objects. */
const CALL_KEYS = ["call_id", "call_status", "agent_id", "call_type", "disconnection_reason"]

interface Located {
  readonly rows: unknown
  readonly path: string
  readonly recognized: boolean
  readonly timings: ReadonlyArray<TurnTiming | undefined>
}

const locate = (errors: PayloadErrors, input: unknown): Located => {
  if (!isPlainObject(input)) return { rows: input, path: "", recognized: false, timings: [] }
  envelope(errors, input, "")
  const wrapped = isPlainObject(input.call)
  const call = isPlainObject(input.call) ? input.call : input
  const path = wrapped ? "call" : ""
  envelope(errors, call, path)
  const key = Array.isArray(call.transcript_with_tool_calls) ? "transcript_with_tool_calls" : "transcript_object"
  const recognized = hasAnyKey(call, CALL_KEYS)
  const timings = timingsIn(call.latency)
  return { rows: rowsOrNone(call[key], recognized), path: joinPath(path, key), recognized, timings }
}

const STAGES: ReadonlyArray<readonly [TimingStage, string]> = [
  ["speech_to_text", "asr"],
  ["model_first_token", "llm"],
  ["text_to_speech_first_byte", "tts"],
  ["end_to_end", "e2e"]
]

/** `latency`: for each stage `{p50, ..., values}`, whose values are milliseconds in the order of the answers. */
const timingsIn = (latency: unknown): ReadonlyArray<TurnTiming | undefined> => {
  if (!isPlainObject(latency)) return []
  const stages = STAGES.flatMap(([stage, name]) => {
    const measured = latency[name]
    const values: unknown = isPlainObject(measured) ? measured.values : undefined
    return Array.isArray(values) ? [{ stage, values: values.slice(0, MAX_TURNS), source: `latency.${name}` }] : []
  })
  return Array.from({ length: Math.max(0, ...stages.map(({ values }) => values.length)) }, (_, position) =>
    timingOf(stages.map(({ source, stage, values }) => [stage, fromMilliseconds(values[position]), source] as const))
  )
}

const wordsOf = (errors: PayloadErrors, row: Row, path: string): ReadonlyArray<Word> => {
  const words: Array<Word> = []
  optionalListOf(errors, row, "words", path, MAX_WORDS).forEach((value, index) => {
    const place = `${path}.words[${index}]`
    const given = envelope(errors, value, place)
    const word = given === undefined ? undefined : wordOf(errors, given, place, ["word"])
    if (word !== undefined) words.push(word)
  })
  return words
}
