import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { lostTokens, protectedTokens } from "../../src/simplification/ProtectedTokens.js"
import { isSimple, simplifyPrompt } from "../../src/simplification/SimplifyPrompt.js"

const phrases = fc.constantFrom(
  "Please",
  "make sure that",
  "It is very important to",
  "the agent does not interrupt",
  "the caller",
  "within 3 seconds",
  ">= 90%",
  "{{agent.description}}",
  '"Hello, please hold. Thank you"',
  "`TRUE`",
  "return FALSE",
  "if",
  "unless",
  "Otherwise",
  "never",
  "call_ended_reason",
  "in order to",
  "thank you",
  "basically,",
  "don't",
  "1.5",
  "'",
  '"',
  "e.g.",
  "```"
)
const sentence = fc
  .tuple(fc.array(phrases, { minLength: 1, maxLength: 8 }), fc.constantFrom(".", "!", "?", ",", ":", ""))
  .map(([words, end]) => words.join(" ") + end)
const prompt = fc
  .array(fc.tuple(fc.constantFrom("", "- ", "1. ", "## ", "If ", "| "), sentence, fc.constantFrom(" ", "\n", "\n\n")), {
    maxLength: 12
  })
  .map((parts) => parts.map((part) => part.join("")).join(""))
const anyText = fc.oneof(prompt, fc.string({ unit: "grapheme", maxLength: 200 }), fc.lorem({ maxCount: 20 }))

describe("a simplified prompt", () => {
  it("stays as it is when it is simplified again", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const once = simplifyPrompt(text)
        expect(simplifyPrompt(once)).toBe(once)
        expect(isSimple(once)).toBe(true)
      }),
      { numRuns: 500 }
    )
  })

  it("has every protected token of the original", () => {
    fc.assert(
      fc.property(prompt, (text) => {
        const kept = new Set(protectedTokens(simplifyPrompt(text)))
        for (const token of protectedTokens(text)) expect(kept.has(token), token).toBe(true)
      }),
      { numRuns: 500 }
    )
  })

  it("reads like this", () => {
    expect(
      simplifyPrompt(
        "Hello. I would like you to please judge the call. It is very important to return `TRUE` only if the agent " +
          'said "Please hold, thank you" within 3.5 seconds. If the caller hangs up, return FALSE. When the line is ' +
          "silent for more than 10 seconds, please return FALSE. Otherwise, return TRUE. Thank you very much!\n\n\n" +
          "Please note that the agent must never ask for {{card_number}}. The agent must never ask for {{card_number}}."
      )
    ).toBe(
      [
        'Hello. Judge the call. Return `TRUE` only if the agent said "Please hold, thank you" within 3.5 seconds.',
        "1. If the caller hangs up, return FALSE.",
        "2. When the line is silent for more than 10 seconds, return FALSE.",
        "3. Otherwise, return TRUE.",
        "",
        "The agent must never ask for {{card_number}}."
      ].join("\n")
    )
  })

  it("keeps code, tables and lists in their form", () => {
    const text = "# Rules\n- Return 1.\n- Return 1.\n\n```\nplease   keep\n```\n| a | please |\n|---|---|"
    expect(simplifyPrompt(text)).toContain("```\nplease   keep\n```")
    expect(
      simplifyPrompt(text)
        .split("\n")
        .filter((line) => line === "- Return 1.")
    ).toHaveLength(2)
  })
})

describe("protected tokens", () => {
  it("are missed as often as they are lost", () => {
    expect(lostTokens("Do not say 5 or 5%.", "Do say 5.")).toEqual(["not", "or", "5%"])
    expect(lostTokens("If it isn't so, {{x}}", "if it isn't so, {{x}}")).toEqual([])
    expect(lostTokens('"a b" and "a b"', '"a b"')).toEqual(["and", '"a b"'])
  })
})
