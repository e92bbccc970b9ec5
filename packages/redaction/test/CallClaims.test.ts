import * as Redaction from "@earshot/redaction"
import * as fc from "fast-check"
import { describe, expect, it } from "@effect/vitest"

const { callLabels, callThresholds, claimsIn, MOST_LABELS } = Redaction.CallTagger
const NAME = callLabels.indexOf("person_name")
const DATE = callLabels.indexOf("date")

/** The probability of each label of a token; the rest is the probability of no label. */
type Token = Readonly<Record<number, number>>

/** The claims of tokens, and how likely each token is part of a value. */
const read = (tokens: ReadonlyArray<Token>, thresholds = callThresholds) => {
  const scores = new Float32Array(tokens.length * MOST_LABELS).fill(-30)
  tokens.forEach((token, at) => {
    const all = Object.entries(token)
    scores[at * MOST_LABELS] = Math.log(1 - all.reduce((sum, [, share]) => sum + share, 0))
    for (const [label, share] of all) scores[at * MOST_LABELS + Number(label)] = Math.log(share)
  })
  const values = new Float64Array(tokens.length)
  const claims = claimsIn(scores, 0, 0, tokens.length, values, thresholds).map(
    ({ from, label, to }) => [label, from, to] as const
  )
  return { claims, values }
}

describe("claims of the tagger of calls", () => {
  it("extend from a likely token to adjacent tokens that are less likely", () => {
    const { claims, values } = read([{ [NAME]: 0.04 }, { [NAME]: 0.06 }, { [NAME]: 0.3 }, { [NAME]: 0.06 }, {}])
    expect(claims).toEqual([[NAME, 1, 4]])
    expect(values[1]).toBeCloseTo(0.06)
    expect(read([{ [NAME]: 0.14 }, { [NAME]: 0.14 }]).claims).toEqual([])
  })

  it("keep one field where another is slightly likelier in between, and change it where another is much likelier", () => {
    const ambiguous = [{ [NAME]: 0.6, [DATE]: 0.3 }, { [NAME]: 0.4, [DATE]: 0.5 }, { [NAME]: 0.7 }]
    expect(read(ambiguous).claims).toEqual([[NAME, 0, 3]])
    expect(read([{ [NAME]: 0.9 }, { [DATE]: 0.95 }, { [DATE]: 0.9 }]).claims).toEqual([
      [NAME, 0, 1],
      [DATE, 1, 3]
    ])
  })

  it("cover each likely token once, no unlikely one, and no less with lower thresholds", () => {
    const token = fc
      .record({ [NAME]: fc.double({ min: 0.001, max: 0.45, noNaN: true }) })
      .chain((one) =>
        fc.double({ min: 0.001, max: 0.45, noNaN: true }).map((share): Token => ({ ...one, [DATE]: share }))
      )
    fc.assert(
      fc.property(fc.array(token, { maxLength: 30 }), (tokens) => {
        const covered = (thresholds: typeof callThresholds): ReadonlyArray<number> =>
          read(tokens, thresholds).claims.flatMap(([, from, to]) =>
            Array.from({ length: to - from }, (_, i) => from + i)
          )
        const all = covered(callThresholds)
        expect(all).toEqual([...new Set(all)].sort((a, b) => a - b))
        read(tokens).values.forEach((value, at) => {
          if (value >= callThresholds.value) expect(all).toContain(at)
          if (value < callThresholds.adjacent) expect(all).not.toContain(at)
        })
        expect(covered({ ...callThresholds, value: 0.1, adjacent: 0.02 })).toEqual(expect.arrayContaining([...all]))
      })
    )
  })
})
