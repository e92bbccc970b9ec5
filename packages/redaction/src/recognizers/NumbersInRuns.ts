import { partOf, type Run } from "../SpokenNumbers.js"
import type { Candidate } from "../TextSpan.js"
import type { CallReader } from "./CallReader.js"
import { byForm, placeOf } from "./NumberForms.js"

/** Joints over which two values may be read as one run: "B 415-555-2671, 308-63-0237", but not "B-415-...". */
const loose: ReadonlySet<string> = new Set(["", " ", ",", "(", "+"])

/** Least score of a form that nothing beside it has to support: with groups, a check digit or a plus. */
const PLAIN = 0.62

/** Least score of a form that stands between other figures. */
const AMONG_FIGURES = 0.56

/** Most pieces that one number among others is given in. */
const MAX_PIECES = 5

/** Most figures of an expiry date and a security code together. */
const CARD_EXTRA = 8

/** Fewest and most figures of a value that is looked for here. */
const SHORTEST = 9
const LONGEST = 19

/** A run of several values, and what has been found in it. */
class MixedRun {
  readonly found: Array<Candidate> = []

  constructor(
    readonly reader: CallReader,
    readonly run: Run
  ) {}

  length(at: number): number {
    return this.run.pieces[at]?.chars.length ?? 0
  }

  joint(at: number): string {
    return this.run.joints[at] ?? ""
  }

  isFigure(at: number): boolean {
    return /^\d+$/.test(this.run.pieces[at]?.chars ?? "")
  }

  /** Whether a value may begin or end before a piece. */
  isFree(at: number): boolean {
    return at === 0 || at === this.run.pieces.length || loose.has(this.joint(at))
  }

  /** Adds what pieces `first` to `last` are by their form; whether they are anything. */
  take(first: number, last: number, least: number): boolean {
    const some = byForm(this.reader, partOf(this.run, first, last)).filter(
      (one) => /^(credit_card|ssn|phone_number)$/.test(one.field) && one.score >= least
    )
    this.found.push(...some)
    if (some[0]?.field === "credit_card") this.#takeBehindCard(first, last, some[0])
    return some.length > 0
  }

  /** The month, year and code that are said right behind a card's number belong to it. */
  #takeBehindCard(first: number, last: number, card: Candidate): void {
    let to = last
    let digits = 0
    while (this.isFigure(to) && (digits += this.length(to)) <= CARD_EXTRA) to++
    if (to === last || this.isFigure(to)) return
    const [, end] = placeOf(this.reader, partOf(this.run, first, to))
    this.found.push({ ...card, end, evidence: [...card.evidence, "and what is said along with it"] })
  }
}

/** Where a stretch of figures ends: at letters, a comma or a plus. */
const figuresEnd = (mixed: MixedRun, from: number): number => {
  let to = from + 1
  while (to < mixed.run.pieces.length && mixed.isFigure(to) && !/^[,+]$/.test(mixed.joint(to))) to++
  return to
}

/**
 * Whether pieces of a stretch may be a number of their own. `edge` is where the last one found ends: groups that spaces
 * part are told from their neighbors by where they stand and how long they are.
 */
const isValueShape = (mixed: MixedRun, first: number, last: number, edge: number, to: number): boolean => {
  const inner = mixed.run.joints.slice(first + 1, last)
  if (inner.every((joint) => /^[-./(]$/.test(joint))) return true
  if (mixed.length(first) === 1 && inner[0] === " " && inner.slice(1).every((joint) => /^[-.(]$/.test(joint)))
    return true
  const shape = shapeOf(mixed, first, last)
  if (!inner.every((joint) => joint === " ") || !/^(1,)?3,3,4$|^3,2,4$|^4,4,4,4$|^4,6,5$/.test(shape)) return false
  const size = last - first
  const isRepeated = shape === shapeOf(mixed, last, last + size) || shape === shapeOf(mixed, first - size, first)
  // Groups of four are told from their neighbors where one number ends and the next begins alone.
  return shape === "4,4,4,4"
    ? first === edge || (last === to && mixed.length(first - 1) !== 4)
    : first === edge || last === to || isRepeated
}

/** The lengths of pieces. */
const shapeOf = (mixed: MixedRun, first: number, last: number): string =>
  Array.from({ length: last - first }, (_, at) => mixed.length(first + at)).join(",")

const digitsIn = (mixed: MixedRun, first: number, last: number): number => {
  let digits = 0
  for (let at = first; at < last; at++) digits += mixed.length(at)
  return digits
}

/** The end of the longest number that begins at a piece of a stretch, which it adds; undefined where there is none. */
const takeFrom = (mixed: MixedRun, first: number, from: number, to: number, edge: number): number | undefined => {
  if (!mixed.isFree(first)) return undefined
  for (let last = Math.min(to, first + MAX_PIECES); last > first; last--) {
    if ((first === from && last === to) || !mixed.isFree(last)) continue
    const digits = digitsIn(mixed, first, last)
    if (digits < SHORTEST || digits > LONGEST) continue
    if (
      isValueShape(mixed, first, last, edge, to) &&
      mixed.take(first, last, last - first === 1 ? AMONG_FIGURES : PLAIN)
    )
      return last
  }
  return undefined
}

/** Numbers within a stretch of figures that spaces part from what else is in it. */
const takeWithin = (mixed: MixedRun, from: number, to: number): void => {
  let edge = from
  for (let first = from; first < to;) {
    const end = takeFrom(mixed, first, from, to, edge)
    if (end !== undefined) edge = end
    first = end ?? first + 1
  }
}

/** The lengths of cards: most have sixteen figures. */
const CARD_LENGTHS = [16, 15] as const

/** "four five five six ... oh one thirty one": a spoken card with its expiry date or code behind it, without a break. */
const spokenCard = (mixed: MixedRun): void => {
  const { run } = mixed
  for (const length of run.spoken ? CARD_LENGTHS : []) {
    let digits = 0
    let last = 0
    while (digits < length && mixed.isFigure(last)) digits += mixed.length(last++)
    if (digits === length && last < run.pieces.length && mixed.take(0, last, PLAIN)) return
  }
}

/**
 * Phone numbers, cards and social security numbers that stand in one run with letters or with other numbers ("415-555-2671
 * OK", "4111 1111 1111 1111 12/26", two numbers in a row), and are told by groups or check digits of their own.
 */
export const numbersInRun = (reader: CallReader, run: Run): ReadonlyArray<Candidate> => {
  const { length } = run.pieces
  if (run.digits < SHORTEST || length < 2) return []
  const mixed = new MixedRun(reader, run)
  if (run.digits > CARD_LENGTHS[0]) spokenCard(mixed)
  for (let from = 0; from < length;) {
    if (!mixed.isFigure(from)) {
      from++
      continue
    }
    const to = figuresEnd(mixed, from)
    const isWhole = to - from === length
    const isNextToLetters = (from > 0 && !mixed.isFigure(from - 1)) || (to < length && !mixed.isFigure(to))
    const isTaken =
      !isWhole &&
      mixed.isFree(from) &&
      mixed.isFree(to) &&
      mixed.take(from, to, isNextToLetters ? PLAIN : AMONG_FIGURES)
    if (!isTaken && to - from > 1) takeWithin(mixed, from, to)
    from = to
  }
  return mixed.found
}
