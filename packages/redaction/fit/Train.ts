import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import type { Example } from "./Examples.js"

const { BUCKETS, FEATURES, featuresOf, LABELS, quantize: quantise, taggerLabels } = Redaction.Tagger

export interface TrainOptions {
  readonly epochs: number
  readonly rate: number
  /** Share of a token's features left out at each visit, so that no single one is relied on. */
  readonly dropout: number
  /** Weights smaller than this are dropped at the end, which keeps the model small. */
  readonly prune: number
  readonly l2: number
  readonly seed: number
}

interface Prepared {
  readonly rows: Int32Array
  readonly gold: Uint8Array
}

const prepare = (example: Example, sets: Redaction.Tagger.WordSets): Prepared | undefined => {
  const tokens = Redaction.tokenize(Redaction.hidePlaceholders(example.text))
  const length = tokens.all.length
  if (length === 0) return undefined
  const gold = new Uint8Array(length)
  for (const one of example.labels) {
    const label = taggerLabels.findIndex((known) => known === one.label)
    tokens.all.forEach((token, at) => {
      if (token.start < one.end && token.end > one.start) gold[at] = label
    })
  }
  return { rows: featuresOf(tokens, 0, length, sets), gold }
}

/** Numbers that are fitted by Adagrad, with the sums of their squared gradients. */
interface Parameters {
  readonly values: Float32Array
  readonly squares: Float32Array
}

const parametersOf = (length: number): Parameters => ({
  values: new Float32Array(length),
  squares: new Float32Array(length)
})

const descend = (
  { squares, values }: Parameters,
  index: number,
  gradient: number,
  { l2, rate }: TrainOptions
): void => {
  const full = gradient + l2 * (values[index] ?? 0)
  const square = (squares[index] ?? 0) + full * full
  squares[index] = square
  values[index] = (values[index] ?? 0) - (rate * full) / Math.sqrt(square + 1e-3)
}

const add = (array: Float64Array, index: number, value: number): void => {
  array[index] = (array[index] ?? 0) + value
}

export const shuffle = (order: Array<number>, random: ReturnType<typeof RedactionKit.randomOf>): void => {
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.int(0, i)
    const swap = order[i] ?? 0
    order[i] = order[j] ?? 0
    order[j] = swap
  }
}

/** Sums of the features' weights, by token and label. Features left out are -1. */
const scoresOf = (rows: Int32Array, weights: Float32Array, length: number): Float64Array => {
  const scores = new Float64Array(length * LABELS)
  for (let i = 0; i < length; i++) {
    for (let f = 0; f < FEATURES; f++) {
      const row = (rows[i * FEATURES + f] ?? -1) * LABELS
      if (row < 0) continue
      for (let label = 0; label < LABELS; label++) add(scores, i * LABELS + label, weights[row + label] ?? 0)
    }
  }
  return scores
}

const descendWeights = (
  weights: Parameters,
  { gold, rows }: Prepared,
  single: Float64Array,
  options: TrainOptions
): void => {
  for (let i = 0; i < gold.length; i++) {
    for (let label = 0; label < LABELS; label++) {
      const gradient = (single[i * LABELS + label] ?? 0) - (gold[i] === label ? 1 : 0)
      if (Math.abs(gradient) < 1e-4) continue
      for (let f = 0; f < FEATURES; f++) {
        const row = rows[i * FEATURES + f] ?? -1
        if (row >= 0) descend(weights, row * LABELS + label, gradient, options)
      }
    }
  }
}

const descendTransitions = (
  transitions: Parameters,
  gold: Uint8Array,
  expected: Float64Array,
  options: TrainOptions
): void => {
  const gradients = expected.slice()
  for (let i = 1; i < gold.length; i++) add(gradients, (gold[i - 1] ?? 0) * LABELS + (gold[i] ?? 0), -1)
  gradients.forEach((gradient, index) => {
    descend(transitions, index, gradient, options)
  })
}

/** Weights as they are used without dropout; the smallest become zero. */
const pruned = (weights: Float32Array, { dropout, prune }: TrainOptions): Float32Array =>
  weights.map((weight) => {
    const kept = weight * (1 - dropout)
    return Math.abs(kept) < prune ? 0 : kept
  })

/** Fits the field by stochastic gradient (Adagrad) on the negative log likelihood. The same seed fits the same model. */
export const train = (
  examples: ReadonlyArray<Example>,
  sets: Redaction.Tagger.WordSets,
  options: TrainOptions
): Redaction.Tagger.Model => {
  const random = RedactionKit.randomOf(options.seed)
  const prepared = examples.flatMap((example) => prepare(example, sets) ?? [])
  const weights = parametersOf(BUCKETS * LABELS)
  const transitions = parametersOf(LABELS * LABELS)
  const order = prepared.map((_, at) => at)
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    shuffle(order, random)
    for (const at of order) {
      const one = prepared[at]
      if (one === undefined) continue
      const { gold } = one
      const rows = one.rows.map((row) => (random.next() < options.dropout ? -1 : row))
      const scores = scoresOf(rows, weights.values, gold.length)
      const { pairs, single } = passes(scores, transitions.values, gold.length)
      descendWeights(weights, { gold, rows }, single, options)
      descendTransitions(transitions, gold, pairs, options)
    }
  }
  return { ...quantise(pruned(weights.values, options)), transitions: transitions.values, sets }
}

/** Likelihoods of the labels by token, relative to the likeliest one. */
const emissionsOf = (scores: Float64Array, length: number): Float64Array => {
  const emit = new Float64Array(length * LABELS)
  for (let i = 0; i < length; i++) {
    let top = -Infinity
    for (let label = 0; label < LABELS; label++) top = Math.max(top, scores[i * LABELS + label] ?? 0)
    for (let label = 0; label < LABELS; label++)
      emit[i * LABELS + label] = Math.exp((scores[i * LABELS + label] ?? 0) - top)
  }
  return emit
}

/** Divides a token's numbers by their sum. */
const normalizeRow = (array: Float64Array, i: number, sum: number): void => {
  for (let label = 0; label < LABELS; label++) array[i * LABELS + label] = (array[i * LABELS + label] ?? 0) / sum
}

const reachOf = (forward: Float64Array, step: Float64Array, i: number, label: number): number => {
  if (i === 0) return 1
  let reach = 0
  for (let from = 0; from < LABELS; from++)
    reach += (forward[(i - 1) * LABELS + from] ?? 0) * (step[from * LABELS + label] ?? 0)
  return reach
}

const forwardOf = (emit: Float64Array, step: Float64Array, length: number): Float64Array => {
  const forward = new Float64Array(length * LABELS)
  for (let i = 0; i < length; i++) {
    let sum = 0
    for (let label = 0; label < LABELS; label++) {
      const value = reachOf(forward, step, i, label) * (emit[i * LABELS + label] ?? 0)
      forward[i * LABELS + label] = value
      sum += value
    }
    normalizeRow(forward, i, sum)
  }
  return forward
}

/** Writes the marginals of a token's labels. */
const writeMarginals = (single: Float64Array, forward: Float64Array, backward: Float64Array, i: number): void => {
  let sum = 0
  for (let label = 0; label < LABELS; label++) {
    const value = (forward[i * LABELS + label] ?? 0) * (backward[label] ?? 0)
    single[i * LABELS + label] = value
    sum += value
  }
  normalizeRow(single, i, sum)
}

/** Adds the probabilities of the label pairs of a token and the one before it. */
const addPairs = (
  pairs: Float64Array,
  { backward, emit, forward, step }: Record<"backward" | "emit" | "forward" | "step", Float64Array>,
  i: number
): void => {
  let all = 0
  const here = new Float64Array(LABELS * LABELS)
  for (let from = 0; from < LABELS; from++) {
    for (let label = 0; label < LABELS; label++) {
      const value =
        (forward[(i - 1) * LABELS + from] ?? 0) *
        (step[from * LABELS + label] ?? 0) *
        (emit[i * LABELS + label] ?? 0) *
        (backward[label] ?? 0)
      here[from * LABELS + label] = value
      all += value
    }
  }
  here.forEach((value, index) => {
    add(pairs, index, value / all)
  })
}

/** The backward probabilities of the token before. */
const backwardBefore = (backward: Float64Array, emit: Float64Array, step: Float64Array, i: number): Float64Array => {
  const before = new Float64Array(LABELS)
  let total = 0
  for (let from = 0; from < LABELS; from++) {
    for (let label = 0; label < LABELS; label++)
      add(before, from, (step[from * LABELS + label] ?? 0) * (emit[i * LABELS + label] ?? 0) * (backward[label] ?? 0))
    total += before[from] ?? 0
  }
  return before.map((value) => value / total)
}

/** Marginals of labels and expected counts of label pairs. */
const passes = (
  scores: Float64Array,
  transitions: Float32Array,
  length: number
): { readonly single: Float64Array; readonly pairs: Float64Array } => {
  const step = Float64Array.from(transitions, Math.exp)
  const emit = emissionsOf(scores, length)
  const forward = forwardOf(emit, step, length)
  const single = new Float64Array(length * LABELS)
  const pairs = new Float64Array(LABELS * LABELS)
  let backward: Float64Array = new Float64Array(LABELS).fill(1)
  for (let i = length - 1; i >= 0; i--) {
    writeMarginals(single, forward, backward, i)
    if (i > 0) addPairs(pairs, { backward, emit, forward, step }, i)
    backward = backwardBefore(backward, emit, step, i)
  }
  return { single, pairs }
}
