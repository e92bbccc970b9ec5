import {
  formulaContext,
  type FormulaName,
  measure,
  type FormulaResult,
  type Json,
  quantile,
  type Speaker,
  type ToolCall,
  type Turn
} from "@earshot/core"
import { MetricKit } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"
import { isFormulaName } from "../../src/metrics/Formulas.js"
import { settingsOf } from "../../src/metrics/Settings.js"
import { countWords, containsPhrase, normalizeText } from "../../src/metrics/Words.js"

const turn =
  (speaker: Speaker) =>
  (content: string, startTime?: number, endTime?: number): Turn => ({
    speaker,
    content,
    startTime,
    endTime,
    words: []
  })
const agent = turn("main_agent")
const user = turn("testing_agent")

/** Agent 0-2, user 3-5, agent 5.5-7.5, user 8-9, agent 10-12. */
const plain = [
  agent("Hello, how can I help you today?", 0, 2),
  user("I need a table for two.", 3, 5),
  agent("For which evening would that be?", 5.5, 7.5),
  user("Friday.", 8, 9),
  agent("Booked for Friday evening.", 10, 12)
]

/** User 0-4, agent 3-6, user 5-8, agent 9-13 in two turns that overlap; told in no order. */
const overlapping = [
  agent("one table left for you", 10.5, 13),
  user("I said I need a table", 0, 4),
  agent("So there is one table", 9, 11),
  user("wait, for two", 5, 8),
  agent("Let me check that", 3, 6)
]

/** User 0-1, agent 4.5-5, user 6-7, agent 19-20, user 21-22; the call lasts 40 s. */
const silent = [
  user("Hello?", 0, 1),
  agent("Hi.", 4.5, 5),
  user("A table please", 6, 7),
  agent("Sorry, I didn't catch that.", 19, 20),
  user("A table", 21, 22)
]

/** Two turns have no end. */
const open = [
  agent("Hello, how can I help you?", 0, 2),
  user("A table", 3),
  agent("For when?", 6, 7),
  user("Friday", 8, 9),
  agent("Done", 10)
]

const agentAlone = [agent("Please leave a message", 0, 3), agent("after the tone", 5, 8)]
const userAlone = [user("Hello?", 0, 3), user("Anybody?", 4, 5)]
const unplaced = [agent("Hello"), user("Hi", 1, 2)]

const durations = new Map<ReadonlyArray<Turn>, number>([
  [plain, 12],
  [overlapping, 13],
  [silent, 40],
  [open, 10],
  [agentAlone, 8],
  [userAlone, 5]
])

const measureIt = (
  name: FormulaName,
  turns: ReadonlyArray<Turn>,
  { configuration = null, tools = [] }: { readonly configuration?: Json; readonly tools?: ReadonlyArray<ToolCall> } = {}
): FormulaResult =>
  measure(
    name,
    formulaContext({ turns, toolCalls: tools, durationSeconds: durations.get(turns) ?? null }),
    configuration
  )

const NOBODY = "Nobody speaks in the transcript."
const NO_AGENT = "The agent does not speak in the transcript."
const NO_USER = "The user does not speak in the transcript."
const NO_END = "2 turns have no end time."
const NO_LENGTH = "Neither transcript nor recording tells how long the call took."
const NO_START = "1 turn has no start time."

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
      const { reason, value } = measureIt(name, turns)
      expect((value === null) === (reason !== null)).toBe(true)
      return value ?? reason
    })
    expect(found).toEqual(expected)
  })

  it("stores every statistic of the latencies and shows the configured one", () => {
    const statistics = { count: 2, mean: 750, p50: 750, p90: 950, p95: 975, p99: 995 }
    expect(measureIt("latency_ms", plain)).toEqual({
      value: 750,
      reason: null,
      moments: [
        { at_second: 5, duration_ms: 500 },
        { at_second: 9, duration_ms: 1000 }
      ],
      statistics
    })
    expect(measureIt("latency_ms", plain, { configuration: { statistic: "p95" } }).value).toBe(975)
    expect(measureIt("latency_ms", plain, { configuration: { statistic: "mode" } }).value).toBe(750)
    expect(measureIt("latency_ms", plain, { configuration: "p95" }).value).toBe(750)
  })

  it("stores the moments that explain a value", () => {
    expect(measureIt("ai_interrupting_user", overlapping).moments).toEqual([{ at_second: 3, duration_ms: 1000 }])
    expect(measureIt("user_interrupting_ai", overlapping).moments).toEqual([{ at_second: 5, duration_ms: 1000 }])
    expect(measureIt("overlap_ratio", overlapping).moments).toEqual([
      { at_second: 3, duration_ms: 1000 },
      { at_second: 5, duration_ms: 1000 }
    ])
    expect(measureIt("silence_detection", silent).moments).toEqual([{ at_second: 7, duration_ms: 12_000 }])
    expect(measureIt("infrastructure_issues", silent).moments).toEqual([
      { at_second: 7, duration_ms: 12_000 },
      { at_second: 22, duration_ms: 18_000 }
    ])
    expect(measureIt("longest_monologue_s", overlapping).moments).toEqual([{ at_second: 9, duration_ms: 4000 }])
    expect(measureIt("reprompts", silent).moments).toEqual([{ at_second: 19, duration_ms: 1000 }])
  })

  it("ignores overlaps shorter than 0.2 seconds at the end of a turn", () => {
    const brushing = [user("a", 0, 2), agent("b", 1.9, 3)]
    expect(measureIt("ai_interrupting_user", brushing).value).toBe(0)
    expect(measureIt("ai_interrupting_user", brushing, { configuration: { min_overlap_s: 0.1 } }).value).toBe(1)
  })

  it("takes the times of a turn from its words if it has none", () => {
    const words = [
      { text: "hello", startTime: 1, endTime: 1.5 },
      { text: "there", startTime: 1.6, endTime: 2 }
    ]
    expect(measureIt("time_to_first_word_ms", [{ ...agent("hello there"), words }]).value).toBe(1000)
    expect(measureIt("talk_ratio", [{ ...agent("hello there"), words }, user("Hi", 3, 4)]).value).toBe(0.5)
  })

  it("applies configured thresholds to silences", () => {
    expect(measureIt("silence_detection", plain, { configuration: { max_silence_s: 0.9 } }).value).toBe(false)
    expect(measureIt("excessive_silence", plain, { configuration: { min_silence_s: 0.5 } }).value).toBe(2)
    expect(measureIt("infrastructure_issues", silent, { configuration: { max_wait_s: 20 } }).value).toBe(true)
    // Exactly the threshold passes.
    expect(measureIt("silence_detection", [agent("a", 0, 1), user("b", 11, 12)]).value).toBe(true)
  })

  it("counts reprompts by whole words in any case, and by configured phrases", () => {
    const asking = [
      agent("COULD you REPEAT that?", 4, 5),
      agent("Sorry, I didn’t catch the name.", 1, 2),
      agent("Nothing else", 6, 7)
    ]
    expect(measureIt("reprompts", asking)).toMatchObject({ value: 2, moments: [{ at_second: 1 }, { at_second: 4 }] })
    expect(measureIt("reprompts", asking, { configuration: { phrases: ["nothing"] } }).value).toBe(1)
    expect(measureIt("reprompts", asking, { configuration: { phrases: ["noth"] } }).value).toBe(0)
  })

  it("counts repeated replies except short ones", () => {
    const again = [
      agent("What is your date of birth?", 0, 1),
      agent("What is your date of birth", 2, 3),
      agent("WHAT, is your date of birth?!", 4, 5),
      agent("Yes.", 6, 7),
      agent("Yes.", 8, 9)
    ]
    expect(measureIt("repeated_replies", again).value).toBe(2)
    expect(measureIt("repeated_replies", again, { configuration: { min_words: 1 } }).value).toBe(3)
    expect(measureIt("repeated_replies", again.slice(2)).value).toBe(0)
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
    expect(measureIt("tool_call_success", plain)).toMatchObject({ value: null, reason: "The agent called no tool." })
    expect(measureIt("tool_call_success", plain, { tools: [tool(undefined)] }).value).toBeNull()
    expect(measureIt("tool_call_success", plain, { tools: [tool(true)] }).value).toBe(1)
    expect(
      measureIt("tool_call_success", plain, { tools: [tool(true), tool(false, 6), tool(undefined), tool(true)] })
    ).toMatchObject({ value: 0.666667, moments: [{ at_second: 6, duration_ms: 500 }] })
  })

  it("checks required and forbidden phrases", () => {
    const phrases = (configuration: Json) => measureIt("phrase_compliance", plain, { configuration })
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
      user("but", 15, 15.5),
      user("hold on", 19, 21)
    ]
    // Speech 0-10 and 11-21, both 4-5, 12-13, 15-15.5, 19-20: 3.5 s of 20. Agent 1 + 9, user 10 + 1 + 0.5 + 2.
    expect(measureIt("latency_ms", crowded)).toMatchObject({ value: 1000, moments: [{ at_second: 10 }] })
    expect(measureIt("overlap_ratio", crowded).value).toBe(0.175)
    expect(measureIt("talk_ratio", crowded).value).toBe(0.425532)
    expect(measureIt("dead_air_ratio", crowded).value).toBe(0.047619)
    expect(measureIt("ai_interrupting_user", crowded).value).toBe(1)
    expect(measureIt("user_interrupting_ai", crowded).value).toBe(3)
    // Of the user's four segments the first alone is cut into; 4 interruptions in 21 seconds.
    expect(measureIt("interruption_score", crowded).value).toBe(0.75)
    expect(measureIt("interruption_rate", crowded).value).toBe(11.428571)
    // The agent goes on for 8, 5 and 1 s.
    expect(measureIt("stop_time_ms", crowded)).toMatchObject({ value: 4666.667, statistics: { p50: 5000, count: 3 } })
    expect(measureIt("longest_monologue_s", crowded).value).toBe(9)
    expect(measureIt("words_per_minute", crowded).value).toBe(36)

    /** Both begin together; the user goes on at once after the agent; the agent never comes back. */
    const together = [agent("Hello there", 0, 2), user("Hello?", 0, 1), user("Is it you?", 2, 3), user("Well", 14, 15)]
    expect(measureIt("ai_interrupting_user", together).value).toBe(0)
    expect(measureIt("user_interrupting_ai", together).value).toBe(0)
    expect(measureIt("latency_ms", together).reason).toBe("The agent never answers after the user has spoken.")
    expect(measureIt("silence_detection", together)).toMatchObject({
      value: false,
      statistics: { longest_silence_s: 11 }
    })
    expect(measureIt("infrastructure_issues", together).value).toBe(false)
    expect(measureIt("excessive_silence", together)).toMatchObject({ value: 1, moments: [{ at_second: 3 }] })
    expect(measureIt("overlap_ratio", together).value).toBe(0.25)

    /** One turn inside another of the same speaker, a turn of no length, and one that ends before it starts. */
    const odd = [
      agent("one two three four", 0, 8),
      agent("two three", 2, 4),
      user("eh", 9, 9),
      agent("five", 9.5, 10.5)
    ]
    expect(measureIt("latency_ms", odd)).toMatchObject({ value: 500, moments: [{ at_second: 9, duration_ms: 500 }] })
    expect(measureIt("talk_ratio", odd).value).toBe(1)
    expect(measureIt("words_per_minute", odd).value).toBe(46.667)
    expect(measureIt("talk_ratio", [...odd, user("back", 12, 11)])).toMatchObject({
      value: null,
      reason: "1 turn has no end time."
    })
    const instant = [agent("now", 5, 5)]
    for (const name of ["talk_ratio", "overlap_ratio", "dead_air_ratio", "words_per_minute"] as const) {
      expect(measureIt(name, instant)).toMatchObject({ value: null, reason: "All speech falls into one instant." })
    }
  })

  it("finds phrases in scripts without spaces", () => {
    const booked = [agent("好的，我已经为您预订了一张桌子。"), agent("もう一度お願いします。"), agent("ขอบคุณมากครับ")]
    const phrases = (configuration: Json) => measureIt("phrase_compliance", booked, { configuration }).value
    expect(phrases({ required: ["预订了", "もう一度", "ขอบคุณ"] })).toBe(1)
    expect(phrases({ required: ["取消"], forbidden: ["桌子"] })).toBe(0)
    expect(measureIt("reprompts", booked, { configuration: { phrases: ["もう一度"] } }).value).toBe(1)
    expect(measureIt("repeated_replies", [...booked, ...booked]).value).toBeGreaterThan(0)
  })

  it("counts words in scripts without spaces", () => {
    expect(measureIt("words_per_turn", [agent("はい、お願いします。")]).value).toBeGreaterThan(1)
    expect(measureIt("words_per_turn", [agent("Don't do twenty-one things, 👍 ok?")]).value).toBe(5)
  })
})

describe("latency_ms", () => {
  const latency = (...turns: ReadonlyArray<Turn>) => measureIt("latency_ms", turns)

  it("is 0 for an immediate answer, and has no value for one that starts while the user speaks", () => {
    expect(latency(user("a", 0, 2), agent("b", 2, 3)).value).toBe(0)
    expect(latency(user("a", 0, 2), agent("b", 1.999, 3)).value).toBeNull()
  })

  it("counts only the first agent segment after the user", () => {
    expect(latency(user("a", 0, 1), agent("b", 2, 3), agent("c", 5, 6)).moments).toEqual([
      { at_second: 1, duration_ms: 1000 }
    ])
  })

  it("requires the agent to be silent since the user stopped", () => {
    expect(latency(agent("a", 0, 2), user("b", 1, 2), agent("c", 3, 4)).value).toBe(1000)
    expect(latency(agent("a", 0, 4), user("b", 1, 3), agent("c", 5, 6)).value).toBeNull()
    expect(latency(agent("a", 0.5), user("b", 1, 3), agent("c", 5, 6)).value).toBe(2000)
  })

  it("has no value if the end that it depends on is unknown", () => {
    expect(latency(user("a", 0), agent("b", 2, 3)).reason).toBe("1 turn has no end time.")
    expect(latency(user("a", 0), user("b", 1), agent("c", 2, 3)).reason).toBe("2 turns have no end time.")
    expect(latency(user("a", 0), agent("b", 2, 3), user("c", 4, 5), agent("d", 6, 7)).value).toBe(1000)
    expect(latency(agent("a", 0), user("b", 2, 3)).reason).toBe("The agent never answers after the user has spoken.")
  })

  it("computes percentiles of the sorted latencies", () => {
    const turns = [1, 0.2, 0.6, 0.4].flatMap((seconds, at) => [
      user("a", 10 * at, 10 * at + 1),
      agent("b", 10 * at + 1 + seconds, 10 * at + 5)
    ])
    expect(latency(...turns).statistics).toEqual({ count: 4, mean: 550, p50: 500, p90: 880, p95: 940, p99: 988 })
    const shown = (statistic: Json) => measureIt("latency_ms", turns, { configuration: { statistic } }).value
    expect(["mean", "p50", "p90", "p95", "p99", "count", 5, null].map(shown)).toEqual([
      550, 500, 880, 940, 988, 550, 550, 550
    ])
  })

  it("shows the wait for the first word as its moment", () => {
    expect(measureIt("time_to_first_word_ms", [agent("a", 2.5, 3)]).moments).toEqual([
      { at_second: 0, duration_ms: 2500 }
    ])
  })
})

describe("interruption metrics", () => {
  const count = (turns: ReadonlyArray<Turn>, configuration: Json = null) =>
    measureIt("ai_interrupting_user", turns, { configuration }).value

  it("count overlaps of 0.2 seconds or more", () => {
    expect(count([user("a", 0, 2), agent("b", 1.8, 3)])).toBe(1)
    expect(count([user("a", 0, 2), agent("b", 1.801, 3)])).toBe(0)
    // The interruption's own length counts where it ends first.
    expect(count([user("a", 0, 2), agent("b", 1, 1.2)])).toBe(1)
    expect(count([user("a", 0, 2), agent("b", 1, 1.199)])).toBe(0)
  })

  it("count starts within the other speaker's segment, not at its start or end", () => {
    const any = { min_overlap_s: 0 }
    expect(count([user("a", 0, 2), agent("b", 0, 1)], any)).toBe(0)
    expect(count([user("a", 0, 2), agent("b", 2, 3)], any)).toBe(0)
    expect(count([user("a", 0, 2), agent("b", 3, 4)], any)).toBe(0)
    expect(count([user("a", 0, 2), agent("b", 1, 1)], any)).toBe(1)
    expect(count([user("a", 5, 6), agent("b", 0, 1)], any)).toBe(0)
  })

  it("score by interrupted user segments, each counted once", () => {
    const turns = [
      user("a", 0, 4),
      agent("b", 1, 2),
      agent("c", 3, 3.5),
      user("d", 6, 10),
      agent("e", 7, 8),
      user("f", 12, 13),
      user("g", 15, 16)
    ]
    expect(count(turns)).toBe(3)
    expect(measureIt("interruption_score", turns)).toMatchObject({
      value: 0.5,
      moments: [
        { at_second: 1, duration_ms: 1000 },
        { at_second: 3, duration_ms: 500 },
        { at_second: 7, duration_ms: 1000 }
      ]
    })
  })

  it("rate the interruptions of both speakers, with moments in order of time", () => {
    const turns = [
      agent("a", 0, 4),
      user("b", 2, 3),
      user("c", 5, 9),
      agent("d", 6, 7),
      agent("e", 10, 14),
      user("f", 12, 13)
    ]
    expect(measureIt("interruption_rate", turns)).toMatchObject({
      value: 12.857143,
      moments: [{ at_second: 2 }, { at_second: 6 }, { at_second: 12 }]
    })
    expect(measureIt("interruption_rate", [agent("now", 5, 5)]).reason).toBe("All speech falls into one instant.")
  })
})

describe("silence metrics", () => {
  it("pass without silences, and otherwise show the first of the longest", () => {
    expect(measureIt("silence_detection", [agent("a", 0, 1)])).toEqual({ value: true, reason: null, moments: [] })
    expect(measureIt("silence_detection", [agent("a", 0, 1), user("b", 3, 4), agent("c", 6, 7)]).moments).toEqual([
      { at_second: 1, duration_ms: 2000 }
    ])
    expect(measureIt("silence_detection", [agent("a", 0, 1), user("b", 2, 3), agent("c", 6, 7)]).moments).toEqual([
      { at_second: 3, duration_ms: 3000 }
    ])
  })

  it("use the default threshold if the configured one is invalid", () => {
    const longest = (max_silence_s: Json) =>
      measureIt("silence_detection", plain, { configuration: { max_silence_s } }).value
    expect([0, 0.999, 1].map(longest)).toEqual([false, false, true])
    expect([-1, "0", null, true, [0]].map(longest)).toEqual([true, true, true, true, true])
  })

  it("count silences of more than three seconds, to the millisecond", () => {
    const excessive = (seconds: number) =>
      measureIt("excessive_silence", [agent("a", 0, 1), user("b", 1 + seconds, 9)]).value
    expect([3, 3.0004, 3.001].map(excessive)).toEqual([0, 0, 1])
  })

  it("report an infrastructure issue if the user waits more than ten seconds, within the call or at its end", () => {
    const issues = (durationSeconds: number | null, ...turns: ReadonlyArray<Turn>) =>
      measure("infrastructure_issues", formulaContext({ turns, toolCalls: [], durationSeconds }), null)
    // The agent waits for the user, who comes after 14 seconds.
    expect(issues(17, agent("a", 0, 1), user("b", 15, 16)).value).toBe(true)
    expect(issues(60, user("a", 0, 1), agent("b", 2, 3)).value).toBe(true)
    expect(issues(60, agent("a", 0, 1), user("b", 2, 3)).moments).toEqual([{ at_second: 3, duration_ms: 57_000 }])
    expect(issues(13, agent("a", 0, 1), user("b", 2, 3)).value).toBe(true)
    expect(issues(13.001, agent("a", 0, 1), user("b", 2, 3)).value).toBe(false)
    expect(issues(null, agent("a", 0, 1), user("b", 2, 3)).value).toBe(true)
    // A recording that is over before the speech in it says nothing.
    expect(issues(1, agent("a", 0, 1), user("b", 2, 3)).value).toBe(true)
  })

  it("end a monologue only when the user speaks", () => {
    const longest = (...turns: ReadonlyArray<Turn>) => measureIt("longest_monologue_s", turns).value
    expect(longest(agent("a", 0, 1), agent("b", 3, 4))).toBe(4)
    expect(longest(agent("a", 0, 1), user("x", 2, 2.5), agent("b", 3, 4))).toBe(1)
    expect(longest(user("x", 0, 10), agent("a", 1, 2), agent("b", 4, 5))).toBe(1)
    expect(longest(user("x", 0, 2), agent("a", 1, 2), agent("b", 4, 5))).toBe(4)
    expect(longest(user("x", 0, 2.001), agent("a", 1, 2), agent("b", 4, 5))).toBe(1)
  })
})

describe("text metrics", () => {
  it("ignore the agent's turns without text", () => {
    expect(measureIt("words_per_turn", [agent("  "), agent("one two")]).value).toBe(2)
    expect(measureIt("words_per_turn", [agent(" \n")]).reason).toBe(NO_AGENT)
  })

  it("distinguish missing times from missing speech", () => {
    expect(measureIt("talk_ratio", [agent("Hello"), user("Hi")]).reason).toBe("2 turns have no start time.")
    expect(measureIt("talk_ratio", [agent(" ")]).reason).toBe(NOBODY)
  })

  it.each([
    "Are you still there?",
    "Hello, are you there?",
    "Can you hear me?",
    "Could you repeat the number?",
    "Can you repeat that, please?",
    "Could you say that again?",
    "Come again?",
    "I didn't catch your name.",
    "I did not catch your name.",
    "I didn't get that.",
    "I did not get that.",
    "I didn't hear you.",
    "I didn't understand the date.",
    "I did not understand the date.",
    "I'm not sure I understood.",
    "Sorry, I missed that.",
    "Please repeat the date."
  ])("takes for a reprompt: %s", (text) => {
    expect(measureIt("reprompts", [agent(text), agent("How can I help?")]).value).toBe(1)
  })

  it("ignore configured phrases without words", () => {
    const reprompted = (phrases: Json) => measureIt("reprompts", plain, { configuration: { phrases } }).value
    expect(reprompted(["booked", 5, null])).toBe(1)
    expect(reprompted(["?", ""])).toBe(0)
    expect(reprompted("booked")).toBe(0)
    expect(measureIt("reprompts", [agent("...", 0, 1), agent("What?", 2, 3)]).value).toBe(0)
    const complied = (configuration: Json) => measureIt("phrase_compliance", plain, { configuration })
    expect(complied({ required: ["booked", "!"] }).value).toBe(1)
    expect(complied({ required: ["!"], forbidden: [""] }).reason).toBe(
      "No phrases are configured: set configuration.required or configuration.forbidden."
    )
  })

  it("have no value if the agent does not speak, and sort moments by time", () => {
    const configuration = { forbidden: ["bye"] }
    expect(measureIt("phrase_compliance", userAlone, { configuration }).reason).toBe(NO_AGENT)
    expect(measureIt("phrase_compliance", [], { configuration }).reason).toBe(NOBODY)
    const turns = [agent("Bye!", 8, 9), agent("bye"), agent("Good bye", 2, 3), agent("Bye", 5), agent("bye", 2, 2.5)]
    expect(measureIt("phrase_compliance", turns, { configuration })).toEqual({
      value: 0,
      reason: null,
      moments: [
        { at_second: 2, duration_ms: 500 },
        { at_second: 2, duration_ms: 1000 },
        { at_second: 5, duration_ms: 0 },
        { at_second: 8, duration_ms: 1000 }
      ]
    })
  })

  it("count repeated replies of four words or more", () => {
    const twice = (text: string) => measureIt("repeated_replies", [agent(text), agent(text)]).value
    expect(twice("one two three")).toBe(0)
    expect(twice("one two three four")).toBe(1)
  })

  it("explain why tool calls have no score, and store the moments of failed ones", () => {
    const tool = (succeeded: boolean | undefined, startTime?: number, endTime?: number): ToolCall => ({
      id: undefined,
      name: "book",
      arguments: "{}",
      result: undefined,
      succeeded,
      startTime,
      endTime
    })
    const score = (...tools: ReadonlyArray<ToolCall>) => measureIt("tool_call_success", plain, { tools })
    expect(score(tool(undefined)).reason).toBe("The transcript does not tell how its tool calls ended.")
    expect(score(tool(false), tool(false, 3), tool(false, 5, 4), tool(true, 1, 2), tool(false, 7, 9))).toEqual({
      value: 0.2,
      reason: null,
      moments: [
        { at_second: 3, duration_ms: 0 },
        { at_second: 5, duration_ms: 0 },
        { at_second: 7, duration_ms: 2000 }
      ]
    })
  })
})

describe("settingsOf and isFormulaName", () => {
  it("reads settings from objects only", () => {
    expect(settingsOf({ a: 1 })).toEqual({ a: 1 })
    for (const other of [null, true, 1, "text", [1]]) expect(settingsOf(other)).toBeNull()
  })

  it("recognizes only existing formula names", () => {
    expect(["latency_ms", "reprompts", "constructor", "toString", ""].map(isFormulaName)).toEqual([
      true,
      true,
      false,
      false,
      false
    ])
  })
})

describe("countWords, normalizeText and containsPhrase", () => {
  it("counts runs of letters, marks and digits, and dictionary words in scripts without spaces", () => {
    expect(
      ["", " ...", "Hello, world", "Don't", "Don’t", "twenty-one", "- -", "a1 b2", "cafe\u0301"].map(countWords)
    ).toEqual([0, 0, 2, 1, 1, 1, 0, 2, 1])
    expect(countWords("你好，世界")).toBe(2)
  })

  it("normalizes words to lower case with a space around each, and splits scripts without spaces by character", () => {
    expect(normalizeText("Hello, WORLD! Don’t")).toBe(" hello world don't ")
    expect(normalizeText("ＡＢＣ ½")).toBe(" abc 1 2 ")
    expect(normalizeText("OK，好的")).toBe(" ok 好 的 ")
    expect(normalizeText("ดีมาก")).toBe(" ดี ม า ก ")
    expect(normalizeText("...")).toBe("")
  })

  it("finds whole words only, and never an empty phrase", () => {
    expect(containsPhrase(normalizeText("the cat sat"), normalizeText("Cat"))).toBe(true)
    expect(containsPhrase(normalizeText("the cat sat"), normalizeText("ca"))).toBe(false)
    expect(containsPhrase(normalizeText("the cat sat"), normalizeText("!"))).toBe(false)
    expect(containsPhrase("", "")).toBe(false)
  })
})

describe("quantile", () => {
  for (const { check, name } of MetricKit.quantileProperties(quantile)) it(name, () => check())

  it("is NaN for no values", () => {
    expect(quantile([], 0.5)).toBeNaN()
  })
})

describe("every formula", () => {
  const asked: MetricKit.MeasureFormula = (name, call, configuration) =>
    measure(name, formulaContext(call), configuration)
  for (const { check, name } of MetricKit.formulaProperties(asked)) it(name, check)
})
