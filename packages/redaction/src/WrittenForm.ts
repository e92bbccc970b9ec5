import type { SpokenAddress } from "./SpokenForms.js"
import type { Run } from "./SpokenNumbers.js"
import type { Tokens } from "./Tokens.js"

/** A text in written form and, for each of its characters, where in the original it was said. */
export interface WrittenForm {
  readonly text: string
  readonly starts: Int32Array
  readonly ends: Int32Array
}

/**
 * Spoken numbers as figures, spelled letters joined, spoken addresses with their signs, the rest as it
 * is. Every character of the answer knows the stretch of the original it came from, in UTF-16 code units.
 */
export const writtenFormOf = (
  tokens: Tokens,
  runs: ReadonlyArray<Run>,
  addresses: ReadonlyArray<SpokenAddress>
): WrittenForm => {
  const { all, text } = tokens
  const parts: Array<string> = []
  const starts: Array<number> = []
  const ends: Array<number> = []
  const put = (characters: string, start: number, end: number): void => {
    parts.push(characters)
    starts.push(...new Array<number>(characters.length).fill(start))
    ends.push(...new Array<number>(characters.length).fill(end))
  }
  const copy = (start: number, end: number): void => {
    if (end <= start) return
    parts.push(text.slice(start, end))
    for (let unit = start; unit < end; unit++) {
      starts.push(unit)
      ends.push(unit + 1)
    }
  }
  const inAddress = (run: Run): boolean =>
    addresses.some((address) => run.from >= address.from && run.from < address.to)
  const units = [
    ...addresses.map((address) => ({ from: address.from, to: address.to, address, run: undefined })),
    ...runs
      .filter((run) => run.spoken && !inAddress(run))
      .map((run) => ({ from: run.from, to: run.to, address: undefined, run }))
  ].sort((a, b) => a.from - b.from)
  let done = 0
  for (const unit of units) {
    const start = all[unit.from]?.start ?? 0
    const end = all[unit.to - 1]?.end ?? 0
    if (start < done) continue
    copy(done, start)
    if (unit.address !== undefined) put(unit.address.written, start, end)
    else {
      unit.run.pieces.forEach((piece, index) => {
        const joint = unit.run.joints[index] ?? ""
        const from = all[piece.from]?.start ?? 0
        if (joint === "." || joint === "-" || joint === "/") put(joint, from, from)
        put(piece.chars, from, all[piece.to - 1]?.end ?? 0)
      })
    }
    done = end
  }
  copy(done, text.length)
  return { text: parts.join(""), starts: Int32Array.from(starts), ends: Int32Array.from(ends) }
}
