/** Arbitrary turns: times in whole milliseconds, in any order, overlapping, and split into pieces. */
import type { Speaker, Turn } from "@earshot/core"
import * as fc from "fast-check"

const speaker: fc.Arbitrary<Speaker> = fc.constantFrom("main_agent", "testing_agent")

const words = fc.constantFrom(
  "hello",
  "could you repeat that please",
  "one moment I look that up",
  "yes",
  "table for two"
)

/** A turn with known times. */
export const timedTurn: fc.Arbitrary<Turn> = fc
  .record({ speaker, content: words, start: fc.nat({ max: 60_000 }), length: fc.nat({ max: 15_000 }) })
  .map(({ content, length, speaker, start }) => ({
    speaker,
    content,
    startTime: start / 1000,
    endTime: (start + length) / 1000,
    words: []
  }))

/** Up to `most` turns with known times, in no order. */
export const timedTurns = (most = 12): fc.Arbitrary<ReadonlyArray<Turn>> => fc.array(timedTurn, { maxLength: most })

/** Turns with some times missing. */
export const anyTurns: fc.Arbitrary<ReadonlyArray<Turn>> = fc.array(
  fc.tuple(timedTurn, fc.boolean(), fc.boolean()).map(([turn, knowsStart, knowsEnd]): Turn => ({
    ...turn,
    startTime: knowsStart ? turn.startTime : undefined,
    endTime: knowsEnd ? turn.endTime : undefined
  })),
  { maxLength: 12 }
)

/** The same turns in another order. */
export const shuffled = (turns: ReadonlyArray<Turn>): fc.Arbitrary<ReadonlyArray<Turn>> =>
  fc.shuffledSubarray([...turns], { minLength: turns.length })

/** The same turns `seconds` later. */
export const shifted = (turns: ReadonlyArray<Turn>, seconds: number): ReadonlyArray<Turn> =>
  turns.map((turn) => ({
    ...turn,
    startTime: turn.startTime === undefined ? undefined : turn.startTime + seconds,
    endTime: turn.endTime === undefined ? undefined : turn.endTime + seconds
  }))
