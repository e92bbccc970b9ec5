import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import type { Example } from "./Examples.js"

const { columnsOf, FEATURES, featuresOf, LABELS, marginalsOf, quantize, taggerLabels, taggerShape } = Redaction.Tagger

export interface TrainOptions {
  readonly epochs: number
  /** How many of the last epochs the weights are averaged over. */
  readonly averaged: number
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
  return { rows: featuresOf(columnsOf(tokens, 0, length, sets)), gold }
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
  { from, to }: Redaction.Tagger.ChainShape,
  options: TrainOptions
): void => {
  for (let one = 0; one < expected.length; one++) {
    let seen = 0
    for (let i = 1; i < gold.length; i++) if (gold[i - 1] === from[one] && gold[i] === to[one]) seen++
    descend(transitions, one, (expected[one] ?? 0) - seen, options)
  }
}

/** Weights as they are used without dropout; the smallest become zero. */
const pruned = (weights: Float32Array, { dropout, prune }: TrainOptions): Float32Array =>
  weights.map((weight) => {
    const kept = weight * (1 - dropout)
    return Math.abs(kept) < prune ? 0 : kept
  })

const addAll = (sum: Float64Array, values: Float32Array): void => {
  for (let at = 0; at < values.length; at++) add(sum, at, values[at] ?? 0)
}

/**
 * Fits the tagger of sentences by stochastic gradient (Adagrad) on the negative log likelihood. The weights are the mean of those at
 * the ends of the last epochs, which depend less on the order of the examples. The same seed fits the same weights.
 */
export const train = (
  examples: ReadonlyArray<Example>,
  sets: Redaction.Tagger.WordSets,
  options: TrainOptions
): Redaction.Tagger.FittedChain & { readonly sets: Redaction.Tagger.WordSets } => {
  const prepared = examples.flatMap((example) => prepare(example, sets) ?? [])
  const random = RedactionKit.randomOf(options.seed)
  const { from, labels, rows, to } = taggerShape
  const weights = parametersOf(rows * labels)
  const transitions = parametersOf(from.length)
  const order = prepared.map((_, at) => at)
  const weightSum = new Float64Array(rows * labels)
  const transitionSum = new Float64Array(from.length)
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    shuffle(order, random)
    for (const at of order) {
      const one = prepared[at]
      if (one === undefined) continue
      const kept = { ...one, rows: one.rows.map((row) => (random.next() < options.dropout ? -1 : row)) }
      const pairs = new Float64Array(from.length)
      const factors = Float64Array.from(transitions.values, Math.exp)
      const sums = scoresOf(kept.rows, weights.values, kept.gold.length)
      const single = marginalsOf(sums, { from, to, factors }, labels, pairs)
      descendWeights(weights, kept, single, options)
      descendTransitions(transitions, one.gold, pairs, taggerShape, options)
    }
    if (options.epochs - epoch > options.averaged) continue
    addAll(weightSum, weights.values)
    addAll(transitionSum, transitions.values)
  }
  const mean = (sum: Float64Array): Float32Array => Float32Array.from(sum, (one) => one / options.averaged)
  return { ...quantize(pruned(mean(weightSum), options)), transitions: mean(transitionSum), sets }
}
