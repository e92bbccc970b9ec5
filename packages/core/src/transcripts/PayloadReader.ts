/** How the decoders read hostile rows: each reader answers the value, or notes what is wrong with it and answers undefined. */
import { type FieldErrors, NON_FIELD, Messages } from "../kernel/FieldErrors.js"
import { isPlainObject, jsonError } from "../kernel/Json.js"
import { textError } from "../kernel/Text.js"
import { MAX_CALL_SECONDS, MAX_FIELD_ERRORS } from "./Limits.js"
import type { Word } from "./Transcript.js"

/** An object of the payload, its values not looked at yet. */
export type Row = Readonly<Record<string, unknown>>

/** The faults found so far in one payload. It lives within one call of a decoder. */
export interface PayloadErrors {
  readonly add: (path: string, sentence: string) => void
  readonly fieldErrors: () => FieldErrors
  /** How many were noted, to tell whether a step found something. */
  readonly count: () => number
}

export const makePayloadErrors = (): PayloadErrors => {
  const found = new Map<string, Array<string>>()
  let count = 0
  return {
    add: (path, sentence) => {
      count++
      const known = found.get(path)
      if (known !== undefined) {
        if (!known.includes(sentence)) known.push(sentence)
      } else if (found.size < MAX_FIELD_ERRORS) {
        found.set(path, [sentence])
      } else {
        found.set(NON_FIELD, [`Only the first ${MAX_FIELD_ERRORS} faults are listed.`])
      }
    },
    fieldErrors: () => Object.fromEntries(found),
    count: () => count
  }
}

/** The path of a key within an object. */
export const joinPath = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`)

/** Where faults of a whole value are noted: its path, or the key for faults that fit no field. */
const errorPathOf = (path: string): string => (path === "" ? NON_FIELD : path)

/**
 * An object, looked at whole: what is wrong in keys that nobody reads is noted at the object itself. `read` reads the
 * keys that matter; the sweep over the rest comes after it, so that a fault is named where it is and only once.
 */
export const readRow = (found: PayloadErrors, value: unknown, path: string, read: (row: Row) => void): void => {
  if (!isPlainObject(value)) {
    found.add(errorPathOf(path), value === null ? Messages.notNull : Messages.notAnObject)
    return
  }
  const before = found.count()
  read(value)
  if (found.count() !== before) return
  const wrong = unstorableReason(value)
  if (wrong !== undefined) found.add(errorPathOf(path), wrong)
}

/** Why an object could not be kept as JSON, keys that nobody reads included. An undefined value is as good as none. */
export const unstorableReason = (row: Row): string | undefined => {
  for (const key of Object.keys(row)) {
    const value = row[key]
    const wrong =
      key === "__proto__" ? PROTO_NOT_ALLOWED : (textError(key) ?? (value === undefined ? undefined : jsonError(value)))
    if (wrong !== undefined) return wrong
  }
  return undefined
}

const PROTO_NOT_ALLOWED = `The key "__proto__" is not allowed.`

/** An object around the rows (an envelope): only its own keys are looked at, since it may hold a whole call's record. */
export const envelope = (found: PayloadErrors, value: unknown, path: string): Row | undefined => {
  if (!isPlainObject(value)) {
    found.add(errorPathOf(path), value === undefined ? Messages.required : value === null ? Messages.notNull : Messages.notAnObject)
    return undefined
  }
  if (Object.hasOwn(value, "__proto__")) found.add(errorPathOf(path), PROTO_NOT_ALLOWED)
  return value
}

/** A list of at most `max` items; empty where it is none. */
export const listOf = (found: PayloadErrors, value: unknown, path: string, max: number): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) {
    found.add(errorPathOf(path), value === undefined ? Messages.required : value === null ? Messages.notNull : Messages.notAList)
    return []
  }
  if (value.length > max) {
    found.add(errorPathOf(path), Messages.tooMany(max))
    return []
  }
  // A copy has no holes, so that every position is looked at.
  return Array.from<unknown>(value)
}

/** A list under a key that may be left out or null; both are an empty list. */
export const optionalListOf = (
  found: PayloadErrors,
  row: Row,
  key: string,
  path: string,
  max: number
): ReadonlyArray<unknown> => {
  const value = row[key]
  return value === undefined || value === null ? [] : listOf(found, value, joinPath(path, key), max)
}

/** A text that is there. */
export const textAt = (found: PayloadErrors, value: unknown, path: string): string | undefined => {
  if (typeof value !== "string") {
    found.add(path, Messages.notAString)
    return undefined
  }
  const wrong = textError(value)
  if (wrong === undefined) return value
  found.add(path, wrong)
  return undefined
}

/** A text that has to be there; blank is fine. */
export const textOf = (found: PayloadErrors, row: Row, key: string, path: string): string | undefined => {
  const value = row[key]
  if (value === undefined || value === null) {
    found.add(joinPath(path, key), value === null ? Messages.notNull : Messages.required)
    return undefined
  }
  return textAt(found, value, joinPath(path, key))
}

/** A text that may be left out or null. */
export const optionalTextOf = (found: PayloadErrors, row: Row, key: string, path: string): string | undefined => {
  const value = row[key]
  return value === undefined || value === null ? undefined : textAt(found, value, joinPath(path, key))
}

/** A text, or any other JSON as its text; left out and null are undefined. Tools take and give either. */
export const jsonTextOf = (found: PayloadErrors, row: Row, key: string, path: string): string | undefined => {
  const value = row[key]
  if (value === undefined || value === null) return undefined
  if (typeof value === "string") return textAt(found, value, joinPath(path, key))
  const wrong = jsonError(value)
  if (wrong === undefined) return JSON.stringify(value)
  found.add(joinPath(path, key), wrong)
  return undefined
}

/** True or false, or not told (left out or null). */
export const optionalFlagOf = (found: PayloadErrors, row: Row, key: string, path: string): boolean | undefined => {
  const value = row[key]
  if (value === undefined || value === null) return undefined
  if (typeof value === "boolean") return value
  found.add(joinPath(path, key), Messages.notABoolean)
  return undefined
}

/** One of the known words, or the fault that it is none. */
export const choiceOf = <A>(
  found: PayloadErrors,
  row: Row,
  key: string,
  path: string,
  known: ReadonlyMap<string, A>
): A | undefined => {
  const value = row[key]
  const meant = typeof value === "string" ? known.get(value) : undefined
  if (meant === undefined) {
    found.add(
      joinPath(path, key),
      value === undefined ? Messages.required : value === null ? Messages.notNull : Messages.notAChoice(value)
    )
  }
  return meant
}

/** Why a value is no time from 0 to `longest`, seconds from the start of a call unless told, or undefined when it is one. */
export const secondsError = (value: unknown, longest = MAX_CALL_SECONDS): string | undefined =>
  typeof value !== "number" || !Number.isFinite(value)
    ? Messages.notANumber
    : value < 0
      ? Messages.tooSmall(0)
      : value > longest
        ? Messages.tooLarge(longest)
        : undefined

/** Seconds from the start of the call; left out and null are unknown. */
export const secondsOf = (found: PayloadErrors, row: Row, key: string, path: string): number | undefined => {
  const value = row[key]
  if (value === undefined || value === null) return undefined
  const wrong = secondsError(value)
  // Adding 0 turns -0 into 0, which is what comes back from a database.
  if (wrong === undefined) return Number(value) + 0
  found.add(joinPath(path, key), wrong)
  return undefined
}

/** Said of an end that lies before its start. */
export const ENDS_BEFORE_START = "Ensure the end is not before the start."

/** Whether both times are known, and the end is before the start. */
export const isReversed = (start: number | undefined, end: number | undefined): boolean =>
  (end ?? Number.POSITIVE_INFINITY) < (start ?? Number.NEGATIVE_INFINITY)

/** Notes an end before its start. */
export const checkOrder = (
  found: PayloadErrors,
  start: number | undefined,
  end: number | undefined,
  endPath: string
): void => {
  if (isReversed(start, end)) found.add(endPath, ENDS_BEFORE_START)
}

/** A word `{word, start, end}` in seconds; `spelling` names the keys its text may stand under, the first present wins. */
export const wordOf = (found: PayloadErrors, row: Row, path: string, spelling: ReadonlyArray<string>): Word | undefined => {
  const key = spelling.find((name) => row[name] !== undefined && row[name] !== null) ?? "word"
  const text = textOf(found, row, key, path)
  const startTime = secondsOf(found, row, "start", path)
  const endTime = secondsOf(found, row, "end", path)
  checkOrder(found, startTime, endTime, joinPath(path, "end"))
  return text === undefined ? undefined : { text, startTime, endTime }
}

/**
 * When words begin and end together. The start is known only where the first word's is, and the end only where the last
 * word's is: a start taken from the second word would be too late, and a latency with it.
 */
export const wordTimesOf = (
  words: ReadonlyArray<Word>
): { readonly startTime: number | undefined; readonly endTime: number | undefined } => {
  let startTime = words[0]?.startTime
  let endTime = words[words.length - 1]?.endTime
  for (const word of words) {
    if (startTime !== undefined) startTime = Math.min(startTime, word.startTime ?? startTime)
    if (endTime !== undefined) endTime = Math.max(endTime, word.endTime ?? endTime)
  }
  return { startTime, endTime: isReversed(startTime, endTime) ? undefined : endTime }
}
