import type { CallText } from "../CallText.js"
import { functionWords, phrases, stateCodes, usStates, wordSet } from "../Lexicon.js"
import { phraseTrie } from "../PhraseTrie.js"
import { type Candidate, candidate } from "../Span.js"
import type { Run } from "../SpokenNumbers.js"
import { inSet, type WordSets } from "../tagger/WordSets.js"
import * as Lists from "../WordLists.js"

const places = phraseTrie<"plain" | "ambiguous">()
for (const place of [...Lists.countries, ...usStates]) {
  const words = place.replace(/\./g, " . ").replace(/-/g, " - ").trim().split(/\s+/)
  places.add(words, "plain")
}
for (const place of phrases(
  "georgia, jordan, chad, turkey, jersey, washington, virginia, guinea, niger, mali, maine, cuba"
)) {
  places.add([place], "ambiguous")
}

const streetEndings = wordSet(
  `street avenue ave boulevard blvd road rd lane parkway pkwy highway hwy terrace expressway freeway turnpike crescent esplanade`
)
const looseStreetEndings = wordSet(
  `st ln drive dr court ct place pl way circle cir square sq trail trl alley loop row close plaza walk path run ridge view heights point pike crossing mews gardens grove hill park bend cove pass`
)
const unitWords = wordSet("apartment apt suite ste unit floor # building bldg flat")
const directions = wordSet("north south east west n s e w ne nw se sw northeast northwest southeast southwest")
const placePrepositions = wordSet("in from to near at of around visiting toward towards outside leaving through via")
const notStreetName = wordSet(
  "the a an this that my your our his her their same other whole every each which what long no any one wrong right main-level"
)
const notLoose = wordSet(
  "wheel hard flash test thumb food tennis supreme basketball other only better best same half every parking third time business one two long easy right wrong different safe quiet nice good disk usb claims traffic kangaroo first second another"
)
const quantity = wordSet("miles minutes blocks hours times people feet items percent dollars days weeks months years")

/** Places: street addresses, boxes, postal codes, cities with their states, countries and states by name. */
export const placeCandidates = (call: CallText, runs: ReadonlyArray<Run>, sets: WordSets): ReadonlyArray<Candidate> => {
  const { all } = call.tokens
  const found: Array<Candidate> = []
  const word = (at: number): string => all[at]?.lower ?? ""
  const isWord = (at: number): boolean => /^[wLmWFsd]$/.test(all[at]?.cls ?? "") || all[at]?.cls === "T"
  const runTo = new Map(runs.map((run) => [run.to, run]))
  const runFrom = new Map(runs.map((run) => [run.from, run]))
  const put = (from: number, to: number, score: number, why: string): void => {
    found.push(candidate("location", all[from]?.start ?? 0, all[to - 1]?.end ?? 0, score, why))
  }

  /** What may follow a street: direction, unit, town, state, postal code. */
  const restOfAddress = (at: number): number => {
    let to = at
    if (directions.has(word(to)) && all[to]?.cls !== "n") to++
    for (let part = 0; part < 5; part++) {
      let next = to
      let comma = false
      while (
        word(next) === "," ||
        (word(next) === "." && comma) ||
        (all[next]?.cls === "n" && call.turnOf[next] === call.turnOf[next + 1])
      ) {
        comma = true
        next++
      }
      if (word(next) === "number" && unitWords.has(word(next - 1))) next++
      if (unitWords.has(word(next))) {
        next++
        if (word(next) === "number") next++
        const run = runFrom.get(next)
        if (run !== undefined) {
          to = run.to
          continue
        }
        if (all[next]?.cls === "L" || all[next]?.cls === "a" || all[next]?.cls === "F") {
          to = next + 1
          continue
        }
        break
      }
      if (word(next) === "in" && !comma) next++
      const place = places.longestAt(all, next)
      const town = townAt(next)
      const best = Math.max(place?.to ?? 0, town)
      if (best > 0) {
        to = best
        continue
      }
      if (
        stateCodes.has((all[next]?.text ?? "").toUpperCase()) &&
        (/^[A-Z]{2}$/.test(all[next]?.text ?? "") || part > 0) &&
        !functionWords.has(word(next))
      ) {
        to = next + 1
        continue
      }
      const run =
        runFrom.get(next) ??
        (word(next) === "zip" || word(next) === "zipcode" || word(next) === "postcode"
          ? runFrom.get(word(next + 1) === "code" ? next + 2 : next + 1)
          : undefined)
      if (run !== undefined && run.digits >= 4 && run.chars.length <= 9 && part > 0) {
        to = run.to
        break
      }
      break
    }
    return to
  }

  /** A town of the place set, three words at most; 0 where there is none. */
  const townAt = (at: number): number => {
    for (let size = 3; size > 0; size--) {
      let phrase = ""
      let ok = true
      for (let i = 0; i < size && ok; i++) {
        const token = all[at + i]
        ok = token?.cls === "w"
        phrase += (i > 0 ? " " : "") + word(at + i)
      }
      if (
        ok &&
        inSet(sets.places, phrase) &&
        !(size === 1 && (functionWords.has(phrase) || inSet(sets.common1, phrase)))
      )
        return at + size
    }
    return 0
  }

  for (let at = 0; at < all.length; at++) {
    const token = all[at]
    if (token === undefined || token.cls === "P" || token.cls === "n") continue
    const lower = token.lower

    // Streets.
    const firm = streetEndings.has(lower)
    if (firm || looseStreetEndings.has(lower)) {
      let from = at
      let names = 0
      while (
        names < 4 &&
        from > 0 &&
        isWord(from - 1) &&
        !runTo.has(from) &&
        !placePrepositions.has(word(from - 1)) &&
        !/^(is|live|lives|on|address|it's|that's|and|or|the|my|was|street|avenue|go|moved|for|be|with|i|we|are)$/.test(
          word(from - 1)
        )
      ) {
        from--
        names++
      }
      if (from > 0 && all[from]?.cls === "w" && /^(yes|yeah|okay|so|um|uh|well|sure)$/.test(word(from))) from = at
      let number = runTo.get(from)
      // "forty second street": the ordinal is read as part of the number or the name, either way it goes.
      if (number === undefined && names > 0) {
        for (let inner = from + 1; inner < at && number === undefined; inner++) {
          const run = runTo.get(inner)
          if (run !== undefined) {
            number = run
            from = inner
          }
        }
      }
      const named = at - from > 0 && !(at - from === 1 && notStreetName.has(word(from)))
      let end = at + 1
      if (word(end) === "." && lower.length <= 4) end++
      if (
        number !== undefined &&
        number.digits > 0 &&
        number.digits <= 6 &&
        named &&
        !quantity.has(word(from)) &&
        (firm || !notLoose.has(word(at - 1)))
      ) {
        put(number.from, Math.max(end, restOfAddress(end)), firm ? 0.92 : 0.82, "street address")
      } else if (
        firm &&
        named &&
        !functionWords.has(word(at - 1)) &&
        !/^(side|wall|across|down|busy|cross|high|dirt|private|main|open|rail|fast|car|toll|back|bus|memory)$/.test(
          word(at - 1)
        )
      ) {
        put(Math.max(from, at - 3), end, 0.62, "street")
      } else if (firm && named && /^(wall|high|main|bourbon|elm|oak|park)$/.test(word(at - 1))) {
        put(at - 1, end, 0.62, "street")
      } else if (firm && (all[at - 1]?.cls === "F" || all[at - 1]?.cls === "s")) {
        put(all[at - 2]?.cls === "y" ? at - 2 : at - 1, Math.max(end, restOfAddress(end)), 0.62, "street")
      }
    }
    if (/^(highway|interstate|route)$/.test(lower) && runFrom.has(at + 1))
      put(at, runFrom.get(at + 1)?.to ?? at + 1, 0.55, "road number")
    // Boxes: "P.O. Box 101", "p o box one oh one".
    if (lower === "box" && runFrom.has(word(at + 1) === "number" ? at + 2 : at + 1)) {
      const run = runFrom.get(word(at + 1) === "number" ? at + 2 : at + 1)
      let from = at
      while (from > at - 5 && /^[po.]$/.test(word(from - 1))) from--
      const joined = word(at - 1) === "po" || word(at - 1) === "pobox"
      if (run !== undefined && (from < at || joined || word(at - 1) === "office"))
        put(
          joined ? at - 1 : word(at - 1) === "office" ? at - 2 : from,
          Math.max(run.to, restOfAddress(run.to)),
          0.88,
          "post office box"
        )
    }
    // Units alone: "apartment five b", beside an address or not.
    if (/^(apartment|apt|suite|ste)$/.test(lower)) {
      const next = word(at + 1) === "." || word(at + 1) === "number" || word(at + 1) === "#" ? at + 2 : at + 1
      const run = runFrom.get(next)
      if (run !== undefined && run.digits > 0) put(at, Math.max(run.to, restOfAddress(run.to)), 0.75, "apartment")
      else if (
        (all[next]?.cls === "L" || all[next]?.cls === "a") &&
        (all[next + 1] === undefined || /^[.,?n]$/.test(all[next + 1]?.cls ?? ""))
      )
        put(at, next + 1, 0.65, "apartment")
    }
    // "TX 78701", "Austin, TX"
    if (token.text.length === 2 && stateCodes.has(token.text)) {
      const run = runFrom.get(word(at + 1) === "," ? at + 2 : at + 1)
      if (run !== undefined && !run.spoken && (run.chars.length === 5 || run.chars.length === 9))
        put(at, run.to, 0.9, "state and postal code")
      else if (word(at - 1) === "," && /^[A-Z]/.test(all[at - 2]?.text ?? ""))
        put(at - 2, at + 1, 0.8, "town and state")
    }
    const place = places.longestAt(all, at)
    if (place !== undefined) {
      const capital = /^\p{Lu}/u.test(token.text)
      const tied = placePrepositions.has(word(at - 1)) || word(at - 1) === ","
      const follows = word(place.to)
      const isThing =
        /^(hotel|inn|hilton|cheese|ham|club|sandwich|bank|airlines|airways|steakhouse|toast|roll|university|state|apron|avenue|street|road|boulevard|shepherd|insurance|life|mutual)$/.test(
          follows
        ) && place.to - at === 1
      if (place.value === "plain") {
        if (!isThing) put(at, place.to, 0.82, "country or state")
      } else if (
        tied &&
        !isThing &&
        !(lower === "turkey" && /^(sandwich|club|breast|and)$/.test(follows)) &&
        (capital || /^(in|from|to)$/.test(word(at - 1)))
      )
        put(at, place.to, 0.66, "country or state after a preposition")
      const town = place.value === "plain" ? townBefore(at) : 0
      if (town > 0) put(at - town, place.to, 0.85, "town and state")
      at = place.to - 1
      continue
    }
    // Coordinates said aloud.
    if (/^(latitude|longitude|lat|long|lng)$/.test(lower)) {
      let next = at + 1
      while (/^(is|of|:|,|minus|negative|-|about|=|degrees)$/.test(word(next))) next++
      const run = runFrom.get(next)
      if (run !== undefined && run.digits >= 2) {
        let to = run.to
        if (/^(degrees|°)$/.test(word(to))) to++
        if (directions.has(word(to))) to++
        put(/^(minus|negative|-)$/.test(word(next - 1)) ? next - 1 : next, to, 0.85, `after "${lower}"`)
      }
    }
    if (/^(degrees|°)$/.test(lower) && directions.has(word(at + 1)) && runTo.has(at)) {
      const run = runTo.get(at)
      if (run !== undefined) put(run.from, at + 2, 0.82, "degrees and direction")
    }
  }

  function townBefore(at: number): number {
    const end = word(at - 1) === "," ? at - 1 : at
    for (let size = 3; size > 0; size--) {
      let phrase = ""
      for (let i = end - size; i < end; i++) phrase += (i > end - size ? " " : "") + word(i)
      if (all[end - size]?.cls === "w" && inSet(sets.places, phrase) && !functionWords.has(phrase))
        return at - (end - size)
    }
    return 0
  }
  return found
}
