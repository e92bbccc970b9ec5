import { FieldErrors, ServicePayload, ServiceTurns, TranscriptFormat, TranscriptLimits } from "@earshot/core"
import { TranscriptArbitraries } from "@earshot/test-kit"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { decodeValid, decodeWithErrors } from "../../src/transcripts/Service.js"

const { hostilePayloadOf, payloadOf } = TranscriptArbitraries
const decode = (input: unknown) => TranscriptFormat.builtIn.decode("service", input)
const decodeWithSchema = FieldErrors.decode(ServicePayload)
const errorsOf = (input: unknown): FieldErrors.FieldErrors =>
  Either.match(decode(input), { onLeft: (errors) => errors, onRight: () => FieldErrors.noFieldErrors })

const turn = (changes: object = {}): object => ({
  role: "Main Agent",
  content: "Hello",
  start_time: 1,
  end_time: 2,
  ...changes
})

describe("the service format", () => {
  it("accepts the two roles of the interface and unknown times", () => {
    expect(
      decode([turn(), turn({ role: "Testing Agent", content: "", start_time: null, end_time: undefined })])
    ).toStrictEqual(
      Either.right({
        _tag: "RawTranscript",
        turns: [
          { speaker: "main_agent", content: "Hello", startTime: 1, endTime: 2, words: [] },
          { speaker: "testing_agent", content: "", startTime: undefined, endTime: undefined, words: [] }
        ],
        toolCalls: []
      })
    )
  })

  it("accepts an empty transcript", () => {
    expect(Either.map(decode([]), (transcript) => transcript.turns)).toStrictEqual(Either.right([]))
  })

  it.each(["agent", "user", "main_agent", "main agent", "Main Agent ", "Function Call", ""])(
    "rejects the role %j",
    (role) => {
      expect(errorsOf([turn(), turn({ role })])).toStrictEqual({
        "[1].role": [expect.stringContaining(`"${role}" is not a valid choice. Choose from `)]
      })
    }
  )

  it("reports every error of every row", () => {
    expect(
      errorsOf([
        { role: "agent", content: 3, start_time: 5, end_time: 4 },
        turn(),
        "row",
        { content: "a\0b", start_time: -1, end_time: "late" },
        null
      ])
    ).toStrictEqual({
      "[0].role": [expect.stringContaining('"agent" is not a valid choice. Choose from ')],
      "[0].content": ["Not a valid string."],
      "[0].end_time": ["Ensure the end is not before the start."],
      "[2]": ["Expected an object."],
      "[3].role": ["This field is required."],
      "[3].content": ["Null characters are not allowed."],
      "[3].start_time": ["Ensure this value is greater than or equal to 0."],
      "[3].end_time": ["A valid number is required."],
      "[4]": ["This field may not be null."]
    })
  })

  it.each([
    [null, "This field may not be null."],
    [undefined, "This field is required."],
    ["[]", "Expected a list of items."],
    [{ transcript: [] }, "Expected a list of items."]
  ])("says of %j that it is no list", (input, sentence) => {
    expect(errorsOf(input)).toStrictEqual({ non_field_errors: [sentence] })
  })

  it("accepts values at the limits and rejects values beyond", () => {
    const { MAX_CALL_SECONDS, MAX_TEXT, MAX_TURNS } = TranscriptLimits
    const long = "é".repeat(MAX_TEXT)
    const astral = "🦊".repeat(MAX_TEXT)
    const many = Array.from({ length: MAX_TURNS }, () => turn({ content: "" }))
    expect(Either.isRight(decode([turn({ end_time: MAX_CALL_SECONDS })]))).toBe(true)
    expect(Either.isRight(decode([turn({ content: long })]))).toBe(true)
    expect(Either.isRight(decode([turn({ content: astral })]))).toBe(true)
    expect(Either.isRight(decode(many))).toBe(true)
    expect(errorsOf([turn({ end_time: MAX_CALL_SECONDS + 1 })])).toStrictEqual({
      "[0].end_time": [`Ensure this value is less than or equal to ${MAX_CALL_SECONDS}.`]
    })
    expect(errorsOf([turn({ content: long }), turn({ content: "!" })])).toStrictEqual({
      non_field_errors: [`Ensure this transcript has no more than ${MAX_TEXT} characters.`]
    })
    expect(errorsOf([turn({ content: `${astral}!` })])).toStrictEqual({
      non_field_errors: [`Ensure this transcript has no more than ${MAX_TEXT} characters.`]
    })
    expect(errorsOf([...many, turn()])).toStrictEqual({
      non_field_errors: [`Ensure this field has no more than ${MAX_TURNS} elements.`]
    })
  })

  it("reports at most 1,000 field errors and says that there are more", () => {
    const errors = errorsOf(Array.from({ length: 2_000 }, () => ({})))
    expect(Object.keys(errors)).toHaveLength(TranscriptLimits.MAX_FIELD_ERRORS + 1)
    expect(errors.non_field_errors).toStrictEqual(["Only the first 1000 errors are listed."])
  })

  it("turns -0 into 0", () => {
    expect(
      Either.map(decode([turn({ start_time: -0 })]), ({ turns }) => Object.is(turns[0]?.startTime, 0))
    ).toStrictEqual(Either.right(true))
  })

  it("has a JSON Schema", () => {
    const printed = JSON.stringify(JSONSchema.make(ServiceTurns))
    expect(printed).toContain('"enum":["Testing Agent","Main Agent"]')
    expect(printed).toContain('"required":["role","content"]')
    expect(printed).toContain('"type":"number","minimum":0')
    expect(printed).toContain('"#/$defs/ServiceTurn"')
    expect(printed).toContain('"ServiceTranscript"')
    expect(printed).toContain(`"maxItems":${TranscriptLimits.MAX_TURNS}`)
    expect(printed).toContain(`"maximum":${TranscriptLimits.MAX_CALL_SECONDS}`)
  })
})

describe("the fast decoder, the reporting decoder and the schema", () => {
  const { MAX_CALL_SECONDS, MAX_TEXT, MAX_TURNS } = TranscriptLimits
  const hostile = turn({ extra: ["\0"] })
  const rows = (count: number, row: object = turn({ content: "" })) => Array.from({ length: count }, () => row)

  it.each<readonly [string, unknown]>([
    ["no rows", []],
    ["both roles", [turn(), turn({ role: "Testing Agent", content: "" })]],
    ["no times", [{ role: "Main Agent", content: "Hi" }]],
    [
      "times that are null or undefined",
      [turn({ start_time: null, end_time: undefined }), turn({ start_time: undefined, end_time: null })]
    ],
    [
      "times at the limits",
      [
        turn({ start_time: 0, end_time: 0 }),
        turn({ start_time: -0, end_time: -0 }),
        turn({ start_time: MAX_CALL_SECONDS, end_time: MAX_CALL_SECONDS })
      ]
    ],
    ["an end alone", [turn({ start_time: null, end_time: 1 }), { role: "Main Agent", content: "Hi", end_time: 0 }]],
    ["a start alone", [{ role: "Main Agent", content: "Hi", start_time: 3 }]],
    ["unknown keys", [turn({ extra: { any: ["thing"] } }), { role: "Main Agent", content: "Hi", extra: 1 }]],
    ["as many rows as may be", rows(MAX_TURNS)],
    ["as long a text as may be", [turn({ content: "x".repeat(MAX_TEXT) })]],
    ["as long a text of signs beyond the first plane", [turn({ content: "🦊".repeat(MAX_TEXT) })]]
  ])("take %s", (_, input) => {
    const turns = decodeValid(input)
    expect(turns).toBeDefined()
    expect(decodeWithErrors(input)).toStrictEqual(Either.right({ _tag: "RawTranscript", turns, toolCalls: [] }))
    expect(Either.isRight(decodeWithSchema(input))).toBe(true)
  })

  it.each<readonly [string, unknown]>([
    ["what is no list", { 0: turn() }],
    ["a row that is none", [turn(), 5]],
    ["another role", [turn({ role: "agent" })]],
    ["a text that is none", [turn({ content: 5 })]],
    ["a text with NUL", [turn({ content: "\0" })]],
    ["a start that is no number", [turn({ start_time: "1" })]],
    ["a start that is not finite", [turn({ start_time: Number.NaN })]],
    ["a start below 0", [turn({ start_time: -0.001 })]],
    ["a start beyond a week", [turn({ start_time: MAX_CALL_SECONDS + 0.001, end_time: null })]],
    ["an end that is no number", [turn({ end_time: true })]],
    ["an end that is not finite", [turn({ start_time: null, end_time: Number.NaN })]],
    ["an end below 0", [turn({ start_time: null, end_time: -0.001 })]],
    ["an end beyond a week", [turn({ end_time: MAX_CALL_SECONDS + 0.001 })]],
    ["an end before its start", [turn({ start_time: 2, end_time: 1.999 })]],
    ["invalid values in unknown keys", [hostile]],
    ["harm in a row without times", [{ role: "Main Agent", content: "Hi", extra: "\0", more: 1 }]],
    ["harm in the last of as many rows as may be", [...rows(MAX_TURNS - 1), hostile]],
    ["one row too many", rows(MAX_TURNS + 1)],
    ["one character too many", [turn({ content: "x".repeat(MAX_TEXT) }), turn({ content: "!" })]]
  ])("refuse %s", (_, input) => {
    expect(decodeValid(input)).toBeUndefined()
    expect(Either.isLeft(decodeWithErrors(input))).toBe(true)
    expect(Either.isLeft(decodeWithSchema(input))).toBe(true)
  })

  it("agree on what is invalid", () => {
    const reported = (input: unknown) =>
      Either.match(decodeWithSchema(input), { onLeft: (errors) => errors, onRight: () => FieldErrors.noFieldErrors })
    for (const changes of [
      { start_time: -1 },
      { start_time: 1e6, end_time: null },
      { end_time: "late" },
      { start_time: 5 }
    ]) {
      expect(reported([turn(changes)])).toStrictEqual(errorsOf([turn(changes)]))
    }
    const tooLong = [turn({ content: "x".repeat(MAX_TEXT + 1) })]
    expect(reported(tooLong)).toStrictEqual(errorsOf(tooLong))
    expect(reported([hostile])).toStrictEqual({ non_field_errors: ["Value must be valid JSON."] })
    // Too many rows are not looked at.
    expect(reported(rows(MAX_TURNS + 1, hostile))).toStrictEqual(errorsOf(rows(MAX_TURNS + 1)))
  })
})

describe("the decoder and the schema", () => {
  const part = fc.oneof(
    fc.constantFrom<unknown>(
      "Main Agent",
      "Testing Agent",
      "agent",
      "",
      null,
      undefined,
      0,
      -0,
      1,
      1.5,
      604_800,
      604_801
    ),
    fc.constantFrom<unknown>(-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "\0", "\ud83d", "🦊", [], {}, true),
    fc.double(),
    fc.anything()
  )
  const row = fc.oneof(
    fc.record({ role: part, content: part, start_time: part, end_time: part }, { requiredKeys: [] }),
    fc.record({
      role: fc.constantFrom("Main Agent", "Testing Agent"),
      content: TranscriptArbitraries.Conversations.speech,
      start_time: part,
      end_time: part
    }),
    fc.record({
      role: fc.constant("Main Agent"),
      content: fc.constant("Hello"),
      extra: part,
      ["__proto__"]: fc.constant(1)
    }),
    fc.record({ role: fc.constant("Main Agent"), content: fc.constant("Hello"), extra: part }),
    part
  )
  const inputs: fc.Arbitrary<unknown> = fc.oneof(
    payloadOf("service").map(({ payload }) => payload),
    hostilePayloadOf("service").map(({ payload }) => payload),
    fc.array(row, { maxLength: 4 }),
    part
  )

  it("accept the same payloads, and the decoder reports every error of the schema", () => {
    fc.assert(
      fc.property(inputs, (input) => {
        const own = decode(input)
        const bySchema = decodeWithSchema(input)
        expect(Either.isRight(own)).toBe(Either.isRight(bySchema))
        if (Either.isLeft(bySchema) && Either.isLeft(own)) {
          for (const path of Object.keys(bySchema.left)) {
            // The schema reports one error for a row that cannot be stored; the decoder reports its field.
            if (path !== FieldErrors.NON_FIELD) expect(Object.keys(own.left)).toContain(path)
          }
        }
        if (Either.isRight(bySchema) && Either.isRight(own)) {
          expect(own.right.turns.map(({ content, endTime, startTime }) => [content, startTime, endTime])).toStrictEqual(
            bySchema.right.map(({ content, end_time, start_time }) => [
              content,
              start_time === undefined || start_time === null ? undefined : start_time + 0,
              end_time === undefined || end_time === null ? undefined : end_time + 0
            ])
          )
        }
      }),
      { numRuns: 1_500 }
    )
  })
})
