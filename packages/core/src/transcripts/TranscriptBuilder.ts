/** What the decoders of the providers' formats write into: turns and tool calls whose times may still be instants. */
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
import type { RawTranscript, Speaker, ToolCall, Turn, Word } from "./Transcript.js"

/** When something happened, in seconds: from the call's start, or since 1970. `path` is where the payload says so. */
export type CallTime = { readonly path: string } & (
  { readonly clock: "call"; readonly seconds: number } | { readonly clock: "world"; readonly seconds: number }
)

/** A moment in seconds from the call's start. */
export const relativeTime = (seconds: number | undefined, path: string): CallTime | undefined =>
  seconds === undefined ? undefined : { clock: "call", seconds, path }

/** To the microsecond, below which differences of instants are the noise of floating point. */
export const toMicroseconds = (seconds: number): number => Math.round(seconds * 1e6) / 1e6

/**
 * A moment as the providers write them: a number up to `MAX_CALL_SECONDS` is seconds from the call's start, one from
 * `EPOCH_SECONDS_FROM` seconds since 1970, one above `EPOCH_MILLISECONDS_FROM` milliseconds since 1970, and a text is an
 * ISO 8601 date-time. Left out and null are unknown.
 */
export const timeOf = (found: PayloadErrors, row: Row, key: string, path: string): CallTime | undefined => {
  const value = row[key]
  const place = joinPath(path, key)
  if (typeof value === "string") {
    const instant = parseTimestamp(value)
    if (instant !== undefined) return { clock: "world", seconds: instant / 1000, path: place }
    found.add(place, Messages.notATimestamp)
    return undefined
  }
  if (typeof value === "number" && value >= EPOCH_SECONDS_FROM && value < Number.POSITIVE_INFINITY) {
    if (value <= LATEST_EPOCH_MILLISECONDS) {
      return { clock: "world", seconds: value > EPOCH_MILLISECONDS_FROM ? value / 1000 : value, path: place }
    }
    found.add(place, Messages.tooLarge(LATEST_EPOCH_MILLISECONDS))
    return undefined
  }
  return relativeTime(secondsOf(found, row, key, path), place)
}

/** Seconds since 1970 of a stated start of a call, in whichever form; undefined when it is not told or no instant. */
export const epochStartOf = (value: unknown): number | undefined => {
  const moment = timeOf(makePayloadErrors(), { at: value }, "at", "")
  return moment?.clock === "world" ? moment.seconds : undefined
}

/** A row of speech as it was read. What is undefined was not understood, and a fault says so. */
export interface BuilderTurn {
  readonly speaker: Speaker | undefined
  readonly content: string | undefined
  readonly start: CallTime | undefined
  readonly end: CallTime | undefined
  readonly words?: ReadonlyArray<Word>
}

/** A tool call as it was read. Without a name, which a fault says, it is none; arguments may be left out. */
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
  /** Adds a turn; one with a blank text is passed over. */
  readonly addTurn: (turn: BuilderTurn) => void
  readonly addToolCall: (call: BuilderToolCall) => void
  /**
   * Completes the earliest call that waits for a result under this id (or, without ids, this name). A result whose call
   * is not in the payload becomes a call with no arguments, and no name where the result tells none.
   */
  readonly addToolResult: (result: BuilderToolResult) => void
  /** The transcript, given the start of the call in seconds since 1970 where the payload states it, or every fault. */
  readonly finish: (callStart?: number) => Either.Either<RawTranscript, FieldErrors>
}

interface CompleteTurn extends BuilderTurn {
  readonly speaker: Speaker
  readonly content: string
}

interface PendingToolCall {
  readonly call: BuilderToolCall & { readonly name: string }
  answer: BuilderToolResult | undefined
}

export const makeTranscriptBuilder = (): TranscriptBuilder => {
  const found = makePayloadErrors()
  const turns: Array<CompleteTurn> = []
  const calls: Array<PendingToolCall> = []
  const waiting = new Map<string, Array<PendingToolCall>>()
  const keyOf = (one: { readonly id: string | undefined; readonly name: string | undefined }): string =>
    one.id === undefined ? `name ${one.name ?? ""}` : `id ${one.id}`

  return {
    errors: found,
    addTurn: ({ content, speaker, ...more }) => {
      if (speaker !== undefined && content !== undefined && content.trim() !== "") {
        turns.push({ speaker, content, ...more })
      }
    },
    addToolCall: ({ name, ...more }) => {
      if (name === undefined) return
      const call = { name, ...more }
      const open: PendingToolCall = { call, answer: undefined }
      calls.push(open)
      const queue = waiting.get(keyOf(call))
      if (queue === undefined) waiting.set(keyOf(call), [open])
      else queue.push(open)
    },
    addToolResult: (answer) => {
      const open = waiting.get(keyOf(answer))?.shift()
      if (open !== undefined) open.answer = answer
      else calls.push({ call: { id: answer.id, name: answer.name ?? "", arguments: undefined, at: undefined }, answer })
    },
    finish: (callStart) => {
      const origin = epochOriginOf(turns, calls, callStart)
      return assemble(
        found,
        turns.map((turn): Turn => {
          const startTime = relativeTo(found, origin, turn.start)
          const endTime = relativeTo(found, origin, turn.end)
          if (turn.end !== undefined) checkOrder(found, startTime, endTime, turn.end.path)
          return { speaker: turn.speaker, content: turn.content, startTime, endTime, words: turn.words ?? noWords }
        }),
        calls.map(({ answer, call }): ToolCall => {
          const startTime = relativeTo(found, origin, call.at)
          const endTime = relativeTo(found, origin, answer?.at)
          return {
            id: call.id,
            name: call.name,
            arguments: call.arguments ?? "",
            result: answer?.result,
            succeeded: answer?.succeeded,
            startTime,
            endTime: isReversed(startTime, endTime) ? undefined : endTime
          }
        })
      )
    }
  }
}

/**
 * Tool calls in the form most language models write them: a list of `{id, function: {name, arguments}}` under `key`,
 * which may be left out.
 */
export const readFunctionCalls = (notes: TranscriptBuilder, row: Row, key: string, path: string, at: CallTime | undefined): void => {
  const { errors: found } = notes
  optionalListOf(found, row, key, path, MAX_TOOL_CALLS).forEach((value, index) => {
    const place = `${joinPath(path, key)}[${index}]`
    const call = envelope(found, value, place)
    if (call === undefined) return
    const called = envelope(found, call.function, `${place}.function`)
    const id = optionalTextOf(found, call, "id", place)
    if (called === undefined) return
    const name = textOf(found, called, "name", `${place}.function`)
    const args = jsonTextOf(found, called, "arguments", `${place}.function`)
    notes.addToolCall({ id, name, arguments: args, at })
  })
}

/** Shared by all turns without word times. */
export const noWords: ReadonlyArray<Word> = []

/** The call's start on the world's clock: as stated, but never later than anything that happened in the call. */
const epochOriginOf = (
  turns: ReadonlyArray<CompleteTurn>,
  calls: ReadonlyArray<PendingToolCall>,
  stated: number | undefined
): number => {
  let origin = stated ?? Number.POSITIVE_INFINITY
  const consider = (moment: CallTime | undefined): void => {
    if (moment?.clock === "world" && moment.seconds < origin) origin = moment.seconds
  }
  for (const turn of turns) {
    consider(turn.start)
    consider(turn.end)
  }
  for (const { answer, call } of calls) {
    consider(call.at)
    consider(answer?.at)
  }
  return origin
}

const relativeTo = (found: PayloadErrors, origin: number, moment: CallTime | undefined): number | undefined => {
  if (moment === undefined) return undefined
  if (moment.clock === "call") return moment.seconds
  const seconds = toMicroseconds(moment.seconds - origin)
  if (seconds <= MAX_CALL_SECONDS) return seconds
  found.add(moment.path, Messages.tooLarge(MAX_CALL_SECONDS))
  return undefined
}

/** The transcript, when nothing was found wrong and it keeps within the limits. */
export const assemble = (
  found: PayloadErrors,
  turns: ReadonlyArray<Turn>,
  toolCalls: ReadonlyArray<ToolCall>
): Either.Either<RawTranscript, FieldErrors> => {
  if (turns.length > MAX_TURNS) found.add(NON_FIELD, Messages.tooMany(MAX_TURNS))
  if (toolCalls.length > MAX_TOOL_CALLS) found.add(NON_FIELD, tooManyToolCalls)
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
  if (words > MAX_WORDS) found.add(NON_FIELD, tooManyWords)
  if (text > MAX_TEXT) found.add(NON_FIELD, tooManyCharacters)
  return failIfFieldErrors(found.fieldErrors(), () => ({ _tag: "RawTranscript", turns, toolCalls }))
}

const tooManyToolCalls = `Ensure this transcript has no more than ${MAX_TOOL_CALLS} tool calls.`
const tooManyWords = `Ensure this transcript has no more than ${MAX_WORDS} words.`

/** Said of a transcript whose texts together are too long. */
export const tooManyCharacters = `Ensure this transcript has no more than ${MAX_TEXT} characters.`
