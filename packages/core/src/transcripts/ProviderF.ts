import { isPlainObject } from "../kernel/Json.js"
import type { Decoder } from "./Decoder.js"
import { type TranscriptBuilder, makeTranscriptBuilder, type CallTime, relativeTime } from "./TranscriptBuilder.js"
import { MAX_TOOL_CALLS, MAX_TURNS } from "./Limits.js"
import {
  choiceOf,
  envelope,
  type PayloadErrors,
  jsonTextOf,
  listOf,
  optionalFlagOf,
  optionalListOf,
  optionalTextOf,
  readRow,
  type Row,
  secondsOf,
  textOf,
  joinPath
} from "./PayloadReader.js"
import type { Speaker } from "./Transcript.js"

const SPEAKERS: ReadonlyMap<string, Speaker> = new Map([
  ["agent", "main_agent"],
  ["user", "testing_agent"]
])

/**
 * `provider_f`: a list of `{role, message, time_in_call_secs, tool_calls, tool_results}` with the roles `agent` and
 * `user`, or the event `{type, data: {transcript}}` around it; the data alone will do.
 *
 * `time_in_call_secs` is the start of a turn; the format knows no ends. A row whose `message` is null, or
 * left out beside tools, only calls tools:
 * `tool_calls {request_id, tool_name, params_as_json}`, `tool_results {request_id, tool_name, result_value, is_error}`.
 * Source: the provider's public webhook.
 */
export const decode: Decoder = (input) => {
  const notes = makeTranscriptBuilder()
  const { errors: found } = notes
  const { path: root, rows } = locate(found, input)
  listOf(found, rows, root, MAX_TURNS).forEach((value, index) => {
    const path = `${root}[${index}]`
    readRow(found, value, path, (row) => {
      const speaker = choiceOf(found, row, "role", path, SPEAKERS)
      const at = relativeTime(secondsOf(found, row, "time_in_call_secs", path), joinPath(path, "time_in_call_secs"))
      const silent = row.message === null || (row.message === undefined && callsTools(row))
      const content = silent ? "" : textOf(found, row, "message", path)
      notes.addTurn({ speaker, content, start: at, end: undefined })
      readTools(notes, row, path, at)
    })
  })
  return notes.finish()
}

const callsTools = (row: Row): boolean => Array.isArray(row.tool_calls) || Array.isArray(row.tool_results)

const readTools = (notes: TranscriptBuilder, row: Row, path: string, at: CallTime | undefined): void => {
  const { errors: found } = notes
  optionalListOf(found, row, "tool_calls", path, MAX_TOOL_CALLS).forEach((value, index) => {
    const place = `${path}.tool_calls[${index}]`
    const call = envelope(found, value, place)
    if (call === undefined) return
    const id = optionalTextOf(found, call, "request_id", place)
    const name = textOf(found, call, "tool_name", place)
    const args = jsonTextOf(found, call, "params_as_json", place)
    notes.addToolCall({ id, name, arguments: args, at })
  })
  optionalListOf(found, row, "tool_results", path, MAX_TOOL_CALLS).forEach((value, index) => {
    const place = `${path}.tool_results[${index}]`
    const answer = envelope(found, value, place)
    if (answer === undefined) return
    const id = optionalTextOf(found, answer, "request_id", place)
    const name = optionalTextOf(found, answer, "tool_name", place)
    const result = jsonTextOf(found, answer, "result_value", place)
    const failed = optionalFlagOf(found, answer, "is_error", place)
    notes.addToolResult({ id, name, result, succeeded: failed === undefined ? undefined : !failed, at })
  })
}

const locate = (found: PayloadErrors, input: unknown): { readonly rows: unknown; readonly path: string } => {
  if (!isPlainObject(input)) return { rows: input, path: "" }
  envelope(found, input, "")
  if (!isPlainObject(input.data)) return { rows: input.transcript, path: "transcript" }
  envelope(found, input.data, "data")
  return { rows: input.data.transcript, path: "data.transcript" }
}
