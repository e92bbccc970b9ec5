import { isPlainObject } from "../kernel/Json.js"
import type { Decoder } from "./Decoder.js"
import {
  type TranscriptBuilder,
  makeTranscriptBuilder,
  type CallTime,
  timeOf,
  readFunctionCalls,
  relativeTime,
  epochStartOf,
  toMicroseconds
} from "./TranscriptBuilder.js"
import { EPOCH_MILLISECONDS_FROM, MAX_CALL_SECONDS, MAX_TURNS } from "./Limits.js"
import {
  choiceOf,
  envelope,
  type PayloadErrors,
  jsonTextOf,
  listOf,
  optionalTextOf,
  readRow,
  type Row,
  secondsError,
  secondsOf,
  textOf,
  joinPath
} from "./PayloadReader.js"
import type { Speaker } from "./Transcript.js"

type Kind = Speaker | "tool_calls" | "tool_call_result" | "not_speech"

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["bot", "main_agent"],
  ["user", "testing_agent"],
  ["tool_calls", "tool_calls"],
  ["tool_call_result", "tool_call_result"],
  // The instructions given to the model.
  ["system", "not_speech"]
])

/**
 * `provider_a`: a list of `{role, message, time}` with the roles `bot` and `user`, or the report at the end of a call
 * around it: `{message: {artifact: {messages}}}`, with or without the outer `message` or `artifact`.
 *
 * `secondsFromStart` is the start of a turn where it is given, else `time` (see `momentOf` for its clocks). The end is
 * `endTime` on the clock of `time`, else the start and `duration`: milliseconds, or seconds where `time` is in seconds.
 * `tool_calls` and `tool_call_result` rows become tool calls, `system` rows are passed over.
 * Source: interface, E10, and the provider's public webhook.
 */
export const decode: Decoder = (input) => {
  const notes = makeTranscriptBuilder()
  const { errors: found } = notes
  const report = locate(found, input)
  let clockStart: number | undefined
  listOf(found, report.rows, report.path, MAX_TURNS).forEach((value, index) => {
    const path = `${report.path}[${index}]`
    readRow(found, value, path, (row) => {
      const kind = choiceOf(found, row, "role", path, KINDS)
      if (kind === "not_speech") return
      const time = timeOf(found, row, "time", path)
      const seconds = secondsOf(found, row, "secondsFromStart", path)
      // A row that has both tells when the call began, for the rows that have not.
      if (time?.clock === "world" && seconds !== undefined) clockStart ??= time.seconds - seconds
      const start = seconds === undefined ? time : relativeTime(seconds, joinPath(path, "secondsFromStart"))
      if (kind === "tool_calls") readFunctionCalls(notes, row, "toolCalls", path, start)
      else if (kind === "tool_call_result") readToolResult(notes, row, path, start)
      else {
        const content = textOf(found, row, "message", path)
        const end = endOf(found, row, path, start, time)
        notes.addTurn({ speaker: kind, content, start, end })
      }
    })
  })
  return notes.finish(clockStart ?? report.callStart)
}

interface Report {
  readonly rows: unknown
  readonly path: string
  readonly callStart: number | undefined
}

const locate = (found: PayloadErrors, input: unknown): Report => {
  if (!isPlainObject(input)) return { rows: input, path: "", callStart: undefined }
  let at: Row = input
  let path = ""
  let callStart: number | undefined
  for (const key of ["message", "artifact"]) {
    envelope(found, at, path)
    callStart ??= epochStartOf(at.startedAt)
    const inner = at[key]
    if (isPlainObject(inner)) {
      at = inner
      path = joinPath(path, key)
    }
  }
  envelope(found, at, path)
  return { rows: at.messages, path: joinPath(path, "messages"), callStart: callStart ?? epochStartOf(at.startedAt) }
}

const endOf = (
  found: PayloadErrors,
  row: Row,
  path: string,
  start: CallTime | undefined,
  time: CallTime | undefined
): CallTime | undefined => {
  const end = timeOf(found, row, "endTime", path)
  const duration = durationOf(found, row, path)
  if (end !== undefined) {
    // The two clocks of a row may differ by a little: the length comes from one of them, the start from the other.
    return start?.clock === "call" && end.clock === "world" && time?.clock === "world"
      ? { clock: "call", seconds: toMicroseconds(start.seconds + end.seconds - time.seconds), path: end.path }
      : end
  }
  return start === undefined || duration === undefined
    ? undefined
    : { clock: start.clock, seconds: toMicroseconds(start.seconds + duration), path: joinPath(path, "duration") }
}

const durationOf = (found: PayloadErrors, row: Row, path: string): number | undefined => {
  const { duration } = row
  if (duration === undefined || duration === null) return undefined
  const unit = typeof row.time === "number" && row.time <= EPOCH_MILLISECONDS_FROM ? 1 : 1000
  const wrong = secondsError(duration, MAX_CALL_SECONDS * unit)
  if (wrong === undefined) return Number(duration) / unit
  found.add(joinPath(path, "duration"), wrong)
  return undefined
}

const readToolResult = (notes: TranscriptBuilder, row: Row, path: string, at: CallTime | undefined): void => {
  const { errors: found } = notes
  const id = optionalTextOf(found, row, "toolCallId", path)
  const name = optionalTextOf(found, row, "name", path)
  const result = jsonTextOf(found, row, "result", path)
  notes.addToolResult({ id, name, result, succeeded: undefined, at })
}
