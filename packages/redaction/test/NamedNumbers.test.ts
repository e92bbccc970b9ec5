import * as Redaction from "@earshot/redaction"
import { spoken } from "@earshot/test-kit/conformance"
import { describe, expect, it } from "@effect/vitest"
import { type Field, redacted } from "./Hidden.js"

describe("sentences that say which field their value is of", () => {
  const sentences = Object.entries(spoken)
  const lines = sentences.map(([, { says }]) => `C: ${says}`)

  /** Fields whose sentence is changed, each sentence redacted by itself. */
  const changedApart = (field: Field): ReadonlyArray<string> =>
    sentences.filter(([, { says }]) => redacted([`C: ${says}`], [field])[0] !== says).map(([name]) => name)

  const changedTogether = (field: Field): ReadonlyArray<string> => {
    const turns = redacted([...lines, "A: Anything else?"], [field])
    return sentences.filter(([, { says }], at) => turns[at] !== says).map(([name]) => name)
  }

  it.each(Redaction.sensitiveFields)("lose what is of %s, and nothing else, where it alone is requested", (field) => {
    const { covers = [], value } = spoken[field] ?? { value: "" }
    for (const changed of [changedApart(field), changedTogether(field)]) {
      expect(changed).toContain(field)
      expect([field, ...covers]).toEqual(expect.arrayContaining([...changed]))
    }
    expect(redacted([`C: ${spoken[field]?.says ?? ""}`], [field])[0]).not.toContain(value)
  })
})

/** What names a number, and the fields that this may be said of. */
const named: ReadonlyArray<readonly [phrase: string, fields: ReadonlyArray<Field>]> = [
  ["customer account number", ["account_number"]],
  ["account number", ["account_number", "bank_account"]],
  ["membership number", ["account_number", "healthcare_number"]],
  ["policy number", ["account_number", "healthcare_number"]],
  ["phone number", ["phone_number"]],
  ["medical record number", ["healthcare_number"]],
  ["bank account number", ["bank_account"]],
  ["passport number", ["passport_number"]],
  ["driver's license number", ["driver_license"]],
  ["employee badge number", ["numerical_pii"]],
  ["claim number", ["numerical_pii"]],
  ["order number", []],
  ["tracking number", []]
]

/** Numbers that are as long as one of several fields, and that no range or check digit says anything of. */
const values = [
  "904418236",
  "55821937",
  "70441823612",
  "nine oh four four one eight two three six",
  "five five eight two one nine three"
]

const numberFields: ReadonlyArray<Field> = [
  ...(["phone_number", "account_number", "healthcare_number", "bank_account", "ssn", "credit_card"] as const),
  ...(["passport_number", "driver_license", "vehicle_id", "numerical_pii", "password", "username"] as const)
]

/** The fields that a number is redacted for, each requested alone. */
const fieldsOf = (...lines: ReadonlyArray<string>): ReadonlyArray<Field> =>
  numberFields.filter((field) => redacted(lines, [field]).at(-1) !== lines.at(-1)?.slice(3))

describe("a number that is named", () => {
  for (const [phrase, fields] of named) {
    it(`counts as what its ${phrase} is, and as nothing that looks alike`, () => {
      for (const value of values) {
        const expected = new Set(fields)
        const before = `C: my ${phrase} is ${value}`
        const after = `C: ${value} is my ${phrase}`
        for (const line of [before, after]) expect(new Set(fieldsOf(line)), line).toEqual(expected)
        expect(new Set(fieldsOf("A: and the little code", before)), `${before}, asked for`).toEqual(expected)
        expect(new Set(fieldsOf("A: what's printed along the top", before)), `${before}, asked for`).toEqual(expected)
      }
    })
  }

  it("counts as each field that it may be where nothing names it", () => {
    const written = ["phone_number", "account_number", "healthcare_number", "bank_account", "numerical_pii"]
    expect(new Set(fieldsOf("C: it says 904418236"))).toEqual(new Set(written))
    const spelled = [...written, "ssn", "passport_number", "driver_license", "vehicle_id", "password"]
    expect(new Set(fieldsOf("C: it says nine oh four four one eight two three six"))).toEqual(new Set(spelled))
  })

  it("counts as a field that its range, its groups or its check digit tell, whatever names it", () => {
    expect(fieldsOf("C: my claim number is 536-22-8145")).toContain("ssn")
    expect(fieldsOf("C: my account number is 415-555-0171")).toContain("phone_number")
    expect(fieldsOf("C: my account number is 4111 1111 1111 1111")).toContain("credit_card")
  })
})

describe("a number near a phrase that does not name it", () => {
  const expectPhone = (...lines: ReadonlyArray<string>): void => {
    expect(fieldsOf(...lines), lines.join(" / ")).toContain("phone_number")
  }

  it("may be a phone number where a sentence ends, another word or a negation stands between", () => {
    for (const value of ["904418236", "nine oh four four one eight two three six"])
      for (const line of [
        `the claim is mine. ${value}.`,
        `i haven't got the claim number but ${value} gets me`,
        `i don't have my account number. ${value} is where you reach me`,
        `not my account number, ${value}, that rings at home`,
        `no account number just ${value} to text me`,
        `i forgot my member number so use ${value}`,
        `no policy number sorry only ${value}`,
        `the account is old. ${value}`,
        `my account number isn't ${value}`,
        `it's on my account ${value}`,
        `it's ${value} my account is locked`,
        `${value} isn't my account number`,
        `${value}. my account number is somewhere here`
      ])
        expectPhone(`C: ${line}`)
  })

  it("may be what an open question asks for, whatever else it is said to be of", () => {
    expectPhone("A: phone number", "C: on the account it's 904418236")
    expectPhone("A: best phone number for you", "C: the one on my account, 904418236")
    expectPhone("A: what's the number to ring", "C: same as on my policy number 904418236")
    expectPhone("A: phone number", "C: it's on my insurance card 904418236")
    expect(fieldsOf("A: what's your member number", "C: my account number is 904418236")).toContain("healthcare_number")
  })

  it("is none where linking words alone stand between", () => {
    for (const line of [
      "my account number, it's 904418236",
      "my account number: 904418236",
      "the account is 904418236",
      "904418236, that's my account number",
      "904418236 is the account",
      "no, my account number is 904418236",
      "acct no. 904418236",
      "i'm not sure but my account number is 904418236"
    ])
      expect(fieldsOf(`C: ${line}`), line).not.toContain("phone_number")
  })
})

describe("the end of something, behind the number of a card", () => {
  const card = ["A: card please", "C: 4111 1111 1111 1111"]
  const isOfCard = (question: string): boolean =>
    redacted([...card, `A: ${question}`, "C: march third"], ["credit_card"]).at(-1) !== "march third"

  it.each([
    "when does it expire",
    "and when does it run out",
    "when does the card expire",
    "when is it valid until",
    "when's it good till",
    "when will that one end"
  ])("is of the card: %s", (question) => {
    expect(isOfCard(question)).toBe(true)
  })

  it.each([
    "when is your appointment",
    "when's your flight",
    "and when does the warranty end",
    "when is the delivery wanted",
    "when will you be back",
    "and when does your visa run out",
    "when is it good for you"
  ])("is of something else: %s", (question) => {
    expect(isOfCard(question)).toBe(false)
  })
})

describe("a bare number behind a question of no list", () => {
  it("counts only for fields whose values are as long", () => {
    const five = fieldsOf("A: what's printed along the top", "C: 83214")
    expect(five).toEqual(expect.arrayContaining(["account_number", "healthcare_number", "numerical_pii"]))
    for (const longer of ["phone_number", "ssn", "bank_account"]) expect(five).not.toContain(longer)
    for (const question of ["what's printed along the top", "and the little code", "velocity number"]) {
      const nine = fieldsOf(`A: ${question}`, "C: 904418236")
      expect(nine, question).toEqual(
        expect.arrayContaining(["phone_number", "account_number", "bank_account", "ssn", "passport_number"])
      )
      expect(nine, question).not.toContain("credit_card")
    }
    expect(fieldsOf("A: what's printed along the top", "C: 5582193712345678")).toContain("credit_card")
  })

  it.each([
    ["what was the mileage on it", "83214"],
    ["and the odometer", "eight three two one four"],
    ["what does the gauge say now", "48213"],
    ["what's the square footage", "12500"],
    ["your last bid", "25000"],
    ["say it in figures", "25000"],
    ["give me a figure", "12500"],
    ["can you read the figure under reading", "48213"],
    ["are the numbers right", "12500 yes"],
    ["what's the part code", "70441"],
    ["what's the batch code on the packet", "seven oh four four one"],
    ["what's the warranty number on the box", "70441"],
    ["what's the warranty number", "70441"],
    ["press any key to continue", "one one one one"]
  ])("is none of a person: %s / %s", (question, answer) => {
    expect(redacted([`A: ${question}`, `C: ${answer}`], numberFields).at(-1)).toBe(answer)
  })
})

describe("the number of a card of no known kind", () => {
  const ofCard: ReadonlyArray<Field> = ["account_number", "healthcare_number", "numerical_pii"]

  it("counts as each field that has cards, where it is too short for a payment card", () => {
    for (const lines of [
      ["A: read me the number on the card", "C: seven seven three one oh oh five two"],
      ["C: the number on the card is seven seven three one oh oh five two"]
    ])
      expect(fieldsOf(...lines), lines.join(" / ")).toEqual(expect.arrayContaining([...ofCard, "credit_card"]))
  })

  it("is of no payment card where it has letters", () => {
    const value = "x w q five five oh one eight eight two"
    expect(fieldsOf("A: read me the number on the card", `C: ${value}`)).toEqual(expect.arrayContaining([...ofCard]))
    const named = fieldsOf(`C: the member number on my blue cross card is ${value}`)
    expect(named).toContain("healthcare_number")
    expect(named).not.toContain("credit_card")
    const [, kept] = redacted(
      ["A: read me the number on the card", "C: x w q five five oh one eight eight two"],
      ["healthcare_number"]
    )
    expect(kept).toBe("[HEALTHCARE_NUMBER]")
  })

  it("is that of a payment card where its last figures are asked for", () => {
    expect(fieldsOf("A: the last four of the card", "C: eight eight one three")).toContain("credit_card")
    expect(fieldsOf("A: credit card number please", "C: four one four seven two oh two")).not.toContain(
      "healthcare_number"
    )
  })
})
