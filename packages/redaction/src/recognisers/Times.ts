import { type CallText, isApart } from "../CallText.js"
import { type Cue, lastCueBefore, nearestCue } from "../Cues.js"
import { wordSet } from "../Lexicon.js"
import { type Candidate, candidate } from "../Span.js"
import type { Run } from "../SpokenNumbers.js"
import { matchClasses } from "../Tokens.js"

// Over token classes (see Lexicon.ts): a letter is a token.
const NUMBER = "(?:z|yd?|t|d|N)"
const DAY = "(?:yF|ys|F|s|z|yd?|t|d|N)"
const YEAR = "(?:,?(?:[ty](?:z|yd?|t|od)|[ty]h&?(?:z|yd?|t|d)?|dk&?(?:z|yd?|t|d|od)?|'?N))"
export const classPatterns = {
  monthDay: new RegExp(`[Mm]\\.?T?${DAY}(?:,?f?${YEAR})?(?![:$hk%])`, "g"),
  dayMonth: new RegExp(`T?(?:yF|ys|F|s|z|yd?|t|d|N)f?[Mm]\\.?(?:,?f?${YEAR})?`, "g"),
  monthYear: new RegExp(`[Mm]\\.?f?${YEAR}`, "g"),
  month: /M/g,
  ordinalDay: /T(?:yF|ys|F|s)/g,
  spokenYear: /[ty](?:z|yd?|t|od)|dk&?(?:z|yd?|t|d)|dkod/g,
  clock: new RegExp(`${NUMBER}(?::N(?::N)?|o?${NUMBER}|\\.N)?(?:w?)A(?:A)?|${NUMBER}(?:${NUMBER}|od)?c(?:A)?`, "g"),
  colon: /N:N(?::N)?/g,
  inPartOfDay: new RegExp(`${NUMBER}(?:o?${NUMBER}|:N)?iTe`, "g"),
  noon: /(?:z|yd?|t|d|N)?e/g,
  halfPast: new RegExp(`(?:a?q|${NUMBER}u?)w${NUMBER}A?`, "g"),
  duration: new RegExp(`(?:${NUMBER}|a)(?:&aq)?u`, "g")
} as const

export const datePatterns = {
  slashed:
    /(?<![\d/.-])(?:\d{1,2}[/.-]\d{1,2}[/.-](?:\d{4}|\d{2})|\d{4}[/.-]\d{1,2}[/.-]\d{1,2})(?:[T ]\d{1,2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?(?![\d/-])/g,
  short: /(?<![\d/.-])(?:0?[1-9]|1[0-2])\/(?:0?[1-9]|[12]\d|3[01])(?![\d/.-])/g
}

const zones = wordSet("est pst cst mst edt pdt cdt mdt gmt utc bst cet eastern pacific central mountain")
const dayPrepositions = wordSet("on by until till before after from since due for through thru to between")
const yearPrepositions = wordSet(
  "in since during from until till year of by circa around early late mid before after class"
)
const clockPrepositions = wordSet("at by before after until till around from about to between and past")
const clockFollowers = wordSet(
  "on in for today tomorrow tonight or and please sharp this every because so but if then to until with next is would works was if thanks i we my at am pm each would"
)
const pastWords = wordSet("past to till of after before")

const isDay = (value: number): boolean => value >= 1 && value <= 31

/** How many tokens a card number and its expiry may lie apart. */
const CARD_REACH = 120

/** Calendar dates, birth dates, clock times and ages, written or said. */
export const timeCandidates = (
  call: CallText,
  runs: ReadonlyArray<Run>,
  cues: ReadonlyArray<Cue>
): ReadonlyArray<Candidate> => {
  const { text, tokens } = call
  const { all } = tokens
  const found: Array<Candidate> = []
  const startOf = (token: number): number => all[token]?.start ?? 0
  const endOf = (token: number): number => all[token - 1]?.end ?? 0
  const word = (token: number): string => all[token]?.lower ?? ""

  const isBirth = (from: number, to: number): string | undefined => {
    const weighed = nearestCue(call, cues, from, to, (cue) => cue.field === "dob" || cue.kind === "expiry")
    return weighed?.cue.field === "dob" && weighed.distance <= 14 ? `cue "${weighed.cue.phrase}"` : undefined
  }
  const isExpiry = (from: number, to: number): boolean => {
    const weighed = nearestCue(
      call,
      cues,
      from,
      to,
      (cue) =>
        cue.kind === "expiry" ||
        cue.field === "dob" ||
        cue.field === "passport_number" ||
        cue.field === "driver_license"
    )
    if (weighed?.cue.kind !== "expiry" || weighed.distance > 8) return false
    // The whole card number may have been read out since the card was spoken of.
    for (let at = lastCueBefore(cues, weighed.cue.from); at >= 0; at--) {
      const cue = cues[at]
      if (cue === undefined || from - cue.to > CARD_REACH || isApart(call, cue.from, from)) break
      if (cue.field === "credit_card" && cue.kind !== "expiry") return true
    }
    return nearestCue(call, cues, from, to, (cue) => cue.field === "credit_card" && cue.kind !== "expiry") !== undefined
  }
  const date = (from: number, to: number, score: number, ...evidence: ReadonlyArray<string>): void => {
    const birth = isBirth(from, to)
    if (birth !== undefined)
      found.push(candidate("dob", startOf(from), endOf(to), Math.max(0.9, score), ...evidence, birth))
    else if (isExpiry(from, to))
      found.push(candidate("credit_card", startOf(from), endOf(to), Math.max(0.92, score), ...evidence, "card expiry"))
    else found.push(candidate("date", startOf(from), endOf(to), score, ...evidence))
  }

  // Written dates.
  for (const pattern of [datePatterns.slashed, datePatterns.short]) {
    pattern.lastIndex = 0
    for (let match = pattern.exec(text); match !== null; match = pattern.exec(text)) {
      const parts = match[0].split(/[T ]/)[0]?.split(/[/.-]/).map(Number) ?? []
      const [a = 0, b = 0, c = 0] = parts
      const real = parts.length === 2 || (a > 31 ? b <= 12 && c <= 31 : (a <= 12 && b <= 31) || (b <= 12 && a <= 31))
      if (!real || a === 0 || b === 0) continue
      const from = tokenIndex(call, match.index)
      const to = tokenIndex(call, match.index + match[0].length - 1) + 1
      if (parts.length === 2) {
        const birth = isBirth(from, to)
        if (
          !dayPrepositions.has(word(from - 1)) &&
          birth === undefined &&
          !isExpiry(from, to) &&
          word(from - 1) !== "date"
        )
          continue
      }
      date(from, to, parts.length === 2 ? 0.6 : 0.93, "written date")
    }
  }

  const isMonthWord = (token: number): boolean => {
    // "may", "march", "august": a capital inside a sentence, or a day beside them, makes them months.
    const one = all[token]
    if (one === undefined) return false
    return (
      one.cls === "M" ||
      (one.cls === "m" && one.lower !== "may" && one.lower !== "march" && one.lower !== "mar" && one.lower !== "dec")
    )
  }

  for (const { from, to } of matchClasses(tokens, classPatterns.monthDay)) {
    const month = all[from]
    let day = from + 1
    while (/^[.T]$/.test(all[day]?.cls ?? "")) day++
    const value = all[day]?.value ?? 0
    const next = all[day + 1]
    if (!isDay(value) && !(value > 1900 && value < 2100)) continue
    if (month?.cls === "m" && all[day]?.cls !== "F" && next?.cls !== "F" && !isMonthWord(from)) {
      // "may two" is a date, "may one ask" is not; figures and ordinals settle it.
      const written = all[day]?.cls === "N" && /^[A-Z]/.test(month.text)
      if (
        !written &&
        word(to).length > 0 &&
        all[to]?.cls === "w" &&
        !clockFollowers.has(word(to)) &&
        !dayPrepositions.has(word(from - 1))
      )
        continue
    }
    date(from, to, 0.93, "month and day")
  }
  for (const { from, to } of matchClasses(tokens, classPatterns.dayMonth)) {
    const monthAt = (() => {
      let at = from
      while (at < to && !/[Mm]/.test(all[at]?.cls ?? "")) at++
      return at
    })()
    const day = all[from]?.cls === "T" ? all[from + 1] : all[from]
    if (day === undefined || !isDay(day.value)) continue
    const ambiguous = all[monthAt]?.cls === "m"
    if (
      ambiguous &&
      !(
        day.cls === "F" ||
        all[monthAt - 1]?.cls === "f" ||
        (day.cls === "N" && /^[A-Z]/.test(all[monthAt]?.text ?? "")) ||
        all[monthAt - 1]?.cls === "F"
      )
    )
      continue
    date(from, to, 0.92, "day and month")
  }
  for (const { from, to } of matchClasses(tokens, classPatterns.monthYear)) {
    const last = all[to - 1]
    if (last?.cls === "N" && !(last.value > 1900 && last.value < 2100)) continue
    date(from, to, 0.85, "month and year")
  }
  for (const { from, to } of matchClasses(tokens, classPatterns.month)) {
    const before = word(from - 1)
    const beside =
      /^(in|of|since|by|until|during|through|early|late|mid|last|next|this|every|from|for|before|after|around|to|till|between|and|or)$/.test(
        before
      )
    date(from, to, beside ? 0.75 : 0.56, "month")
  }
  for (let at = 0; at < all.length; at++) {
    if (all[at]?.cls !== "m") continue
    const before = word(at - 1)
    const next = word(at + 1)
    if (
      /^(in|since|of|by|until|during|early|late|mid|next|this|last|every)$/.test(before) &&
      !(all[at]?.lower === "may" && /^(i|we|you|be|he|she|they|it|have|not)$/.test(next)) &&
      !/^(of|the|on|band)$/.test(next)
    ) {
      date(at, at + 1, 0.7, "month", `after "${before}"`)
    }
  }
  for (const { from, to } of matchClasses(tokens, classPatterns.ordinalDay)) {
    const value = (all[from + 1]?.value ?? 0) + (to - from === 3 ? (all[from + 2]?.value ?? 0) : 0)
    if (!isDay(value)) continue
    const next = all[to]
    const ends =
      next === undefined ||
      /^[.,?!;n]$/.test(next.cls) ||
      next.cls === "R" ||
      clockFollowers.has(next.lower) ||
      (next.cls === "f" && word(to + 1) === "the") ||
      word(to + 1) === "this" ||
      word(to + 1) === "next"
    if (ends && (dayPrepositions.has(word(from - 1)) || value > 3 || isBirth(from, to) !== undefined))
      date(from + 1, to, 0.6, "day of the month")
  }
  // Years alone.
  for (const { from, to } of matchClasses(tokens, classPatterns.spokenYear)) {
    const first = all[from]?.value ?? 0
    const century = first === 19 || first === 20 || first === 2
    if (century && yearPrepositions.has(word(from - 1)) && !/^[uCh$%k]$/.test(all[to]?.cls ?? ""))
      date(from, to, 0.6, "year")
    else if (century && isBirth(from, to) !== undefined) date(from, to, 0.8, "year")
  }
  for (const run of runs) {
    if (run.pieces.length !== 1 || run.spoken) continue
    const value = Number(run.chars)
    if (
      run.chars.length === 4 &&
      value >= 1900 &&
      value < 2100 &&
      (yearPrepositions.has(word(run.from - 1)) || isBirth(run.from, run.to) !== undefined)
    ) {
      date(run.from, run.to, 0.56, "year")
    }
  }
  // A birth date or expiry given in figures only: "oh four twelve eighty five".
  for (const run of runs) {
    if (run.digits !== run.chars.length || run.digits < 3 || run.digits > 8) continue
    const weighed = nearestCue(call, cues, run.from, run.to, (cue) => cue.strength > 0)
    if (weighed?.cue.field === "dob" && weighed.distance <= 14 && !/^[uCh$%]$/.test(all[run.to]?.cls ?? "")) {
      found.push(
        candidate("dob", startOf(run.from), endOf(run.to), 0.88, "figures of a date", `cue "${weighed.cue.phrase}"`)
      )
    }
  }

  // Clock times.
  const time = (from: number, to: number, score: number, why: string): void => {
    let end = to
    const marked =
      /\.m$/i.test(all[end - 1]?.text ?? "") && all[end]?.text === "." && all[end]?.start === all[end - 1]?.end
    if (marked) end++
    if (zones.has(word(end))) {
      end++
      if (word(end) === "time" || (word(end) === "standard" && word(end + 1) === "time"))
        end += word(end) === "time" ? 1 : 2
    }
    if (all[end]?.cls === "i" && all[end + 1]?.cls === "T" && all[end + 2]?.cls === "e") end += 3
    else if (word(end) === "at" && word(end + 1) === "night") end += 2
    found.push(candidate("time", startOf(from), endOf(end), score, why))
  }
  const isHour = (token: number): boolean => {
    const value = all[token]?.value ?? Number.NaN
    return value >= 0 && value <= 24
  }
  for (const { from, to } of matchClasses(tokens, classPatterns.clock)) {
    const last = all[to - 1]
    // "I am" is no half of a day; "a m" and "p m" spelled are.
    if (last?.lower === "am" && /^i$/.test(word(to - 2))) continue
    const first = all[from]
    if (first?.cls === "N" ? first.value <= 2400 : isHour(from)) time(from, to, 0.95, "clock time")
  }
  for (let at = 1; at < all.length - 1; at++) {
    if ((word(at) === "a" || word(at) === "p") && word(at + 1) === "m" && /^[zydtN]$/.test(all[at - 1]?.cls ?? "")) {
      let from = at - 1
      while (from > 0 && /^[zydtoN]$/.test(all[from - 1]?.cls ?? "") && at - from < 3) from--
      time(from, at + 2, 0.9, "clock time")
    }
  }
  for (const { from, to } of matchClasses(tokens, classPatterns.colon)) {
    const minutes = all[from + 2]
    if (
      isHour(from) &&
      minutes?.text.length === 2 &&
      minutes.value < 60 &&
      all[from]?.end === all[from + 1]?.start &&
      text[startOf(from) - 1] !== ":"
    )
      time(from, to, 0.85, "clock time")
  }
  for (const { from, to } of matchClasses(tokens, classPatterns.inPartOfDay))
    if (isHour(from)) time(from, to, 0.9, "hour and part of the day")
  for (const { from, to } of matchClasses(tokens, classPatterns.noon)) {
    if (/^(noon|midnight|midday)$/.test(word(to - 1))) time(from, to, 0.85, "clock time")
  }
  for (const { from, to } of matchClasses(tokens, classPatterns.halfPast)) {
    let link = from
    while (link < to && all[link]?.cls !== "w") link++
    const fraction = all[link - 1]?.cls === "q" || word(link - 1).startsWith("minute")
    if (!pastWords.has(word(link)) || !isHour(to - (all[to - 1]?.cls === "A" ? 2 : 1))) continue
    if (
      fraction ||
      word(link) === "past" ||
      (word(link) === "to" && clockPrepositions.has(word(from - 1)) && word(from - 1) === "at")
    )
      time(from, to, fraction ? 0.85 : 0.65, "time past or to the hour")
  }
  // "at half of four"/"half past" with f as the link word
  for (let at = 0; at + 2 < all.length; at++) {
    if (
      all[at]?.cls === "q" &&
      /^(past|to|of|till|after)$/.test(word(at + 1)) &&
      isHour(at + 2) &&
      /^[zdtyN]$/.test(all[at + 2]?.cls ?? "") &&
      !/^[uC]$/.test(all[at + 3]?.cls ?? "")
    )
      time(at > 0 && word(at - 1) === "a" ? at - 1 : at, at + 3, 0.8, "time past or to the hour")
  }
  for (let at = 1; at < all.length; at++) {
    if (
      !clockPrepositions.has(word(at - 1)) ||
      (word(at - 1) !== "at" &&
        word(at - 1) !== "by" &&
        word(at - 1) !== "around" &&
        word(at - 1) !== "until" &&
        word(at - 1) !== "before" &&
        word(at - 1) !== "after")
    )
      continue
    const cls = all[at]?.cls ?? ""
    const value = all[at]?.value ?? 99
    if (!/^[dtN]$/.test(cls) || value < 1 || value > 12) continue
    let to = at + 1
    if (/^(y|z|t)$/.test(all[to]?.cls ?? "")) to += all[to]?.cls === "y" && all[to + 1]?.cls === "d" ? 2 : 1
    else if (all[to]?.cls === "o" && all[to + 1]?.cls === "d") to += 2
    const next = all[to]
    const ends = next === undefined || /^[.,?!;nRW]$/.test(next.cls) || clockFollowers.has(next.lower)
    if (ends && (word(at - 1) === "at" || to > at + 1))
      time(at, to, to > at + 1 ? 0.7 : 0.58, `hour after "${word(at - 1)}"`)
  }

  // Everyday readings: only where they are switched on.
  const everyday = (field: "date" | "time", from: number, to: number, score: number, why: string): void => {
    found.push({ ...candidate(field, startOf(from), endOf(to), score, why), everyday: true })
  }
  for (let at = 0; at < all.length; at++) {
    const cls = all[at]?.cls
    if (cls === "W" || cls === "R") {
      const name = word(at).replace("'s", "")
      if (/^(mon|sat|sun|wed)$/.test(name)) continue
      if (isBirth(at, at + 1) === undefined || cls === "R")
        everyday("date", at, at + 1, 0.8, cls === "W" ? "weekday" : "relative day")
    } else if (
      cls === "b" &&
      /^(this|next|last|past|coming|following|previous|every|each|upcoming)$/.test(word(at)) &&
      /^u$/.test(all[at + 1]?.cls ?? "") &&
      /^(day|week|month|year|weekend|fortnight|decade|days|weeks|months|weekends)$/.test(word(at + 1).replace("'s", ""))
    ) {
      everyday("date", at, at + 1 + 1, 0.7, "relative date")
    } else if (cls === "b" && /^(this|last|every|next)$/.test(word(at)) && all[at + 1]?.cls === "e") {
      everyday("time", at, at + 2, 0.6, "part of the day")
    }
  }
  for (const { from, to } of matchClasses(tokens, classPatterns.duration)) {
    const unit = word(to - 1)
    if (all[from]?.cls === "a" && /^(day|year|week|month)s?$/.test(unit)) continue
    if (/^(minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?)$/.test(unit) && word(to) !== "old") {
      const ago = word(to) === "ago" || (word(to) === "from" && word(to + 1) === "now")
      everyday(
        /^(day|week|month|year)/.test(unit) ? "date" : "time",
        from,
        ago ? to + (word(to) === "ago" ? 1 : 2) : to,
        ago || /^(in|for|within|next|last|past)$/.test(word(from - 1)) ? 0.62 : 0.52,
        "length of time"
      )
    }
  }

  // Ages.
  const betweenRuns = (from: number, to: number): boolean => {
    for (let at = from; at < to; at++) if (/^[dtyzN]$/.test(all[at]?.cls ?? "")) return true
    return false
  }
  const age = (from: number, to: number, score: number, why: string): void => {
    found.push(candidate("age", startOf(from), endOf(to), score, why))
  }
  for (let at = 0; at < all.length; at++) {
    const cls = all[at]?.cls ?? ""
    if (cls !== "u" && !/^(y\/o|yo|y)$/.test(word(at))) {
      continue
    }
    // "... years old", "-year-old", "months old"
    let to = at + 1
    if (all[to]?.text === "-") to++
    const old = word(to) === "old" || word(to) === "olds" || (word(to) === "of" && word(to + 1) === "age")
    let before = at - 1
    if (all[before]?.text === "-") before--
    if (all[before]?.lower === "half" && all[before - 1]?.cls === "a") before -= all[before - 2]?.cls === "&" ? 3 : 2
    if ((old || word(at) === "y/o" || word(at) === "yo") && /^[zdtyNha]$/.test(all[before]?.cls ?? "")) {
      let from = before
      if (all[from]?.cls === "d" && all[from - 1]?.cls === "y") from--
      if (all[from]?.cls === "d" && all[from - 1]?.text === "-" && all[from - 2]?.cls === "y") from -= 2
      age(from, old ? (word(to) === "of" ? to + 2 : to + 1) : to, 0.95, "years old")
    }
  }
  for (const run of runs) {
    if (run.digits !== run.chars.length || run.digits > 3 || run.pieces.length > 2 || Number(run.chars) > 120) continue
    const from = run.from
    const to = run.to
    const before = word(from - 1)
    const next = all[to]
    const ends =
      next === undefined ||
      /^[.,?!;n]$/.test(next.cls) ||
      /^(and|now|but|so|today|tomorrow|years|already|this|last|next|or|i|in|when|male|female|with)$/.test(next.lower)
    const value = Number(run.chars)
    if (/^(aged|age|turned|turning)$/.test(before) && (ends || before === "aged" || before === "age"))
      age(from, to, before.startsWith("turn") ? 0.75 : 0.85, `after "${before}"`)
    else if (
      /^(i'm|he's|she's|am|they're)$/.test(before) &&
      ends &&
      word(to) !== "years" &&
      value >= 2 &&
      word(to) !== "in" &&
      word(to) !== "with"
    )
      age(from, to, value >= 13 || before === "he's" || before === "she's" ? 0.62 : 0.45, `after "${before}"`)
    else if (/^(is|was|be|just|only|almost|about|over|under|nearly|at)$/.test(before) && ends) {
      const weighed = nearestCue(call, cues, from, to, (cue) => cue.strength > 0)
      if (weighed?.cue.field === "age" && weighed.distance <= 10) age(from, to, 0.85, `cue "${weighed.cue.phrase}"`)
      else if (
        /\b(son|daughter|wife|husband|mother|father|mom|dad|brother|sister|kid|child|grandson|granddaughter|grandmother|grandma|grandpa|baby|patient|boy|girl|he|she|i|am|i'm|oldest|youngest)$/.test(
          all
            .slice(Math.max(0, from - 4), from - 1)
            .map((one) => one.lower)
            .join(" ")
        ) &&
        value >= 1 &&
        before !== "at" &&
        before !== "under" &&
        before !== "over"
      )
        age(from, to, 0.6, "a person is ...")
    } else {
      const weighed = nearestCue(call, cues, from, to, (cue) => cue.strength > 0)
      const asked =
        weighed?.cue.field === "age" &&
        weighed.side === "before" &&
        !betweenRuns(weighed.cue.to, from) &&
        (call.turnOf[from] ?? 0) - (call.turnOf[weighed.cue.from] ?? 0) <= 1
      if (!asked) continue
      if (weighed.distance <= 8 && ends && !/^[uC$%]$/.test(next?.cls ?? ""))
        age(from, to, 0.8, `cue "${weighed.cue.phrase}"`)
      else if (word(to).startsWith("year")) age(from, to + 1, 0.85, `cue "${weighed.cue.phrase}"`)
    }
  }
  for (let at = 0; at < all.length; at++) {
    const lower = word(at)
    if (
      /^(twenties|thirties|forties|fifties|sixties|seventies|eighties|nineties|20s|30s|40s|50s|60s|70s|80s|90s)$/.test(
        lower
      ) &&
      /^(my|his|her|their|your)$/.test(
        word(at - 1) === "late" || word(at - 1) === "early" || word(at - 1) === "mid"
          ? word(at - 2)
          : word(at - 1) === "-"
            ? word(at - 3)
            : word(at - 1)
      )
    ) {
      age(
        /^(late|early|mid)$/.test(word(at - 1)) ? at - 1 : word(at - 1) === "-" ? at - 2 : at,
        at + 1,
        0.85,
        "decade of life"
      )
    }
  }
  return found
}

const tokenIndex = (call: CallText, offset: number): number => {
  const { all } = call.tokens
  let low = 0
  let high = all.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((all[middle]?.end ?? Infinity) <= offset) low = middle + 1
    else high = middle
  }
  return low
}
