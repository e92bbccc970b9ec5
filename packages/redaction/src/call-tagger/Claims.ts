import type { CallText } from "../CallText.js"
import { mayBeOf } from "../dialogue/Questions.js"
import { wordSet } from "../Lexicon.js"
import { sensitiveFields } from "../SensitiveField.js"
import { type Candidate, candidate } from "../TextSpan.js"
import type { Token } from "../Tokens.js"
import { CALL_LABELS } from "./CallModel.js"
import { MOST_LABELS } from "./Network.js"

/**
 * How likely a token must be part of a value; how likely one beside such a token must be to be part of it too; and how likely a field
 * is before a value counts for it as well.
 */
export interface CallThresholds {
  readonly value: number
  readonly adjacent: number
  readonly also: number
}
export const callThresholds: CallThresholds = { value: 0.2, adjacent: 0.05, also: 0.01 }

/** Adjacent tokens of one field. */
export interface Claim {
  readonly label: number
  readonly from: number
  readonly to: number
  /** Each token's shares of the labels. */
  readonly shares: ReadonlyArray<Float64Array>
}

/** By how much "none" exceeds the likeliest field where a token is none for sure, whose share is not worked out. */
const SURE_NONE = 9

/** How likely a token is each label, by its scores; nothing where it is none for sure. */
const sharesOf = (scores: Float32Array, first: number): Float64Array | undefined => {
  let top = -Infinity
  for (let label = 1; label < CALL_LABELS; label++) top = Math.max(top, scores[first + label] ?? 0)
  const none = scores[first] ?? 0
  if (top < none - SURE_NONE) return undefined
  const most = Math.max(top, none)
  const shares = new Float64Array(CALL_LABELS)
  let sum = 0
  for (let label = 0; label < CALL_LABELS; label++) {
    const share = Math.exp((scores[first + label] ?? 0) - most)
    shares[label] = share
    sum += share
  }
  for (let label = 0; label < CALL_LABELS; label++) shares[label] = (shares[label] ?? 0) / sum
  return shares
}

/** How likely a token is part of a value of any field. */
const valueShareOf = (shares: Float64Array): number => 1 - (shares[0] ?? 1)

const likeliest = (shares: Float64Array): number => {
  let label = 1
  for (let other = 2; other < CALL_LABELS; other++) if ((shares[other] ?? 0) > (shares[label] ?? 0)) label = other
  return label
}

/**
 * The claims of tokens `from` to `to`, whose scores begin with row `row`. How likely each is part of a value is written to `values`,
 * which begins with the first.
 */
export const claimsIn = (
  scores: Float32Array,
  row: number,
  from: number,
  to: number,
  values: Float64Array,
  thresholds: CallThresholds
): ReadonlyArray<Claim> => {
  const claims: Array<Claim> = []
  let open: Array<Float64Array> = []
  const close = (end: number): void => {
    claims.push(...claimsOf(open, end - open.length, thresholds.value))
    open = []
  }
  for (let at = from; at < to; at++) {
    const shares = sharesOf(scores, (row + at - from) * MOST_LABELS)
    const value = shares === undefined ? 0 : valueShareOf(shares)
    values[at - from] = value
    if (shares !== undefined && value >= thresholds.adjacent) open.push(shares)
    else close(at)
  }
  close(to)
  return claims
}

/** What a change of label between adjacent tokens subtracts from the sum of shares. */
const TRANSITION_PENALTY = 0.6

/** The labels of tokens in a row with the greatest sum of shares, less the transition penalties (Viterbi's algorithm). */
const labelsOf = (tokens: ReadonlyArray<Float64Array>): ReadonlyArray<number> => {
  // By token and label, the label of the token before it on the best path; and the sum of the best path to each label.
  const backpointers: Array<Uint8Array> = []
  let sums = new Float64Array(CALL_LABELS)
  let best = 0
  for (const shares of tokens) {
    const pointers = new Uint8Array(CALL_LABELS)
    const next = new Float64Array(CALL_LABELS)
    const changed = (sums[best] ?? 0) - TRANSITION_PENALTY
    for (let label = 1; label < CALL_LABELS; label++) {
      const stays = (sums[label] ?? 0) >= changed
      pointers[label] = stays ? label : best
      next[label] = (stays ? (sums[label] ?? 0) : changed) + (shares[label] ?? 0)
    }
    backpointers.push(pointers)
    sums = next
    best = likeliest(sums)
  }
  const labels: Array<number> = []
  for (let at = tokens.length - 1, label = best; at >= 0; at--) {
    labels[at] = label
    label = backpointers[at]?.[label] ?? 0
  }
  return labels
}

/** The claims of tokens in a row, the first of which is `from`; none where no token is as likely as `least`. */
const claimsOf = (tokens: ReadonlyArray<Float64Array>, from: number, least: number): ReadonlyArray<Claim> => {
  if (!tokens.some((shares) => valueShareOf(shares) >= least)) return []
  const claims: Array<Claim> = []
  let begin = 0
  const labels = labelsOf(tokens)
  labels.forEach((label, at) => {
    if (label === labels[at + 1]) return
    claims.push({ label, from: from + begin, to: from + at + 1, shares: tokens.slice(begin, at + 1) })
    begin = at + 1
  })
  return claims
}

/** How likely the tokens of a claim are a label; those that are likelier part of a value count for more. */
const meanOf = ({ shares }: Claim, label: number): number => {
  let sum = 0
  let weights = 0
  for (const one of shares) {
    const weight = valueShareOf(one)
    sum += weight * (one[label] ?? 0)
    weights += weight
  }
  return sum / weights
}

/** How likely a claim is a value. */
const shareOf = (claim: Claim): number => 1 - meanOf(claim, 0)

/** Fewest figures and letters of a number that is one by itself. */
const WHOLE_NUMBER = 7

/** A claim of two values, one of which is a number, is one of each: "308 63 0237 and august fourth". */
export const splitClaim = (call: CallText, claim: Claim): ReadonlyArray<Claim> => {
  const { all } = call.tokens
  const parts: Array<Claim> = []
  let from = claim.from
  for (let at = claim.from; at <= claim.to; at++) {
    if (at < claim.to && all[at]?.cls !== "&") continue
    if (at > from)
      parts.push({ ...claim, from, to: at, shares: claim.shares.slice(from - claim.from, at - claim.from) })
    from = at + 1
  }
  const isNumber = (part: Claim): boolean =>
    isCode(call, part) && codeOf(all.slice(part.from, part.to)).length >= WHOLE_NUMBER
  return parts.some(isNumber) ? parts : [claim]
}

const MARK = /^[^\p{L}\p{N}$€£₹#+]+$/u
/** Classes of everyday expressions alone: "next Tuesday", "this evening". */
const EVERYDAY = /^[WRube]$/
/** What the score of a value is between, by how likely it is one: below what most rules say of theirs. */
const LEAST_SCORE = 0.5
const MOST_SCORE = 0.59
const scoreOf = (share: number): number => LEAST_SCORE + share * (MOST_SCORE - LEAST_SCORE)

/** The score of what is likelier a value than not. */
export const SURE_VALUE = scoreOf(0.6)
/** The score of a field that is likely enough to count beside another one that a form tells or a question names. */
export const LIKELY = scoreOf(0.15)
/** The score of a field that is likely enough to count beside another one that only the context tells. */
export const POSSIBLE = scoreOf(0.02)

/** Classes of figures and letters. */
const CODE: ReadonlySet<string> = new Set("dtyzNXxoL")

/** Whether a claim is of figures and letters alone. */
export const isCode = ({ tokens: { all } }: CallText, { from, to }: Claim): boolean =>
  all.slice(from, to).every(({ cls, text }) => CODE.has(cls) || MARK.test(text))

/** The letters and figures that tokens say. */
const codeOf = (tokens: ReadonlyArray<Token>): string =>
  tokens.map(({ cls, text }) => (cls === "N" || cls === "X" || cls === "L" ? text : CODE.has(cls) ? "0" : "")).join("")

/** Whom an answer names that names nobody. */
const NOBODY = /^(?:no|any|some|every)(?:body|[ -]?one)(?:'s)?$/i

/**
 * Words that are removed from the ends of a value unless they are likely: the rest of the call is searched for it without them.
 * `functionWords` of the lexicon also has words that values begin and end with: "new", "street", "two".
 */
const EDGE_WORDS = wordSet("and or to at on in for of from by with before after my our your me is was be do have had")

/** The tokens of a claim without marks and unlikely edge words at either end. */
const valueIn = (
  all: ReadonlyArray<Token>,
  { from, shares, to }: Claim,
  { value }: CallThresholds
): ReadonlyArray<Token> => {
  const isRemoved = (at: number): boolean => {
    const { lower = "", text = "" } = all[at] ?? {}
    const own = shares[at - from]
    return MARK.test(text) || (EDGE_WORDS.has(lower) && own !== undefined && valueShareOf(own) < value)
  }
  let first = from
  let last = to
  while (first < last && isRemoved(first)) first++
  while (last > first && isRemoved(last - 1)) last--
  return all.slice(first, last)
}

/** What a figure before it asks to wait for: "one second". */
const WAITING = wordSet("second seconds sec secs minute minutes min mins moment")

/** Whether a claim is of a part of such a request. */
const isRequestToWait = (call: CallText, { from, to }: Claim, tokens: ReadonlyArray<Token>): boolean => {
  const { all } = call.tokens
  if (tokens.length > 2) return false
  if (WAITING.has(tokens[tokens.length - 1]?.lower ?? "")) return CODE.has(all[to - 2]?.cls ?? "")
  return tokens.length === 1 && CODE.has(all[from]?.cls ?? "") && WAITING.has(all[to]?.lower ?? "")
}

/** Fewest figures and letters of a code that is no part of a longer value. */
const WHOLE_CODE = 9

/** How likely a field needs to be for a code that is shorter than its values to count as a part of one. */
const PART = 0.1

/** What a claim is found as: a value of its label's field, and of every other field that is likely enough. */
export const valuesOf = (call: CallText, claim: Claim, thresholds: CallThresholds): ReadonlyArray<Candidate> => {
  const tokens = valueIn(call.tokens.all, claim, thresholds)
  const start = tokens[0]?.start ?? 0
  const end = tokens[tokens.length - 1]?.end ?? 0
  if (end === start || NOBODY.test(call.text.slice(start, end))) return []
  if (isRequestToWait(call, claim, tokens)) return []
  const share = shareOf(claim)
  const isEveryday = tokens.every(({ cls }) => EVERYDAY.test(cls))
  const code = isCode(call, claim) ? codeOf(tokens) : undefined
  return sensitiveFields.flatMap((field, at): ReadonlyArray<Candidate> => {
    const isFirst = at + 1 === claim.label
    const own = isFirst ? share : meanOf(claim, at + 1)
    if (!isFirst && own < thresholds.also) return []
    const isPossible = code === undefined || mayBeOf(field, code)
    if (!isPossible && (code.length >= WHOLE_CODE || (!isFirst && own < PART))) return []
    const one = candidate(field, start, end, scoreOf(own), `call tagger ${share.toFixed(2)}`)
    return [{ ...one, ...(isEveryday && { everyday: true }), ...(!isFirst && { isAlso: true }) }]
  })
}
