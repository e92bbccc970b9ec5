import { readFileSync } from "node:fs"
import type { CallText } from "../CallText.js"
import { isMarker } from "../Languages.js"
import type { Steps } from "../Steps.js"
import { type Candidate, candidate } from "../TextSpan.js"
import { type SensitiveField, sensitiveFields } from "../SensitiveField.js"
import { ChainSums, type LikelyRun, likelyRuns } from "./ChainModel.js"
import { columnsOf, FEATURES, featuresOf } from "./Features.js"
import { LABELS, type Model, taggerLabels, unpackModel } from "./Model.js"
import { inSet } from "./WordSets.js"
import { wordSet } from "../Lexicon.js"
import { ambiguousOccupations, interjections, occupations, wordNames } from "../WordLists.js"

let loaded: Model | undefined

/**
 * The shipped model, read and unpacked at the first use (about 30 ms) and kept. Its weights are a file of the package, not
 * a module: a program that redacts nothing does not load them.
 */
export const shippedModel = (): Model =>
  (loaded ??= unpackModel(readFileSync(new URL("../../data/tagger.bin", import.meta.url))))

/** Most tokens that are tagged together; a longer turn is tagged in pieces. */
const MAX_STRETCH = 400

const LONG_NUMBER = 7

/** How likely tokens of a stretch are each label, where they may be part of a value. */
const likelyIn = (model: Model, rows: Int32Array, length: number): ReadonlyArray<LikelyRun> => {
  const sums = new ChainSums(model, length)
  for (let i = 0; i < length; i++) sums.add(i, rows, i * FEATURES, (i + 1) * FEATURES)
  return likelyRuns(sums)
}

const fields = taggerLabels.map((label) => sensitiveFields.find((field) => field === label.replace("+", "")))
const isEveryday = taggerLabels.map((label) => label.endsWith("+"))

const TITLES = /^(mr|mrs|ms|miss|mx|dr|doctor|prof|professor)$/

const MARK = /^[-'’,.!]$/

const POSSESSIVE = /\p{L}['’]s$/u

/** What people do, in one word. */
const JOBS: ReadonlySet<string> = new Set([...occupations, ...ambiguousOccupations].filter((job) => !job.includes(" ")))

/** Whether an occupation is called by a word. */
export const isListedJob = (word: string): boolean => JOBS.has(word)

/** What kind of a phone number stands before it: "2813882583 mobile". */
const PHONE_LABELS = /^(office|mobile|cell|fax|home|work|landline|direct)$/

/** "the first three months" is a length of time. */
const POSITIONS = /^(first|second|third|last|next|past|previous)$/

/** How likely a token must be part of any field, and of which field most likely, before it is claimed. */
export interface TaggerThresholds {
  readonly plain: number
  readonly everyday: number
}

export const defaultThresholds: TaggerThresholds = { plain: 0.42, everyday: 0.4 }

/** How many tokens are tagged in one step. */
const STEP = 4096

/** Adjacent tokens that are claimed for one field. */
interface Claim {
  readonly field: SensitiveField | undefined
  readonly from: number
  to: number
  /** The tokens' shares of all labels, added up. */
  sum: number
  everyday: boolean
}

interface LikelyLabel {
  readonly label: number
  /** The share of all labels that count. */
  readonly total: number
}

/** The likeliest label of the `i`th token of a stretch. */
const likeliest = (likely: Float64Array, i: number, everyday: boolean): LikelyLabel => {
  let best = 0
  let bestShare = 0
  let total = 0
  for (let label = 1; label < LABELS; label++) {
    if (!everyday && isEveryday[label] === true) continue
    const share = likely[i * LABELS + label] ?? 0
    total += share
    if (share > bestShare) {
      bestShare = share
      best = label
    }
  }
  return { label: best, total }
}

const OPENING_MARK = /^[^\p{L}\p{N}$#+(]$/u
const CLOSING_MARK = /^[^\p{L}\p{N}]$/u

/** Words that a name alone follows. */
const BEFORE_NAME = wordSet(
  "hi hey hello thanks bye goodbye is i'm am it's name's mr mrs ms miss dear you for with by , please sure sorry okay"
)

/** Fewest digits in a row that are no date. */
const LONG_DATE = 9

/** Fields whose values have words. */
const NAMED: ReadonlySet<string> = new Set(["person_name", "location", "occupation", "event"])
/** Classes of words, letters, months and the like. */
const WORDS: ReadonlySet<string> = new Set("wLMmXWsFbeCG")
const CAPITAL = /^\p{Lu}/u

/** By how much a place is less sure to be a name, and a name to be a place, than what the tagger says. */
const OTHER_READING = 0.1

/** Tags the turns of a call. */
class Tagger {
  readonly #least: number

  constructor(
    readonly call: CallText,
    readonly everyday: boolean,
    readonly model: Model,
    thresholds: TaggerThresholds
  ) {
    this.#least = everyday ? thresholds.everyday : thresholds.plain
  }

  /** Where a stretch ends that begins at a token: with its turn, or at the most tokens. */
  stretchEnd(from: number): number {
    const { tokens, turnOf } = this.call
    let to = from
    while (to < tokens.all.length && to - from < MAX_STRETCH && turnOf[to] === turnOf[from]) to++
    return to
  }

  /** What is found in a stretch. */
  find(from: number, to: number): ReadonlyArray<Candidate> {
    const { tokens } = this.call
    const runs = likelyIn(this.model, featuresOf(columnsOf(tokens, from, to, this.model.sets)), to - from)
    const claims = runs.flatMap((run) => this.#claims(run, from))
    return claims.flatMap((claim, at) => {
      const one = this.#isBelonging(claim, claims[at - 1]) ? undefined : this.#candidate(claim)
      return one === undefined ? [] : [one, ...this.#otherReading(one, claim)]
    })
  }

  /** The claims of a run of a stretch that begins at token `start`. */
  #claims({ from, likely, to }: LikelyRun, start: number): ReadonlyArray<Claim> {
    const claims: Array<Claim> = []
    let open: Claim | undefined
    for (let at = start + from; at < start + to; at++) {
      const { label, total } = likeliest(likely, at - start - from, this.everyday)
      const cls = this.call.tokens.all[at]?.cls
      if (total < this.#least || cls === "P" || cls === "n" || this.#isPossessive(at)) {
        open = undefined
        continue
      }
      const field = fields[label]
      if (
        (field === "location" && this.#isNoPlace(at)) ||
        ((field === "date" || field === "time") && this.#isInLongNumber(at, LONG_DATE)) ||
        (field === "date" && this.#isPosition(at))
      ) {
        open = undefined
        continue
      }
      if (open?.field !== field || open === undefined) {
        open = { field, from: at, to: at, sum: 0, everyday: true }
        claims.push(open)
      }
      open.to = at + 1
      open.sum += total
      if (isEveryday[label] !== true) open.everyday = false
    }
    return claims
  }

  #isNoPlace(at: number): boolean {
    const { all } = this.call.tokens
    const before = all[at - 1]
    // The number may be a placeholder by now.
    const number = before?.text === "-" ? all[at - 2] : before
    const isLabel = PHONE_LABELS.test(all[at]?.lower ?? "") && /^[NXP]$/.test(number?.cls ?? "")
    // "Blink-182"
    const isGlued =
      all[at]?.cls === "N" &&
      before?.text === "-" &&
      before.start === all[at - 2]?.end &&
      before.end === all[at].start &&
      all[at - 2]?.cls === "w"
    return isLabel || isGlued || this.#isInLongNumber(at)
  }

  #isPosition(at: number): boolean {
    const { all } = this.call.tokens
    return [at - 2, at - 1, at, at + 1].some(
      (first) =>
        POSITIONS.test(all[first]?.lower ?? "") &&
        /^[dNF]$/.test(all[first + 1]?.cls ?? "") &&
        all[first + 2]?.cls === "u"
    )
  }

  /** Whether a token is in, or glued to, seven digits or more in a row: no house number and no postal code. */
  #isInLongNumber(at: number, least = LONG_NUMBER): boolean {
    const { all } = this.call.tokens
    const isGlued = all[at]?.end === all[at + 1]?.start
    const start = all[at]?.cls === "N" || !isGlued ? at : at + 1
    // Each walk ends once it has seen enough digits: a row of figures may be as long as the call.
    let digits = this.#digitsFrom(start, 1, least)
    if (digits > 0 && digits < least) digits += this.#digitsFrom(this.#nextFigure(start, -1), -1, least - digits)
    return digits >= least
  }

  /** Digits of the figures in a row from a token on, in steps of 1 or -1, until there are enough; 0 where it is none. */
  #digitsFrom(start: number, by: number, enough: number): number {
    const { all } = this.call.tokens
    let digits = 0
    for (let at = start; digits < enough; at = this.#nextFigure(at, by)) {
      const token = all[at]
      if (token?.cls !== "N") break
      digits += token.text.length
    }
    return digits
  }

  /** Where the next token of a row of figures is, over one mark between two of them. */
  #nextFigure(at: number, by: number): number {
    const { all } = this.call.tokens
    const isOverMark = all[at + by]?.cls !== "N" && /^[-./)(]$/.test(all[at + by]?.text ?? "")
    return isOverMark ? at + 2 * by : at + by
  }

  /** The tokens of a claim that are its value: no marks at either end, no titles, and all of a time; none for a greeting. */
  #valueOf(claim: Claim): readonly [first: number, last: number] | undefined {
    const { field, from, to } = claim
    const { all, isForeign } = this.call.tokens
    let [first, last] = isForeign === true ? this.#foreignRange(field, from, to) : [from, this.#weekdayOr(claim)]
    // Marks at either end are no part of a name.
    while (first < last && OPENING_MARK.test(all[first]?.text ?? "")) first++
    while (last > first && CLOSING_MARK.test(all[last - 1]?.text ?? "")) last--
    if (field === "time") last = this.#minutesEnd(last)
    // "forty two degrees", "45 Nm": figures alone are no place, nobody's name and no job.
    if (field !== undefined && NAMED.has(field) && !all.slice(first, last).some(({ cls }) => WORDS.has(cls)))
      return undefined
    if (field === "person_name") return this.#nameIn(first, last)
    return last <= first ? undefined : [first, last]
  }

  /** "Rajeshwari, Friday": where a name or a place ends, before a weekday that is no part of it. */
  #weekdayOr({ field, from, to }: Claim): number {
    const { all } = this.call.tokens
    if (field === "location" || field === "person_name")
      for (let at = from + 1; at < to; at++) if (all[at]?.cls === "W" && all[at - 1]?.text === ",") return at
    return to
  }

  /** A name without greetings and titles before it and without what is somebody's behind it. */
  #nameIn(from: number, to: number): readonly [first: number, last: number] | undefined {
    const { all } = this.call.tokens
    let first = from
    while (to - first > 1 && interjections.has(all[first]?.lower ?? "")) first++
    if (to - first === 1 && this.#isWordHere(first)) return undefined
    first = this.#afterTitles(first, to)
    const last = this.#possessiveEnd(first, to)
    const isNone = all.slice(first, last).every(({ lower }) => interjections.has(lower) || MARK.test(lower))
    return last <= first || isNone ? undefined : [first, last]
  }

  /**
   * The tagger is one of English: in another language only what it takes for a name or a place is taken, from the first to
   * the last word of it that is written or listed as one.
   */
  #foreignRange(field: string | undefined, from: number, to: number): readonly [first: number, last: number] {
    const { all } = this.call.tokens
    const { firstNames, lastNames, otherNames, places } = this.model.sets
    if (field !== "person_name" && field !== "location") return [from, from]
    const isNamed = (at: number): boolean => {
      const { cls = "", lower = "", text = "" } = all[at] ?? {}
      if (cls !== "w" || isMarker(lower)) return false
      return CAPITAL.test(text) || [firstNames, lastNames, otherNames, places].some((set) => inSet(set, lower))
    }
    let first = from
    let last = to
    while (first < last && !isNamed(first)) first++
    while (last > first && !isNamed(last - 1)) last--
    return [first, last]
  }

  /**
   * What may be a name as well as a place, and the other way around: "Guadalupe", "Ngozi". It counts only for those who
   * request its field alone.
   */
  #otherReading(one: Candidate, { from, to }: Claim): ReadonlyArray<Candidate> {
    const { all } = this.call.tokens
    const { firstNames, lastNames, otherNames, places } = this.model.sets
    const words = all.slice(from, to).filter(({ cls }) => cls === "w")
    const score = Math.max(0.5, one.score - OTHER_READING)
    if (one.field === "person_name" && words.some(({ lower }) => inSet(places, lower)))
      return [{ ...one, field: "location", score }]
    if (one.field !== "location" || words.length === 0 || words.length > 3 || words.length < to - from) return []
    const mayBeName = words.every(({ lower, text }) =>
      CAPITAL.test(text) && !inSet(places, lower)
        ? true
        : [firstNames, lastNames, otherNames].some((names) => inSet(names, lower))
    )
    return mayBeName ? [{ ...one, field: "person_name", score }] : []
  }

  #candidate(claim: Claim): Candidate | undefined {
    const { everyday, field, from, sum, to } = claim
    const { all } = this.call.tokens
    const value = this.#valueOf(claim)
    if (field === undefined || value === undefined) return undefined
    const [first, last] = value
    const mean = sum / (to - from)
    const { end = 0, text = "" } = all[last - 1] ?? {}
    const one = candidate(
      field,
      all[first]?.start ?? 0,
      field === "person_name" && POSSESSIVE.test(text) ? end - 2 : end,
      Math.min(0.9, 0.5 + mean * 0.4),
      `tagger ${mean.toFixed(2)}`
    )
    return everyday ? { ...one, everyday: true } : one
  }

  /** Where a time ends that goes on with its minutes: "two thirty five". */
  #minutesEnd(to: number): number {
    const { all } = this.call.tokens
    const isOf = (at: number, kinds: string): boolean => kinds.includes(all[at]?.cls ?? "none")
    if (!isOf(to - 1, "dt") || !isOf(to, "ty")) return to
    return isOf(to, "y") && isOf(to + 1, "d") ? to + 2 : to + 1
  }

  /** "add basil and sage", without capitals: a word that is a name too, behind nothing that a name follows. */
  #isWordHere(at: number): boolean {
    const { all } = this.call.tokens
    const { lower = "", text = "" } = all[at] ?? {}
    return text === lower && wordNames.has(lower) && !BEFORE_NAME.has(all[at - 1]?.lower ?? "")
  }

  #afterTitles(from: number, to: number): number {
    const { all } = this.call.tokens
    let first = from
    while (to - first > 1 && (this.#isTitle(first) || all[first]?.text === ".")) first++
    return first
  }

  /** "Dr.", and what somebody does in front of a name: "Producer Anna Keller". */
  #isTitle(at: number): boolean {
    const word = this.call.tokens.all[at]?.lower ?? ""
    const { firstNames, lastNames } = this.model.sets
    return TITLES.test(word) || (JOBS.has(word) && !inSet(firstNames, word) && !inSet(lastNames, word))
  }

  /** What is said to be somebody's, as "Tales" in "Anna Keller's Tales", unless it is a place that is known. */
  #isBelonging({ field, from }: Claim, before: Claim | undefined): boolean {
    if (field !== "person_name" && field !== "location") return false
    const { all } = this.call.tokens
    const isOwner =
      before?.field === "person_name" && before.to === from && POSSESSIVE.test(all[before.to - 1]?.text ?? "")
    return (isOwner || this.#isPossessive(from - 1)) && !inSet(this.model.sets.places, all[from]?.lower ?? "")
  }

  /** The "s" of "[PERSON_NAME]'s Tales", in a text that is redacted by now. */
  #isPossessive(at: number): boolean {
    const { all } = this.call.tokens
    return all[at]?.text === "s" && /^['’]$/.test(all[at - 1]?.text ?? "") && all[at - 2]?.cls === "P"
  }

  /** A name ends where something is said to be somebody's: "Anna Keller's Tales". */
  #possessiveEnd(from: number, to: number): number {
    const { all } = this.call.tokens
    for (let at = from; at < to; at++) if (POSSESSIVE.test(all[at]?.text ?? "")) return at + 1
    return to
  }
}

const shifted = (found: ReadonlyArray<Candidate>, by: number): ReadonlyArray<Candidate> =>
  found.map((one) => ({ ...one, start: one.start + by, end: one.end + by }))

/**
 * Names, places, dates, times, occupations and events by the statistical tagger. With `everyday` its everyday labels
 * count too. Turns whose first token `isRead` already are left out. `seen` caches what was found in turns by their text, so
 * that a call that is read twice is tagged once.
 */
export function* taggerCandidates(
  call: CallText,
  everyday: boolean,
  isRead: (token: number) => boolean,
  model: Model = shippedModel(),
  thresholds: TaggerThresholds = defaultThresholds,
  seen = new Map<string, ReadonlyArray<Candidate>>()
): Steps<ReadonlyArray<Candidate>> {
  const tagger = new Tagger(call, everyday, model, thresholds)
  const { all } = call.tokens
  const found: Array<Candidate> = []
  let pause = STEP
  for (let from = 0; from < all.length;) {
    if (from >= pause) {
      yield
      pause = from + STEP
    }
    const to = tagger.stretchEnd(from)
    if (isRead(from)) {
      from = to
      continue
    }
    // The line end between turns is no part of what was said, and a line of an address ends so.
    const end = to > from + 1 && all[to - 1]?.cls === "n" ? to - 1 : to
    const base = all[from]?.start ?? 0
    const text = call.text.slice(base, all[end - 1]?.end)
    let here = seen.get(text)
    if (here === undefined) {
      here = shifted(tagger.find(from, end), -base)
      seen.set(text, here)
    }
    for (const one of here) found.push({ ...one, start: one.start + base, end: one.end + base })
    from = to
  }
  return found
}
