import * as Redaction from "@earshot/redaction"
import * as fc from "fast-check"
import { deflateRawSync } from "node:zlib"
import { describe, expect, it } from "@effect/vitest"

const { BUCKETS, ChainSums, LABELS, likelyRuns, marginalsOf, packModel, shippedModel, taggerShape, unpackModel } =
  Redaction.Tagger

const STEP = 0.25
const weights = Int8Array.from({ length: BUCKETS * LABELS }, (_, at) => (Math.imul(at, 0x9e3779b1) >> 13) & 255)
// A row without weights, and one of the largest.
weights.fill(0, 5 * LABELS, 6 * LABELS)
weights.fill(-128, 7 * LABELS, 8 * LABELS)
weights.fill(127, (BUCKETS - 1) * LABELS)
const transitions = Float32Array.from(taggerShape.from, (_, at) => ((at % 7) - 3) / 4)
const model = unpackModel(packModel({ weights, step: STEP, transitions, sets: shippedModel().sets }, deflateRawSync))

/** The scores of one token by its rows, added up one weight after the other. */
const added = (rows: ReadonlyArray<number>): ReadonlyArray<number> =>
  Array.from({ length: LABELS }, (_, label) =>
    rows.reduce((sum, row) => sum + (weights[row * LABELS + label] ?? 0) * STEP, 0)
  )

const scoresBy = (rows: ReadonlyArray<number>): ReadonlyArray<number> => {
  const sums = new ChainSums(model, 1)
  sums.add(0, Int32Array.from(rows))
  return [...sums.scores(0, 1)]
}

/** How likely each token is each label, by all the ways in which labels can follow each other. */
const enumerated = (
  scores: ReadonlyArray<number>,
  factorOf: (from: number, to: number) => number,
  labels: number
): Array<number> => {
  const length = scores.length / labels
  const shares = new Array<number>(scores.length).fill(0)
  let all = 0
  for (let path = 0; path < labels ** length; path++) {
    const labelAt = (at: number): number => Math.floor(path / labels ** at) % labels
    let weight = 1
    for (let at = 0; at < length; at++) {
      weight *= Math.exp(scores[at * labels + labelAt(at)] ?? 0)
      if (at > 0) weight *= factorOf(labelAt(at - 1), labelAt(at))
    }
    for (let at = 0; at < length; at++) {
      const index = at * labels + labelAt(at)
      shares[index] = (shares[index] ?? 0) + weight
    }
    all += weight
  }
  return shares.map((share) => share / all)
}

describe("models of linear-chain conditional random fields", () => {
  it("are packed and unpacked without a change", () => {
    for (const row of [0, 1, 5, 6, 7, 8, 4711, BUCKETS - 1]) expect(scoresBy([row])).toEqual(added([row]))
    expect(model.step).toBe(STEP)
    expect(model.transitions.factors).toEqual(Float64Array.from(transitions, Math.exp))
  })

  it("add up to 250 rows of weights without a carry into another label", () => {
    const rowsOf = fc.oneof(fc.integer({ min: 0, max: BUCKETS - 1 }), fc.constantFrom(7, BUCKETS - 1))
    fc.assert(
      fc.property(fc.array(rowsOf, { maxLength: 250, size: "max" }), (rows) => {
        expect(scoresBy(rows)).toEqual(added(rows))
      })
    )
    for (const row of [7, BUCKETS - 1]) {
      const rows = Array.from({ length: 250 }, () => row)
      expect(scoresBy(rows)).toEqual(added(rows))
    }
  })

  it("tell how likely labels are as all sequences of labels do", () => {
    const labels = 3
    const score = fc.double({ min: -9, max: 9, noNaN: true })
    const label = fc.integer({ min: 0, max: labels - 1 })
    const transition = fc.record({ from: label, to: label, factor: fc.double({ min: 0.05, max: 20, noNaN: true }) })
    fc.assert(
      fc.property(
        fc
          .integer({ min: 1, max: 4 })
          .chain((length) => fc.array(score, { minLength: length * labels, maxLength: length * labels })),
        fc.uniqueArray(transition, { selector: ({ from, to }) => from * labels + to, maxLength: labels ** 2 }),
        (scores, all) => {
          const transitions = {
            from: Uint8Array.from(all, ({ from }) => from),
            to: Uint8Array.from(all, ({ to }) => to),
            factors: Float64Array.from(all, ({ factor }) => factor)
          }
          const factorOf = (from: number, to: number): number =>
            all.find((one) => one.from === from && one.to === to)?.factor ?? 1
          const likely = marginalsOf(Float64Array.from(scores), transitions, labels)
          enumerated(scores, factorOf, labels).forEach((share, at) => expect(likely[at]).toBeCloseTo(share, 6))
        }
      )
    )
  })

  it("leave out tokens that are nothing for sure, without another result for the others", () => {
    const none = new Uint8Array(0)
    const small = {
      labels: 2,
      weights: Int32Array.of(-60 << 16, 0, 0, 40 << 16, 0, 0),
      step: 0.1,
      transitions: { from: none, to: none, factors: new Float64Array(0) }
    }
    const sums = new ChainSums(small, 5)
    sums.add(2, Int32Array.of(1))
    for (const token of [0, 1, 3, 4]) sums.add(token, Int32Array.of(0))
    const [run, ...others] = likelyRuns(sums)
    expect(others).toEqual([])
    expect([run?.from, run?.to]).toEqual([1, 4])
    expect([...(run?.likely ?? [])].map((share) => Number(share.toFixed(3)))).toEqual([
      0.998, 0.002, 0.018, 0.982, 0.998, 0.002
    ])
    const nothing = new ChainSums(small, 1)
    nothing.add(0, Int32Array.of(0))
    expect(likelyRuns(nothing)).toEqual([])
  })
})
