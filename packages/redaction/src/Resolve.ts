import { LIKELY, POSSIBLE } from "./call-tagger/Claims.js"
import { wordSet } from "./Lexicon.js"
import type { SensitiveField } from "./SensitiveField.js"
import { type Candidate, inOrder, type TextSpan } from "./TextSpan.js"

/** A span with other readings of it or of a part of it, for those who ask for their fields alone. */
export interface Found extends TextSpan {
  readonly parts: ReadonlyArray<TextSpan>
  readonly everyday: boolean
}

const isField = (one: Candidate): one is Candidate & { readonly field: SensitiveField } => one.field !== "nothing"

const overlaps = (a: { start: number; end: number }, b: { start: number; end: number }): boolean =>
  a.start < b.end && b.start < a.end

/**
 * Settles overlapping proposals: those that touch form one group, the best score names it, and the union of the group
 * is its span. A `nothing` that scores best takes the proposals it overlaps away. A person's name inside a medical
 * professional's, or inside the answer to a security question, stays known as a part, and so does what may be a name or a
 * place. Answers spans in reading order, none overlapping.
 */
export const resolve = (candidates: ReadonlyArray<Candidate>, threshold: number): ReadonlyArray<Found> => {
  const found: Array<Found> = []
  const sorted = candidates.filter((one) => one.score >= threshold && one.end > one.start).sort(inOrder)
  for (let from = 0; from < sorted.length;) {
    let end = sorted[from]?.end ?? 0
    let to = from + 1
    while (to < sorted.length && (sorted[to]?.start ?? Infinity) < end) {
      end = Math.max(end, sorted[to]?.end ?? 0)
      to++
    }
    settle(sorted.slice(from, to), found)
    from = to
  }
  return found
}

/** Fewest characters of a reading that count beside a part of it that is nothing. */
const SHORTEST_PART = 8

/** What is left of a reading without the part that is nothing: the address of "Ratings Agency, 61 Wiesenstrasse 31". */
const partsOutside = (one: Candidate, nothing: Candidate): ReadonlyArray<Candidate> =>
  [
    { ...one, end: nothing.start },
    { ...one, start: nothing.end }
  ].filter((part) => isField(one) && part.end - part.start >= SHORTEST_PART)

const settle = (group: ReadonlyArray<Candidate>, found: Array<Found>): void => {
  let best = group[0]
  for (const one of group) {
    if (
      best === undefined ||
      one.score > best.score ||
      (one.score === best.score && one.end - one.start > best.end - best.start)
    )
      best = one
  }
  if (best === undefined) return
  if (!isField(best)) {
    const nothing = best
    found.push(
      ...resolve(
        group.flatMap((one) => (overlaps(one, nothing) ? partsOutside(one, nothing) : [one])),
        0
      )
    )
    return
  }
  const fields = group.filter(isField)
  const { field } = best
  let start = best.start
  let end = best.end
  for (const one of fields) {
    start = Math.min(start, one.start)
    end = Math.max(end, one.end)
  }
  found.push({
    start,
    end,
    field,
    score: best.score,
    evidence: best.evidence,
    recognizer: best.recognizer,
    everyday: fields.every((one) => one.everyday === true),
    parts: [
      ...fields.filter((one) => one.field !== field && isKept(one, best)),
      ...otherPeople({ ...best, field, start, end })
    ]
  })
}

/**
 * Fields whose values look alike, so that what is found as one of them may be another: names and places, dates of any
 * kind, and numbers that only what is said around them tells apart.
 */
const families: ReadonlyArray<ReadonlySet<string>> = [
  wordSet("person_name location username"),
  wordSet("person_name location event"),
  wordSet("person_name medical_professional"),
  wordSet("date dob time"),
  wordSet(`ssn credit_card bank_account account_number healthcare_number passport_number driver_license vehicle_id password
 username phone_number numerical_pii ip_address`)
]

/** By field, the fields that share a family with it. */
const alike = new Map<string, ReadonlySet<string>>(
  families
    .flatMap((family) => [...family])
    .map((field) => [field, new Set(families.flatMap((family) => (family.has(field) ? [...family] : [])))])
)

const areAlike = (a: string, b: string): boolean => alike.get(a)?.has(b) === true

/** Whether a reading is kept in addition to the one that names the span. What does not overlap that is a separate value. */
const isKept = (one: Candidate, best: Candidate): boolean =>
  !overlaps(one, best) || isSpelledCode(one, best) || isOtherReading(one, best)

/** Whether a reading is one of a spelled code, which may be of each field unless a phrase names its own. */
const isSpelledCode = (one: Candidate, best: Candidate): boolean =>
  one.recognizer === "spelledCodes" && best.isNamed !== true

/** A name that nobody was introduced by may be that of a doctor. */
const otherPeople = (best: Candidate & { readonly field: SensitiveField }): ReadonlyArray<TextSpan> =>
  best.field === "person_name" && !(best.recognizer === "people" && best.score >= INTRODUCED)
    ? [{ ...best, field: "medical_professional" }]
    : []

/** By how much a reading as a field that looks alike may be less sure than the one that names the span and still be one. */
const ALIKE = 0.4

/** The score from which on a name was introduced as one: "my name is", "Mrs". */
const INTRODUCED = 0.9

/** Recognizers of values that their form tells, whatever a question makes of them: dates, times and amounts. */
const FORMS: ReadonlySet<string> = new Set([
  "birthDates",
  "clockTimes",
  "dates",
  "money",
  "monthsAndYears",
  "writtenForms"
])

/** Recognizers that tell a value by a question, a sentence or how its letters are said, rather than by its form. */
const BY_SENTENCE: ReadonlySet<string> = new Set(["answers", "calls", "spelledCodes", "tagger"])

/** Recognizers that tell a value by a list or by what was said before. */
const BY_LIST: ReadonlySet<string> = new Set(["descriptions", "locations", "people", "repeats"])

/** Whether the context alone tells a value, and no phrase next to it or question names its field. */
const isByContext = ({ byCue, isNamed, recognizer = "", score }: Candidate): boolean => {
  if (isNamed === true || (recognizer === "people" && score >= INTRODUCED)) return false
  return byCue === true || BY_SENTENCE.has(recognizer) || BY_LIST.has(recognizer)
}

/**
 * Whether what the tagger of calls says counts as well: never beside what a phrase next to it names, always beside what it says
 * itself, and otherwise where it is likely enough.
 */
const isLikelyToo = (one: Candidate, best: Candidate): boolean => {
  if (best.recognizer === "calls") return true
  if (best.isNamed === true && best.byCue === true) return false
  return one.score >= (isByContext(best) ? POSSIBLE : LIKELY)
}

/** Whether a reading is a value of its own whatever names the span: an amount that a question makes a number, a doctor's name. */
const isOfAnyField = (one: Candidate, best: Candidate): boolean => {
  if (FORMS.has(one.recognizer ?? "") && BY_SENTENCE.has(best.recognizer ?? "")) return true
  return one.field === "person_name" && (best.field === "medical_professional" || best.field === "password")
}

/**
 * Whether a reading stays known beside the one that names the span, for those who request its field alone: whoever
 * requests it must not find the value because another field looked likelier.
 */
const isOtherReading = (one: Candidate, best: Candidate): boolean => {
  // "My customer account number is 704418236": as long as a phone number, but not one. In "I don't have my account
  // number, 904418236 is where you reach me" no phrase names it, and whatever else it may be counts.
  if (one.isGuess === true && best.byCue === true) return best.isNamed !== true && areAlike(best.field, one.field)
  if (one.recognizer === "calls") return isLikelyToo(one, best)
  if (isOfAnyField(one, best)) return true
  // A question asked for two things, and the answer may be either.
  if (one.recognizer === best.recognizer && (one.isAlso === true || best.recognizer === "answers")) return true
  // What was asked for is told better than by other phrases near it.
  if (best.recognizer === "answers" && one.byCue === true) return false
  // No card and no North American phone number has nine figures.
  if ((best.field === "credit_card" || best.field === "phone_number") && one.field === "ssn") return true
  // "My name is Kimberly Rodriguez": no place, though there are places of that name.
  if (best.field === "person_name" && best.recognizer === "people" && best.score >= INTRODUCED) return false
  return areAlike(best.field, one.field) && one.score >= best.score - ALIKE
}

/**
 * The spans of the fields that were asked for. A medical professional's name is a person's name too, and so is a
 * mother's maiden name: asked for names alone, the name goes and the title stays.
 */
export const ofFields = (found: ReadonlyArray<Found>, fields: ReadonlySet<SensitiveField>): ReadonlyArray<Found> =>
  found.flatMap((one): ReadonlyArray<Found> => {
    if (fields.has(one.field)) return [one]
    return resolve(
      one.parts.filter((part) => fields.has(part.field)),
      0
    )
  })
