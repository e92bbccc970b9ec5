/**
 * Word lists, kept as data. They are JSON modules: Node loads them beside the compiled files, and a bundler inlines
 * them, so that nothing is looked up by path at run time. Loading and indexing all of them takes about 5 ms.
 */
import businesses from "./data/businesses.json" with { type: "json" }
import names from "./data/names.json" with { type: "json" }
import placeLists from "./data/places.json" with { type: "json" }
import terms from "./data/terms.json" with { type: "json" }

type Words = ReadonlyArray<string>
type WordIndex = ReadonlySet<string>

/** Countries and their common other names (ISO 3166-1 and everyday English). "us" is left to context. */
export const countries: Words = placeLists.countries
/** States and provinces of the United States, Canada, Australia and a few other countries. */
export const states: Words = placeLists.states
export const stateCodes: WordIndex = new Set(placeLists.stateCodes)
/** Countries and states whose names are also words, people or foods: they need a preposition of place. */
export const ambiguousPlaces: Words = placeLists.ambiguousPlaces

export const demonyms: Words = terms.demonyms
export const ethnicities: Words = terms.ethnicities
export const genders: Words = terms.genders
/** Job titles that are hardly ever anything else. */
export const occupations: Words = terms.occupations
/** Job titles that are everyday words too: they count only where somebody is said to be one or to work as one. */
export const ambiguousOccupations: Words = terms.ambiguousOccupations
/** Holidays and well-known events. */
export const events: Words = terms.events
/** What follows a name to make an event: "the Rivertown Jazz Festival". */
export const eventHeads: WordIndex = new Set(terms.eventHeads)
/** Events of somebody's own calendar; they count only with everyday readings on. */
export const everydayEvents: Words = terms.everydayEvents
/** What is said of a body: "heavyset", "scar", "wears glasses". */
export const bodyTerms: Words = terms.bodyTerms

/** Phrases that introduce a name, by how sure a name follows. */
export const nameIntroductions = names.introductions
export const titles: WordIndex = new Set(names.titles)
export const medicalTitles: WordIndex = new Set(names.medicalTitles)
export const medicalRoles: WordIndex = new Set(names.medicalRoles)
export const medicalDegrees: WordIndex = new Set(names.medicalDegrees)
/** Words that follow an introduction and are no names: "I'm sorry". */
export const notNames: WordIndex = new Set(names.notNames)
/** What is said by itself, in capitals at the beginning of a turn like a name: "Ta", "Thanks, bye!". */
export const interjections: WordIndex = new Set(names.interjections)
/** Small words inside family names: "van", "de la". */
export const nameParticles: WordIndex = new Set(names.particles)

/** Companies and products; those of the first list carry people's names, and the sentences of `fit-tagger.ts` have them. */
export const brands: Words = [...businesses.brands, ...businesses.otherBrands]
/** Brands that are people's own names too. */
export const brandsAndNames: WordIndex = new Set(businesses.brandsAndNames)
/** What makes the words before it the name of a business: "Paris Hilton Hotel". */
export const businessHeads: WordIndex = new Set(businesses.heads)
/** First names that are verbs or nouns too. */
export const wordNames: WordIndex = new Set(businesses.wordNames)
/** What makes the name of a place or a people part of the name of a thing: "Boston fern", "Turkish delight". */
export const productNouns: WordIndex = new Set(businesses.productNouns)
