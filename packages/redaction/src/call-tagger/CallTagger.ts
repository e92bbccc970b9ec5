import { readFileSync } from "node:fs"
import type { CallText } from "../CallText.js"
import { mayBeOf } from "../dialogue/Questions.js"
import type { TurnTokens } from "../dialogue/Dialogue.js"
import { sensitiveFields } from "../SensitiveField.js"
import type { Steps } from "../Steps.js"
import { marginalsOf } from "../tagger/Chain.js"
import type { WordSets } from "../tagger/WordSets.js"
import { type Candidate, candidate } from "../TextSpan.js"
import type { Token } from "../Tokens.js"
import { CallFeatures, CODE, MAX_BACK, OWN, type StretchFeatures, type TurnContext } from "./CallFeatures.js"
import { CALL_LABELS, type CallModel, HALF, LABEL_BITS, unpackCallModel } from "./CallModel.js"

let loaded: CallModel | undefined

/** The shipped model, read and unpacked at the first use and kept. */
export const shippedCallModel = (): CallModel =>
  (loaded ??= unpackCallModel(readFileSync(new URL("../../data/calls.bin", import.meta.url))))

/** Adds the weights of rows `from` to `to` to the numbers of a token. */
const addRows = (
  { starts, weights }: CallModel,
  sums: Int32Array,
  first: number,
  rows: Int32Array,
  from: number,
  to: number
): void => {
  for (let f = from; f < to; f++) {
    const row = rows[f] ?? 0
    const end = starts[row + 1] ?? 0
    for (let at = starts[row] ?? 0; at < end; at++) {
      const one = weights[at] ?? 0
      const label = first + (one >> LABEL_BITS)
      sums[label] = (sums[label] ?? 0) + (one & LAST_BITS) - HALF
    }
  }
}

const LAST_BITS = (1 << LABEL_BITS) - 1
const NO_ROWS = new Int32Array(0)

/** The sums of the weights of a stretch's tokens, `CALL_LABELS` numbers a token, as whole numbers of the model's step. */
const sumsOf = (model: CallModel, { kinds, length, own, shared }: StretchFeatures): Int32Array => {
  const sums = new Int32Array(length * CALL_LABELS)
  const ofKind: Array<Int32Array> = []
  for (let i = 0; i < length; i++) {
    const kind = kinds[i] ?? 0
    let sum = ofKind[kind]
    if (sum === undefined) {
      const rows = shared[kind] ?? NO_ROWS
      sum = new Int32Array(CALL_LABELS)
      addRows(model, sum, 0, rows, 0, rows.length)
      ofKind[kind] = sum
    }
    sums.set(sum, i * CALL_LABELS)
    addRows(model, sums, i * CALL_LABELS, own, i * OWN, (i + 1) * OWN)
  }
  return sums
}

/** A token whose likeliest field is this much less likely than "none" is no part of a value. */
const LEAST_MARGIN = -5

/** By how much the likeliest field of a token exceeds "none", in the model's steps. */
const marginAt = (sums: Int32Array, first: number): number => {
  let best = sums[first + 1] ?? 0
  for (let label = 2; label < CALL_LABELS; label++) {
    const sum = sums[first + label] ?? 0
    if (sum > best) best = sum
  }
  return best - (sums[first] ?? 0)
}

/**
 * How likely each token of a stretch is each label; undefined where none comes near to a value. The passes of the field go
 * over tokens that may be part of one, and one to either side: what is further away is "none" for sure.
 */
const likelihoodsOf = (model: CallModel, features: StretchFeatures): Float64Array | undefined => {
  const { length } = features
  const sums = sumsOf(model, features)
  const least = LEAST_MARGIN / model.step
  let likely: Float64Array | undefined
  for (let at = 0; at < length; at++) {
    if (marginAt(sums, at * CALL_LABELS) < least) continue
    let end = at + 1
    while (end < length && marginAt(sums, end * CALL_LABELS) >= least) end++
    const from = Math.max(0, at - 1)
    const to = Math.min(length, end + 1)
    const scores = new Float64Array((to - from) * CALL_LABELS)
    for (let n = 0; n < scores.length; n++) scores[n] = (sums[from * CALL_LABELS + n] ?? 0) * model.step
    const here = marginalsOf(scores, model.transitions, CALL_LABELS)
    likely ??= nothingLikely(length)
    likely.set(here.subarray((at - from) * CALL_LABELS, (end - from) * CALL_LABELS), at * CALL_LABELS)
    at = end
  }
  return likely
}

const nothingLikely = (length: number): Float64Array => {
  const likely = new Float64Array(length * CALL_LABELS)
  for (let at = 0; at < likely.length; at += CALL_LABELS) likely[at] = 1
  return likely
}

/** How likely a token must be part of a value, and how likely a field is before a value counts for it as well. */
export interface CallThresholds {
  readonly value: number
  readonly also: number
}
export const callThresholds: CallThresholds = { value: 0.3, also: 0.02 }

/** Most tokens that are tagged together; a longer turn is tagged in pieces. */
const MAX_STRETCH = 400
/** How many tokens are tagged in one step. */
const STEP = 2048
/** How likely a value has to be in answer to a question that asks for none. */
const LEAST_UNASKED = 0.6
/** How likely a question asks for nothing for it to count as one that does. */
const SURE_NOTHING = 0.7
/** Characters of a stretch and of what was said before it up to which it is kept for a second reading. */
const MAX_KEPT = 4000

/** What the tagger of calls makes of a call. */
export interface CallReadings {
  readonly candidates: ReadonlyArray<Candidate>
  /** How likely each token is part of a value; NaN where it was not read. */
  readonly values: Float64Array
}

/** What is read in a stretch: how likely each token is part of a value, and what is claimed, in tokens from its beginning. */
interface StretchReading {
  readonly values: Float64Array
  readonly claims: ReadonlyArray<Claim>
}

/** What was read in stretches, by their text and what was said before. */
export type KnownReadings = Map<string, StretchReading>

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
  model: CallModel,
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
    if (turn - redacted <= MAX_BACK) continue
    const context = features.contextOf(turn)
    const asksElse = unaskedIn(features, turn, context)
    for (let first = from; first < to; first += MAX_STRETCH) {
      const last = Math.min(to, first + MAX_STRETCH)
      read += last - first
      if (read > STEP) {
        yield
        read = 0
      }
      const stretch = keptFor(seen, keyOf(call, context, first, last), () =>
        readingOf(likelihoodsOf(model, features.of(context, first, last)), last - first, thresholds.value)
      )
      values.set(stretch.values, first)
      for (const one of stretch.claims) {
        const claim = { ...one, from: first + one.from, to: first + one.to }
        if (!asksElse(claim)) candidates.push(...valuesOf(call, claim, thresholds))
      }
    }
  }
  return { candidates, values }
}

/** Whether a claim of a turn answers a question that asks for nothing of a person, or reads such an answer back. */
const unaskedIn = (features: CallFeatures, turn: number, context: TurnContext): ((claim: Claim) => boolean) => {
  const asking = turn - context.distance
  if (asking === turn) return () => false
  // Questions may be long, and are looked at once a turn at most.
  const isAboutThing = once(() => features.isAboutThing(asking))
  const wasAboutThing = once(() => features.isAboutThing(turn - 2))
  const asksNothing = once(() => features.nothingAsked(asking) > SURE_NOTHING)
  return (claim) => {
    const isOfThing = (): boolean => isAboutThing() || (features.repeats(context, claim) && wasAboutThing())
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

const keyOf = (call: CallText, context: TurnContext, from: number, to: number): string | undefined => {
  const { asking, before, distance, isAgent, previousWords } = context
  const text = call.text.slice(call.tokens.all[from]?.start, call.tokens.all[to - 1]?.end)
  if (text.length + previousWords.size > MAX_KEPT) return undefined
  return `${isAgent ? "A" : "C"}${distance} ${asking.join()} ${before.join()} ${[...previousWords].join()} ${text}`
}

const keptFor = (seen: KnownReadings, key: string | undefined, read: () => StretchReading): StretchReading => {
  const known = key === undefined ? undefined : seen.get(key)
  if (known !== undefined) return known
  const reading = read()
  if (key !== undefined) seen.set(key, reading)
  return reading
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

/** What is read in a stretch by how likely its tokens are each label. */
const readingOf = (likely: Float64Array | undefined, length: number, least: number): StretchReading => {
  const values = new Float64Array(length)
  const claims: Array<Claim> = []
  if (likely === undefined) return { values, claims }
  let open: Claim | undefined
  for (let at = 0; at < length; at++) {
    const first = at * CALL_LABELS
    const value = 1 - (likely[first] ?? 1)
    values[at] = value
    if (value < least) {
      open = undefined
      continue
    }
    const label = likeliest(likely, first)
    if (open?.label !== label) {
      open = { label, from: at, to: at, shares: new Float64Array(CALL_LABELS) }
      claims.push(open)
    }
    open.to = at + 1
    for (let other = 0; other < CALL_LABELS; other++)
      open.shares[other] = (open.shares[other] ?? 0) + (likely[first + other] ?? 0)
  }
  return { values, claims }
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
/** The score of a field that is likely enough to count beside what a rule says. */
export const SURE_ALSO = scoreOf(0.05)

/** Whether a claim is of figures and letters alone. */
const isCode = ({ tokens: { all } }: CallText, { from, to }: Claim): boolean =>
  all.slice(from, to).every(({ cls, text }) => CODE.test(cls) || MARK.test(text))

/** The letters and figures that tokens say. */
const codeOf = (tokens: ReadonlyArray<Token>): string =>
  tokens.map(({ cls, text }) => (cls === "N" || cls === "X" || cls === "L" ? text : CODE.test(cls) ? "0" : "")).join("")

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
