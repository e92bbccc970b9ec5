import { formulaContext, type FormulaName, measure, type Json, type ToolCall } from "@earshot/core"
import { MetricKit } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import {
  agent,
  user,
  plain,
  overlapping,
  silent,
  open,
  agentAlone,
  userAlone,
  unplaced,
  measureTurns,
  NOBODY,
  NO_AGENT,
  NO_USER,
  NO_END,
  NO_LENGTH,
  NO_START
} from "./transcripts.js"

/** For each formula what it makes of plain, overlapping, silent, open, agentAlone, userAlone, no turns, unplaced. */
const worked: ReadonlyArray<readonly [name: FormulaName, ...expected: ReadonlyArray<number | boolean | string>]> = [
  ["latency_ms", 750, 1000, 7750, 1000, NO_USER, NO_AGENT, NOBODY, NO_START],
  ["time_to_first_word_ms", 0, 3000, 4500, 0, 0, NO_AGENT, NOBODY, NO_START],
  ["ai_interrupting_user", 0, 1, 0, NO_END, NO_USER, 0, NOBODY, NO_START],
  ["user_interrupting_ai", 0, 1, 0, NO_END, 0, NO_AGENT, NOBODY, NO_START],
  ["interruption_score", 1, 0.5, 1, NO_END, NO_USER, 1, NOBODY, NO_START],
  ["interruption_rate", 0, 9.230769, 0, NO_END, 0, 0, NOBODY, NO_START],
  [
    "stop_time_ms",
    "The user never interrupts the agent.",
    1000,
    "The user never interrupts the agent.",
    NO_END,
    "The user never interrupts the agent.",
    NO_AGENT,
    NOBODY,
    NO_START
  ],
  ["overlap_ratio", 0, 0.166667, 0, NO_END, 0, 0, NOBODY, NO_START],
  ["talk_ratio", 0.666667, 0.5, 0.333333, NO_END, 1, 0, NOBODY, NO_START],
  ["words_per_minute", 170, 120, 240, NO_END, 70, NO_AGENT, NOBODY, NO_START],
  ["silence_detection", true, true, false, NO_END, true, true, NOBODY, NO_START],
  ["dead_air_ratio", 0.25, 0.076923, 0.795455, NO_END, 0.25, 0.2, NOBODY, NO_START],
  ["infrastructure_issues", true, true, false, NO_END, NO_USER, true, NOBODY, NO_START],
  ["excessive_silence", 0, 0, 2, NO_END, 0, 0, NOBODY, NO_START],
  ["longest_monologue_s", 2, 4, 1, NO_END, 8, NO_AGENT, NOBODY, NO_START],
  ["words_per_turn", 5.667, 4.667, 3, 3, 3.5, NO_AGENT, NOBODY, 1],
  ["reprompts", 0, 0, 1, 0, 0, NO_AGENT, NOBODY, 0],
  ["repeated_replies", 0, 0, 0, 0, 0, NO_AGENT, NOBODY, 0],
  ["call_duration_s", 12, 13, 40, 10, 8, 5, NO_LENGTH, NO_LENGTH]
]

describe("formulas on hand-computed transcripts", () => {
  const transcripts = { plain, overlapping, silent, open, agentAlone, userAlone, noTurns: [], unplaced }

  it.each(worked.map(([name, ...expected]) => ({ name, expected })))("$name", ({ expected, name }) => {
    const found = Object.values(transcripts).map((turns) => {
      const { reason, value } = measureTurns(name, turns)
      expect((value === null) === (reason !== null)).toBe(true)
      return value ?? reason
    })
    expect(found).toEqual(expected)
  })

  it("stores every statistic of the latencies and shows the configured one", () => {
    const statistics = { count: 2, mean: 750, p50: 750, p90: 950, p95: 975, p99: 995 }
    expect(measureTurns("latency_ms", plain)).toEqual({
      value: 750,
      reason: null,
      moments: [
        { at_second: 5, duration_ms: 500 },
        { at_second: 9, duration_ms: 1000 }
      ],
      statistics,
      sample: [500, 1000]
    })
    expect(measureTurns("latency_ms", plain, { configuration: { statistic: "p95" } }).value).toBe(975)
    expect(measureTurns("latency_ms", plain, { configuration: { statistic: "mode" } }).value).toBe(750)
    expect(measureTurns("latency_ms", plain, { configuration: "p95" }).value).toBe(750)
  })

  it("stores the moments that explain a value", () => {
    expect(measureTurns("ai_interrupting_user", overlapping).moments).toEqual([{ at_second: 3, duration_ms: 1000 }])
    expect(measureTurns("user_interrupting_ai", overlapping).moments).toEqual([{ at_second: 5, duration_ms: 1000 }])
    expect(measureTurns("overlap_ratio", overlapping).moments).toEqual([
      { at_second: 3, duration_ms: 1000 },
      { at_second: 5, duration_ms: 1000 }
    ])
    expect(measureTurns("silence_detection", silent).moments).toEqual([{ at_second: 7, duration_ms: 12_000 }])
    expect(measureTurns("infrastructure_issues", silent).moments).toEqual([
      { at_second: 7, duration_ms: 12_000 },
      { at_second: 22, duration_ms: 18_000 }
    ])
    expect(measureTurns("longest_monologue_s", overlapping).moments).toEqual([{ at_second: 9, duration_ms: 4000 }])
    expect(measureTurns("reprompts", silent).moments).toEqual([{ at_second: 19, duration_ms: 1000 }])
  })

  it("ignores overlaps shorter than 0.2 seconds at the end of a turn", () => {
    const brushing = [user("a", 0, 2), agent("b", 1.9, 3)]
    expect(measureTurns("ai_interrupting_user", brushing).value).toBe(0)
    expect(measureTurns("ai_interrupting_user", brushing, { configuration: { min_overlap_s: 0.1 } }).value).toBe(1)
  })

  it("takes the times of a turn from its words if it has none", () => {
    const words = [
      { text: "hello", startTime: 1, endTime: 1.5 },
      { text: "there", startTime: 1.6, endTime: 2 }
    ]
    expect(measureTurns("time_to_first_word_ms", [{ ...agent("hello there"), words }]).value).toBe(1000)
    expect(measureTurns("talk_ratio", [{ ...agent("hello there"), words }, user("Hi", 3, 4)]).value).toBe(0.5)
  })

  it("applies configured thresholds to silences", () => {
    expect(measureTurns("silence_detection", plain, { configuration: { max_silence_s: 0.9 } }).value).toBe(false)
    expect(measureTurns("excessive_silence", plain, { configuration: { min_silence_s: 0.5 } }).value).toBe(2)
    expect(measureTurns("infrastructure_issues", silent, { configuration: { max_wait_s: 20 } }).value).toBe(true)
    // Exactly the threshold passes.
    expect(measureTurns("silence_detection", [agent("a", 0, 1), user("b", 11, 12)]).value).toBe(true)
  })

  it("counts reprompts by whole words in any case, and by configured phrases", () => {
    const asking = [
      agent("COULD you REPEAT that?", 4, 5),
      agent("Sorry, I didn’t catch the name.", 1, 2),
      agent("Nothing else", 6, 7)
    ]
    expect(measureTurns("reprompts", asking)).toMatchObject({ value: 2, moments: [{ at_second: 1 }, { at_second: 4 }] })
    expect(measureTurns("reprompts", asking, { configuration: { phrases: ["nothing"] } }).value).toBe(1)
    expect(measureTurns("reprompts", asking, { configuration: { phrases: ["noth"] } }).value).toBe(0)
  })

  it("counts repeated replies except short ones", () => {
    const again = [
      agent("What is your date of birth?", 0, 1),
      agent("What is your date of birth", 2, 3),
      agent("WHAT, is your date of birth?!", 4, 5),
      agent("Yes.", 6, 7),
      agent("Yes.", 8, 9)
    ]
    expect(measureTurns("repeated_replies", again).value).toBe(2)
    expect(measureTurns("repeated_replies", again, { configuration: { min_words: 1 } }).value).toBe(3)
    expect(measureTurns("repeated_replies", again.slice(2)).value).toBe(0)
  })

  it("scores tool calls by those with a known outcome", () => {
    const tool = (succeeded: boolean | undefined, startTime?: number): ToolCall => ({
      id: undefined,
      name: "book",
      arguments: "{}",
      result: undefined,
      succeeded,
      startTime,
      endTime: startTime === undefined ? undefined : startTime + 0.5
    })
    expect(measureTurns("tool_call_success", plain)).toMatchObject({ value: null, reason: "The agent called no tool." })
    expect(measureTurns("tool_call_success", plain, { tools: [tool(undefined)] }).value).toBeNull()
    expect(measureTurns("tool_call_success", plain, { tools: [tool(true)] }).value).toBe(1)
    expect(
      measureTurns("tool_call_success", plain, { tools: [tool(true), tool(false, 6), tool(undefined), tool(true)] })
    ).toMatchObject({ value: 0.666667, moments: [{ at_second: 6, duration_ms: 500 }] })
  })

  it("checks required and forbidden phrases", () => {
    const phrases = (configuration: Json) => measureTurns("phrase_compliance", plain, { configuration })
    expect(phrases(null).value).toBeNull()
    expect(phrases({ required: ["how can I help"] }).value).toBe(1)
    expect(phrases({ required: ["how can I help", "recorded line"] }).value).toBe(0.5)
    expect(phrases({ required: ["table for two"] }).value).toBe(0)
    expect(phrases({ required: ["booked"], forbidden: ["Friday", "guarantee"] })).toMatchObject({
      value: 0.666667,
      moments: [{ at_second: 10, duration_ms: 2000 }]
    })
  })

  it("measures a call with many overlapping turns", () => {
    /** User 0-10 with the agent's 4-5 within it; agent 11-20, in which the user says 12-13, 15-15.5 and 19-21. */
    const crowded = [
      user("I would like to tell you a long story", 0, 10),
      agent("mm-hm", 4, 5),
      agent("Thank you for the story", 11, 20),
      user("sorry", 12, 13),
      user("but I said", 15, 15.5),
      user("hold on", 19, 21)
    ]
    // Speech 0-10 and 11-21, both 4-5, 12-13, 15-15.5, 19-20: 3.5 s of 20. Agent 1 + 9, user 10 + 1 + 0.5 + 2.
    expect(measureTurns("latency_ms", crowded)).toMatchObject({ value: 1000, moments: [{ at_second: 10 }] })
    expect(measureTurns("overlap_ratio", crowded).value).toBe(0.175)
    expect(measureTurns("talk_ratio", crowded).value).toBe(0.425532)
    expect(measureTurns("dead_air_ratio", crowded).value).toBe(0.047619)
    expect(measureTurns("ai_interrupting_user", crowded).value).toBe(1)
    expect(measureTurns("user_interrupting_ai", crowded).value).toBe(3)
    // Of the user's four segments the first alone is cut into; 4 interruptions in 21 seconds.
    expect(measureTurns("interruption_score", crowded).value).toBe(0.75)
    expect(measureTurns("interruption_rate", crowded).value).toBe(11.428571)
    // The agent goes on for 8, 5 and 1 s.
    expect(measureTurns("stop_time_ms", crowded)).toMatchObject({
      value: 4666.667,
      statistics: { p50: 5000, count: 3 }
    })
    expect(measureTurns("longest_monologue_s", crowded).value).toBe(9)
    expect(measureTurns("words_per_minute", crowded).value).toBe(36)

    /** Both begin together; the user goes on at once after the agent; the agent never comes back. */
    const together = [agent("Hello there", 0, 2), user("Hello?", 0, 1), user("Is it you?", 2, 3), user("Well", 14, 15)]
    expect(measureTurns("ai_interrupting_user", together).value).toBe(0)
    expect(measureTurns("user_interrupting_ai", together).value).toBe(0)
    expect(measureTurns("latency_ms", together).reason).toBe("The agent never answers after the user has spoken.")
    expect(measureTurns("silence_detection", together)).toMatchObject({
      value: false,
      statistics: { longest_silence_s: 11 }
    })
    expect(measureTurns("infrastructure_issues", together).value).toBe(false)
    expect(measureTurns("excessive_silence", together)).toMatchObject({ value: 1, moments: [{ at_second: 3 }] })
    expect(measureTurns("overlap_ratio", together).value).toBe(0.25)

    /** One turn inside another of the same speaker, a turn of no length, and one that ends before it starts. */
    const odd = [
      agent("one two three four", 0, 8),
      agent("two three", 2, 4),
      user("eh", 9, 9),
      agent("five", 9.5, 10.5)
    ]
    expect(measureTurns("latency_ms", odd)).toMatchObject({ value: 500, moments: [{ at_second: 9, duration_ms: 500 }] })
    expect(measureTurns("talk_ratio", odd).value).toBe(1)
    expect(measureTurns("words_per_minute", odd).value).toBe(46.667)
    expect(measureTurns("talk_ratio", [...odd, user("back", 12, 11)])).toMatchObject({
      value: null,
      reason: "1 turn has no end time."
    })
    const instant = [agent("now", 5, 5)]
    for (const name of ["talk_ratio", "overlap_ratio", "dead_air_ratio", "words_per_minute"] as const) {
      expect(measureTurns(name, instant)).toMatchObject({ value: null, reason: "All speech falls into one instant." })
    }
  })

  it("finds phrases in scripts without spaces", () => {
    const booked = [agent("好的，我已经为您预订了一张桌子。"), agent("もう一度お願いします。"), agent("ขอบคุณมากครับ")]
    const phrases = (configuration: Json) => measureTurns("phrase_compliance", booked, { configuration }).value
    expect(phrases({ required: ["预订了", "もう一度", "ขอบคุณ"] })).toBe(1)
    expect(phrases({ required: ["取消"], forbidden: ["桌子"] })).toBe(0)
    expect(measureTurns("reprompts", booked, { configuration: { phrases: ["もう一度"] } }).value).toBe(1)
    expect(measureTurns("repeated_replies", [...booked, ...booked]).value).toBeGreaterThan(0)
  })

  it("counts words in scripts without spaces", () => {
    expect(measureTurns("words_per_turn", [agent("はい、お願いします。")]).value).toBeGreaterThan(1)
    expect(measureTurns("words_per_turn", [agent("Don't do twenty-one things, 👍 ok?")]).value).toBe(5)
  })
})

describe("every formula", () => {
  const asked: MetricKit.MeasureFormula = (name, call, configuration) =>
    measure(name, formulaContext(call), configuration)
  for (const { check, name } of MetricKit.formulaProperties(asked)) it(name, check)
})
