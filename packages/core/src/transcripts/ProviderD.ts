import type { Decoder } from "./Decoder.js"
import { makeTranscriptBuilder, type CallTime, timeOf, readFunctionCalls } from "./TranscriptBuilder.js"
import {
  choiceOf,
  jsonTextOf,
  optionalTextOf,
  type PayloadErrors,
  readRows,
  type Row,
  textOf
} from "./PayloadReader.js"
import type { Speaker } from "./Transcript.js"

type Kind = Speaker | "tool_call" | "tool_call_result" | "not_speech"

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["assistant", "main_agent"],
  ["user", "testing_agent"],
  ["tool_call", "tool_call"],
  ["tool_call_result", "tool_call_result"],
  // What a language model's context calls the result of a tool.
  ["tool", "tool_call_result"],
  // The instructions given to the model.
  ["system", "not_speech"],
  ["developer", "not_speech"]
])

/**
 * `provider_d`: a list of `{role, content}` with the roles `user` and `assistant`, as a voice pipeline collects it.
 *
 * The start of a turn is `start_time`, otherwise `timestamp`; the end is `end_time`. Each is seconds from the start of the
 * call or an instant (see `timeOf`); instants become relative to the earliest one. Tool calls are rows
 * `tool_call {tool_call_id, name, arguments}` with `tool_call_result {tool_call_id, result}`, or, as models write them,
 * `tool_calls` in an assistant's row with `tool {tool_call_id, content}`. `system` and `developer` rows are ignored.
 */
export const decode: Decoder = (input) => {
  const builder = makeTranscriptBuilder()
  const { errors } = builder
  readRows(errors, input, "", (row, path) => {
    const kind = choiceOf(errors, row, "role", path, KINDS)
    if (kind === "not_speech") return
    const start = startOf(errors, row, path)
    if (kind === "tool_call") {
      const id = toolIdOf(errors, row, path)
      const name = textOf(errors, row, row.name === undefined ? "function_name" : "name", path)
      const args = jsonTextOf(errors, row, "arguments", path)
      builder.addToolCall({ id, name, arguments: args, at: start })
    } else if (kind === "tool_call_result") {
      const id = toolIdOf(errors, row, path)
      const name = optionalTextOf(errors, row, row.name === undefined ? "function_name" : "name", path)
      const result = jsonTextOf(errors, row, row.result === undefined ? "content" : "result", path)
      builder.addToolResult({ id, name, result, succeeded: undefined, at: start })
    } else {
      readFunctionCalls(builder, row, "tool_calls", path, start)
      // A row with tool calls may have no content.
      const content = Array.isArray(row.tool_calls)
        ? (optionalTextOf(errors, row, "content", path) ?? "")
        : textOf(errors, row, "content", path)
      const end = timeOf(errors, row, "end_time", path)
      builder.addTurn({ speaker: kind, content, start, end })
    }
  })
  return builder.finish()
}

const startOf = (errors: PayloadErrors, row: Row, path: string): CallTime | undefined => {
  const start = timeOf(errors, row, "start_time", path)
  const timestamp = timeOf(errors, row, "timestamp", path)
  return start ?? timestamp
}

const toolIdOf = (errors: PayloadErrors, row: Row, path: string): string | undefined =>
  optionalTextOf(errors, row, row.tool_call_id === undefined ? "id" : "tool_call_id", path)
