import { quantile } from "@earshot/core"
import { MetricKit } from "@earshot/test-kit"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { isFormulaName } from "../../src/metrics/Formulas.js"
import { settingsOf } from "../../src/metrics/Settings.js"
import { containsPhrase, countWords, normalizeText } from "../../src/metrics/Words.js"

describe("settingsOf and isFormulaName", () => {
  it("reads settings from objects only", () => {
    expect(settingsOf({ a: 1 })).toEqual({ a: 1 })
    for (const other of [null, true, 1, "text", [1]]) expect(settingsOf(other)).toBeNull()
  })

  it("recognizes only existing formula names", () => {
    expect(["latency_ms", "reprompts", "constructor", "toString", ""].map(isFormulaName)).toEqual([
      true,
      true,
      false,
      false,
      false
    ])
  })
})

describe("countWords, normalizeText and containsPhrase", () => {
  it("counts runs of letters, marks and digits, and dictionary words in scripts without spaces", () => {
    expect(
      ["", " ...", "Hello, world", "Don't", "Don’t", "twenty-one", "- -", "a1 b2", "cafe\u0301"].map(countWords)
    ).toEqual([0, 0, 2, 1, 1, 1, 0, 2, 1])
    expect(countWords("你好，世界")).toBe(2)
    expect(["", "  ", "a", " a b\nc "].map(countWords)).toEqual([0, 0, 1, 3])
  })

  it("counts and normalizes the words of a text in ASCII as of the same text with a character that is not", () => {
    const ascii = fc.string({ unit: fc.constantFrom(..."aZ09 '-_.,\n\u0000\u007f"), maxLength: 40 })
    fc.assert(
      fc.property(ascii, (text) => {
        expect(countWords(text)).toBe(countWords(`${text} …`))
        expect(normalizeText(text)).toBe(normalizeText(`${text} …`))
      }),
      { numRuns: 1000 }
    )
  })

  it("normalizes words to lower case with a space around each, and splits scripts without spaces by character", () => {
    expect(normalizeText("Hello, WORLD! Don’t")).toBe(" hello world don't ")
    expect(normalizeText("ＡＢＣ ½")).toBe(" abc 1 2 ")
    expect(normalizeText("OK，好的")).toBe(" ok 好 的 ")
    expect(normalizeText("ดีมาก")).toBe(" ดี ม า ก ")
    expect(normalizeText("...")).toBe("")
  })

  it("finds whole words only, and never an empty phrase", () => {
    expect(containsPhrase(normalizeText("the cat sat"), normalizeText("Cat"))).toBe(true)
    expect(containsPhrase(normalizeText("the cat sat"), normalizeText("ca"))).toBe(false)
    expect(containsPhrase(normalizeText("the cat sat"), normalizeText("!"))).toBe(false)
    expect(containsPhrase("", "")).toBe(false)
  })
})

describe("quantile", () => {
  for (const { check, name } of MetricKit.quantileProperties(quantile)) it(name, () => check())

  it("is NaN for no values", () => {
    expect(quantile([], 0.5)).toBeNaN()
  })
})
