/** Properties of speech segments, against an oracle that samples every millisecond. Source: docs/metrics.md, Speech. */
import type { Interval, Speaker, Speech, TimedSpeech, Turn } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, type Property, property } from "../Property.js"
import { anyTurns, shifted, shuffled } from "./SpeechArbitraries.js"

export interface SpeechRules {
  readonly speechOf: (turns: ReadonlyArray<Turn>) => Speech
  readonly timedSpeech: (speech: Speech) => TimedSpeech | undefined
  readonly totalOf: (intervals: ReadonlyArray<Interval>) => number
}

export interface Stretch {
  readonly speaker: Speaker
  /** Milliseconds. */
  readonly start: number
  readonly length: number
}

const speaker = fc.constantFrom<Speaker>("main_agent", "testing_agent")
const stretch: fc.Arbitrary<Stretch> = fc.record({
  speaker,
  start: fc.nat({ max: 30 }),
  length: fc.integer({ min: 1, max: 15 })
})

/** Stretches of which some lie inside another, begin or end with it, or touch it. */
export const meetingStretches: fc.Arbitrary<ReadonlyArray<Stretch>> = fc
  .array(
    fc.tuple(
      stretch,
      fc.constantFrom("alone", "inside", "same start", "same end", "touching"),
      speaker,
      fc.nat({ max: 5 })
    ),
    { maxLength: 5 }
  )
  .map((all) =>
    all.flatMap(([one, how, other, cut]): ReadonlyArray<Stretch> => {
      const shorter = Math.max(1, one.length - cut)
      switch (how) {
        case "inside":
          return [one, { speaker: other, start: one.start + Math.min(cut, one.length - 1), length: 1 }]
        case "same start":
          return [one, { speaker: other, start: one.start, length: shorter }]
        case "same end":
          return [one, { speaker: other, start: one.start + one.length - shorter, length: shorter }]
        case "touching":
          return [one, { speaker: other, start: one.start + one.length, length: cut + 1 }]
        default:
          return [one]
      }
    })
  )

const END = 60

const turnOf = ({ length, speaker: by, start }: Stretch): Turn => ({
  speaker: by,
  content: "yes",
  startTime: start / 1000,
  endTime: (start + length) / 1000,
  words: []
})

/** The intervals of the milliseconds for which `holds`. */
const sampled = (holds: (millisecond: number) => boolean): ReadonlyArray<readonly [start: number, end: number]> => {
  const found: Array<[number, number]> = []
  for (let at = 0; at < END; at++) {
    if (!holds(at)) continue
    const last = found[found.length - 1]
    if (last?.[1] === at) last[1] = at + 1
    else found.push([at, at + 1])
  }
  return found
}

const milliseconds = (intervals: ReadonlyArray<Interval>): ReadonlyArray<readonly [number, number]> =>
  intervals.map(({ end, start }) => [Math.round(start * 1000), Math.round(end * 1000)])

export const speechProperties = ({ speechOf, timedSpeech, totalOf }: SpeechRules): ReadonlyArray<Property> => [
  property("speech, overlaps and gaps are those of every millisecond", [meetingStretches], (stretches) => {
    const speaks = (by: Speaker, at: number) =>
      stretches.some((one) => one.speaker === by && one.start <= at && at < one.start + one.length)
    const [agent, user] = [(at: number) => speaks("main_agent", at), (at: number) => speaks("testing_agent", at)]
    const spoken = sampled((at) => agent(at) || user(at))
    const expected = {
      agent: sampled(agent),
      user: sampled(user),
      overlaps: sampled((at) => agent(at) && user(at)),
      spoken,
      gaps: spoken.slice(1).map(([start], at) => [spoken[at]?.[1], start])
    }
    const timed = timedSpeech(speechOf(stretches.map(turnOf)))
    const found = timed && {
      agent: milliseconds(timed.agent),
      user: milliseconds(timed.user),
      overlaps: milliseconds(timed.overlaps),
      spoken: milliseconds(timed.spoken),
      gaps: milliseconds(timed.gaps)
    }
    expectEqual("the intervals in milliseconds", found, expected)
  }),
  property("the length of intervals is the sum of their lengths", [meetingStretches], (stretches) => {
    const intervals = stretches.map(({ length, start }) => ({ start: start / 8, end: (start + length) / 8 }))
    expectEqual("the length", totalOf(intervals), stretches.reduce((sum, one) => sum + one.length, 0) / 8)
  }),
  property(
    "speech does not depend on the order of turns",
    [anyTurns.chain((turns) => fc.tuple(fc.constant(turns), shuffled(turns)))],
    ([turns, other]) => {
      expectEqual("the speech of the turns in another order", speechOf(other), speechOf(turns))
    }
  ),
  property("speech moves with its turns", [meetingStretches, fc.nat({ max: 100 })], (stretches, seconds) => {
    const turns = stretches.map(turnOf)
    const moved = timedSpeech(speechOf(shifted(turns, seconds)))
    const by = (all: ReadonlyArray<Interval> | undefined, offset: number) =>
      milliseconds(all ?? []).map(([start, end]) => [start + offset, end + offset])
    const timed = timedSpeech(speechOf(turns))
    expectEqual("the overlaps", by(moved?.overlaps, 0), by(timed?.overlaps, 1000 * seconds))
    expectEqual("the gaps", by(moved?.gaps, 0), by(timed?.gaps, 1000 * seconds))
  }),
  property("turns without text are not speech", [meetingStretches, meetingStretches], (stretches, silent) => {
    const turns = stretches.map(turnOf)
    const blank = silent.map((one) => ({ ...turnOf(one), content: " \n" }))
    expectEqual("the speech", speechOf([...blank, ...turns]), speechOf(turns))
  }),
  property("a turn without times has those of its words", [stretch, fc.nat({ max: 10 })], (one, gap) => {
    const turn = turnOf(one)
    const word = (startTime: number | undefined, endTime: number | undefined) => ({ text: "yes", startTime, endTime })
    const words = [
      word((one.start + gap) / 1000, undefined),
      word(turn.startTime, undefined),
      word(undefined, turn.endTime),
      word(undefined, one.start / 1000)
    ]
    const timeless = { ...turn, startTime: undefined, endTime: undefined, words }
    expectEqual("the speech", speechOf([timeless]), speechOf([turn]))
    const other = { ...turn, words: [word(0, 59)] }
    expectEqual("the speech of a turn with its own times", speechOf([other]), speechOf([turn]))
  }),
  property(
    "turns without a start and turns without an end are counted, and leave no timed speech",
    [anyTurns],
    (turns) => {
      const speech = speechOf(turns)
      const expected = [
        turns.filter(({ startTime }) => startTime === undefined).length,
        turns.filter(({ endTime, startTime }) => startTime !== undefined && endTime === undefined).length
      ]
      expectEqual("without a start, without an end", [speech.turnsWithoutStart, speech.turnsWithoutEnd], expected)
      if ((expected[0] ?? 0) > 0) expectEqual("the timed speech", timedSpeech(speech), undefined)
    }
  )
]
