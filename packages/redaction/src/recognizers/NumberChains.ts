import { isApart, speakerAt } from "../CallText.js"
import { lastCueBefore } from "../Cues.js"
import { acknowledgements } from "../Lexicon.js"
import { isNanp } from "../Numbering.js"
import { phraseTrie } from "../PhraseTrie.js"
import type { Run } from "../SpokenNumbers.js"
import { isCardNumber } from "../Validators.js"
import type { CallReader } from "./CallReader.js"

/** Runs that are one value given bit by bit, with nothing but acknowledgements between them. */
export type Chain = ReadonlyArray<Run>

/** Most tokens between two parts of a value. */
const MAX_GAP = 12

const MAX_RUNS = 40

/** What is said in the middle of a number while the speaker looks for the rest of it. */
const pauses = phraseTrie<true>()
for (const phrase of [
  ...[
    "hang on",
    "hold on",
    "wait",
    "no wait",
    "sorry",
    "bear with me",
    "hold it",
    "one second",
    "one sec",
    "one moment"
  ],
  ...["one minute", "a second", "a sec", "a moment", "a minute", "just a second", "just a sec", "just a moment"],
  ...["just one second", "just one sec", "give me a second", "give me a sec", "give me one second", "let me think"],
  ...["let me see", "let me check", "let me look", "let me find it", "let me get it", "let's see", "lemme see"],
  ...["lemme think", "where was i", "what was it", "what is it", "and then", "then", "then it's", "and then it's"],
  ...[
    "and then it goes",
    "followed by",
    "and after that",
    "after that",
    "and it's",
    "the rest is",
    "i think",
    "i think it's"
  ],
  ...[
    "i want to say",
    "i believe",
    "and next",
    "next",
    "got that",
    "you got that",
    "did you get that",
    "are you with me"
  ],
  ...["you with me", "you there", "are you there", "are you ready", "got it", "excuse me", "pardon me"]
])
  pauses.add(phrase.split(" "), true)

/** What the other side says while the value is being given, and that asks for nothing else. */
const isAside = (reader: CallReader, token: number, of: number): boolean =>
  speakerAt(reader.call, token) !== speakerAt(reader.call, of) && reader.dialogue.breaks[reader.turn(token)] !== 1

/** "one moment", "12 are fine": a small number that counts what follows is no part of a code. */
export const isCounting = (reader: CallReader, run: Run): boolean => {
  if (run.chars.length > 2 || run.pieces.length !== 1) return false
  const next = reader.word(run.to)
  if (pauses.longestAt(reader.all, run.to) !== undefined) return false
  if (reader.word(run.from) === "one" && /^(is|was|that|i|to|of|for|more|thing)$/.test(next)) return true
  return (
    (/^[wf]$/.test(reader.cls(run.to)) ||
      (next === "i" && reader.word(run.to + 1) !== "mean" && reader.word(run.to + 1) !== "think")) &&
    !acknowledgements.has(next) &&
    !/^(ending|thank|thanks|she|he|she's|he's|she'll|he'll|they|they're|for|that|but|please|correct|right|did|sorry|wait|actually|i|mean|yes|no|not|or|maybe|exactly)$/.test(
      next
    )
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
  for (let at = last.to; at < run.from;) {
    const pause = pauses.longestAt(reader.all, at)
    const isPause = pause !== undefined && pause.to <= run.from
    if (!isPause && !isBetween(reader, at, run.from)) return false
    at = isPause ? pause.to : at + 1
  }
  return true
}

/** Most runs that complete a number which its speaker interrupts with words. */
const MAX_PARTS = 4

/** Most figures of a number that an aside may interrupt: those of a card. */
const LONGEST = 16

/** Whether figures are a whole number, by a check digit, a telephone plan or what the cue before them asks for. */
const isWhole = (chars: string, field: string | undefined): boolean =>
  isNanp(chars) ||
  isCardNumber(chars) ||
  (field === "ssn" && chars.length === 9) ||
  (field === "phone_number" && chars.length >= 10 && chars.length <= 12)

/**
 * How many runs from `next` on complete the number of a chain in the same turn, whatever words its speaker says in between
 * ("two oh six five five five oh one, I'm driving, one three"); 0 where none do. No word between may announce anything.
 */
const completing = (reader: CallReader, chain: Chain, next: number): number => {
  const [first] = chain
  let last = chain[chain.length - 1]
  if (first === undefined || last === undefined || !chain.every((run) => run.spoken && run.digits === run.chars.length))
    return 0
  const cue = reader.cues[lastCueBefore(reader.cues, first.from)]
  const isNear = cue !== undefined && first.from - cue.to <= MAX_GAP && !isApart(reader.call, cue.from, first.from)
  let chars = chain.map((run) => run.chars).join("")
  for (let count = 1; count <= MAX_PARTS && chars.length < LONGEST; count++) {
    const run = reader.runs[next + count - 1]
    const isPart =
      run !== undefined &&
      run.digits === run.chars.length &&
      run.from - last.to <= MAX_GAP &&
      // "... and ...": two numbers, not one
      !(run.from - last.to === 1 && reader.cls(last.to) === "&") &&
      reader.turn(run.from) === reader.turn(last.from) &&
      (reader.cues[lastCueBefore(reader.cues, run.from)]?.from ?? -1) < last.to
    if (!isPart) return 0
    chars += run.chars
    if (isWhole(chars, isNear ? cue.field : undefined)) return count
    last = run
  }
  return 0
}

export const chainsOf = (reader: CallReader): ReadonlyArray<Chain> => {
  const chains: Array<Array<Run>> = []
  let last: Run | undefined
  // Runs up to here complete the chain.
  let until = 0
  for (const [at, run] of reader.runs.entries()) {
    const chain = chains[chains.length - 1]
    const isLetter = run.digits === 0 && run.pieces.length < 2 && run.chars.length < 2
    if (at >= until && (isLetter || isCounting(reader, run))) continue
    const open = chain !== undefined && chain.length < MAX_RUNS ? chain : undefined
    let joins = open !== undefined && last !== undefined && (at < until || goesOn(reader, last, run))
    if (open !== undefined && !joins) {
      until = at + completing(reader, open, at)
      joins = at < until
    }
    if (joins) open?.push(run)
    else chains.push([run])
    last = run
  }
  return chains
}
