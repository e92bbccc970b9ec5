/** Small sets of values that calls and filters share, so that filters match something. */
import * as DateTime from "effect/DateTime"
import * as fc from "fast-check"
import { codePoint } from "../CodePoint.js"

/** The time at which generated filters are evaluated, on the last day of a long month. */
export const NOW = DateTime.unsafeMake("2026-03-31T10:20:30.456Z")

const DAY = 86_400_000
const now = DateTime.toEpochMillis(NOW)
const today = Math.floor(now / DAY) * DAY

/** Texts that can be stored: well-formed Unicode, without NUL. */
export const text: fc.Arbitrary<string> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom(
      "",
      "a",
      "b",
      "ab",
      "B",
      "caller hung up",
      "Caller Hung Up",
      "it's 100%",
      "100_",
      "5",
      "true",
      "null",
      '"quoted"',
      "back\\slash",
      "two\nlines",
      "  padded ",
      "é", // one code point
      "e\u0301", // the same letter as two
      "ß",
      // By UTF-16 unit the second comes first, by code point the first.
      "\uff5e",
      "\u{1f600}"
    )
  },
  { weight: 1, arbitrary: fc.string({ unit: codePoint, maxLength: 6 }).map((text) => text.replaceAll("\0", "")) }
)

/** Numbers that JSON and both databases represent exactly. */
export const number: fc.Arbitrary<number> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.constantFrom(-1.5, -1, 0, 0.1, 0.1 + 0.2, 1, 2, 5, 59.999, 60, 1e-7, 5e-324, 2 ** 53 - 1, 1 - 2 ** 53)
  },
  {
    weight: 1,
    arbitrary: fc
      .double({ noNaN: true, noDefaultInfinity: true })
      .filter((value) => !Number.isInteger(value) || Number.isSafeInteger(value))
      .map((value) => (value === 0 ? 0 : value))
  }
)

/** Instants in epoch milliseconds, many of them at or next to the boundaries of days. */
export const instant: fc.Arbitrary<number> = fc.oneof(
  fc
    .record({ day: fc.integer({ min: -40, max: 2 }), offset: fc.constantFrom(-1, 0, 1, 3_600_000) })
    .map(({ offset, day }) => today + day * DAY + offset),
  fc.constantFrom(-1, 0, 1).map((offset) => now + offset),
  fc.integer({ min: -40 * DAY, max: DAY }).map((ago) => now + ago)
)

/** Keys that a filter's path can contain: no dots. A few are frequent, so that paths resolve. */
export const key: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom("region", "a", "0") },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "1",
      "a b",
      "it's",
      '"q"',
      "back\\slash",
      "é",
      "\u{1f600}",
      "$",
      "[0]",
      "*",
      "#-1",
      "two\nlines"
    )
  }
)
