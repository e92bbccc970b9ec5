import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { makeWebmScanner } from "../../src/calls/WebmDuration.js"

const secondsOf = (...pieces: ReadonlyArray<Uint8Array>) => {
  const scanner = makeWebmScanner()
  for (const piece of pieces) scanner.add(piece)
  return scanner.facts().duration
}

/** A cluster at a time in milliseconds with a block for each relative time. */
const cluster = (time: number, ...blocks: ReadonlyArray<number>): ReadonlyArray<number> => [
  ...[0x1f, 0x43, 0xb6, 0x75, 0xff, 0xe7, 0x82, time >> 8, time & 0xff],
  ...blocks.flatMap((at) => [0xa3, 0x85, 0x81, (at >> 8) & 0xff, at & 0xff, 0x80, 7])
]

const file = (...parts: ReadonlyArray<ReadonlyArray<number>>) =>
  Uint8Array.from([0x18, 0x53, 0x80, 0x67, 0xff, ...parts.flat()])

describe("the duration of WebM by its blocks", () => {
  it("is the time of the last block and the step to it, whatever their order", () => {
    expect(secondsOf(file(cluster(0, 0, 20, 40), cluster(1000, 0, 20)))).toBeCloseTo(1.04, 9)
    expect(secondsOf(file(cluster(1000, -20, 0, -10)))).toBeCloseTo(1.02, 9)
    // A pause before the last block is not the length of a block.
    expect(secondsOf(file(cluster(0, 0, 20, 5000)))).toBeCloseTo(5.02, 9)
    // Ticks of ten milliseconds, and an element that is skipped.
    const scale = [0x15, 0x49, 0xa9, 0x66, 0xff, 0x2a, 0xd7, 0xb1, 0x83, 0x98, 0x96, 0x80, 0xec, 0x82, 0xa3, 0x81]
    expect(secondsOf(file(scale, cluster(0, 0, 2)))).toBeCloseTo(0.04, 9)
  })

  it("does not depend on how the file is cut into pieces", () => {
    const whole = file(cluster(0, 0, 20, 40), cluster(2000, 0, 20))
    fc.assert(
      fc.property(fc.array(fc.nat({ max: whole.length }), { maxLength: 8 }), (places) => {
        const cuts = [0, ...places.toSorted((one, other) => one - other), whole.length]
        expect(secondsOf(...cuts.slice(1).map((to, at) => whole.subarray(cuts[at], to)))).toBeCloseTo(2.04, 9)
      })
    )
  })

  it("is unknown of what has no blocks or is broken, and nothing throws", () => {
    expect(secondsOf()).toBeUndefined()
    expect(secondsOf(file([0xec, 0x80]))).toBeUndefined()
    expect(secondsOf(file(cluster(0, 0, 20), [0]))).toBeUndefined()
    // An unknown size of what is no container, a block without a time, and a time of nine bytes.
    for (const bad of [
      [0xec, 0xff],
      [0xa3, 0x82, 0x81, 0, 0, 0],
      [0xe7, 0x89, ...Array.from({ length: 9 }, () => 0)]
    ]) {
      expect(secondsOf(file(cluster(0, 0, 20), bad))).toBeUndefined()
    }
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 })), (pieces) => {
        const seconds = secondsOf(file(cluster(0, 0)), ...pieces)
        expect(seconds === undefined || Number.isFinite(seconds)).toBe(true)
      })
    )
  })
})
