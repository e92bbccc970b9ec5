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

describe("a value in more than one piece", () => {
  it("is an address that is spelled over two turns, both halves of it", () => {
    const lines = [
      "A: and where does the receipt go",
      "C: it's tam dot fairley all one word",
      "A: yeah",
      "C: at post box dot com"
    ]
    const last = redacted(lines, ["email_address"])
    expect(last[1]).toBe("it's [EMAIL_ADDRESS] all one word")
    expect(last[3]).toBe("[EMAIL_ADDRESS]")
  })

  it.each([
    ["email_address", ["C: it's n dot fairley erm at example dot com"], "fairley", "example"],
    ["url", ["C: the page was parcel dash tracker dot d e slash pay"], "parcel", "d e", "pay"],
    ["username", ["A: who are you on there", "C: z z underscore silver fern"], "z z", "fern"],
    ["bank_account", ["A: the six little ones in pairs", "C: twenty forty six fifty one"], "twenty", "fifty one"],
    ["dob", ["A: and her details", "C: rosalind one one seventy four"], "one one", "seventy four"],
    ["dob", ["C: it would be the twelfth of the third fifty nine"], "twelfth", "fifty nine"],
    [
      "credit_card",
      [
        "C: four oh one two",
        "A: okay",
        "C: eight eight eight eight",
        "A: and",
        "C: eight eight eight eight one eight eight one"
      ],
      "eight"
    ]
  ] as const)("is taken whole: %s, %j", (field, lines, ...values) => {
    for (const fields of [[field], Redaction.sensitiveFields]) {
      const last = redacted(lines, fields).at(-1) ?? ""
      for (const value of values) expect(last).not.toContain(value)
    }
  })
})

describe("a time or a day", () => {
  it.each([
    [["C: he's meant to come between nine and eleven"], "he's meant to come [TIME]", "time"],
    [["C: i have to be there for half seven"], "i have to be there for [TIME]", "time"],
    [["A: i can get somebody there by 7:15 a.m.", "C: Make it nine."], "Make it [TIME].", "time"],
    [["A: i have three twenty or five ten", "C: three twenty then"], "[TIME] then", "time"],
    [["C: i was on the corner at fifteen oh six"], "i was on the corner at [TIME]", "time"],
    [["C: could we say the tuesday before christmas"], "could we say [DATE]", "date"],
    [["C: he's meant to come friday the tenth between nine and eleven"], /^he's meant to come \[DATE\] /, "date"]
  ] as const)("is told by what stands around it: %j", (lines, expected, field) => {
    for (const fields of [[field], Redaction.sensitiveFields]) {
      const last = redacted(lines, fields).at(-1)
      if (typeof expected === "string") expect(last).toBe(expected.replace("come [TIME]", "come between [TIME]"))
      else expect(last).toMatch(expected)
    }
  })

  it.each([
    "it costs between nine and eleven dollars",
    "make it nine",
    "the scores go from one to ten",
    "up to ten kilos"
  ])("is no number of other things: %s", (line) => {
    expect(redacted([`C: ${line}`], ["time", "date"])).toEqual([line])
  })
})

describe("a place", () => {
  it.each([
    ["C: i'm in a layby on the a four one two past the bridge", "a four one two"],
    ["C: my aunt lives two doors down at number sixteen", "sixteen"]
  ])("is a road or a house by its number: %s", (line, value) => {
    expect(redacted([line], ["location"])[0]).not.toContain(value)
  })

  it("begins with a word that other places begin with", () => {
    expect(redacted(["A: which hospital is he at", "C: st wilfrid's"], ["location"]).at(-1)).toBe("[LOCATION]")
  })
})

describe("a number of nobody", () => {
  it("stays where it is said again without a correction", () => {
    expectUntouched(
      "A: which channel is it on",
      "C: five oh two and it won't go up",
      "A: try typing one oh two",
      "C: nope, channel five oh two still"
    )
  })
})
