import type { Candidate } from "../TextSpan.js"
import type { CallReader } from "./CallReader.js"

/** How many tokens behind an introduction a spelled name may begin. */
const SPELLING_REACH = 14

/** Names spelled letter by letter behind something that introduces them: "that's S M I T H". */
export const spelledNames = (reader: CallReader, from: number, phrase: string): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  for (let at = from; at < Math.min(reader.all.length, from + SPELLING_REACH); at++) {
    const run = reader.runFrom(at)
    if (run === undefined) continue
    if (run.digits > 0) return found
    if (run.pieces.filter((piece) => piece.chars.length === 1).length < 3) continue
    found.push(reader.candidate("person_name", run.from, run.to, 0.82, `spelled near "${phrase}"`))
    at = run.to
  }
  return found
}
