import { wordSet } from "../Lexicon.js"
import type { Candidate } from "../TextSpan.js"
import { matchClasses } from "../Tokens.js"
import { atWords, byToken, type CallReader, type Recognizer } from "./CallReader.js"
import { NUMBER } from "./ClassPatterns.js"
import { clockFollowers } from "./DateContext.js"

export const classPatterns = {
  /** "3:45 pm", "three o'clock", "seven thirty a.m." */
  clock: new RegExp(`${NUMBER}(?::N(?::N)?|o?${NUMBER}|\\.N)?(?:w?)A(?:A)?|${NUMBER}(?:${NUMBER}|od)?c(?:A)?`, "g"),
  colon: /N:N(?::N)?/g,
  /** "seven in the morning" */
  inPartOfDay: new RegExp(`${NUMBER}(?:o?${NUMBER}|:N)?iTe`, "g"),
  noon: /(?:z|yd?|t|d|N)?e/g,
  /** "half past four", "ten to six" */
  halfPast: new RegExp(`(?:a?q|${NUMBER}u?)[wb]${NUMBER}A?`, "g")
} as const

const zones = wordSet("est pst cst mst edt pdt cdt mdt gmt utc bst cet eastern pacific central mountain")
const pastWords = wordSet("past to till of after before")

/** Behind which a bare hour is a time: "at five", "by seven thirty". */
const hourPrepositions = wordSet("at by around until before after since")

/** Where a time ends that goes on with "a.m.", a time zone or a part of the day. */
const timeEnd = (reader: CallReader, to: number): number => {
  let end = to
  if (/\.m$/i.test(reader.written(end - 1)) && reader.written(end) === "." && reader.isTight(end)) end++
  if (zones.has(reader.word(end))) {
    end++
    if (reader.word(end) === "time") end++
    else if (reader.word(end) === "standard" && reader.word(end + 1) === "time") end += 2
  }
  if (reader.cls(end) === "i" && reader.cls(end + 1) === "T" && reader.cls(end + 2) === "e") return end + 3
  return reader.word(end) === "at" && reader.word(end + 1) === "night" ? end + 2 : end
}

const time = (reader: CallReader, from: number, to: number, score: number, why: string): Candidate =>
  reader.candidate("time", from, timeEnd(reader, to), score, why)

const isHour = (reader: CallReader, at: number): boolean => {
  const value = reader.value(at)
  return value >= 0 && value <= 24
}

const withDayHalf = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.clock).flatMap(({ from, to }) => {
    // "I am" is no half of a day.
    if (reader.word(to - 1) === "am" && reader.word(to - 2) === "i") return []
    const isTime = reader.cls(from) === "N" ? reader.value(from) <= 2400 : isHour(reader, from)
    return isTime ? [time(reader, firstOfRange(reader, from), to, 0.95, "clock time")] : []
  })

/** Where a range of hours begins that ends with one: "eight to ten a m". */
const firstOfRange = (reader: CallReader, from: number): number => {
  if (!/^(to|til|till|until|through|and|or|-|–)$/.test(reader.word(from - 1))) return from
  const isBetween = reader.word(from - 1) !== "and" || reader.word(from - 3) === "between"
  if (!isBetween) return from
  for (let first = from - 2; first >= Math.max(0, from - 4); first--)
    if (hourEnd(reader, first) === from - 1 && !/^[dtyz&]$/.test(reader.cls(first - 1)))
      return isOfScore(reader, first) ? from : first
  return from
}

/** "the score was four to five": whether a number is of points rather than an hour. */
const isOfScore = (reader: CallReader, at: number): boolean =>
  scoring.has(reader.word(at - 1)) ||
  (/^(is|was|of|stands|stood)$/.test(reader.word(at - 1)) && scoring.has(reader.word(at - 2)))
const scoring = wordSet("score scored scoring result won lost lead leads led odds ratio vote voted")

/** "five p m", spelled. */
const withSpelledDayHalf = (reader: CallReader): ReadonlyArray<Candidate> => {
  const found: Array<Candidate> = []
  for (let at = 1; at < reader.all.length - 1; at++) {
    if (reader.word(at + 1) !== "m" || !/^[ap]$/.test(reader.word(at)) || !/^[zydtN]$/.test(reader.cls(at - 1)))
      continue
    let from = at - 1
    while (from > 0 && /^[zydtoN]$/.test(reader.cls(from - 1)) && at - from < 3) from--
    found.push(time(reader, firstOfRange(reader, from), at + 2, 0.9, "clock time"))
  }
  return found
}

const withColon = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.colon).flatMap(({ from, to }) => {
    const isTime =
      isHour(reader, from) &&
      reader.written(from + 2).length === 2 &&
      reader.value(from + 2) < 60 &&
      reader.isTight(from + 1) &&
      reader.call.text[reader.start(from) - 1] !== ":"
    return isTime ? [time(reader, from, to, 0.85, "clock time")] : []
  })

const inPartOfDay = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.inPartOfDay).flatMap(({ from, to }) =>
    isHour(reader, from) ? [time(reader, from, to, 0.9, "hour and part of the day")] : []
  )

const noons = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.noon).flatMap(({ from, to }) =>
    /^(noon|midnight|midday)$/.test(reader.word(to - 1)) ? [time(reader, from, to, 0.85, "clock time")] : []
  )

/** "half past four", "ten minutes to six" */
const pastTheHour = (reader: CallReader): ReadonlyArray<Candidate> =>
  matchClasses(reader.call.tokens, classPatterns.halfPast).flatMap(({ from, to }) => {
    let link = from
    while (link < to && !/^[wb]$/.test(reader.cls(link))) link++
    const word = reader.word(link)
    if (!pastWords.has(word) || !isHour(reader, to - (reader.cls(to - 1) === "A" ? 2 : 1))) return []
    const isFraction = reader.cls(link - 1) === "q" || reader.word(link - 1).startsWith("minute")
    const isTime = isFraction || word === "past" || (word === "to" && reader.word(from - 1) === "at")
    return isTime ? [time(reader, from, to, isFraction ? 0.85 : 0.65, "time past or to the hour")] : []
  })

/** "quarter of four", where the word between has a class of its own. */
const quarters = byToken([
  (reader, at, found) => {
    const isTime =
      reader.cls(at) === "q" &&
      /^(past|to|of|till|after)$/.test(reader.word(at + 1)) &&
      isHour(reader, at + 2) &&
      /^[zdtyN]$/.test(reader.cls(at + 2)) &&
      !/^[uC]$/.test(reader.cls(at + 3))
    if (isTime)
      found.push(time(reader, reader.word(at - 1) === "a" ? at - 1 : at, at + 3, 0.8, "time past or to the hour"))
    return undefined
  }
])

/** Where an hour's minutes end: "seven thirty", "seven twenty five", "seven oh five". */
const minutesEnd = (reader: CallReader, at: number): number => {
  const cls = reader.cls(at)
  // "by ten eighty": no minutes
  if (cls === "y" && reader.value(at) >= 60) return at
  if (cls === "y") return reader.cls(at + 1) === "d" ? at + 2 : at + 1
  if (cls === "z" || cls === "t") return at + 1
  return cls === "o" && reader.cls(at + 1) === "d" ? at + 2 : at
}

const apiece = wordSet("each apiece per")
const heating = wordSet("bake baked baking preheat heat runs running temperature roast grill cook cooks")

/** Whether a number stands behind a word of heat: "bake at three fifty", "it runs at four hundred". */
const isOfHeat = (reader: CallReader, at: number): boolean =>
  reader.word(at - 1) === "at" && heating.has(reader.word(at - 2))

/** "at five", "by seven thirty" */
const bareHours = byToken([
  (reader, at, found) => {
    const before = reader.word(at - 1)
    if (!hourPrepositions.has(before) || !/^[dtN]$/.test(reader.cls(at))) return undefined
    if (reader.value(at) < 1 || reader.value(at) > 12) return undefined
    // "nine hundred at two each", "bake at three fifty"
    if (apiece.has(reader.word(minutesEnd(reader, at + 1))) || isOfHeat(reader, at)) return undefined
    const to = minutesEnd(reader, at + 1)
    const hasMinutes = to > at + 1
    const ends = reader.endsAt(to, /^[.,?!;nRW]$/) || clockFollowers.has(reader.word(to))
    const isLast = reader.endsAt(to, /^[.?!n]$/) && /^(after|before|around|until)$/.test(before)
    if (ends && (before === "at" || hasMinutes || isLast))
      found.push(time(reader, at, to, hasMinutes ? 0.7 : 0.58, `hour after "${before}"`))
    return undefined
  }
])

/** Where an hour, with or without minutes, ends that begins at a token; undefined where none does. */
const hourEnd = (reader: CallReader, at: number): number | undefined =>
  /^[dtN]$/.test(reader.cls(at)) && reader.value(at) >= 1 && reader.value(at) <= 12
    ? minutesEnd(reader, at + 1)
    : reader.cls(at) === "e" && /^(noon|midnight|midday)$/.test(reader.word(at))
      ? at + 1
      : undefined

/** "from nine thirty til noon", "between two fifteen and three": two hours of which one has minutes or is named. */
const range = atWords("from between", (reader, at, found) => {
  const end = hourEnd(reader, at + 1)
  if (end === undefined || !rangeLinks.has(reader.word(end))) return undefined
  const to = hourEnd(reader, end + 1)
  if (to === undefined || /^[uC%$hk]$/.test(reader.cls(to))) return undefined
  const isCertain =
    end > at + 2 ||
    to > end + 2 ||
    reader.cls(end + 1) === "e" ||
    tillWords.has(reader.word(end)) ||
    (reader.word(at) === "between" && endsTime(reader, to) && isOfVisit(reader, at))
  if (isCertain && reader.word(at) === "between" && reader.word(end) === "and")
    found.push(time(reader, at + 1, to, 0.7, "between one hour and another"))
  else if (isCertain) {
    found.push(time(reader, at + 1, end, 0.7, "from one hour to another"))
    found.push(time(reader, end + 1, to, 0.7, "from one hour to another"))
  }
  return undefined
})

const endsTime = (reader: CallReader, to: number): boolean =>
  reader.endsAt(to, /^[.,?!;nRW]$/) || clockFollowers.has(reader.word(to))

/** Tokens before two hours in which something says that somebody comes between them. */
const VISIT_REACH = 8
const visits = wordSet(
  "come comes coming came arrive arrives arriving deliver delivered delivery collect collected collection visit visiting call calling ring home in free round around here there out appointment slot window"
)

/** "he's meant to come between eight and twelve", "on thursday between two and four" */
const isOfVisit = (reader: CallReader, at: number): boolean => {
  for (let before = at - 1; before >= at - VISIT_REACH && reader.turn(before) === reader.turn(at); before--)
    if (/^[WRF]$/.test(reader.cls(before)) || visits.has(reader.word(before))) return true
  return false
}

/** How far back of "make it eight" a time or day was spoken of, in tokens. */
const TIME_REACH = 40

/** "make it eight": an hour alone, where a time was spoken of just before. */
const changed = atWords("make", (reader, at, found) => {
  if (!/^(it|that|them)$/.test(reader.word(at + 1)) || !/^[dtN]$/.test(reader.cls(at + 2))) return undefined
  const to = hourEnd(reader, at + 2)
  if (to === undefined || !reader.endsAt(to, /^[.,?!;n]$/)) return undefined
  for (let before = at - 1; before >= Math.max(0, at - TIME_REACH); before--)
    if (/^[Aceq]$/.test(reader.cls(before)) || reader.word(before) === "time" || isColonTime(reader, before)) {
      found.push(time(reader, at + 2, to, 0.7, "instead of another time"))
      break
    }
  return undefined
})

const isColonTime = (reader: CallReader, at: number): boolean =>
  reader.written(at) === ":" && reader.cls(at - 1) === "N" && reader.cls(at + 1) === "N"

const rangeLinks = wordSet("til till until to and through")
const tillWords = wordSet("til till")

/** "two ish", "around five thirty ish" */
const rough = atWords("ish", (reader, at, found) => {
  const before = reader.written(at - 1) === "-" ? at - 1 : at
  for (let from = before - 1; from >= Math.max(0, before - 3); from--)
    if (hourEnd(reader, from) === before) {
      found.push(time(reader, from, at + 1, 0.7, 'hour before "ish"'))
      break
    }
  return undefined
})

/** "at fourteen twenty", "by eighteen hundred": hours behind noon with minutes. */
const lateHour = atWords("at by around until till til", (reader, before, found) => {
  const at = before + 1
  if (!/^[ty]$/.test(reader.cls(at))) return undefined
  const isTwenty = reader.value(at) === 20 && reader.cls(at + 1) === "d" && reader.value(at + 1) <= 3
  const hour = reader.value(at) + (isTwenty ? reader.value(at + 1) : 0)
  const minutes = at + (isTwenty ? 2 : 1)
  // "nineteen twenty by ten eighty": a width and a height
  const isSize = reader.word(before) === "by" && /^[dtyzN]$/.test(reader.cls(before - 1))
  if (hour < 13 || hour > 23 || isSize) return undefined
  const to = reader.cls(minutes) === "h" ? minutes + 1 : minutesEnd(reader, minutes)
  if (to > minutes && reader.endsAt(to, /^[.,?!;nRWw&]$/)) {
    // "at sixteen oh four" ends what is said: no house number or code.
    const isLast = reader.word(before) === "at" && reader.cls(minutes) === "o" && reader.endsAt(to, /^[.,?!;n]$/)
    found.push(time(reader, at, to, isLast ? 0.85 : 0.6, "hour and minutes"))
  }
  return undefined
})

/** "eleven sharp", "nine thirty on the dot" */
const sharp = atWords("sharp dot", (reader, at, found) => {
  const before = reader.word(at) === "sharp" ? at : at - 2
  if (before < at && reader.phrase(before, at) !== "on the") return undefined
  for (let from = before - 1; from >= Math.max(0, before - 3); from--)
    if (hourEnd(reader, from) === before) found.push(time(reader, from, at + 1, 0.7, "exact hour"))
  return undefined
})

/** "about half six": half past six */
const halfHour = atWords("half", (reader, at, found) => {
  const isHour = /^[dt]$/.test(reader.cls(at + 1)) && reader.value(at + 1) >= 1 && reader.value(at + 1) <= 12
  const isAfter = /^(at|by|around|about|until|till|til|for|from|and|before|after|past|to|between|like|it's|say)$/.test(
    reader.word(at - 1)
  )
  if (isHour && isAfter && (reader.endsAt(at + 2, /^[.,?!;nR&ib]$/) || clockFollowers.has(reader.word(at + 2))))
    found.push(time(reader, at, at + 2, 0.66, "half past an hour"))
  return undefined
})

/** "I was on the nine forty train": what is called by the time that it begins at. */
const calledByHour = atWords("train flight ferry service showing slot appointment", (reader, at, found) => {
  const from = fullHourBefore(reader, at)
  if (from !== undefined && /^(the|my|our|a|an)$/.test(reader.word(from - 1)))
    found.push(time(reader, from, at, 0.87, `hour before "${reader.word(at)}"`))
  return undefined
})

/** Where an hour with minutes begins that ends before a token; undefined where none does. */
const fullHourBefore = (reader: CallReader, to: number): number | undefined => {
  for (let from = to - 2; from >= Math.max(0, to - 3); from--) if (hourEnd(reader, from) === to) return from
  return undefined
}

/** How far behind an offer the other side takes it up, in tokens. */
const ACCEPT_REACH = 12

/** Where an hour with minutes is said again in the turn behind: "four forty or five ten" - "four forty then". */
const acceptedAt = (reader: CallReader, from: number, to: number): number | undefined => {
  const offer = reader.phrase(from, to)
  if (to - from < 2) return undefined
  for (let at = to; at < to + ACCEPT_REACH; at++)
    if (reader.turn(at) === reader.turn(from) + 1 && reader.phrase(at, at + to - from) === offer) return at
  return undefined
}

/** "three instead of four thirty", "ten fifteen or two forty": two hours of which one, or both, have minutes. */
const choice = atWords("or instead", (reader, at, found) => {
  const isInstead = reader.word(at) === "instead"
  const next = isInstead ? (reader.word(at + 1) === "of" ? at + 2 : at + 1) : at + 1
  const to = hourEnd(reader, next)
  const isHour = reader.cls(at - 1) === "d" && hourEnd(reader, at - 1) === at
  const first = fullHourBefore(reader, at) ?? (isInstead && isHour ? at - 1 : undefined)
  if (first === undefined || to === undefined || to <= next + 1 || /^[uC%$hk]$/.test(reader.cls(to))) return undefined
  for (const [from, end] of [
    [first, at],
    [next, to]
  ] as const) {
    found.push(time(reader, from, end, 0.62, "one of two hours"))
    const again = acceptedAt(reader, from, end)
    if (again !== undefined) found.push(time(reader, again, again + end - from, 0.62, "one of two hours, again"))
  }
  return undefined
})

const rangesAndLateHours = byToken([choice, changed, range, rough, lateHour, sharp, halfHour, calledByHour])

/** Times of the day, written or spoken. */
export const clockTimes: Recognizer = (reader) => [
  ...withDayHalf(reader),
  ...withSpelledDayHalf(reader),
  ...withColon(reader),
  ...inPartOfDay(reader),
  ...noons(reader),
  ...pastTheHour(reader),
  ...quarters(reader),
  ...bareHours(reader),
  ...rangesAndLateHours(reader)
]
