import { Credits } from "@earshot/core"
import { CreditKit } from "@earshot/test-kit"
import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import * as Schema from "effect/Schema"
import { describe, expect, it } from "vitest"
import { decode } from "../../src/kernel/FieldErrors.js"
import * as Fields from "../../src/kernel/Fields.js"

const micros = (credits: bigint) => Credits.fromMicros(credits)

describe("credits", () => {
  const properties = CreditKit.creditProperties({
    sum: (all) => Credits.sum(all.map(micros)),
    times: (price, count) => Credits.multiply(micros(price), count),
    print: (credits) => Credits.format(micros(credits)),
    parse: (text) => Either.getOrUndefined(Credits.parse(text))
  })
  it.each(properties.map((property) => [property.name, property] as const))("%s", (_, property) => property.check())

  it("formats any amount with six decimal places", () => {
    const printed = [0n, 1n, -1n, 999_999n, 1_000_000n, -400_000n, -12_345_678_901n].map((one) =>
      Credits.format(micros(one))
    )
    expect(printed).toEqual(["0.000000", "0.000001", "-0.000001", "0.999999", "1.000000", "-0.400000", "-12345.678901"])
    expect(Credits.noCredits).toBe(0n)
  })

  it("parses amounts with any number of decimal places", () => {
    const read = ["0.4", ".4", "7", "7.", "-0.4", "-.000001", "9999.999999", "007.10"].map(Credits.parse)
    expect(read).toEqual(
      [400_000n, 400_000n, 7_000_000n, 7_000_000n, -400_000n, -1n, 9_999_999_999n, 7_100_000n].map(Either.right)
    )
    const message = "Ensure that there are no more than 4 digits before and 6 after the decimal point."
    expect(["", "-", ".", "12345", "0.1234567", "x1", "1x"].map(Credits.parse)).toEqual(
      Array(7).fill(Either.left(message))
    )
  })

  it("rounds a decimal half away from zero to six places", () => {
    const rounded = ["0.0000005", "0.00000049", "-0.0000005", "1.2345674", "1.2345675", "3"].map((text) =>
      Credits.fromDecimal(BigDecimal.unsafeFromString(text))
    )
    expect(rounded).toEqual([1n, 0n, -1n, 1_234_567n, 1_234_568n, 3_000_000n])
  })

  it("adds and multiplies amounts exactly", () => {
    expect(Credits.add(micros(1n), micros(-3n))).toBe(-2n)
    expect(Credits.multiply(micros(83_333n), 3)).toBe(249_999n)
  })

  it("encodes amounts as text", () => {
    const body = Fields.object({ cost: Credits.Credits })
    expect(decode(body)({ cost: "0.4" })).toEqual(Either.right({ cost: 400_000n }))
    expect(Schema.encodeSync(body)({ cost: micros(400_000n) })).toEqual({ cost: "0.400000" })
    for (const cost of ["12345", 5, null]) {
      expect(decode(body)({ cost })).toEqual(Either.left({ cost: ["A valid number of credits is required."] }))
    }
    expect(JSONSchema.make(Credits.Credits)).toMatchObject({
      $defs: { Credits: { type: "string", pattern: "^-?\\d{0,4}(?:\\.\\d{0,6})?$" } }
    })
  })
})
