import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { Messages } from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { isPlainObject } from "../kernel/Json.js"
import { lengthOf, textError } from "../kernel/Text.js"
import type { Decoder } from "./Decoder.js"
import { assemble, noWords, tooManyCharacters } from "./TranscriptBuilder.js"
import { MAX_CALL_SECONDS, MAX_TEXT, MAX_TURNS } from "./Limits.js"
import {
  checkOrder,
  choiceOf,
  ENDS_BEFORE_START,
  isReversed,
  makePayloadErrors,
  type PayloadErrors,
  readRows,
  type Row,
  secondsError,
  secondsOf,
  textOf,
  unstorableReason
} from "./PayloadReader.js"
import { type RawTranscript, roleNames, type Speaker, type Turn } from "./Transcript.js"

const [MAIN_AGENT, TESTING_AGENT] = [roleNames.main_agent, roleNames.testing_agent]

/** Seconds from the start of the call; null if unknown. */
const Seconds = Schema.optional(
  Schema.NullOr(
    Schema.declare((value): value is number => secondsError(value) === undefined, {
      message: (issue) => secondsError(issue.actual) ?? Messages.notANumber,
      jsonSchema: { type: "number", minimum: 0, maximum: MAX_CALL_SECONDS }
    })
  )
)

const charactersOf = (turns: ReadonlyArray<{ readonly content: string }>): number =>
  turns.reduce((sum, turn) => sum + lengthOf(turn.content), 0)

/** One turn of the `service` format. Source: interface, E10. */
export const ServiceTurn = Fields.object({
  role: Fields.choice([TESTING_AGENT, MAIN_AGENT]),
  content: Fields.text(),
  start_time: Seconds,
  end_time: Seconds
}).pipe(
  Schema.filter(({ end_time, start_time }) =>
    isReversed(start_time ?? undefined, end_time ?? undefined)
      ? { path: ["end_time"], message: ENDS_BEFORE_START }
      : true
  ),
  Schema.annotations({ identifier: "ServiceTurn" })
)

/** The schema of the `service` format, for API descriptions. A property verifies that `decode` agrees with it. */
export const ServiceTurns = Fields.list(ServiceTurn, { max: MAX_TURNS }).pipe(
  Schema.filter((turns) => charactersOf(turns) <= MAX_TEXT || tooManyCharacters),
  Schema.annotations({ identifier: "ServiceTranscript" })
)

const storable = (rows: unknown): boolean =>
  !Array.isArray(rows) ||
  rows.length > MAX_TURNS ||
  rows.every((row) => !isPlainObject(row) || unstorableReason(row) === undefined)

/** `ServiceTurns` whose rows can be stored, including their unknown keys. Accepts exactly what `decode` accepts. */
export const ServicePayload = Schema.compose(
  Schema.declare((rows): rows is unknown => storable(rows), { message: () => "Value must be valid JSON." }),
  ServiceTurns
)

const SPEAKERS: ReadonlyMap<string, Speaker> = new Map([
  [TESTING_AGENT, "testing_agent"],
  [MAIN_AGENT, "main_agent"]
])

/**
 * `service`: a list of `{role, content, start_time, end_time}` with the roles `Testing Agent` and `Main Agent`; other
 * roles are errors. Times are optional. Other keys are ignored; blank texts are turns.
 * Source: interface, E10.
 */
export const decode: Decoder = (input) => {
  const turns = decodeValid(input)
  return turns === undefined ? decodeWithErrors(input) : Either.right({ _tag: "RawTranscript", turns, toolCalls: [] })
}

/** The turns of a valid payload, otherwise undefined. The hot path of ingestion: it reads each value once. */
export const decodeValid = (input: unknown): RawTranscript["turns"] | undefined => {
  if (!Array.isArray(input) || input.length > MAX_TURNS) return undefined
  const rows: ReadonlyArray<unknown> = input
  const turns: Array<Turn> = []
  let units = 0
  for (const row of rows) {
    const turn = decodeTurn(row)
    if (turn === undefined) return undefined
    units += turn.content.length
    turns.push(turn)
  }
  // There are never more characters than UTF-16 units, so the exact count is rarely needed.
  return units <= MAX_TEXT || charactersOf(turns) <= MAX_TEXT ? turns : undefined
}

const decodeTurn = (row: unknown): Turn | undefined => {
  if (!isPlainObject(row)) return undefined
  const { content, end_time: end, role, start_time: start } = row
  const speaker = role === MAIN_AGENT ? "main_agent" : role === TESTING_AGENT ? "testing_agent" : undefined
  if (speaker === undefined || typeof content !== "string") return undefined
  const startTime = decodeTime(start)
  const endTime = decodeTime(end)
  if (Number.isNaN(startTime) || Number.isNaN(endTime) || isReversed(startTime, endTime)) return undefined
  // Only rows with unknown keys need the check of all keys.
  const read = 2 + (start === undefined ? 0 : 1) + (end === undefined ? 0 : 1)
  if (keyCount(row) !== read && unstorableReason(row) !== undefined) return undefined
  return textError(content) === undefined ? { speaker, content, startTime, endTime, words: noWords } : undefined
}

/** A time: undefined if unknown, NaN if invalid. Adding 0 turns -0 into 0. */
const decodeTime = (value: unknown): number | undefined =>
  value === undefined || value === null
    ? undefined
    : typeof value === "number" && value >= 0 && value <= MAX_CALL_SECONDS
      ? value + 0
      : Number.NaN

/** Counts keys without allocating a list for every row. */
const keyCount = (row: object): number => {
  let count = 0
  for (const _ in row) count++
  return count
}

/** A turn with the times of its row; undefined if speaker or content are missing, which has been reported. */
export const timedTurn = (
  errors: PayloadErrors,
  row: Row,
  path: string,
  speaker: Speaker | undefined,
  content: string | undefined
): Turn | undefined => {
  const startTime = secondsOf(errors, row, "start_time", path)
  const endTime = secondsOf(errors, row, "end_time", path)
  checkOrder(errors, startTime, endTime, `${path}.end_time`)
  return speaker === undefined || content === undefined
    ? undefined
    : { speaker, content, startTime, endTime, words: noWords }
}

/** Decodes a payload that `decodeValid` rejected, to report all field errors. */
export const decodeWithErrors: Decoder = (input) => {
  const errors = makePayloadErrors()
  const turns: Array<Turn> = []
  readRows(errors, input, "", (row, path) => {
    const speaker = choiceOf(errors, row, "role", path, SPEAKERS)
    const content = textOf(errors, row, "content", path)
    const turn = timedTurn(errors, row, path, speaker, content)
    if (turn !== undefined) turns.push(turn)
  })
  return assemble(errors, turns, [])
}
