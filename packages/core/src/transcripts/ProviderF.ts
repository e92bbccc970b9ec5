import { isPlainObject } from "../kernel/Json.js"
import type { Decoder } from "./Decoder.js"
import { type TranscriptBuilder, makeTranscriptBuilder, type CallTime, relativeTime } from "./TranscriptBuilder.js"
import { MAX_TOOL_CALLS } from "./Limits.js"
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
  textOf
} from "./PayloadReader.js"
import type { Speaker } from "./Transcript.js"
import { isStageTime, timingOf, type TimingStage, type TurnTiming } from "./TurnTiming.js"

const SPEAKERS: ReadonlyMap<string, Speaker> = new Map([
  ["agent", "main_agent"],
  ["user", "testing_agent"]
])

/**
 * `provider_f`: a list of `{role, message, time_in_call_secs, tool_calls, tool_results}` with the roles `agent` and
 * `user`, or the event `{type, data: {transcript}}` around it; or the data alone; or `{simulated_conversation}`. An event
 * without a transcript, as of an audio file or of a call that failed, has no turns.
 *
 * `time_in_call_secs` is the start of a turn; the format has no ends. A row whose `message` is null, or
 * left out beside tools, only calls tools:
 * `tool_calls {request_id, tool_name, params_as_json}`, `tool_results {request_id, tool_name, result_value, is_error}`.
 * Timings are `conversation_turn_metrics` and the latencies of tools. A row without a message has no turn, and its timing is
 * that of the next turn of the agent.
 * Source: the provider's public webhook.
 */
export const decode: Decoder = (input) => {
  const builder = makeTranscriptBuilder()
  const { errors } = builder
  const { path: root, recognized, rows } = locate(errors, input)
  readRows(errors, rows, root, (row, path) => {
    const speaker = builder.kindOf(row, "role", path, SPEAKERS)
    if (speaker === undefined) return
    const at = relativeTime(secondsOf(errors, row, "time_in_call_secs", path), joinPath(path, "time_in_call_secs"))
    const silent = row.message === null || (row.message === undefined && callsTools(row))
    const content = silent ? "" : textOf(errors, row, "message", path)
    builder.addTurn({ speaker, content, start: at, end: undefined, timing: timingIn(row) })
    readTools(builder, row, path, at)
  })
  return builder.finish({ recognized })
}

const STAGES: ReadonlyArray<readonly [TimingStage, string]> = [
  ["speech_to_text", "convai_asr_trailing_service_latency"],
  ["model_first_token", "convai_llm_service_ttfb"],
  ["text_to_speech_first_byte", "convai_tts_service_ttfb"]
]

/** `conversation_turn_metrics.metrics` (before mid 2025 without `metrics`), and `tool_latency_secs` of the tools' results. */
const timingIn = (row: Row): TurnTiming | undefined => {
  const measured = row.conversation_turn_metrics
  const metrics = isPlainObject(measured) && isPlainObject(measured.metrics) ? measured.metrics : measured
  const elapsed = (name: string): unknown => {
    const one = isPlainObject(metrics) ? metrics[name] : undefined
    return isPlainObject(one) ? one.elapsed_time : undefined
  }
  const results: ReadonlyArray<unknown> = Array.isArray(row.tool_results) ? row.tool_results : []
  const tools = results.flatMap((result) => {
    const seconds = isPlainObject(result) ? result.tool_latency_secs : undefined
    return isStageTime(seconds) ? [seconds] : []
  })
  return timingOf([
    ...STAGES.map(([stage, name]) => [stage, elapsed(name), name] as const),
    ["tool", tools.length === 0 ? undefined : tools.reduce((sum, seconds) => sum + seconds, 0), "tool_latency_secs"]
  ])
}

const callsTools = (row: Row): boolean => Array.isArray(row.tool_calls) || Array.isArray(row.tool_results)

const readTools = (builder: TranscriptBuilder, row: Row, path: string, at: CallTime | undefined): void => {
  const { errors } = builder
  optionalListOf(errors, row, "tool_calls", path, MAX_TOOL_CALLS).forEach((value, index) => {
    const place = `${path}.tool_calls[${index}]`
    const call = envelope(errors, value, place)
    if (call === undefined) return
    const id = optionalTextOf(errors, call, "request_id", place)
    const name = textOf(errors, call, "tool_name", place)
    const args = jsonTextOf(errors, call, "params_as_json", place)
    builder.addToolCall({ id, name, arguments: args, at })
  })
  optionalListOf(errors, row, "tool_results", path, MAX_TOOL_CALLS).forEach((value, index) => {
    const place = `${path}.tool_results[${index}]`
    const outcome = envelope(errors, value, place)
    if (outcome === undefined) return
    const id = optionalTextOf(errors, outcome, "request_id", place)
    const name = optionalTextOf(errors, outcome, "tool_name", place)
    const result = jsonTextOf(errors, outcome, "result_value", place)
    const failed = optionalFlagOf(errors, outcome, "is_error", place)
    builder.addToolResult({ id, name, result, succeeded: failed === undefined ? undefined : !failed, at })
  })
}

interface Located {
  readonly rows: unknown
  readonly path: string
  readonly recognized: boolean
}

/** The keys of the provider's conversations. */
const CONVERSATION_KEYS = ["conversation_id", "agent_id", "full_audio", "failure_reason"]

const locate = (errors: PayloadErrors, input: unknown): Located => {
  if (!isPlainObject(input)) return { rows: input, path: "", recognized: false }
  envelope(errors, input, "")
  const wrapped = isPlainObject(input.data)
  const data = isPlainObject(input.data) ? input.data : input
  const path = wrapped ? "data" : ""
  envelope(errors, data, path)
  const key = Array.isArray(data.simulated_conversation) ? "simulated_conversation" : "transcript"
  const recognized = hasAnyKey(data, CONVERSATION_KEYS)
  return { rows: rowsOrNone(data[key], recognized), path: joinPath(path, key), recognized }
}
