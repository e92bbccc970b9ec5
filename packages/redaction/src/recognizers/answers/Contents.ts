import { acknowledgements, fillers, functionWords, surnameWords, wordSet } from "../../Lexicon.js"
import type { AnswerPlace } from "../../dialogue/Dialogue.js"
import type { CallReader } from "../CallReader.js"

/** Words of an answer that are left when what opens, links and ends it is taken away; tokens, `to` exclusive. */
export interface Content {
  readonly from: number
  readonly to: number
}

/** What stands around an answer and is no part of it. */
export const around =
  wordSet(`it it's its is that's that would be my name the this i'm i am was sure yes of course hold on let me see right so okay
 under hi hello well think guess live living lives in from located based near just outside a an work working works as born here they call
 called sorry no wait actually mean make correction and you can put down city town send to please thank thanks all for
 calling speaking again with first last full spelled address should be we we're are our at moved over by uh um er like goes
 have got did get correct repeat read back i'll use go ahead but if then usually currently now don't do not know why who what
 where when how which need want because your his her their there mm mhm huh yeah yep nope nothing none same one moment second
 been has had he she him user username handle login job i've male he's she's myself me too also only still always never
 wife husband son daughter mother father mom mum dad brother sister boss neighbor friend partner roommate fiance fiancee
 bye goodbye nobody nobody's somebody someone anyone everyone it'll that'll how's lemme gonna wanna gotta say said tell told ask asked question rather prefer comfortable explain sir ma'am`)

/** Most tokens of one value. */
const MAX_WORDS = 9

/** Most words of an answer of which every part is taken. */
const MAX_ANSWER = 14

const isInside = (reader: CallReader, at: number, extra: ReadonlySet<string>): boolean =>
  extra.has(reader.word(at)) || /^[-'’._@+&/]$/.test(reader.written(at))

/** Signs that an address or a user name may begin with. */
const opens = wordSet("at underscore dot")

/** Words that a surname may begin with. */
const surnameStarts = wordSet("de la van von der den del della di da du el al bin ben le mac san")

/** Words that the name of a place may begin with: "st brendan's", "new ferry". */
const placeStarts = wordSet("st saint new fort port upper lower north south east west")

/** Whether only a comma or a filler stands between two parts of an address. */
const isPause = (reader: CallReader, from: number, to: number): boolean => {
  if (to - from > 2) return false
  for (let at = from; at < to; at++) if (reader.written(at) !== "," && !fillers.has(reader.word(at))) return false
  return true
}

/** "you've", "they'll" */
const CONTRACTION = /^(?:i|you|we|they|he|she|it|that|who|what|there|here)'(?:ve|re|ll|d|m|s)$/

const isWord = (reader: CallReader, at: number, extra: ReadonlySet<string>): boolean => {
  const word = reader.word(at)
  if (extra.has(word)) return true
  return (
    /[\p{L}\p{N}]/u.test(word) &&
    reader.cls(at) !== "P" &&
    !around.has(word) &&
    !CONTRACTION.test(word) &&
    !fillers.has(word) &&
    !acknowledgements.has(word) &&
    !(
      functionWords.has(word) &&
      reader.cls(at) === "w" &&
      !/^(street|box|north|south|new|little)$/.test(word) &&
      !(surnameWords.has(word) && reader.isCapitalized(at))
    )
  )
}

/** Stretches of words in an answer; `extra` are words that belong to such a value though they usually stand around one. */
export const contentsOf = (
  reader: CallReader,
  place: AnswerPlace,
  extra: ReadonlySet<string>
): ReadonlyArray<Content> => {
  const found: Array<{ from: number; to: number }> = []
  let words = 0
  for (let at = place.from; at < place.to; at++) {
    if (/[\p{L}\p{N}]/u.test(reader.written(at))) words++
    const last = found[found.length - 1]
    if (isWord(reader, at, extra)) {
      const isNext = (to: number): boolean => to === at || (extra.has("dot") && isPause(reader, to, at))
      if (last !== undefined && isNext(last.to) && at - last.from < MAX_WORDS) last.to = at + 1
      else if (
        !extra.has(reader.word(at)) ||
        opens.has(reader.word(at)) ||
        (extra.has("van") && surnameStarts.has(reader.word(at))) ||
        (extra.has("street") &&
          placeStarts.has(reader.word(at)) &&
          !extra.has(reader.word(at + 1)) &&
          isWord(reader, at + 1, extra))
      )
        found.push({ from: at, to: at + 1 })
    } else if (last?.to === at && isInside(reader, at, extra) && isWord(reader, at + 1, extra)) last.to = at + 1
  }
  return words > MAX_ANSWER ? found.slice(0, 1) : found
}

/** Most tokens of an answer that is taken as a whole. */
const MAX_WHOLE = 8

/** What ends the part of an answer that says what was asked for. */
const CLAUSE_END = /^[,.;?!]$/
const OTHER_CLAUSE = /^(but|because|so|though|although|if|and)$/

/** What is said where something is not known or not told. */
const UNKNOWING =
  /^(?:can['’]t|cannot|couldn['’]t|don['’]t|won['’]t|forgot|forget|forgotten|not|no|sure|rather|why|know|think|need|yes|what|you|i|we|will|would|can|could|should|was|were|did|does|do|is|are|has|had|have)$/

/** With what an answer begins that asks in return: words of a question, or a verb with its subject behind it. */
const QUESTION_WORD = /^(?:why|what|what's|how|isn't|aren't|doesn't)$/
const VERB_FIRST = /^(?:is|are|am|can|can't|could|couldn't|do|don't|does|did|didn't|should|shall|must|would|will)$/
const SUBJECT = /^(?:i|you|we|they|he|she|it|that|this|there|the|my|your|anyone|anybody)$/
/** Words before them. */
const BEFORE_QUESTION = /^(?:and|but|so|well|sorry|erm|hang|hold|on|wait|hey|look|oh|no|um|uh)$/

/** What says that somebody does not tell something, anywhere in a short answer. */
const DECLINES =
  /\b(?:(?:none of|mind) (?:your|ya|yer)|(?:prefer|rather) not|not (?:comfortable|telling|saying|giving|sharing|going to (?:say|tell|give|answer))|(?:won't|refuse to|decline to) (?:say|tell|give|share|answer)|no comment|knows (?:it|that|them|this))\b/
const PRIVATE = /^(?:private|personal|confidential)$/
/** What stands before such a word that is no part of a job or the like: "that's private", "a bit personal". */
const BEFORE_PRIVATE = /^(?:that's|it's|is|too|bit|quite|very|rather|strictly)$/
/** What may stand behind it: "personal mate". */
const AFTER_PRIVATE =
  /^(?:mate|sir|madam|ma'am|love|pal|thanks|really|actually|information|info|i|i'm|sorry|[,.!?;\n])$/

/** Most tokens of an answer that says nothing but that. */
const MAX_NONE = 16

/** Whether an answer gives no value as a whole: "is this really necessary", "none of your business", "that's private". */
export const givesNone = (reader: CallReader, first: number, end: number): boolean => {
  if (end - first > MAX_NONE) return false
  let from = first
  while (from < end && (BEFORE_QUESTION.test(reader.word(from)) || CLAUSE_END.test(reader.written(from)))) from++
  // "what my first pet? biscuit"
  const isQuestion =
    QUESTION_WORD.test(reader.word(from)) ||
    (VERB_FIRST.test(reader.word(from)) && SUBJECT.test(reader.word(from + 1)) && from + 1 < end)
  const asks = isQuestion && !answersItself(reader, from, end)
  if (asks || DECLINES.test(reader.phrase(first, end))) return true
  for (let at = first; at < end; at++)
    if (
      PRIVATE.test(reader.word(at)) &&
      BEFORE_PRIVATE.test(reader.word(at - 1)) &&
      (at + 1 === end || AFTER_PRIVATE.test(reader.word(at + 1)))
    )
      return true
  return false
}

const answersItself = (reader: CallReader, from: number, end: number): boolean => {
  for (let at = from; at + 1 < end; at++) if (reader.written(at) === "?") return true
  return false
}

/** The first clause of an answer without what opens and ends it, where it is short and tells what it is. */
export const wholeAnswer = (reader: CallReader, { end, from: first }: AnswerPlace): ReadonlyArray<Content> => {
  const isAround = (at: number): boolean =>
    around.has(reader.word(at)) || fillers.has(reader.word(at)) || acknowledgements.has(reader.word(at))
  let from = first
  while (from < end && (isAround(from) || CLAUSE_END.test(reader.written(from)))) from++
  let to = from
  while (to < end && !CLAUSE_END.test(reader.written(to)) && !OTHER_CLAUSE.test(reader.word(to))) to++
  while (to > from && (isAround(to - 1) || functionWords.has(reader.word(to - 1)))) to--
  if (to <= from || to - from > MAX_WHOLE) return []
  for (let at = from; at < to; at++)
    if (UNKNOWING.test(reader.word(at)) || reader.cls(at) === "P" || reader.cls(at) === "n") return []
  return [{ from, to }]
}
