import { isConcise, isSimple, lostTokens, simplifyPrompt } from "@earshot/core"
import { SimplificationKit } from "@earshot/test-kit"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("a simplified prompt", () => {
  for (const { check, says } of SimplificationKit.simplifierLaws(simplifyPrompt)) it(says, check)

  it("is known as simple", () => {
    fc.assert(
      fc.property(SimplificationKit.anyText, (text) => isSimple(simplifyPrompt(text))),
      { numRuns: 300 }
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

  it("keeps what is said again of something else", () => {
    const cases = [
      "# Sales\nReturn 5 when the caller agrees.\n# Support\nReturn 5 when the caller agrees.",
      "In sales:\nReturn 5 when the caller agrees.\nIn support:\nReturn 5 when the caller agrees.",
      "1. Sales\nReturn 5 when the caller agrees.\n2. Support\nReturn 5 when the caller agrees.",
      "If it rings, return 1. Otherwise, return the value 0. If it stops, return 2. Otherwise, return the value 0."
    ]
    for (const text of cases) {
      const again = /Return 5|return the value 0/g
      expect(simplifyPrompt(text).match(again), text).toHaveLength(text.match(again)?.length ?? 0)
    }
    expect(simplifyPrompt("Return 5 when the caller agrees. Return 5 when the caller agrees.")).toBe(
      "Return 5 when the caller agrees."
    )
  })

  it("comes of hostile prompts as soon as of others, and changes nothing the second time", () => {
    const size = 50_000
    const filled = (part: string) => part.repeat(Math.ceil(size / part.length)).slice(0, size)
    for (const part of [
      "\u00a0",
      "“",
      '"',
      "'",
      "' a",
      "`",
      "{",
      "{{",
      "<",
      ", \u00a0",
      "a",
      "1",
      "1,",
      "A. ",
      "If A. ",
      "in order ",
      "please ",
      "\u3000please",
      ":  ",
      "| ",
      "# ",
      "```\n",
      "\n",
      "not ",
      "A_"
    ]) {
      const text = filled(part)
      const once = simplifyPrompt(text)
      expect(simplifyPrompt(once) === once, part).toBe(true)
    }
    const nested = "in order ".repeat(3000) + "to ".repeat(3000)
    expect(simplifyPrompt(simplifyPrompt(nested))).toBe(simplifyPrompt(nested))
  })
})

describe("a prompt with nothing left to take away", () => {
  it("is known by rules alone, or by the length of its lines as well", () => {
    const long = `Return TRUE if ${"the agent greets and ".repeat(8)}ends the call.`
    expect([isSimple("Return TRUE."), isConcise("Return TRUE.")]).toEqual([true, true])
    expect([isSimple(long), isConcise(long)]).toEqual([true, false])
    expect([isSimple("Please return TRUE."), isConcise("Please return TRUE.")]).toEqual([false, false])
    expect(isConcise(`1. Return TRUE.\n\`\`\`\n${"word ".repeat(40)}\n\`\`\``)).toBe(true)
  })
})

describe("protected tokens", () => {
  it("are missed as often as they are lost", () => {
    expect(lostTokens("Do not say 5 or 5%.", "Do say 5.")).toEqual(["not", "or", "5%"])
    expect(lostTokens("If it isn't so, {{x}}", "if it isn't so, {{x}}")).toEqual([])
    expect(lostTokens('"a b" and "a b"', '"a b"')).toEqual(["and", '"a b"'])
  })
})
