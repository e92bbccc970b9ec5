import type { CallText } from "../CallText.js"
import { functionWords, wordSet } from "../Lexicon.js"
import { phraseTrie } from "../PhraseTrie.js"
import { type Candidate, candidate } from "../Span.js"
import { inSet, type WordSets } from "../tagger/WordSets.js"

/** What makes the words before it the name of a business: "Paris Hilton Hotel". */
const heads =
  wordSet(`hotel hotels inn suites resort motel casino bank restaurant grill diner cafe bakery pizzeria steakhouse brewery winery store stores dealership
 airlines airways insurance pharmacy hospital clinic university college foundation motors electronics jeans cosmetics supermarket grocery records studios pictures
 inc inc. llc ltd corp corporation gmbh plc co company group holdings partners associates enterprises industries technologies solutions consulting bros mutual financial mortgage screwdriver sandwich watch cereal burger burgers pizza bbq deli spa salon gym fitness outlet outlets mart depot supply`)

/** Companies and products that carry people's names. */
const brands = phraseTrie<true>()
for (const brand of `wendy's, wendys, levi's, levis, mcdonald's, mcdonalds, macy's, macys, kohl's, kohls, denny's, arby's, domino's, lowe's, lowes, trader joe's, dick's, ford, chase, chase bank, wells fargo, jp morgan, j p morgan, jpmorgan, charles schwab, johnson and johnson, john deere, harley davidson, harley, mercedes, mercedes benz, ben and jerry's,
 papa john's, papa johns, jimmy john's, jack daniel's, jim beam, capital one, goldman sachs, morgan stanley, merrill lynch, ralph lauren, calvin klein, tommy hilfiger, victoria's secret, phillips, philips, samsung, siemens, honda, toyota, tesla, chrysler, dodge, lincoln navigator, jaguar, jordans, air jordans, hershey, hershey's, campbell's soup, kellogg's, heinz, dyson, bosch, alexa, siri, cortana,
 hilton, marriott, hyatt, sheraton, walgreens, rite aid, ernst and young, price waterhouse, ernst & young, johnson & johnson, ben & jerry's, abercrombie, tiffany's, bloomingdale's, nordstrom, marshalls, ross, target, best buy, sears, boeing, lockheed martin, dell, hewlett packard, edward jones, smith barney, fidelity, franklin templeton, t rowe price, peloton, michael kors, kate spade, louis vuitton, yves saint laurent, gucci, prada, giorgio armani,
 armani, versace, hugo boss, hugo, jimmy choo, steve madden, aldi, applebee's, chili's, carl's jr, wrangler, dr pepper, dr. pepper, doctor pepper, aunt jemima, uncle ben's, betty crocker, little caesars, tim hortons, delta, delta air lines, united, jetblue, southwest airlines, peet's, dunkin donuts, dunkin, chick fil a, chick-fil-a`.split(
  ","
)) {
  brands.add(
    brand
      .trim()
      .replace(/([.&-])/g, " $1 ")
      .split(/\s+/),
    true
  )
}
/** Also people's own names, so only beside nothing that says "person". */
const alsoNames = wordSet(
  "delta united hilton ford chase phillips philips dell ross hugo harley marshalls wrangler alexa target dodge fidelity jaguar lowes siri dyson bosch"
)

/** Names that are verbs too, and what a verb would have after it. */
const wordNames = wordSet(
  "mark bill rob drew chase sue pat rose grace frank faith hope joy art dawn rich jack chip cash penny will may grant dean hunter cook carter mason mike bob nick josh skip ward wade drake earnest miles storm summer autumn page piper reed stone sunny wolf young"
)
const objects = wordSet("it this that the them a an my your our me us these those their his period up down words")

const CAPITAL = /^\p{Lu}/u

/** Businesses and products: a reading that keeps their names from being taken for people and places. */
export const organizationCandidates = (call: CallText, sets: WordSets): ReadonlyArray<Candidate> => {
  const { all } = call.tokens
  const found: Array<Candidate> = []
  const word = (at: number): string => all[at]?.lower ?? ""
  const put = (from: number, to: number, score: number, why: string): void => {
    found.push(candidate("nothing", all[from]?.start ?? 0, all[to - 1]?.end ?? 0, score, why))
  }
  for (let at = 0; at < all.length; at++) {
    const token = all[at]
    if (token === undefined || token.cls === "P" || token.cls === "n") continue
    const brand = brands.longestAt(all, at)
    if (brand !== undefined) {
      const alone = brand.to - at === 1 && alsoNames.has(token.lower)
      const neighbour =
        CAPITAL.test(all[at - 1]?.text ?? "") && all[at - 1]?.cls === "w" && !functionWords.has(word(at - 1))
      const following = CAPITAL.test(all[brand.to]?.text ?? "") && all[brand.to]?.cls === "w"
      if (
        !alone ||
        (!neighbour && !following && !(inSet(sets.firstNames, word(at - 1)) && !inSet(sets.common1, word(at - 1))))
      ) {
        const tied = /^(a|an|my|the|our|your|new|with|at|his|her)$/.test(word(at - 1))
        put(at, brand.to, alone && !tied ? 0.7 : 0.915, "business or product")
        at = brand.to - 1
        continue
      }
    }
    if (
      wordNames.has(token.lower) &&
      objects.has(word(at + 1)) &&
      (!CAPITAL.test(token.text) || at === 0 || /^[.?!n,]$/.test(all[at - 1]?.cls ?? ""))
    ) {
      put(at, at + 1, 0.915, "a verb here")
      continue
    }
    if (
      wordNames.has(token.lower) &&
      !CAPITAL.test(token.text) &&
      /^(a|an|the|and|no|some|any|will|would|i|we|they|it|has|price|prices)$/.test(word(at - 1)) &&
      word(at - 1) !== "and"
    )
      put(at, at + 1, 0.75, "a word here")
    if (heads.has(token.lower)) {
      let from = at
      while (
        at - from < 3 &&
        all[from - 1]?.cls === "w" &&
        !functionWords.has(word(from - 1)) &&
        (CAPITAL.test(all[from - 1]?.text ?? "") ||
          (!CAPITAL.test(token.text) &&
            (inSet(sets.firstNames, word(from - 1)) ||
              inSet(sets.lastNames, word(from - 1)) ||
              inSet(sets.places, word(from - 1))) &&
            !inSet(sets.common1, word(from - 1))))
      )
        from--
      if (from < at)
        put(
          from,
          at + 1,
          /^(hotel|hotels|inn|motel|screwdriver|sandwich|watch|jeans|inc|llc|ltd|corp)$/.test(token.lower)
            ? 0.915
            : 0.72,
          "name of a business"
        )
    }
  }
  return found
}
