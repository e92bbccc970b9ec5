import { FieldErrors, type RawTranscript, TranscriptFormat, TranscriptLimits } from "@earshot/core"
import { TranscriptArbitraries } from "@earshot/test-kit"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const { damagedPayloadOf, hostilePayloadOf, payloadOf } = TranscriptArbitraries
const { builtIn, transcriptTypes } = TranscriptFormat
const withTranscript = transcriptTypes.filter((type) => type !== "none-mono")

const ordered = (start: number | undefined, end: number | undefined): boolean =>
  (start === undefined || (start >= 0 && start <= TranscriptLimits.MAX_CALL_SECONDS)) &&
  (end === undefined || (end >= 0 && end <= TranscriptLimits.MAX_CALL_SECONDS)) &&
  (start === undefined || end === undefined || start <= end)

/** What every decoder promises of everything it accepts. */
const expectSound = ({ toolCalls, turns }: RawTranscript): void => {
  for (const turn of turns) {
    expect(ordered(turn.startTime, turn.endTime)).toBe(true)
    expect(turn.content.isWellFormed() && !turn.content.includes("\0")).toBe(true)
    for (const word of turn.words) expect(ordered(word.startTime, word.endTime)).toBe(true)
  }
  for (const call of toolCalls) expect(ordered(call.startTime, call.endTime)).toBe(true)
}

describe.each(transcriptTypes)("transcript type %s", (type) => {
  it("decodes every shape of its payload to the turns and tool calls in it", () => {
    fc.assert(
      fc.property(payloadOf(type), ({ context, payload, toolCalls, turns }) => {
        const decoded = Either.getOrThrowWith(
          builtIn.decode(type, payload, context),
          (faults) => new Error(JSON.stringify(faults))
        )
        expect(decoded.turns).toStrictEqual(turns)
        expect(decoded.toolCalls).toStrictEqual(toolCalls)
        expectSound(decoded)
      }),
      { numRuns: 300 }
    )
  })

  it("answers something sound or a list of faults to anything at all", () => {
    fc.assert(
      fc.property(
        fc.oneof(
          damagedPayloadOf(type),
          fc.anything({ withNullPrototype: true, withSparseArray: true }),
          fc.jsonValue()
        ),
        (input) =>
          Either.match(builtIn.decode(type, input), {
            onLeft: (faults) => {
              const entries = Object.entries(faults)
              expect(entries.length).toBeGreaterThan(0)
              for (const [, sentences] of entries) expect(sentences.length).toBeGreaterThan(0)
            },
            onRight: expectSound
          })
      ),
      { numRuns: 500 }
    )
  })
})

describe.each(withTranscript)("hostile %s", (type) => {
  it("is refused with a fault where the harm is", () => {
    fc.assert(
      fc.property(hostilePayloadOf(type), ({ path, payload }) => {
        const faults = Either.match(builtIn.decode(type, payload), {
          onLeft: (left) => left,
          onRight: () => FieldErrors.noFieldErrors
        })
        expect(Object.keys(faults)).toContain(path)
      }),
      { numRuns: 300 }
    )
  })

  it("is refused for its length, not worked through", () => {
    const rows = Array.from({ length: 200_000 }, () => null)
    const faults = Either.match(builtIn.decode(type, rows), {
      onLeft: (left) => left,
      onRight: () => FieldErrors.noFieldErrors
    })
    expect(Object.keys(faults)).toStrictEqual(["non_field_errors"])
  })

  it("survives nesting deeper than the stack", () => {
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

describe("a payload with more than any call holds", () => {
  const faultsOf = (type: string, input: unknown): FieldErrors.FieldErrors =>
    Either.match(builtIn.decode(type, input), { onLeft: (faults) => faults, onRight: () => FieldErrors.noFieldErrors })

  it("is refused for its tool calls", () => {
    const row = { role: "tool_calls", toolCalls: Array.from({ length: 6_000 }, () => ({ function: { name: "f" } })) }
    expect(faultsOf("provider_a", [row, row])).toStrictEqual({
      non_field_errors: ["Ensure this transcript has no more than 10000 tool calls."]
    })
  })

  it("is refused for its words", () => {
    const words = Array.from({ length: 20_000 }, () => ({ word: "a", start: 0, end: 1 }))
    const row = { role: "user", content: "a", words }
    expect(faultsOf("provider_b", [row, row, row, row, row, row])).toStrictEqual({
      non_field_errors: ["Ensure this transcript has no more than 100000 words."]
    })
  })
})
