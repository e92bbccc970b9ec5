import { sensitiveFields } from "@earshot/redaction"
import { FieldErrors } from "@earshot/core"
import { CallKit } from "@earshot/test-kit"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { IngestBody, makeDecode } from "../../src/calls/IngestBody.js"
import { makeIngestValidator } from "../../src/calls/IngestValidation.js"
import * as TranscriptFormat from "../../src/transcripts/TranscriptFormat.js"

const decode = makeDecode(TranscriptFormat.builtIn)
const bySchema = FieldErrors.decode(IngestBody)

/** Anything JSON can put under a field's name, and what it cannot. */
const hostile = fc.oneof(
  fc.jsonValue({ maxDepth: 3 }),
  CallKit.document,
  fc.constantFrom<unknown>(
    undefined,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    -0,
    2 ** 53,
    1e300,
    "\0",
    "\ud800",
    "  ",
    "5",
    "true",
    "2026-02-30",
    "http://",
    "https://a b",
    new Date(0),
    () => 1,
    Symbol("x"),
    10n,
    Object.create({ inherited: 1 }),
    JSON.parse('{"__proto__": 1}')
  )
)

const anyBody = CallKit.ingestInput(1).chain((body) =>
  fc
    .dictionary(fc.constantFrom(...Object.keys(IngestBody.fields)), hostile, { maxKeys: 3 })
    .map((changes): unknown => ({ ...body, ...changes }))
)

describe("the compiled validator of a body", () => {
  it("accepts only what the schema accepts, and decodes it to the same body", () => {
    fc.assert(
      fc.property(fc.oneof(anyBody, hostile), (input) => {
        expect(decode(input)).toEqual(bySchema(input))
      }),
      { numRuns: 2000 }
    )
  })

  it.each(CallKit.invalidIngestFields.map(([flaw, field, value]) => ({ flaw, field, value })))(
    "agrees with the schema about $flaw",
    ({ field, value }) => {
      const input = { call_id: "a", agent: 1, [field]: value }
      expect(decode(input)).toEqual(bySchema(input))
    }
  )

  it("accepts plain bodies without the schema", () => {
    const asked: Array<string> = []
    const watched = new Proxy(TranscriptFormat.builtIn.type, {
      get: (target, key, receiver) => {
        if (key === "ast") asked.push("ast")
        return Reflect.get(target, key, receiver)
      }
    })
    const plain = makeDecode({ ...TranscriptFormat.builtIn, type: watched })
    // Compiles the decoder.
    plain({ call_id: "first", agent: 1 })
    expect(asked).not.toEqual([])
    asked.length = 0
    expect(Either.isRight(plain({ call_id: "a", agent: 1, metadata: { a: 1 }, other: "passed over" }))).toBe(true)
    expect(asked).toEqual([])
  })
})

const validate = makeIngestValidator({ formats: TranscriptFormat.builtIn, transcribes: false, maxRecordingBytes: 1000 })
const errorsOf = (input: unknown): FieldErrors.FieldErrors =>
  Either.match(validate(input), { onLeft: ({ errors: errors }) => errors, onRight: () => ({}) })

describe("the validation of a body", () => {
  it("accepts a valid body", () => {
    fc.assert(
      fc.property(CallKit.ingestInput(1), (input) => {
        expect(errorsOf(input)).toEqual({})
      })
    )
  })

  it("reports an error under its path", () => {
    fc.assert(
      fc.property(
        // Whether anybody has an assistant id is not the body's to say.
        CallKit.invalidIngest(1).filter(({ input }) => input.assistant_id !== "unknown"),
        ({ input, path }) => {
          expect(Object.keys(errorsOf(input))).toContain(path)
        }
      )
    )
  })

  it("reports every error, including those of the transcript", () => {
    expect(
      errorsOf({
        call_id: "",
        trace_id: "0".repeat(33),
        agent: "x",
        transcript_json: [{ role: "agent", content: "Hi" }, { role: "Main Agent" }],
        metadata: { n: 2 ** 53 },
        redact_fields: ["ssn", "shoe_size"],
        metric_ids: "one",
        main_agent_channel_index: 3,
        voice_recording_url: "nowhere"
      })
    ).toEqual({
      call_id: [FieldErrors.Messages.notBlank],
      trace_id: [FieldErrors.Messages.tooLong(32)],
      agent: [FieldErrors.Messages.notAnInteger],
      "transcript_json[0].role": [expect.stringContaining("agent")],
      "transcript_json[1].content": [FieldErrors.Messages.required],
      metadata: [expect.stringContaining("2^53")],
      "redact_fields[1]": [`"shoe_size" is not a valid choice. Choose from ${sensitiveFields.join(", ")}.`],
      metric_ids: [expect.stringContaining("separated by commas")],
      main_agent_channel_index: [FieldErrors.Messages.tooLarge(1)],
      voice_recording_url: [expect.stringContaining("URL")]
    })
  })

  it("requires an agent by id or assistant_id", () => {
    expect(Object.keys(errorsOf({ call_id: "a" }))).toEqual(["agent", "assistant_id"])
    expect(Object.keys(errorsOf({ call_id: "a", agent: null, assistant_id: " " }))).toEqual(["agent", "assistant_id"])
    expect(errorsOf({ call_id: "a", assistant_id: "asst" })).toEqual({})
  })

  it.each([undefined, null, 5, "text", [], [{ call_id: "a" }]])("rejects %s as a body", (input) => {
    expect(Object.keys(errorsOf(input))).toEqual(["non_field_errors"])
  })

  it("rejects none-mono without a transcriber, and without a recording", () => {
    expect(errorsOf({ call_id: "a", agent: 1, transcript_type: "none-mono" })).toEqual({
      transcript_type: [expect.stringContaining("No transcriber")],
      voice_recording: [expect.stringContaining("needs a recording")]
    })
  })
})
