import type { Decoder } from "./Decoder.js"
import { makeTranscriptBuilder, type CallTime, timeOf, readFunctionCalls } from "./TranscriptBuilder.js"
import { MAX_TURNS } from "./Limits.js"
import { choiceOf, type PayloadErrors, jsonTextOf, listOf, optionalTextOf, readRow, type Row, textOf } from "./PayloadReader.js"
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
 * The start of a turn is `start_time`, else `timestamp`; the end is `end_time`. Each is seconds from the start of the
 * call or an instant (see `momentOf`); instants become relative to the earliest one. Tool calls are rows
 * `tool_call {tool_call_id, name, arguments}` with `tool_call_result {tool_call_id, result}`, or, as models write them,
 * `tool_calls` in an assistant's row with `tool {tool_call_id, content}`. `system` and `developer` rows are passed over.
 */
export const decode: Decoder = (input) => {
  const notes = makeTranscriptBuilder()
  const { errors: found } = notes
  listOf(found, input, "", MAX_TURNS).forEach((value, index) => {
    const path = `[${index}]`
    readRow(found, value, path, (row) => {
      const kind = choiceOf(found, row, "role", path, KINDS)
      if (kind === "not_speech") return
      const start = startOf(found, row, path)
      if (kind === "tool_call") {
        const id = toolIdOf(found, row, path)
        const name = textOf(found, row, row.name === undefined ? "function_name" : "name", path)
        const args = jsonTextOf(found, row, "arguments", path)
        notes.addToolCall({ id, name, arguments: args, at: start })
      } else if (kind === "tool_call_result") {
        const id = toolIdOf(found, row, path)
        const name = optionalTextOf(found, row, row.name === undefined ? "function_name" : "name", path)
        const result = jsonTextOf(found, row, row.result === undefined ? "content" : "result", path)
        notes.addToolResult({ id, name, result, succeeded: undefined, at: start })
      } else {
        readFunctionCalls(notes, row, "tool_calls", path, start)
        // A row that only calls tools says nothing.
        const content = Array.isArray(row.tool_calls)
          ? (optionalTextOf(found, row, "content", path) ?? "")
          : textOf(found, row, "content", path)
        const end = timeOf(found, row, "end_time", path)
        notes.addTurn({ speaker: kind, content, start, end })
      }
    })
  })
  return notes.finish()
}

const startOf = (found: PayloadErrors, row: Row, path: string): CallTime | undefined => {
  const start = timeOf(found, row, "start_time", path)
  const timestamp = timeOf(found, row, "timestamp", path)
  return start ?? timestamp
}

const toolIdOf = (found: PayloadErrors, row: Row, path: string): string | undefined =>
  optionalTextOf(found, row, row.tool_call_id === undefined ? "id" : "tool_call_id", path)
