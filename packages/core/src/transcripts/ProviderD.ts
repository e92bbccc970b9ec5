import * as Either from "effect/Either"
import { isPlainObject } from "../kernel/Json.js"
import type { Decoder } from "./Decoder.js"
import {
  makeTranscriptBuilder,
  type CallTime,
  timeOf,
  readFunctionCalls,
  type TranscriptBuilder
} from "./TranscriptBuilder.js"
import {
  contentOf,
  envelope,
  hasAnyKey,
  jsonTextOf,
  optionalTextOf,
  type PayloadErrors,
  readRows,
  type Row,
  rowsOrNone,
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
 * `provider_d`: a list of `{role, content}` with the roles `user` and `assistant`, as a voice pipeline collects it; or an
 * object with the list under `messages` or `transcript`. A content may be a list of parts, or null for nothing said.
 *
 * The start of a turn is `start_time`, otherwise `timestamp`; the end is `end_time`. Each is seconds from the start of the
 * call or an instant (see `timeOf`); instants become relative to the earliest one. Tool calls are rows
 * `tool_call {tool_call_id, name, arguments}` with `tool_call_result {tool_call_id, result}`, also with these keys under
 * `data`; or, as models write them, `tool_calls` in an assistant's row with `tool {tool_call_id, content}`. The result of
 * an asynchronous tool is a `developer` row whose content is the JSON text `{type: "async_tool", status: "finished",
 * tool_call_id, result}`; the rows that announce it are no results. All other `system` and `developer` rows are ignored.
 * Source: the library's public context messages.
 */
export const decode: Decoder = (input) => {
  const builder = makeTranscriptBuilder()
  const { errors } = builder
  const { path: root, recognized, rows } = locate(errors, input)
  readRows(errors, rows, root, (row, path) => {
    const kind = builder.kindOf(row, "role", path, KINDS)
    if (kind === undefined) return
    const start = startOf(errors, row, path)
    if (kind === "not_speech") readAsyncResult(builder, row, path, start)
    else if (kind === "tool_call") readToolCall(builder, row, path, start)
    else if (kind === "tool_call_result") readToolResult(builder, row, path, start)
    else {
      readFunctionCalls(builder, row, "tool_calls", path, start)
      // A row with tool calls may have no content, and one of audio has none if it was not transcribed.
      const isSilent = row.content === null || (row.content === undefined && Array.isArray(row.tool_calls))
      const content = isSilent ? "" : contentOf(errors, row, path)
      const end = timeOf(errors, row, "end_time", path)
      builder.addTurn({ speaker: kind, content, start, end })
    }
  })
  return builder.finish({ recognized })
}

/** The keys of an envelope, and of bodies that list messages. */
const ENVELOPE_KEYS = ["call_id", "session_id", "sessionId", "conversation_id"]

interface Located {
  readonly rows: unknown
  readonly path: string
  readonly recognized: boolean
}

const locate = (errors: PayloadErrors, input: unknown): Located => {
  if (!isPlainObject(input)) return { rows: input, path: "", recognized: false }
  envelope(errors, input, "")
  const recognized = hasAnyKey(input, ENVELOPE_KEYS)
  const key = input.messages === undefined && input.transcript !== undefined ? "transcript" : "messages"
  return { rows: rowsOrNone(input[key], recognized), path: key, recognized }
}

const startOf = (errors: PayloadErrors, row: Row, path: string): CallTime | undefined => {
  const start = timeOf(errors, row, "start_time", path)
  const timestamp = timeOf(errors, row, "timestamp", path)
  return start ?? timestamp
}

/** The row itself, or its `data`. */
const partsOf = (row: Row, path: string): { readonly parts: Row; readonly place: string } =>
  isPlainObject(row.data) ? { parts: row.data, place: `${path}.data` } : { parts: row, place: path }

const toolIdOf = (errors: PayloadErrors, row: Row, path: string): string | undefined =>
  optionalTextOf(errors, row, row.tool_call_id === undefined ? "id" : "tool_call_id", path)

const readToolCall = (builder: TranscriptBuilder, row: Row, path: string, at: CallTime | undefined): void => {
  const { errors } = builder
  const { parts, place } = partsOf(row, path)
  const id = toolIdOf(errors, parts, place)
  const name = textOf(errors, parts, parts.name === undefined ? "function_name" : "name", place)
  const args = jsonTextOf(errors, parts, "arguments", place)
  builder.addToolCall({ id, name, arguments: args, at })
}

/** What a tool's row has until the result of a function that still runs is known. */
const IN_PROGRESS = "IN_PROGRESS"

const readToolResult = (builder: TranscriptBuilder, row: Row, path: string, at: CallTime | undefined): void => {
  const { errors } = builder
  const { parts, place } = partsOf(row, path)
  if (parts.content === IN_PROGRESS || readAsyncResult(builder, row, path, at)) return
  const id = toolIdOf(errors, parts, place)
  const name = optionalTextOf(errors, parts, parts.name === undefined ? "function_name" : "name", place)
  const result = jsonTextOf(errors, parts, parts.result === undefined ? "content" : "result", place)
  builder.addToolResult({ id, name, result, succeeded: undefined, at })
}

/** Reads a message about an asynchronous tool; false if the row is none. Only the last of them has the result. */
const readAsyncResult = (builder: TranscriptBuilder, row: Row, path: string, at: CallTime | undefined): boolean => {
  const message = asyncMessageOf(row.content)
  if (message === undefined) return false
  if (message.status === "finished") {
    const { errors } = builder
    const id = optionalTextOf(errors, message, "tool_call_id", `${path}.content`)
    const result = jsonTextOf(errors, message, "result", `${path}.content`)
    builder.addToolResult({ id, name: undefined, result, succeeded: undefined, at })
  }
  return true
}

/** The longest content that is parsed to find out whether it is such a message. */
const MAX_ASYNC_MESSAGE = 100_000

const asyncMessageOf = (content: unknown): Row | undefined => {
  if (typeof content !== "string" || content.length > MAX_ASYNC_MESSAGE || !content.includes('"async_tool"')) {
    return undefined
  }
  const message = Either.getOrUndefined(Either.try((): unknown => JSON.parse(content)))
  return isPlainObject(message) && message.type === "async_tool" ? message : undefined
}
