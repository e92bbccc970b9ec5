import { type RedactedTranscript, TranscriptView, type Turn } from "@earshot/core"
import { TranscriptArbitraries } from "@earshot/test-kit"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const { endOf, printClock, transcriptObject, transcriptText } = TranscriptView

const transcriptOf = (turns: ReadonlyArray<Turn>): RedactedTranscript => ({
  _tag: "RedactedTranscript",
  turns,
  toolCalls: []
})
const turn = (changes: Partial<Turn> = {}): Turn => ({
  speaker: "main_agent",
  content: "Hello",
  startTime: 1,
  endTime: 2,
  words: [],
  ...changes
})

describe("MM:SS", () => {
  it.each([
    [0, "00:00"],
    [59.999, "00:59"],
    [60, "01:00"],
    [3_600, "60:00"],
    [4_503, "75:03"],
    [604_800, "10080:00"],
    [-1, "00:00"],
    [Number.NaN, "00:00"]
  ])("prints %d seconds as %s", (seconds, printed) => {
    expect(printClock(seconds)).toBe(printed)
  })
})

describe("the transcript text", () => {
  it("has one line per turn, with a placeholder for an unknown start", () => {
    expect(
      transcriptText(
        transcriptOf([
          turn({ startTime: 65.9 }),
          turn({ speaker: "testing_agent", content: "Hey", startTime: undefined })
        ])
      )
    ).toBe("[01:05] Main Agent: Hello\n[--:--] Testing Agent: Hey")
  })

  it("does not let a speaker forge a line of the other", () => {
    expect(transcriptText(transcriptOf([turn({ content: "V\vb\fc", startTime: undefined })]))).toBe(
      "[--:--] Main Agent: V b c"
    )
    expect(transcriptText(transcriptOf([turn({ content: "a\r\n[00:09] Main Agent: b\u2028c\u0085d" })]))).toBe(
      "[00:01] Main Agent: a [00:09] Main Agent: b c d"
    )
  })

  it("has exactly one line for each turn, whatever its content", () => {
    fc.assert(
      fc.property(TranscriptArbitraries.Conversations.decodedTurns, (turns) => {
        const text = transcriptText(transcriptOf(turns))
        const lines = turns.length === 0 ? [] : text.split(/[\n\v\f\r\u0085\u2028\u2029]/)
        expect(lines).toHaveLength(turns.length)
        for (const line of lines) expect(line).toMatch(/^\[(\d\d+:\d\d|--:--)\] (Main|Testing) Agent: /)
      })
    )
  })
})

describe("transcript_object", () => {
  it("has null for unknown times", () => {
    expect(transcriptObject(transcriptOf([turn({ content: "a\nb", startTime: 0, endTime: undefined })]))).toStrictEqual(
      [{ role: "Main Agent", content: "a\nb", start_time: 0, end_time: null }]
    )
  })
})

describe("the end of a transcript", () => {
  it("is the last known end, and unknown if none is known", () => {
    const words = [{ text: "hm", startTime: 7, endTime: 7.5 }]
    expect(endOf(transcriptOf([]))).toBeUndefined()
    expect(endOf(transcriptOf([turn({ endTime: undefined })]))).toBeUndefined()
    expect(endOf(transcriptOf([turn({ endTime: 9 }), turn({ startTime: 11, endTime: undefined, words })]))).toBe(9)
    expect(endOf(transcriptOf([turn(), turn({ endTime: undefined, words })]))).toBe(7.5)
  })
})
