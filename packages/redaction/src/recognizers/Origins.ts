import { wordSet } from "../Lexicon.js"
import type { CallReader, TermReading } from "./CallReader.js"

/** Nationality words that are mostly about a language, a food or a thing when these follow. */
const notOrigin =
  wordSet(`language speaking food restaurant restaurants cuisine dressing fries toast press bulldog shepherd muffin muffins version subtitles speaker
 airlines express standard class translation lessons pastry coffee tea chocolate cheese wine beer music rugs rug dollars pounds flag summer open idol eagle outfitters girl heart dream bank
 bread sushi noodles takeout fusion salad sausage yogurt pie pizza ale whiskey whisky roulette doors horn polish remover`)
const languageVerbs = wordSet("speak speaks speaking spoke learn learning in translate understand understands press")
/** Nouns of people that make an adjective before them a statement about a person. */
export const peopleNouns = wordSet(
  "man woman male female guy girl lady person people community student students men women kid family gentleman teenager boy"
)

const rareOrigins = /^(kiwi|roma|zulu|apache|finn|finns|creole|indians|kiwis)$/
const languages = /^(english|spanish|french|mandarin|arabic)$/
const ofPerson = /^(i'm|am|is|he's|she's|are|was)$/
const ofPersonOrArticle = /^(i'm|am|is|he's|she's|are|was|a|an)$/
const beforeOrigin = /^(i'm|am|is|he's|she's|are|was|a|an|half|originally|part|were)$/
const afterOrigin = /^(descent|heritage|origin|citizen|national|nationality|ancestry|passport|immigrant|roots)$/

/** Whether the name of a language is that of a people here. */
const isPeople = (reader: CallReader, at: number, to: number): boolean =>
  beforeOrigin.test(reader.word(at - 1)) || peopleNouns.has(reader.word(to)) || afterOrigin.test(reader.word(to))

/** A word of nationality or ethnicity: "Brazilian", "of Irish descent". */
export const originTerm: TermReading = (reader, at, to) => {
  const word = reader.word(at)
  const before = reader.word(at - 1)
  if (word === "polish" && reader.written(at) === "polish" && !ofPerson.test(before)) return undefined
  if (rareOrigins.test(word))
    return ofPersonOrArticle.test(before) && reader.written(at) !== "Finn"
      ? reader.candidate("origin", at, to, 0.55, "origin word")
      : undefined
  if (notOrigin.has(reader.word(to)) || languageVerbs.has(before)) return undefined
  if (languages.test(word) && !isPeople(reader, at, to)) return undefined
  return reader.candidate("origin", at, to, 0.8, "origin word")
}
