/**
 * Metrics by formula: from the times and texts of turns, with no model and no network. Each says in the catalogue what it
 * measures; where what it needs is missing it answers null with the reason, never a made-up 0.
 */
import type { Json, JsonObject } from "../kernel/Json.js"
import type { ToolCall, Turn } from "../transcripts/Transcript.js"
import {
  type FormulaResult,
  withValue,
  moment,
  type Moment,
  toMillionths,
  toThousandths,
  withoutValue
} from "./FormulaResult.js"
import {
  type Interval,
  type Segment,
  type Speech,
  speechOf,
  type TimedSegment,
  type TimedSpeech,
  timedSpeech,
  totalOf
} from "./Speech.js"
import { countWords, containsPhrase, normalizeText } from "./Words.js"

/** What the formulas are asked about. */
export interface FormulaCall {
  readonly turns: ReadonlyArray<Turn>
  readonly toolCalls: ReadonlyArray<ToolCall>
  /** Seconds; null where neither transcript nor recording tells. */
  readonly durationSeconds: number | null
}

/** What several formulas ask of the same call, worked out once. */
export interface FormulaContext {
  readonly call: FormulaCall
  readonly speech: Speech
  /** Undefined where a time is missing. */
  readonly timed: TimedSpeech | undefined
  readonly agentTurns: ReadonlyArray<Turn>
  /** Words of the main agent. */
  readonly agentWords: () => number
  /** The agent's turns, each with its text as phrases are looked for in it. */
  readonly agentTexts: () => ReadonlyArray<{ readonly turn: Turn; readonly text: string }>
  readonly latencies: () => Latencies
}

export type Formula = (context: FormulaContext, configuration: JsonObject | null) => FormulaResult

const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined
  return () => (made ??= { value: make() }).value
}

export const formulaContext = (call: FormulaCall): FormulaContext => {
  const speech = speechOf(call.turns)
  const agentTurns = call.turns.filter((turn) => turn.speaker === "main_agent" && turn.content.trim() !== "")
  return {
    call,
    speech,
    timed: timedSpeech(speech),
    agentTurns,
    agentWords: once(() => agentTurns.reduce((sum, turn) => sum + countWords(turn.content), 0)),
    agentTexts: once(() => agentTurns.map((turn) => ({ turn, text: normalizeText(turn.content) }))),
    latencies: once(() => latenciesOf(speech))
  }
}

const NOBODY = "Nobody speaks in the transcript."
const NO_AGENT = "The agent does not speak in the transcript."
const NO_USER = "The user does not speak in the transcript."

const turns = (count: number): string => (count === 1 ? "1 turn has" : `${count} turns have`)

const missingTimes = ({ turnsWithoutEnd: open, turnsWithoutStart: unplaced }: Speech): string =>
  unplaced > 0 ? `${turns(unplaced)} no start time.` : `${turns(open)} no end time.`

/** A formula over speech whose every time is known. */
const onTimedSpeech =
  (
    formula: (timed: TimedSpeech, configuration: JsonObject | null, context: FormulaContext) => FormulaResult
  ): Formula =>
  (context, configuration) =>
    context.speech.segments.length === 0 && context.speech.turnsWithoutStart === 0
      ? withoutValue(NOBODY)
      : context.timed === undefined
        ? withoutValue(missingTimes(context.speech))
        : formula(context.timed, configuration, context)

/** A setting of a metric's `configuration` that is a number of at least 0; the formula's own where it is none. */
const setting = (configuration: JsonObject | null, name: string, otherwise: number): number => {
  const given: Json | undefined = configuration?.[name]
  return typeof given === "number" && given >= 0 ? given : otherwise
}

const texts = (configuration: JsonObject | null, name: string): ReadonlyArray<string> | undefined => {
  const given: Json | undefined = configuration?.[name]
  return Array.isArray(given) ? given.filter((one): one is string => typeof one === "string") : undefined
}

/** The quantile `p` of sorted numbers, by linear interpolation between ranks, as charts compute theirs. */
export const quantile = (sorted: ReadonlyArray<number>, p: number): number => {
  const position = p * (sorted.length - 1)
  const below = Math.floor(position)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[below + 1] ?? low
  return low + (high - low) * (position - below)
}

const mean = (values: ReadonlyArray<number>): number => values.reduce((sum, value) => sum + value, 0) / values.length

const statisticsOf = (values: ReadonlyArray<number>) => {
  const sorted = [...values].sort((a, b) => a - b)
  return {
    count: values.length,
    mean: toThousandths(mean(values)),
    p50: toThousandths(quantile(sorted, 0.5)),
    p90: toThousandths(quantile(sorted, 0.9)),
    p95: toThousandths(quantile(sorted, 0.95)),
    p99: toThousandths(quantile(sorted, 0.99))
  }
}

/** The statistics that a sample's metric can show; `configuration.statistic` names another than the mean. */
export const STATISTICS = ["mean", "p50", "p90", "p95", "p99"] as const

/** A metric over several samples in milliseconds, each with its moment. */
const sample = (moments: ReadonlyArray<Moment>, configuration: JsonObject | null): FormulaResult => {
  const statistics = statisticsOf(moments.map((one) => one.duration_ms))
  const name = STATISTICS.find((one) => one === configuration?.statistic) ?? "mean"
  return withValue(statistics[name], moments, statistics)
}

interface Latencies {
  readonly moments: ReadonlyArray<Moment>
  /** Whether an answer's latency depends on an end that is not known. */
  readonly isUnknown: boolean
}

/**
 * For each of the agent's segments that answers the user: the time from the end of the user's speech before it. An
 * agent's segment answers if the user has ended by then and the agent was silent since that end; one that starts while
 * the user speaks interrupts, and one that follows the agent's own speech goes on.
 */
const latenciesOf = ({ segments }: Speech): Latencies => {
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
      else if (user.end <= start) moments.push(moment(user.end, start - user.end))
    }
    // Without an end of its own, what the agent said before the user spoke is taken to be over when the user ends.
    agentEnd = end ?? start
  }
  return { moments, isUnknown }
}

const latency: Formula = (context, configuration) => {
  const { speech } = context
  if (context.call.turns.length === 0) return withoutValue(NOBODY)
  if (speech.turnsWithoutStart > 0) return withoutValue(missingTimes(speech))
  if (speech.agent.length === 0) return withoutValue(NO_AGENT)
  if (speech.user.length === 0) return withoutValue(NO_USER)
  const { isUnknown, moments } = context.latencies()
  return moments.length > 0
    ? sample(moments, configuration)
    : withoutValue(isUnknown ? missingTimes(speech) : "The agent never answers after the user has spoken.")
}

const timeToFirstWord: Formula = ({ speech }) => {
  if (speech.turnsWithoutStart > 0) return withoutValue(missingTimes(speech))
  const first = speech.agent[0]
  return first === undefined
    ? withoutValue(speech.segments.length === 0 ? NOBODY : NO_AGENT)
    : withValue(toThousandths(first.start * 1000), [moment(0, first.start)])
}

/** Overlaps shorter than this are taken for the edges of turns and not for interruptions. */
const MIN_OVERLAP_SECONDS = 0.2

interface Interruption {
  /** From the interruption to the end of whoever was interrupted, or of the interruption if that is first. */
  readonly overlap: Interval
  readonly interrupted: TimedSegment
}

/** Segments that start strictly within one of the other speaker's, and overlap with it for long enough. */
const interruptions = (
  by: ReadonlyArray<TimedSegment>,
  of: ReadonlyArray<TimedSegment>,
  configuration: JsonObject | null
): ReadonlyArray<Interruption> => {
  const least = setting(configuration, "min_overlap_s", MIN_OVERLAP_SECONDS)
  const found: Array<Interruption> = []
  let next = 0
  for (const one of by) {
    // The other's segments are disjoint and in order: the one that may be running is the last to start before this.
    while ((of[next + 1]?.start ?? Number.POSITIVE_INFINITY) < one.start) next++
    const other = of[next]
    if (other === undefined || other.start >= one.start || other.end <= one.start) continue
    const overlap = { start: one.start, end: Math.min(one.end, other.end) }
    // To the millisecond, so that the same call shifted in time has the same interruptions.
    if (toThousandths(overlap.end - overlap.start) >= least) found.push({ overlap, interrupted: other })
  }
  return found
}

/** In order of time, and of length where they begin together, so that the order of turns changes nothing. */
const inOrder = (moments: ReadonlyArray<Moment>): ReadonlyArray<Moment> =>
  moments.toSorted((a, b) => a.at_second - b.at_second || a.duration_ms - b.duration_ms)

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

/** From the first word to the last, which is all speech and what lies between it. */
const spanOf = ({ gaps, spoken }: TimedSpeech): number => totalOf(spoken) + totalOf(gaps)

const NO_TIME = "All speech falls into one instant."

const interruptionRate = onTimedSpeech((timed, configuration) => {
  const span = spanOf(timed)
  if (span === 0) return withoutValue(NO_TIME)
  const found = [
    ...interruptions(timed.agent, timed.user, configuration),
    ...interruptions(timed.user, timed.agent, configuration)
  ]
  return withValue(toMillionths(found.length / (span / 60)), inOrder(overlapMoments(found)))
})

const stopTime = onTimedSpeech(({ agent, user }, configuration) => {
  if (agent.length === 0) return withoutValue(NO_AGENT)
  const found = interruptions(user, agent, configuration)
  return found.length === 0
    ? withoutValue("The user never interrupts the agent.")
    : sample(
        found.map(({ interrupted, overlap }) => moment(overlap.start, interrupted.end - overlap.start)),
        configuration
      )
})

const momentsOf = (intervals: ReadonlyArray<Interval>): ReadonlyArray<Moment> =>
  intervals.map(({ end, start }) => moment(start, end - start))

const ratio = (part: number, whole: number): number => toMillionths(Math.min(1, Math.max(0, part / whole)))

const overlapRatio = onTimedSpeech(({ overlaps, spoken }) => {
  const whole = totalOf(spoken)
  return whole === 0 ? withoutValue(NO_TIME) : withValue(ratio(totalOf(overlaps), whole), momentsOf(overlaps))
})

const talkRatio = onTimedSpeech(({ agent, user }) => {
  const [ofAgent, ofUser] = [totalOf(agent), totalOf(user)]
  return ofAgent + ofUser === 0 ? withoutValue(NO_TIME) : withValue(ratio(ofAgent, ofAgent + ofUser))
})

const wordsPerMinute = onTimedSpeech(({ agent }, _, context) => {
  const seconds = totalOf(agent)
  if (agent.length === 0) return withoutValue(NO_AGENT)
  return seconds === 0 ? withoutValue(NO_TIME) : withValue(toThousandths(context.agentWords() / (seconds / 60)))
})

const longestOf = (intervals: ReadonlyArray<Interval>): Interval | undefined => {
  let longest: Interval | undefined
  for (const one of intervals) {
    // To the millisecond, so that of equal ones the first counts.
    if (longest === undefined || toThousandths(one.end - one.start) > toThousandths(longest.end - longest.start)) {
      longest = one
    }
  }
  return longest
}

/** Comparisons with a threshold in seconds, to the millisecond. */
const exceeds = (seconds: number, threshold: number): boolean => toThousandths(seconds) > threshold

const silenceDetection = onTimedSpeech(({ gaps }, configuration) => {
  const longest = longestOf(gaps)
  const most = setting(configuration, "max_silence_s", 10)
  return longest === undefined
    ? withValue(true)
    : withValue(!exceeds(longest.end - longest.start, most), momentsOf([longest]), {
        longest_silence_s: toThousandths(longest.end - longest.start)
      })
})

const deadAirRatio = onTimedSpeech((timed) => {
  const span = spanOf(timed)
  return span === 0 ? withoutValue(NO_TIME) : withValue(ratio(totalOf(timed.gaps), span), momentsOf(timed.gaps))
})

const excessiveSilence = onTimedSpeech(({ gaps }, configuration) => {
  const least = setting(configuration, "min_silence_s", 3)
  const found = gaps.filter(({ end, start }) => exceeds(end - start, least))
  return withValue(found.length, momentsOf(found))
})

/** Silences in which the user waits for the agent: those the user's speech ends with, and the one the call ends with. */
const infrastructureIssues = onTimedSpeech((timed, configuration, { call }) => {
  if (timed.user.length === 0) return withoutValue(NO_USER)
  const most = setting(configuration, "max_wait_s", 10)
  const userEnds = new Set(timed.user.map((one) => one.end))
  const speechEnd = timed.spoken.reduce((latest, one) => Math.max(latest, one.end), Number.NEGATIVE_INFINITY)
  const silences = [...timed.gaps, { start: speechEnd, end: call.durationSeconds ?? speechEnd }]
  const found = silences.filter(({ end, start }) => userEnds.has(start) && exceeds(end - start, most))
  return withValue(found.length === 0, momentsOf(found))
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
    ? withoutValue(call.turns.length === 0 ? NOBODY : NO_AGENT)
    : withValue(toThousandths(agentWords() / agentTurns.length))

/** What an agent says that did not get, or did not understand, an answer. */
export const REPROMPT_PHRASES: ReadonlyArray<string> = [
  "are you still there",
  "are you there",
  "can you hear me",
  "could you repeat",
  "can you repeat",
  "say that again",
  "come again",
  "I didn't catch",
  "I did not catch",
  "didn't get that",
  "did not get that",
  "I didn't hear",
  "I didn't understand",
  "I did not understand",
  "I'm not sure I understood",
  "sorry I missed that",
  "please repeat"
]

/** As `normalized`; what has no words is no phrase. */
const normalizedPhrases = (phrases: ReadonlyArray<string>): ReadonlyArray<string> =>
  phrases.map(normalizeText).filter((phrase) => phrase !== "")

const builtInReprompts = normalizedPhrases(REPROMPT_PHRASES)

const momentOfTurn = ({ endTime, startTime }: Turn): ReadonlyArray<Moment> =>
  startTime === undefined ? [] : [moment(startTime, (endTime ?? startTime) - startTime)]

/** The agent's turns that match, with their moments where they are known. */
const counted = (context: FormulaContext, matches: (text: string, turn: Turn) => boolean): FormulaResult => {
  if (context.agentTurns.length === 0) return withoutValue(context.call.turns.length === 0 ? NOBODY : NO_AGENT)
  const found = context.agentTexts().filter(({ text, turn }) => matches(text, turn))
  return withValue(found.length, inOrder(found.flatMap(({ turn }) => momentOfTurn(turn))))
}

const reprompts: Formula = (context, configuration) => {
  const own = texts(configuration, "phrases")
  const phrases = own === undefined ? builtInReprompts : normalizedPhrases(own)
  return counted(context, (text) => phrases.some((phrase) => containsPhrase(text, phrase)))
}

/** Turns of fewer words are repeated in any conversation: "Yes.", "One moment please." */
const MIN_REPEATED_WORDS = 4

const repeatedReplies: Formula = (context, configuration) => {
  const least = setting(configuration, "min_words", MIN_REPEATED_WORDS)
  const seen = new Set<string>()
  return counted(context, (text, { content }) => {
    if (countWords(content) < least) return false
    if (seen.has(text)) return true
    seen.add(text)
    return false
  })
}

const toolCallSuccess: Formula = ({ call }) => {
  if (call.toolCalls.length === 0) return withoutValue("The agent called no tool.")
  const told = call.toolCalls.filter((one) => one.succeeded !== undefined)
  if (told.length === 0) return withoutValue("The transcript does not tell how its tool calls ended.")
  const failed = told.filter((one) => one.succeeded === false)
  return withValue(
    ratio(told.length - failed.length, told.length),
    failed.flatMap(({ endTime, startTime }) =>
      startTime === undefined ? [] : [moment(startTime, Math.max(0, (endTime ?? startTime) - startTime))]
    )
  )
}

const callDuration: Formula = ({ call }) =>
  call.durationSeconds === null
    ? withoutValue("Neither transcript nor recording tells how long the call took.")
    : withValue(toThousandths(call.durationSeconds))

const phraseCompliance: Formula = (context, configuration) => {
  const required = normalizedPhrases(texts(configuration, "required") ?? [])
  const forbidden = normalizedPhrases(texts(configuration, "forbidden") ?? [])
  const rules = required.length + forbidden.length
  if (rules === 0)
    return withoutValue("No phrases are configured: set configuration.required or configuration.forbidden.")
  const broken = counted(context, (text) => forbidden.some((phrase) => containsPhrase(text, phrase)))
  if (broken.value === null) return broken
  const isSaid = (phrase: string) => context.agentTexts().some(({ text }) => containsPhrase(text, phrase))
  const kept = required.filter(isSaid).length + forbidden.filter((phrase) => !isSaid(phrase)).length
  return withValue(ratio(kept, rules), broken.moments)
}

/** The formulas by the name that a metric's `function_name` gives. */
export const formulas = {
  latency_ms: latency,
  time_to_first_word_ms: timeToFirstWord,
  ai_interrupting_user: aiInterruptingUser,
  user_interrupting_ai: userInterruptingAi,
  interruption_score: interruptionScore,
  interruption_rate: interruptionRate,
  stop_time_ms: stopTime,
  overlap_ratio: overlapRatio,
  talk_ratio: talkRatio,
  words_per_minute: wordsPerMinute,
  silence_detection: silenceDetection,
  dead_air_ratio: deadAirRatio,
  infrastructure_issues: infrastructureIssues,
  excessive_silence: excessiveSilence,
  longest_monologue_s: longestMonologue,
  words_per_turn: wordsPerTurn,
  reprompts,
  repeated_replies: repeatedReplies,
  tool_call_success: toolCallSuccess,
  call_duration_s: callDuration,
  phrase_compliance: phraseCompliance
} as const satisfies Record<string, Formula>

export type FormulaName = keyof typeof formulas

export const isFormulaName = (name: string): name is FormulaName => Object.hasOwn(formulas, name)

const isSettings = (value: Json): value is JsonObject | null => typeof value === "object" && !Array.isArray(value)

/** A configuration as formulas read it: what is no object configures nothing. */
export const settingsOf = (configuration: Json): JsonObject | null => (isSettings(configuration) ? configuration : null)

/** What a formula says of a call. */
export const measure = (name: FormulaName, context: FormulaContext, configuration: Json): FormulaResult =>
  formulas[name](context, settingsOf(configuration))
