/**
 * Properties of the formula metrics. Source: docs/metrics.md, What formulas measure; what each measures is in its
 * description in the list of predefined metrics (interface, E11).
 */
import type { FormulaName, Json, FormulaResult, FormulaCall, Speaker, ToolCall, Turn } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, invariant, type Property, property, expectEvery } from "../Property.js"
import { type GridTurn, gridConversation, timingsOf } from "./TimingOracle.js"
import { anyTurns, shifted, shuffled, timedTurns } from "./SpeechArbitraries.js"

/** The result of a formula for a call, with its metric's `configuration`. */
export type MeasureFormula = (name: FormulaName, call: FormulaCall, configuration: Json) => FormulaResult

const turn =
  (speaker: Speaker) =>
  (content: string, startTime?: number, endTime?: number): Turn => ({ speaker, content, startTime, endTime, words: [] })
const agent = turn("main_agent")
const user = turn("testing_agent")

const callOf = (turns: ReadonlyArray<Turn>, durationSeconds: number | null = null): FormulaCall => ({
  turns,
  toolCalls: [],
  durationSeconds
})

/** The agent speaks 1-3, 7-9 and 12-14, the user 3.5-6 and 9.2-10: 6 s and 3.3 s of the 13 from 1 to 14. */
const orderly = callOf(
  [
    agent("Good morning, how may I help?", 1, 3),
    user("I would like to book a table.", 3.5, 6),
    agent("Certainly, for how many people?", 7, 9),
    user("Four.", 9.2, 10),
    agent("A table for four is booked.", 12, 14)
  ],
  20
)

/** The user speaks 0-3 and 4-8, the agent 2-5 and 7.9-10: both 2-3, 4-5 and 7.9-8, the last too short to count. */
const together = callOf(
  [
    user("I want to know when", 0, 3),
    agent("Let me look that up.", 2, 5),
    user("no wait, it is another one", 4, 8),
    agent("Here it is.", 7.9, 10)
  ],
  12
)

/** Silence 1-2, 4-20, 22-25.5 and 26-27, and 30 s after the user's last word. */
const waiting = callOf(
  [
    agent("Hello!", 0, 1),
    user("A table for two, please.", 2, 4),
    agent("Are you still there?", 20, 22),
    agent("Are you still there?", 25.5, 26),
    user("Yes, I am.", 27, 30)
  ],
  60
)

const alone = callOf([agent("Please leave a message.", 0.5, 2.5)])
const timeless = callOf([agent("Hello there"), user("Hi")])

const conversations = [orderly, together, waiting, alone, timeless, callOf([])]

/** The value of each formula for orderly, together, waiting, alone, timeless and no turns; null for no value. */
const worked: ReadonlyArray<readonly [name: FormulaName, ...values: ReadonlyArray<number | boolean | null>]> = [
  // Of together, the agent answers 0.1 s before the user has ended.
  ["latency_ms", 1500, -100, 16_000, null, null, null],
  ["time_to_first_word_ms", 1000, 2000, 0, 500, null, null],
  ["ai_interrupting_user", 0, 1, 0, null, null, null],
  ["user_interrupting_ai", 0, 1, 0, 0, null, null],
  ["interruption_score", 1, 0.5, 1, null, null, null],
  // Two in ten seconds.
  ["interruption_rate", 0, 12, 0, 0, null, null],
  ["stop_time_ms", null, 1000, null, null, null, null],
  ["overlap_ratio", 0, 0.21, 0, 0, null, null],
  // 6 / 9.3, 5.1 / 12.1 and 3.5 / 8.5.
  ["talk_ratio", 0.645161, 0.421488, 0.411765, 1, null, null],
  // 17 words in 6 s, 8 in 5.1 s, 9 in 3.5 s and 4 in 2 s.
  ["words_per_minute", 170, 94.118, 154.286, 120, null, null],
  ["silence_detection", true, true, false, true, null, null],
  // 3.7 s of 13, none, 21.5 s of 30.
  ["dead_air_ratio", 0.284615, 0, 0.716667, 0, null, null],
  ["infrastructure_issues", true, true, false, null, null, null],
  ["excessive_silence", 0, 0, 2, 0, null, null],
  ["longest_monologue_s", 2, 3, 6, 2, null, null],
  ["words_per_turn", 5.667, 4, 3, 4, 2, null],
  ["reprompts", 0, 0, 2, 0, 0, null],
  ["repeated_replies", 0, 0, 1, 0, 0, null],
  ["call_duration_s", 20, 12, 60, null, null, null],
  ["tool_call_success", null, null, null, null, null, null],
  ["phrase_compliance", null, null, null, null, null, null]
]

const names = worked.map(([name]) => name)

/** The value of a formula with a setting. */
const configured: ReadonlyArray<
  readonly [name: FormulaName, call: FormulaCall, configuration: Json, value: number | boolean | null]
> = [
  ["latency_ms", orderly, { statistic: "p50" }, 1500],
  ["latency_ms", orderly, { statistic: "p95" }, 1950],
  ["latency_ms", together, { min_overlap_s: 0.1 }, null],
  ["ai_interrupting_user", together, { min_overlap_s: 0.1 }, 2],
  ["ai_interrupting_user", together, { min_overlap_s: 1.1 }, 0],
  ["user_interrupting_ai", together, { min_overlap_s: 1 }, 1],
  ["silence_detection", orderly, { max_silence_s: 2 }, true],
  ["silence_detection", orderly, { max_silence_s: 1.9 }, false],
  ["excessive_silence", orderly, { min_silence_s: 1 }, 1],
  ["infrastructure_issues", orderly, { max_wait_s: 1.5 }, false],
  ["infrastructure_issues", waiting, { max_wait_s: 30 }, true],
  ["repeated_replies", waiting, { min_words: 5 }, 0],
  ["reprompts", orderly, { phrases: ["how many"] }, 1],
  ["phrase_compliance", orderly, { required: ["how may I help", "recorded line"] }, 0.5],
  ["phrase_compliance", orderly, { forbidden: ["booked"] }, 0]
]

/** How a value scales with all times and settings in seconds: 1 proportionally, 0 not at all, -1 inversely. */
const growth: Readonly<Partial<Record<FormulaName, 1 | -1>>> = {
  latency_ms: 1,
  time_to_first_word_ms: 1,
  stop_time_ms: 1,
  longest_monologue_s: 1,
  call_duration_s: 1,
  interruption_rate: -1,
  words_per_minute: -1
}

/** Formulas that count from the start of the call, so that later times change them. */
const fromTheStart: ReadonlySet<string> = new Set(["time_to_first_word_ms", "call_duration_s"])
/** Formulas that need text and no times. */
const ofTexts: ReadonlySet<string> = new Set(["words_per_turn", "reprompts", "repeated_replies"])
const counts: ReadonlySet<string> = new Set([
  "ai_interrupting_user",
  "user_interrupting_ai",
  "excessive_silence",
  "reprompts",
  "repeated_replies"
])
const ratios: ReadonlySet<string> = new Set(["interruption_score", "overlap_ratio", "talk_ratio", "dead_air_ratio"])

const secondsOf = (factor: number): Json => ({
  min_overlap_s: 0.2 * factor,
  max_silence_s: 10 * factor,
  min_silence_s: 3 * factor,
  max_wait_s: 10 * factor,
  max_pause_s: 0.5 * factor,
  backchannel_max_s: factor
})

/** Scales all times, to the millisecond. */
const stretched = (turns: ReadonlyArray<Turn>, factor: number): ReadonlyArray<Turn> => {
  const scaled = (seconds: number | undefined) =>
    seconds === undefined ? undefined : (Math.round(seconds * 1000) * factor) / 1000
  return turns.map((one) => ({ ...one, startTime: scaled(one.startTime), endTime: scaled(one.endTime) }))
}

const turnOnGrid = ({ end, hasWordTimes, speaker, start, words }: GridTurn): Turn => ({
  speaker,
  content: words.map(() => "word").join(" "),
  startTime: start / 1000,
  endTime: end / 1000,
  words: words.map((one) => ({
    text: "word",
    startTime: hasWordTimes ? one.start / 1000 : undefined,
    endTime: hasWordTimes ? (one.start + one.length) / 1000 : undefined
  }))
})

/** Tolerance: values are rounded to three or six decimals after scaling. */
const isNear = (one: FormulaResult["value"], other: FormulaResult["value"], factor: number): boolean =>
  typeof one === "number" && typeof other === "number" ? Math.abs(one - other) <= 0.002 * factor : one === other

const expectNear = (
  what: string,
  actual: FormulaResult["value"],
  expected: FormulaResult["value"],
  factor: number
): void => {
  if (!isNear(actual, expected, factor)) expectEqual(what, actual, expected)
}

/** Properties of every implementation of the formulas. */
export const formulaProperties = (measure: MeasureFormula): ReadonlyArray<Property> => {
  const all = (turns: ReadonlyArray<Turn>, durationSeconds: number | null, configuration: Json = null) =>
    names.map((name) => [name, measure(name, callOf(turns, durationSeconds), configuration)] as const)
  return [
    ...worked.map(([name, ...values]) =>
      invariant(`${name} is as worked out by hand`, () => {
        const found = conversations.map((call) => measure(name, call, null).value)
        expectEqual(`${name} of six conversations`, found, values)
      })
    ),
    property(
      "timing metrics are those of a grid of milliseconds",
      [gridConversation.chain((one) => fc.tuple(fc.constant(one), shuffled(one.turns.map(turnOnGrid))))],
      ([{ durationMillis, turns }, inAnyOrder]) => {
        const call = callOf(inAnyOrder, durationMillis / 1000)
        for (const [name, expected] of timingsOf(turns, durationMillis)) {
          const { value } = measure(name, call, null)
          if (!isNear(value, expected, 1)) expectEqual(`${name} of ${JSON.stringify(turns)}`, value, expected)
        }
      },
      500
    ),
    invariant("settings come from the metric's configuration", () => {
      for (const [name, call, configuration, value] of configured) {
        expectEqual(`${name} by ${JSON.stringify(configuration)}`, measure(name, call, configuration).value, value)
      }
    }),
    invariant("tool calls are scored by those with a known outcome", () => {
      const tool = (succeeded: boolean | undefined): ToolCall => ({
        id: undefined,
        name: "book",
        arguments: "{}",
        result: undefined,
        succeeded,
        startTime: undefined,
        endTime: undefined
      })
      const toolCalls = [true, false, undefined, true].map(tool)
      expectEqual(
        'measure("tool_call_success", { ...orderly, toolCalls }, null).value',
        measure("tool_call_success", { ...orderly, toolCalls }, null).value,
        0.666667
      )
    }),
    property(
      "a formula returns a value or a reason: ratios from 0 to 1, whole counts, nothing but latencies below 0",
      [anyTurns, fc.option(fc.nat({ max: 100 }))],
      (turns, duration) => {
        expectEvery(
          "all(turns, duration)",
          all(turns, duration),
          ([name, { moments, reason, value }]) =>
            (value === null) === (reason !== null) &&
            (typeof value !== "number" ||
              ((value >= 0 || name === "latency_ms") &&
                Number.isFinite(value) &&
                (!ratios.has(name) || value <= 1) &&
                (!counts.has(name) || Number.isInteger(value)))) &&
            moments.every(({ at_second, duration_ms }) => at_second >= 0 && (duration_ms >= 0 || name === "latency_ms"))
        )
      },
      100
    ),
    property(
      "the order of turns changes nothing",
      [timedTurns().chain((turns) => fc.tuple(fc.constant(turns), shuffled(turns)))],
      ([turns, others]) => {
        // Which of two equal turns repeats the other depends on their order.
        const comparable = (found: ReturnType<typeof all>) =>
          found.map(([name, one]) => (name === "repeated_replies" ? [name, one.value] : [name, one]))
        expectEqual("what is said", comparable(all(others, null)), comparable(all(turns, null)))
      },
      100
    ),
    property(
      "shifting all times changes only what is counted from the start of the call",
      [timedTurns(), fc.nat({ max: 1000 })],
      (turns, seconds) => {
        const values = (found: ReturnType<typeof all>) =>
          found.filter(([name]) => !fromTheStart.has(name)).map(([name, { value }]) => [name, value])
        expectEqual("the values", values(all(shifted(turns, seconds), 60 + seconds)), values(all(turns, 60)))
      },
      100
    ),
    property(
      "shifting all times shifts the time to first word",
      [timedTurns(), fc.nat({ max: 1000 })],
      (turns, seconds) => {
        const [there, later] = [turns, shifted(turns, seconds)].map(
          (some) => measure("time_to_first_word_ms", callOf(some), null).value
        )
        const starts = turns.flatMap(({ speaker, startTime }) =>
          speaker === "main_agent" && startTime !== undefined ? [startTime] : []
        )
        if (starts.length === 0) {
          expectEqual("there", there, null)
          expectEqual("later", later, null)
        } else {
          expectNear("the time", there ?? null, Math.min(...starts) * 1000, 1)
          expectNear("the time, moved", later ?? null, (Math.min(...starts) + seconds) * 1000, 1)
        }
      },
      100
    ),
    property(
      "scaling all times scales durations, and keeps ratios and counts",
      [timedTurns(), fc.integer({ min: 2, max: 10 })],
      (turns, factor) => {
        const slow = new Map(all(stretched(turns, factor), 90 * factor, secondsOf(factor)))
        for (const [name, { value }] of all(turns, 90, secondsOf(1))) {
          const grown = typeof value === "number" ? value * factor ** (growth[name] ?? 0) : value
          if (!isNear(slow.get(name)?.value ?? null, grown, factor))
            throw new Error(`${name}: ${String(slow.get(name)?.value)} instead of ${String(grown)}`)
        }
      },
      100
    ),
    property(
      "missing times never give a made-up value",
      [timedTurns().filter((turns) => turns.length > 0)],
      (turns) => {
        const without = turns.map((one) => ({ ...one, startTime: undefined, endTime: undefined }))
        expectEvery(
          "all(without, null)",
          all(without, null),
          ([name, { value }]) => value === null || ofTexts.has(name)
        )
      },
      100
    )
  ]
}
