import type { CallReader, TokenRule } from "./CallReader.js"

/** Tokens behind "... foot eleven and" that complete a half: "a half", "half". */
const halfAfter = (reader: CallReader, at: number): number => {
  if (reader.word(at) === "half") return 2
  return reader.word(at) === "a" && reader.word(at + 1) === "half" ? 3 : 0
}

/** Where a height in feet and inches ends; `at` is the token of the inches. */
const inchesEnd = (reader: CallReader, at: number): number => {
  let to = at + 1
  if (/^(inches|inch|in|")$/.test(reader.word(to))) to++
  if (reader.word(to) === "tall") return to + 1
  return reader.word(to) === "and" ? to + halfAfter(reader, to + 1) : to
}

/** "I'm about six foot" */
const isStatedHeight = (reader: CallReader, at: number): boolean =>
  /^(about|i'm|he's|she's|am|is|over|almost|nearly|exactly|around|at)$/.test(reader.word(at - 2)) &&
  /^(i'm|he's|she's|am|is|stand|stands|height|tall|about)$/.test(reader.word(at - 3))

/** "five foot eleven", "6' 2\"", "six feet tall" */
const feet: TokenRule = (reader, at, found) => {
  const unit = reader.word(at)
  if (!/^(foot|feet|ft|')$/.test(unit) || !/^[dtzNa]$/.test(reader.cls(at - 1)) || !(reader.value(at - 1) <= 8))
    return undefined
  const put = (to: number, score: number): void => {
    found.push(reader.candidate("physical_attribute", at - 1, to, score, "height"))
  }
  const isMark = unit === "'"
  if (/^[dtzNo]$/.test(reader.cls(at + 1)) && reader.value(at + 1) <= 11) {
    if (!isMark || reader.isTight(at)) put(inchesEnd(reader, at + 1), 0.8)
  } else if (isMark) return undefined
  else if (reader.word(at + 1) === "tall") put(at + 2, 0.85)
  else if (isStatedHeight(reader, at)) put(at + 1, 0.6)
  return undefined
}

/** Where the number before a unit begins. */
const numberStart = (reader: CallReader, at: number, classes: RegExp): number => {
  let from = at - 1
  while (from > 0 && classes.test(reader.cls(from - 1)) && at - from < 6) from--
  return from
}

/** "180 cm tall" */
const metric: TokenRule = (reader, at, found) => {
  if (!/^(cm|centimeters|centimetres|meters|metres|inches)$/.test(reader.word(at))) return undefined
  const isTall = reader.word(at + 1) === "tall"
  if (!isTall && !/\b(height|tall|stand|stands)\b/.test(reader.phrase(at - 8, at))) return undefined
  if (/^[dtyzNhk]$/.test(reader.cls(at - 1)))
    found.push(
      reader.candidate(
        "physical_attribute",
        numberStart(reader, at, /^[dtyzNhk&.]$/),
        isTall ? at + 2 : at + 1,
        0.8,
        "height"
      )
    )
  return undefined
}

/** "I weigh 180 pounds" */
const weight: TokenRule = (reader, at, found) => {
  if (
    /^(pounds|lbs|lb|kilos|kg|kilograms|stone)$/.test(reader.word(at)) &&
    /^[dtyzNhko]$/.test(reader.cls(at - 1)) &&
    /\b(weigh|weighs|weight|weighed|weighing|heavy)\b/.test(reader.phrase(at - 9, at + 2)) &&
    !/\b(package|parcel|box|bag|luggage|suitcase|baggage|shipment|item|product|it|it's|this|machine|unit|laptop|order)\b/.test(
      reader.phrase(at - 14, at + 6)
    )
  )
    found.push(
      reader.candidate("physical_attribute", numberStart(reader, at, /^[dtyzNhk&.ao]$/), at + 1, 0.8, "weight")
    )
  return undefined
}

export const measureRules: ReadonlyArray<TokenRule> = [feet, metric, weight]
