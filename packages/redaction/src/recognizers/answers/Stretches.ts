import { acknowledgements, fillers, functionWords, spellingWords, wordSet } from "../../Lexicon.js"
import type { Run } from "../../SpokenNumbers.js"
import { saysMoment } from "../../SpokenPieces.js"
import type { AnswerPlace } from "../../dialogue/Dialogue.js"
import type { CallReader } from "../CallReader.js"
import { weekdayBefore } from "../DateContext.js"
import { isCounting } from "../NumberChains.js"

/** Tokens of an answer that belong together, `to` exclusive. */
export interface Stretch {
  readonly from: number
  readonly to: number
  /** Letters and digits, as far as they are read. */
  readonly chars: string
  readonly byAsker: boolean
  readonly turn: number
}

/** Reads what begins at a token as part of a value: where it ends and what it says; undefined where it is none. */
type CoreReader = (at: number, place: AnswerPlace) => { readonly to: number; readonly chars: string } | undefined

const JOINT = /^[,.\-–/:+()#…'’]$/
const joints = wordSet(
  "dash hyphen minus dot point period slash stroke space and then over colon hash star pound capital upper lower uppercase lowercase case letter"
)

/** Most tokens between two parts of a stretch. */
const MAX_GLUE = 3

const isGlue = (reader: CallReader, at: number): boolean =>
  JOINT.test(reader.written(at)) || fillers.has(reader.word(at)) || joints.has(reader.word(at))

/** Fewest letters and digits of a part that "and" separates from the next one, where two things were asked for. */
const SEPARATE = 4

/** Fewest letters and digits of a whole number. */
const LONG = 7

const AND = /^(and|&)$/

/** Whether a part at a token goes on with the stretch before it. */
const goesOn = (reader: CallReader, open: Stretch, at: number, chars: string, separate: number): boolean => {
  if (at - open.to > MAX_GLUE) return false
  // "1EG4TE5MK73 5035550142": two numbers were asked for, and each is whole.
  if (separate < LONG && open.chars.length >= LONG && chars.length >= LONG) return false
  for (let between = open.to; between < at; between++) {
    const separates = open.chars.length >= separate && AND.test(reader.word(between))
    if (separates || !isGlue(reader, between)) return false
  }
  return true
}

/**
 * Stretches of parts with nothing but marks, joints and fillers between them. "and" separates a part of at least
 * `separate` letters and digits from the next one.
 */
const stretchesOf = (
  reader: CallReader,
  place: AnswerPlace,
  read: CoreReader,
  separate = Number.POSITIVE_INFINITY
): ReadonlyArray<Stretch> => {
  const found: Array<Stretch> = []
  let open: Stretch | undefined
  for (let at = place.from; at < place.to;) {
    const core = read(at, place)
    if (core === undefined || core.to > place.to) {
      at++
      continue
    }
    if (open !== undefined && goesOn(reader, open, at, core.chars, separate)) {
      open = { ...open, to: core.to, chars: open.chars + core.chars }
      found[found.length - 1] = open
    } else {
      open = { from: at, to: core.to, chars: core.chars, byAsker: place.byAsker, turn: place.turn }
      found.push(open)
    }
    at = core.to
  }
  return found
}

/** What follows an amount or a measure, which is no code. */
const COUNTED =
  /^(percent|times|seconds?|secs?|moments?|minutes?|hours?|days?|weeks?|months?|years?|kids?|people|items?|miles?|units?|degrees|feet|foot|inches|pounds|kilos|dollars|bucks|euros|cents|megabits|gigabytes|lumens|steps?|boxes|bedrooms|guests?|stars|points|of)$/

const isCount = (reader: CallReader, to: number): boolean =>
  COUNTED.test(reader.word(to)) || /^[C%]$/.test(reader.cls(to)) || reader.written(to) === "%"

const isSpellable = (reader: CallReader, at: number): boolean => {
  const word = reader.word(at)
  return spellingWords.has(word) || word === "zee" || word === "zed"
}

/** Most tokens of an answer that is one part of a value. */
const MAX_ALONE = 12

const isAlone = (reader: CallReader, at: number, { from, to }: AnswerPlace): boolean => {
  if (to - from > MAX_ALONE) return false
  for (let other = from; other < to; other++)
    if (other !== at && /[\p{L}\p{N}]/u.test(reader.written(other)) && !acknowledgements.has(reader.word(other)))
      return false
  return true
}

const isCodeToken = (reader: CallReader, at: number): boolean =>
  /^[dtyzNXxoL]$/.test(reader.cls(at)) || /^[A-Z]{2,4}$/.test(reader.written(at)) || isSpellable(reader, at)

/** The nearest token on one side that is no mark or filler. */
const beyondGlue = (reader: CallReader, at: number, step: 1 | -1): number => {
  let to = at + step
  for (let passed = 0; passed < MAX_GLUE && isGlue(reader, to); passed++) to += step
  return to
}

const neighbors = (reader: CallReader, at: number, { from, to }: AnswerPlace): boolean => {
  const before = beyondGlue(reader, at, -1)
  const after = beyondGlue(reader, at, 1)
  return (before >= from && isCodeToken(reader, before)) || (after < to && isCodeToken(reader, after))
}

/** A letter or clump of letters of a code; words of one or two letters only among other parts. */
const letterCore = (reader: CallReader, at: number, place: AnswerPlace): boolean => {
  const word = reader.word(at)
  const cls = reader.cls(at)
  // "AN5934588", "UM, 244": capitals beside figures are part of a code even where they are a word.
  if (/^[A-Z]{2,4}$/.test(reader.written(at)) && word !== "ok" && neighbors(reader, at, place)) return true
  const isPart = (): boolean => neighbors(reader, at, place) || isAlone(reader, at, place)
  if (cls === "L") return word !== "i" || isPart()
  if (cls === "a") return word === "a" && isPart()
  if (cls !== "w" && cls !== "x") return false
  if (isSpellable(reader, at)) return true
  if (/^[A-Z]{2,5}$/.test(reader.written(at))) return !acknowledgements.has(word) && !functionWords.has(word)
  return (
    /^\p{L}{2,4}$/u.test(word) &&
    !functionWords.has(word) &&
    !acknowledgements.has(word) &&
    !reader.isIn("common1", word) &&
    isPart()
  )
}

/** What a run says of a code; its first piece alone where that is a whole number and two were asked for. */
const runCore = (reader: CallReader, run: Run, several: boolean): ReturnType<CoreReader> => {
  if (reader.cls(run.from - 1) === "$" || (run.chars.length < 7 && isCount(reader, run.to))) return undefined
  if (isCounting(reader, run)) return undefined
  const [first] = run.pieces
  const isFirstWhole = several && run.pieces.length > 1 && first?.spoken === false && first.chars.length >= LONG
  return isFirstWhole ? first : { to: run.to, chars: run.chars }
}

/** Figures, and letters where a code may have them. */
export const codeStretches = (
  reader: CallReader,
  place: AnswerPlace,
  letters: boolean,
  several: boolean
): ReadonlyArray<Stretch> => {
  const read: CoreReader = (at) => {
    const run = reader.runFrom(at)
    if (run !== undefined && (run.digits > 0 || (letters && run.pieces.length > 1)))
      return runCore(reader, run, several)
    const cls = reader.cls(at)
    if (/^[dtyzNX]$/.test(cls) && run === undefined && !saysMoment(reader.all, at))
      return { to: at + 1, chars: String(/^[NX]$/.test(cls) ? reader.written(at) : reader.value(at)) }
    if (cls === "x" || cls === "o") return { to: at + 1, chars: "0" }
    if (/^[hk]$/.test(cls) && /^[dtyzN]$/.test(reader.cls(at - 1))) return { to: at + 1, chars: "00" }
    return letters && letterCore(reader, at, place) ? { to: at + 1, chars: reader.word(at) } : undefined
  }
  return stretchesOf(reader, place, read, several ? SEPARATE : undefined)
}

/** Whether a run of numbers has a written date in it: "8/4/79, W228817740" is read as one run. */
const hasSlash = (reader: CallReader, { from, to }: { readonly from: number; readonly to: number }): boolean => {
  for (let at = from; at < to; at++) if (reader.written(at).includes("/")) return true
  return false
}

/** Most digits of a date: a number of more is another value of the same answer. */
export const MAX_DATE_DIGITS = 8

const dateCore = (reader: CallReader, at: number): ReturnType<CoreReader> => {
  const cls = reader.cls(at)
  if (/^[dtyzoFsM]$/.test(cls) || (cls === "N" && reader.written(at).length <= 8) || cls === "X") {
    if (cls === "s" && !/^[FfTMm]$/.test(reader.cls(at + 1)) && reader.cls(at - 1) !== "T") return undefined
    return /^[u%C]$/.test(reader.cls(at + 1)) ? undefined : { to: at + 1, chars: reader.written(at) }
  }
  if (cls === "m")
    return /^[dtyzFsNT]$/.test(reader.cls(at + 1)) || /^[dtyzFsNf]$/.test(reader.cls(at - 1))
      ? { to: at + 1, chars: reader.written(at) }
      : undefined
  if (/^[hk]$/.test(cls) && /^[dtyz]$/.test(reader.cls(at - 1))) return { to: at + 1, chars: reader.written(at) }
  const next = cls === "f" && reader.cls(at + 1) === "T" ? at + 2 : at + 1
  const isLead =
    (cls === "T" && /^[Fsy]$/.test(reader.cls(next))) || (cls === "f" && /^[FsMmy]$/.test(reader.cls(next)))
  return isLead ? { to: next, chars: "" } : undefined
}

/** "the sixteenth of the seventh", "3 12 2016", "may fifth": with the articles and "of" that belong to a date. */
export const dateStretches = (reader: CallReader, place: AnswerPlace): ReadonlyArray<Stretch> => {
  let otherUntil = 0
  return stretchesOf(reader, place, (at) => {
    const run = reader.runFrom(at)
    const isOther = run !== undefined && run.digits > MAX_DATE_DIGITS && !hasSlash(reader, run)
    if (isOther) otherUntil = run.to
    return at < otherUntil ? undefined : dateCore(reader, at)
  }).map((stretch) => {
    const weekday = weekdayBefore(reader, stretch.from)
    return weekday === undefined || weekday < place.from ? stretch : { ...stretch, from: weekday }
  })
}

/** Whether a number may be an hour or minutes. */
const isClock = (reader: CallReader, at: number): boolean => {
  const value = reader.value(at)
  const run = reader.runFrom(at)
  if (run !== undefined && isCounting(reader, run)) return false
  return !/^[u%CFMm]$/.test(reader.cls(at + 1)) && (value < 60 || (value >= 100 && value <= 2400))
}

/** "two thirty", "half past four", "7:30 pm", "seven" */
export const timeStretches = (reader: CallReader, place: AnswerPlace): ReadonlyArray<Stretch> =>
  stretchesOf(reader, place, (at) => {
    const cls = reader.cls(at)
    if (/^[dtyzN]$/.test(cls)) return isClock(reader, at) ? { to: at + 1, chars: reader.written(at) } : undefined
    const isNextToNumber = /^[dtyzN]$/.test(reader.cls(at - 1)) || /^[dtyzN]$/.test(reader.cls(at + 1))
    if (cls === "A" || cls === "c")
      return isNextToNumber || isAlone(reader, at, place) ? { to: at + 1, chars: "m" } : undefined
    if (cls === "o" && isNextToNumber) return { to: at + 1, chars: "0" }
    if (cls === "q") return { to: at + 1, chars: "q" }
    if (/^(past|to|till)$/.test(reader.word(at)) && /^[dtyzNq]$/.test(reader.cls(at - 1)) && isNextToNumber)
      return { to: at + 1, chars: "" }
    if (cls === "e" && /^(noon|midnight|midday)$/.test(reader.word(at))) return { to: at + 1, chars: "noon" }
    return undefined
  }).filter(({ chars }) => chars !== "")

/** Least age that is told from a count of what follows it. */
const ADULT = 18

/** A number alone, such as an age. */
export const numberStretches = (reader: CallReader, place: AnswerPlace): ReadonlyArray<Stretch> =>
  stretchesOf(
    reader,
    place,
    (at) => {
      const run = reader.runFrom(at)
      if (run === undefined || run.digits !== run.chars.length) return undefined
      // "she'll be eighty three come march", but "we have two kids"
      if (isCounting(reader, run) && Number(run.chars) < ADULT) return undefined
      if (/^[C%]$/.test(reader.cls(run.to))) return undefined
      // "three and a half"
      if (reader.phrase(run.to, run.to + 3) === "and a half") return { to: run.to + 3, chars: run.chars }
      const isYears = /^(years?|months?|weeks?)$/.test(reader.word(run.to))
      const to = isYears ? (reader.word(run.to + 1) === "old" ? run.to + 2 : run.to + 1) : run.to
      return isYears || reader.cls(run.to) !== "u" ? { to, chars: run.chars } : undefined
    },
    1
  )

const MEASURES = wordSet(
  "foot feet ft inches inch in pounds lbs lb kilos kg stone cm centimeters meters metres meter metre ' \""
)

/** A height or a weight: "five four", "five foot four", "one ninety", "a hundred eighty pounds". */
export const measureStretches = (reader: CallReader, place: AnswerPlace): ReadonlyArray<Stretch> =>
  stretchesOf(
    reader,
    place,
    (at) => {
      if (/^[dtyzNoh]$/.test(reader.cls(at)))
        return /^[%C$:]$/.test(reader.cls(at + 1)) ? undefined : { to: at + 1, chars: reader.written(at) }
      const isBehindNumber = /^[dtyzNh]$/.test(reader.cls(at - 1))
      // "a hundred and eighty", "five foot and a half"
      const isInside = AND.test(reader.word(at)) && /^(hundred|foot|feet)$/.test(reader.word(at - 1))
      return isInside || (isBehindNumber && MEASURES.has(reader.word(at))) ? { to: at + 1, chars: "" } : undefined
    },
    1
  ).filter(({ chars }) => chars !== "")

/** An amount with or without its currency. */
export const moneyStretches = (reader: CallReader, place: AnswerPlace): ReadonlyArray<Stretch> =>
  stretchesOf(reader, place, (at) => {
    const cls = reader.cls(at)
    if (/^[dtyzNhklG]$/.test(cls)) {
      const run = reader.runFrom(at)
      if (/^[u%]$/.test(reader.cls(at + 1)) || (run !== undefined && isCounting(reader, run))) return undefined
      return { to: at + 1, chars: "1" }
    }
    const isNextToNumber = /^[dtyzNhkl]$/.test(reader.cls(at - 1)) || /^[dtyzNhkl]$/.test(reader.cls(at + 1))
    if (cls === "o" && isNextToNumber) return { to: at + 1, chars: "0" }
    if (/^(k|mil)$/.test(reader.word(at)) && /^[dtyzNhkl]$/.test(reader.cls(at - 1))) return { to: at + 1, chars: "" }
    return /^[C$]$/.test(cls) && isNextToNumber ? { to: at + 1, chars: "" } : undefined
  }).filter(({ chars }) => chars !== "")

/** Whether a token may be letters of a name that is spelled. */
const isLetters = (reader: CallReader, at: number): boolean =>
  reader.cls(at) === "L" || (/^\p{L}{1,3}$/u.test(reader.word(at)) && !acknowledgements.has(reader.word(at)))

/** Letters of a name, one by one or in clumps: "P H I ll i p", "double s", "b as in boy". */
export const spelledStretches = (reader: CallReader, place: AnswerPlace): ReadonlyArray<Stretch> =>
  stretchesOf(reader, place, (at) => {
    const run = reader.runFrom(at)
    if (run?.pieces.some(({ chars }) => /[A-Z]/.test(chars)) === true) return { to: run.to, chars: run.chars }
    const cls = reader.cls(at)
    if (cls === "x" || cls === "o") return { to: at + 1, chars: "o" }
    if (letterCore(reader, at, place)) return { to: at + 1, chars: reader.word(at) }
    const word = reader.word(at)
    if (!/^\p{L}{1,4}$/u.test(word) || cls === "n") return undefined
    const isShort = word.length < 4 && !acknowledgements.has(word)
    const before = beyondGlue(reader, at, -1)
    const after = beyondGlue(reader, at, 1)
    const isBetween =
      before >= place.from && isLetters(reader, before) && (after >= place.to || isLetters(reader, after))
    const isFirst = before < place.from && isShort && after < place.to && reader.cls(after) === "L"
    return isBetween || isFirst || (isShort && isAlone(reader, at, place)) ? { to: at + 1, chars: word } : undefined
  })
