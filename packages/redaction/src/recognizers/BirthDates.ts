import type { Recognizer } from "./CallReader.js"
import { BIRTH_REACH } from "./DateContext.js"

/**
 * Dates of birth in figures only: "oh four twelve eighty five" after "date of birth". Other forms of dates become dates
 * of birth by their context (see DateContext.ts).
 */
export const birthDates: Recognizer = (reader) =>
  reader.runs.flatMap((run) => {
    if (run.digits !== run.chars.length || run.digits < 3 || run.digits > 8) return []
    const weighed = reader.nearestCue(run.from, run.to, (cue) => cue.strength > 0)
    return weighed?.cue.field === "dob" && weighed.distance <= BIRTH_REACH && !/^[uCh$%]$/.test(reader.cls(run.to))
      ? [reader.candidate("dob", run.from, run.to, 0.88, "figures of a date", `cue "${weighed.cue.phrase}"`)]
      : []
  })
