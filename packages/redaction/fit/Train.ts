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

/** Fits the field by stochastic gradient (Adagrad) on the negative log likelihood. The same seed fits the same model. */
export const train = (
  examples: ReadonlyArray<Example>,
  sets: Redaction.Tagger.WordSets,
  options: TrainOptions
): Redaction.Tagger.Model => {
  const random = RedactionKit.randomOf(options.seed)
  const prepared = examples.flatMap((example) => prepare(example, sets) ?? [])
  const weights = new Float32Array(BUCKETS * LABELS)
  const squares = new Float32Array(BUCKETS * LABELS)
  const transitions = new Float32Array(LABELS * LABELS)
  const transitionSquares = new Float32Array(LABELS * LABELS)
  const order = prepared.map((_, at) => at)
  for (let epoch = 0; epoch < options.epochs; epoch++) {
    for (let i = order.length - 1; i > 0; i--) {
      const j = random.int(0, i)
      const swap = order[i] ?? 0
      order[i] = order[j] ?? 0
      order[j] = swap
    }
    for (const at of order) {
      const one = prepared[at]
      if (one === undefined) continue
      const { gold } = one
      const length = gold.length
      const rows = one.rows.map((row) => (random.next() < options.dropout ? -1 : row))
      const scores = new Float64Array(length * LABELS)
      for (let i = 0; i < length; i++) {
        for (let f = 0; f < FEATURES; f++) {
          const row = (rows[i * FEATURES + f] ?? -1) * LABELS
          if (row < 0) continue
          for (let label = 0; label < LABELS; label++)
            scores[i * LABELS + label] = (scores[i * LABELS + label] ?? 0) + (weights[row + label] ?? 0)
        }
      }
      const { pairs, single } = passes(scores, transitions, length)
      for (let i = 0; i < length; i++) {
        for (let label = 0; label < LABELS; label++) {
          const gradient = (single[i * LABELS + label] ?? 0) - (gold[i] === label ? 1 : 0)
          if (Math.abs(gradient) < 1e-4) continue
          for (let f = 0; f < FEATURES; f++) {
            const row = rows[i * FEATURES + f] ?? -1
            if (row < 0) continue
            const index = row * LABELS + label
            const full = gradient + options.l2 * (weights[index] ?? 0)
            const square = (squares[index] ?? 0) + full * full
            squares[index] = square
            weights[index] = (weights[index] ?? 0) - (options.rate * full) / Math.sqrt(square + 1e-3)
          }
        }
        if (i > 0)
          pairs[(gold[i - 1] ?? 0) * LABELS + (gold[i] ?? 0)] =
            (pairs[(gold[i - 1] ?? 0) * LABELS + (gold[i] ?? 0)] ?? 0) - 1
      }
      for (let index = 0; index < pairs.length; index++) {
        const gradient = (pairs[index] ?? 0) + options.l2 * (transitions[index] ?? 0)
        const square = (transitionSquares[index] ?? 0) + gradient * gradient
        transitionSquares[index] = square
        transitions[index] = (transitions[index] ?? 0) - (options.rate * gradient) / Math.sqrt(square + 1e-3)
      }
    }
  }
  for (let index = 0; index < weights.length; index++) {
    const kept = (weights[index] ?? 0) * (1 - options.dropout)
    weights[index] = Math.abs(kept) < options.prune ? 0 : kept
  }
  return { ...quantise(weights), transitions, sets }
}

/** Marginals of labels and expected counts of label pairs. */
const passes = (
  scores: Float64Array,
  transitions: Float32Array,
  length: number
): { readonly single: Float64Array; readonly pairs: Float64Array } => {
  const step = Float64Array.from(transitions, Math.exp)
  const emit = new Float64Array(length * LABELS)
  for (let i = 0; i < length; i++) {
    let top = -Infinity
    for (let label = 0; label < LABELS; label++) top = Math.max(top, scores[i * LABELS + label] ?? 0)
    for (let label = 0; label < LABELS; label++)
      emit[i * LABELS + label] = Math.exp((scores[i * LABELS + label] ?? 0) - top)
  }
  const forward = new Float64Array(length * LABELS)
  for (let i = 0; i < length; i++) {
    let sum = 0
    for (let label = 0; label < LABELS; label++) {
      let reach = 1
      if (i > 0) {
        reach = 0
        for (let from = 0; from < LABELS; from++)
          reach += (forward[(i - 1) * LABELS + from] ?? 0) * (step[from * LABELS + label] ?? 0)
      }
      forward[i * LABELS + label] = reach * (emit[i * LABELS + label] ?? 0)
      sum += forward[i * LABELS + label] ?? 0
    }
    for (let label = 0; label < LABELS; label++) forward[i * LABELS + label] = (forward[i * LABELS + label] ?? 0) / sum
  }
  const single = new Float64Array(length * LABELS)
  const pairs = new Float64Array(LABELS * LABELS)
  let backward = new Float64Array(LABELS).fill(1)
  for (let i = length - 1; i >= 0; i--) {
    let sum = 0
    for (let label = 0; label < LABELS; label++) {
      single[i * LABELS + label] = (forward[i * LABELS + label] ?? 0) * (backward[label] ?? 0)
      sum += single[i * LABELS + label] ?? 0
    }
    for (let label = 0; label < LABELS; label++) single[i * LABELS + label] = (single[i * LABELS + label] ?? 0) / sum
    const before = new Float64Array(LABELS)
    let total = 0
    for (let from = 0; from < LABELS; from++) {
      for (let label = 0; label < LABELS; label++)
        before[from] =
          (before[from] ?? 0) +
          (step[from * LABELS + label] ?? 0) * (emit[i * LABELS + label] ?? 0) * (backward[label] ?? 0)
      total += before[from] ?? 0
    }
    if (i > 0) {
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
      for (let index = 0; index < here.length; index++) pairs[index] = (pairs[index] ?? 0) + (here[index] ?? 0) / all
    }
    backward = before.map((value) => value / total)
  }
  return { single, pairs }
}
