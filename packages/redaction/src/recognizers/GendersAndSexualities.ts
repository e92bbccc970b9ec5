import { functionWords } from "../Lexicon.js"
import type { TermReading, TokenRule } from "./CallReader.js"

/** A word of gender or sexuality; "ace" and the like only where they are said of a person. */
export const genderTerm: TermReading = (reader, at, to) => {
  if (!/^(ace|trans|queer|straight)$/.test(reader.word(at)) || to !== at + 1)
    return reader.candidate("gender_sexuality", at, to, 0.85, "gender or sexuality word")
  return /^(i'm|am|is|he's|she's|are|as|identify|they're|a)$/.test(reader.word(at - 1)) &&
    !/^(fat|hardware)$/.test(reader.word(to))
    ? reader.candidate("gender_sexuality", at, to, 0.7, "gender or sexuality word")
    : undefined
}

/** "my gender is ...", "identifies as ..." */
const statedGender: TokenRule = (reader, at, found) => {
  const word = reader.word(at)
  if (!/^(gender|sex|identify|orientation|identifies)$/.test(word) || !/^(is|as|:|was)$/.test(reader.word(at + 1)))
    return undefined
  const from = /^an?$/.test(reader.word(at + 2)) ? at + 3 : at + 2
  let to = from
  while (to - from < 2 && reader.cls(to) === "w" && !functionWords.has(reader.word(to))) to++
  if (to > from && !/^(not|important|required|unknown)$/.test(reader.word(from)))
    found.push(reader.candidate("gender_sexuality", from, to, 0.75, `after "${word}"`))
  return undefined
}

/** "I'm a woman", "he's a gay man" */
const personNoun: TokenRule = (reader, at, found) => {
  if (
    /^(man|woman|guy|girl|boy|lady)$/.test(reader.word(at)) &&
    /^(a|trans|gay|straight|queer|bi|cis)$/.test(reader.word(at - 1)) &&
    /^(i'm|am|as|he's|she's|being|identify)$/.test(reader.word(at - 2))
  )
    found.push(
      reader.candidate("gender_sexuality", reader.word(at - 1) === "a" ? at : at - 1, at + 1, 0.7, "said of somebody")
    )
  return undefined
}

/** "she/her", "pronouns are they them" */
const pronouns: TokenRule = (reader, at, found) => {
  const word = reader.word(at)
  if (
    /^(she|he|they)$/.test(word) &&
    reader.word(at + 1) === "/" &&
    /^(her|him|them|hers|his)$/.test(reader.word(at + 2))
  )
    found.push(reader.candidate("gender_sexuality", at, at + 3, 0.8, "pronouns"))
  if (word === "pronouns" && /^(are|is)$/.test(reader.word(at + 1)) && /^(she|he|they)$/.test(reader.word(at + 2))) {
    let to = at + 3
    while (to - at < 7 && /^(her|him|them|hers|his|theirs|she|he|they|and|or|slash|\/)$/.test(reader.word(to))) to++
    found.push(reader.candidate("gender_sexuality", at + 2, to, 0.85, "pronouns"))
  }
  return undefined
}

/** "I'm straight." */
const straight: TokenRule = (reader, at, found) => {
  if (
    reader.word(at) === "straight" &&
    /^(i'm|am|he's|she's|they're)$/.test(reader.word(at - 1)) &&
    reader.endsAt(at + 1, /^[.,!?;n]$/)
  )
    found.push(reader.candidate("gender_sexuality", at, at + 1, 0.6, "said of somebody"))
  return undefined
}

export const genderRules: ReadonlyArray<TokenRule> = [statedGender, personNoun, pronouns, straight]
