import { type Speaker, speechOf, timedSpeech, totalOf, type Turn } from "@earshot/core"
import { MetricKit } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"

const turn = (speaker: Speaker, startTime?: number, endTime?: number): Turn => ({
  speaker,
  content: "something",
  startTime,
  endTime,
  words: []
})

describe("speechOf and timedSpeech", () => {
  it("merges a speaker's turns that overlap or touch, whatever their order, and keeps the speakers apart", () => {
    const speech = speechOf([
      turn("main_agent", 4, 6),
      turn("testing_agent", 2, 5),
      turn("main_agent", 0, 1),
      turn("main_agent", 1, 3),
      turn("main_agent", 4.5, 5)
    ])
    expect(speech).toEqual({
      agent: [
        { speaker: "main_agent", start: 0, end: 3 },
        { speaker: "main_agent", start: 4, end: 6 }
      ],
      user: [{ speaker: "testing_agent", start: 2, end: 5 }],
      segments: [
        { speaker: "main_agent", start: 0, end: 3 },
        { speaker: "testing_agent", start: 2, end: 5 },
        { speaker: "main_agent", start: 4, end: 6 }
      ],
      turnsWithoutStart: 0,
      turnsWithoutEnd: 0
    })
    expect(timedSpeech(speech)).toMatchObject({
      spoken: [{ start: 0, end: 6 }],
      overlaps: [
        { start: 2, end: 3 },
        { start: 4, end: 5 }
      ],
      gaps: []
    })
  })

  it("counts missing times, and has no timed speech then", () => {
    const speech = speechOf([turn("main_agent", 0), turn("testing_agent"), turn("testing_agent", 3, 2)])
    expect(speech).toMatchObject({ turnsWithoutStart: 1, turnsWithoutEnd: 2 })
    expect(timedSpeech(speech)).toBeUndefined()
  })

  it("takes only the missing times of a turn from its words", () => {
    const words = [
      { text: "a", startTime: 3, endTime: 4 },
      { text: "b", startTime: 2, endTime: undefined },
      { text: "c", startTime: undefined, endTime: 6 },
      { text: "d", startTime: 5, endTime: 5.5 }
    ]
    const times = (startTime?: number, endTime?: number) =>
      speechOf([{ ...turn("main_agent", startTime, endTime), words }]).agent.map(({ end, start }) => [start, end])
    expect(times()).toEqual([[2, 6]])
    expect(times(1)).toEqual([[1, 6]])
    expect(times(4)).toEqual([[4, 6]])
    expect(times(undefined, 5)).toEqual([[2, 5]])
    expect(times(undefined, 9)).toEqual([[2, 9]])
    expect(times(3.5, 4.5)).toEqual([[3.5, 4.5]])
    // A start that is not before the end is one, an end before the start is none.
    expect(times(4, 4)).toEqual([[4, 4]])
    expect(times(7)).toEqual([[7, undefined]])
  })

  it("orders segments that start together by end, unknown ends last, and the agent before the user", () => {
    const order = (...turns: ReadonlyArray<Turn>) =>
      [turns, turns.toReversed()].map((some) => speechOf(some).segments.map(({ end, speaker }) => [speaker, end]))
    const both = <A>(one: A) => [one, one]
    const [agent, user] = ["main_agent", "testing_agent"] as const
    expect(order(turn(agent, 0, 5), turn(user, 0, 2))).toEqual(
      both([
        [user, 2],
        [agent, 5]
      ])
    )
    expect(order(turn(agent, 0, 2), turn(user, 0, 5))).toEqual(
      both([
        [agent, 2],
        [user, 5]
      ])
    )
    expect(order(turn(agent, 0, 2), turn(user, 0, 2))).toEqual(
      both([
        [agent, 2],
        [user, 2]
      ])
    )
    expect(order(turn(agent, 0), turn(user, 0, 2))).toEqual(
      both([
        [user, 2],
        [agent, undefined]
      ])
    )
    expect(order(turn(agent, 0, 2), turn(user, 0))).toEqual(
      both([
        [agent, 2],
        [user, undefined]
      ])
    )
    expect(order(turn(agent, 0), turn(user, 0))).toEqual(
      both([
        [agent, undefined],
        [user, undefined]
      ])
    )
    expect(order(turn(agent, 0), turn(agent, 0, 2), turn(agent, 1, 3))).toEqual(
      both([
        [agent, undefined],
        [agent, 3]
      ])
    )
  })

  it("has neither a gap nor an overlap where one segment ends as the next starts", () => {
    const timed = timedSpeech(speechOf([turn("main_agent", 0, 1), turn("testing_agent", 1, 2)]))
    expect(timed).toMatchObject({ spoken: [{ start: 0, end: 2 }], overlaps: [], gaps: [] })
    expect(timed?.agent).toEqual([{ speaker: "main_agent", start: 0, end: 1 }])
    expect(timed?.user).toEqual([{ speaker: "testing_agent", start: 1, end: 2 }])
  })

  it("ignores turns without text", () => {
    expect(speechOf([{ ...turn("main_agent", 0, 9), content: " \n" }]).segments).toEqual([])
  })

  for (const { check, name } of MetricKit.speechProperties({ speechOf, timedSpeech, totalOf })) it(name, check)
})
