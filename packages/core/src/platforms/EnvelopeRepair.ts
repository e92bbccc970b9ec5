/**
 * Leaves out of an envelope what cannot be stored, so that a webhook's call is kept without it: a platform does not send a
 * rejected event again, or switches the webhook off. Pure.
 */
import { type FieldErrors, NON_FIELD } from "../kernel/FieldErrors.js"
import { isPlainObject, isTooDeep } from "../kernel/Json.js"
import { MAX_FIELD_ERRORS } from "../transcripts/Limits.js"

/** The kind of the rows that stand for invalid ones; decoders skip it and name it in the call's error message. */
const INVALID_ROW = "invalid_row"

/**
 * The envelope with texts, keys and numbers that both databases store: NUL and lone surrogates become U+FFFD, integers that
 * are not exact become texts, and keys `__proto__` are left out. One that is nested too deep is left as it is.
 */
export const storableEnvelope = (envelope: unknown): unknown => (isTooDeep(envelope) ? envelope : storable(envelope))

const storableText = (text: string): string => text.replaceAll("\0", "\uFFFD").toWellFormed()

const storable = (value: unknown): unknown => {
  if (typeof value === "string") return storableText(value)
  if (typeof value === "number") return Number.isInteger(value) && !Number.isSafeInteger(value) ? String(value) : value
  if (Array.isArray(value)) return value.map(storable)
  return isPlainObject(value)
    ? Object.fromEntries(
        Object.entries(value).flatMap(([key, part]) =>
          key === "__proto__" ? [] : [[storableText(key), storable(part)] as const]
        )
      )
    : value
}

type Segment = string | number

/** What is done at a path of the envelope. */
interface Edit {
  action?: "mark" | "drop"
  readonly parts: Map<Segment, Edit>
  /** What is done with every item of a list. */
  every?: Edit
}

const newEdit = (): Edit => ({ parts: new Map() })

/** The segments of an error's path: `call.words[2].end` as `call`, `words`, 2, `end`. */
const segmentsOf = (path: string): ReadonlyArray<Segment> =>
  [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([text, position]) =>
    position === undefined ? text : Number(position)
  )

/** The edit at a path, which is added if there is none. */
const editAt = (root: Edit, path: ReadonlyArray<Segment>): Edit => {
  let edit = root
  for (const segment of path) {
    const part = edit.parts.get(segment) ?? newEdit()
    edit.parts.set(segment, part)
    edit = part
  }
  return edit
}

/** Without them a row says nothing. */
const ESSENTIAL: ReadonlySet<Segment> = new Set(["role", "type", "content", "message", "name"])

const isPosition = (segment: Segment): boolean => typeof segment === "number"

/**
 * The envelope without the parts that have errors: an invalid item inside a row, such as a word, is left out, and so is a key of a
 * row such as a time; a row with an invalid role or text becomes a row of the kind `INVALID_ROW`. If there are more errors than
 * are listed, lists inside rows are left out of all rows. Undefined if what is invalid is in no list: the list of rows itself.
 *
 * @param errors by their paths in the envelope
 * @param wholeRows whether rows are replaced also where only a part of them is invalid
 */
export const withoutInvalid = (envelope: unknown, errors: FieldErrors, wholeRows: boolean): unknown => {
  const { [NON_FIELD]: ofWhole, ...placed } = errors
  const paths = Object.keys(placed)
  const isIncomplete = paths.length >= MAX_FIELD_ERRORS
  if (ofWhole !== undefined && !isIncomplete) return undefined
  const root = newEdit()
  for (const path of paths) {
    const segments = segmentsOf(path)
    const row = segments.findIndex(isPosition)
    if (row < 0) return undefined
    const inner = segments.findLastIndex(isPosition)
    if (wholeRows || row === segments.length - 1 || (inner === row && ESSENTIAL.has(segments[row + 1] ?? ""))) {
      editAt(root, segments.slice(0, row + 1)).action = "mark"
    } else if (inner === row) {
      editAt(root, segments).action = "drop"
    } else if (isIncomplete) {
      const list = segments.findIndex((segment, at) => at > row && isPosition(segment))
      const rows = editAt(root, segments.slice(0, row))
      rows.every ??= newEdit()
      editAt(rows.every, segments.slice(row + 1, list)).action = "drop"
    } else {
      editAt(root, segments.slice(0, inner + 1)).action = "drop"
    }
  }
  return edited(envelope, root)
}

const edited = (value: unknown, { action, every, parts }: Edit): unknown => {
  if (action === "mark") return { role: INVALID_ROW }
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, at) => {
      const part = parts.get(at)
      if (part?.action === "drop") return []
      const one = part === undefined ? item : edited(item, part)
      return [every === undefined ? one : edited(one, every)]
    })
  }
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, part]) => {
      const edit = parts.get(key)
      return edit === undefined ? [[key, part]] : edit.action === "drop" ? [] : [[key, edited(part, edit)]]
    })
  )
}
