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
        { speaker: "main_agent", start: 0, end: 3, words: 2 },
        { speaker: "main_agent", start: 4, end: 6, words: 2 }
      ],
      user: [{ speaker: "testing_agent", start: 2, end: 5, words: 1 }],
      segments: [
        { speaker: "main_agent", start: 0, end: 3, words: 2 },
        { speaker: "testing_agent", start: 2, end: 5, words: 1 },
        { speaker: "main_agent", start: 4, end: 6, words: 2 }
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

  it("orders segments that start together by speaker, the agent before the user, whichever ends first", () => {
    const order = (...turns: ReadonlyArray<Turn>) =>
      [turns, turns.toReversed()].map((some) => speechOf(some).segments.map(({ end, speaker }) => [speaker, end]))
    const [agent, user] = ["main_agent", "testing_agent"] as const
    for (const [first, second] of [
      [5, 2],
      [2, 5],
      [2, 2],
      [undefined, 2],
      [2, undefined],
      [undefined, undefined]
    ]) {
      const expected = [
        [agent, first],
        [user, second]
      ]
      expect(order(turn(agent, 0, first), turn(user, 0, second))).toEqual([expected, expected])
    }
    const expected = [
      [agent, undefined],
      [agent, 3]
    ]
    expect(order(turn(agent, 0), turn(agent, 0, 2), turn(agent, 1, 3))).toEqual([expected, expected])
  })

  it("takes pauses between timed words out of a turn", () => {
    type Times = readonly [start: number | undefined, end: number | undefined]
    const spoken = (words: ReadonlyArray<Times>, start?: number, end?: number) => ({
      ...turn("main_agent", start, end),
      content: words.map(() => "well then").join(" "),
      words: words.map(([startTime, endTime]) => ({ text: "well then", startTime, endTime }))
    })
    const segments = (one: Turn, pause?: number) =>
      speechOf([one], pause).agent.map((segment) => [segment.start, segment.end, segment.words])
    const words: ReadonlyArray<Times> = [
      [0, 1],
      [1.499, 2],
      [2.5, 3],
      [20, 21]
    ]
    expect(segments(spoken(words))).toEqual([
      [0, 2, 4],
      [2.5, 3, 2],
      [20, 21, 2]
    ])
    expect(segments(spoken(words), 1)).toEqual([
      [0, 3, 6],
      [20, 21, 2]
    ])
    // The turn's own times bound its speech.
    expect(segments(spoken(words, -1, 22), 1)).toEqual([
      [-1, 3, 6],
      [20, 22, 2]
    ])
    // A word inside another does not end it; their order does not matter.
    const nested: ReadonlyArray<Times> = [
      [1, 1.2],
      [0, 3],
      [3.4, 4]
    ]
    expect(segments(spoken(nested))).toEqual([[0, 4, 6]])
    // A word without its time may be in the pause.
    expect(segments(spoken([...words, [5, undefined]], 0, 21))).toEqual([[0, 21, 10]])
    // Pauses outside the turn's own times are none in it.
    expect(segments(spoken(words, 0.5, 2))).toEqual([[0.5, 2, 8]])
  })

  it("has neither a gap nor an overlap where one segment ends as the next starts", () => {
    const timed = timedSpeech(speechOf([turn("main_agent", 0, 1), turn("testing_agent", 1, 2)]))
    expect(timed).toMatchObject({ spoken: [{ start: 0, end: 2 }], overlaps: [], gaps: [] })
    expect(timed?.agent).toEqual([{ speaker: "main_agent", start: 0, end: 1, words: 1 }])
    expect(timed?.user).toEqual([{ speaker: "testing_agent", start: 1, end: 2, words: 1 }])
  })

  it("ignores turns without text", () => {
    expect(speechOf([{ ...turn("main_agent", 0, 9), content: " \n" }]).segments).toEqual([])
  })

  for (const { check, name } of MetricKit.speechProperties({ speechOf, timedSpeech, totalOf })) it(name, check)
})
