import { functionWords, wordSet } from "../Lexicon.js"
import { phraseTrie } from "../PhraseTrie.js"
import { bodyTerms } from "../WordLists.js"
import type { CallReader, TokenRule } from "./CallReader.js"
import { peopleNouns } from "./Origins.js"

export const bodyColors =
  wordSet(`brown black blond blonde red auburn grey gray white silver ginger brunette dark light strawberry sandy dyed curly wavy straight long short
 blue green hazel amber chestnut golden bleached purple pink salt-and-pepper dirty thick thin frizzy shoulder-length olive pale fair tan tanned freckled medium deep`)
const bodyParts = wordSet(
  "hair eyes eye skin complexion beard mustache moustache goatee eyebrows sideburns haired eyed skinned bearded"
)

const body = phraseTrie<true>()
/** First words of the phrases. */
export const bodyStarts = new Set<string>()
for (const phrase of bodyTerms) {
  const words = phrase.replace(/-/g, " - ").split(/\s+/)
  body.add(words, true)
  bodyStarts.add(words[0] ?? "")
}

/** Where the adjectives before a mark begin: "a long thin scar". */
const markStart = (reader: CallReader, at: number): number => {
  let from = at
  while (
    at - from < 3 &&
    reader.cls(from - 1) === "w" &&
    !functionWords.has(reader.word(from - 1)) &&
    !/^(with|has|have|get|got)$/.test(reader.word(from - 1))
  )
    from--
  return reader.cls(from - 1) === "a" ? from - 1 : from
}

/** Where the place of a mark ends: "on my left forearm". */
const markEnd = (reader: CallReader, end: number): number => {
  if (!/^(on|of|above|under|over|across|behind|near|along|down|mole)$/.test(reader.word(end))) return end
  let to = end + 1
  while (
    to - end <= 6 &&
    /^[waT]$/.test(reader.cls(to)) &&
    !/^(and|i|he|she|so|but|that|from|which|when|if|with|who)$/.test(reader.word(to))
  )
    to++
  return to
}

/** "a scar on my left cheek", "heavyset" */
const listedAttribute: TokenRule = (reader, at, found) => {
  const hit = body.longestAt(reader.all, at)
  if (hit === undefined) return undefined
  if (!/^(scar|scars|tattoo|tattoos|limp|mole|birthmark|beard|petite|stocky)$/.test(reader.word(at)))
    found.push(reader.candidate("physical_attribute", at, hit.to, 0.75, "a body's look"))
  else if (!/^(artist|shop|parlor|removal|studio)$/.test(reader.word(hit.to)))
    found.push(
      reader.candidate("physical_attribute", markStart(reader, at), markEnd(reader, hit.to), 0.8, "a body's mark")
    )
  return undefined
}

/** "long brown hair", "blue and green eyes" */
const coloredPart: TokenRule = (reader, at, found) => {
  if (!bodyColors.has(reader.word(at))) return undefined
  let to = at + 1
  while (
    to - at < 5 &&
    (bodyColors.has(reader.word(to)) ||
      /^[-,]$/.test(reader.word(to)) ||
      (reader.word(to) === "and" && bodyColors.has(reader.word(to + 1))))
  )
    to++
  const isBody =
    bodyParts.has(reader.word(to)) &&
    !/^(dye|salon|care|product|products|dryer|loss|drops|exam|doctor|contact)$/.test(reader.word(to + 1))
  if (!isBody) return undefined
  found.push(reader.candidate("physical_attribute", at, to + 1, 0.85, "hair, eyes or skin"))
  return to + 1
}

/** "my eyes are dark brown" */
const partAndColor: TokenRule = (reader, at, found) => {
  if (!/^(hair|eyes|skin)$/.test(reader.word(at)) || !/^(is|are|color|colour)$/.test(reader.word(at + 1)))
    return undefined
  let from = at + 2
  while (/^(is|are|:|naturally|a|kind|of|really)$/.test(reader.word(from))) from++
  let to = from
  while (bodyColors.has(reader.word(to)) || (/^(and|-)$/.test(reader.word(to)) && bodyColors.has(reader.word(to + 1))))
    to++
  if (to > from) found.push(reader.candidate("physical_attribute", from, to, 0.85, "hair, eyes or skin"))
  return undefined
}

const singular = /^(man|woman|male|female|guy|girl|lady|person|men|women|gentleman|teenager|boy)$/
const beforeSkinColor = /^(a|an|i'm|he's|she's|is|am|was|are|as|being|who's|were|old|young|tall|short|the)$/

/** "a black man" */
const skinColor: TokenRule = (reader, at, found) => {
  if (
    /^(black|white|brown)$/.test(reader.word(at)) &&
    peopleNouns.has(reader.word(at + 1)) &&
    singular.test(reader.word(at + 1)) &&
    beforeSkinColor.test(reader.word(at - 1))
  )
    found.push(reader.candidate("physical_attribute", at, at + 1, 0.7, "skin color of a person"))
  return undefined
}

export const physicalAttributeRules: ReadonlyArray<TokenRule> = [listedAttribute, coloredPart, partAndColor, skinColor]
