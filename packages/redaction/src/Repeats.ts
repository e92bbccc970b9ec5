import { functionWords } from "./Lexicon.js"
import { phraseTrie } from "./PhraseTrie.js"
import type { CallReader } from "./recognizers/CallReader.js"
import type { Found } from "./Resolve.js"
import type { SensitiveField } from "./SensitiveField.js"
import type { Candidate } from "./TextSpan.js"
import type { Run } from "./SpokenNumbers.js"
import { tokenAt } from "./Tokens.js"

/** Fields whose values are told by their place in a sentence; the same words elsewhere say something else. */
const notSearched: ReadonlySet<SensitiveField> = new Set<SensitiveField>([
  "age",
  "time",
  "money",
  "gender_sexuality",
  "occupation",
  "physical_attribute"
])
const numbered: ReadonlySet<SensitiveField> = new Set<SensitiveField>([
  "phone_number",
  "ssn",
  "credit_card",
  "account_number",
  "bank_account",
  "healthcare_number",
  "passport_number",
  "driver_license",
  "vehicle_id",
  "password",
  "username",
  "numerical_pii",
  "ip_address"
])
const parted: ReadonlySet<SensitiveField> = new Set<SensitiveField>(["person_name", "medical_professional"])

const MAX_WORDS = 16

interface Known {
  readonly field: SensitiveField
  /** What else it may be a value of. */
  readonly also: ReadonlyArray<SensitiveField>
  readonly score: number
}

/** Parts of names that name nobody alone. */
const notNames = /^(dr|doctor|nurse|mr|mrs|ms|md|van|von|der|del|los|las|the|and)$/

const YEAR = /^(19|20)\d\d$/

/** Fewest characters of a number, and of a word, that is searched. */
const SHORTEST_NUMBER = 4
const SHORTEST_WORD = 3

/** Fewest figures of a number whose last four are searched alone. */
const LONG_NUMBER = 8

/** Values, by what they can be found again by. */
export class KnownValues {
  readonly #numbers = new Map<string, Known>()
  readonly #names = new Map<string, Known>()
  readonly #words = phraseTrie<Known & { readonly capital: boolean }>()
  #isEmpty = true

  /** Adds what was found in a call, in offsets of what is read. */
  addAll(
    reader: CallReader,
    found: ReadonlyArray<Pick<Found, "start" | "end" | "field" | "score" | "everyday"> & Partial<Pick<Found, "parts">>>
  ): void {
    const { call, runs } = reader
    let run = 0
    for (const one of found) {
      if (one.everyday || notSearched.has(one.field)) continue
      const from = tokenAt(call.tokens, one.start)
      const to = tokenAt(call.tokens, one.end - 1) + 1
      while (run < runs.length && (runs[run]?.to ?? 0) <= from) run++
      const inside: Array<Run> = []
      for (let at = run; at < runs.length && (runs[at]?.from ?? Infinity) < to; at++) {
        const here = runs[at]
        if (here !== undefined && here.from >= from && here.to <= to) inside.push(here)
      }
      this.#add(reader, one, from, to, inside)
    }
  }

  /** Adds a value whose tokens are `from` to `to`; `inside` are the numbers and codes in it. */
  #add(
    reader: CallReader,
    one: Pick<Found, "end" | "field" | "score" | "start"> & Partial<Pick<Found, "parts">>,
    from: number,
    to: number,
    inside: ReadonlyArray<Run>
  ): void {
    const also = (one.parts ?? [])
      .filter(({ end, start }) => start <= one.start && end >= one.end)
      .map(({ field }) => field)
    const known = { field: one.field, also: [...new Set(also)], score: Math.min(0.9, Math.max(0.55, one.score * 0.95)) }
    if (numbered.has(one.field)) {
      this.#isEmpty = false
      for (const run of inside) this.#addNumber(run, known)
      if (inside.length > 0 && inside[0]?.from === from && inside[inside.length - 1]?.to === to) return
    }
    if (parted.has(one.field)) this.#addSpelled(inside, known)
    if (to <= from || to - from > MAX_WORDS) return
    this.#isEmpty = false
    this.#addWords(reader, one, from, to, known)
  }

  #addNumber({ chars, digits }: Run, known: Known): void {
    const isYear = YEAR.test(chars) && known.field !== "password"
    if (chars.length >= SHORTEST_NUMBER && digits > 0 && !isYear) this.#numbers.set(chars, known)
    if (digits !== chars.length || chars.length < LONG_NUMBER || known.field === "ip_address") return
    const last = chars.slice(-4)
    if (!this.#numbers.has(last) && !YEAR.test(last)) this.#numbers.set(last, { ...known, score: 0.6 })
  }

  #addSpelled(inside: ReadonlyArray<Run>, known: Known): void {
    for (const { chars, digits } of inside)
      if (digits === 0 && chars.length >= SHORTEST_WORD) this.#names.set(chars.toLowerCase(), known)
  }

  #addWords(reader: CallReader, one: Pick<Found, "end" | "field">, from: number, to: number, known: Known): void {
    const phrase = Array.from({ length: to - from }, (_, at) => reader.word(from + at))
    const last = phrase[phrase.length - 1] ?? ""
    if (reader.end(to) > one.end && last.endsWith("'s")) phrase[phrase.length - 1] = last.slice(0, -2)
    if (phrase.length === 1) {
      this.#addWord(reader, phrase[0] ?? "", from, known)
      return
    }
    this.#words.add(phrase, { ...known, capital: reader.isCapitalized(from) })
    if (!parted.has(one.field)) return
    for (let at = from; at < to; at++)
      if (reader.cls(at) === "w" && !notNames.test(reader.word(at))) this.#addWord(reader, reader.word(at), at, known)
  }

  /** A word alone. One that is common too counts only where both are written with a capital. */
  #addWord(reader: CallReader, word: string, at: number, known: Known): void {
    if (word.length < SHORTEST_WORD || functionWords.has(word) || !/\p{L}/u.test(word)) return
    const isCommon = reader.isIn("common1", word) || reader.isIn("common2", word)
    if (isCommon && !reader.isCapitalized(at)) return
    this.#words.add([word], { ...known, capital: isCommon })
    this.#words.add([`${word}'s`], { ...known, capital: isCommon })
    if (parted.has(known.field)) this.#names.set(word, known)
  }

  /** Every place in the call where one of the values stands. */
  places(reader: CallReader): ReadonlyArray<Candidate> {
    return this.#isEmpty ? [] : [...this.#numberPlaces(reader), ...this.#wordPlaces(reader)]
  }

  #numberPlaces(reader: CallReader): ReadonlyArray<Candidate> {
    return reader.runs.flatMap((run) => {
      const isSpelled = run.digits === 0 && run.pieces.length >= 3
      const known = this.#numbers.get(run.chars) ?? (isSpelled ? this.#names.get(run.chars.toLowerCase()) : undefined)
      return known === undefined ? [] : repeated(reader, known, run.from, run.to)
    })
  }

  #wordPlaces(reader: CallReader): ReadonlyArray<Candidate> {
    const found: Array<Candidate> = []
    for (let at = 0; at < reader.all.length;) {
      const cls = reader.cls(at)
      const hit = cls === "P" || cls === "n" ? undefined : this.#words.longestAt(reader.all, at)
      if (hit === undefined || (hit.value.capital && hit.to === at + 1 && !reader.isCapitalized(at))) {
        at++
        continue
      }
      const isOwner = reader.word(hit.to - 1).endsWith("'s") && parted.has(hit.value.field)
      for (const one of repeated(reader, hit.value, at, hit.to))
        found.push(isOwner ? { ...one, end: one.end - 2 } : one)
      at = hit.to
    }
    return found
  }
}

/** A value that is repeated, with the other readings that it had. */
const repeated = (
  reader: CallReader,
  { also, field, score }: Known,
  from: number,
  to: number
): ReadonlyArray<Candidate> => {
  const one = reader.candidate(field, from, to, score, "the same value elsewhere in the call")
  return [one, ...also.map((other) => ({ ...one, field: other, isAlso: true }))]
}

/**
 * Every value that was found, searched again in the whole call: words in any case, numbers spoken or written, a name's
 * parts alone, a spelled name, the last four of a long number. One pass over the call, however many values there are.
 */
export const repeatCandidates = (reader: CallReader, found: ReadonlyArray<Found>): ReadonlyArray<Candidate> => {
  const known = new KnownValues()
  known.addAll(reader, found)
  return known.places(reader)
}
