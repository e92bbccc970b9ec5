import type { Random } from "./Random.js"

/** How people say figures, letters and signs on the telephone. */

const ones = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
const teens = [
  "ten",
  "eleven",
  "twelve",
  "thirteen",
  "fourteen",
  "fifteen",
  "sixteen",
  "seventeen",
  "eighteen",
  "nineteen"
]
const tens = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
const alphabet: Readonly<Record<string, string>> = {
  A: "alpha",
  B: "bravo",
  C: "charlie",
  D: "delta",
  E: "echo",
  F: "foxtrot",
  G: "golf",
  H: "hotel",
  I: "india",
  J: "juliet",
  K: "kilo",
  L: "lima",
  M: "mike",
  N: "november",
  O: "oscar",
  P: "papa",
  Q: "quebec",
  R: "romeo",
  S: "sierra",
  T: "tango",
  U: "uniform",
  V: "victor",
  W: "whiskey",
  X: "x-ray",
  Y: "yankee",
  Z: "zulu"
}
const asIn: Readonly<Record<string, string>> = {
  A: "apple",
  B: "boy",
  C: "cat",
  D: "dog",
  E: "elephant",
  F: "frank",
  G: "george",
  H: "henry",
  I: "igloo",
  J: "jack",
  K: "kite",
  L: "larry",
  M: "mary",
  N: "nancy",
  O: "orange",
  P: "peter",
  Q: "queen",
  R: "robert",
  S: "sam",
  T: "tom",
  U: "umbrella",
  V: "victor",
  W: "walter",
  X: "x-ray",
  Y: "yellow",
  Z: "zebra"
}

export const cardinal = (value: number): string => {
  if (value < 10) return ones[value] ?? ""
  if (value < 20) return teens[value - 10] ?? ""
  if (value < 100) return `${tens[Math.floor(value / 10)] ?? ""}${value % 10 === 0 ? "" : ` ${ones[value % 10] ?? ""}`}`
  if (value < 1000)
    return `${ones[Math.floor(value / 100)] ?? ""} hundred${value % 100 === 0 ? "" : ` ${cardinal(value % 100)}`}`
  return `${cardinal(Math.floor(value / 1000))} thousand${value % 1000 === 0 ? "" : ` ${cardinal(value % 1000)}`}`
}

const ordinals = [
  "",
  "first",
  "second",
  "third",
  "fourth",
  "fifth",
  "sixth",
  "seventh",
  "eighth",
  "ninth",
  "tenth",
  "eleventh",
  "twelfth",
  "thirteenth",
  "fourteenth",
  "fifteenth",
  "sixteenth",
  "seventeenth",
  "eighteenth",
  "nineteenth",
  "twentieth"
]
export const ordinal = (value: number): string =>
  value <= 20
    ? (ordinals[value] ?? "")
    : value === 30
      ? "thirtieth"
      : `${tens[Math.floor(value / 10)] ?? ""} ${ordinals[value % 10] ?? ""}`

export const year = (value: number): string =>
  value >= 2000 && value < 2010
    ? `two thousand${value === 2000 ? "" : ` ${ones[value - 2000] ?? ""}`}`
    : `${cardinal(Math.floor(value / 100))} ${value % 100 < 10 ? `oh ${ones[value % 100] ?? ""}` : cardinal(value % 100)}`

type Spelling = "plain" | "alphabet" | "as in"

const sayLetter = (letter: string, spelling: Spelling): string => {
  switch (spelling) {
    case "alphabet":
      return alphabet[letter] ?? letter
    case "as in":
      return `${letter.toLowerCase()} as in ${asIn[letter] ?? letter}`
    case "plain":
      return letter.toLowerCase()
  }
}

const sayDigit = (digit: string, nought: string): string => (digit === "0" ? nought : (ones[Number(digit)] ?? ""))

/** Whether two digits of a group can be said as one number. */
const isPair = (group: string, at: number): boolean =>
  group.length % 2 === 0 && /^[1-9]\d$/.test(group.slice(at, at + 2))

/** Figures and letters as said: singly, in pairs, doubled, with fillers and pauses between groups. */
export const sayCode = (random: Random, code: string, groups: ReadonlyArray<number>): string => {
  const nought = random.pick(["oh", "zero", "zero"])
  const pairs = random.chance(0.2)
  const doubles = random.chance(0.35)
  const spelling = random.pick<Spelling>(["plain", "plain", "alphabet", "as in"])
  const parts: Array<string> = []
  let at = 0
  for (const size of groups) {
    const group = code.slice(at, at + size)
    at += size
    const words: Array<string> = []
    for (let i = 0; i < group.length; i++) {
      const unit = group[i] ?? ""
      if (/[A-Z]/.test(unit)) words.push(sayLetter(unit, spelling))
      else if (doubles && group[i + 1] === unit) {
        words.push(`double ${sayDigit(unit, nought)}`)
        i++
      } else if (pairs && isPair(group, i)) {
        words.push(cardinal(Number(group.slice(i, i + 2))))
        i++
      } else words.push(sayDigit(unit, nought))
    }
    parts.push(words.join(" "))
  }
  const pause = random.pick([", ", " ", ", ", " um ", ". ", " dash "])
  return parts.join(pause === " um " && random.chance(0.5) ? ", " : pause)
}
