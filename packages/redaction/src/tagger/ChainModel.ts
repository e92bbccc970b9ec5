/**
 * The models of linear-chain conditional random fields: their weights, how they are packed into a file, and how likely labels
 * are by them.
 */
import type { ByteReader, ByteWriter } from "./Bytes.js"
import { marginalsOf, type Transitions } from "./Chain.js"

/** How many labels a model has, at most 31, how many rows of weights, which features share by hash, and which transitions have a weight. */
export interface ChainShape {
  readonly labels: number
  readonly rows: number
  readonly from: Uint8Array
  readonly to: Uint8Array
}

/** A shape in which labels have a transition to themselves, and the first one, "none", has one from and to each other. */
export const chainShape = (labels: number, rows: number): ChainShape => {
  const pairs: Array<readonly [from: number, to: number]> = []
  for (let from = 0; from < labels; from++)
    for (let to = 0; to < labels; to++) if (from === to || from === 0 || to === 0) pairs.push([from, to])
  return { labels, rows, from: Uint8Array.from(pairs, ([from]) => from), to: Uint8Array.from(pairs, ([, to]) => to) }
}

/** A model as it is fitted. */
export interface FittedChain {
  /** `rows` times `labels` weights, as whole numbers of `step`. */
  readonly weights: Int8Array
  readonly step: number
  /** The weights of the transitions of its shape. */
  readonly transitions: Float32Array
}

/** A model as it is used. */
export interface ChainModel {
  readonly labels: number
  /**
   * The weights of each row, two labels a number: one addition adds two weights. The first label's are the lower 16 bits, and
   * the second one's what is left without them, so that sums of up to 250 rows fit.
   */
  readonly weights: Int32Array
  readonly step: number
  readonly transitions: Transitions
}

/** How many pairs of weights are added up at once. */
const BLOCK = 3
const widthOf = (labels: number): number => Math.ceil(labels / 2 / BLOCK) * BLOCK

/** Weights as fitted, to whole numbers of one step. */
export const quantize = (weights: Float32Array): Omit<FittedChain, "transitions"> => {
  let top = 1e-9
  for (const weight of weights) top = Math.max(top, Math.abs(weight))
  const step = top / 127
  return { weights: Int8Array.from(weights, (weight) => Math.round(weight / step)), step }
}

/**
 * Writes transitions and step, then for each row with a weight its distance from the row before, which labels have one, and
 * those as signed bytes.
 */
export const writeChain = (out: ByteWriter, { labels, rows }: ChainShape, model: FittedChain): void => {
  out.floats(model.transitions)
  out.floats(Float32Array.of(model.step))
  let last = -1
  for (let row = 0; row < rows; row++) {
    const weights = model.weights.subarray(row * labels, (row + 1) * labels)
    let mask = 0
    for (let label = 0; label < labels; label++) if (weights[label] !== 0) mask |= 1 << label
    if (mask === 0) continue
    out.varint(row - last)
    out.varint(mask)
    for (const weight of weights) if (weight !== 0) out.byte(weight)
    last = row
  }
  out.varint(0)
}

export const readChain = (bytes: ByteReader, { from, labels, rows, to }: ChainShape): ChainModel => {
  const factors = Float64Array.from(bytes.floats(from.length), Math.exp)
  const step = bytes.floats(1)[0] ?? 0
  const width = widthOf(labels)
  const weights = new Int32Array(rows * width)
  let row = -1
  for (let gap = bytes.varint(); gap !== 0; gap = bytes.varint()) {
    row += gap
    const mask = bytes.varint()
    for (let label = 0; label < labels; label++)
      if ((mask & (1 << label)) !== 0) addWeight(weights, row * width, label, bytes.signed())
  }
  return { labels, weights, step, transitions: { from, to, factors } }
}

const addWeight = (pairs: Int32Array, first: number, label: number, weight: number): void => {
  const at = first + (label >> 1)
  pairs[at] = (pairs[at] ?? 0) + (label % 2 === 0 ? weight : weight << 16)
}

/** The weight or sum of a label in the pairs from `first` on. */
const labelIn = (pairs: Int32Array, first: number, label: number): number => {
  const pair = pairs[first + (label >> 1)] ?? 0
  return label % 2 === 0 ? (pair << 16) >> 16 : (pair + 0x8000) >> 16
}

/** The sums of the weights of tokens, in the pairs of a model. */
export class ChainSums {
  readonly pairs: Int32Array
  readonly #width: number

  constructor(
    readonly model: ChainModel,
    readonly length: number
  ) {
    this.#width = widthOf(model.labels)
    this.pairs = new Int32Array(length * this.#width)
  }

  /** Adds the weights of `rows` from `from` to `to` to a token's. */
  add(token: number, rows: Int32Array, from = 0, to = rows.length): void {
    const { weights } = this.model
    const { pairs } = this
    const width = this.#width
    const first = token * width
    for (let pair = 0; pair < width; pair += BLOCK) {
      let a = pairs[first + pair] ?? 0
      let b = pairs[first + pair + 1] ?? 0
      let c = pairs[first + pair + 2] ?? 0
      for (let f = from; f < to; f++) {
        const row = (rows[f] ?? 0) * width + pair
        a = (a + (weights[row] ?? 0)) | 0
        b = (b + (weights[row + 1] ?? 0)) | 0
        c = (c + (weights[row + 2] ?? 0)) | 0
      }
      pairs[first + pair] = a
      pairs[first + pair + 1] = b
      pairs[first + pair + 2] = c
    }
  }

  /** Begins a token with the sums of another one. */
  copy(token: number, from: ChainSums): void {
    this.pairs.set(from.pairs, token * this.#width)
  }

  /** By how much the likeliest label of a token exceeds the first one. */
  margin(token: number): number {
    const first = token * this.#width
    let best = -Infinity
    for (let label = 1; label < this.model.labels; label++) {
      const sum = labelIn(this.pairs, first, label)
      if (sum > best) best = sum
    }
    return (best - labelIn(this.pairs, first, 0)) * this.model.step
  }

  /** The scores of tokens `from` to `to`. */
  scores(from: number, to: number): Float64Array {
    const { labels, step } = this.model
    const scores = new Float64Array((to - from) * labels)
    for (let token = from, at = 0; token < to; token++)
      for (let label = 0; label < labels; label++) scores[at++] = labelIn(this.pairs, token * this.#width, label) * step
    return scores
  }
}

/** A token whose likeliest label is this much less likely than the first one, "none", is "none" unless it is between others. */
const LEAST_MARGIN = -5
/** How many such tokens may stand between two that may be of one value. */
const MAX_GAP = 3

/** Tokens `from` to `to`, of which all but the first and the last may be something else than "none", and how likely each is each label. */
export interface LikelyRun {
  readonly from: number
  readonly to: number
  readonly likely: Float64Array
}

/**
 * How likely tokens are each label, but for those that are "none" for sure: the passes go over tokens that may be something else,
 * those between them, and one to either side.
 */
export const likelyRuns = (sums: ChainSums): ReadonlyArray<LikelyRun> => {
  const { length, model } = sums
  const { labels } = model
  const runs: Array<LikelyRun> = []
  for (let from = 0; from < length; from++) {
    if (sums.margin(from) < LEAST_MARGIN) continue
    let to = from + 1
    for (let at = to; at < length && at <= to + MAX_GAP; at++) if (sums.margin(at) >= LEAST_MARGIN) to = at + 1
    const first = Math.max(0, from - 1)
    const last = Math.min(length, to + 1)
    const likely = marginalsOf(sums.scores(first, last), model.transitions, labels)
    runs.push({ from: first, to: last, likely })
    from = to
  }
  return runs
}
