import { wordSet } from "../Lexicon.js"
import { eventHeads } from "../WordLists.js"
import { byToken, type Recognizer, type TokenRule } from "./CallReader.js"
import { namedEvent } from "./Events.js"
import { genderRules } from "./GendersAndSexualities.js"
import { measureRules } from "./HeightsAndWeights.js"
import { listedTerm } from "./ListedTerms.js"
import { occupationRules } from "./Occupations.js"
import { bodyColors, bodyStarts, physicalAttributeRules } from "./PhysicalAttributes.js"

/** The words that one of the rules below starts from: most words are passed over by one look-up. */
const triggers: ReadonlySet<string> = new Set([
  ...wordSet(`work works worked working employed job occupation profession career trained position title role trade living hair eyes skin black white brown foot feet ft '
 cm centimeters centimetres meters metres inches pounds lbs lb kilos kg kilograms stone gender sex identify orientation identifies man woman guy girl boy lady she he they pronouns straight`),
  ...bodyColors,
  ...bodyStarts,
  ...eventHeads
])

const unlessTrigger: TokenRule = (reader, at) => (triggers.has(reader.word(at)) ? undefined : at + 1)

/** What people say of themselves and others: origin, gender, body, occupation, events. */
export const descriptions: Recognizer = byToken(
  [
    listedTerm,
    unlessTrigger,
    ...occupationRules,
    ...physicalAttributeRules,
    ...measureRules,
    ...genderRules,
    namedEvent
  ],
  "P"
)
