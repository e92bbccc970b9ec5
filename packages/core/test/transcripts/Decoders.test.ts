import { FieldErrors, TranscriptFormat } from "@earshot/core"
import * as Either from "effect/Either"
import { describe, expect, it } from "vitest"

const { builtIn, transcriptTypes } = TranscriptFormat
const withTranscript = transcriptTypes.filter((type) => type !== "none-mono")

const errorsOf = (type: string, input: unknown): FieldErrors.FieldErrors =>
  Either.match(builtIn.decode(type, input), {
    onLeft: (errors) => errors,
    onRight: () => FieldErrors.noFieldErrors
  })

describe.each(withTranscript)("decoding %s", (type) => {
  it("rejects a list that is too long without reading it", () => {
    const rows = Array.from({ length: 200_000 }, () => null)
    expect(Object.keys(errorsOf(type, rows))).toStrictEqual(["non_field_errors"])
  })

  it("rejects nesting deeper than the stack", () => {
    let deep: unknown = "bottom"
    for (let depth = 0; depth < 100_000; depth++) deep = depth % 2 === 0 ? [deep] : { content: deep, message: deep }
    const row = {
      role: "user",
      content: deep,
      message: deep,
      start_time: deep,
      tool_calls: deep,
      words: deep,
      word: deep
    }
    const tools = [
      { role: "tool_calls", toolCalls: [{ function: { name: "f", arguments: deep } }] },
      { role: "tool_call", name: "f", arguments: deep },
      { type: "function_call", name: "f", arguments: deep },
      { role: "tool_call_invocation", name: "f", arguments: deep }
    ]
    for (const input of [deep, [deep], [row], [{ ...row, role: deep, speaker: deep }], tools]) {
      expect(Either.isLeft(builtIn.decode(type, input))).toBe(true)
    }
  })
})

describe("a payload beyond the limits", () => {
  it("is rejected for its tool calls", () => {
    const row = { role: "tool_calls", toolCalls: Array.from({ length: 6_000 }, () => ({ function: { name: "f" } })) }
    expect(errorsOf("provider_a", [row, row])).toStrictEqual({
      non_field_errors: ["Ensure this transcript has no more than 10000 tool calls."]
    })
  })

  it("is rejected for its words", () => {
    const words = Array.from({ length: 20_000 }, () => ({ word: "a", start: 0, end: 1 }))
    const row = { role: "user", content: "a", words }
    expect(errorsOf("provider_b", [row, row, row, row, row, row])).toStrictEqual({
      non_field_errors: ["Ensure this transcript has no more than 100000 words."]
    })
  })
})
