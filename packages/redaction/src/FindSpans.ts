import { runSync, type Steps } from "./Steps.js"
import type { CallText } from "./CallText.js"
import { cuesOf } from "./Cues.js"
import { dialogueOf } from "./dialogue/Dialogue.js"
import { placeIn, readingOf } from "./PlainText.js"
import { corrections } from "./recognizers/answers/Corrections.js"
import { CallReader } from "./recognizers/CallReader.js"
import { holidayDates } from "./recognizers/Dates.js"
import { recognizers } from "./recognizers/recognizers.js"
import { repeatCandidates } from "./Repeats.js"
import { type Found, resolve } from "./Resolve.js"
import type { Candidate } from "./TextSpan.js"
import { spokenAddressesOf } from "./SpokenForms.js"
import { namesOutside, runsOf, withoutNames } from "./SpokenNumbers.js"
import { wholeValue } from "./WholeValues.js"
import type { CallModel } from "./call-tagger/CallModel.js"
import {
  type CallReadings,
  type KnownReadings,
  readingValues,
  shippedCallModel,
  UNREAD
} from "./call-tagger/CallTagger.js"
import { callThresholds, type CallThresholds, SURE_VALUE } from "./call-tagger/Claims.js"
import { withoutUnlikely } from "./call-tagger/Unlikely.js"
import type { Model } from "./tagger/Model.js"
import { isPlausible } from "./tagger/Plausible.js"
import { shippedModel, taggerCandidates, type TaggerThresholds } from "./tagger/Tagger.js"

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
  /** Another tagger of calls than the shipped one; null for none. */
  readonly callModel?: CallModel | null
  readonly callThresholds?: CallThresholds
  /** What the tagger found in turns, by their text; shared between passes over one call. */
  readonly seen?: Map<string, ReadonlyArray<Candidate>>
  /** The same of the tagger of calls. */
  readonly seenCalls?: KnownReadings
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

function* callReadings(
  { call, dialogue, sets }: CallReader,
  { callModel = shippedCallModel(), callThresholds: thresholds = callThresholds, seenCalls = new Map() }: FindOptions
): Steps<CallReadings> {
  if (callModel === null) return { candidates: [], values: new Float64Array(0) }
  return yield* readingValues(call, dialogue.turns, sets, callModel, thresholds, seenCalls)
}

/** Whether a value is looked for elsewhere in the call as well: not what the tagger of calls is unsure of. */
const isSure = ({ recognizer, score }: Found): boolean => recognizer !== "calls" || score >= SURE_VALUE

/** Recognizers that may take the words that announce a value for the value. */
const ANNOUNCERS: ReadonlySet<string> = new Set(["answers", "tagger", "calls"])

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
  const placeOf = (start: number, end: number): number => start * (call.text.length + 1) + end
  const announcing = new Set(cues.map(({ from, to }) => placeOf(reader.start(from), reader.end(to))))
  const isAnnouncing = ({ end, start }: Candidate): boolean => announcing.has(placeOf(start, end))
  const readings = yield* callReadings(reader, options)
  let candidates: Array<Candidate> = []
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
  // The tagger of calls is more accurate than that of sentences, but skips blocks near placeholders and has no everyday
  // expressions. Its scores may all be below a higher threshold, which those of the tagger of sentences reach.
  const skipsReadTurns = !everyday && threshold <= DEFAULT_THRESHOLD
  const isRead = (token: number): boolean => skipsReadTurns && (readings.values[token] ?? UNREAD) >= 0
  const tagged = yield* taggerCandidates(call, everyday, isRead, model, options.thresholds, options.seen)
  add(
    tagged.filter((one) => isPlausible(reader, one)),
    "tagger"
  )
  add(corrections(reader, candidates), "answers")
  candidates = [...candidates, ...holidayDates(reader, candidates)]
  candidates = [...withoutUnlikely(call, candidates, readings.values)]
  add(readings.candidates, "calls")
  add(
    extra.map((one) => ({ ...one, ...readingOf(call.plain, one) })),
    "provider"
  )
  yield
  const settled = (some: ReadonlyArray<Candidate>): ReadonlyArray<Found> =>
    resolve(some, threshold).flatMap((one) => withoutSpaces(call.text, one))
  const first = settled(candidates)
  yield
  const again = withoutUnlikely(
    call,
    repeatCandidates(reader, first.filter(isSure)).map((one) => ({ ...one, recognizer: "repeats" })),
    readings.values
  )
  yield
  return again.length === 0 ? first : settled([...candidates, ...again])
}

/** What is left of a reading beside what is nothing may begin or end with spaces. */
const withoutSpaces = (text: string, one: Found): ReadonlyArray<Found> => {
  let { end, start } = one
  while (start < end && text[start]?.trim() === "") start++
  while (end > start && text[end - 1]?.trim() === "") end--
  return start === end ? [] : [{ ...one, start, end }]
}
