import { describe, expect, it } from "@effect/vitest"
import * as fc from "effect/FastCheck"
import { truncate, sanitize, sanitizeLines, padEnd, padStart, jsonLine, shellQuote, displayWidth } from "../src/Text.js"
import { acts, anyText } from "./support/text.js"

describe("text printed to a terminal", () => {
  it.each([
    ["\u001b[2Jgone", "␛[2Jgone"],
    ["\u001b]0;title\u0007", "␛]0;title␇"],
    ["a\r\nb", "a␍␊b"],
    ["\u009b31m", "<U+009B>31m"],
    ["abc\u202edef", "abc<U+202E>def"],
    ["\ud83d", "<U+D83D>"],
    ["\u007f", "␡"],
    ["日本 👩‍👩‍👧", "日本 👩‍👩‍👧"]
  ])("prints %j as %j", (text, shown) => {
    expect(sanitize(text)).toBe(shown)
  })

  it("never contains control sequences, whatever the value", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(acts(sanitize(text))).toBe(false)
        expect(sanitize(text)).not.toContain("\n")
        expect(acts(sanitizeLines(text))).toBe(false)
      }),
      { numRuns: 500 }
    )
  })

  it("keeps its value when it is printed as JSON on one line", () => {
    fc.assert(
      fc.property(fc.array(anyText), (value) => {
        const line = jsonLine(value)
        expect(acts(line)).toBe(false)
        expect(line).not.toContain("\n")
        expect(JSON.parse(line)).toEqual(value)
      }),
      { numRuns: 300 }
    )
  })

  it.each([
    ["abcdef", 6, "abcdef"],
    ["abcdef", 5, "abcd…"],
    ["日本語", 5, "日本…"],
    ["日本語", 4, "日…"],
    ["👩‍👩‍👧👩‍👩‍👧", 3, "👩‍👩‍👧…"],
    ["abc", 1, "…"],
    ["abc", 0, ""]
  ])("shortens %j to %i columns as %j", (text, columns, fit) => {
    expect(truncate(text, columns)).toBe(fit)
  })

  it("takes exactly as many columns as its field has", () => {
    fc.assert(
      fc.property(anyText, fc.integer({ min: 0, max: 60 }), (any, columns) => {
        const text = sanitize(any)
        expect(displayWidth(truncate(text, columns))).toBeLessThanOrEqual(columns)
        expect(displayWidth(padEnd(text, columns))).toBe(columns)
        expect(displayWidth(padStart(text, columns))).toBe(columns)
      }),
      { numRuns: 300, examples: [["\u0600", 2]] }
    )
  })

  it("is quoted as one argument for a shell", () => {
    expect(shellQuote("it's $HOME")).toBe(`'it'\\''s $HOME'`)
  })
})
