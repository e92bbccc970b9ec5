import { runSync, type Steps } from "./Steps.js"
import type { CallText } from "./CallText.js"
import { cuesOf } from "./Cues.js"
import { dialogueOf } from "./dialogue/Dialogue.js"
import { placeIn, readingOf } from "./PlainText.js"
import { corrections } from "./recognizers/answers/Corrections.js"
import { CallReader } from "./recognizers/CallReader.js"
import { recognizers } from "./recognizers/recognizers.js"
import { functionWords } from "./Lexicon.js"
import { placePrepositions } from "./recognizers/PlaceNames.js"
import { repeatCandidates } from "./Repeats.js"
import { type Found, resolve } from "./Resolve.js"
import type { Candidate } from "./TextSpan.js"
import { spokenAddressesOf } from "./SpokenForms.js"
import { namesOutside, runsOf, withoutNames } from "./SpokenNumbers.js"
import { wholeValue } from "./WholeValues.js"
import { tokenAt } from "./Tokens.js"
import type { Model } from "./tagger/Model.js"
import { isListedJob, shippedModel, taggerCandidates, type TaggerThresholds } from "./tagger/Tagger.js"

export interface FindOptions {
  /** Weekdays, "tomorrow", lengths of time, meetings and places such as "home" count too. Off unless switched on. */
  readonly everyday?: boolean
  /** Least score of a span, 0 to 1; Default: 0.5. A lower one finds more and is wrong more often. */
  readonly threshold?: number
  /** What a host's own model found, in offsets of the joined call text. */
  readonly extra?: ReadonlyArray<Candidate>
  /** Another tagger than the shipped one, for fitting and measuring. */
  readonly model?: Model
  readonly thresholds?: TaggerThresholds
  /** What the tagger found in turns, by their text; shared between passes over one call. */
  readonly seen?: Map<string, ReadonlyArray<Candidate>>
}

export const DEFAULT_THRESHOLD = 0.5

/**
 * Every sensitive span of a call, of all fields, in reading order, none overlapping. It does not depend on which fields
 * are asked for: so asking for more never changes what a span is, it only redacts more. Offsets are those of the original.
 */
export const findSpans = (call: CallText, options: FindOptions = {}): ReadonlyArray<Found> =>
  runSync(findingSpans(call, options)).map((one) => inOriginal(call, one))

/** A span of what is read, in offsets of the original. */
export const inOriginal = (call: CallText, found: Found): Found =>
  call.plain.starts === undefined
    ? found
    : {
        ...found,
        ...placeIn(call.plain, found),
        parts: found.parts.map((part) => ({ ...part, ...placeIn(call.plain, part) }))
      }

/** Recognizers that may take the words that announce a value for the value. */
const ANNOUNCERS: ReadonlySet<string> = new Set(["answers", "tagger"])

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
const isMarkup = ({ text }: CallText, { end, field, start }: Candidate): boolean =>
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

/** Whether a date that the tagger read is a small word or a number of one or two figures that nothing leads to. */
const isNoDate = (reader: CallReader, { end, field, start }: Candidate): boolean => {
  if (field !== "date" && field !== "time") return false
  const at = tokenAt(reader.call.tokens, start)
  if (tokenAt(reader.call.tokens, end - 1) !== at) return false
  if (PART_OF_DATE.test(reader.word(at))) return true
  return (
    /^\d{1,2}$/.test(reader.written(at)) &&
    !LEADS_TO_DAY.test(reader.word(at - 1)) &&
    !/^[Mm]$/.test(reader.cls(at - 1))
  )
}

/**
 * Whether a place that the tagger read is of everyday words that no place is called by and no preposition of place leads to, in
 * text with capitals: "Legal Resources", "machine operator", the "m" of "I'm".
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
    if (/^(i|m)$/.test(lower) && to - from === 1) return true
    const isCommon = reader.isIn("common1", lower) || reader.isIn("common2", lower) || reader.isIn("common3", lower)
    if (/^[dtyzNXF]$/.test(cls) || reader.isIn("places", lower) || /^\p{Lu}+$/u.test(text)) return false
    if (!isCommon && !functionWords.has(lower)) return false
  }
  return true
}

/** The same, in steps, and in offsets of what is read. */
export function* findingSpans(call: CallText, options: FindOptions = {}): Steps<ReadonlyArray<Found>> {
  const { everyday = false, extra = [], threshold = DEFAULT_THRESHOLD } = options
  const model = options.model ?? shippedModel()
  const whole = runsOf(call.tokens)
  yield
  const cues = namesOutside(cuesOf(call), whole)
  const runs = withoutNames(whole, cues)
  yield
  const addresses = spokenAddressesOf(call.tokens, runs)
  const reader = new CallReader(call, runs, cues, addresses, model.sets, dialogueOf(call, cues))
  // A word that announces a value is none itself: "phone ..., ssn ..." as an answer, or as the tagger reads it.
  const announcing = new Set(cues.map(({ from, to }) => `${reader.start(from)} ${reader.end(to)}`))
  const isAnnouncing = ({ end, start }: Candidate): boolean => announcing.has(`${start} ${end}`)
  const candidates: Array<Candidate> = []
  const add = (some: ReadonlyArray<Candidate>, recognizer: string): void => {
    const mayAnnounce = ANNOUNCERS.has(recognizer)
    for (const one of some) {
      if ((!everyday && one.everyday === true) || (mayAnnounce && isAnnouncing(one))) continue
      candidates.push({ ...wholeValue(reader, one), recognizer: one.recognizer ?? recognizer })
    }
  }
  for (const [name, recognize] of recognizers) {
    yield
    add(recognize(reader), name)
  }
  const tagged = yield* taggerCandidates(call, everyday, model, options.thresholds, options.seen)
  add(
    tagged.filter(
      (one) =>
        !splitsNumber(reader, one) &&
        !isOrdinary(reader, one) &&
        !isMarkup(call, one) &&
        !isNoDate(reader, one) &&
        !isNoJob(reader, one)
    ),
    "tagger"
  )
  add(corrections(reader, candidates), "answers")
  add(
    extra.map((one) => ({ ...one, ...readingOf(call.plain, one) })),
    "provider"
  )
  yield
  const first = resolve(candidates, threshold)
  yield
  const again = repeatCandidates(reader, first).map((one) => ({ ...one, recognizer: "repeats" }))
  yield
  return again.length === 0 ? first : resolve([...candidates, ...again], threshold)
}
