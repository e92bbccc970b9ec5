/** Properties of prices and of credit arithmetic. Source: interface, Limits. */
import type { redactionPrice } from "@earshot/core"
import * as Redaction from "@earshot/redaction"
import * as fc from "fast-check"
import { invariant, type Property, property, expectEvery, expectEqual, expectOrdered } from "../Property.js"

type Fields = Parameters<typeof redactionPrice>[1]

/** Micro-credits for redacting a call of so many seconds. */
export type RedactionPrice = (seconds: number, fields: Fields) => bigint

const someFields = fc.subarray([...Redaction.sensitiveFields], { minLength: 1 })

/** A length in thousandths of a second, up to a day. */
const thousandths = fc.oneof(fc.integer({ min: 0, max: 200_000 }), fc.integer({ min: 0, max: 86_400_000 }))

/** 0.4 credits a minute are 400,000 / 60,000 micro-credits a thousandth of a second: 20 / 3, rounded half up. */
const exactly = (millis: number): bigint => (2n * 20n * BigInt(millis) + 3n) / 6n

/** What redaction costs: 0.4 credits a minute, flat. */
export const redactionPriceProperties = (price: RedactionPrice): ReadonlyArray<Property> => [
  invariant("a minute costs 0.4 credits, an hour 24, 90 seconds 0.6", () => {
    expectEvery(
      "[60, 3600, 90]",
      [60, 3600, 90],
      (seconds, at) => price(seconds, ["ssn"]) === [400_000n, 24_000_000n, 600_000n][at]
    )
  }),
  property("nothing is charged without fields", [thousandths], (millis) => {
    expectEqual("price(millis / 1000, [])", price(millis / 1000, []), 0n)
  }),
  property(
    "the price is that of the seconds, exact and rounded half up to six places",
    [thousandths, someFields],
    (millis, fields) => {
      expectEqual("price(millis / 1000, fields)", price(millis / 1000, fields), exactly(millis))
    }
  ),
  property(
    "the price does not depend on how many fields are asked for, nor on which",
    [thousandths, someFields, someFields],
    (millis, some, others) => {
      expectEqual("price(millis / 1000, some)", price(millis / 1000, some), price(millis / 1000, others))
    }
  ),
  property("a longer call never costs less", [thousandths, thousandths, someFields], (one, other, fields) => {
    if (one <= other) {
      expectOrdered("price(one / 1000, fields)", price(one / 1000, fields), "<=", price(other / 1000, fields))
    } else {
      expectOrdered("price(one / 1000, fields)", price(one / 1000, fields), ">=", price(other / 1000, fields))
    }
  }),
  property(
    "an invalid length costs nothing",
    [fc.constantFrom(-1, -0.001, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 0), someFields],
    (seconds, fields) => {
      expectEqual("price(seconds, fields)", price(seconds, fields), 0n)
    }
  )
]

/** The arithmetic of micro-credits, and their text form. */
export interface CreditArithmetic {
  readonly sum: (all: ReadonlyArray<bigint>) => bigint
  readonly times: (price: bigint, count: number) => bigint
  readonly print: (credits: bigint) => string
  /** Undefined for a text that is not a cost. */
  readonly parse: (text: string) => bigint | undefined
}

/** Amounts that the interface's form of a cost can express: four digits before the point and six after it. */
export const micros: fc.Arbitrary<bigint> = fc.oneof(
  fc.constantFrom(0n, 1n, -1n, 400_000n, 999_999n, 1_000_000n, 9_999_999_999n, -9_999_999_999n),
  fc.bigInt({ min: -9_999_999_999n, max: 9_999_999_999n })
)

/** A cost in the form of the interface, with its micro-credits. */
const written = fc
  .record({ minus: fc.boolean(), whole: fc.stringMatching(/^\d{0,4}$/), fraction: fc.stringMatching(/^\d{0,6}$/) })
  .filter(({ fraction, whole }) => whole + fraction !== "")
  .map(({ fraction, minus, whole }) => ({
    text: `${minus ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`,
    micros: (minus ? -1n : 1n) * (BigInt(whole === "" ? 0 : whole) * 1_000_000n + BigInt(fraction.padEnd(6, "0")))
  }))

/** Exact arithmetic over decimals of six places. */
export const creditProperties = ({ parse, print, sum, times }: CreditArithmetic): ReadonlyArray<Property> => [
  property("a sum does not depend on order or grouping", [fc.array(micros), fc.array(micros)], (some, others) => {
    const all = sum([...some, ...others])
    expectEqual("all", all, sum([...others, ...some]))
    expectEqual("all", all, sum([sum(some), sum(others)]))
  }),
  property("an empty sum is zero, and a sum of one amount is the amount", [micros], (one) => {
    expectEqual("sum([])", sum([]), 0n)
    expectEqual("sum([one])", sum([one]), one)
  }),
  property("a price times n is the sum of n prices", [micros, fc.nat({ max: 200 })], (price, count) => {
    expectEqual("times(price, count)", times(price, count), sum(Array.from({ length: count }, () => price)))
  }),
  property("parsing a formatted amount returns the amount", [micros], (one) => {
    expectEqual("parse(print(one))", parse(print(one)), one)
  }),
  property("amounts are formatted with six places", [micros], (one) => {
    expectEqual("the print with six places", /^-?\d+\.\d{6}$/.exec(print(one))?.[0], print(one))
  }),
  property("every cost of the interface is parsed to the last place", [written], ({ micros, text }) => {
    expectEqual("parse(text)", parse(text), micros)
  }),
  property(
    "a fifth digit before the point, a seventh after it and text that is not a number are rejected",
    [fc.constantFrom("", "-", ".", "-.", "12345", "0.1234567", "1e3", " 1", "1,5", "+1", "0x1", "NaN", "1.2.3", "１")],
    (text) => {
      expectEqual("parse(text)", parse(text), undefined)
    }
  )
]
