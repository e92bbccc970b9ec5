import { wordSet } from "../Lexicon.js"
import { events, medicalDegrees, medicalRoles, medicalTitles, titles } from "../WordLists.js"
import type { NameReader, NameRule } from "./NameReading.js"

/** Past the full stop of an abbreviated title. */
const afterTitle = (names: NameReader, at: number): number => (names.reader.word(at + 1) === "." ? at + 2 : at + 1)

/** Where degrees behind a name end: "Sarah Chen, MD, FACS". */
const degreesEnd = ({ reader }: NameReader, to: number): number => {
  let end = to
  for (;;) {
    if (reader.word(end) === "," && medicalDegrees.has(reader.word(end + 1)) && /^[A-Z]/.test(reader.written(end + 1)))
      end += 2
    else if (medicalDegrees.has(reader.word(end)) && /^[A-Z]{2,}/.test(reader.written(end))) end++
    else return end
  }
}

/** "Dr. Chen"; "doctor's appointment" and "doctor said" are no names. */
const medicalTitle: NameRule = (names, at, found) => {
  const { reader } = names
  const title = reader.word(at)
  if (!medicalTitles.has(title)) return undefined
  const from = afterTitle(names, at)
  const isLikely = names.isCapital(from) || names.isKnown(from)
  const to = names.nameEnd(from, isLikely || title === "dr" || !names.isWord(reader.word(from)), 3)
  if (to === from || !(isLikely || !names.isCommon(reader.word(from)))) return undefined
  found.push(names.candidate("medical_professional", at, degreesEnd(names, to), 0.9, "medical title"))
  found.push(names.candidate("person_name", from, to, 0.88, "name after a medical title"))
  return at + 1
}

/** Past "is", "named" and the like behind a role. */
const pastNaming = ({ reader }: NameReader, at: number): number => {
  if (!/^(is|named|called|name)$/.test(reader.word(at))) return at
  return reader.word(at) === "name" && reader.word(at + 1) === "is" ? at + 2 : at + 1
}

/** "nurse Joy", "my therapist is called Ann Lee" */
const medicalRole: NameRule = (names, at, found) => {
  const { reader } = names
  const role = reader.word(at)
  if (!medicalRoles.has(role) || events.includes(role)) return undefined
  const last = /^(practitioner|assistant|anesthetist|manager|educator)$/.test(reader.word(at + 1)) ? at + 1 : at
  const next = reader.word(last + 1) === "," ? last + 2 : last + 1
  const from = pastNaming(names, next)
  const isNamed = from > next
  const to = names.nameEnd(from, isNamed || names.isCapital(from), 3)
  if (to === from || !(names.isCapital(from) || names.isKnown(from))) return undefined
  const start = role === "nurse" && !isNamed ? at : from
  found.push(names.candidate("medical_professional", start, degreesEnd(names, to), 0.91, `medical role "${role}"`))
  found.push(names.candidate("person_name", from, to, 0.82, "name after a medical role"))
  return at + 1
}

/** Titles that need no capital, and those of them that are no other word. */
const plainTitles = wordSet("mr mrs ms miss mx mister missus professor prof rev reverend")
const onlyTitles = wordSet("mr mrs ms mx mister missus prof")

/** "Mrs Smith", "Captain Lee" */
const title: NameRule = (names, at, found) => {
  const word = names.reader.word(at)
  if (!titles.has(word) || !(plainTitles.has(word) || names.isCapital(at))) return undefined
  const from = afterTitle(names, at)
  const isAlwaysTitle = onlyTitles.has(word)
  const to = names.nameEnd(from, isAlwaysTitle || names.isCapital(from), 3)
  if (to === from || !(isAlwaysTitle || names.isCapital(from) || names.isKnown(from))) return undefined
  found.push(names.candidate("person_name", from, to, 0.9, "title"))
  return at + 1
}

/** Where a degree ends: "MD", "m d"; undefined where none stands. */
const degreeEnd = ({ reader }: NameReader, at: number): number | undefined => {
  const word = reader.word(at)
  if (medicalDegrees.has(word) && (/^[A-Z]{2,5}$/.test(reader.written(at)) || word === "pharmd"))
    return word === "m" ? at + 2 : at + 1
  return word === "m" && reader.word(at + 1) === "d" && reader.cls(at - 1) === "w" ? at + 2 : undefined
}

/** "Sarah Chen MD", "sarah chen m d" */
const medicalDegree: NameRule = (names, at, found) => {
  const { reader } = names
  const end = degreeEnd(names, at)
  if (end === undefined) return undefined
  const isCased = names.isCased(at)
  const nameTo = reader.word(at - 1) === "," ? at - 1 : at
  let from = nameTo
  while (
    nameTo - from < 3 &&
    (names.isNameLike(from - 1, true) || /^[A-Z]$/.test(reader.written(from - 1))) &&
    (isCased ? names.isCapital(from - 1) : names.isKnown(from - 1))
  )
    from--
  if (from === nameTo) return undefined
  found.push(names.candidate("medical_professional", from, end, 0.88, "medical degree"))
  found.push(names.candidate("person_name", from, nameTo, 0.85, "name before a medical degree"))
  return undefined
}

export const titledNameRules: ReadonlyArray<NameRule> = [medicalTitle, medicalRole, title, medicalDegree]
