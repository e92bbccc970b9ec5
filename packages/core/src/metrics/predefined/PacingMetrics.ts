import {
  type Formula,
  longestOf,
  momentsOf,
  NO_AGENT,
  NO_DURATION,
  NO_SPEECH,
  onTimedSpeech,
  ratio
} from "../FormulaContext.js"
import { toThousandths, withoutValue, withValue } from "../FormulaResult.js"
import { type Interval, type TimedSpeech, totalOf } from "../Speech.js"
import { ALL_TIMES, type FormulaMetrics } from "./Definition.js"

const talkRatio = onTimedSpeech(({ agent, user }) => {
  const [ofAgent, ofUser] = [totalOf(agent), totalOf(user)]
  return ofAgent + ofUser === 0 ? withoutValue(NO_DURATION) : withValue(ratio(ofAgent, ofAgent + ofUser))
})

const wordsPerMinute = onTimedSpeech(({ agent }, _, context) => {
  const seconds = totalOf(agent)
  if (agent.length === 0) return withoutValue(NO_AGENT)
  return seconds === 0 ? withoutValue(NO_DURATION) : withValue(toThousandths(context.agentWords() / (seconds / 60)))
})

/** Stretches of the agent's segments in which the user neither begins to speak nor speaks in the pauses. */
const monologues = ({ segments }: TimedSpeech): ReadonlyArray<Interval> => {
  const found: Array<Interval> = []
  let running: { readonly start: number; end: number } | undefined
  let userEnd = Number.NEGATIVE_INFINITY
  for (const { end, speaker, start } of segments) {
    if (speaker === "testing_agent") {
      userEnd = end
      running = undefined
    } else if (running !== undefined && userEnd <= running.end) {
      running.end = end
    } else {
      running = { start, end }
      found.push(running)
    }
  }
  return found
}

const longestMonologue = onTimedSpeech((timed) => {
  const longest = longestOf(monologues(timed))
  return longest === undefined
    ? withoutValue(NO_AGENT)
    : withValue(toThousandths(longest.end - longest.start), momentsOf([longest]))
})

const wordsPerTurn: Formula = ({ agentTurns, agentWords, call }) =>
  agentTurns.length === 0
    ? withoutValue(call.turns.length === 0 ? NO_SPEECH : NO_AGENT)
    : withValue(toThousandths(agentWords() / agentTurns.length))

const callDuration: Formula = ({ call }) =>
  call.durationSeconds === null
    ? withoutValue("Neither transcript nor recording gives the duration of the call.")
    : withValue(toThousandths(call.durationSeconds))

/** How much and how fast is spoken. */
export const pacingMetrics = {
  talk_ratio: {
    id: 13,
    revision: 1,
    name: "Talk ratio",
    measures: "The agent's share of the talk.",
    formula: "the agent's speaking time over the sum of the agent's and the user's.",
    unit: "ratio from 0 (the user alone speaks) to 1 (the agent alone)",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Pacing",
    better: null,
    compute: talkRatio
  },
  words_per_minute: {
    id: 14,
    revision: 1,
    name: "Words per minute",
    measures: "How fast the agent speaks.",
    formula: "the agent's words over the minutes of its speaking time.",
    unit: "words a minute",
    basis: `the text of the agent's turns and ${ALL_TIMES}`,
    evalType: "numeric",
    category: "Speech Quality",
    subCategory: "Pacing",
    better: null,
    compute: wordsPerMinute
  },
  longest_monologue_s: {
    id: 19,
    revision: 1,
    name: "Longest monologue",
    measures: "The longest time that the agent speaks before the user does.",
    formula:
      "the longest time from the start of a segment of the agent's to the end of its last one before the user begins to " +
      "speak, the agent's own pauses included as far as the user is silent in them.",
    unit: "seconds",
    basis: ALL_TIMES,
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Pacing",
    better: "lower",
    compute: longestMonologue
  },
  words_per_turn: {
    id: 20,
    revision: 1,
    name: "Words per turn",
    measures: "How much the agent says at a time.",
    formula: "the agent's words over its turns.",
    unit: "words",
    basis: "the text of the agent's turns; no times are needed.",
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Pacing",
    better: null,
    compute: wordsPerTurn
  },
  call_duration_s: {
    id: 24,
    revision: 1,
    name: "Call duration",
    measures: "How long the call takes.",
    formula: "the last end of transcript or recording, counted from the start of the call.",
    unit: "seconds",
    basis: "the ends of turns and the length of the recording.",
    evalType: "numeric",
    category: "Conversation Quality",
    subCategory: "Pacing",
    better: null,
    compute: callDuration
  }
} as const satisfies FormulaMetrics
