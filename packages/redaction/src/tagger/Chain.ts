/** The forward and backward passes of a linear-chain conditional random field, in numbers of `labels` a token. */

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

const forwardPass = (emit: Float64Array, step: Float64Array, labels: number): Float64Array => {
  const forward = new Float64Array(emit.length)
  for (let at = 0; at < emit.length; at += labels) {
    for (let label = 0; label < labels; label++) {
      let reach = at === 0 ? 1 : 0
      for (let from = 0; at > 0 && from < labels; from++)
        reach += (forward[at - labels + from] ?? 0) * (step[from * labels + label] ?? 0)
      forward[at + label] = reach * (emit[at + label] ?? 0)
    }
    normalize(forward, at, labels)
  }
  return forward
}

/** Replaces the backward factors of the token at `at` by those of the one before; `before` is room to work in. */
const stepBack = (
  backward: Float64Array,
  before: Float64Array,
  emit: Float64Array,
  step: Float64Array,
  at: number
): void => {
  const labels = backward.length
  for (let from = 0; from < labels; from++) {
    let value = 0
    for (let label = 0; label < labels; label++)
      value += (step[from * labels + label] ?? 0) * (emit[at + label] ?? 0) * (backward[label] ?? 0)
    before[from] = value
  }
  normalize(before, 0, labels)
  backward.set(before)
}

/** Adds how likely each pair of labels is at a token and the one before it. */
const addPairs = (
  pairs: Float64Array,
  { backward, emit, forward, step }: Record<"backward" | "emit" | "forward" | "step", Float64Array>,
  at: number
): void => {
  const labels = backward.length
  const here = new Float64Array(labels * labels)
  let all = 0
  for (let from = 0; from < labels; from++) {
    for (let label = 0; label < labels; label++) {
      const value =
        (forward[at - labels + from] ?? 0) *
        (step[from * labels + label] ?? 0) *
        (emit[at + label] ?? 0) *
        (backward[label] ?? 0)
      here[from * labels + label] = value
      all += value
    }
  }
  for (let index = 0; index < here.length; index++) pairs[index] = (pairs[index] ?? 0) + (here[index] ?? 0) / all
}

/**
 * How likely each token is each label, which sum to 1 a token, by its scores and the factors `step` from a label to the
 * next. How often each pair of labels is expected is added to `pairs`.
 */
export const marginalsOf = (
  scores: Float64Array,
  step: Float64Array,
  labels: number,
  pairs?: Float64Array
): Float64Array => {
  const emit = factorsOf(scores, labels)
  const forward = forwardPass(emit, step, labels)
  const out = pairs === undefined ? forward : forward.slice()
  const backward = new Float64Array(labels).fill(1)
  const before = new Float64Array(labels)
  for (let at = out.length - labels; at >= 0; at -= labels) {
    for (let label = 0; label < labels; label++) out[at + label] = (out[at + label] ?? 0) * (backward[label] ?? 0)
    normalize(out, at, labels)
    if (pairs !== undefined && at > 0) addPairs(pairs, { backward, emit, forward, step }, at)
    stepBack(backward, before, emit, step, at)
  }
  return out
}
