import { Redaction } from "@earshot/core"
import { CreditKit } from "@earshot/test-kit"
import { describe, expect, it } from "vitest"

describe("the price of redaction", () => {
  it.each(CreditKit.redactionPriceLaws(Redaction.redactionPrice).map((law) => [law.says, law] as const))(
    "%s",
    (_, law) => law.check()
  )

  it("is exact for the shortest and the longest lengths that a number can say", () => {
    const price = (seconds: number) => Redaction.redactionPrice(seconds, ["ssn"])
    // 0.4 credits a minute: a millionth of a credit every 0.00015 seconds, rounded half up.
    expect([0.000075, 0.0000749, 1e-7, 5e-324].map(price)).toEqual([1n, 0n, 0n, 0n])
    expect([1.5e21, 6e22].map(price)).toEqual([
      10_000_000_000_000_000_000_000_000n,
      400_000_000_000_000_000_000_000_000n
    ])
    expect(price(0.1)).toBe(667n)
  })
})
