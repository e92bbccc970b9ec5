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
    for (const value of ["904418236", "nine oh four four one eight two three six"])
      expect(fieldsOf(`C: it says ${value}`), value).toEqual([
        "phone_number",
        "account_number",
        "healthcare_number",
        "bank_account",
        "numerical_pii"
      ])
  })

  it("counts as a field that its range, its groups or its check digit tell, whatever names it", () => {
    expect(fieldsOf("C: my claim number is 536-22-8145")).toContain("ssn")
    expect(fieldsOf("C: my account number is 415-555-0171")).toContain("phone_number")
    expect(fieldsOf("C: my account number is 4111 1111 1111 1111")).toContain("credit_card")
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
