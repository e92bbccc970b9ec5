import { describe, expect, it } from "vitest"
import { decode, errorsOf, notANumber } from "./decoding.js"

describe("times of a payload", () => {
  const at = (start_time: unknown, end_time?: unknown) => ({ role: "user", content: "x", start_time, end_time })
  const times = (...rows: ReadonlyArray<object>) =>
    decode("provider_d", rows).turns.map(({ endTime, startTime }) => [startTime, endTime])
  const errors = (...rows: ReadonlyArray<object>) => errorsOf("provider_d", rows)

  it("are seconds up to a week, and epoch seconds from 100,000,000 on", () => {
    expect(times(at(604_800))).toStrictEqual([[604_800, undefined]])
    expect(errors(at(604_801))).toStrictEqual({
      "[0].start_time": ["Ensure this value is less than or equal to 604800."]
    })
    expect(errors(at(99_999_999))).toStrictEqual({
      "[0].start_time": ["Ensure this value is less than or equal to 604800."]
    })
    expect(times(at(100_000_000))).toStrictEqual([[0, undefined]])
    expect(times(at(100_000_000, 100_604_800))).toStrictEqual([[0, 604_800]])
    expect(errors(at(100_000_000, 100_604_801))).toStrictEqual({
      "[0].end_time": ["Ensure this value is less than or equal to 604800."]
    })
  })

  it("are epoch milliseconds above 100,000,000,000, up to the year 9999", () => {
    expect(times(at(99_999_999_995), at(100_000_000_000))).toStrictEqual([
      [0, undefined],
      [5, undefined]
    ])
    expect(times(at(100_000_000_001, 100_000_000_501))).toStrictEqual([[0, 0.5]])
    expect(times(at(253_402_300_799_999))).toStrictEqual([[0, undefined]])
    expect(errors(at(253_402_300_800_000))).toStrictEqual({
      "[0].start_time": ["Ensure this value is less than or equal to 253402300799999."]
    })
  })

  it("are rejected for other values", () => {
    for (const value of [true, [2_000_000_000], Number.POSITIVE_INFINITY, Number.NaN, {}]) {
      expect(errors(at(value))).toStrictEqual({ "[0].start_time": notANumber })
    }
    expect(errors(at(-1))).toStrictEqual({ "[0].start_time": ["Ensure this value is greater than or equal to 0."] })
    expect(errors({ role: "user", content: "x", timestamp: "yesterday" })).toStrictEqual({
      "[0].timestamp": [expect.stringContaining("Datetime has wrong format.")]
    })
  })

  it("fall back to the next field when null", () => {
    expect(times({ role: "user", content: "x", start_time: null, timestamp: 5, end_time: null })).toStrictEqual([
      [5, undefined]
    ])
  })

  it("are rejected when the end is before the start", () => {
    expect(errors(at(3, 2))).toStrictEqual({ "[0].end_time": ["Ensure the end is not before the start."] })
  })
})
