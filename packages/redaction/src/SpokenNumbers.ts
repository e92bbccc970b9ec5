import { acknowledgements, explainers, fillers, functionWords, numberNames, spellingWords } from "./Lexicon.js"
import type { Token, Tokens } from "./Tokens.js"

/** One thing said in a number or code: "double seven", "nineteen", "b as in boy", "4021"; tokens, `to` exclusive. */
export interface Piece {
  readonly chars: string
  readonly from: number
  readonly to: number
  /** Words rather than figures. */
  readonly spoken: boolean
}

/** A number or code as it was given, with every piece's place and what stood between them. */
export interface Run {
  readonly from: number
  readonly to: number
  readonly pieces: ReadonlyArray<Piece>
  /** What was said between a piece and the one before: "", "-", "." (also "dot"), "/", ",", " ". */
  readonly joints: ReadonlyArray<string>
  /** All pieces in one, letters in upper case. */
  readonly chars: string
  readonly digits: number
  readonly spoken: boolean
}

const MAX_RUN_PIECES = 64

const dashWords = new Set(["dash", "hyphen", "minus"])
const dotWords = new Set(["dot", "point", "period"])
const slashWords = new Set(["slash", "stroke", "over"])
const CAPITALS = /^[A-Z]{1,4}$/

const says = (word: string): boolean => numberNames.has(word) || functionWords.has(word) || acknowledgements.has(word)

interface Read {
  readonly chars: string
  readonly to: number
  readonly spoken: boolean
}

/** A spoken number below 100 at a position. */
const belowHundred = (
  all: ReadonlyArray<Token>,
  at: number
): { value: number; to: number; digits: string } | undefined => {
  const token = all[at]
  if (token === undefined) return undefined
  switch (token.cls) {
    case "y": {
      const next = all[at + 1]
      return next?.cls === "d" && next.value > 0
        ? { value: token.value + next.value, to: at + 2, digits: String(token.value + next.value) }
        : { value: token.value, to: at + 1, digits: String(token.value) }
    }
    case "z":
    case "t":
    case "d":
      return { value: token.value, to: at + 1, digits: String(token.value) }
    default:
      return undefined
  }
}

/** A spoken cardinal at a position: "five", "four hundred and two", "two thousand seventeen". */
export const readCardinal = (all: ReadonlyArray<Token>, at: number): { value: number; to: number } | undefined => {
  const first =
    belowHundred(all, at) ??
    (all[at]?.cls === "a" && /[hkl]/.test(all[at + 1]?.cls ?? "") ? { value: 1, to: at + 1 } : undefined)
  if (first === undefined) return undefined
  let total = 0
  let { to, value } = first
  for (;;) {
    const scale = all[to]
    if (scale?.cls === "h" && value < 100) {
      value *= 100
      to++
      const rest = belowHundred(all, all[to]?.cls === "&" ? to + 1 : to)
      if (rest !== undefined) {
        value += rest.value
        to = rest.to
      }
    } else if ((scale?.cls === "k" || scale?.cls === "l") && value > 0) {
      total += value * scale.value
      to++
      const after = all[to]?.cls === "&" ? to + 1 : to
      const rest = belowHundred(all, after)
      if (rest === undefined) return { value: total, to }
      value = rest.value
      to = rest.to
      const next = all[to]?.cls
      if (next !== "h" && next !== "k" && next !== "l") return { value: total + value, to }
    } else return { value: total + value, to }
  }
}

const isElementClass = (cls: string): boolean =>
  cls === "d" || cls === "t" || cls === "y" || cls === "z" || cls === "N" || cls === "X" || cls === "x" || cls === "o"

/** Letters and their explanation, "b as in boy", "b for bravo", "b like boy"; `to` after the whole. */
const readLetter = (all: ReadonlyArray<Token>, at: number): Read | undefined => {
  const token = all[at]
  if (token === undefined || (token.cls !== "L" && token.lower !== "a")) return undefined
  let next = at + 1
  if (all[next]?.text === ",") next++
  const explainer = all[next]
  if (explainer !== undefined && explainers.has(explainer.lower)) {
    let word = next + 1
    if (all[word]?.cls === "i" || all[word]?.lower === "for" || all[word]?.lower === "a") word++
    const example = all[word]
    if (
      example !== undefined &&
      (example.text.length > 1 || (example.lower === "x" && all[word + 1]?.text === "-")) &&
      example.lower.startsWith(token.lower)
    ) {
      const ray = example.lower === "x" && all[word + 1]?.text === "-"
      return { chars: token.text.toUpperCase(), to: ray ? word + 3 : word + 1, spoken: true }
    }
  }
  return { chars: token.text.toUpperCase(), to: at + 1, spoken: token.cls !== "N" }
}

const readPiece = (tokens: Tokens, at: number, inside: boolean, before: string): Read | undefined => {
  const { all } = tokens
  const token = all[at]
  if (token === undefined) return undefined
  switch (token.cls) {
    case "N":
    case "X":
      return { chars: token.text.toUpperCase(), to: at + 1, spoken: false }
    case "o":
      // "oh" is a figure only beside one.
      return inside || isElementClass(all[at + 1]?.cls ?? "") ? { chars: "0", to: at + 1, spoken: true } : undefined
    case "x": {
      const next = all[at + 1]
      if (next === undefined) return undefined
      const unit =
        next.cls === "d"
          ? String(next.value)
          : next.cls === "o" || next.lower === "o"
            ? "0"
            : next.cls === "L" && next.lower === "u"
              ? "W"
              : next.cls === "L"
                ? next.text.toUpperCase()
                : next.cls === "N" && next.text.length === 1
                  ? next.text
                  : undefined
      if (unit === undefined) return undefined
      return { chars: unit === "W" ? "W" : unit.repeat(token.value), to: at + 2, spoken: true }
    }
    case "d":
    case "t":
    case "y":
    case "z": {
      const scaled = belowHundred(all, at)
      if (scaled === undefined) return undefined
      const scale = all[scaled.to]?.cls
      if (scale === "h" || scale === "k" || scale === "l") {
        const cardinal = readCardinal(all, at)
        if (cardinal !== undefined) return { chars: String(cardinal.value), to: cardinal.to, spoken: true }
      }
      return { chars: scaled.digits, to: scaled.to, spoken: true }
    }
    case "L": {
      if (token.lower === "x" && all[at + 1]?.text === "-" && all[at + 2]?.lower === "ray") {
        return inside || nextIsSpelled(all, at + 3) ? { chars: "X", to: at + 3, spoken: true } : undefined
      }
      const next = all[readJoint(all, at + 1).to]
      // Among letters it is the letter: "d u b o i s".
      const amongLetters =
        /[A-Z]$/.test(before) && (next === undefined || next.cls === "L" || !isElementClass(next.cls))
      if (token.lower === "o" && !amongLetters && (inside || isElementClass(all[at + 1]?.cls ?? "")))
        return { chars: "0", to: at + 1, spoken: true }
      const letter = readLetter(all, at)
      if (letter === undefined) return undefined
      if (letter.to > at + 1) return letter
      // A lone "i" is a pronoun unless it stands among letters or figures.
      if (token.lower === "i" && !(inside && nextIsElement(all, letter.to))) return undefined
      return letter
    }
    case "a":
      return token.lower === "a" &&
        ((inside && nextIsElement(all, at + 1)) ||
          (readLetter(all, at)?.to ?? 0) > at + 1 ||
          startsSpelling(all, at + 1))
        ? readLetter(all, at)
        : undefined
    case "M":
    case "w": {
      if (token.cls === "M" && token.lower !== "november") return undefined
      if (token.lower === "zee" || token.lower === "zed")
        return inside ? { chars: "Z", to: at + 1, spoken: true } : undefined
      const spelled = spellingWords.get(token.lower)
      if (spelled !== undefined && (inside || nextIsSpelled(all, at + 1)))
        return { chars: spelled.toUpperCase(), to: at + 1, spoken: true }
      // "SSN 308630237", "IS 415-555-2671 OK": a word in capitals that says something is no part of the code beside it.
      if (CAPITALS.test(token.text) && !says(token.lower) && (inside || nextIsFigure(all, at + 1))) {
        return { chars: token.text, to: at + 1, spoken: false }
      }
      return undefined
    }
    default:
      return undefined
  }
}

const nextIsFigure = (all: ReadonlyArray<Token>, at: number): boolean => {
  const next = all[at]?.text === "-" || all[at]?.text === " " ? all[at + 1] : all[at]
  return next !== undefined && (next.cls === "N" || next.cls === "X")
}

const nextIsSpelled = (all: ReadonlyArray<Token>, at: number): boolean => {
  const next = all[readJoint(all, at).to]
  return next !== undefined && (next.cls === "L" || isElementClass(next.cls) || spellingWords.has(next.lower))
}

/** "a k s ...", "a dash one six": an "a" that opens a spelled code. */
const startsSpelling = (all: ReadonlyArray<Token>, at: number): boolean => {
  const { joint, to } = readJoint(all, at)
  const next = all[to]
  if (next === undefined) return false
  return next.cls === "L" ? next.lower !== "i" && nextIsElement(all, to + 1) : joint === "-" && isElementClass(next.cls)
}

const nextIsElement = (all: ReadonlyArray<Token>, at: number): boolean => {
  const next = all[readJoint(all, at).to]
  return (
    next !== undefined && (isElementClass(next.cls) || next.cls === "L" || (next.cls === "a" && next.lower === "a"))
  )
}

/** What may stand between two pieces, up to three tokens; answers the joint and where the next piece would start. */
const readJoint = (all: ReadonlyArray<Token>, at: number): { readonly joint: string; readonly to: number } => {
  let joint = ""
  let to = at
  for (let skipped = 0; skipped < 3; skipped++) {
    const token = all[to]
    if (token === undefined) break
    if (token.text === "-" || token.text === "–" || token.text === "‑" || dashWords.has(token.lower)) joint = "-"
    else if (token.text === "." || dotWords.has(token.lower)) joint = "."
    else if (token.text === "/" || slashWords.has(token.lower)) joint = "/"
    else if (token.text === "," || token.text === "…") joint = joint === "" ? "," : joint
    else if (token.text === "(" || token.text === ")") joint = joint === "" ? "(" : joint
    else if (token.text === "+") joint = "+"
    else if (token.lower === "space" || fillers.has(token.lower)) joint = joint === "" ? "," : joint
    else break
    to++
  }
  return { joint, to }
}

/** Every number and code of a text, spoken or written. Linear: each token is read as a piece at most a few times. */
export const runsOf = (tokens: Tokens): ReadonlyArray<Run> => {
  const { all } = tokens
  const runs: Array<Run> = []
  for (let at = 0; at < all.length;) {
    const cls = all[at]?.cls ?? ""
    if (!isElementClass(cls) && cls !== "L" && cls !== "w" && cls !== "a" && cls !== "M") {
      at++
      continue
    }
    const pieces: Array<Piece> = []
    const joints: Array<string> = []
    let from = at
    let joint = ""
    let end = at
    while (pieces.length < MAX_RUN_PIECES) {
      const read = readPiece(tokens, from, pieces.length > 0, pieces[pieces.length - 1]?.chars ?? "")
      if (read === undefined) break
      pieces.push({ chars: read.chars, from, to: read.to, spoken: read.spoken })
      joints.push(joint)
      end = read.to
      const between = readJoint(all, read.to)
      joint = between.joint === "" && (all[between.to]?.start ?? 0) > (all[read.to - 1]?.end ?? 0) ? " " : between.joint
      from = between.to
    }
    if (pieces.length === 0) {
      at++
      continue
    }
    const chars = pieces.map((piece) => piece.chars).join("")
    let digits = 0
    for (let i = 0; i < chars.length; i++) {
      const unit = chars.charCodeAt(i)
      if (unit >= 48 && unit <= 57) digits++
    }
    runs.push({ from: at, to: end, pieces, joints, chars, digits, spoken: pieces.some((piece) => piece.spoken) })
    at = end
  }
  return runs
}
