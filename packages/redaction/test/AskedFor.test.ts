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

describe("an answer that gives no value", () => {
  for (const [question, ...answers] of [
    [
      "what's the password",
      "is this really necessary",
      "none of your business",
      "hold on my daughter knows it",
      "i'd prefer not to say",
      "why do you need that",
      "what password"
    ],
    [
      "what do you do for a living",
      "that's private",
      "is that relevant here",
      "none of your business mate",
      "that's a bit personal",
      "i'd rather not say"
    ]
  ])
    it.each(answers)(`to "${question}" stays: %s`, (answer) => {
      expectUntouched(`A: ${question}`, `C: ${answer}`)
    })

  it.each([
    ["what's the password", "is it b forty two", "password", "forty two"],
    ["what's the password", "what my first one? biscuit tin", "password", "biscuit tin"],
    ["what do you do for a living", "i'm a personal trainer", "occupation", "personal trainer"],
    ["what do you do for a living", "it's private tutoring", "occupation", "tutoring"]
  ] as const)("is told from one that does: %s, %s", (question, answer, field, value) => {
    expect(redacted([`A: ${question}`, `C: ${answer}`], [field]).at(-1)).not.toContain(value)
  })
})

describe("a word with an underscore", () => {
  it.each([
    "use snake_case names and the user_id column",
    "get_weather failed",
    "set MAX_RETRIES to a higher value",
    "the first_name field is empty"
  ])("in speech is a name in a program: %s", (line) => {
    expectUntouched(`C: ${line}`)
  })

  it.each(["i play as grim_toad44", "the account is sunil_mehta", "my handle there is the silly one, purple_moss"])(
    "is a user name with a figure, a name or a word that tells so: %s",
    (line) => {
      expect(redacted([`C: ${line}`], ["username"])[0]).toMatch(/\[USERNAME\]$/)
    }
  )
})

describe("a day of a month that is past", () => {
  it.each([
    [["C: it was tuesday the ninth of last month"], "it was [DATE]"],
    [["A: when would you like to come in", "C: tuesday the ninth of last month"], "[DATE]"],
    [["A: when would you like to come in", "C: last wednesday the 12th"], "[DATE]"],
    [["C: they came on yesterday the eighteenth, and left"], "they came on [DATE], and left"]
  ] as const)("is taken with its weekday and its month: %j", (lines, last) => {
    expect(redacted(lines, ["date"]).at(-1)).toBe(last)
    expect(redacted(lines, Redaction.sensitiveFields).at(-1)).toBe(last)
  })
})
