/** The forward and backward passes of a linear-chain conditional random field, in numbers of `labels` a token. */

/** Transitions from a label to the next, as factors; all others have factor 1. */
export interface Transitions {
  readonly from: Uint8Array
  readonly to: Uint8Array
  readonly factors: Float64Array
}

/** The scores of each token as factors, the largest of which is 1. */
const factorsOf = (scores: Float64Array, labels: number): Float64Array => {
  const emit = new Float64Array(scores.length)
  for (let at = 0; at < scores.length; at += labels) {
    let top = -Infinity
    for (let label = at; label < at + labels; label++) top = Math.max(top, scores[label] ?? 0)
    for (let label = at; label < at + labels; label++) emit[label] = Math.exp((scores[label] ?? 0) - top)
  }
  return emit
}

/** Divides the numbers of one token by their sum. */
const normalize = (numbers: Float64Array, at: number, labels: number): void => {
  let sum = 0
  for (let label = at; label < at + labels; label++) sum += numbers[label] ?? 0
  for (let label = at; label < at + labels; label++) numbers[label] = (numbers[label] ?? 0) / sum
}

/**
 * Adds up, for each label, the numbers of the labels that a transition leads from, or to, times its factor. Factors of 1 are
 * added once for all labels.
 */
const reached = (
  out: Float64Array,
  numbers: Float64Array,
  at: number,
  starts: Uint8Array,
  ends: Uint8Array,
  factors: Float64Array
): void => {
  const labels = out.length
  let all = 0
  for (let label = at; label < at + labels; label++) all += numbers[label] ?? 0
  out.fill(all)
  for (let one = 0; one < factors.length; one++) {
    const end = ends[one] ?? 0
    out[end] = (out[end] ?? 0) + (numbers[at + (starts[one] ?? 0)] ?? 0) * ((factors[one] ?? 0) - 1)
  }
}

const forwardPass = (emit: Float64Array, { factors, from, to }: Transitions, labels: number): Float64Array => {
  const forward = emit.slice()
  const reach = new Float64Array(labels)
  normalize(forward, 0, labels)
  for (let at = labels; at < emit.length; at += labels) {
    reached(reach, forward, at - labels, from, to, factors)
    for (let label = 0; label < labels; label++) forward[at + label] = (reach[label] ?? 0) * (emit[at + label] ?? 0)
    normalize(forward, at, labels)
  }
  return forward
}

/** Adds how likely each transition is between the token before `at` and the one there; `next` is of the latter. */
const addPairs = (
  pairs: Float64Array,
  forward: Float64Array,
  next: Float64Array,
  reach: Float64Array,
  { factors, from, to }: Transitions,
  at: number
): void => {
  const labels = next.length
  let all = 0
  for (let label = 0; label < labels; label++) all += (forward[at - labels + label] ?? 0) * (reach[label] ?? 0)
  for (let one = 0; one < factors.length; one++) {
    const before = forward[at - labels + (from[one] ?? 0)] ?? 0
    pairs[one] = (pairs[one] ?? 0) + (before * (factors[one] ?? 0) * (next[to[one] ?? 0] ?? 0)) / all
  }
}

/**
 * How likely each token is each label, which sum to 1 a token, by its scores and the transitions. How often each transition is
 * expected is added to `pairs`.
 */
export const marginalsOf = (
  scores: Float64Array,
  transitions: Transitions,
  labels: number,
  pairs?: Float64Array
): Float64Array => {
  const emit = factorsOf(scores, labels)
  const forward = forwardPass(emit, transitions, labels)
  const out = pairs === undefined ? forward : forward.slice()
  const backward = new Float64Array(labels).fill(1)
  const next = new Float64Array(labels)
  for (let at = out.length - labels; at >= 0; at -= labels) {
    for (let label = 0; label < labels; label++) {
      out[at + label] = (out[at + label] ?? 0) * (backward[label] ?? 0)
      next[label] = (emit[at + label] ?? 0) * (backward[label] ?? 0)
    }
    normalize(out, at, labels)
    if (at === 0) break
    reached(backward, next, 0, transitions.to, transitions.from, transitions.factors)
    if (pairs !== undefined) addPairs(pairs, forward, next, backward, transitions, at)
    normalize(backward, 0, labels)
  }
  return out
}
