import { isApart, speakerAt } from "../CallText.js"
import { acknowledgements } from "../Lexicon.js"
import type { Run } from "../SpokenNumbers.js"
import type { CallReader } from "./CallReader.js"

/** Runs that are one value given bit by bit, with nothing but acknowledgements between them. */
export type Chain = ReadonlyArray<Run>

/** Most tokens between two parts of a value. */
const MAX_GAP = 12

/** Most words that the other side says while a value is being given: "got that", "sure thing". */
const MAX_ASIDE = 6

const MAX_RUNS = 40

const isAside = ({ call }: CallReader, token: number, of: number): boolean => {
  const turn = call.turnOf[token]
  let first = token
  while (first > 0 && token - first < MAX_ASIDE && call.turnOf[first - 1] === turn) first--
  return call.turnOf[first + MAX_ASIDE] !== turn && speakerAt(call, token) !== speakerAt(call, of)
}

/** "one moment", "12 are fine": a small number that counts what follows is no part of a code. */
const isCounting = (reader: CallReader, run: Run): boolean => {
  if (run.chars.length > 2 || run.pieces.length !== 1) return false
  const next = reader.word(run.to)
  return (
    (/^[wf]$/.test(reader.cls(run.to)) || next === "i") &&
    !acknowledgements.has(next) &&
    !/^(ending|thank|thanks|for|that|but|please)$/.test(next)
  )
}

/** Whether a token may stand between two parts of a value. */
const isBetween = (reader: CallReader, at: number, next: number): boolean =>
  /^[nP]$/.test(reader.cls(at)) ||
  /^[,.;:!?\-…–]$/.test(reader.written(at)) ||
  acknowledgements.has(reader.word(at)) ||
  isAside(reader, at, next)

/** Whether a run goes on with the value of the run before it. */
const goesOn = (reader: CallReader, last: Run, run: Run): boolean => {
  if (
    run.from - last.to > MAX_GAP ||
    reader.turn(run.from) - reader.turn(last.to - 1) > 2 ||
    isApart(reader.call, last.from, run.from)
  )
    return false
  for (let at = last.to; at < run.from; at++) if (!isBetween(reader, at, run.from)) return false
  return true
}

export const chainsOf = (reader: CallReader): ReadonlyArray<Chain> => {
  const chains: Array<Array<Run>> = []
  let last: Run | undefined
  for (const run of reader.runs) {
    const isLetter = run.digits === 0 && run.pieces.length < 2 && run.chars.length < 2
    if (isLetter || isCounting(reader, run)) continue
    const chain = chains[chains.length - 1]
    if (last !== undefined && chain !== undefined && chain.length < MAX_RUNS && goesOn(reader, last, run))
      chain.push(run)
    else chains.push([run])
    last = run
  }
  return chains
}
