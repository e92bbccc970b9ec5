/** Reads untrusted payloads: each function returns a valid value, or adds a field error and returns undefined. */
import { type FieldErrors, NON_FIELD, Messages } from "../kernel/FieldErrors.js"
import { isPlainObject, jsonError } from "../kernel/Json.js"
import { textError } from "../kernel/Text.js"
import { MAX_CALL_SECONDS, MAX_FIELD_ERRORS, MAX_TURNS } from "./Limits.js"
import type { Word } from "./Transcript.js"

/** An object of the payload with unvalidated values. */
export type Row = Readonly<Record<string, unknown>>

/** Collects the field errors of one payload. */
export interface PayloadErrors {
  readonly add: (path: string, message: string) => void
  readonly fieldErrors: () => FieldErrors
  /** How many errors were added, to detect whether a step added some. */
  readonly count: () => number
}

export const makePayloadErrors = (): PayloadErrors => {
  const byPath = new Map<string, Array<string>>()
  let count = 0
  return {
    add: (path, message) => {
      count++
      const known = byPath.get(path)
      if (known !== undefined) {
        if (!known.includes(message)) known.push(message)
      } else if (byPath.size < MAX_FIELD_ERRORS) {
        byPath.set(path, [message])
      } else {
        byPath.set(NON_FIELD, [`Only the first ${MAX_FIELD_ERRORS} errors are listed.`])
      }
    },
    fieldErrors: () => Object.fromEntries(byPath),
    count: () => count
  }
}

/** The path of a key within an object. */
export const joinPath = (path: string, key: string): string => (path === "" ? key : `${path}.${key}`)

/** The path of errors of a whole value: its path, or `non_field_errors` at the root. */
const errorPathOf = (path: string): string => (path === "" ? NON_FIELD : path)

/**
 * Reads an object. `read` reads the known keys; if it adds no error, all other keys are checked to be storable, with errors
 * reported at the object itself.
 */
export const readRow = (errors: PayloadErrors, value: unknown, path: string, read: (row: Row) => void): void => {
  if (!isPlainObject(value)) {
    errors.add(errorPathOf(path), value === null ? Messages.notNull : Messages.notAnObject)
    return
  }
  const before = errors.count()
  read(value)
  if (errors.count() !== before) return
  const wrong = unstorableReason(value)
  if (wrong !== undefined) errors.add(errorPathOf(path), wrong)
}

/** Reads a list of objects (see `readRow`). `path` is the path of the list. */
export const readRows = (
  errors: PayloadErrors,
  value: unknown,
  path: string,
  read: (row: Row, path: string) => void,
  max = MAX_TURNS
): void => {
  listOf(errors, value, path, max).forEach((item, index) => {
    const place = `${path}[${index}]`
    readRow(errors, item, place, (row) => read(row, place))
  })
}

/** Why an object cannot be stored as JSON, including its unknown keys; undefined values are ignored. */
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

/** An object around the rows. Its other keys are not checked: it may contain a whole call record. */
export const envelope = (errors: PayloadErrors, value: unknown, path: string): Row | undefined => {
  if (!isPlainObject(value)) {
    errors.add(
      errorPathOf(path),
      value === undefined ? Messages.required : value === null ? Messages.notNull : Messages.notAnObject
    )
    return undefined
  }
  if (Object.hasOwn(value, "__proto__")) errors.add(errorPathOf(path), PROTO_NOT_ALLOWED)
  return value
}

/** A list of at most `max` items; empty if it is invalid. */
export const listOf = (errors: PayloadErrors, value: unknown, path: string, max: number): ReadonlyArray<unknown> => {
  if (!Array.isArray(value)) {
    errors.add(
      errorPathOf(path),
      value === undefined ? Messages.required : value === null ? Messages.notNull : Messages.notAList
    )
    return []
  }
  if (value.length > max) {
    errors.add(errorPathOf(path), Messages.tooMany(max))
    return []
  }
  // A copy has no holes, so every position is visited.
  return Array.from<unknown>(value)
}

/** An optional list; empty when omitted or null. */
export const optionalListOf = (
  errors: PayloadErrors,
  row: Row,
  key: string,
  path: string,
  max: number
): ReadonlyArray<unknown> => {
  const value = row[key]
  return value === undefined || value === null ? [] : listOf(errors, value, joinPath(path, key), max)
}

/** A required text. */
const textAt = (errors: PayloadErrors, value: unknown, path: string): string | undefined => {
  if (typeof value !== "string") {
    errors.add(path, Messages.notAString)
    return undefined
  }
  const wrong = textError(value)
  if (wrong === undefined) return value
  errors.add(path, wrong)
  return undefined
}

/** A required text under a key; may be blank. */
export const textOf = (errors: PayloadErrors, row: Row, key: string, path: string): string | undefined => {
  const value = row[key]
  if (value === undefined || value === null) {
    errors.add(joinPath(path, key), value === null ? Messages.notNull : Messages.required)
    return undefined
  }
  return textAt(errors, value, joinPath(path, key))
}

/** An optional text; undefined when omitted or null. */
export const optionalTextOf = (errors: PayloadErrors, row: Row, key: string, path: string): string | undefined => {
  const value = row[key]
  return value === undefined || value === null ? undefined : textAt(errors, value, joinPath(path, key))
}

/** An optional text, or any other JSON value as JSON text. Tool arguments and results are either. */
export const jsonTextOf = (errors: PayloadErrors, row: Row, key: string, path: string): string | undefined => {
  const value = row[key]
  if (value === undefined || value === null) return undefined
  if (typeof value === "string") return textAt(errors, value, joinPath(path, key))
  const wrong = jsonError(value)
  if (wrong === undefined) return JSON.stringify(value)
  errors.add(joinPath(path, key), wrong)
  return undefined
}

/** An optional boolean; undefined when omitted or null. */
export const optionalFlagOf = (errors: PayloadErrors, row: Row, key: string, path: string): boolean | undefined => {
  const value = row[key]
  if (value === undefined || value === null) return undefined
  if (typeof value === "boolean") return value
  errors.add(joinPath(path, key), Messages.notABoolean)
  return undefined
}

/**
 * A message's text: a text, or a list of texts and parts with a `text` or, for audio, a `transcript`; other parts, such as
 * images, have none. The parts are a line each.
 */
export const contentOf = (errors: PayloadErrors, row: Row, path: string): string | undefined => {
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
      const text = optionalTextOf(errors, part, part.text === undefined ? "transcript" : "text", place)
      if (text !== undefined) texts.push(text)
    } else {
      errors.add(place, Messages.notAString)
    }
  })
  return texts.join("\n")
}

/** Whether a value has one of these keys: whether it is the envelope of a format although it has no transcript. */
export const hasAnyKey = (row: Row, keys: ReadonlyArray<string>): boolean =>
  keys.some((key) => row[key] !== undefined && row[key] !== null)

/** The rows of an envelope: a recognized one without rows is of a call without a transcript. */
export const rowsOrNone = (rows: unknown, recognized: boolean): unknown =>
  recognized && (rows === undefined || rows === null) ? [] : rows

/** The value that a known word maps to. */
export const choiceOf = <A>(
  errors: PayloadErrors,
  row: Row,
  key: string,
  path: string,
  known: ReadonlyMap<string, A>
): A | undefined => {
  const value = row[key]
  const choice = typeof value === "string" ? known.get(value) : undefined
  if (choice === undefined) {
    errors.add(
      joinPath(path, key),
      value === undefined
        ? Messages.required
        : value === null
          ? Messages.notNull
          : Messages.notAChoice(value, [...known.keys()])
    )
  }
  return choice
}

/** Why a value is not a number from 0 to `longest` (default: `MAX_CALL_SECONDS`); undefined if it is. */
export const secondsError = (value: unknown, longest = MAX_CALL_SECONDS): string | undefined =>
  typeof value !== "number" || !Number.isFinite(value)
    ? Messages.notANumber
    : value < 0
      ? Messages.tooSmall(0)
      : value > longest
        ? Messages.tooLarge(longest)
        : undefined

/** Optional seconds from the start of the call; undefined when omitted or null. */
export const secondsOf = (errors: PayloadErrors, row: Row, key: string, path: string): number | undefined => {
  const value = row[key]
  if (value === undefined || value === null) return undefined
  const wrong = secondsError(value)
  // Adding 0 turns -0 into 0, as databases store it.
  if (wrong === undefined) return Number(value) + 0
  errors.add(joinPath(path, key), wrong)
  return undefined
}

export const ENDS_BEFORE_START = "Ensure the end is not before the start."

/** Whether both times are known and the end is before the start. */
export const isReversed = (start: number | undefined, end: number | undefined): boolean =>
  (end ?? Number.POSITIVE_INFINITY) < (start ?? Number.NEGATIVE_INFINITY)

/** Adds an error if the end is before the start. */
export const checkOrder = (
  errors: PayloadErrors,
  start: number | undefined,
  end: number | undefined,
  endPath: string
): void => {
  if (isReversed(start, end)) errors.add(endPath, ENDS_BEFORE_START)
}

/** A word `{word, start, end}` in seconds; its text is under the first present key of `textKeys`. */
export const wordOf = (
  errors: PayloadErrors,
  row: Row,
  path: string,
  textKeys: ReadonlyArray<string>
): Word | undefined => {
  const key = textKeys.find((name) => row[name] !== undefined && row[name] !== null) ?? "word"
  const text = textOf(errors, row, key, path)
  const startTime = secondsOf(errors, row, "start", path)
  const endTime = secondsOf(errors, row, "end", path)
  checkOrder(errors, startTime, endTime, joinPath(path, "end"))
  return text === undefined ? undefined : { text, startTime, endTime }
}

/**
 * Start and end of a list of words. The start is known only if the first word's is, and the end only if the last word's is:
 * a start taken from the second word would be too late and falsify a latency.
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
