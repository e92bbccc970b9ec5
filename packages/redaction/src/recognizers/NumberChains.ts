import { isApart, speakerAt } from "../CallText.js"
import { acknowledgements } from "../Lexicon.js"
import type { Run } from "../SpokenNumbers.js"
import type { CallReader } from "./CallReader.js"

/** Runs that are one value given bit by bit, with nothing but acknowledgements between them. */
export type Chain = ReadonlyArray<Run>

/** Most tokens between two parts of a value. */
const MAX_GAP = 12

const MAX_RUNS = 40

/** What the other side says while the value is being given, and that asks for nothing else. */
const isAside = (reader: CallReader, token: number, of: number): boolean =>
  speakerAt(reader.call, token) !== speakerAt(reader.call, of) && reader.dialogue.breaks[reader.turn(token)] !== 1

/** "one moment", "12 are fine": a small number that counts what follows is no part of a code. */
export const isCounting = (reader: CallReader, run: Run): boolean => {
  if (run.chars.length > 2 || run.pieces.length !== 1) return false
  const next = reader.word(run.to)
  if (reader.word(run.from) === "one" && /^(is|was|that|i|to|of|for|more|thing)$/.test(next)) return true
  return (
    (/^[wf]$/.test(reader.cls(run.to)) ||
      (next === "i" && reader.word(run.to + 1) !== "mean" && reader.word(run.to + 1) !== "think")) &&
    !acknowledgements.has(next) &&
    !/^(ending|thank|thanks|for|that|but|please|correct|right|did|sorry|wait|actually|i|mean|yes|no)$/.test(next)
  )
}

/** Whether a token may stand between two parts of a value. */
const isBetween = (reader: CallReader, at: number, next: number): boolean =>
  reader.cls(at) === "n" ||
  reader.cls(at) === "P" ||
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
  for (let turn = reader.turn(last.to - 1) + 1; turn < reader.turn(run.from); turn++)
    if (reader.dialogue.breaks[turn] === 1) return false
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
