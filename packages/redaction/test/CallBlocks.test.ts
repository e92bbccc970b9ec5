import * as Redaction from "@earshot/redaction"
import * as fc from "fast-check"
import { describe, expect, it } from "@effect/vitest"

const { blocksOf, groupsOf, MOST_TOKENS, turnsOf } = Redaction.CallTagger

const turn = fc.record({
  words: fc.oneof(fc.integer({ min: 0, max: 12 }), fc.integer({ min: 0, max: 700 })),
  apart: fc.integer({ min: 0, max: 9 }).map((one) => one === 0)
})

describe("blocks of a call", () => {
  it("have each token of the conversation once, and no more tokens together than there is room for", () => {
    fc.assert(
      fc.property(fc.array(turn, { maxLength: 70 }), (all) => {
        const call = Redaction.callTextOf(
          all.map(({ apart, words }, at) => ({
            speaker: at % 2 === 0 ? "a" : "b",
            content: "so ".repeat(words),
            apart
          }))
        )
        const turns = turnsOf(call)
        const expected = turns.flatMap(({ from, to }, at) =>
          all[at]?.apart === true ? [] : Array.from({ length: to - from }, (_, token) => from + token)
        )
        const read: Array<number> = []
        for (const block of blocksOf(turns.length))
          for (const group of groupsOf(call, turns, block)) {
            expect(group.reduce((sum, { from, to }) => sum + 1 + to - from, 0)).toBeLessThanOrEqual(MOST_TOKENS)
            for (const { first, from, last, to, turn: at } of group) {
              expect(at).toBeGreaterThanOrEqual(block.earliest)
              expect(at).toBeLessThan(block.latest)
              expect(from).toBeGreaterThanOrEqual(turns[at]?.from ?? Infinity)
              expect(to).toBeLessThanOrEqual(turns[at]?.to ?? -1)
              for (let token = first; token < last; token++) read.push(token)
            }
          }
        expect(read).toEqual(expected)
      }),
      { numRuns: 40 }
    )
  })
})
