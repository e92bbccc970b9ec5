import { fillers, functionWords, wordSet } from "../Lexicon.js"
import { phraseTrie } from "../PhraseTrie.js"
import { nameIntroductions } from "../WordLists.js"
import { answerOf } from "./NameAnswers.js"
import type { NameReader, NameRule } from "./NameReading.js"
import { spelledNames } from "./SpelledNames.js"

type Strength = "strong" | "weak" | "question"

const introductions = phraseTrie<Strength>()
const enter = (strength: Strength, phrases: ReadonlyArray<string>): void => {
  for (const phrase of phrases) introductions.add(phrase.replace(/\./g, " . ").split(/\s+/), strength)
}
enter("strong", nameIntroductions.strong)
enter("weak", nameIntroductions.weak)
enter("question", nameIntroductions.question)

/** Where the name begins behind an introduction: past "is", commas and fillers. */
const nameStart = ({ reader }: NameReader, at: number, strong: boolean): number => {
  if (!strong) return reader.word(at) === "," || reader.word(at) === "is" || fillers.has(reader.word(at)) ? at + 1 : at
  let from = at
  while (
    from - at < 3 &&
    (/^(is|:|was|it's|-|,|would|be|as|for|the|account|uh|um|"|'|called|that's)$/.test(reader.word(from)) ||
      fillers.has(reader.word(from)))
  )
    from++
  // "my name is actually robin"
  return /^(actually|legally|officially|really)$/.test(reader.word(from)) &&
    reader.isIn("firstNames", reader.word(from + 1))
    ? from + 1
    : from
}

/** How sure words behind an introduction are a name. */
const scoreOf = (names: NameReader, from: number, to: number, strong: boolean): number => {
  const isCapital = names.isCapital(from)
  const isKnown = names.isKnown(from)
  const isCommon = names.isCommon(names.bare(from))
  if (strong) {
    if (isCapital) return 0.92
    if (isKnown) return 0.9
    return isCommon ? 0.5 : 0.75
  }
  const isSeveral = to - from > 1
  if (!isSeveral && isSpokenOf(names, from)) return 0.62
  if (!isKnown && !isCommon && !isCapital && !isSeveral && !names.isWord(names.bare(from))) return 0.62
  if (!isKnown || !(isCapital || isSeveral || !isCommon)) return 0.4
  if (isSeveral) return 0.8
  return isCapital ? 0.68 : 0.6
}

/** What goes on after a whole name: "this is ravi dubey from pune", "hi, tom lee here". */
const AFTER_NAME =
  /^(from|calling|here|speaking|again|at|with|and|in|on|returning|please|about|regarding|just|how|i|i'm|my)$/

/** A first name and one more word that is no everyday one, where the sentence ends or goes on as behind a name. */
const withLastName = (names: NameReader, from: number, to: number): number => {
  const { reader } = names
  const at = to === from ? from + 1 : to
  const isFirst = reader.isIn("firstNames", names.bare(from)) || (names.isKnown(from) && to > from)
  if (at !== from + 1 || !isFirst || reader.cls(at) !== "w" || names.isCommon(names.bare(at))) return to
  if (names.isCommon(names.bare(from)) && !names.isCapital(from)) return to
  return reader.endsAt(at + 1, /^[.,?!n;]$/) || AFTER_NAME.test(reader.word(at + 1)) ? at + 1 : to
}

const RELATIVE =
  /^(?:my|his|her|our|your) (?:wife|husband|son|daughter|mother|father|mom|mum|dad|brother|sister|partner|boyfriend|girlfriend|cousin|uncle|aunt|nephew|niece|neighbor|boss|roommate|friend)$/
const AFTER_RELATIVE =
  /^(is|was|has|had|will|can|and|who|she|he|needs|wants|called|from|in|at|lives|said|does|did|would)$/

/** "this is rutger i need": behind "this is" and before what goes on after a name, a word that no dictionary has. */
const isUnknownName = (names: NameReader, at: number, phrase: string): boolean => {
  const { reader } = names
  const isWord = names.isWord(names.bare(at)) || reader.cls(at) !== "w" || reader.word(at).length < 3
  if (isWord || names.isCased(at)) return false
  if (RELATIVE.test(phrase)) return reader.endsAt(at + 1, /^[.,?!n;]$/) || AFTER_RELATIVE.test(reader.word(at + 1))
  if (phrase !== "this is") return false
  return reader.endsAt(at + 1, /^[.,?!n;]$/) || AFTER_NAME.test(reader.word(at + 1))
}

/** The name behind an introduction. */
const introduced: (
  names: NameReader,
  at: number,
  strong: boolean,
  phrase: string
) => ReturnType<NameReader["candidate"]> | undefined = (names, at, strong, phrase) => {
  const from = nameStart(names, at, strong)
  let to = names.nameEnd(from, strong, 4)
  // A first name and a last name side by side are a name even where both are words.
  if (to - from <= 1 && !strong && names.isFullName(from)) to = from + 2
  // "my name is will", "my name is faith hope": behind a whole introduction, words that are names end a sentence as names.
  if (to - from <= 1 && strong)
    for (const length of [1, 2])
      if (names.areFirstNames(from, from + length) && names.reader.endsAt(from + length, /^[.,?!n;]$/))
        to = from + length
  to = withLastName(names, from, to)
  if (to === from && isUnknownName(names, from, phrase)) to = from + 1
  if (to === from && isSpokenOf(names, from)) to = from + 1
  if (to === from) return undefined
  const isPlainWord = strong && !names.isCapital(from) && names.isCased(from) && !names.isKnown(from)
  return isPlainWord
    ? undefined
    : names.candidate("person_name", from, to, scoreOf(names, from, to, strong), `after "${phrase}"`)
}

/** "my name is ...", "this is ...", and the answer to "your name?" */
export const introduction: NameRule = (names, at, found) => {
  const { reader } = names
  const cue = introductions.longestAt(reader.all, at)
  if (cue === undefined) return undefined
  const phrase = reader.phrase(at, cue.to)
  if (cue.value === "question") found.push(...answerOf(names, cue.to, phrase))
  if (cue.value === "question" && !/name$|account$|card$|contact$/.test(phrase)) return undefined
  const name = introduced(names, cue.to, cue.value !== "weak", phrase)
  if (name !== undefined) found.push(name)
  found.push(...spelledNames(reader, cue.to, phrase))
  return undefined
}

const naming = wordSet("called named")
const persons =
  wordSet(`someone somebody guy lady woman man girl boy gentleman chap bloke fella fellow agent rep representative person colleague technician
 driver nurse one kid friend manager supervisor lad`)

/** "someone", "my daughter's", "she's" */
const isPerson = (word: string): boolean =>
  persons.has(word) || (word.endsWith("'s") && (persons.has(word.slice(0, -2)) || kin.has(word.slice(0, -2))))
const kin =
  wordSet(`she he wife husband son daughter mother father mom mum dad brother sister partner nan gran cousin uncle aunt nephew
 niece neighbor boss dog cat`)

/** "someone called Will": behind a word for a person and "called", a first name is one though it is a word. */
export const calledName: NameRule = (names, at, found) => {
  const { reader } = names
  if (!naming.has(reader.word(at)) || !isPerson(reader.word(at - 1))) return undefined
  if (!names.areFirstNames(at + 1, at + 2)) return undefined
  const to = Math.max(at + 2, names.nameEnd(at + 1, true, 3))
  found.push(names.candidate("person_name", at + 1, to, 0.75, `after "${reader.phrase(at - 1, at + 1)}"`))
  return undefined
}

/** "talk to Blessing, she handles ...": a first name that is a word, and what is said of a person. */
const isSpokenOf = (names: NameReader, at: number): boolean =>
  names.areFirstNames(at, at + 1) &&
  !functionWords.has(names.bare(at)) &&
  /^(she|he|she's|he's|who|they|she'll|he'll)$/.test(names.reader.word(at + 1))

/** How many tokens of an introduction name nothing else. */
export const introductionEnd = (names: NameReader, at: number): number => {
  const cue = introductions.longestAt(names.reader.all, at)
  return cue?.value === "strong" ? cue.to : at + 1
}
