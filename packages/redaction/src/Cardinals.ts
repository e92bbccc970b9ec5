import type { Token } from "./Tokens.js"

/** A number and the token after it. */
export interface Cardinal {
  readonly value: number
  readonly to: number
}

/** A spoken number below 100 at a position. */
export const belowHundred = (all: ReadonlyArray<Token>, at: number): Cardinal | undefined => {
  const token = all[at]
  switch (token?.cls) {
    case "y": {
      const next = all[at + 1]
      return next?.cls === "d" && next.value > 0
        ? { value: token.value + next.value, to: at + 2 }
        : { value: token.value, to: at + 1 }
    }
    case "z":
    case "t":
    case "d":
      return { value: token.value, to: at + 1 }
    default:
      return undefined
  }
}

const classAt = (all: ReadonlyArray<Token>, at: number): string => {
  const token = all[at]
  return token === undefined ? "" : token.cls
}

/** Past an "and" between two parts of a number. */
const afterAnd = (all: ReadonlyArray<Token>, at: number): number => (classAt(all, at) === "&" ? at + 1 : at)

const isScale = (cls: string): boolean => /^[kl]$/.test(cls)

const firstPart = (all: ReadonlyArray<Token>, at: number): Cardinal | undefined =>
  belowHundred(all, at) ??
  (classAt(all, at) === "a" && /^[hkl]$/.test(classAt(all, at + 1)) ? { value: 1, to: at + 1 } : undefined)

/** A spoken cardinal at a position: "five", "four hundred and two", "two thousand seventeen". */
export const readCardinal = (all: ReadonlyArray<Token>, at: number): Cardinal | undefined => {
  const first = firstPart(all, at)
  if (first === undefined) return undefined
  let total = 0
  let { to, value } = first
  for (;;) {
    const scale = all[to]
    if (scale?.cls === "h" && value < 100) {
      const rest = belowHundred(all, afterAnd(all, to + 1))
      value = value * 100 + (rest?.value ?? 0)
      to = rest?.to ?? to + 1
    } else if (scale !== undefined && isScale(scale.cls) && value > 0) {
      total += value * scale.value
      const rest = belowHundred(all, afterAnd(all, to + 1))
      if (rest === undefined) return { value: total, to: to + 1 }
      ;({ to, value } = rest)
      if (!/^[hkl]$/.test(classAt(all, to))) return { value: total + value, to }
    } else return { value: total + value, to }
  }
}
