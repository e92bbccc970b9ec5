import { type Formula, minOverlap, missingTimes, NO_AGENT, NO_SPEECH, NO_USER } from "../FormulaContext.js"
import { moment, toThousandths, withoutValue, withValue } from "../FormulaResult.js"
import { sampleResult } from "../Statistics.js"
import type { FormulaMetrics } from "./Definition.js"
import { statedResult } from "./StageMetrics.js"

const latency: Formula = (context, configuration) => {
  const measured = measuredLatency(context, configuration)
  // Formats without the times of turns may have the platform's own measurement.
  return measured.value === null ? (statedResult(context, "end_to_end", configuration) ?? measured) : measured
}

const measuredLatency: Formula = (context, configuration) => {
  const { speech } = context
  if (context.call.turns.length === 0) return withoutValue(NO_SPEECH)
  if (speech.turnsWithoutStart > 0) return withoutValue(missingTimes(speech))
  if (speech.agent.length === 0) return withoutValue(NO_AGENT)
  if (speech.user.length === 0) return withoutValue(NO_USER)
  const { isUnknown, moments } = context.latencies(minOverlap(configuration))
  return moments.length > 0
    ? sampleResult(moments, configuration)
    : withoutValue(isUnknown ? missingTimes(speech) : "The agent never answers after the user has spoken.")
}

const timeToFirstWord: Formula = ({ speech }) => {
  if (speech.turnsWithoutStart > 0) return withoutValue(missingTimes(speech))
  const first = speech.agent[0]
  return first === undefined
    ? withoutValue(speech.segments.length === 0 ? NO_SPEECH : NO_AGENT)
    : withValue(toThousandths(first.start * 1000), [moment(0, first.start)])
}

const latencyPercentile = (id: number, statistic: "p50" | "p90" | "p95" | "p99", words: string) => ({
  id,
  revision: 1,
  name: `Latency ${statistic}`,
  measures: `${words} of the user's waiting times for the agent's answers in a call.`,
  formula: "as latency_ms, of which it is the quantile by linear interpolation between ranks (percentile_cont in SQL).",
  configuration: { statistic }
})

const STARTS =
  "the start of every turn, and the ends of the user's; an answer to a turn without an end is left out. Without these times the " +
  "end-to-end times that the platform states."

/** How fast the agent answers. */
export const latencyMetrics = {
  latency_ms: {
    id: 1,
    revision: 1,
    name: "Latency",
    measures: "How long the user waits for the agent's answers, on average.",
    formula:
      "for each segment of the agent's speech that answers, its start minus the end of the user's segment that began last " +
      "before it; the mean of these, stored with p50, p90, p95 and p99. A segment answers if the agent was silent since that " +
      "end, and the user has ended by then or ends less than configuration.min_overlap_s (0.2 s) later and before the agent; " +
      "the latency is then negative. configuration.statistic selects another statistic.",
    unit: "milliseconds",
    basis: STARTS,
    evalType: "numeric",
    category: "Speech Quality",
    subCategory: "Latency",
    better: "lower",
    compute: latency,
    variants: {
      latency_p50_ms: latencyPercentile(2, "p50", "The median"),
      latency_p90_ms: latencyPercentile(3, "p90", "The 90th percentile"),
      latency_p95_ms: latencyPercentile(4, "p95", "The 95th percentile"),
      latency_p99_ms: latencyPercentile(5, "p99", "The 99th percentile")
    }
  },
  time_to_first_word_ms: {
    id: 6,
    revision: 1,
    name: "Time to first word",
    measures: "How long the call lasts before the agent says its first word.",
    formula: "the start of the agent's first segment, counted from the start of the call.",
    unit: "milliseconds",
    basis: "the start of every turn, in seconds from the start of the call.",
    evalType: "numeric",
    category: "Speech Quality",
    subCategory: "Latency",
    better: "lower",
    compute: timeToFirstWord
  }
} as const satisfies FormulaMetrics
