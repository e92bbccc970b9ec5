import { exceeds, longestOf, momentsOf, NO_DURATION, NO_USER, onTimedSpeech, ratio } from "../FormulaContext.js"
import { toThousandths, withoutValue, withValue } from "../FormulaResult.js"
import { numberSetting } from "../Settings.js"
import { type TimedSpeech, totalOf } from "../Speech.js"
import { ALL_TIMES, type FormulaMetrics } from "./Definition.js"

/** Seconds from the first word to the last: all speech and the gaps in between. */
const durationOf = ({ gaps, spoken }: TimedSpeech): number => totalOf(spoken) + totalOf(gaps)

const silenceDetection = onTimedSpeech(({ gaps }, configuration) => {
  const longest = longestOf(gaps)
  const most = numberSetting(configuration, "max_silence_s", 10)
  return longest === undefined
    ? withValue(true)
    : withValue(!exceeds(longest.end - longest.start, most), momentsOf([longest]), {
        longest_silence_s: toThousandths(longest.end - longest.start)
      })
})

const deadAirRatio = onTimedSpeech((timed) => {
  const duration = durationOf(timed)
  return duration === 0
    ? withoutValue(NO_DURATION)
    : withValue(ratio(totalOf(timed.gaps), duration), momentsOf(timed.gaps))
})

const excessiveSilence = onTimedSpeech(({ gaps }, configuration) => {
  const least = numberSetting(configuration, "min_silence_s", 3)
  const found = gaps.filter(({ end, start }) => exceeds(end - start, least))
  return withValue(found.length, momentsOf(found))
})

/** Silences in which the user waits for the agent: those that follow the user's speech, the last one included. */
const infrastructureIssues = onTimedSpeech((timed, configuration, { call }) => {
  if (timed.user.length === 0) return withoutValue(NO_USER)
  const most = numberSetting(configuration, "max_wait_s", 10)
  const userEnds = new Set(timed.user.map((one) => one.end))
  const speechEnd = timed.spoken.reduce((latest, one) => Math.max(latest, one.end), Number.NEGATIVE_INFINITY)
  const silences = [...timed.gaps, { start: speechEnd, end: call.durationSeconds ?? speechEnd }]
  const found = silences.filter(({ end, start }) => userEnds.has(start) && exceeds(end - start, most))
  return withValue(found.length === 0, momentsOf(found))
})

/** Silences, and waits for the agent. */
export const silenceMetrics = {
  silence_detection: {
    id: 15,
    revision: 1,
    name: "Silence detection",
    measures: "Whether no silence in the call is too long.",
    formula:
      "true if the longest stretch in which nobody speaks, between the first segment and the last, is at most " +
      "configuration.max_silence_s (10 s).",
    unit: "true (passes) or false",
    basis: ALL_TIMES,
    evalType: "binary",
    category: "Speech Quality",
    subCategory: "Silence",
    better: "higher",
    compute: silenceDetection
  },
  dead_air_ratio: {
    id: 16,
    revision: 1,
    name: "Dead air ratio",
    measures: "The share of the call in which nobody speaks.",
    formula: "time in which nobody speaks over the time from the start of the first segment to the end of the last.",
    unit: "ratio from 0 to 1",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Speech Quality",
    subCategory: "Silence",
    better: "lower",
    compute: deadAirRatio
  },
  infrastructure_issues: {
    id: 17,
    revision: 1,
    name: "Infrastructure issues",
    measures: "Whether the agent answers every time; if it does not, its infrastructure usually failed.",
    formula:
      "true if no silence that follows the user's speech is longer than configuration.max_wait_s (10 s); the silence " +
      "from the user's last word to the end of the call counts too.",
    unit: "true (passes) or false",
    basis: `the length of the call, where it is known, and ${ALL_TIMES}`,
    evalType: "binary",
    category: "Speech Quality",
    subCategory: "Infrastructure",
    better: "higher",
    compute: infrastructureIssues
  },
  excessive_silence: {
    id: 18,
    revision: 1,
    name: "Excessive silence",
    measures: "How many silences are uncomfortable.",
    formula:
      "the stretches in which nobody speaks, between the first segment and the last, of more than " +
      "configuration.min_silence_s (3 s).",
    unit: "silences",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Speech Quality",
    subCategory: "Silence",
    better: "lower",
    compute: excessiveSilence
  }
} as const satisfies FormulaMetrics
