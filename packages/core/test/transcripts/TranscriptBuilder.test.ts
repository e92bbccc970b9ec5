import type { ToolCall, Turn } from "@earshot/core"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"
import { assemble } from "../../src/transcripts/TranscriptBuilder.js"
import { makePayloadErrors } from "../../src/transcripts/PayloadReader.js"

const turn = (content: string, more: Partial<Turn> = {}): Turn => ({
  speaker: "main_agent",
  content,
  startTime: undefined,
  endTime: undefined,
  words: [],
  ...more
})
const call = (more: Partial<ToolCall> = {}): ToolCall => ({
  id: undefined,
  name: "f",
  arguments: "",
  result: undefined,
  succeeded: undefined,
  startTime: undefined,
  endTime: undefined,
  ...more
})
const many = <A>(count: number, one: A): ReadonlyArray<A> => Array.from({ length: count }, () => one)

/** The field errors of a transcript with these parts. */
const errorsOf = (turns: ReadonlyArray<Turn>, toolCalls: ReadonlyArray<ToolCall> = []) =>
  Either.match(assemble(makePayloadErrors(), turns, toolCalls), { onLeft: (errors) => errors, onRight: () => ({}) })

describe("a transcript assembled from its parts", () => {
  it("has their turns and tool calls", () => {
    const [turns, toolCalls] = [[turn("Hello")], [call()]]
    expect(assemble(makePayloadErrors(), turns, toolCalls)).toEqual(
      Either.right({ _tag: "RawTranscript", turns, toolCalls })
    )
  })

  it("fails when an error was reported", () => {
    const found = makePayloadErrors()
    found.add("[0].role", "wrong")
    expect(assemble(found, [turn("Hello")], [])).toEqual(Either.left({ "[0].role": ["wrong"] }))
  })

  it("has at most 10,000 turns and 10,000 tool calls", () => {
    const [t, c] = [turn(""), call()]
    expect(errorsOf(many(10_000, t), many(10_000, c))).toEqual({})
    expect(errorsOf(many(10_001, t), many(10_001, c))).toEqual({
      non_field_errors: [
        "Ensure this field has no more than 10000 elements.",
        "Ensure this transcript has no more than 10000 tool calls."
      ]
    })
  })

  it("has at most 100,000 words", () => {
    const words = many(1000, { text: "a", startTime: undefined, endTime: undefined })
    const full = many(100, turn("", { words }))
    expect(errorsOf(full)).toEqual({})
    expect(errorsOf([...full, turn("", { words: words.slice(0, 1) })])).toEqual({
      non_field_errors: ["Ensure this transcript has no more than 100000 words."]
    })
  })

  it("has at most 2,000,000 characters in all of its texts", () => {
    const of = (count: number) => "x".repeat(count)
    const tooMuch = { non_field_errors: ["Ensure this transcript has no more than 2000000 characters."] }
    expect(errorsOf([turn(of(2_000_000))])).toEqual({})
    expect(errorsOf([turn(of(2_000_001))])).toEqual(tooMuch)
    expect(errorsOf([turn("🦊".repeat(10)), turn(of(1_999_990))])).toEqual({})
    const word = { text: "ab", startTime: undefined, endTime: undefined }
    const rest = turn(of(1_999_900))
    const full = [
      call({ name: of(20), arguments: of(30), result: of(25), id: of(21) }),
      call({ name: "", arguments: "" })
    ]
    expect(errorsOf([rest, turn("", { words: [word, word] })], full)).toEqual({})
    for (const more of [{ name: "x" }, { arguments: "x" }, { result: "x" }, { id: "x" }]) {
      expect(
        errorsOf([rest, turn("", { words: [word, word] })], [...full, call({ name: "", arguments: "", ...more })])
      ).toEqual(tooMuch)
    }
    expect(errorsOf([rest, turn("", { words: [word, word, { ...word, text: "c" }] })], full)).toEqual(tooMuch)
  })
})
