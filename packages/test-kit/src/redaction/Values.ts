import * as Redaction from "@earshot/redaction"
import type { Random } from "./Random.js"
import { cardinal, sayCode, year } from "./Spoken.js"
import { type Part, word } from "./ValueLists.js"
import { code, dateValue, months, sayAddress, type Style } from "./WrittenValues.js"
import { iban, luhn, routing, vin } from "./CheckDigits.js"

export type SensitiveField = Redaction.SensitiveField

/** What a value is made from. */
interface Making {
  readonly random: Random
  readonly part: Part
  readonly style: Style
  readonly typed: boolean
}

/** How a value of each slot is made. */
const makers: ReadonlyMap<string, (making: Making) => string> = new Map([
  [
    "person_name",
    ({ random, part }) =>
      random.chance(0.6) ? `${word(random, part, "first")} ${word(random, part, "last")}` : word(random, part, "first")
  ],
  ["full_name", ({ random, part }) => `${word(random, part, "first")} ${word(random, part, "last")}`],
  ["last_name", ({ random, part }) => word(random, part, "last")],
  [
    "spelled_name",
    ({ random, part }) =>
      [
        ...word(random, part, "last")
          .toUpperCase()
          .replace(/[^A-Z]/g, "")
      ].join(random.pick(["-", " ", ", "]))
  ],
  ["age", ({ random, typed }) => (typed ? String(random.int(18, 90)) : cardinal(random.int(18, 90)))],
  [
    "phone_number",
    ({ random, typed }) => {
      const digits = `${random.int(2, 9)}${random.digits(2)}${random.int(2, 9)}${random.digits(6)}`
      return typed
        ? random.pick([
            `${digits.slice(0, 3)}-${digits.slice(3, 6)}-${digits.slice(6)}`,
            `(${digits.slice(0, 3)}) ${digits.slice(3, 6)}-${digits.slice(6)}`,
            `+1 ${digits.slice(0, 3)} ${digits.slice(3, 6)} ${digits.slice(6)}`
          ])
        : sayCode(random, digits, [3, 3, 4])
    }
  ],
  [
    "email_address",
    ({ random, part, typed }) => {
      const name = random
        .pick([
          `${word(random, part, "first")}.${word(random, part, "last")}`,
          `${word(random, part, "first")}_${word(random, part, "last")}`,
          `${word(random, part, "first")}${word(random, part, "last")}`,
          `${word(random, part, "first")}${random.digits(2)}`
        ])
        .toLowerCase()
        .replace(/'/g, "")
      const written = `${name}@${word(random, part, "domain")}`
      return typed ? written : sayAddress(written)
    }
  ],
  ["date", ({ random, style }) => dateValue(random, style, 2015, 2026)],
  ["dob", ({ random, style }) => dateValue(random, style, 1940, 2005).replace(/^(\w+ \w+( \w+)?)$/, "$1")],
  [
    "time",
    ({ random, typed }) => {
      const hour = random.int(1, 12)
      return typed
        ? random.pick([
            `${hour}:${random.pick(["00", "15", "30", "45"])} ${random.pick(["AM", "PM", "pm"])}`,
            `${hour} ${random.pick(["am", "pm"])}`
          ])
        : random.pick([
            `${cardinal(hour)} ${random.pick(["thirty", "fifteen", "forty five"])} ${random.pick(["am", "pm", "p.m."])}`,
            `${cardinal(hour)} o'clock`,
            `half past ${cardinal(hour)}`,
            `${cardinal(hour)} in the morning`,
            `quarter to ${cardinal(hour)}`
          ])
    }
  ],
  [
    "location",
    ({ random, part, typed }) => {
      const number = random.int(12, 4999)
      const street = `${word(random, part, "street")} ${word(random, part, "streetEnd")}`
      const spoken = typed
        ? String(number)
        : number < 100
          ? cardinal(number)
          : number < 1000
            ? `${cardinal(Math.floor(number / 100))} ${number % 100 < 10 ? `oh ${cardinal(number % 100)}` : cardinal(number % 100)}`
            : `${cardinal(Math.floor(number / 100))} ${number % 100 === 0 ? "hundred" : number % 100 < 10 ? `oh ${cardinal(number % 100)}` : cardinal(number % 100)}`
      const full = random.pick([
        `${spoken} ${street}`,
        `${spoken} ${street}, ${word(random, part, "city")}`,
        `${spoken} ${street}, apartment ${typed ? `${random.int(1, 30)}B` : `${cardinal(random.int(1, 30))} b`}, ${word(random, part, "city")}, ${word(random, part, "state")}`
      ])
      return random.pick([
        full,
        full,
        word(random, part, "city"),
        `${word(random, part, "city")}, ${word(random, part, "state")}`
      ])
    }
  ],
  [
    "zip",
    ({ random, typed }) =>
      typed ? `${random.int(1, 9)}${random.digits(4)}` : sayCode(random, `${random.int(1, 9)}${random.digits(4)}`, [5])
  ],
  ["origin", ({ random, part }) => word(random, part, "origin")],
  ["gender_sexuality", ({ random, part }) => word(random, part, "gender")],
  ["physical_attribute", ({ random, part }) => word(random, part, "body")],
  ["occupation", ({ random, part }) => word(random, part, "job")],
  [
    "username",
    ({ random, part, typed }) => {
      const user = word(random, part, "user")
      return typed ? user : sayAddress(user)
    }
  ],
  [
    "password",
    ({ random, part, typed }) => {
      const password = word(random, part, "password")
      return typed ? password : password.replace(/\d/g, (digit) => ` ${cardinal(Number(digit))}`)
    }
  ],
  ["secret", ({ random, part }) => word(random, part, "secret")],
  ["pin", ({ random, style }) => code(random, style, random.digits(4), [4])],
  [
    "ip_address",
    ({ random, typed }) => {
      const parts = [random.int(11, 223), random.int(0, 255), random.int(0, 255), random.int(1, 254)]
      return typed
        ? parts.join(".")
        : parts
            .map((one) => sayCode(random, String(one), [String(one).length]).replace(/double (\w+)/g, "$1 $1"))
            .join(" dot ")
    }
  ],
  ["url", ({ random, part, typed }) => (typed ? word(random, part, "site") : sayAddress(word(random, part, "site")))],
  [
    "filename",
    ({ random, part, typed }) => (typed ? word(random, part, "file") : sayAddress(word(random, part, "file")))
  ],
  ["event", ({ random, part }) => word(random, part, "event")],
  [
    "vehicle_id",
    ({ random, style }) => {
      const value = vin(random)
      return code(random, style, value, [3, 6, 8], "")
    }
  ],
  [
    "plate",
    ({ random, style }) =>
      code(random, style, `${random.letters(3)}${random.digits(4)}`, [3, 4], random.pick([" ", "-", ""]))
  ],
  [
    "healthcare_number",
    ({ random, style }) =>
      random.chance(0.5)
        ? code(random, style, random.digits(8), [4, 4], "")
        : code(random, style, `${random.letters(3)}${random.digits(9)}`, [3, 3, 3, 3], "")
  ],
  [
    "medical_professional",
    ({ random, part }) =>
      random.pick([
        `Dr. ${word(random, part, "last")}`,
        `Doctor ${word(random, part, "last")}`,
        `Dr. ${word(random, part, "first")} ${word(random, part, "last")}`
      ])
  ],
  ["credit_card", ({ random, style }) => code(random, style, luhn(`4${random.digits(14)}`), [4, 4, 4, 4])],
  ["cvv", ({ random, style }) => code(random, style, random.digits(3), [3])],
  [
    "expiry",
    ({ random, typed }) =>
      typed
        ? `${String(random.int(1, 12)).padStart(2, "0")}/${random.int(26, 32)}`
        : random.pick([
            `${random.pick(["oh three", "oh nine", "eleven", "twelve"])} ${cardinal(random.int(26, 32))}`,
            `${random.pick(months)} ${year(random.int(2026, 2032))}`
          ])
  ],
  [
    "account_number",
    ({ random, style }) =>
      random.chance(0.7)
        ? code(random, style, random.digits(9), [3, 3, 3], "")
        : code(random, style, `${random.letters(2)}${random.digits(6)}`, [2, 6], "-")
  ],
  ["bank_account", ({ random, style }) => code(random, style, random.digits(10), [4, 3, 3], "")],
  ["routing", ({ random, style }) => code(random, style, routing(random), [3, 3, 3], "")],
  [
    "iban",
    ({ random, style, typed }) => (typed ? iban(random) : code(random, style, iban(random), [4, 4, 4, 4, 4, 2]))
  ],
  [
    "money",
    ({ random, typed }) =>
      typed
        ? random.pick([
            `$${random.int(5, 900)}`,
            `$${random.int(1, 90)},${random.digits(3)}.50`,
            `${random.int(20, 900)} dollars`
          ])
        : random.pick([
            `${cardinal(random.int(5, 900))} dollars`,
            `${cardinal(random.int(20, 90))} dollars and ${cardinal(random.int(20, 90))} cents`,
            `${cardinal(random.int(20, 90))} bucks`,
            `${cardinal(random.int(1000, 9000))} dollars`
          ])
  ],
  [
    "ssn",
    ({ random, typed }) => {
      const digits = `${random.int(1, 6)}${random.int(10, 59)}${random.int(10, 99)}${random.int(1000, 9999)}`
      return typed
        ? `${digits.slice(0, 3)}-${digits.slice(3, 5)}-${digits.slice(5)}`
        : sayCode(random, digits, [3, 2, 4])
    }
  ],
  ["ssn4", ({ random, style }) => code(random, style, String(random.int(1000, 9999)), [4])],
  [
    "passport_number",
    ({ random, style }) =>
      random.chance(0.5)
        ? code(random, style, `${random.letters(1)}${random.digits(8)}`, [1, 4, 4], "")
        : code(random, style, random.digits(9), [3, 3, 3], "")
  ],
  [
    "driver_license",
    ({ random, style }) => code(random, style, `${random.letters(1)}${random.digits(7)}`, [1, 3, 4], "")
  ],
  ["numerical_pii", ({ random, style }) => code(random, style, random.digits(8), [4, 4], "")],
  ["order", ({ random, style }) => code(random, style, random.digits(random.pick([5, 6, 8])), [3, 2, 3].slice(0, 3))]
])

/** A value of a field as somebody would give it in this style; an unknown slot is its own value. */
export const valueOf = (random: Random, part: Part, style: Style, field: string): string =>
  makers.get(field)?.({ random, part, style, typed: style === "typed" }) ?? field

/** The redact_field that a slot's value belongs to. */
export const fieldOfSlot = (slot: string): SensitiveField | undefined => {
  const slots: Readonly<Record<string, SensitiveField>> = {
    full_name: "person_name",
    last_name: "person_name",
    spelled_name: "person_name",
    zip: "location",
    secret: "password",
    pin: "password",
    plate: "vehicle_id",
    cvv: "credit_card",
    expiry: "credit_card",
    routing: "bank_account",
    iban: "bank_account",
    ssn4: "ssn"
  }
  return slot === "order" ? undefined : (slots[slot] ?? Redaction.sensitiveFields.find((field) => field === slot))
}
