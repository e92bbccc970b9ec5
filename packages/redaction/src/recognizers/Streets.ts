import { functionWords, wordSet } from "../Lexicon.js"
import type { Run } from "../SpokenNumbers.js"
import { addressEnd } from "./AddressParts.js"
import { atWords, type CallReader, type TokenRule } from "./CallReader.js"
import { placePrepositions } from "./PlaceNames.js"

export const streetEndings = wordSet(
  `street avenue ave boulevard blvd road rd lane parkway pkwy highway hwy terrace expressway freeway turnpike crescent esplanade`
)
/** Street endings that are everyday words or abbreviations too: they need a house number. */
const looseStreetEndings = wordSet(
  `st ln drive dr court ct place pl way circle cir square sq trail trl alley loop row close plaza walk path run ridge view heights point pike crossing mews gardens grove hill park parade promenade wharf quay wynd embankment causeway bend cove pass`
)
const notStreetName = wordSet(
  "the a an this that my your our his her their same other whole every each which what long no any one wrong right main-level"
)
const notLoose = wordSet(
  "wheel hard flash test thumb food tennis supreme basketball other only better best same half every parking third time business one two long easy right wrong different safe quiet nice good disk usb claims traffic kangaroo first second another"
)
const quantity = wordSet("miles minutes blocks hours times people feet items percent dollars days weeks months years")
const beforeStreet =
  /^(is|live|lives|on|address|it's|that's|and|or|the|my|was|street|avenue|go|moved|for|be|with|i|we|are)$/
const notNamed =
  /^(left|right|middle|center|inside|outside|slow|passing|express|bike|turn|turning|exit|side|wall|across|down|busy|cross|high|dirt|private|main|open|rail|fast|car|toll|back|bus|memory)$/

const isNamePart = (reader: CallReader, at: number): boolean =>
  /^[wLmWFsdT]$/.test(reader.cls(at)) && !placePrepositions.has(reader.word(at)) && !beforeStreet.test(reader.word(at))

/** Where the name before "street" begins: four words at most, behind the house number. */
const nameStart = (reader: CallReader, at: number): number => {
  let from = at
  while (at - from < 4 && from > 0 && reader.runTo(from) === undefined && isNamePart(reader, from - 1)) from--
  const isFiller = reader.cls(from) === "w" && /^(yes|yeah|okay|so|um|uh|well|sure)$/.test(reader.word(from))
  return isFiller ? at : from
}

/** The house number before a name, or inside it: "forty second street". */
const houseNumber = (
  reader: CallReader,
  from: number,
  at: number,
  hasName: boolean
): { readonly from: number; readonly run: Run | undefined } => {
  // "eighteen a lower mill road"
  const isLettered = /^[abcd]$/.test(reader.word(from - 1)) && reader.runTo(from) === undefined
  const run = reader.runTo(from) ?? (isLettered ? reader.runTo(from - 1) : undefined)
  if (run !== undefined || !hasName) return { from, run }
  for (let inner = from + 1; inner < at; inner++) {
    const within = reader.runTo(inner)
    if (within !== undefined) return { from: inner, run: within }
  }
  return { from, run: undefined }
}

/** A street's name without a house number; only with an ending that is nothing else. */
const streetAlone = (reader: CallReader, from: number, at: number, end: number, isNamed: boolean) => {
  const before = reader.word(at - 1)
  if (isNamed && !functionWords.has(before) && !notNamed.test(before))
    return reader.candidate("location", Math.max(from, at - 3), Math.max(end, addressEnd(reader, end)), 0.62, "street")
  if (isNamed && /^(wall|high|main|bourbon|elm|oak|park)$/.test(before))
    return reader.candidate("location", at - 1, end, 0.62, "street")
  if (!/^[Fs]$/.test(reader.cls(at - 1))) return undefined
  const ordinal = reader.cls(at - 2) === "y" ? at - 2 : at - 1
  return reader.candidate("location", ordinal, Math.max(end, addressEnd(reader, end)), 0.62, "street")
}

/** "one one seven m g road": a house number and the initials of a street. */
const INITIALS = /^\d{1,5}[A-Z]{1,3}$/

/** "221 Baker Street, London", "forty second street" */
const street: TokenRule = (reader, at, found) => {
  const ending = reader.word(at)
  const isFirm = streetEndings.has(ending)
  if (!isFirm && !looseStreetEndings.has(ending)) return undefined
  const spelled = isFirm ? reader.runTo(at) : undefined
  if (spelled !== undefined && INITIALS.test(spelled.chars)) {
    found.push(reader.candidate("location", spelled.from, addressEnd(reader, at + 1), 0.9, "street address"))
    return undefined
  }
  const name = nameStart(reader, at)
  const { from, run } = houseNumber(reader, name, at, hasWords(reader, name, at))
  const isNamed = at > from && !(at - from === 1 && notStreetName.has(reader.word(from)))
  const end = reader.word(at + 1) === "." && ending.length <= 4 ? at + 2 : at + 1
  const isAddress =
    run !== undefined &&
    run.digits > 0 &&
    run.digits <= 6 &&
    isNamed &&
    !quantity.has(reader.word(from)) &&
    (isFirm || !notLoose.has(reader.word(at - 1)))
  if (isAddress)
    found.push(
      reader.candidate(
        "location",
        run.from,
        Math.max(end, addressEnd(reader, end)),
        isFirm ? 0.92 : 0.82,
        "street address"
      )
    )
  else if (isFirm) {
    const alone = streetAlone(reader, from, at, end, isNamed)
    if (alone !== undefined) found.push(alone)
  }
  return undefined
}

/** Whether anything that may be a name stands before the ending. */
const hasWords = (reader: CallReader, from: number, at: number): boolean =>
  from < at || (at > 0 && reader.runTo(at) === undefined && isNamePart(reader, at - 1))

/** "de la", "d'Antibes" */
const isLink = (reader: CallReader, at: number): boolean => LINK.test(reader.word(at))
const LINK = /^(?:d['’]\p{L}+|l['’]\p{L}+|de|du|des|la|le|les|del|da|do|dos)$/u

/** Words of streets that come first: "calle mayor 22", "rue de la paix 5", "via Roma 3". */
const leadingStreet = atWords(
  "calle avenida avda rua rue paseo praça travessa carrera chemin impasse viale piazza plaza",
  (reader, at, found) => {
    let to = at + 1
    const number = reader.runTo(at)
    if (number !== undefined && number.digits > 0 && number.digits <= 5) {
      // "14 Rue d'Antibes"
      while (
        to - at <= MAX_LEADING &&
        /^[wLfT]$/.test(reader.cls(to)) &&
        (reader.isCapitalized(to) || isLink(reader, to))
      )
        to++
      if (to > at + 1) found.push(reader.candidate("location", number.from, to, 0.88, "street address"))
      return undefined
    }
    while (to - at <= MAX_LEADING && /^[wLfTMm]$/.test(reader.cls(to)) && reader.runFrom(to) === undefined) to++
    const comma = reader.written(to) === "," ? to + 1 : to
    const run = reader.runFrom(comma)
    if (to === at + 1 || run === undefined || run.digits === 0 || run.digits > 5) return undefined
    found.push(reader.candidate("location", at, run.to, 0.88, "street address"))
    return undefined
  }
)

/** Most words of a street's name behind the word for a street. */
const MAX_LEADING = 5

const SHORTEST_STREET = 7
const GERMAN_STREET = /.(?:straße|strasse|gasse|allee)$/u

/** "Lindenstraße 14", "lindenstrasse vierzehn" */
const germanStreet: TokenRule = (reader, at, found) => {
  const word = reader.word(at)
  if (!word.endsWith("e") || word.length < SHORTEST_STREET || !GERMAN_STREET.test(word)) return undefined
  const run = reader.runFrom(at + 1)
  const to = run !== undefined && run.digits > 0 && run.digits < 5 ? run.to : at + 1
  found.push(reader.candidate("location", at, to, 0.88, "street"))
  return undefined
}

/** Most words of a street without an ending that something is to be sent to. */
const MAX_BARE = 3

/** "send it to nine ninety nine sycamore": a house number and a name where something is to be sent. */
const sentTo = atWords("to", (reader, at, found) => {
  const verb = /^(it|them|that|this|everything)$/.test(reader.word(at - 1)) ? at - 2 : at - 1
  const run = reader.runFrom(at + 1)
  if (!deliveries.has(reader.word(verb)) || run === undefined || run.digits < 2 || run.digits > 5) return undefined
  let to = run.to
  while (
    to - run.to < MAX_BARE &&
    reader.cls(to) === "w" &&
    !functionWords.has(reader.word(to)) &&
    !quantity.has(reader.word(to))
  )
    to++
  if (to > run.to) found.push(reader.candidate("location", run.from, to, 0.7, "where something is sent"))
  return undefined
})

const deliveries = wordSet("send ship deliver mail bring forward post sending shipping delivering mailing")

/** Whether somebody is on a numbered road rather than only names it: "we're on highway sixty". */
const isOnRoad = (reader: CallReader, at: number): boolean =>
  /^(on|off|along|near)$/.test(reader.word(reader.word(at - 1) === "the" ? at - 2 : at - 1))

/** "interstate 95" */
const numberedRoad = atWords("highway interstate route", (reader, at, found) => {
  const run = reader.runFrom(at + 1)
  // "bus route sixty four"
  if (/^(bus|train|tram|trolley|shuttle|delivery|paper|mail|ferry|metro)$/.test(reader.word(at - 1))) return undefined
  if (run !== undefined)
    found.push(reader.candidate("location", at, run.to, isOnRoad(reader, at) ? 0.96 : 0.55, "road number"))
  return undefined
})

/** "on the a four six eight", "off the m twenty five": a British road. */
const letteredRoad = atWords("a b m", (reader, at, found) => {
  const run = reader.runFrom(at) ?? reader.runFrom(at + 1)
  if (run === undefined || reader.word(at - 1) !== "the" || !ROAD_LEAD.test(reader.word(at - 2))) return undefined
  if (!/^[ABM]?\d{1,4}$/.test(run.chars)) return undefined
  found.push(reader.candidate("location", at, run.to, 0.9, "road number"))
  return undefined
})
const ROAD_LEAD = /^(on|off|along|down|up|from|near|by|onto|joining)$/

/** Tokens around "at number thirty one" in which something says that somebody lives there. */
const HOUSE_REACH = 8
const housing = wordSet(
  "door doors live lives living lived house neighbor neighbors opposite across road street address next over"
)

/** "she's two doors down at number eighteen": the number of a house alone. */
const loneHouse = atWords("number", (reader, at, found) => {
  const run = reader.runFrom(at + 1)
  if (reader.word(at - 1) !== "at" || run === undefined || run.digits === 0 || run.chars.length > MAX_HOUSE)
    return undefined
  if (!reader.endsAt(run.to, /^[.,?!;n&]$/)) return undefined
  for (let before = at - 2; before >= at - HOUSE_REACH && reader.turn(before) === reader.turn(at); before--)
    if (housing.has(reader.word(before))) {
      found.push(reader.candidate("location", run.from, run.to, 0.8, "number of a house"))
      break
    }
  return undefined
})
/** Most letters and figures of the number of a house. */
const MAX_HOUSE = 4

/** "nine east fifty third": a house number, a direction and the number of a street. */
const numberedStreet = atWords("east west north south", (reader, at, found) => {
  const ordinal = reader.cls(at + 1) === "y" && /^[Fs]$/.test(reader.cls(at + 2)) ? at + 3 : at + 2
  const run = reader.runTo(at)
  if (run === undefined || run.digits === 0 || run.digits > 5 || !/^[Fs]$/.test(reader.cls(ordinal - 1)))
    return undefined
  const isUnit = /^(floor|time|day|quarter|half|of)$/.test(reader.word(ordinal))
  if (!isUnit) found.push(reader.candidate("location", run.from, addressEnd(reader, ordinal), 0.85, "numbered street"))
  return undefined
})

/** "county road twelve", "mile marker one twelve" */
const numberedPlace = atWords("road marker", (reader, at, found) => {
  const kind = reader.word(at) === "road" ? /^(county|state|farm|ranch|rural|forest)$/ : /^(mile|mil)$/
  const run = kind.test(reader.word(at - 1)) ? reader.runFrom(at + 1) : undefined
  if (run !== undefined && run.digits > 0 && run.digits < 5)
    found.push(reader.candidate("location", at - 1, run.to, 0.82, "numbered road"))
  return undefined
})

/** Endings of streets that are said to meet at a corner. */
const cornerEndings = wordSet("street st avenue ave road rd drive lane boulevard blvd way court place")

/** Most words of a street that is one of a corner's two. */
const MAX_CORNER_STREET = 6

/** Where a street of a corner ends that begins at a token: with its ending, or before "and". */
const cornerStreetEnd = (reader: CallReader, from: number): number => {
  let to = from
  while (to - from < MAX_CORNER_STREET && /^[wGLNms.X]$/.test(reader.cls(to)) && reader.word(to) !== "and") {
    if (cornerEndings.has(reader.word(to))) return to + 1
    to++
  }
  return to
}

const MAX_CROSSED = 3

/** Where a street's name without an ending ends: "fifth", "twenty third", "main", "martin luther". */
const crossStreetEnd = (reader: CallReader, at: number): number | undefined => {
  if (reader.cls(at) === "y" && /^[Fs]$/.test(reader.cls(at + 1))) return at + 2
  if (/^[Fs]$/.test(reader.cls(at))) return cornerEndings.has(reader.word(at + 1)) ? at + 2 : at + 1
  let to = at
  while (
    to - at < MAX_CROSSED &&
    reader.cls(to) === "w" &&
    (!functionWords.has(reader.word(to)) || (to > at && cornerEndings.has(reader.word(to))))
  )
    to++
  return to > at ? to : undefined
}

/** "the corner of Main and Second Street": both streets and what joins them. */
const corner = atWords("corner intersection junction", (reader, at, found) => {
  if (reader.word(at + 1) !== "of") return undefined
  const from = reader.word(at - 1) === "the" ? at - 1 : at
  const crossed = crossStreetEnd(reader, at + 2)
  const last = crossed !== undefined && reader.word(crossed) === "and" ? crossStreetEnd(reader, crossed + 1) : undefined
  if (last !== undefined) found.push(reader.candidate("location", from, last, 0.8, "corner of two streets"))
  const between = cornerStreetEnd(reader, at + 2)
  if (between === at + 2 || reader.word(between) !== "and") return undefined
  const to = cornerStreetEnd(reader, between + 1)
  if (to === between + 1 || !cornerEndings.has(reader.word(to - 1))) return undefined
  found.push(reader.candidate("location", from, to, 0.91, "corner of two streets"))
  return undefined
})

export const streetRules: ReadonlyArray<TokenRule> = [
  sentTo,
  leadingStreet,
  germanStreet,
  street,
  numberedRoad,
  letteredRoad,
  loneHouse,
  numberedStreet,
  numberedPlace,
  corner
]
