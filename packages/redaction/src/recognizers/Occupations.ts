import { functionWords, wordSet } from "../Lexicon.js"
import type { CallReader, TermReading, TokenRule } from "./CallReader.js"

const beforeArticle = /^(i'm|am|he's|she's|is|was|as|became|being|i've|be|become)$/
const subjects =
  /^(i|i'm|he|she|he's|she's|am|wife|husband|son|daughter|mother|father|mom|dad|brother|sister|work|works|worked|working|been|became|being|job|to|partner|who|as|that|uncle|aunt|boyfriend|girlfriend)$/

/** Whether an article before a job title belongs to a statement about a person: "my wife is an ...". */
const statesOccupation = (reader: CallReader, article: number): boolean => {
  const verb = reader.word(article - 1)
  if (!beforeArticle.test(verb)) return false
  return subjects.test(/^(am|i'm|he's|she's|became)$/.test(verb) ? verb : reader.word(article - 2))
}

/** "I am a ...", "works as the ...", "my wife is an ..."; adjectives may stand between. */
const isOccupation = (reader: CallReader, at: number): boolean => {
  for (let back = at - 1; back >= at - 4; back--) {
    const before = reader.word(back)
    if (before === "as" && /^(work|works|worked|working|employed|job|here|career)$/.test(reader.word(back - 1)))
      return true
    if (/^an?$/.test(before)) return statesOccupation(reader, back)
    if (functionWords.has(before) || before === "") return false
  }
  return false
}

const rank =
  wordSet(`retired senior junior lead head chief assistant associate deputy registered certified licensed chartered qualified trainee apprentice
 veterinary pediatric paediatric dental surgical psychiatric orthopedic forensic clinical freelance principal staff former self-employed professional part-time full-time
 commercial residential industrial mobile master journeyman heavy-duty`)

/** Where a job title begins with what goes before it: "retired", "senior". */
const jobStart = (reader: CallReader, at: number): number => {
  let from = at
  while (at - from < 2 && rank.has(reader.word(from - 1))) from--
  return from
}

/** A job title; one that is an everyday word too counts only where somebody is said to be one. */
export const occupationTerm: TermReading = (reader, at, to, kind) => {
  if (kind === "plain") {
    const isCompany =
      /^[A-Z]/.test(reader.written(at)) && /^(app|inc|llc|university|express|union|bros)$/.test(reader.word(to))
    return isCompany ? "none" : reader.candidate("occupation", jobStart(reader, at), to, 0.66, "job title")
  }
  return isOccupation(reader, at)
    ? reader.candidate("occupation", at, to, 0.62, "job title, said of somebody")
    : undefined
}

const workWords = /^(work|works|worked|working|employed|job|occupation|profession|career|trained|position|title|role)$/
const afterOccupation =
  /^(for|since|now|while|years|year|currently|over|downtown|here|nearby|full|part|abroad|remotely)$/

/** Whether what follows a word of work names the occupation: "work as", "my job is", but not "work is". */
const introduces = (reader: CallReader, at: number): boolean => {
  const next = reader.word(at + 1)
  return /^(work.*|employed|trained)$/.test(reader.word(at)) ? next === "as" : /^(as|is|was|title|of)$/.test(next)
}

/** "I work as a ...", "my job is ..." */
const afterWork: TokenRule = (reader, at, found) => {
  const word = reader.word(at)
  const before = reader.word(at - 1)
  if (!workWords.test(word) || !introduces(reader, at)) return undefined
  let from = at + 1
  while (/^(as|is|was|title|a|an|the|of|part|full|time|-|:|currently|being)$/.test(reader.word(from))) from++
  let to = from
  while (
    to - from < 4 &&
    reader.cls(to) === "w" &&
    !functionWords.has(reader.word(to)) &&
    !afterOccupation.test(reader.word(to))
  )
    to++
  if (to === from) return undefined
  if (!/^(role|title|position)$/.test(word))
    found.push(reader.candidate("occupation", from, to, 0.72, `after "${word}"`))
  else if (/^(my|his|her|job)$/.test(before))
    found.push(reader.candidate("occupation", from, to, 0.68, `after "${word}"`))
  return undefined
}

/** A title names a job only in "job title"; no other rule applies to the word elsewhere. */
const otherTitle: TokenRule = (reader, at) =>
  reader.word(at) === "title" && reader.word(at - 1) !== "job" ? at + 1 : undefined

/** "a plumber by trade" */
const byTrade: TokenRule = (reader, at, found) => {
  if (!/^(trade|profession|living)$/.test(reader.word(at)) || reader.word(at - 1) !== "by") return undefined
  let from = at - 1
  while (at - 1 - from < 3 && reader.cls(from - 1) === "w" && !functionWords.has(reader.word(from - 1))) from--
  if (from < at - 1) found.push(reader.candidate("occupation", from, at - 1, 0.7, `before "by ${reader.word(at)}"`))
  return undefined
}

export const occupationRules: ReadonlyArray<TokenRule> = [otherTitle, afterWork, byTrade]
