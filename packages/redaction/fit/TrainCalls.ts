import * as Redaction from "@earshot/redaction"
import type * as RedactionKit from "@earshot/test-kit/redaction"
import { descend, fitField, type Parameters, type TrainOptions } from "./Train.js"

const { CALL_LABELS, CallFeatures, callLabels, callShape, OWN, turnsOf } = Redaction.CallTagger
type StretchFeatures = Redaction.CallTagger.StretchFeatures

interface Prepared {
  readonly features: StretchFeatures
  readonly gold: Uint8Array
}

/** The turns of a labeled call with their features. */
const prepare = ({ turns }: RedactionKit.LabeledCall): ReadonlyArray<Prepared> => {
  const call = Redaction.callTextOf(turns)
  const { all } = call.tokens
  const places = turnsOf(call)
  const features = new CallFeatures(call, places, Redaction.Tagger.shippedModel().sets)
  return places.flatMap(({ from, to }, turn): ReadonlyArray<Prepared> => {
    if (to <= from) return []
    const gold = new Uint8Array(to - from)
    const start = call.turns[turn]?.start ?? 0
    for (const span of turns[turn]?.spans ?? []) {
      const label = callLabels.indexOf(span.field)
      for (let at = from; at < to; at++)
        if ((all[at]?.start ?? 0) < start + span.end && (all[at]?.end ?? 0) > start + span.start)
          gold[at - from] = label
    }
    return [{ features: features.of(features.contextOf(turn), from, to), gold }]
  })
}

/** The sums of the weights of a turn's tokens. Features that are left out are -1. */
const scoresOf = ({ kinds, length, own, shared }: StretchFeatures, weights: Float32Array): Float64Array => {
  const scores = new Float64Array(length * CALL_LABELS)
  const addRow = (i: number, row: number): void => {
    for (let label = 0; label < CALL_LABELS; label++)
      scores[i * CALL_LABELS + label] =
        (scores[i * CALL_LABELS + label] ?? 0) + (weights[row * CALL_LABELS + label] ?? 0)
  }
  for (let i = 0; i < length; i++) {
    for (const row of shared[kinds[i] ?? 0] ?? []) addRow(i, row)
    for (const row of own.subarray(i * OWN, (i + 1) * OWN)) if (row >= 0) addRow(i, row)
  }
  return scores
}

const descendWeights = (
  weights: Parameters,
  { features: { kinds, own, shared }, gold }: Prepared,
  single: Float64Array,
  options: TrainOptions
): void => {
  const sums: Array<Float64Array> = []
  for (let i = 0; i < gold.length; i++) {
    const kind = kinds[i] ?? 0
    const sum = (sums[kind] ??= new Float64Array(CALL_LABELS))
    for (let label = 0; label < CALL_LABELS; label++) {
      const gradient = (single[i * CALL_LABELS + label] ?? 0) - (gold[i] === label ? 1 : 0)
      sum[label] = (sum[label] ?? 0) + gradient
      if (Math.abs(gradient) < 1e-3) continue
      for (let f = i * OWN; f < (i + 1) * OWN; f++) {
        const row = own[f] ?? -1
        if (row >= 0) descend(weights, row * CALL_LABELS + label, gradient, options)
      }
    }
  }
  sums.forEach((sum, kind) => {
    sum.forEach((gradient, label) => {
      if (Math.abs(gradient) < 1e-3) return
      for (const row of shared[kind] ?? []) descend(weights, row * CALL_LABELS + label, gradient, options)
    })
  })
}

/** Fits the tagger of calls. */
export const trainCalls = (
  calls: ReadonlyArray<RedactionKit.LabeledCall>,
  options: TrainOptions
): Redaction.Tagger.FittedChain =>
  fitField(
    calls.flatMap(prepare),
    {
      shape: callShape,
      drop: ({ features, gold }, random) => ({
        gold,
        features: {
          ...features,
          own: features.own.map((row) => (random.next() < options.dropout ? -1 : row)),
          shared: features.shared.map((rows) => rows.filter(() => random.next() >= options.dropout))
        }
      }),
      scoresOf: ({ features }, values) => scoresOf(features, values),
      descendWeights
    },
    options
  )
