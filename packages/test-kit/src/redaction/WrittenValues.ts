import type { Random } from "./Random.js"
import { cardinal, ordinal, sayCode, year } from "./Spoken.js"
import { list } from "./ValueLists.js"

/** How a call is written down: as typed, as a punctuating recognizer writes speech, or as a bare one does. */
export type Style = "typed" | "punctuated" | "bare"

export const months = list(
  "January, February, March, April, May, June, July, August, September, October, November, December"
)

export const sayAddress = (written: string): string =>
  written
    .replace(/@/g, " at ")
    .replace(/\./g, " dot ")
    .replace(/_/g, " underscore ")
    .replace(/-/g, " dash ")
    .replace(/\//g, " slash ")
    .replace(/\d/g, (digit) => ` ${cardinal(Number(digit))} `)
    .replace(/\s+/g, " ")
    .trim()
    .toLowerCase()
    .replace(/^www /, "w w w ")

export const dateValue = (random: Random, style: Style, from: number, to: number): string => {
  const day = random.int(1, 28)
  const month = random.int(0, 11)
  const y = random.int(from, to)
  const name = months[month] ?? ""
  return style === "typed"
    ? random.pick([
        `${month + 1}/${day}/${y}`,
        `${name} ${day}, ${y}`,
        `${y}-${String(month + 1).padStart(2, "0")}-${String(day).padStart(2, "0")}`,
        `${day} ${name} ${y}`,
        `${name} ${day}`
      ])
    : random.pick([
        `${name} ${ordinal(day)} ${year(y)}`,
        `the ${ordinal(day)} of ${name} ${year(y)}`,
        `${name} ${cardinal(day)} ${year(y)}`,
        `${name} ${ordinal(day)}`,
        `${name} the ${ordinal(day)}`
      ])
}

export const code = (
  random: Random,
  style: Style,
  value: string,
  groups: ReadonlyArray<number>,
  separator = " "
): string => {
  if (style !== "typed") return sayCode(random, value, groups)
  const parts: Array<string> = []
  let at = 0
  for (const size of groups) {
    parts.push(value.slice(at, at + size))
    at += size
  }
  return parts.join(separator)
}
