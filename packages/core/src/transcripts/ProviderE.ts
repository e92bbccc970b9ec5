import { Messages } from "../kernel/FieldErrors.js"
import { isPlainObject } from "../kernel/Json.js"
import type { Decoder } from "./Decoder.js"
import {
  type TranscriptBuilder,
  makeTranscriptBuilder,
  type CallTime,
  timeOf,
  epochStartOf
} from "./TranscriptBuilder.js"
import {
  choiceOf,
  envelope,
  joinPath,
  jsonTextOf,
  optionalFlagOf,
  optionalTextOf,
  type PayloadErrors,
  readRows,
  type Row,
  textAt,
  textOf
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
 * other type (handoffs, configuration changes) are ignored, as are `system` and `developer` messages.
 *
 * A message's text is its text parts, a line each. It lasts from `metrics.started_speaking_at` to
 * `metrics.stopped_speaking_at`; if neither is known, it starts at `timestamp` or `created_at`, and its end is
 * unknown. Absolute times are epoch seconds (see `timeOf`), converted relative to the report's `started_at`, else its
 * `audio_recording_started_at`, else the earliest.
 * Source: the provider's public session report.
 */
export const decode: Decoder = (input) => {
  const builder = makeTranscriptBuilder()
  const { errors } = builder
  const report = locate(errors, input)
  readRows(errors, report.rows, report.path, (row, path) => readItem(builder, row, path))
  return builder.finish(report.callStart)
}

const readItem = (builder: TranscriptBuilder, row: Row, path: string): void => {
  const { errors } = builder
  const type = row.type === undefined ? "message" : textOf(errors, row, "type", path)
  if (type === "message") {
    const kind = choiceOf(errors, row, "role", path, KINDS)
    if (kind === "not_speech") return
    const content = contentOf(errors, row, path)
    const { end, start } = timesOf(errors, row, path)
    builder.addTurn({ speaker: kind, content, start, end })
  } else if (type === "function_call") {
    const id = optionalTextOf(errors, row, "call_id", path)
    const name = textOf(errors, row, "name", path)
    const args = jsonTextOf(errors, row, "arguments", path)
    const at = timeOf(errors, row, "created_at", path)
    builder.addToolCall({ id, name, arguments: args, at })
  } else if (type === "function_call_output") {
    const id = optionalTextOf(errors, row, "call_id", path)
    const name = optionalTextOf(errors, row, "name", path)
    const result = jsonTextOf(errors, row, "output", path)
    const failed = optionalFlagOf(errors, row, "is_error", path)
    const at = timeOf(errors, row, "created_at", path)
    builder.addToolResult({ id, name, result, succeeded: failed === undefined ? undefined : !failed, at })
  }
}

const contentOf = (errors: PayloadErrors, row: Row, path: string): string | undefined => {
  const { content } = row
  if (!Array.isArray(content)) return textOf(errors, row, "content", path)
  const parts: ReadonlyArray<unknown> = content
  const texts: Array<string> = []
  parts.forEach((part, index) => {
    const place = `${path}.content[${index}]`
    if (typeof part === "string") {
      const text = textAt(errors, part, place)
      if (text !== undefined) texts.push(text)
    } else if (isPlainObject(part)) {
      // Audio parts may have a transcript; images and other parts have no text.
      const text = optionalTextOf(errors, part, part.text === undefined ? "transcript" : "text", place)
      if (text !== undefined) texts.push(text)
    } else {
      errors.add(place, Messages.notAString)
    }
  })
  return texts.join("\n")
}

const timesOf = (
  errors: PayloadErrors,
  row: Row,
  path: string
): { readonly start: CallTime | undefined; readonly end: CallTime | undefined } => {
  const created = timeOf(errors, row, "created_at", path)
  const timestamp = timeOf(errors, row, "timestamp", path)
  const place = joinPath(path, "metrics")
  const metrics = row.metrics === undefined || row.metrics === null ? undefined : envelope(errors, row.metrics, place)
  const start = metrics === undefined ? undefined : timeOf(errors, metrics, "started_speaking_at", place)
  const end = metrics === undefined ? undefined : timeOf(errors, metrics, "stopped_speaking_at", place)
  // Creation and speaking times differ: a start from one and an end from the other would give a wrong duration.
  return start === undefined && end === undefined ? { start: timestamp ?? created, end: undefined } : { start, end }
}

const locate = (
  errors: PayloadErrors,
  input: unknown
): { readonly rows: unknown; readonly path: string; readonly callStart: number | undefined } => {
  if (!isPlainObject(input)) return { rows: input, path: "", callStart: undefined }
  envelope(errors, input, "")
  const callStart = epochStartOf(input.started_at) ?? epochStartOf(input.audio_recording_started_at)
  const key = isPlainObject(input.chat_history) ? "chat_history" : isPlainObject(input.history) ? "history" : ""
  const holder = key === "" ? input : envelope(errors, input[key], key)
  return { rows: holder?.items, path: joinPath(key, "items"), callStart }
}
