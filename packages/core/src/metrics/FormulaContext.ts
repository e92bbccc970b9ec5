/**
 * What formula metrics are computed from: the times and texts of turns, with no model and no network. Where an input is
 * missing, a formula returns null with the reason, never a made-up 0.
 */
import type { JsonObject } from "../kernel/Json.js"
import type { ToolCall, Turn } from "../transcripts/Transcript.js"
import {
  type FormulaResult,
  moment,
  type Moment,
  toMillionths,
  toThousandths,
  withoutValue,
  withValue
} from "./FormulaResult.js"
import { numberSetting } from "./Settings.js"
import {
  DEFAULT_PAUSE_SECONDS,
  type Interval,
  type Segment,
  type Speech,
  speechOf,
  type TimedSpeech,
  timedSpeech
} from "./Speech.js"
import { countWords, normalizeText } from "./Words.js"

/** The call that formulas measure. */
export interface FormulaCall {
  readonly turns: ReadonlyArray<Turn>
  readonly toolCalls: ReadonlyArray<ToolCall>
  /** Seconds; null where neither transcript nor recording gives it. */
  readonly durationSeconds: number | null
}

/** Inputs that several formulas of the same call share, computed once. */
export interface FormulaContext {
  readonly call: FormulaCall
  readonly speech: Speech
  /** Undefined where a time is missing. */
  readonly timed: TimedSpeech | undefined
  readonly agentTurns: ReadonlyArray<Turn>
  /** Words of the main agent. */
  readonly agentWords: () => number
  /** The agent's turns, each with its normalized text, for phrase searches. */
  readonly agentTexts: () => ReadonlyArray<{ readonly turn: Turn; readonly text: string }>
  /** All of these texts with line ends between them, which no phrase has. */
  readonly agentText: () => string
  /** @param overlapSeconds by how much an answer may begin before the user has ended, less than which it is none */
  readonly latencies: (overlapSeconds: number) => Latencies
  /** The same with the speech by another pause; see `Speech.speechOf`. */
  readonly withPause: (seconds: number) => FormulaContext
}

export type Formula = (context: FormulaContext, configuration: JsonObject | null) => FormulaResult

const lazy = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

const memoized = <A>(make: (key: number) => A): ((key: number) => A) => {
  const made = new Map<number, A>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}

export const formulaContext = (call: FormulaCall, pauseSeconds = DEFAULT_PAUSE_SECONDS): FormulaContext => {
  const speech = speechOf(call.turns, pauseSeconds)
  const agentTurns = call.turns.filter((turn) => turn.speaker === "main_agent" && turn.content.trim() !== "")
  const agentTexts = lazy(() => agentTurns.map((turn) => ({ turn, text: normalizeText(turn.content) })))
  return {
    call,
    speech,
    timed: timedSpeech(speech),
    agentTurns,
    agentWords: lazy(() => agentTurns.reduce((sum, turn) => sum + countWords(turn.content), 0)),
    agentTexts,
    agentText: lazy(() =>
      agentTexts()
        .map(({ text }) => text)
        .join("\n")
    ),
    latencies: memoized((overlapSeconds) => latenciesOf(speech, overlapSeconds)),
    withPause: memoized((seconds) => formulaContext(call, seconds))
  }
}

export const NO_SPEECH = "Nobody speaks in the transcript."
export const NO_AGENT = "The agent does not speak in the transcript."
export const NO_USER = "The user does not speak in the transcript."
export const NO_DURATION = "All speech falls into one instant."

const turns = (count: number): string => (count === 1 ? "1 turn has" : `${count} turns have`)

export const missingTimes = ({ turnsWithoutEnd, turnsWithoutStart }: Speech): string =>
  turnsWithoutStart > 0 ? `${turns(turnsWithoutStart)} no start time.` : `${turns(turnsWithoutEnd)} no end time.`

/** A formula that needs every start and end time. */
export const onTimedSpeech =
  (
    formula: (timed: TimedSpeech, configuration: JsonObject | null, context: FormulaContext) => FormulaResult
  ): Formula =>
  (context, configuration) =>
    context.speech.segments.length === 0 && context.speech.turnsWithoutStart === 0
      ? withoutValue(NO_SPEECH)
      : context.timed === undefined
        ? withoutValue(missingTimes(context.speech))
        : formula(context.timed, configuration, context)

export interface Latencies {
  readonly moments: ReadonlyArray<Moment>
  /** Whether the latency of an answer depends on an unknown end. */
  readonly isUnknown: boolean
}

/** Overlaps that are shorter are inaccurate boundaries: an early answer rather than an interruption. In seconds. */
const MIN_OVERLAP_SECONDS = 0.2

export const minOverlap = (configuration: JsonObject | null): number =>
  numberSetting(configuration, "min_overlap_s", MIN_OVERLAP_SECONDS)

/**
 * For each agent segment that answers the user: the time since the end of the user's last segment that began before it.
 * It answers if the agent was silent since, and the user has ended by then or ends less than `overlapSeconds` later and
 * before the agent; the time is then negative. One that starts earlier interrupts, and one that follows the agent's own
 * speech continues it.
 */
const latenciesOf = ({ segments }: Speech, overlapSeconds: number): Latencies => {
  const moments: Array<Moment> = []
  let isUnknown = false
  let user: Segment | undefined
  let agentEnd = Number.NEGATIVE_INFINITY
  for (const segment of segments) {
    if (segment.speaker === "testing_agent") {
      user = segment
      continue
    }
    const { end, start } = segment
    if (user !== undefined && agentEnd <= (user.end ?? user.start)) {
      if (user.end === undefined) isUnknown = true
      else if (
        user.end <= start ||
        (toThousandths(user.end - start) < overlapSeconds && (end === undefined || end > user.end))
      ) {
        moments.push(moment(user.end, start - user.end))
      }
    }
    // An agent segment without an end is taken to be over when the user's next speech ends.
    agentEnd = end ?? start
  }
  return { moments, isUnknown }
}

/** By time, then by length, so that the order of turns changes nothing. */
export const sortMoments = (moments: ReadonlyArray<Moment>): ReadonlyArray<Moment> =>
  moments.toSorted((a, b) => a.at_second - b.at_second || a.duration_ms - b.duration_ms)

export const momentsOf = (intervals: ReadonlyArray<Interval>): ReadonlyArray<Moment> =>
  intervals.map(({ end, start }) => moment(start, end - start))

export const ratio = (part: number, whole: number): number => toMillionths(Math.min(1, Math.max(0, part / whole)))

/** Compares with a threshold in seconds, to the millisecond. */
export const exceeds = (seconds: number, threshold: number): boolean => toThousandths(seconds) > threshold

/** The longest interval; of equal ones the first. */
export const longestOf = (intervals: ReadonlyArray<Interval>): Interval | undefined => {
  let longest: Interval | undefined
  for (const one of intervals) {
    // To the millisecond, so that floating-point noise decides nothing.
    if (longest === undefined || toThousandths(one.end - one.start) > toThousandths(longest.end - longest.start)) {
      longest = one
    }
  }
  return longest
}

const momentOfTurn = ({ endTime, startTime }: Turn): ReadonlyArray<Moment> =>
  startTime === undefined ? [] : [moment(startTime, (endTime ?? startTime) - startTime)]

/** Counts the agent's turns that match, with their moments where the times are known. */
export const countAgentTurns = (
  context: FormulaContext,
  matches: (text: string, turn: Turn) => boolean
): FormulaResult => {
  if (context.agentTurns.length === 0) return withoutValue(context.call.turns.length === 0 ? NO_SPEECH : NO_AGENT)
  const found = context.agentTexts().filter(({ text, turn }) => matches(text, turn))
  return withValue(found.length, sortMoments(found.flatMap(({ turn }) => momentOfTurn(turn))))
}
