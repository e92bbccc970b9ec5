import * as Redaction from "@earshot/redaction"
import { describe, expect, it } from "@effect/vitest"
import { expectUntouched, type Field, redacted } from "./Hidden.js"

const { askedFor, askedKinds, likeliestKind } = Redaction.AskedFor

const likely = (text: string): Float64Array => {
  const { all } = Redaction.tokenize(text)
  return askedFor(all, 0, all.length, true)
}

describe("what a question asks for", () => {
  it.each([
    ["and what do the neighbors call him", "person_name"],
    ["where abouts did the bus drop you", "location"],
    ["any scars or tattoos on him", "physical_attribute"],
    ["how many years young is she", "age"],
    ["what was the memorable word", "secret"],
    ["what does the error say", "nothing"]
  ])("is told by its words: %s", (question, kind) => {
    expect(likeliestKind(likely(question))[0]).toBe(kind)
  })

  it("is a share of each kind, which sum to 1", () => {
    const shares = likely("and the little one")
    expect(shares.length).toBe(askedKinds.length)
    expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9)
  })

  it("packs and unpacks without a change", () => {
    const model = { step: 0.25, weights: Int8Array.from({ length: 64 }, (_, at) => at - 32) }
    // Deflated without compression: a header of five bytes for a stored block.
    const stored = (bytes: Uint8Array): Uint8Array => {
      const { length } = bytes
      return Uint8Array.from([1, length & 255, length >> 8, ~length & 255, (~length >> 8) & 255, ...bytes])
    }
    expect(Redaction.AskedFor.unpackAsked(Redaction.AskedFor.packAsked(model, stored))).toEqual(model)
  })
})

/** Fields that alone change the last of some lines. */
const fieldsOf = (fields: ReadonlyArray<Field>, ...lines: ReadonlyArray<string>): ReadonlyArray<Field> =>
  fields.filter((field) => redacted(lines, [field]).at(-1) !== lines.at(-1)?.slice(3))

describe("a code that is spelled", () => {
  it("is a number of a person whatever is said of it, in all of its parts", () => {
    const lines = ["A: let me write that down", "C: ready, four seven two nine", "A: mhm", "C: oh oh three one"]
    expect(redacted(lines, Redaction.sensitiveFields)).toEqual([
      "let me write that down",
      expect.stringMatching(/^ready, \[\w+\]$/),
      "mhm",
      expect.stringMatching(/^\[\w+\]$/)
    ])
  })

  it("may be of each field whose values are as long, and of a card where one was spoken of", () => {
    const some = ["account_number", "bank_account", "credit_card", "ssn"] as const
    expect(fieldsOf(some, "C: it goes seven oh four four one eight two")).toEqual(["account_number", "bank_account"])
    const card = fieldsOf(some, "C: it's the visa", "A: okay", "C: it goes seven oh four four one eight two")
    expect(card).toContain("credit_card")
  })

  it.each(["C: the order number is four seven two nine", "C: an s m s four six", "C: one two three four five"])(
    "is none of a person: %s",
    (line) => {
      expectUntouched(line)
    }
  )

  it("is not explained by a page or a gate", () => {
    expect(redacted(["C: the gate takes four seven two nine one"], Redaction.sensitiveFields)[0]).not.toContain("nine")
  })
})

describe("an answer in words", () => {
  it.each([
    ["what did she look like", "bald with a big gray beard", "physical_attribute"],
    ["where would you like it towed to", "hargreaves autos in ramsbottom", "location"],
    ["what's the password", "bluebottle forty two", "password"]
  ] as const)("is taken with the small words in it: %s", (question, answer, field) => {
    expect(redacted([`A: ${question}`, `C: ${answer}`], [field]).at(-1)).toBe(`[${field.toUpperCase()}]`)
  })

  it("of an agent about its business stays", () => {
    expectUntouched("C: what time do you shut on a sunday", "A: ten till four")
  })

  it("has its weekday and its month", () => {
    const line = "C: it was tuesday the ninth, and the twenty sixth of last month"
    expect(redacted([line], ["date"])[0]).toBe("it was [DATE], and the [DATE]")
  })
})
