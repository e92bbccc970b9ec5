import { formulaContext, measure, type Json, type ToolCall, type Turn } from "@earshot/core"
import { describe, expect, it } from "vitest"
import { agent, user, plain, userAlone, measureTurns, NOBODY, NO_AGENT } from "./transcripts.js"

describe("latency_ms", () => {
  const latency = (...turns: ReadonlyArray<Turn>) => measureTurns("latency_ms", turns)

  it("is 0 for an immediate answer, negative for one just before the user ends, and has no value for an earlier one", () => {
    expect(latency(user("a", 0, 2), agent("b", 2, 3)).value).toBe(0)
    expect(latency(user("a", 0, 2), agent("b", 1.999, 3))).toMatchObject({
      value: -1,
      moments: [{ at_second: 2, duration_ms: -1 }]
    })
    expect(latency(user("a", 0, 2), agent("b", 1.801, 3)).value).toBe(-199)
    expect(latency(user("a", 0, 2), agent("b", 1.8, 3)).value).toBeNull()
    // It ends before the user does.
    expect(latency(user("a", 0, 2), agent("b", 1.9, 2)).value).toBeNull()
    const early = [user("a", 0, 2), agent("b", 1.7, 3)]
    expect(measureTurns("latency_ms", early, { configuration: { min_overlap_s: 0.4 } }).value).toBe(-300)
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
    const shown = (statistic: Json) => measureTurns("latency_ms", turns, { configuration: { statistic } }).value
    expect(["mean", "p50", "p90", "p95", "p99", "count", 5, null].map(shown)).toEqual([
      550, 500, 880, 940, 988, 550, 550, 550
    ])
  })

  it("shows the wait for the first word as its moment", () => {
    expect(measureTurns("time_to_first_word_ms", [agent("a", 2.5, 3)]).moments).toEqual([
      { at_second: 0, duration_ms: 2500 }
    ])
  })
})

describe("interruption metrics", () => {
  const count = (turns: ReadonlyArray<Turn>, configuration: Json = null) =>
    measureTurns("ai_interrupting_user", turns, { configuration }).value

  it("count overlaps of 0.2 seconds or more", () => {
    expect(count([user("a", 0, 2), agent("b", 1.8, 3)])).toBe(1)
    expect(count([user("a", 0, 2), agent("b", 1.801, 3)])).toBe(0)
    // The interruption's own length counts where it ends first.
    expect(count([user("a", 0, 2), agent("one two three", 1, 1.2)])).toBe(1)
    expect(count([user("a", 0, 2), agent("one two three", 1, 1.199)])).toBe(0)
  })

  it("do not count back-channels: at most two words in less than a second", () => {
    expect(count([user("a", 0, 5), agent("I see", 1, 1.999)])).toBe(0)
    expect(count([user("a", 0, 5), agent("I see", 1, 2)])).toBe(1)
    expect(count([user("a", 0, 5), agent("I do see", 1, 1.9)])).toBe(1)
    const longer = [user("a", 0, 5), agent("I do see", 1, 2.5)]
    expect(count(longer, { backchannel_max_words: 3, backchannel_max_s: 2 })).toBe(0)
    expect(count([user("a", 0, 5), agent("mhm", 1, 1.5)], { backchannel_max_words: 0 })).toBe(1)
    // Parts of one segment are not back-channels each.
    expect(count([user("a", 0, 5), agent("one two", 1, 1.6), agent("three four", 1.6, 2.2)])).toBe(1)
  })

  it("count starts within the other speaker's segment, not at its start or end", () => {
    const any = { min_overlap_s: 0 }
    expect(count([user("a", 0, 2), agent("b", 0, 1)], any)).toBe(0)
    expect(count([user("a", 0, 2), agent("b", 2, 3)], any)).toBe(0)
    expect(count([user("a", 0, 2), agent("b", 3, 4)], any)).toBe(0)
    expect(count([user("a", 0, 2), agent("one two three", 1, 1)], any)).toBe(1)
    expect(count([user("a", 5, 6), agent("b", 0, 1)], any)).toBe(0)
  })

  it("score by interrupted user segments, each counted once", () => {
    const turns = [
      user("a", 0, 4),
      agent("b", 1, 2),
      agent("not that one", 3, 3.5),
      user("d", 6, 10),
      agent("e", 7, 8),
      user("f", 12, 13),
      user("g", 15, 16)
    ]
    expect(count(turns)).toBe(3)
    expect(measureTurns("interruption_score", turns)).toMatchObject({
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
    expect(measureTurns("interruption_rate", turns)).toMatchObject({
      value: 12.857143,
      moments: [{ at_second: 2 }, { at_second: 6 }, { at_second: 12 }]
    })
    expect(measureTurns("interruption_rate", [agent("now", 5, 5)]).reason).toBe("All speech falls into one instant.")
  })
})

describe("silence metrics", () => {
  it("pass without silences, and otherwise show the first of the longest", () => {
    expect(measureTurns("silence_detection", [agent("a", 0, 1)])).toEqual({ value: true, reason: null, moments: [] })
    expect(measureTurns("silence_detection", [agent("a", 0, 1), user("b", 3, 4), agent("c", 6, 7)]).moments).toEqual([
      { at_second: 1, duration_ms: 2000 }
    ])
    expect(measureTurns("silence_detection", [agent("a", 0, 1), user("b", 2, 3), agent("c", 6, 7)]).moments).toEqual([
      { at_second: 3, duration_ms: 3000 }
    ])
  })

  it("use the default threshold if the configured one is invalid", () => {
    const longest = (max_silence_s: Json) =>
      measureTurns("silence_detection", plain, { configuration: { max_silence_s } }).value
    expect([0, 0.999, 1].map(longest)).toEqual([false, false, true])
    expect([-1, "0", null, true, [0]].map(longest)).toEqual([true, true, true, true, true])
  })

  it("count silences of more than three seconds, to the millisecond", () => {
    const excessive = (seconds: number) =>
      measureTurns("excessive_silence", [agent("a", 0, 1), user("b", 1 + seconds, 9)]).value
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
    const longest = (...turns: ReadonlyArray<Turn>) => measureTurns("longest_monologue_s", turns).value
    expect(longest(agent("a", 0, 1), agent("b", 3, 4))).toBe(4)
    expect(longest(agent("a", 0, 1), user("x", 2, 2.5), agent("b", 3, 4))).toBe(1)
    expect(longest(user("x", 0, 10), agent("a", 1, 2), agent("b", 4, 5))).toBe(1)
    expect(longest(user("x", 0, 2), agent("a", 1, 2), agent("b", 4, 5))).toBe(4)
    expect(longest(user("x", 0, 2.001), agent("a", 1, 2), agent("b", 4, 5))).toBe(1)
  })
})

describe("text metrics", () => {
  it("ignore the agent's turns without text", () => {
    expect(measureTurns("words_per_turn", [agent("  "), agent("one two")]).value).toBe(2)
    expect(measureTurns("words_per_turn", [agent(" \n")]).reason).toBe(NO_AGENT)
  })

  it("distinguish missing times from missing speech", () => {
    expect(measureTurns("talk_ratio", [agent("Hello"), user("Hi")]).reason).toBe("2 turns have no start time.")
    expect(measureTurns("talk_ratio", [agent(" ")]).reason).toBe(NOBODY)
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
    expect(measureTurns("reprompts", [agent(text), agent("How can I help?")]).value).toBe(1)
  })

  it("find no phrase that begins in one turn and ends in the next", () => {
    const apart = [agent("Are you still", 0, 1), agent("there are two", 2, 3)]
    expect(measureTurns("reprompts", apart).value).toBe(0)
    const complied = (configuration: Json) => measureTurns("phrase_compliance", apart, { configuration }).value
    expect(complied({ required: ["still there"] })).toBe(0)
    expect(complied({ forbidden: ["still there"] })).toBe(1)
    expect(complied({ required: ["are two", "still there"], forbidden: ["are you", "still there"] })).toBe(0.5)
  })

  it("ignore configured phrases without words", () => {
    const reprompted = (phrases: Json) => measureTurns("reprompts", plain, { configuration: { phrases } }).value
    expect(reprompted(["booked", 5, null])).toBe(1)
    expect(reprompted(["?", ""])).toBe(0)
    expect(reprompted("booked")).toBe(0)
    expect(measureTurns("reprompts", [agent("...", 0, 1), agent("What?", 2, 3)]).value).toBe(0)
    const complied = (configuration: Json) => measureTurns("phrase_compliance", plain, { configuration })
    expect(complied({ required: ["booked", "!"] }).value).toBe(1)
    expect(complied({ required: ["!"], forbidden: [""] }).reason).toBe(
      "No phrases are configured: set configuration.required or configuration.forbidden."
    )
  })

  it("have no value if the agent does not speak, and sort moments by time", () => {
    const configuration = { forbidden: ["bye"] }
    expect(measureTurns("phrase_compliance", userAlone, { configuration }).reason).toBe(NO_AGENT)
    expect(measureTurns("phrase_compliance", [], { configuration }).reason).toBe(NOBODY)
    const turns = [agent("Bye!", 8, 9), agent("bye"), agent("Good bye", 2, 3), agent("Bye", 5), agent("bye", 2, 2.5)]
    expect(measureTurns("phrase_compliance", turns, { configuration })).toEqual({
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
    const twice = (text: string) => measureTurns("repeated_replies", [agent(text), agent(text)]).value
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
    const score = (...tools: ReadonlyArray<ToolCall>) => measureTurns("tool_call_success", plain, { tools })
    expect(score(tool(undefined)).reason).toBe("The transcript does not contain the outcome of its tool calls.")
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
