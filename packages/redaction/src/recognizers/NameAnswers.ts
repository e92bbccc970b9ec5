import { isApart, speakerAt } from "../CallText.js"
import { fillers } from "../Lexicon.js"
import type { Candidate } from "../TextSpan.js"
import type { NameReader } from "./NameReading.js"
import { spelledNames } from "./SpelledNames.js"

/** Most tokens of the rest of a question. */
const QUESTION_REACH = 24
const QUESTION_REACH_IN_TEXT = 10

/** Past what opens an answer and is no name: "it's", "the name is". */
const skipOpening = ({ reader }: NameReader, at: number): number => {
  let to = at
  while (
    fillers.has(reader.word(to)) ||
    /^[,:"'“.…-]$/.test(reader.word(to)) ||
    /^(is|it's|that's|the|name|my|would|be|spelled|under|was|i'm|this)$/.test(reader.word(to))
  )
    to++
  return to
}

/** The token before the answer to a question that ends at `from`: the end of the turn, or "?" within one text. */
const answerMark = ({ reader }: NameReader, from: number): number | undefined => {
  const { call } = reader
  let at = from
  while (at < reader.all.length && reader.cls(at) !== "n" && at - from < QUESTION_REACH) at++
  const isLineEnd = reader.cls(at) === "n"
  const isOther = isLineEnd && speakerAt(call, at + 1) !== speakerAt(call, from - 1) && !isApart(call, at + 1, from - 1)
  if (isOther || (isLineEnd && call.turns.length === 1)) return at
  // One text: "Bot: What's the name on the account? User: Carl Berecz"
  at = from
  while (at < reader.all.length && at - from < QUESTION_REACH_IN_TEXT && reader.word(at) !== "?") at++
  if (reader.word(at) !== "?") return undefined
  return reader.word(at + 2) === ":" ? at + 2 : at
}

const POLITE = /^(sure|yes|of|course|hi|hello|hey|thanks)$/

const answerStart = (names: NameReader, mark: number): number => {
  const { reader } = names
  let start = skipOpening(names, mark + 1)
  if (!POLITE.test(reader.word(start))) return start
  // Any single character passes here: commas, stops, and letters of stammering.
  while (/^(sure|yes|of|course|hi|hello|hey|thanks|,|.)$/.test(reader.word(start)) && start - mark < 6) start++
  return skipOpening(names, start)
}

/** Whether a name is all of the answer, or is followed by what goes on after a name. */
const isWholeAnswer = ({ reader }: NameReader, to: number): boolean =>
  reader.endsAt(to, /^[.,?!n;]$/) || /^(and|spelled|that's|calling|with|here|speaking|s)$/.test(reader.word(to))

/** The name that answers a question for one, plain or spelled. */
export const answerOf = (names: NameReader, from: number, phrase: string): ReadonlyArray<Candidate> => {
  const { reader } = names
  const mark = answerMark(names, from)
  if (mark === undefined) return []
  const start = answerStart(names, mark)
  const run = reader.runFrom(start)
  if (run?.digits === 0 && run.pieces.length >= 3)
    return [names.candidate("person_name", run.from, run.to, 0.85, `spelled, answers "${phrase}"`)]
  const to = names.nameEnd(start, true, 4)
  if (to === start) return []
  const isKnown = names.isKnown(start)
  const isName = isKnown || ((names.isCapital(start) || !names.isCommon(names.bare(start))) && isWholeAnswer(names, to))
  return [
    ...(isName ? [names.candidate("person_name", start, to, isKnown ? 0.88 : 0.72, `answers "${phrase}"`)] : []),
    ...spelledNames(reader, to, phrase)
  ]
}
