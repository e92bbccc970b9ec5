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
  envelope,
  hasAnyKey,
  joinPath,
  jsonTextOf,
  optionalTextOf,
  type PayloadErrors,
  readRows,
  type Row,
  rowsOrNone,
  secondsError,
  secondsOf,
  textOf
} from "./PayloadReader.js"
import type { Speaker } from "./Transcript.js"
import { fromMilliseconds, timingOf, type TimingStage, type TurnTiming } from "./TurnTiming.js"

type Kind = Speaker | "tool_calls" | "tool_call_result" | "not_speech"

const KINDS: ReadonlyMap<string, Kind> = new Map([
  ["bot", "main_agent"],
  ["assistant", "main_agent"],
  ["user", "testing_agent"],
  ["tool_calls", "tool_calls"],
  ["tool_call_result", "tool_call_result"],
  // The instructions given to the model.
  ["system", "not_speech"]
])

/**
 * `provider_a`: a list of `{role, message, time}` with the roles `bot` (or `assistant`) and `user`, or the report at the end of a call
 * around it: `{message: {artifact: {messages}}}`, with or without the outer `message` or `artifact`. A report without
 * messages is of a call that never connected: its transcript has no turns.
 *
 * `secondsFromStart` is the start of a turn if given, otherwise `time` (notations: see `timeOf`). The end is
 * `endTime` on the clock of `time`, else the start and `duration`: milliseconds, or seconds where `time` is in seconds.
 * `tool_calls` and `tool_call_result` rows become tool calls, `system` rows are ignored. `performanceMetrics.turnLatencies`
 * of the report are the timings of answers.
 * Source: interface, E10, and the provider's public webhook.
 */
export const decode: Decoder = (input) => {
  const builder = makeTranscriptBuilder()
  const { errors } = builder
  const report = locate(errors, input)
  let clockStart: number | undefined
  readRows(errors, report.rows, report.path, (row, path) => {
    const kind = builder.kindOf(row, "role", path, KINDS)
    if (kind === undefined || kind === "not_speech") return
    const time = timeOf(errors, row, "time", path)
    const seconds = secondsOf(errors, row, "secondsFromStart", path)
    // A row with both states the start of the call for the rows that have only `time`.
    if (time?.clock === "epoch" && seconds !== undefined) clockStart ??= time.seconds - seconds
    const start = seconds === undefined ? time : relativeTime(seconds, joinPath(path, "secondsFromStart"))
    if (kind === "tool_calls") readFunctionCalls(builder, row, "toolCalls", path, start)
    else if (kind === "tool_call_result") readToolResult(builder, row, path, start)
    else {
      const content = textOf(errors, row, "message", path)
      const end = endOf(errors, row, path, start, time)
      builder.addTurn({ speaker: kind, content, start, end })
    }
  })
  builder.addAnswerTimings(report.timings)
  return builder.finish({ callStart: clockStart ?? report.callStart, recognized: report.recognized })
}

interface Report {
  readonly rows: unknown
  readonly path: string
  readonly callStart: number | undefined
  readonly recognized: boolean
  readonly timings: ReadonlyArray<TurnTiming | undefined>
}

/** The keys of the provider's call reports, events and call objects. */
const REPORT_KEYS = ["artifact", "call", "endedReason", "assistantId", "startedAt", "endedAt", "orgId"]

const locate = (errors: PayloadErrors, input: unknown): Report => {
  if (!isPlainObject(input)) return { rows: input, path: "", callStart: undefined, recognized: false, timings: [] }
  let at: Row = input
  let path = ""
  let callStart: number | undefined
  let recognized = false
  for (const key of ["message", "artifact"]) {
    recognized ||= hasAnyKey(at, REPORT_KEYS)
    envelope(errors, at, path)
    callStart ??= epochStartOf(at.startedAt)
    const inner = at[key]
    if (isPlainObject(inner)) {
      at = inner
      path = joinPath(path, key)
    }
  }
  envelope(errors, at, path)
  return {
    rows: rowsOrNone(at.messages, recognized),
    path: joinPath(path, "messages"),
    callStart: callStart ?? epochStartOf(at.startedAt),
    recognized,
    timings: timingsIn(at.performanceMetrics)
  }
}

/** `performanceMetrics.turnLatencies`, in milliseconds. */
const timingsIn = (metrics: unknown): ReadonlyArray<TurnTiming | undefined> => {
  const latencies: unknown = isPlainObject(metrics) ? metrics.turnLatencies : undefined
  if (!Array.isArray(latencies)) return []
  return latencies
    .slice(0, MAX_TURNS)
    .map((one: unknown) =>
      isPlainObject(one)
        ? timingOf(
            STAGES.map(([stage, name]) => [stage, fromMilliseconds(one[name]), `turnLatencies.${name}`] as const)
          )
        : undefined
    )
}

const STAGES: ReadonlyArray<readonly [TimingStage, string]> = [
  ["endpointing", "endpointingLatency"],
  ["speech_to_text", "transcriberLatency"],
  ["model_first_token", "modelLatency"],
  ["text_to_speech_first_byte", "voiceLatency"],
  ["end_to_end", "turnLatency"]
]

const endOf = (
  errors: PayloadErrors,
  row: Row,
  path: string,
  start: CallTime | undefined,
  time: CallTime | undefined
): CallTime | undefined => {
  const end = timeOf(errors, row, "endTime", path)
  const duration = durationOf(errors, row, path)
  if (end !== undefined) {
    // The two clocks of a row may differ slightly: the duration is computed from one of them, the start from the other.
    return start?.clock === "relative" && end.clock === "epoch" && time?.clock === "epoch"
      ? { clock: "relative", seconds: toMicroseconds(start.seconds + end.seconds - time.seconds), path: end.path }
      : end
  }
  return start === undefined || duration === undefined
    ? undefined
    : { clock: start.clock, seconds: toMicroseconds(start.seconds + duration), path: joinPath(path, "duration") }
}

const durationOf = (errors: PayloadErrors, row: Row, path: string): number | undefined => {
  const { duration } = row
  if (duration === undefined || duration === null) return undefined
  const unit = typeof row.time === "number" && row.time <= EPOCH_MILLISECONDS_FROM ? 1 : 1000
  const wrong = secondsError(duration, MAX_CALL_SECONDS * unit)
  if (wrong === undefined) return Number(duration) / unit
  errors.add(joinPath(path, "duration"), wrong)
  return undefined
}

const readToolResult = (builder: TranscriptBuilder, row: Row, path: string, at: CallTime | undefined): void => {
  const { errors } = builder
  const id = optionalTextOf(errors, row, "toolCallId", path)
  const name = optionalTextOf(errors, row, "name", path)
  const result = jsonTextOf(errors, row, "result", path)
  builder.addToolResult({ id, name, result, succeeded: undefined, at })
}
