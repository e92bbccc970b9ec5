/** JSON text in parts, so that a large response is never one string. */

/** Characters of a part, unless a single text is longer. */
const PART_LENGTH = 64 * 1024

/** How deep lists and objects are divided: a page, its items, their fields, and the items of a field. */
const DEPTH = 4

/** The JSON of a value of plain objects, lists and scalars in parts. Joined they are `JSON.stringify(value)`. */
export function* jsonParts(value: unknown): Generator<string, void, undefined> {
  let pending = ""
  for (const piece of pieces(value, DEPTH)) {
    pending += piece
    if (pending.length >= PART_LENGTH) {
      yield pending
      pending = ""
    }
  }
  if (pending !== "") yield pending
}

function* pieces(value: unknown, depth: number): Generator<string, void, undefined> {
  if (depth === 0 || typeof value !== "object" || value === null || "toJSON" in value) {
    yield value === undefined ? "null" : JSON.stringify(value)
    return
  }
  if (Array.isArray(value)) {
    let separator = "["
    for (const item of value) {
      yield separator
      yield* pieces(item, depth - 1)
      separator = ","
    }
    yield separator === "[" ? "[]" : "]"
    return
  }
  let separator = "{"
  for (const [key, field] of Object.entries(value)) {
    if (field === undefined) continue
    yield `${separator}${JSON.stringify(key)}:`
    yield* pieces(field, depth - 1)
    separator = ","
  }
  yield separator === "{" ? "{}" : "}"
}
