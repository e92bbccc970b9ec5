import { type Channel, Credits, PriceList, standardPrices } from "@earshot/core"
import { SuiteKit } from "@earshot/test-kit"
import * as Effect from "effect/Effect"
import { describe, expect, it } from "vitest"
import { DEFAULT_MAX_DURATION, priceOfRun } from "../../src/suites/PriceList.js"

describe("price list of suites", () => {
  it.each(SuiteKit.standardPriceProperties(standardPrices).map((property) => [property.name, property] as const))(
    "%s",
    (_, property) => property.check()
  )

  it("charges voice by the second and text for 20 messages", () => {
    expect(DEFAULT_MAX_DURATION).toBe(300)
    const talk = (channel: Channel, seconds: number) => Credits.format(standardPrices.talk(channel, seconds))
    expect([1, 7, 60, 300].map((seconds) => talk("voice", seconds))).toEqual([
      "0.083333",
      "0.583333",
      "5.000000",
      "25.000000"
    ])
    expect(talk("provider_f", 2)).toBe("0.166667")
    expect([1, 3600].map((seconds) => talk("text", seconds))).toEqual(["10.000000", "10.000000"])
  })

  it("adds the cost of evaluations to the price of a run", () => {
    const metricCosts = [50_000n, 5_000n].map(Credits.fromMicros)
    expect(priceOfRun(standardPrices, { channel: "voice", maxDuration: 60, metricCosts })).toBe(5_055_000n)
  })

  it("uses the standard prices unless a host replaces them", () => {
    expect(Effect.runSync(PriceList)).toBe(standardPrices)
  })
})
