/** What changed between two texts, line by line. */

export interface DiffLine {
  readonly kind: "same" | "removed" | "added"
  readonly text: string
}

const linesOf = (text: string): ReadonlyArray<string> => (text === "" ? [] : text.split(/\r\n|\r|\n/))

/** Beyond it, the table of common lines would take too long, and the lines between are shown as replaced. */
const MAX_CELLS = 4_000_000

/** The lengths of the longest common subsequences of the rests of both lists, in rows of `right.length + 1`. */
const commonLengths = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): Uint32Array => {
  const width = right.length + 1
  const lengths = new Uint32Array((left.length + 1) * width)
  for (let i = left.length - 1; i >= 0; i--) {
    for (let j = right.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        left[i] === right[j]
          ? (lengths[(i + 1) * width + j + 1] ?? 0) + 1
          : Math.max(lengths[(i + 1) * width + j] ?? 0, lengths[i * width + j + 1] ?? 0)
    }
  }
  return lengths
}

const as =
  (kind: DiffLine["kind"]) =>
  (text: string): DiffLine => ({ kind, text })

const between = (left: ReadonlyArray<string>, right: ReadonlyArray<string>): ReadonlyArray<DiffLine> => {
  if ((left.length + 1) * (right.length + 1) > MAX_CELLS) {
    return [...left.map(as("removed")), ...right.map(as("added"))]
  }
  const width = right.length + 1
  const lengths = commonLengths(left, right)
  const lines: Array<DiffLine> = []
  let [i, j] = [0, 0]
  while (i < left.length && j < right.length) {
    const [one, other] = [left[i] ?? "", right[j] ?? ""]
    if (one === other) {
      lines.push({ kind: "same", text: one })
      i++
      j++
    } else if ((lengths[(i + 1) * width + j] ?? 0) >= (lengths[i * width + j + 1] ?? 0)) {
      lines.push({ kind: "removed", text: one })
      i++
    } else {
      lines.push({ kind: "added", text: other })
      j++
    }
  }
  return [...lines, ...left.slice(i).map(as("removed")), ...right.slice(j).map(as("added"))]
}

/**
 * The lines of both texts in order: the lines that are `same` and `removed` are those of `before`, those that are `same` and
 * `added` are those of `after`. As many lines as possible are the same.
 */
export const lineDiff = (before: string, after: string): ReadonlyArray<DiffLine> => {
  const [left, right] = [linesOf(before), linesOf(after)]
  const shorter = Math.min(left.length, right.length)
  let start = 0
  while (start < shorter && left[start] === right[start]) start++
  let end = 0
  while (end < shorter - start && left[left.length - 1 - end] === right[right.length - 1 - end]) end++
  return [
    ...left.slice(0, start).map(as("same")),
    ...between(left.slice(start, left.length - end), right.slice(start, right.length - end)),
    ...left.slice(left.length - end).map(as("same"))
  ]
}
