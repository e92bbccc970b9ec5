import type { Candidate } from "../TextSpan.js"
import { matchClasses } from "../Tokens.js"
import { byToken, type CallReader, type Recognizer, type TokenRule } from "./CallReader.js"
import { NUMBER } from "./ClassPatterns.js"
import { birthEvidence } from "./DateContext.js"

export const classPatterns = {
  /** "five minutes", "an hour and a half" */
  duration: new RegExp(`(?:${NUMBER}|a)(?:&aq)?u`, "g")
} as const

const everyday = (
  reader: CallReader,
  field: "date" | "time",
  from: number,
  to: number,
  score: number,
  why: string
): Candidate => ({ ...reader.candidate(field, from, to, score, why), everyday: true })

const isRelativeUnit = (reader: CallReader, at: number): boolean =>
  reader.cls(at) === "u" &&
  /^(day|week|month|year|weekend|fortnight|decade|days|weeks|months|weekends)$/.test(reader.word(at).replace("'s", ""))

/** "Friday", "tomorrow", "next week", "this morning" */
const relativeDay: TokenRule = (reader, at, found) => {
  const cls = reader.cls(at)
  const word = reader.word(at)
  if (cls === "W" || cls === "R") {
    if (/^(mon|sat|sun|wed)$/.test(word.replace("'s", ""))) return undefined
    if (cls === "R" || birthEvidence(reader, at, at + 1) === undefined)
      found.push(everyday(reader, "date", at, at + 1, 0.8, cls === "W" ? "weekday" : "relative day"))
  } else if (cls === "b") {
    if (
      /^(this|next|last|past|coming|following|previous|every|each|upcoming)$/.test(word) &&
      isRelativeUnit(reader, at + 1)
    )
      found.push(everyday(reader, "date", at, at + 2, 0.7, "relative date"))
    else if (/^(this|last|every|next)$/.test(word) && reader.cls(at + 1) === "e")
      found.push(everyday(reader, "time", at, at + 2, 0.6, "part of the day"))
  }
  return undefined
}

const relativeDays = byToken([relativeDay])

/** Where "... ago" or "... from now" ends; `to` where neither follows. */
const agoEnd = (reader: CallReader, to: number): number => {
  if (reader.word(to) === "ago") return to + 1
  return reader.word(to) === "from" && reader.word(to + 1) === "now" ? to + 2 : to
}

const durations = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.duration).flatMap(({ from, to }) => {
    const unit = reader.word(to - 1)
    if (reader.cls(from) === "a" && /^(day|year|week|month)s?$/.test(unit)) return []
    if (!/^(minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)$/.test(unit) || reader.word(to) === "old") return []
    const end = agoEnd(reader, to)
    const isRelative = end > to || /^(in|for|within|next|last|past)$/.test(reader.word(from - 1))
    const field = /^(day|week|month|year)/.test(unit) ? "date" : "time"
    return [everyday(reader, field, from, end, isRelative ? 0.62 : 0.52, "length of time")]
  })

/** Weekdays, relative days and lengths of time, which count only where everyday readings are switched on. */
export const everydayTimes: Recognizer = (reader) => [...relativeDays(reader), ...durations(reader)]
