/** Builds a transcript from the turns and tool calls of a payload, whose times may be absolute or relative. */
import type * as Either from "effect/Either"
import { type FieldErrors, failIfFieldErrors, NON_FIELD, Messages } from "../kernel/FieldErrors.js"
import { parseTimestamp } from "../kernel/Fields.js"
import { lengthOf } from "../kernel/Text.js"
import {
  EPOCH_MILLISECONDS_FROM,
  EPOCH_SECONDS_FROM,
  LATEST_EPOCH_MILLISECONDS,
  MAX_CALL_SECONDS,
  MAX_TEXT,
  MAX_TOOL_CALLS,
  MAX_TURNS,
  MAX_WORDS
} from "./Limits.js"
import {
  checkOrder,
  choiceOf,
  envelope,
  type PayloadErrors,
  makePayloadErrors,
  isReversed,
  jsonTextOf,
  optionalListOf,
  optionalTextOf,
  type Row,
  secondsOf,
  textOf,
  joinPath
} from "./PayloadReader.js"
import { joinTimings, measuredTurns, timedBy, type TurnTiming } from "./TurnTiming.js"
import { type RawTranscript, skippedOf, type Speaker, type ToolCall, type Turn, type Word } from "./Transcript.js"

/** A time of the payload, in seconds: relative to the start of the call, or since 1970. `path` is its place in the payload. */
export type CallTime = { readonly path: string } & (
  { readonly clock: "relative"; readonly seconds: number } | { readonly clock: "epoch"; readonly seconds: number }
)

/** A time in seconds from the start of the call. */
export const relativeTime = (seconds: number | undefined, path: string): CallTime | undefined =>
  seconds === undefined ? undefined : { clock: "relative", seconds, path }

/** Rounds to microseconds; below that, differences of epoch times are floating-point noise. */
export const toMicroseconds = (seconds: number): number => Math.round(seconds * 1e6) / 1e6

/**
 * An optional time in any notation of the providers: a number up to `MAX_CALL_SECONDS` is seconds from the start of the
 * call, from `EPOCH_SECONDS_FROM` seconds since 1970, above `EPOCH_MILLISECONDS_FROM` milliseconds since 1970; a text is an
 * ISO 8601 date-time.
 */
export const timeOf = (errors: PayloadErrors, row: Row, key: string, path: string): CallTime | undefined => {
  const value = row[key]
  const place = joinPath(path, key)
  if (typeof value === "string") {
    const instant = parseTimestamp(value)
    if (instant !== undefined) return { clock: "epoch", seconds: instant / 1000, path: place }
    errors.add(place, Messages.notATimestamp)
    return undefined
  }
  if (typeof value === "number" && value >= EPOCH_SECONDS_FROM && value < Number.POSITIVE_INFINITY) {
    if (value <= LATEST_EPOCH_MILLISECONDS) {
      return { clock: "epoch", seconds: value > EPOCH_MILLISECONDS_FROM ? value / 1000 : value, path: place }
    }
    errors.add(place, Messages.tooLarge(LATEST_EPOCH_MILLISECONDS))
    return undefined
  }
  return relativeTime(secondsOf(errors, row, key, path), place)
}

/** The start of a call in seconds since 1970, in any notation of `timeOf`; undefined if it is not an absolute time. */
export const epochStartOf = (value: unknown): number | undefined => {
  const time = timeOf(makePayloadErrors(), { at: value }, "at", "")
  return time?.clock === "epoch" ? time.seconds : undefined
}

/** A turn of the payload. A missing speaker or content has been reported as a field error. */
export interface BuilderTurn {
  readonly speaker: Speaker | undefined
  readonly content: string | undefined
  readonly start: CallTime | undefined
  readonly end: CallTime | undefined
  readonly words?: ReadonlyArray<Word>
  readonly timing?: TurnTiming | undefined
}

/** A tool call of the payload. A missing name has been reported as a field error; arguments are optional. */
export interface BuilderToolCall {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly arguments: string | undefined
  readonly at: CallTime | undefined
}

export interface BuilderToolResult {
  readonly id: string | undefined
  readonly name: string | undefined
  readonly result: string | undefined
  readonly succeeded: boolean | undefined
  readonly at: CallTime | undefined
}

export interface TranscriptBuilder {
  readonly errors: PayloadErrors
  /** Adds measurements that the payload lists apart from its turns, one for each answer (see `measuredTurns`). */
  readonly addAnswerTimings: (timings: ReadonlyArray<TurnTiming | undefined>) => void
  /** Adds a turn; ignored if its text is blank. */
  readonly addTurn: (turn: BuilderTurn) => void
  readonly addToolCall: (call: BuilderToolCall) => void
  /**
   * Adds a result to the earliest call without one that has its id (or, without ids, its name). A result without a call
   * becomes a call without arguments.
   */
  readonly addToolResult: (result: BuilderToolResult) => void
  /**
   * What a word of the payload, such as a role, maps to. A row of an unknown kind is skipped and named in `skipped` of the
   * transcript; a word that is missing or not a text is an error.
   */
  readonly kindOf: <A>(row: Row, key: string, path: string, known: ReadonlyMap<string, A>) => A | undefined
  /**
   * The transcript, or all field errors.
   *
   * @param options.callStart seconds since 1970, if the payload states it
   * @param options.recognized the payload is an envelope of this format. If not, a list whose rows are all of unknown
   *   kinds is an error: it is the list of another format
   */
  readonly finish: (options?: FinishOptions) => Either.Either<RawTranscript, FieldErrors>
}

export interface FinishOptions {
  readonly callStart?: number | undefined
  readonly recognized?: boolean
}

/** Kinds of skipped rows that are named. */
const MAX_SKIPPED_KINDS = 10

/** Words that are named in error messages; others may be content, which may have to be redacted. */
const KIND = /^[\w.:-]{1,64}$/

interface CompleteTurn extends BuilderTurn {
  readonly speaker: Speaker
  readonly content: string
}

interface PendingToolCall {
  readonly call: BuilderToolCall & { readonly name: string }
  result: BuilderToolResult | undefined
}

export const makeTranscriptBuilder = (): TranscriptBuilder => {
  const errors = makePayloadErrors()
  const turns: Array<CompleteTurn> = []
  const calls: Array<PendingToolCall> = []
  const waiting = new Map<string, Array<PendingToolCall>>()
  const skipped = new Map<string, { readonly place: string; readonly message: string }>()
  let hasKnownRows = false
  let before: TurnTiming | undefined
  let listed: ReadonlyArray<TurnTiming | undefined> = []
  const keyOf = (one: { readonly id: string | undefined; readonly name: string | undefined }): string =>
    one.id === undefined ? `name ${one.name ?? ""}` : `id ${one.id}`

  return {
    errors,
    addAnswerTimings: (timings) => {
      if (timings.length > 0) listed = timings
    },
    addTurn: ({ content, speaker, timing, ...more }) => {
      if (speaker === undefined || content === undefined) return
      const joined = speaker === "main_agent" ? joinTimings(timing, before) : timing
      // What was measured of a row without speech, such as one that only calls tools, is a part of the answer that follows.
      const isSpoken = content.trim() !== ""
      if (speaker === "main_agent") before = isSpoken ? undefined : joined
      if (isSpoken) turns.push({ speaker, content, timing: joined, ...more })
    },
    addToolCall: ({ name, ...more }) => {
      if (name === undefined) return
      const call = { name, ...more }
      const open: PendingToolCall = { call, result: undefined }
      calls.push(open)
      const queue = waiting.get(keyOf(call))
      if (queue === undefined) waiting.set(keyOf(call), [open])
      else queue.push(open)
    },
    addToolResult: (result) => {
      const open = waiting.get(keyOf(result))?.shift()
      if (open !== undefined) open.result = result
      else calls.push({ call: { id: result.id, name: result.name ?? "", arguments: undefined, at: undefined }, result })
    },
    kindOf: (row, key, path, known) => {
      const word = row[key]
      if (typeof word === "string" && !known.has(word)) {
        const kind = KIND.test(word) ? word : "unnamed"
        if (!skipped.has(kind) && skipped.size < MAX_SKIPPED_KINDS) {
          skipped.set(kind, {
            place: joinPath(path, key),
            message: Messages.notAChoice(word, [...known.keys()])
          })
        }
        return undefined
      }
      hasKnownRows = true
      return choiceOf(errors, row, key, path, known)
    },
    finish: ({ callStart, recognized = false } = {}) => {
      if (!hasKnownRows && !recognized) {
        for (const { message, place } of skipped.values()) errors.add(place, message)
      }
      const origin = epochOriginOf(turns, calls, callStart)
      const timings = listedTimings(turns, listed)
      return assemble(
        errors,
        turns.map((turn, position): Turn => {
          const startTime = relativeTo(errors, origin, turn.start)
          const endTime = relativeTo(errors, origin, turn.end)
          if (turn.end !== undefined) checkOrder(errors, startTime, endTime, turn.end.path)
          return {
            speaker: turn.speaker,
            content: turn.content,
            startTime,
            endTime,
            words: turn.words ?? noWords,
            ...timedBy(joinTimings(turn.timing, timings.get(position)))
          }
        }),
        calls.map(({ call, result }): ToolCall => {
          const startTime = relativeTo(errors, origin, call.at)
          const endTime = relativeTo(errors, origin, result?.at)
          return {
            id: call.id,
            name: call.name,
            arguments: call.arguments ?? "",
            result: result?.result,
            succeeded: result?.succeeded,
            startTime,
            endTime: isReversed(startTime, endTime) ? undefined : endTime
          }
        }),
        [...skipped.keys()]
      )
    }
  }
}

/** Tool calls in the notation of most language models: an optional list of `{id, function: {name, arguments}}`. */
export const readFunctionCalls = (
  builder: TranscriptBuilder,
  row: Row,
  key: string,
  path: string,
  at: CallTime | undefined
): void => {
  const { errors } = builder
  optionalListOf(errors, row, key, path, MAX_TOOL_CALLS).forEach((value, index) => {
    const place = `${joinPath(path, key)}[${index}]`
    const call = envelope(errors, value, place)
    if (call === undefined) return
    const called = envelope(errors, call.function, `${place}.function`)
    const id = optionalTextOf(errors, call, "id", place)
    if (called === undefined) return
    const name = textOf(errors, called, "name", `${place}.function`)
    const args = jsonTextOf(errors, called, "arguments", `${place}.function`)
    builder.addToolCall({ id, name, arguments: args, at })
  })
}

/** The listed measurements by the position of their turn. */
const listedTimings = (
  turns: ReadonlyArray<CompleteTurn>,
  listed: ReadonlyArray<TurnTiming | undefined>
): ReadonlyMap<number, TurnTiming | undefined> =>
  listed.length === 0
    ? noTimings
    : new Map(
        measuredTurns(
          turns.map(({ speaker }) => speaker === "main_agent"),
          listed.length
        ).map((turn, position) => [turn, listed[position]])
      )

const noTimings: ReadonlyMap<number, TurnTiming> = new Map()

/** Shared by all turns without word times. */
export const noWords: ReadonlyArray<Word> = []

/** The start of the call in seconds since 1970: the stated one, or the earliest time of the payload if that is earlier. */
const epochOriginOf = (
  turns: ReadonlyArray<CompleteTurn>,
  calls: ReadonlyArray<PendingToolCall>,
  stated: number | undefined
): number => {
  let origin = stated ?? Number.POSITIVE_INFINITY
  const consider = (time: CallTime | undefined): void => {
    if (time?.clock === "epoch" && time.seconds < origin) origin = time.seconds
  }
  for (const turn of turns) {
    consider(turn.start)
    consider(turn.end)
  }
  for (const { call, result } of calls) {
    consider(call.at)
    consider(result?.at)
  }
  return origin
}

const relativeTo = (errors: PayloadErrors, origin: number, time: CallTime | undefined): number | undefined => {
  if (time === undefined) return undefined
  if (time.clock === "relative") return time.seconds
  const seconds = toMicroseconds(time.seconds - origin)
  if (seconds <= MAX_CALL_SECONDS) return seconds
  errors.add(time.path, Messages.tooLarge(MAX_CALL_SECONDS))
  return undefined
}

/** The transcript, if there are no errors and it is within the limits. */
export const assemble = (
  errors: PayloadErrors,
  turns: ReadonlyArray<Turn>,
  toolCalls: ReadonlyArray<ToolCall>,
  skipped: ReadonlyArray<string> = []
): Either.Either<RawTranscript, FieldErrors> => {
  if (turns.length > MAX_TURNS) errors.add(NON_FIELD, Messages.tooMany(MAX_TURNS))
  if (toolCalls.length > MAX_TOOL_CALLS) errors.add(NON_FIELD, tooManyToolCalls)
  let words = 0
  let text = 0
  for (const turn of turns) {
    text += lengthOf(turn.content)
    words += turn.words.length
    for (const word of turn.words) text += lengthOf(word.text)
  }
  for (const call of toolCalls) {
    text += lengthOf(call.name) + lengthOf(call.arguments) + lengthOf(call.result ?? "") + lengthOf(call.id ?? "")
  }
  if (words > MAX_WORDS) errors.add(NON_FIELD, tooManyWords)
  if (text > MAX_TEXT) errors.add(NON_FIELD, tooManyCharacters)
  return failIfFieldErrors(errors.fieldErrors(), () => ({
    _tag: "RawTranscript",
    turns,
    toolCalls,
    ...skippedOf({ skipped })
  }))
}

const tooManyToolCalls = `Ensure this transcript has no more than ${MAX_TOOL_CALLS} tool calls.`
const tooManyWords = `Ensure this transcript has no more than ${MAX_WORDS} words.`

export const tooManyCharacters = `Ensure this transcript has no more than ${MAX_TEXT} characters.`
