import { readFileSync } from "node:fs"
import type { CallText } from "../CallText.js"
import { mayBeOf } from "../dialogue/Questions.js"
import type { TurnTokens } from "../dialogue/Dialogue.js"
import { sensitiveFields } from "../SensitiveField.js"
import type { Steps } from "../Steps.js"
import { type ChainModel, ChainSums, type LikelyRun, likelyRuns } from "../tagger/ChainModel.js"
import type { WordSets } from "../tagger/WordSets.js"
import { type Candidate, candidate } from "../TextSpan.js"
import type { Token } from "../Tokens.js"
import { CallFeatures, CODE, MAX_BACK, OWN, type StretchFeatures, type TurnContext } from "./CallFeatures.js"
import { CALL_LABELS, unpackCallModel } from "./CallModel.js"

let loaded: ChainModel | undefined

/** The shipped model, read and unpacked at the first use and kept. */
export const shippedCallModel = (): ChainModel =>
  (loaded ??= unpackCallModel(readFileSync(new URL("../../data/calls.bin", import.meta.url))))

const NO_ROWS = new Int32Array(0)

/** How likely tokens of a stretch are each label, where they may be part of a value. */
const likelyIn = (model: ChainModel, { kinds, length, own, shared }: StretchFeatures): ReadonlyArray<LikelyRun> => {
  const sums = new ChainSums(model, length)
  const ofKind: Array<ChainSums> = []
  for (let i = 0; i < length; i++) {
    const kind = kinds[i] ?? 0
    let sum = ofKind[kind]
    if (sum === undefined) {
      sum = new ChainSums(model, 1)
      sum.add(0, shared[kind] ?? NO_ROWS)
      ofKind[kind] = sum
    }
    sums.copy(i, sum)
    sums.add(i, own, i * OWN, (i + 1) * OWN)
  }
  return likelyRuns(sums)
}

/** How likely a token must be part of a value, and how likely a field is before a value counts for it as well. */
export interface CallThresholds {
  readonly value: number
  readonly also: number
}
export const callThresholds: CallThresholds = { value: 0.2, also: 0.01 }

/** Most tokens that are tagged together; a longer turn is tagged in pieces. */
const MAX_STRETCH = 400
/** How many tokens are tagged in one step. */
const STEP = 2048
/** How likely a value has to be in answer to a question that asks for none. */
const LEAST_UNASKED = 0.6
/** How likely a question asks for nothing for it to count as one that does. */
const SURE_NOTHING = 0.7

/** What stands for how likely a token is where its turn is not read because of placeholders. */
export const UNREAD = -1

/** What the tagger of calls makes of a call. */
export interface CallReadings {
  readonly candidates: ReadonlyArray<Candidate>
  /** How likely each token is part of a value; NaN in calls that are not read, and `UNREAD` in turns near placeholders. */
  readonly values: Float64Array
}

/** Readings by turn. A turn is read only where no placeholder is near, so its reading does not change when the call is read again. */
export type KnownReadings = Map<number, CallReadings>

/** Whether two sides speak; the tagger knows nothing but conversations. */
const isConversation = ({ tokens, turns }: CallText): boolean =>
  tokens.isForeign !== true &&
  turns.some(({ apart, speaker }) => !apart && !(turns[0]?.apart ?? true) && speaker !== turns[0]?.speaker)

/**
 * Values of a conversation in English by the statistical tagger of calls, which is fitted with what was said before each
 * turn. `turns` are the tokens of each turn; `seen` keeps what was read for another reading of the call.
 *
 * A turn is not read where it or what it is read with has placeholders: it was read before they were written, and would be
 * read differently now. So a redacted call stays as it is, and a value is found whatever else is asked for.
 */
export function* readingValues(
  call: CallText,
  turns: ReadonlyArray<TurnTokens>,
  sets: WordSets,
  model: ChainModel,
  thresholds: CallThresholds,
  seen: KnownReadings
): Steps<CallReadings> {
  const { all } = call.tokens
  const values = new Float64Array(all.length).fill(Number.NaN)
  const candidates: Array<Candidate> = []
  if (!isConversation(call)) return { candidates, values }
  const features = new CallFeatures(call, turns, sets)
  let read = 0
  let redacted = -Infinity
  for (const [turn, { from, to }] of turns.entries()) {
    if (to <= from || call.turns[turn]?.apart === true) continue
    if (hasPlaceholder(call, from, to)) redacted = turn
    if (turn - redacted <= MAX_BACK) {
      values.fill(UNREAD, from, to)
      continue
    }
    let reading = seen.get(turn)
    if (reading === undefined) {
      read += to - from
      if (read > STEP) {
        yield
        read = 0
      }
      reading = yield* readingTurn(features, turn, model, thresholds)
      seen.set(turn, reading)
    }
    values.set(reading.values, from)
    candidates.push(...reading.candidates)
  }
  return { candidates, values }
}

/** What is read in a turn. */
function* readingTurn(
  features: CallFeatures,
  turn: number,
  model: ChainModel,
  thresholds: CallThresholds
): Steps<CallReadings> {
  const { from, to } = features.turns[turn] ?? { from: 0, to: 0 }
  const values = new Float64Array(to - from)
  const candidates: Array<Candidate> = []
  const context = features.contextOf(turn)
  const isSuppressed = suppressionOf(features, turn, context)
  for (let first = from; first < to; first += MAX_STRETCH) {
    if (first > from) yield
    const last = Math.min(to, first + MAX_STRETCH)
    for (const run of likelyIn(model, features.of(context, first, last))) {
      for (const claim of claimsIn(run, first, values.subarray(first - from), thresholds.value))
        if (!isSuppressed(claim)) candidates.push(...valuesOf(features.call, claim, thresholds))
    }
  }
  return { candidates, values }
}

/** Whether a claim of a turn answers a question that asks for nothing of a person, or reads such an answer back. */
const suppressionOf = (features: CallFeatures, turn: number, context: TurnContext): ((claim: Claim) => boolean) => {
  const asking = turn - context.distance
  if (asking === turn) return () => false
  // Questions may be long, and are looked at once a turn at most.
  const isAboutThing = once(() => features.isAboutThing(asking))
  const asksNothing = once(() => features.nothingAsked(asking) > SURE_NOTHING)
  // What was asked for before the turn that is read back or said again.
  const wasOfThing = once(() => features.isAboutThing(turn - 2) || features.nothingAsked(turn - 2) > SURE_NOTHING)
  return (claim) => {
    const isOfThing = (): boolean => isAboutThing() || (features.repeats(context, claim) && wasOfThing())
    return (isCode(features.call, claim) && isOfThing()) || (shareOf(claim) < LEAST_UNASKED && asksNothing())
  }
}

const once = (decide: () => boolean): (() => boolean) => {
  let decided: boolean | undefined
  return () => (decided ??= decide())
}

const hasPlaceholder = ({ tokens: { all } }: CallText, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) if (all[at]?.cls === "P") return true
  return false
}

/** Adjacent tokens that are likeliest of one field. */
interface Claim {
  readonly label: number
  readonly from: number
  to: number
  /** The tokens' shares of each label, added up. */
  readonly shares: Float64Array
}

const likeliest = (likely: Float64Array, first: number): number => {
  let label = 1
  for (let other = 2; other < CALL_LABELS; other++)
    if ((likely[first + other] ?? 0) > (likely[first + label] ?? 0)) label = other
  return label
}

/**
 * The claims of a run of a stretch that begins at token `start`. How likely the tokens of the run are part of a value is written
 * to `values`, which begins where the stretch does.
 */
const claimsIn = (
  { from, likely, to }: LikelyRun,
  start: number,
  values: Float64Array,
  least: number
): ReadonlyArray<Claim> => {
  const claims: Array<Claim> = []
  let open: Claim | undefined
  for (let at = from; at < to; at++) {
    const first = (at - from) * CALL_LABELS
    const value = 1 - (likely[first] ?? 1)
    values[at] = value
    if (value < least) {
      open = undefined
      continue
    }
    const label = likeliest(likely, first)
    if (open?.label !== label) {
      open = { label, from: start + at, to: start + at, shares: new Float64Array(CALL_LABELS) }
      claims.push(open)
    }
    open.to = start + at + 1
    for (let other = 0; other < CALL_LABELS; other++)
      open.shares[other] = (open.shares[other] ?? 0) + (likely[first + other] ?? 0)
  }
  return claims
}

/** How likely a claim is a value. */
const shareOf = ({ from, shares, to }: Claim): number => 1 - (shares[0] ?? 0) / (to - from)

const MARK = /^[^\p{L}\p{N}$€£₹#+]+$/u
/** Classes of everyday expressions alone: "next Tuesday", "this evening". */
const EVERYDAY = /^[WRube]$/
/** What the score of a value is between, by how likely it is one: below what most rules say of theirs. */
const LEAST_SCORE = 0.5
const MOST_SCORE = 0.59
const scoreOf = (share: number): number => LEAST_SCORE + share * (MOST_SCORE - LEAST_SCORE)

/** The score of what is likelier a value than not. */
export const SURE_VALUE = scoreOf(0.6)
/** The scores of a field that is likely enough to count beside what a question, and beside what a form or a list, says. */
export const MIN_AFTER_QUESTION = scoreOf(0.05)
export const MIN_WITH_FORM = scoreOf(0.2)

/** Whether a claim is of figures and letters alone. */
const isCode = ({ tokens: { all } }: CallText, { from, to }: Claim): boolean =>
  all.slice(from, to).every(({ cls, text }) => CODE.has(cls) || MARK.test(text))

/** The letters and figures that tokens say. */
const codeOf = (tokens: ReadonlyArray<Token>): string =>
  tokens.map(({ cls, text }) => (cls === "N" || cls === "X" || cls === "L" ? text : CODE.has(cls) ? "0" : "")).join("")

/** Whom an answer names that names nobody. */
const NOBODY = /^(?:no|any|some|every)(?:body|[ -]?one)(?:'s)?$/i

/** The tokens of a claim without marks at either end. */
const valueIn = (all: ReadonlyArray<Token>, { from, to }: Claim): ReadonlyArray<Token> => {
  let first = from
  let last = to
  while (first < last && MARK.test(all[first]?.text ?? "")) first++
  while (last > first && MARK.test(all[last - 1]?.text ?? "")) last--
  return all.slice(first, last)
}

const valuesOf = (call: CallText, claim: Claim, { also }: CallThresholds): ReadonlyArray<Candidate> => {
  const tokens = valueIn(call.tokens.all, claim)
  const start = tokens[0]?.start ?? 0
  const end = tokens[tokens.length - 1]?.end ?? 0
  if (end === start || NOBODY.test(call.text.slice(start, end))) return []
  const share = shareOf(claim)
  const isEveryday = tokens.every(({ cls }) => EVERYDAY.test(cls))
  const code = isCode(call, claim) ? codeOf(tokens) : undefined
  const count = claim.to - claim.from
  return sensitiveFields.flatMap((field, at): ReadonlyArray<Candidate> => {
    const isFirst = at + 1 === claim.label
    const own = isFirst ? share : (claim.shares[at + 1] ?? 0) / count
    if (!isFirst && (own < also || (code !== undefined && !mayBeOf(field, code)))) return []
    const one = candidate(field, start, end, scoreOf(own), `call tagger ${share.toFixed(2)}`)
    return [{ ...one, ...(isEveryday && { everyday: true }), ...(!isFirst && { isAlso: true }) }]
  })
}
