import { validateSimplified } from "@earshot/core"
import { SimplificationKit } from "@earshot/test-kit"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const original = [
  "You are an expert in conversations with years of experience.",
  "Please listen carefully. If the caller hangs up within 10 seconds, return FALSE. When the agent does not greet the caller by",
  'name, return `FALSE`. The agent should say "Good morning" at least once, and must never interrupt the caller.',
  "Classify the mood as positive, neutral or negative. The score is between 1 and 5, and {{agent.name}} counts as a name.",
  "Use call_ended_reason where there is one. Otherwise, return TRUE."
].join("\n")

const good = [
  "1. If the caller hangs up within 10 seconds, return FALSE.",
  "2. If the agent does not greet the caller by name, return FALSE.",
  '3. The agent says "Good morning" at least once and never interrupts the caller.',
  "4. Classify the mood as positive, neutral or negative.",
  "5. The score is between 1 and 5; {{agent.name}} counts as a name.",
  "6. Use call_ended_reason where there is one.",
  "7. Otherwise, return TRUE."
]

const changed = (from: string | RegExp, to: string) => good.map((line) => line.replace(from, to)).join("\n")

describe("the check of a shorter prompt", () => {
  it("lets pass what says the same in other words", () => {
    expect(validateSimplified(original, good.join("\n"))).toEqual([])
    expect(validateSimplified(original, changed("hangs up within 10 seconds", "hangs up in ≤ 10 s"))).toEqual([])
    expect(validateSimplified(original, changed("does not greet", "doesn't greet"))).toEqual([])
    expect(validateSimplified(original, changed("6. Use", "6) use"))).toEqual([])
    expect(
      validateSimplified(
        "Return FALSE if the caller swears. Return FALSE if the line drops.",
        "Return FALSE if:\n- the caller swears\n- the line drops"
      )
    ).toEqual([])
    expect(validateSimplified("Do not swear. Do not shout.", "1. Do not swear or shout.")).toEqual([])
  })

  it.each([
    ["a rule", /^6.*/, ""],
    ["a number", "10 seconds", "15 seconds"],
    ["a unit", "10 seconds", "10 minutes"],
    ["a comparison", "within", "after more than"],
    ["a limit", "at least once", "once"],
    ["a negation", "does not greet", "greets"],
    ["a negation of another kind", "never interrupts", "interrupts"],
    ["a quoted text", "Good morning", "Hello"],
    ["a placeholder", "{{agent.name}}", "{{name}}"],
    ["a value", "return TRUE", "return FALSE"],
    ["a value in another case", "return TRUE", "return true"],
    ["an alternative", ", neutral", ""],
    ["a name of a program", "call_ended_reason", "the reason"],
    ["an exception", "Otherwise, return", "Return"],
    ["a rule's sense, by a negation", "hangs up", "does not hang up"]
  ])("finds that %s is lost", (_, from, to) => {
    expect(validateSimplified(original, changed(from, to))).not.toEqual([])
  })

  it("finds what is made up", () => {
    expect(validateSimplified(original, [...good, "8. Take 7 points away."].join("\n"))).toEqual([
      'Made up: "7" is not in the original.'
    ])
    expect(validateSimplified(original, [...good, "8. Return UNKNOWN."].join("\n"))).toEqual([
      'Made up: "UNKNOWN" is not in the original.'
    ])
  })

  it("does not take the numbers of a list for those of a rule", () => {
    const text = "The agent asks 2 questions. The agent gives 3 answers."
    expect(
      validateSimplified(text, "1. Questions asked.\n2. Agent asks questions.\n3. Agent gives answers.")
    ).toHaveLength(2)
    expect(validateSimplified(text, "1. Agent asks 2 questions.\n2. Agent gives 3 answers.")).toEqual([])
  })

  it("holds code to the letter", () => {
    const text = "Run this:\n```\nif (a) return 1\n```\nReturn what it returns only."
    expect(validateSimplified(text, "Return only what it returns.\n```\nif (a) return 1\n```")).toEqual([])
    expect(validateSimplified(text, "Return only what it returns.")).toEqual(['Missing code: "if (a) return 1"'])
  })

  it("says which rule lost what", () => {
    expect(validateSimplified("The agent must not shout at the caller.", "Agent shouts at the caller.")).toEqual([
      'Changed: "The agent must not shout at the caller." lost "a negation".'
    ])
    expect(validateSimplified("The agent must not shout at the caller.", "Be kind.")).toEqual([
      'Missing: "The agent must not shout at the caller."'
    ])
  })

  for (const { check, name } of SimplificationKit.checkProperties(validateSimplified)) it(name, check)

  it("ends for every two texts", () => {
    fc.assert(
      fc.property(SimplificationKit.anyText, SimplificationKit.anyText, (a, b) => {
        expect(validateSimplified(a, a).length).toBeLessThan(Infinity)
        expect(validateSimplified(a, b).length).toBeLessThan(Infinity)
      }),
      { numRuns: 300 }
    )
    for (const part of ["If A. ", "aa, ", "a or ", "A_", "aaaa", "1,", "If x1. ", "- If a:\n", "'", "“"]) {
      const text = part.repeat(Math.ceil(20_000 / part.length))
      expect(validateSimplified(text, text.slice(0, -3)).length).toBeLessThan(Infinity)
    }
  })
})

describe("a rule that has all its parts", () => {
  it("is another rule where these changed places, or where it holds less than always", () => {
    for (const [original, shorter] of [
      ["If the agent greets return TRUE, otherwise return FALSE.", "If the agent greets return FALSE, otherwise TRUE."],
      [
        "Give 5 points for a greeting and 2 points for thanks.",
        "Give 2 points for a greeting and 5 points for thanks."
      ],
      ['Return "good" for a greeting and "bad" for silence.', 'Return "bad" for a greeting and "good" for silence.'],
      ["The agent must greet the caller.", "The agent may greet the caller."],
      ["The agent must always greet the caller.", "The agent must sometimes greet the caller."]
    ] as const) {
      expect(validateSimplified(original, shorter), shorter).not.toEqual([])
    }
    for (const [original, shorter] of [
      ["If the agent greets return TRUE, otherwise return FALSE.", "Agent greets: TRUE, otherwise FALSE."],
      ["Give 5 points for a greeting and 2 points for thanks.", "5 points for a greeting, 2 for thanks, 5 at most."],
      ["The agent may greet the caller once.", "The agent may greet the caller once."]
    ] as const) {
      expect(
        validateSimplified(original, shorter).filter((one) => !one.startsWith("Made up")),
        shorter
      ).toEqual([])
    }
  })
})
