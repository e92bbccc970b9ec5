/**
 * Leaves out of an envelope what cannot be stored, so that a webhook's call is kept without it: a platform does not send a
 * rejected event again, or switches the webhook off. Pure.
 */
import { type FieldErrors, NON_FIELD } from "../kernel/FieldErrors.js"
import { isPlainObject, isTooDeep } from "../kernel/Json.js"

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
}

const newEdit = (): Edit => ({ parts: new Map() })

/** The segments of an error's path: `call.words[2].end` as `call`, `words`, 2, `end`. */
const segmentsOf = (path: string): ReadonlyArray<Segment> =>
  [...path.matchAll(/\[(\d+)\]|[^.[\]]+/g)].map(([text, position]) =>
    position === undefined ? text : Number(position)
  )

/**
 * The envelope without the parts that have errors: an invalid item inside a row, such as a word, is left out, and an invalid
 * row becomes a row of the kind `INVALID_ROW`. Undefined if what is invalid is in no list: the list of rows itself.
 *
 * @param errors by their paths in the envelope
 * @param wholeRows whether rows are replaced also where only an item inside them is invalid
 */
export const withoutInvalid = (envelope: unknown, errors: FieldErrors, wholeRows: boolean): unknown => {
  const root = newEdit()
  for (const path of Object.keys(errors)) {
    const segments = path === NON_FIELD ? [] : segmentsOf(path)
    const positions = segments.flatMap((segment, at) => (typeof segment === "number" ? [at] : []))
    const isInner = positions.length > 1 && !wholeRows
    const last = isInner ? positions.at(-1) : positions[0]
    if (last === undefined) return undefined
    let edit = root
    for (const segment of segments.slice(0, last + 1)) {
      const part = edit.parts.get(segment) ?? newEdit()
      edit.parts.set(segment, part)
      edit = part
    }
    edit.action = isInner ? "drop" : "mark"
  }
  return edited(envelope, root)
}

const edited = (value: unknown, { action, parts }: Edit): unknown => {
  if (action === "mark") return { role: INVALID_ROW }
  if (Array.isArray(value)) {
    return value.flatMap((item: unknown, at) => {
      const part = parts.get(at)
      return part === undefined ? [item] : part.action === "drop" ? [] : [edited(item, part)]
    })
  }
  if (!isPlainObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => {
      const edit = parts.get(key)
      return [key, edit === undefined ? part : edited(part, edit)]
    })
  )
}
