import { Credits, redactionPrice } from "@earshot/core"
import { CreditKit } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"

describe("the price of redaction", () => {
  it.each(CreditKit.redactionPriceProperties(redactionPrice).map((property) => [property.name, property] as const))(
    "%s",
    (_, property) => property.check()
  )

  it("is exact for the smallest and largest durations", () => {
    const price = (seconds: number) => redactionPrice(seconds, ["ssn"])
    // 0.4 credits a minute: a millionth of a credit every 0.00015 seconds, rounded half up.
    expect([0.000075, 0.0000749, 1e-7, 5e-324].map(price)).toEqual([1n, 0n, 0n, 0n])
    expect([1.5e21, 6e22].map(price)).toEqual([
      10_000_000_000_000_000_000_000_000n,
      400_000_000_000_000_000_000_000_000n
    ])
    expect(price(0.1)).toBe(667n)
  })

  it.each([
    [60, "0.400000"],
    [1, "0.006667"],
    [0.1, "0.000667"],
    [90, "0.600000"],
    [10800, "72.000000"],
    [0, "0.000000"],
    [-5, "0.000000"],
    [Number.NaN, "0.000000"],
    [0.000075, "0.000001"]
  ])("charges for %d seconds of audio %s credits", (seconds, price) => {
    expect(Credits.format(redactionPrice(seconds, ["ssn"]))).toBe(price)
  })

  it("is zero without fields", () => {
    expect(Credits.format(redactionPrice(600, []))).toBe("0.000000")
  })
})
