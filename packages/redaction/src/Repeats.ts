import type { CallText } from "./CallText.js"
import { functionWords } from "./Lexicon.js"
import { phraseTrie } from "./PhraseTrie.js"
import type { Found } from "./Resolve.js"
import type { SensitiveField } from "./SensitiveField.js"
import { type Candidate, candidate } from "./TextSpan.js"
import type { Run } from "./SpokenNumbers.js"
import { tokenAt } from "./Tokens.js"
import { inSet, type WordSets } from "./tagger/WordSets.js"

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

/**
 * Every value that was found, searched again in the whole call: words in any case, numbers spoken or written, a name's
 * parts alone, a spelled name, the last four of a long number. One pass over the call, however many values there are.
 */
export const repeatCandidates = (
  call: CallText,
  runs: ReadonlyArray<Run>,
  found: ReadonlyArray<Found>,
  sets: WordSets
): ReadonlyArray<Candidate> => {
  const { all } = call.tokens
  const numbers = new Map<string, { readonly field: SensitiveField; readonly score: number }>()
  const names = new Map<string, { readonly field: SensitiveField; readonly score: number }>()
  const words = phraseTrie<{ readonly field: SensitiveField; readonly score: number; readonly capital: boolean }>()
  let any = false
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
    const value = { field: one.field, score: Math.min(0.9, Math.max(0.55, one.score * 0.95)) }
    if (numbered.has(one.field)) {
      for (const piece of inside) {
        if (
          piece.chars.length >= 4 &&
          piece.digits > 0 &&
          !(piece.chars.length === 4 && /^(19|20)\d\d$/.test(piece.chars) && one.field !== "password")
        )
          numbers.set(piece.chars, value)
        if (piece.digits === piece.chars.length && piece.chars.length >= 8 && one.field !== "ip_address") {
          const last = piece.chars.slice(-4)
          if (!numbers.has(last) && !/^(19|20)\d\d$/.test(last)) numbers.set(last, { ...value, score: 0.6 })
        }
      }
      any = true
      if (inside.length > 0 && inside[0]?.from === from && inside[inside.length - 1]?.to === to) continue
    }
    if (parted.has(one.field))
      for (const piece of inside)
        if (piece.digits === 0 && piece.chars.length >= 3) names.set(piece.chars.toLowerCase(), value)
    const phrase: Array<string> = []
    for (let at = from; at < to && phrase.length < MAX_WORDS; at++) {
      const token = all[at]
      if (token !== undefined)
        phrase.push(
          at === to - 1 && token.end > one.end && token.lower.endsWith("'s") ? token.lower.slice(0, -2) : token.lower
        )
    }
    if (phrase.length === 0 || to - from > MAX_WORDS) continue
    any = true
    const capital = /^\p{Lu}/u.test(all[from]?.text ?? "")
    if (phrase.length > 1) words.add(phrase, { ...value, capital })
    const single = (word: string, text: string): void => {
      if (word.length < 3 || functionWords.has(word) || !/\p{L}/u.test(word)) return
      // A name that is a word too counts only where both are written with a capital.
      const plain = !inSet(sets.common1, word) && !inSet(sets.common2, word)
      const upper = /^\p{Lu}/u.test(text)
      if (!plain && !upper) return
      words.add([word], { ...value, capital: !plain })
      words.add([`${word}'s`], { ...value, capital: !plain })
      if (parted.has(one.field)) names.set(word, value)
    }
    if (phrase.length === 1) single(phrase[0] ?? "", all[from]?.text ?? "")
    else if (parted.has(one.field)) {
      for (let at = from; at < to; at++)
        if (
          all[at]?.cls === "w" &&
          !/^(dr|doctor|nurse|mr|mrs|ms|md|van|von|der|del|los|las|the|and)$/.test(all[at]?.lower ?? "")
        )
          single(all[at]?.lower ?? "", all[at]?.text ?? "")
    }
  }
  const again: Array<Candidate> = []
  if (!any) return again
  for (const piece of runs) {
    const known =
      numbers.get(piece.chars) ??
      (piece.digits === 0 && piece.pieces.length >= 3 ? names.get(piece.chars.toLowerCase()) : undefined)
    if (known !== undefined)
      again.push(
        candidate(
          known.field,
          all[piece.from]?.start ?? 0,
          all[piece.to - 1]?.end ?? 0,
          known.score,
          "the same value elsewhere in the call"
        )
      )
  }
  for (let at = 0; at < all.length; at++) {
    const token = all[at]
    if (token === undefined || token.cls === "P" || token.cls === "n") continue
    const hit = words.longestAt(all, at)
    if (hit === undefined) continue
    if (hit.value.capital && hit.to === at + 1 && !/^\p{Lu}/u.test(token.text)) continue
    const last = all[hit.to - 1]
    const end =
      last === undefined
        ? token.end
        : last.lower.endsWith("'s") && parted.has(hit.value.field)
          ? last.end - 2
          : last.end
    again.push(candidate(hit.value.field, token.start, end, hit.value.score, "the same value elsewhere in the call"))
    at = hit.to - 1
  }
  return again
}
