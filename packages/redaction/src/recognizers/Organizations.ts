import { functionWords, wordSet } from "../Lexicon.js"
import { phraseTrie } from "../PhraseTrie.js"
import { brands, brandsAndNames, businessHeads, demonyms, productNouns, wordNames } from "../WordLists.js"
import { placePrepositions, places } from "./PlaceNames.js"
import { atWords, byToken, type CallReader, type Recognizer, type TokenRule } from "./CallReader.js"

const brandNames = phraseTrie<true>()
for (const brand of brands) brandNames.add(brand.replace(/([.&-])/g, " $1 ").split(/\s+/), true)

/** What follows a verb: "mark it", "bill the". */
const objects = wordSet("it this that the them a an my your our me us these those their his period up down words")

/** Score of a reading that is to win over a person's name or a place. */
const SURE = 0.915

/** Whether names stand around a brand that is a first name too: "Ross Geller". */
const isPartOfName = (reader: CallReader, at: number, to: number): boolean => {
  const before = reader.word(at - 1)
  const isNameBefore =
    (reader.isCapitalized(at - 1) && reader.cls(at - 1) === "w" && !functionWords.has(before)) ||
    (reader.isIn("firstNames", before) && !reader.isIn("common1", before))
  return isNameBefore || (reader.isCapitalized(to) && reader.cls(to) === "w")
}

const brand: TokenRule = (reader, at, found) => {
  const hit = brandNames.longestAt(reader.all, at)
  if (hit === undefined) return undefined
  const isName = hit.to - at === 1 && brandsAndNames.has(reader.word(at))
  if (isName && isPartOfName(reader, at, hit.to)) return undefined
  const isTied = /^(a|an|my|the|our|your|new|with|at|his|her)$/.test(reader.word(at - 1))
  found.push(reader.candidate("nothing", at, hit.to, isName && !isTied ? 0.7 : SURE, "business or product"))
  return hit.to
}

/** First names that are verbs or nouns here: "mark it down", "the bill". */
const ordinaryWord: TokenRule = (reader, at, found) => {
  if (!wordNames.has(reader.word(at))) return undefined
  const isCapital = reader.isCapitalized(at)
  if (objects.has(reader.word(at + 1)) && (!isCapital || at === 0 || /^[.?!n,]$/.test(reader.cls(at - 1)))) {
    found.push(reader.candidate("nothing", at, at + 1, SURE, "a verb here"))
    return at + 1
  }
  if (!isCapital && /^(a|an|the|no|some|any|will|would|i|we|they|it|has|price|prices)$/.test(reader.word(at - 1)))
    found.push(reader.candidate("nothing", at, at + 1, 0.75, "a word here"))
  return undefined
}

const measures = wordSet(
  `gigabytes gigabyte gigs megabytes megabyte terabytes terabyte megabits gigabits watts watt kilowatts volts volt amps amp ohms hertz megahertz gigahertz
 horsepower lumens psi rpm mph decibels carats acres hectares gallons litres liters pints quarts ounces degrees celsius fahrenheit megapixels
 pixels inches centimeters millimeters milliliters milligrams grams
 kib mib gib kb mb gb tb khz mhz ghz hz ms kbps mbps gbps kw kwh`
)
/** Most tokens of a number before its unit. */
const MAX_AMOUNT = 5

/** "sixty four gigabytes", "a sixty watt bulb": a number and its unit are no name, place or time. */
const measure = atWords(measures, (reader, at, found) => {
  let from = at
  while (at - from < MAX_AMOUNT && /^[dtyzNhko]$/.test(reader.cls(from - 1))) from--
  if (from < at) found.push(reader.candidate("nothing", from, at + 1, 0.75, "a measure"))
  return undefined
})

/** "on a scale of one to ten" */
const scale = atWords("scale", (reader, at, found) => {
  const isScale = /^(of|from)$/.test(reader.word(at + 1))
  if (isScale && /^[dtN]$/.test(reader.cls(at + 2)) && /^[dtN]$/.test(reader.cls(at + 4)))
    found.push(reader.candidate("nothing", at + 2, at + 5, SURE, "a scale"))
  return undefined
})

const demonymWords: ReadonlySet<string> = new Set(demonyms)

const isListedName = (reader: CallReader, word: string): boolean =>
  reader.isIn("firstNames", word) || reader.isIn("lastNames", word)

/** "Boston fern", "Turkish delight": a place or a people in the name of a thing, not behind a preposition of place. */
const product = atWords(productNouns, (reader, at, found) => {
  // "a manhattan clam chowder"
  for (const from of [at - 1, at - 2]) {
    const before = reader.word(from - 1)
    const word = reader.word(from)
    if (reader.cls(from) !== "w" || functionWords.has(word) || placePrepositions.has(before)) break
    const isOfThing =
      demonymWords.has(word) ||
      reader.isIn("places", word) ||
      places.longestAt(reader.all, from) !== undefined ||
      (before === "the" && isListedName(reader, word))
    if (!isOfThing) continue
    found.push(reader.candidate("nothing", from, at + 1, SURE, "name of a thing"))
    break
  }
  return undefined
})

const isKnown = (reader: CallReader, word: string): boolean =>
  (reader.isIn("firstNames", word) || reader.isIn("lastNames", word) || reader.isIn("places", word)) &&
  !reader.isIn("common1", word)

/** What stands at the end of a company's name and of nothing else, if it has a capital: "Think Computer Corporation". */
const companyForms = wordSet(
  `corporation incorporated gmbh plc holdings partners associates enterprises industries technologies solutions consulting
  services agency systems software analytics labs laboratories logistics pharmaceuticals bioscience biosciences ventures networks
  international appraisals research apps app consultants advisors securities telecommunications biotech robotics therapeutics
  staffing`
)

/** Most words before a business's head. */
const MAX_BUSINESS = 4

/** "Paris Hilton Hotel" */
const business = atWords(businessHeads, (reader, at, found) => {
  const head = reader.word(at)
  const isCapital = reader.isCapitalized(at)
  let from = at
  while (
    at - from < MAX_BUSINESS &&
    reader.cls(from - 1) === "w" &&
    !functionWords.has(reader.word(from - 1)) &&
    (reader.isCapitalized(from - 1) || (!isCapital && isKnown(reader, reader.word(from - 1))))
  )
    from--
  if (from === at) return undefined
  const isSure =
    /^(hotel|hotels|inn|motel|screwdriver|sandwich|watch|jeans|inc|llc|ltd|corp)$/.test(head) ||
    (isCapital && companyForms.has(head))
  found.push(reader.candidate("nothing", from, at + 1, isSure ? SURE : 0.72, "name of a business"))
  return undefined
})

/** Businesses and products: a reading that keeps their names from being taken for people and places. */
export const organizations: Recognizer = byToken([brand, ordinaryWord, product, business, measure, scale])
