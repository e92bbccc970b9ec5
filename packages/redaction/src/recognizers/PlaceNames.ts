import { functionWords, wordSet } from "../Lexicon.js"
import { phraseTrie } from "../PhraseTrie.js"
import { ambiguousPlaces, countries, states } from "../WordLists.js"
import { atWords, type CallReader, type TokenRule } from "./CallReader.js"

export const placePrepositions = wordSet(
  "in from to near at of around visiting toward towards outside leaving through via"
)

/** Countries and states by name. */
export const places = phraseTrie<"plain" | "ambiguous">()
for (const place of [...countries, ...states])
  places.add(place.replace(/\./g, " . ").replace(/-/g, " - ").trim().split(/\s+/), "plain")
for (const place of ambiguousPlaces) places.add([place], "ambiguous")

/** Most words of a town's name. */
const MAX_TOWN = 3

/** Where a town of the place set ends that begins at a token; 0 where there is none. */
export const townEnd = (reader: CallReader, at: number): number => {
  for (let size = MAX_TOWN; size > 0; size--) {
    let words = 0
    while (words < size && /^[wG]$/.test(reader.cls(at + words))) words++
    if (words < size) continue
    const phrase = reader.phrase(at, at + size)
    if (!reader.isIn("places", phrase)) continue
    if (size > 1 || !(functionWords.has(phrase) || reader.isIn("common1", phrase))) return at + size
  }
  return 0
}

/** Where a town begins that stands before a state, with or without a comma; undefined where there is none. */
const townBefore = (reader: CallReader, at: number): number | undefined => {
  const end = reader.word(at - 1) === "," ? at - 1 : at
  for (let size = MAX_TOWN; size > 0; size--) {
    const from = end - size
    if (reader.cls(from) !== "w") continue
    const phrase = reader.phrase(from, end)
    if (reader.isIn("places", phrase) && !functionWords.has(phrase)) return from
  }
  return undefined
}

/** What makes a place's name part of the name of a thing: "Georgia university", "turkey sandwich". */
const things =
  /^(hotel|inn|hilton|cheese|ham|club|sandwich|bank|airlines|airways|steakhouse|toast|roll|university|state|apron|avenue|street|road|boulevard|shepherd|insurance|life|mutual)$/

/** Whether a name that is another word too is a place here: behind a preposition of place or a comma. */
const isPlace = (reader: CallReader, at: number, follows: string): boolean => {
  const before = reader.word(at - 1)
  if (reader.word(at) === "turkey" && /^(sandwich|club|breast|and)$/.test(follows)) return false
  return (
    /^(in|from|to)$/.test(before) || ((placePrepositions.has(before) || before === ",") && reader.isCapitalized(at))
  )
}

/** "France", "in Georgia", "Austin, Texas" */
export const namedPlace: TokenRule = (reader, at, found) => {
  const place = places.longestAt(reader.all, at)
  if (place === undefined) return undefined
  const follows = reader.word(place.to)
  const isThing = place.to - at === 1 && things.test(follows)
  if (place.value === "ambiguous") {
    if (!isThing && isPlace(reader, at, follows))
      found.push(reader.candidate("location", at, place.to, 0.66, "country or state after a preposition"))
    return place.to
  }
  if (!isThing) found.push(reader.candidate("location", at, place.to, 0.82, "country or state"))
  const town = townBefore(reader, at)
  if (town !== undefined) found.push(reader.candidate("location", town, place.to, 0.85, "town and state"))
  return place.to
}

/** Whether a town's name is everyday words alone: "long beach", "reading". */
const isOrdinary = (reader: CallReader, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) {
    const word = reader.word(at)
    const isCommon =
      reader.isIn("common1", word) || reader.isIn("common2", word) || (to - from === 1 && reader.isIn("common3", word))
    if (!isCommon || (to - from === 1 && reader.isCapitalized(at) && at > 0 && !functionWords.has(word))) return false
  }
  return true
}

/** What goes on behind a place rather than making it part of something else. */
const AFTER_PLACE =
  /^(and|or|but|for|last|next|this|now|so|to|with|when|because|please|today|yesterday|tomorrow|has|is|was|are|on|in|at|right|area|where|actually|who|my|i|we|from|since|until|by|airport|city|all)$/

/** "the Durban branch": a town of the place set before what a business has there. */
export const townOfBranch = atWords(
  "branch office store warehouse depot clinic campus airport showroom headquarters",
  (reader, at, found) => {
    for (let from = Math.max(0, at - MAX_TOWN); from < at; from++) {
      if (reader.word(from - 1) !== "the" || townEnd(reader, from) !== at || isOrdinary(reader, from, at)) continue
      found.push(reader.candidate("location", from, at, 0.66, `town before "${reader.word(at)}"`))
      break
    }
    return undefined
  }
)

/** Most words of the name of a house. */
const MAX_HOUSE = 2

/** "over at lindenhof farm", "it's rose cottage": a house that is called by a name. */
export const namedHouse = atWords("farm cottage lodge manor grange vicarage rectory farmhouse", (reader, at, found) => {
  let from = at
  while (at - from < MAX_HOUSE && reader.cls(from - 1) === "w" && !functionWords.has(reader.word(from - 1))) from--
  const isNamed = from < at && !reader.isIn("common1", reader.word(at - 1))
  if (isNamed && /^(at|in|from|near|it's|is|called)$/.test(reader.word(from - 1)))
    found.push(reader.candidate("location", from, at + 1, 0.62, `house called "${reader.word(at)}"`))
  return undefined
})

/** "a little place called yarrow" */
export const calledPlace = atWords("called", (reader, at, found) => {
  if (!/^(place|town|village|suburb|hamlet|city|neighborhood)$/.test(reader.word(at - 1))) return undefined
  let to = at + 1
  while (to - at <= MAX_HOUSE && reader.cls(to) === "w" && !functionWords.has(reader.word(to))) to++
  if (to > at + 1) found.push(reader.candidate("location", at + 1, to, 0.92, `name of a ${reader.word(at - 1)}`))
  return undefined
})

/** "in toledo", "moved to grand rapids last year": a town of the place set behind a preposition of place. */
export const townAfterPreposition = atWords(
  "in from to near outside around via visiting leaving",
  (reader, at, found) => {
    const from = at + 1
    const to = townEnd(reader, from)
    if (to === 0 || isOrdinary(reader, from, to)) return undefined
    const ends = reader.endsAt(to, /^[.,?!;nWRNM]$/) || AFTER_PLACE.test(reader.word(to))
    const isName =
      to - from === 1 && reader.isIn("firstNames", reader.word(from)) && /^(from|to)$/.test(reader.word(at))
    const isOrigin = reader.word(at) === "from" && /^(calling|call|phoning)$/.test(reader.word(at - 1))
    if (ends && (isOrigin || !isName))
      found.push(
        reader.candidate(
          "location",
          from,
          to,
          isOrigin ? 0.82 : to - from > 1 ? 0.66 : 0.6,
          `town after "${reader.word(at)}"`
        )
      )
    return undefined
  }
)
