import { describe, expect, it } from "vitest"
import { parseTimestamp } from "../../src/kernel/Fields.js"

const readAs = (text: string) => {
  const at = parseTimestamp(text)
  return at === undefined ? undefined : new Date(at).toISOString()
}

describe("Fields.timestamp", () => {
  it.each([
    ["2026-03-31T10:20:30.456Z", "2026-03-31T10:20:30.456Z"],
    ["2026-03-31t10:20:30z", "2026-03-31T10:20:30.000Z"],
    ["2026-03-31 10:20", "2026-03-31T10:20:00.000Z"],
    ["2026-03-31", "2026-03-31T00:00:00.000Z"],
    ["2026-03-31T10:20:30.456999999+05:30", "2026-03-31T04:50:30.456Z"],
    ["2026-01-01T00:30:00+01", "2025-12-31T23:30:00.000Z"],
    ["2024-02-29T23:30:00-0100", "2024-03-01T00:30:00.000Z"],
    ["0001-01-01T00:00:00Z", "0001-01-01T00:00:00.000Z"],
    ["9999-12-31T23:59:59.999Z", "9999-12-31T23:59:59.999Z"]
  ])("parses %s as %s", (text, instant) => {
    expect(readAs(text)).toBe(instant)
  })

  it.each([
    "2026-02-29",
    "2026-13-01",
    "2026-03-31T24:00:00Z",
    "2026-03-31T10:20:60Z",
    "2026-03-31T10:20:30+24:00",
    "+012026-03-31T10:20:30Z",
    "2026-W14-2",
    "now",
    ""
  ])("rejects %j", (text) => {
    expect(readAs(text)).toBeUndefined()
  })

  // SQLite has no month for these, so that a chart by month would fail on every call of the project.
  it.each(["9999-12-31T23:59:59-00:01", "0001-01-01T00:00:00+00:01", "0000-12-31T23:59:59Z"])(
    "rejects an instant whose offset leads outside the years 1 to 9999: %s",
    (text) => {
      expect(readAs(text)).toBeUndefined()
    }
  )
})
