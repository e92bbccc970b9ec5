/** Arbitraries of plausible conversations: turns, talk-over, pauses, any Unicode text. */
import { type Speaker, type ToolCall, type Turn, TurnTimings, type TurnTiming, type Word } from "@earshot/core"
import * as fc from "fast-check"
import { codePoint } from "../CodePoint.js"

/** An utterance with known times, in milliseconds from the start of the call. */
export interface Utterance {
  readonly speaker: Speaker
  readonly text: string
  readonly start: number
  readonly end: number
}

/** A tool call with times in milliseconds from the start of the call. `after`: the index of the preceding utterance, or -1. */
export interface ToolUse {
  readonly id: string
  readonly name: string
  readonly arguments: string
  readonly result: string
  readonly failed: boolean
  readonly start: number
  readonly end: number
  readonly after: number
}

export interface Conversation {
  readonly utterances: ReadonlyArray<Utterance>
  readonly toolUses: ReadonlyArray<ToolUse>
}

const phrases = fc.constantFrom(
  "Hello, how can I help you today?",
  "Yes.",
  "I'd like to change my booking.",
  "One moment, let me look that up for you.",
  "Mhm",
  "Das wäre schön, danke!",
  "はい、お願いします。",
  "👩‍👩‍👧 and two suitcases",
  "مرحبا",
  'She said "no", twice\\thrice',
  "line one\nline two"
)

/** A text that is not blank: common phrases, and any other well-formed Unicode without NUL. */
export const speech: fc.Arbitrary<string> = fc
  .oneof(
    { weight: 3, arbitrary: phrases },
    { weight: 1, arbitrary: fc.string({ unit: "grapheme", maxLength: 40 }) },
    { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 40 }) }
  )
  .map((text) => (text.includes("\0") || text.trim() === "" ? "okay" : text))

const name = fc.stringMatching(/^[a-z][a-z_]{0,19}$/)

/**
 * A conversation of up to `turns` utterances. `overlaps: false` excludes talk-over, and `alternating: true` excludes two
 * successive utterances of one speaker.
 */
export const conversation = (
  options: { readonly turns?: number; readonly overlaps?: boolean; readonly alternating?: boolean } = {}
): fc.Arbitrary<Conversation> => {
  const { alternating = false, overlaps = true, turns = 12 } = options
  return fc
    .record({
      first: fc.constantFrom<Speaker>("main_agent", "testing_agent"),
      steps: fc.array(
        fc.record({
          text: speech,
          gap: fc.integer({ min: overlaps ? -800 : 1, max: 4_000 }),
          length: fc.integer({ min: 1, max: 9_000 }),
          again: alternating ? fc.constant(false) : fc.nat({ max: 6 }).map((n) => n === 0)
        }),
        { maxLength: turns }
      ),
      tools: fc.array(
        fc.record({
          name,
          arguments: fc.json({ maxDepth: 2 }),
          result: speech,
          failed: fc.boolean(),
          at: fc.nat({ max: 60_000 }),
          took: fc.nat({ max: 5_000 }),
          after: fc.nat()
        }),
        { maxLength: 3 }
      )
    })
    .map(({ first, steps, tools }) => {
      const utterances: Array<Utterance> = []
      let speaker = first
      let last = { start: 0, end: 0 }
      for (const { again, gap, length, text } of steps) {
        if (utterances.length > 0 && !again) speaker = speaker === "main_agent" ? "testing_agent" : "main_agent"
        const start = Math.max(last.start, last.end + gap)
        last = { start, end: start + length }
        utterances.push({ speaker, text, ...last })
      }
      const toolUses = tools
        .map(({ after, at, took, ...tool }, index): ToolUse => ({
          ...tool,
          arguments: wellFormed(tool.arguments),
          id: `call_${index}`,
          start: at,
          end: at + took,
          after: (after % (utterances.length + 1)) - 1
        }))
        .sort((a, b) => a.after - b.after)
      return { utterances, toolUses }
    })
}

/** JSON text can contain lone surrogates or NUL, which decoders reject. */
const wellFormed = (json: string): string => (json.isWellFormed() && !json.includes("\0") ? json : "{}")

/** The words of an utterance, evenly distributed over its time. */
export const wordsOf = ({ end, start, text }: Utterance): ReadonlyArray<Word> => {
  const words = text.split(/\s+/).filter((word) => word.trim() !== "")
  const at = (index: number): number => (start + Math.floor(((end - start) * index) / words.length)) / 1_000
  return words.map((word, index) => ({ text: word, startTime: at(index), endTime: at(index + 1) }))
}

/** A turn as decoders return it; times are given in milliseconds or unknown. */
export const turnOf = (
  speaker: Speaker,
  content: string,
  start: number | undefined,
  end: number | undefined,
  words: ReadonlyArray<Word> = []
): Turn => ({
  speaker,
  content,
  startTime: start === undefined ? undefined : start / 1_000,
  endTime: end === undefined ? undefined : end / 1_000,
  words
})

/** A tool call as decoders return it; times are given in milliseconds or unknown. */
export const toolCallOf = (
  use: ToolUse,
  start: number | undefined,
  end: number | undefined,
  succeeded: boolean | undefined
): ToolCall => ({
  id: use.id,
  name: use.name,
  arguments: use.arguments,
  result: use.result,
  succeeded,
  startTime: start === undefined ? undefined : start / 1_000,
  endTime: end === undefined ? undefined : end / 1_000
})

/** Turns as a decoder can return them: ordered times, each known or not, with and without words. */
export const decodedTurns: fc.Arbitrary<ReadonlyArray<Turn>> = conversation().chain(({ utterances }) =>
  fc.tuple(...utterances.map((utterance) => decodedTurn(utterance)))
)

const decodedTurn = (utterance: Utterance): fc.Arbitrary<Turn> =>
  fc
    .record({
      start: fc.boolean(),
      end: fc.boolean(),
      words: fc.boolean(),
      timing: fc.option(timing, { nil: undefined, freq: 2 })
    })
    .map(({ end, start, timing, words }) => ({
      ...turnOf(
        utterance.speaker,
        utterance.text,
        start ? utterance.start : undefined,
        end ? utterance.end : undefined,
        words ? wordsOf(utterance) : []
      ),
      ...(timing === undefined ? {} : { timing })
    }))

/** What a platform measured of a turn; at least one stage. */
const timing: fc.Arbitrary<TurnTiming> = fc
  .array(
    fc.tuple(
      fc.constantFrom(...TurnTimings.timingStages),
      fc.record({
        seconds: fc.integer({ min: 0, max: 60_000_000 }).map((microseconds) => microseconds / 1e6),
        source: fc.constantFrom("turnLatencies.modelLatency", "metrics.e2e_latency", "latency")
      })
    ),
    { minLength: 1, maxLength: 6 }
  )
  .map((stages) => Object.fromEntries(stages))

/** Tool calls as a decoder can return them. */
export const decodedToolCalls: fc.Arbitrary<ReadonlyArray<ToolCall>> = conversation().chain(({ toolUses }) =>
  fc.tuple(
    ...toolUses.map((use) =>
      fc
        .record({
          anonymous: fc.boolean(),
          answered: fc.boolean(),
          start: fc.boolean(),
          succeeded: fc.constantFrom(true, false, undefined)
        })
        .map(({ anonymous, answered, start, succeeded }): ToolCall => {
          const call = toolCallOf(use, start ? use.start : undefined, answered ? use.end : undefined, succeeded)
          return { ...call, id: anonymous ? undefined : call.id, result: answered ? call.result : undefined }
        })
    )
  )
)
