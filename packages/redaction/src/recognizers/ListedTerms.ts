import { phraseTrie } from "../PhraseTrie.js"
import * as Lists from "../WordLists.js"
import type { TermReading, TokenRule } from "./CallReader.js"
import { eventTerm } from "./Events.js"
import { genderTerm } from "./GendersAndSexualities.js"
import { occupationTerm } from "./Occupations.js"
import { originTerm } from "./Origins.js"

interface Term {
  readonly read: TermReading
  readonly kind: "plain" | "ambiguous"
}

const terms = phraseTrie<Term>()

const wordsOf = (phrase: string): ReadonlyArray<string> =>
  phrase.replace(/-/g, " - ").replace(/\./g, " . ").trim().split(/\s+/)

const addPlural = (words: ReadonlyArray<string>, term: Term): void => {
  const last = words[words.length - 1] ?? ""
  if (!last.endsWith("s") && !/[^aeiou]y$/.test(last)) terms.add([...words.slice(0, -1), `${last}s`], term)
}

const add = (term: Term, list: ReadonlyArray<string>, plural = false): void => {
  for (const phrase of list) {
    const words = wordsOf(phrase)
    terms.add(words, term)
    if (plural) addPlural(words, term)
  }
}

/** Meetings and the like, which count only where everyday readings are switched on; others may read them otherwise. */
const everydayEvent: TermReading = (reader, at, to) => ({
  ...reader.candidate("event", at, to, 0.56, "everyday event"),
  everyday: true
})

// A phrase of several lists is what the last of them says.
add({ read: everydayEvent, kind: "plain" }, Lists.everydayEvents)
add({ read: occupationTerm, kind: "ambiguous" }, Lists.ambiguousOccupations)
add({ read: occupationTerm, kind: "plain" }, Lists.occupations, true)
add({ read: originTerm, kind: "plain" }, Lists.demonyms, true)
add({ read: originTerm, kind: "plain" }, Lists.ethnicities, true)
add({ read: genderTerm, kind: "plain" }, Lists.genders)
add({ read: eventTerm, kind: "plain" }, Lists.events)

/** Words and phrases of the lists of origins, genders, occupations and events. */
export const listedTerm: TokenRule = (reader, at, found) => {
  const hit = terms.longestAt(reader.all, at)
  if (hit === undefined) return undefined
  const read = hit.value.read(reader, at, hit.to, hit.value.kind)
  if (read === undefined) return undefined
  if (read === "none") return hit.to
  found.push(read)
  return read.everyday === true ? undefined : hit.to
}
