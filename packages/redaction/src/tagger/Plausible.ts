/** Which of the tagger's readings the words and signs that they consist of contradict. */
import { functionWords } from "../Lexicon.js"
import type { CallReader } from "../recognizers/CallReader.js"
import { placePrepositions } from "../recognizers/PlaceNames.js"
import type { Candidate } from "../TextSpan.js"
import { tokenAt } from "../Tokens.js"
import { isListedJob } from "./Tagger.js"

/** "forty two thousand": whether a reading begins in the middle of a number. */
const splitsNumber = (reader: CallReader, { start }: Candidate): boolean => {
  const at = tokenAt(reader.call.tokens, start)
  return reader.cls(at) === "d" && reader.cls(at - 1) === "y"
}

const CAPITAL = /\p{Lu}/u

/** Signs of markup and code, which stand in no name, place or occupation. */
const MARKUP = /[()[\]{}*_~<>`|=#]/
const inWords: ReadonlySet<string> = new Set(["location", "person_name", "occupation"])

/** Whether the tagger read a name, a place or an occupation over signs of markup. */
const isMarkup = ({ call: { text } }: CallReader, { end, field, start }: Candidate): boolean =>
  inWords.has(field) && MARKUP.test(text.slice(start, end))

/** Endings of words for people who do something, and words that lead to what somebody is. */
const AGENT =
  /(?:er|or|ist|ian|man|men|woman|women|ant|ent|ee|ess|eer|yst|ard|ic|ief|ead|ers|ors|ists|ians|tech|cook|judge|nurse|maid|clerk|aide)$/
const LEADS_TO_JOB = /^(a|an|as|am|i'm|he's|she's|retired|former|my|his|her)$/

/** Whether a word that the tagger read as an occupation is called by no ending or context of one: "benchmark comparison". */
const isNoJob = (reader: CallReader, { end, field, start }: Candidate): boolean => {
  if (field !== "occupation") return false
  const from = tokenAt(reader.call.tokens, start)
  const last = reader.word(tokenAt(reader.call.tokens, end - 1))
  if (AGENT.test(last) || isListedJob(last)) return false
  return (
    !LEADS_TO_JOB.test(reader.word(from - 1)) ||
    (reader.word(from - 2) !== "as" && !/^(am|i'm|was|is|be|work|works|worked|working)$/.test(reader.word(from - 2)))
  )
}

/** Whether letters are all small in a turn that begins with a capital: where capitals are written, places have one. */
const isLowerCase = ({ call: { text } }: CallReader, turn: number, start: number, end: number): boolean =>
  CAPITAL.test(text[turn] ?? "") && /^[\p{Ll}\s'’-]+$/u.test(text.slice(start, end))

/** Words of dates that are none alone. */
const PART_OF_DATE = /^(the|of|and|first|second|one|to|in|on)$/
const LEADS_TO_DAY = /^(the|on|by|until|till|since|from|of|for|before|after)$/

/** "from one to ten", "up to ten kilos", "what would make it a ten": a number word that is the end of a scale or a mark. */
const isLimit = (reader: CallReader, at: number): boolean => {
  if (!/^[dt]$/.test(reader.cls(at))) return false
  if (reader.word(at - 1) === "a") return true
  if (reader.word(at - 1) !== "to") return false
  return reader.word(at - 2) === "up" || (reader.word(at - 2) === "one" && reader.value(at) === SCALE)
}
const SCALE = 10

/** Whether a date that the tagger read is a small word or a number of one or two figures that nothing leads to. */
const isNoDate = (reader: CallReader, { end, field, start }: Candidate): boolean => {
  if (field !== "date" && field !== "time") return false
  const at = tokenAt(reader.call.tokens, start)
  if (tokenAt(reader.call.tokens, end - 1) !== at) return false
  if (PART_OF_DATE.test(reader.word(at)) || isLimit(reader, at)) return true
  return (
    /^\d{1,2}$/.test(reader.written(at)) &&
    !LEADS_TO_DAY.test(reader.word(at - 1)) &&
    !/^[Mm]$/.test(reader.cls(at - 1))
  )
}

/**
 * Whether a place that the tagger read is of everyday words that no place is called by and no preposition of place leads to, in
 * text with capitals: "Legal Resources", "machine operator", a letter alone such as the "m" of "I'm".
 */
const isOrdinary = (reader: CallReader, { end, field, start }: Candidate): boolean => {
  if (field !== "location") return false
  const { all, call } = reader
  const from = tokenAt(call.tokens, start)
  const to = tokenAt(call.tokens, end - 1) + 1
  const turn = call.turns[reader.turn(from)]
  if (turn === undefined || !CAPITAL.test(call.text.slice(turn.start, turn.end))) return false
  if (reader.isIn("places", reader.phrase(from, to)) || placePrepositions.has(reader.word(from - 1))) return false
  if (isLowerCase(reader, turn.start, start, end)) return true
  for (let at = from; at < to; at++) {
    const { cls, lower, text } = all[at] ?? { cls: "", lower: "", text: "" }
    if (/^\p{L}\p{M}*$/u.test(lower) && to - from === 1) return true
    const isCommon = reader.isIn("common1", lower) || reader.isIn("common2", lower) || reader.isIn("common3", lower)
    if (/^[dtyzNXF]$/.test(cls) || reader.isIn("places", lower) || /^\p{Lu}+$/u.test(text)) return false
    if (!isCommon && !functionWords.has(lower)) return false
  }
  return true
}

const LATIN = /\p{Script=Latin}|\p{N}/u

/** Whether it is in letters that the tagger, which is fitted on English, has never read, in text that is English otherwise. */
const isOtherScript = (reader: CallReader, { end, start }: Candidate): boolean =>
  reader.call.tokens.isForeign !== true && !LATIN.test(reader.call.text.slice(start, end))

const contradictions = [isOtherScript, splitsNumber, isOrdinary, isMarkup, isNoDate, isNoJob]

export const isPlausible = (reader: CallReader, one: Candidate): boolean =>
  !contradictions.some((contradicts) => contradicts(reader, one))
