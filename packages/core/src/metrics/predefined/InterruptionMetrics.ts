import type { JsonObject } from "../../kernel/Json.js"
import {
  minOverlap,
  momentsOf,
  NO_AGENT,
  NO_DURATION,
  NO_USER,
  onTimedSpeech,
  ratio,
  sortMoments
} from "../FormulaContext.js"
import { moment, type Moment, toMillionths, toThousandths, withoutValue, withValue } from "../FormulaResult.js"
import { numberSetting } from "../Settings.js"
import { type Interval, type TimedSegment, type TimedSpeech, totalOf } from "../Speech.js"
import { sampleResult } from "../Statistics.js"
import { ALL_TIMES, type FormulaMetrics } from "./Definition.js"

/** Of a back-channel ("mhm", "I see"), which takes no turn: at most so many words, in less than so many seconds. */
const BACKCHANNEL_WORDS = 2
const BACKCHANNEL_SECONDS = 1

interface Interruption {
  /** From the start of the interruption to the first end of the two segments. */
  readonly overlap: Interval
  readonly interrupted: TimedSegment
}

/** Segments that start strictly within a segment of the other speaker, overlap with it long enough, and are no back-channels. */
const interruptions = (
  by: ReadonlyArray<TimedSegment>,
  of: ReadonlyArray<TimedSegment>,
  configuration: JsonObject | null
): ReadonlyArray<Interruption> => {
  const least = minOverlap(configuration)
  const mostWords = numberSetting(configuration, "backchannel_max_words", BACKCHANNEL_WORDS)
  const mostSeconds = numberSetting(configuration, "backchannel_max_s", BACKCHANNEL_SECONDS)
  const found: Array<Interruption> = []
  let next = 0
  for (const one of by) {
    // The other speaker's segments are disjoint and in order: only the last one to start before this one can overlap.
    while ((of[next + 1]?.start ?? Number.POSITIVE_INFINITY) < one.start) next++
    const other = of[next]
    if (other === undefined || other.start >= one.start || other.end <= one.start) continue
    // To the millisecond, so that the same call shifted in time has the same interruptions.
    if (one.words <= mostWords && toThousandths(one.end - one.start) < mostSeconds) continue
    const overlap = { start: one.start, end: Math.min(one.end, other.end) }
    if (toThousandths(overlap.end - overlap.start) >= least) found.push({ overlap, interrupted: other })
  }
  return found
}

const overlapMoments = (found: ReadonlyArray<Interruption>): ReadonlyArray<Moment> =>
  found.map(({ overlap }) => moment(overlap.start, overlap.end - overlap.start))

const aiInterruptingUser = onTimedSpeech(({ agent, user }, configuration) => {
  if (user.length === 0) return withoutValue(NO_USER)
  const found = interruptions(agent, user, configuration)
  return withValue(found.length, overlapMoments(found))
})

const userInterruptingAi = onTimedSpeech(({ agent, user }, configuration) => {
  if (agent.length === 0) return withoutValue(NO_AGENT)
  const found = interruptions(user, agent, configuration)
  return withValue(found.length, overlapMoments(found))
})

const interruptionScore = onTimedSpeech(({ agent, user }, configuration) => {
  if (user.length === 0) return withoutValue(NO_USER)
  const found = interruptions(agent, user, configuration)
  const cut = new Set(found.map(({ interrupted }) => interrupted)).size
  return withValue(toMillionths(1 - cut / user.length), overlapMoments(found))
})

/** Seconds from the first word to the last: all speech and the gaps in between. */
const durationOf = ({ gaps, spoken }: TimedSpeech): number => totalOf(spoken) + totalOf(gaps)

const interruptionRate = onTimedSpeech((timed, configuration) => {
  const duration = durationOf(timed)
  if (duration === 0) return withoutValue(NO_DURATION)
  const found = [
    ...interruptions(timed.agent, timed.user, configuration),
    ...interruptions(timed.user, timed.agent, configuration)
  ]
  return withValue(toMillionths(found.length / (duration / 60)), sortMoments(overlapMoments(found)))
})

const stopTime = onTimedSpeech(({ agent, user }, configuration) => {
  if (agent.length === 0) return withoutValue(NO_AGENT)
  const found = interruptions(user, agent, configuration)
  return found.length === 0
    ? withoutValue("The user never interrupts the agent.")
    : sampleResult(
        found.map(({ interrupted, overlap }) => moment(overlap.start, interrupted.end - overlap.start)),
        configuration
      )
})

const overlapRatio = onTimedSpeech(({ overlaps, spoken }) => {
  const whole = totalOf(spoken)
  return whole === 0 ? withoutValue(NO_DURATION) : withValue(ratio(totalOf(overlaps), whole), momentsOf(overlaps))
})

/** Who interrupts whom, and for how long both speak. */
export const interruptionMetrics = {
  ai_interrupting_user: {
    id: 7,
    revision: 1,
    name: "AI interrupting user",
    measures: "How often the agent begins to speak while the user speaks.",
    formula:
      "the agent's segments that start after the start and before the end of a segment of the user's, and overlap with " +
      "it for at least configuration.min_overlap_s (0.2 s). Back-channels do not count: segments of at most " +
      "configuration.backchannel_max_words (2) words in less than configuration.backchannel_max_s (1 s).",
    unit: "interruptions",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Interruptions",
    better: "lower",
    compute: aiInterruptingUser
  },
  user_interrupting_ai: {
    id: 8,
    revision: 1,
    name: "User interrupting AI",
    measures: "How often the user begins to speak while the agent speaks.",
    formula:
      "the user's segments that start after the start and before the end of a segment of the agent's, and overlap with " +
      "it for at least configuration.min_overlap_s (0.2 s). Back-channels do not count: segments of at most " +
      "configuration.backchannel_max_words (2) words in less than configuration.backchannel_max_s (1 s).",
    unit: "interruptions",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Interruptions",
    better: "lower",
    compute: userInterruptingAi
  },
  interruption_score: {
    id: 9,
    revision: 1,
    name: "Interruption score",
    measures: "The share of the user's speech that the agent lets end.",
    formula: "1 minus the user's segments that the agent interrupts (as ai_interrupting_user) over all of the user's.",
    unit: "ratio from 0 (always cut off) to 1 (never)",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Interruptions",
    better: "higher",
    compute: interruptionScore
  },
  interruption_rate: {
    id: 10,
    revision: 1,
    name: "Interruption rate",
    measures: "How often either speaker interrupts the other, per minute.",
    formula:
      "ai_interrupting_user plus user_interrupting_ai, over the minutes from the start of the first segment to the end of the last.",
    unit: "interruptions a minute",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Interruptions",
    better: "lower",
    compute: interruptionRate
  },
  stop_time_ms: {
    id: 11,
    revision: 1,
    name: "Stop time",
    measures: "How long the agent goes on speaking once the user interrupts it, on average.",
    formula:
      "for each interruption by the user, the end of the agent's segment minus the start of the user's; the mean, with " +
      "p50, p90, p95 and p99 kept beside it. No value where the user never interrupts.",
    unit: "milliseconds",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Speech Quality",
    subCategory: "Interruptions",
    better: "lower",
    compute: stopTime
  },
  overlap_ratio: {
    id: 12,
    revision: 1,
    name: "Overlap ratio",
    measures: "The share of the talk in which both speak.",
    formula: "time in which both speak over time in which anybody speaks.",
    unit: "ratio from 0 to 1",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Interruptions",
    better: "lower",
    compute: overlapRatio
  }
} as const satisfies FormulaMetrics
