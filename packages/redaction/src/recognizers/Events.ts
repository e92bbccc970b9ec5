import { eventHeads } from "../WordLists.js"
import type { CallReader, TermReading, TokenRule } from "./CallReader.js"

/** Holidays whose names are other words too. */
const ambiguousEvents = /^(ces|eid|lent|carnival|homecoming|holi|epiphany|may)$/

/** A holiday or a well-known event. */
export const eventTerm: TermReading = (reader, at, to) => {
  const word = reader.word(at)
  const before = reader.word(at - 1)
  // "Notting Hill Carnival" has a name of its own.
  if (word === "carnival" && reader.isCapitalized(at) && reader.isCapitalized(at - 1)) return undefined
  if (!ambiguousEvents.test(word)) return reader.candidate("event", at, to, 0.86, "holiday or event")
  if (!/^[A-Z]/.test(reader.written(at)) && !/^(during|for|at|until|after|before|to|on)$/.test(before)) return undefined
  if (word !== "lent") return reader.candidate("event", at, to, 0.6, "event")
  return /^(during|for|until)$/.test(before) ? reader.candidate("event", at, to, 0.7, "event") : "none"
}

const isUpper = (reader: CallReader, at: number): boolean => /^[A-Z]/.test(reader.written(at))

/** "the Rivertown Jazz Festival 2024" */
export const namedEvent: TokenRule = (reader, at, found) => {
  if (!eventHeads.has(reader.word(at)) || !isUpper(reader, at)) return undefined
  let from = at
  while (
    at - from < 6 &&
    reader.cls(from - 1) !== "n" &&
    (isUpper(reader, from - 1) || (/^(of|and|the|&|for)$/.test(reader.word(from - 1)) && isUpper(reader, from - 2)))
  )
    from--
  if (from === at) return undefined
  const isDated = reader.cls(at + 1) === "N" && reader.value(at + 1) > 1950
  found.push(reader.candidate("event", from, isDated ? at + 2 : at + 1, 0.7, "named event"))
  return undefined
}
