import { acknowledgements, functionWords, wordSet } from "../Lexicon.js"
import type { Run } from "../SpokenNumbers.js"
import { stateCodes } from "../WordLists.js"
import { atWords, type CallReader, type TokenRule } from "./CallReader.js"
import { places, townEnd } from "./PlaceNames.js"

export const directions = wordSet("north south east west n s e w ne nw se sw northeast northwest southeast southwest")
const unitWords = wordSet("apartment apt suite ste unit floor # building bldg flat")

/** Most parts behind a street: unit, town, state, postal code. */
const MAX_PARTS = 5

/** Past commas and line breaks between two parts of an address. */
const nextPart = (reader: CallReader, at: number): { readonly at: number; readonly afterComma: boolean } => {
  let next = at
  let afterComma = false
  while (
    reader.word(next) === "," ||
    (reader.word(next) === "." && afterComma) ||
    (reader.cls(next) === "n" && reader.call.turnOf[next] === reader.call.turnOf[next + 1])
  ) {
    afterComma = true
    next++
  }
  if (reader.word(next) === "number" && unitWords.has(reader.word(next - 1))) next++
  return { at: next, afterComma }
}

/** Where a unit ends whose word stands at a token: "apt number 5", "suite b". */
const unitEnd = (reader: CallReader, at: number): number | undefined => {
  const next = reader.word(at + 1) === "number" ? at + 2 : at + 1
  return reader.runFrom(next)?.to ?? (/^[LaF]$/.test(reader.cls(next)) ? next + 1 : undefined)
}

const isStateCode = (reader: CallReader, at: number, isFirst: boolean): boolean =>
  stateCodes.has(reader.written(at).toUpperCase()) &&
  (!isFirst || /^[A-Z]{2}$/.test(reader.written(at))) &&
  !functionWords.has(reader.word(at))

const postalCode = (reader: CallReader, at: number): Run | undefined => {
  const direct = reader.runFrom(at)
  if (direct !== undefined) return direct
  return /^(zip|zipcode|postcode)$/.test(reader.word(at))
    ? reader.runFrom(reader.word(at + 1) === "code" ? at + 2 : at + 1)
    : undefined
}

/** Where a town, state or country ends that begins at a token; 0 where there is none. */
const placeEnd = (reader: CallReader, at: number): number =>
  Math.max(places.longestAt(reader.all, at)?.to ?? 0, townEnd(reader, at))

/** Most words of a place that no list has. */
const MAX_UNLISTED = 2

/** Past the words behind an address with which the turn ends: "church lane, little snoring". */
const unlistedEnd = (reader: CallReader, at: number): number => {
  let to = reader.written(at) === "," ? at + 1 : at
  const first = to
  let isRare = false
  while (to - first < MAX_UNLISTED && reader.cls(to) === "w") {
    const word = reader.word(to)
    if (functionWords.has(word) || acknowledgements.has(word) || reader.isIn("common1", word)) break
    isRare ||= !reader.isIn("common2", word)
    to++
  }
  return isRare && reader.endsAt(to, /^[.n]$/) ? to : at
}

/** Where an address ends whose street ends before a token: after its direction, unit, town, state and postal code. */
export const addressEnd = (reader: CallReader, at: number): number => unlistedEnd(reader, listedEnd(reader, at))

const listedEnd = (reader: CallReader, at: number): number => {
  let to = directions.has(reader.word(at)) && reader.cls(at) !== "n" ? at + 1 : at
  for (let part = 0; part < MAX_PARTS; part++) {
    const between = nextPart(reader, to)
    // "saint johns terrace, number eight"
    const numbered = part === 0 && reader.word(between.at) === "number" ? reader.runFrom(between.at + 1) : undefined
    if (numbered !== undefined && numbered.digits > 0 && numbered.digits <= 5) {
      to = numbered.to
      continue
    }
    if (unitWords.has(reader.word(between.at))) {
      const unit = unitEnd(reader, between.at)
      if (unit === undefined) return to
      to = unit
      continue
    }
    const next = reader.word(between.at) === "in" && !between.afterComma ? between.at + 1 : between.at
    const place = placeEnd(reader, next)
    if (place > 0) to = place
    else if (isStateCode(reader, next, part === 0)) to = next + 1
    else {
      const run = postalCode(reader, next)
      return run !== undefined && run.digits >= 4 && run.chars.length <= 9 && part > 0 ? run.to : to
    }
  }
  return to
}

/** "P.O. Box 101", "p o box one oh one" */
const postBox: TokenRule = (reader, at, found) => {
  if (reader.word(at) !== "box") return undefined
  const run = reader.runFrom(reader.word(at + 1) === "number" ? at + 2 : at + 1)
  if (run === undefined) return undefined
  const before = reader.word(at - 1)
  let from = at
  while (from > at - 5 && /^[po.]$/.test(reader.word(from - 1))) from--
  if (/^(po|pobox)$/.test(before)) from = at - 1
  else if (before === "office") from = at - 2
  if (from < at)
    found.push(
      reader.candidate("location", from, Math.max(run.to, addressEnd(reader, run.to)), 0.88, "post office box")
    )
  return undefined
}

/** "apartment five b", beside an address or not */
const unit = atWords("apartment apt suite ste", (reader, at, found) => {
  const next = /^(\.|number|#)$/.test(reader.word(at + 1)) ? at + 2 : at + 1
  const run = reader.runFrom(next)
  if (run !== undefined && run.digits > 0)
    found.push(reader.candidate("location", at, Math.max(run.to, addressEnd(reader, run.to)), 0.75, "apartment"))
  else if (/^[La]$/.test(reader.cls(next)) && reader.endsAt(next + 1, /^[.,?n]$/))
    found.push(reader.candidate("location", at, next + 1, 0.65, "apartment"))
  return undefined
})

/** "TX 78701", "Austin, TX" */
const stateAndCode: TokenRule = (reader, at, found) => {
  if (!stateCodes.has(reader.written(at))) return undefined
  const run = reader.runFrom(reader.word(at + 1) === "," ? at + 2 : at + 1)
  if (run !== undefined && !run.spoken && (run.chars.length === 5 || run.chars.length === 9))
    found.push(reader.candidate("location", at, run.to, 0.9, "state and postal code"))
  else if (reader.word(at - 1) === "," && /^[A-Z]/.test(reader.written(at - 2)))
    found.push(reader.candidate("location", at - 2, at + 1, 0.8, "town and state"))
  return undefined
}

/** Most tokens between the parts of a military address: commas and line breaks. */
const MILITARY_GAP = 3

const pastMarks = (reader: CallReader, at: number): number => {
  let next = at
  while (next - at < MILITARY_GAP && (reader.word(next) === "," || reader.cls(next) === "n")) next++
  return next
}

/** "PSC 1234, Box 56 / APO AE 09012", "Unit 1234 Box 56, DPO AA 34010": a military or diplomatic address. */
const militaryAddress = atWords("psc cmr unit apo fpo dpo", (reader, at, found) => {
  let next = at
  if (/^(psc|cmr|unit)$/.test(reader.word(at))) {
    const number = reader.runFrom(at + 1)
    if (number === undefined) return undefined
    next = pastMarks(reader, number.to)
    const box = reader.word(next) === "box" ? reader.runFrom(next + 1) : undefined
    if (box === undefined) return undefined
    next = pastMarks(reader, box.to)
  }
  if (!/^(apo|fpo|dpo)$/.test(reader.word(next))) return undefined
  const region = pastMarks(reader, next + 1)
  if (!/^(aa|ae|ap)$/.test(reader.word(region))) return undefined
  const to = reader.runFrom(region + 1)?.to ?? region + 1
  found.push(reader.candidate("location", at, to, 0.93, "military address"))
  return to
})

/** Parts of an address that have numbers or letters, and those of them that are parts of nothing else. */
const partWords = wordSet(
  "plot sector block phase flat house door villa tower wing floor lane cross main unit shop lot"
)
const MAX_NUMBERED = 6

/** Where a numbered part of an address ends: "plot number twenty two", "house one one seven", "block c". */
const numberedPartEnd = (reader: CallReader, at: number): number | undefined => {
  if (!partWords.has(reader.word(at))) return undefined
  const next = /^(number|no|#)$/.test(reader.word(at + 1)) ? at + 2 : at + 1
  const run = reader.runFrom(next)
  if (run !== undefined && run.digits > 0 && run.chars.length <= 6) return run.to
  return reader.cls(next) === "L" && reader.runFrom(next) === undefined ? next + 1 : undefined
}

const buildings =
  wordSet(`apartments apartment towers tower residency residences society enclave villas mansions mansion estate house court lodge manor
 park heights complex center building block flats gardens`)
/** Those that are hardly ever anything else. */
const homes = wordSet("apartments residency residences enclave villas mansions")

/** Most words of a building's name. */
const MAX_BUILDING = 4

/** Where the name of a building ends that begins at a token, "trafalgar house", "the quadrant business park"; the token where none does. */
const buildingEnd = (reader: CallReader, at: number): number => {
  let end = at
  for (let to = at; to - at < MAX_BUILDING && /^[wT]$/.test(reader.cls(to)); to++)
    if (to > at && buildings.has(reader.word(to))) end = to + 1
  return end
}

/** "b one oh four green meadows apartments": a number or code and a building of homes. */
const home: TokenRule = (reader, at, found) => {
  if (!homes.has(reader.word(at))) return undefined
  let from = at
  while (at - from < MAX_BUILDING && reader.cls(from - 1) === "w" && !functionWords.has(reader.word(from - 1))) from--
  const run = reader.runTo(from)
  if (run !== undefined && from < at && run.digits > 0 && run.chars.length <= 6)
    found.push(reader.candidate("location", run.from, addressEnd(reader, at + 1), 0.85, "home in a building"))
  return undefined
}

/** "plot twenty two sector fourteen gurgaon": at least two numbered parts, or one that a town follows. */
const numberedParts: TokenRule = (reader, at, found) => {
  let to = at
  let parts = 0
  for (let end = numberedPartEnd(reader, to); end !== undefined && parts < MAX_NUMBERED; parts++) {
    to = end
    const next = reader.written(to) === "," ? to + 1 : to
    end = numberedPartEnd(reader, next)
  }
  if (parts === 0) return undefined
  const building = buildingEnd(reader, to)
  if (building > to) {
    found.push(reader.candidate("location", at, addressEnd(reader, building), 0.88, "part of a building"))
    return undefined
  }
  const town = townEnd(reader, reader.written(to) === "," ? to + 1 : to)
  const isNumberOfHouse = /^(house|door|flat|plot)$/.test(reader.word(at)) && /^(number|no)$/.test(reader.word(at + 1))
  if (parts > 1 || town > 0)
    found.push(reader.candidate("location", at, Math.max(to, town), 0.86, "numbered parts of an address"))
  else if (isNumberOfHouse) found.push(reader.candidate("location", at, to, 0.86, "number of a house"))
  return undefined
}

export const addressRules: ReadonlyArray<TokenRule> = [
  militaryAddress,
  postBox,
  unit,
  numberedParts,
  home,
  stateAndCode
]
