import { Messages } from "../kernel/FieldErrors.js"
import { isPlainObject } from "../kernel/Json.js"
import type { Decoder } from "./Decoder.js"
import { type TranscriptBuilder, makeTranscriptBuilder, type CallTime, timeOf, epochStartOf } from "./TranscriptBuilder.js"
import { MAX_TURNS } from "./Limits.js"
import {
  choiceOf,
  envelope,
  type PayloadErrors,
  jsonTextOf,
  listOf,
  optionalFlagOf,
  optionalTextOf,
  readRow,
  type Row,
  textAt,
  textOf,
  joinPath
} from "./PayloadReader.js"
import type { Speaker } from "./Transcript.js"

const KINDS: ReadonlyMap<string, Speaker | "not_speech"> = new Map([
  ["assistant", "main_agent"],
  ["agent", "main_agent"],
  ["user", "testing_agent"],
  // The instructions given to the model.
  ["system", "not_speech"],
  ["developer", "not_speech"]
])

/**
 * `provider_e`: a list of `{role, content, timestamp}`, or a session report `{items}` (also under `chat_history` or
 * `history`) whose items have a `type`: `message {role, content, created_at, metrics}`,
 * `function_call {call_id, name, arguments}`, `function_call_output {call_id, name, output, is_error}`. Items of every
 * other type (hand-overs, changes of configuration) are no speech and passed over, as are `system` and `developer` messages.
 *
 * A message's text is its text parts, a line each. It lasts from `metrics.started_speaking_at` to
 * `metrics.stopped_speaking_at`; where neither is known it starts at `timestamp` or `created_at`, and its end is
 * unknown. Instants are epoch seconds (see `momentOf`), made relative to the report's `started_at`, else its
 * `audio_recording_started_at`, else the earliest.
 * Source: the provider's public session report.
 */
export const decode: Decoder = (input) => {
  const notes = makeTranscriptBuilder()
  const { errors: found } = notes
  const report = locate(found, input)
  listOf(found, report.rows, report.path, MAX_TURNS).forEach((value, index) => {
    const path = `${report.path}[${index}]`
    readRow(found, value, path, (row) => readItem(notes, row, path))
  })
  return notes.finish(report.callStart)
}

const readItem = (notes: TranscriptBuilder, row: Row, path: string): void => {
  const { errors: found } = notes
  const type = row.type === undefined ? "message" : textOf(found, row, "type", path)
  if (type === "message") {
    const kind = choiceOf(found, row, "role", path, KINDS)
    if (kind === "not_speech") return
    const content = contentOf(found, row, path)
    const { end, start } = timesOf(found, row, path)
    notes.addTurn({ speaker: kind, content, start, end })
  } else if (type === "function_call") {
    const id = optionalTextOf(found, row, "call_id", path)
    const name = textOf(found, row, "name", path)
    const args = jsonTextOf(found, row, "arguments", path)
    const at = timeOf(found, row, "created_at", path)
    notes.addToolCall({ id, name, arguments: args, at })
  } else if (type === "function_call_output") {
    const id = optionalTextOf(found, row, "call_id", path)
    const name = optionalTextOf(found, row, "name", path)
    const result = jsonTextOf(found, row, "output", path)
    const failed = optionalFlagOf(found, row, "is_error", path)
    const at = timeOf(found, row, "created_at", path)
    notes.addToolResult({ id, name, result, succeeded: failed === undefined ? undefined : !failed, at })
  }
}

const contentOf = (found: PayloadErrors, row: Row, path: string): string | undefined => {
  const { content } = row
  if (!Array.isArray(content)) return textOf(found, row, "content", path)
  const parts: ReadonlyArray<unknown> = content
  const texts: Array<string> = []
  parts.forEach((part, index) => {
    const place = `${path}.content[${index}]`
    if (typeof part === "string") {
      const text = textAt(found, part, place)
      if (text !== undefined) texts.push(text)
    } else if (isPlainObject(part)) {
      // Spoken audio may carry what was heard; pictures and the like say nothing.
      const text = optionalTextOf(found, part, part.text === undefined ? "transcript" : "text", place)
      if (text !== undefined) texts.push(text)
    } else {
      found.add(place, Messages.notAString)
    }
  })
  return texts.join("\n")
}

const timesOf = (
  found: PayloadErrors,
  row: Row,
  path: string
): { readonly start: CallTime | undefined; readonly end: CallTime | undefined } => {
  const created = timeOf(found, row, "created_at", path)
  const timestamp = timeOf(found, row, "timestamp", path)
  const place = joinPath(path, "metrics")
  const metrics = row.metrics === undefined || row.metrics === null ? undefined : envelope(found, row.metrics, place)
  const start = metrics === undefined ? undefined : timeOf(found, metrics, "started_speaking_at", place)
  const end = metrics === undefined ? undefined : timeOf(found, metrics, "stopped_speaking_at", place)
  // Creation and speech are of different clocks: a start from one and an end from the other would be a made-up length.
  return start === undefined && end === undefined ? { start: timestamp ?? created, end: undefined } : { start, end }
}

const locate = (
  found: PayloadErrors,
  input: unknown
): { readonly rows: unknown; readonly path: string; readonly callStart: number | undefined } => {
  if (!isPlainObject(input)) return { rows: input, path: "", callStart: undefined }
  envelope(found, input, "")
  const callStart = epochStartOf(input.started_at) ?? epochStartOf(input.audio_recording_started_at)
  const key = isPlainObject(input.chat_history) ? "chat_history" : isPlainObject(input.history) ? "history" : ""
  const holder = key === "" ? input : envelope(found, input[key], key)
  return { rows: holder?.items, path: joinPath(key, "items"), callStart }
}
