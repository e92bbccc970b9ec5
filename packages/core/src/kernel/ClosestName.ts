/** The edit distance of two texts (insertions, deletions, replacements, transpositions); `limit + 1` beyond the limit. */
const distance = (a: string, b: string, limit: number): number => {
  if (Math.abs(a.length - b.length) > limit) return limit + 1
  let beforeLast: ReadonlyArray<number> = []
  let last: Array<number> = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    let least = row
    for (let column = 1; column <= b.length; column++) {
      const isSame = a[row - 1] === b[column - 1]
      let cost = Math.min(
        (last[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (last[column - 1] ?? 0) + (isSame ? 0 : 1)
      )
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1]) {
        cost = Math.min(cost, (beforeLast[column - 2] ?? 0) + 1)
      }
      current.push(cost)
      if (cost < least) least = cost
    }
    if (least > limit) return limit + 1
    beforeLast = last
    last = current
  }
  return last[b.length] ?? limit + 1
}

/** Longer texts are not compared. */
const MAX_LENGTH = 64

/**
 * The known name closest to a misspelled one, ignoring case: at most a third of its length away, and the first of several
 * at the same distance. Undefined if none is close.
 */
export const closestName = (name: string, known: Iterable<string>): string | undefined => {
  if (name.length === 0 || name.length > MAX_LENGTH) return undefined
  const given = name.toLowerCase()
  let found: string | undefined
  let limit = Math.max(1, Math.floor(name.length / 3))
  for (const one of known) {
    if (one.length > MAX_LENGTH) continue
    const edits = distance(given, one.toLowerCase(), limit)
    if (edits <= limit) {
      found = one
      limit = edits - 1
      if (limit < 0) return found
    }
  }
  return found
}
