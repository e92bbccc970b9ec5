import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import { describe, expect, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as fc from "fast-check"

const { answerRedactionQuestion, jsonQuestion, RedactionAnswer, redactionOf, transcriptQuestion } =
  Redaction.RedactionQuestions

const options: ReadonlyArray<Redaction.RedactOptions> = [
  {},
  { everyday: true, threshold: 0.3 },
  { replacement: { style: "numbered" }, known: [{ value: "555-867-5309", field: "phone_number" }] },
  { replacement: { style: "hashed", key: "key" }, known: [{ value: "ravi", key: "first_name" }] }
]

/** A question and its answer as they arrive in another thread. */
const asked = (
  raw: Redaction.Transcript,
  fields: ReadonlyArray<Redaction.SensitiveField>,
  given: Redaction.RedactOptions
) =>
  redactionOf(
    raw,
    Either.getOrThrow(
      Schema.decodeUnknownEither(RedactionAnswer.transcript)(
        structuredClone(answerRedactionQuestion(structuredClone(transcriptQuestion(raw, fields, given))))
      )
    )
  )

describe("redaction that is asked of a thread", () => {
  it("answers the same as the function, for any call", () => {
    fc.assert(
      fc.property(
        RedactionKit.anyCall,
        RedactionKit.someFields,
        fc.constantFrom(...options),
        fc.array(fc.tuple(fc.nat(5), fc.nat(20), fc.constantFrom("model a", "model b"))),
        (raw, fields, given, places) => {
          const extra = places.flatMap(([turn, start, evidence]): ReadonlyArray<Redaction.TurnSpan> => {
            const end = Math.min(start + 3, raw.turns[turn]?.content.length ?? 0)
            return end > start ? [{ turn, start, end, field: "event", score: 0.9, evidence: [evidence] }] : []
          })
          expect(asked(raw, fields, { ...given, extra })).toEqual(
            Redaction.redactTranscript(raw, fields, { ...given, extra })
          )
        }
      ),
      { numRuns: 25, seed: 42 }
    )
  })

  it("keeps what turns and tool calls carry besides, and times that are unknown", () => {
    const raw = {
      turns: [
        {
          speaker: "testing_agent" as const,
          content: "my number is 415-555-2671",
          startTime: 1,
          endTime: undefined,
          words: [
            { text: "my", startTime: 0, endTime: undefined },
            { text: "415-555-2671", startTime: 2, endTime: 3.5 }
          ],
          timing: { seconds: 3 }
        }
      ],
      toolCalls: [
        { id: "a", arguments: '{"phone":"415-555-2671"}', result: undefined },
        { id: "b", arguments: "", result: "" }
      ]
    }
    const redaction = asked(raw, ["phone_number"], {})
    expect(redaction).toEqual(Redaction.redactTranscript(raw, ["phone_number"]))
    expect(redaction.transcript.turns[0]).toMatchObject({
      content: "my number is [PHONE_NUMBER]",
      timing: { seconds: 3 }
    })
    expect(redaction.transcript.toolCalls).toEqual([
      { id: "a", arguments: '{"phone":"[PHONE_NUMBER]"}', result: undefined },
      { id: "b", arguments: "", result: "" }
    ])
  })

  it("answers the same as the function, for any document", () => {
    fc.assert(
      fc.property(
        fc.record({
          document: fc.oneof(
            fc.jsonValue({ maxDepth: 3 }),
            fc.dictionary(
              fc.constantFrom("phone", "customerName", "415-555-2671", "note"),
              fc.constantFrom(4155552671, "ravi dubey from pune", "call 415-555-2671")
            )
          ),
          fields: RedactionKit.someFields,
          given: fc.constantFrom(...options)
        }),
        ({ document, fields, given }) => {
          const json: Redaction.Json = JSON.parse(JSON.stringify(document))
          const answer = answerRedactionQuestion(structuredClone(jsonQuestion(JSON.stringify(json), fields, given)))
          const text = Schema.decodeUnknownSync(RedactionAnswer.json)(answer)
          expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(Redaction.redactJson(json, fields, given))))
        }
      ),
      { numRuns: 100, seed: 42 }
    )
  })
})

describe("a turn with as many words and values as a transcript may have", () => {
  it("is redacted in time in proportion to its length", () => {
    const count = 5_000
    const number = (at: number): string => `415-555-${String(at % 10_000).padStart(4, "0")}`
    const texts = Array.from({ length: count }, (_, at) => number(at))
    const raw: Redaction.Transcript = {
      turns: [
        {
          speaker: "testing_agent",
          content: texts.join(", "),
          startTime: 0,
          endTime: count,
          words: texts.map((text, at) => ({ text, startTime: at, endTime: at + 0.2 }))
        }
      ],
      toolCalls: []
    }
    const placed = Redaction.redactTranscript(raw, ["phone_number"])
    expect(placed.spans.length).toBeGreaterThan(0)
    expect(/\d{4}/.test(placed.transcript.turns[0]?.content ?? "")).toBe(false)
  })

  it("is muted as a whole where one value has more words than a function takes arguments", () => {
    const count = 100_000
    const content = "x ".repeat(count).trim()
    const raw: Redaction.Transcript = {
      turns: [
        {
          speaker: "testing_agent",
          content,
          startTime: 0,
          endTime: count,
          words: Array.from({ length: count }, (_, at) => ({ text: "x", startTime: at, endTime: at + 0.5 }))
        }
      ],
      toolCalls: []
    }
    const extra: ReadonlyArray<Redaction.TurnSpan> = [
      { turn: 0, start: 0, end: content.length, field: "event", score: 1, evidence: ["model"] }
    ]
    const { ranges, transcript } = Redaction.redactTranscript(raw, ["event"], { extra })
    expect(transcript.turns[0]?.content).toBe("[EVENT]")
    expect(ranges).toEqual({
      _tag: "Known",
      ranges: [{ speaker: "testing_agent", start: 0, end: count - 0.5 + 0.25 }]
    })
  })
})
