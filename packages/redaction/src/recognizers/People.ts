import type { Candidate } from "../TextSpan.js"
import type { Recognizer } from "./CallReader.js"
import { introduction, introductionEnd } from "./IntroducedNames.js"
import { NameReader, type NameRule } from "./NameReading.js"
import { spelledNames } from "./SpelledNames.js"
import { titledNameRules } from "./TitledNames.js"

/** "Maria speaking", "Tom Lee calling from ..." */
const speakingName: NameRule = (names, at, found) => {
  const { reader } = names
  const word = reader.word(at)
  if (!/^(speaking|calling)$/.test(word)) return undefined
  if (!reader.endsAt(at + 1, /^[.,!?n]$/) && !/^(from|how)$/.test(reader.word(at + 1))) return undefined
  let first = at
  while (
    at - first < 3 &&
    names.isNameLike(first - 1, names.isCapital(first - 1)) &&
    reader.word(first - 1) !== "calling"
  )
    first--
  if (first < at) found.push(names.candidate("person_name", first, at, 0.7, `before "${word}"`))
  return undefined
}

/** "Tom Lee here" */
const presentName: NameRule = (names, at, found) => {
  const { reader } = names
  if (reader.word(at) === "here" && names.isFullName(at - 2) && !/^(is|was)$/.test(reader.word(at - 3)))
    found.push(names.candidate("person_name", at - 2, at, 0.72, 'before "here"'))
  return undefined
}

const spelledOut: NameRule = ({ reader }, at, found) => {
  const word = reader.word(at)
  if (/^(spelled|spell|spelling|spells)$/.test(word)) found.push(...spelledNames(reader, at + 1, word))
  return undefined
}

const rules: ReadonlyArray<NameRule> = [...titledNameRules, introduction, speakingName, presentName, spelledOut]

/** People by what introduces them: "my name is", titles, roles, a question for a name and its answer, spelling. */
export const people: Recognizer = (reader) => {
  const names = new NameReader(reader)
  const found: Array<Candidate> = []
  for (let at = 0; at < reader.all.length;) {
    let next: number | undefined
    if (!/^[Pn]$/.test(reader.cls(at))) {
      for (const rule of rules) {
        next = rule(names, at, found)
        if (next !== undefined) break
      }
      next ??= introductionEnd(names, at)
    }
    at = next ?? at + 1
  }
  return found
}
