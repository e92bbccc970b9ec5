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
  contentOf,
  envelope,
  hasAnyKey,
  joinPath,
  jsonTextOf,
  optionalFlagOf,
  optionalTextOf,
  type PayloadErrors,
  readRows,
  type Row,
  rowsOrNone,
  textOf
} from "./PayloadReader.js"
import type { Speaker } from "./Transcript.js"
import { timingOf, type TimingStage, type TurnTiming } from "./TurnTiming.js"

const KINDS: ReadonlyMap<string, Speaker | "not_speech"> = new Map([
  ["assistant", "main_agent"],
  ["agent", "main_agent"],
  ["user", "testing_agent"],
  // The instructions given to the model.
  ["system", "not_speech"],
  ["developer", "not_speech"]
])

/**
 * `provider_e`: a list of `{role, content, timestamp}`, or a session report `{items}` (also under `chat_history`,
 * `history` or `transcript`) whose items have a `type`: `message {role, content, created_at, metrics}`,
 * `function_call {call_id, name, arguments}`, `function_call_output {call_id, name, output, is_error}`. Items of every
 * other type (handoffs, configuration changes) are ignored, as are `system` and `developer` messages.
 *
 * A message's text is its text parts, a line each. It lasts from `metrics.started_speaking_at` to
 * `metrics.stopped_speaking_at`; if neither is known, it starts at `timestamp` or `created_at`, and its end is
 * unknown. Absolute times are epoch seconds (see `timeOf`), converted relative to the report's `started_at`, else its
 * `audio_recording_started_at`, else the earliest.
 * The keys may be in camel case, as the provider's JavaScript library writes them (`createdAt`, `args`, `isError`).
 * Source: the provider's public session report.
 */
export const decode: Decoder = (input) => {
  const builder = makeTranscriptBuilder()
  const { errors } = builder
  const report = locate(errors, input)
  readRows(errors, report.rows, report.path, (row, path) => readItem(builder, row, path))
  return builder.finish({ callStart: report.callStart, recognized: report.recognized })
}

const readItem = (builder: TranscriptBuilder, row: Row, path: string): void => {
  const { errors } = builder
  const type = row.type === undefined ? "message" : textOf(errors, row, "type", path)
  if (type === "message") {
    const kind = builder.kindOf(row, "role", path, KINDS)
    if (kind === undefined || kind === "not_speech") return
    const content = contentOf(errors, row, path)
    const { end, start } = timesOf(errors, row, path)
    builder.addTurn({ speaker: kind, content, start, end, timing: timingIn(row.metrics) })
  } else if (type === "function_call") {
    const id = optionalTextOf(errors, row, nameIn(row, "call_id", "callId"), path)
    const name = textOf(errors, row, "name", path)
    const args = jsonTextOf(errors, row, nameIn(row, "arguments", "args"), path)
    const at = timeOf(errors, row, nameIn(row, "created_at", "createdAt"), path)
    builder.addToolCall({ id, name, arguments: args, at })
  } else if (type === "function_call_output") {
    const id = optionalTextOf(errors, row, nameIn(row, "call_id", "callId"), path)
    const name = optionalTextOf(errors, row, "name", path)
    const result = jsonTextOf(errors, row, "output", path)
    const failed = optionalFlagOf(errors, row, nameIn(row, "is_error", "isError"), path)
    const at = timeOf(errors, row, nameIn(row, "created_at", "createdAt"), path)
    builder.addToolResult({ id, name, result, succeeded: failed === undefined ? undefined : !failed, at })
  }
}

const STAGES: ReadonlyArray<readonly [TimingStage, python: string, javascript: string]> = [
  ["endpointing", "end_of_turn_delay", "endOfTurnDelay"],
  ["speech_to_text", "transcription_delay", "transcriptionDelay"],
  ["model_first_token", "llm_node_ttft", "llmNodeTtft"],
  ["text_to_speech_first_byte", "tts_node_ttfb", "ttsNodeTtfb"],
  ["end_to_end", "e2e_latency", "e2eLatency"]
]

/** A message's `metrics`, in seconds: of the user's those of its end, of the agent's those of the answer. */
const timingIn = (metrics: unknown): TurnTiming | undefined =>
  isPlainObject(metrics)
    ? timingOf(
        STAGES.map(([stage, python, javascript]) => {
          const name = nameIn(metrics, python, javascript)
          return [stage, metrics[name], `metrics.${python}`] as const
        })
      )
    : undefined

const timesOf = (
  errors: PayloadErrors,
  row: Row,
  path: string
): { readonly start: CallTime | undefined; readonly end: CallTime | undefined } => {
  const created = timeOf(errors, row, nameIn(row, "created_at", "createdAt"), path)
  const timestamp = timeOf(errors, row, "timestamp", path)
  const place = joinPath(path, "metrics")
  const metrics = row.metrics === undefined || row.metrics === null ? undefined : envelope(errors, row.metrics, place)
  const start =
    metrics === undefined
      ? undefined
      : timeOf(errors, metrics, nameIn(metrics, "started_speaking_at", "startedSpeakingAt"), place)
  const end =
    metrics === undefined
      ? undefined
      : timeOf(errors, metrics, nameIn(metrics, "stopped_speaking_at", "stoppedSpeakingAt"), place)
  // Creation and speaking times differ: a start from one and an end from the other would give a wrong duration.
  return start === undefined && end === undefined ? { start: timestamp ?? created, end: undefined } : { start, end }
}

/** The key that a row has: the Python library writes `created_at`, the JavaScript library `createdAt`. */
const nameIn = (row: Row, python: string, javascript: string): string =>
  row[python] === undefined && row[javascript] !== undefined ? javascript : python

/** The keys of the provider's session reports. */
const REPORT_KEYS = ["job_id", "room_id", "room", "jobId", "roomId"]

/** What a report has its items in. */
const HOLDERS = ["chat_history", "chatHistory", "history", "transcript"]

interface Located {
  readonly rows: unknown
  readonly path: string
  readonly callStart: number | undefined
  readonly recognized: boolean
}

const locate = (errors: PayloadErrors, input: unknown): Located => {
  if (!isPlainObject(input)) return { rows: input, path: "", callStart: undefined, recognized: false }
  envelope(errors, input, "")
  const callStart =
    epochStartOf(input[nameIn(input, "started_at", "startedAt")]) ??
    epochStartOf(input[nameIn(input, "audio_recording_started_at", "audioRecordingStartedAt")])
  const recognized = hasAnyKey(input, REPORT_KEYS)
  const key = HOLDERS.find((name) => isPlainObject(input[name])) ?? ""
  const holder = key === "" ? input : envelope(errors, input[key], key)
  return { rows: rowsOrNone(holder?.items, recognized), path: joinPath(key, "items"), callStart, recognized }
}
