import { isConcise, isSimple, lostTokens, simplifyPrompt } from "@earshot/core"
import { SimplificationKit } from "@earshot/test-kit"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

describe("a simplified prompt", () => {
  for (const { check, name } of SimplificationKit.simplifierProperties(simplifyPrompt)) it(name, check)

  it("is recognized as already simple", () => {
    fc.assert(
      fc.property(SimplificationKit.anyText, (text) => isSimple(simplifyPrompt(text))),
      { numRuns: 300 }
    )
  })

  it("matches the expected text for sample prompts", () => {
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

  it("keeps the form of code, tables and lists", () => {
    const text = "# Rules\n- Return 1.\n- Return 1.\n\n```\nplease   keep\n```\n| a | please |\n|---|---|"
    expect(simplifyPrompt(text)).toContain("```\nplease   keep\n```")
    expect(
      simplifyPrompt(text)
        .split("\n")
        .filter((line) => line === "- Return 1.")
    ).toHaveLength(2)
  })

  it("keeps a repeated sentence that refers to something else", () => {
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

  it("keeps polite words that the rule is about and removes those addressed to the judge", () => {
    for (const text of [
      "Return TRUE if the agent says please before asking.",
      "Did the agent say thank you? If so, return TRUE.",
      "Return FALSE if the agent never says hello and please.",
      "The agent has to make sure that the caller is verified.",
      "The agent must note that the caller is angry.",
      "The agent must not simply transfer the call.",
      "Return FALSE if the agent did not really answer.",
      "Both answers have to be essentially the same.",
      "It is important to the caller that the agent is brief.",
      "How would you rate the call from 1 to 5?",
      "Would you call it a success?",
      "Make sure that you are fair.",
      "The agent must say one of:\n- Thank you for calling Acme\n- Please hold\n- Could you please repeat that",
      "The agent ends with one of these phrases:\n\n1. Thank you\n2. Please hold",
      "# Examples of greetings\nPlease hold the line.\nThank you.\n# Rules\nReturn 5.",
      "Agent: Hello. Please hold.\nCaller: Thank you.",
      'Return "x" please "y".'
    ]) {
      expect(simplifyPrompt(text), text).toBe(text)
    }
    expect(
      simplifyPrompt("The agent has to say this:\nPlease hold.\n\nPlease return 5 if the agent says so, please.")
    ).toBe("The agent has to say this:\nPlease hold.\n\nReturn 5 if the agent says so, please.")
    expect(simplifyPrompt("If the agent asks for a PIN, please make sure that you return FALSE.")).toBe(
      "If the agent asks for a PIN, return FALSE."
    )
    expect(simplifyPrompt("Would you please judge the call. Return TRUE please. Thank you in advance!")).toBe(
      "Judge the call. Return TRUE."
    )
  })

  it("keeps a sentence that is repeated in another scope", () => {
    const text =
      "In sales calls the bar is high. Return 5 when the caller agrees. In support calls the bar is low. Return 5 when the caller agrees."
    expect(simplifyPrompt(text)).toBe(text)
  })

  it("keeps code between fences of any kind and length unchanged", () => {
    for (const text of [
      "````\n```\nPlease  keep   this\n```\nPlease  keep   this\n````",
      "~~~\nPlease  keep   this\n```\nPlease  keep   this\n~~~",
      "```text\nPlease  keep   this\n``` not yet\nPlease  keep   this\n```"
    ]) {
      expect(simplifyPrompt(`${text}\nPlease return 5.`)).toBe(`${text}\nReturn 5.`)
    }
    expect(simplifyPrompt("```inline```\nPlease return 5.")).toBe("```inline```\nReturn 5.")
  })

  it("is computed in bounded time for hostile prompts and does not change when simplified again", () => {
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

describe("a prompt from which nothing can be removed", () => {
  it("is recognized by the rules, and as concise only if its lines are short", () => {
    const long = `Return TRUE if ${"the agent greets and ".repeat(8)}ends the call.`
    expect([isSimple("Return TRUE."), isConcise("Return TRUE.")]).toEqual([true, true])
    expect([isSimple(long), isConcise(long)]).toEqual([true, false])
    expect([isSimple("Please return TRUE."), isConcise("Please return TRUE.")]).toEqual([false, false])
    expect(isConcise(`1. Return TRUE.\n\`\`\`\n${"word ".repeat(40)}\n\`\`\``)).toBe(true)
  })
})

describe("protected tokens", () => {
  it("are reported once for each lost occurrence", () => {
    expect(lostTokens("Do not say 5 or 5%.", "Do say 5.")).toEqual(["not", "or", "5%"])
    expect(lostTokens("If it isn't so, {{x}}", "if it isn't so, {{x}}")).toEqual([])
    expect(lostTokens('"a b" and "a b"', '"a b"')).toEqual(["and", '"a b"'])
  })
})
