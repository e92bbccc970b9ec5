import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { defaultLimits, type HttpLimits, limitErrors, makeLimits } from "../../src/Limits.js"

const names = Object.keys(defaultLimits)
const isName = (name: string): name is keyof HttpLimits => name in defaultLimits
const with1 = (name: string, value: unknown): HttpLimits => ({ ...defaultLimits, [name]: value })

describe("limits", () => {
  it("have defaults that are valid", () => {
    expect(limitErrors(defaultLimits)).toEqual([])
    expect(makeLimits()).toEqual(defaultLimits)
    expect(makeLimits({ parts: 7 })).toEqual({ ...defaultLimits, parts: 7 })
  })

  it("are positive integers, each of them", () => {
    const invalid = fc.oneof(
      fc.constantFrom(0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, "10", null, {}),
      fc.integer({ max: 0 }),
      fc.double({ min: 0.1, max: 0.9 })
    )
    fc.assert(
      fc.property(fc.constantFrom(...names), invalid, (name, value) => {
        expect(limitErrors(with1(name, value)).join("\n")).toMatch(
          `limits.${name}: Ensure this value is an integer from 1 to`
        )
      })
    )
    for (const name of names.filter((one) => one.endsWith("Millis"))) {
      // Node treats longer timers as 1 ms.
      expect(limitErrors(with1(name, 2 ** 31)).some((error) => error.startsWith(`limits.${name}:`))).toBe(true)
    }
  })

  it("are in order where one is a part of another", () => {
    for (const [name, value] of [
      ["headersMillis", defaultLimits.requestMillis + 1],
      ["organizationResponseBytes", defaultLimits.responseBytes + 1],
      ["bytesInFlight", defaultLimits.multipartBytes - 1]
    ] as const) {
      expect(limitErrors(with1(name, value))).toHaveLength(1)
      expect(limitErrors(with1(name, value))[0]).toContain(`limits.${name}: Ensure this value is at`)
    }
  })

  it("are refused all at once, with those that do not exist", () => {
    const given: Record<string, number> = { parts: 0, jsonDepth: -1, bodyByte: 5 }
    expect(() => makeLimits(Object.fromEntries(Object.entries(given)))).toThrow(
      new TypeError(
        [
          "limits.bodyByte: There is no such limit.",
          "limits.parts: Ensure this value is an integer from 1 to 9007199254740991.",
          "limits.jsonDepth: Ensure this value is an integer from 1 to 9007199254740991."
        ].join("\n")
      )
    )
    expect(names.every(isName)).toBe(true)
  })
})
