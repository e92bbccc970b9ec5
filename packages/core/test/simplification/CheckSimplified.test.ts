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

describe("validation of a simplified prompt", () => {
  it("accepts a prompt that states the same rules in other words", () => {
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
    ["an identifier", "call_ended_reason", "the reason"],
    ["an exception", "Otherwise, return", "Return"],
    ["a rule's meaning, by an added negation", "hangs up", "does not hang up"]
  ])("reports the loss of %s", (_, from, to) => {
    expect(validateSimplified(original, changed(from, to))).not.toEqual([])
  })

  it("reports numbers and values that the original does not contain", () => {
    expect(validateSimplified(original, [...good, "8. Take 7 points away."].join("\n"))).toEqual([
      'Made up: "7" is not in the original.'
    ])
    expect(validateSimplified(original, [...good, "8. Return UNKNOWN."].join("\n"))).toEqual([
      'Made up: "UNKNOWN" is not in the original.'
    ])
  })

  it("does not count list numbering as the numbers of a rule", () => {
    const text = "The agent asks 2 questions. The agent gives 3 answers."
    expect(
      validateSimplified(text, "1. Questions asked.\n2. Agent asks questions.\n3. Agent gives answers.")
    ).toHaveLength(2)
    expect(validateSimplified(text, "1. Agent asks 2 questions.\n2. Agent gives 3 answers.")).toEqual([])
  })

  it("requires code blocks to stay unchanged", () => {
    const text = "Run this:\n```\nif (a) return 1\n```\nReturn what it returns only."
    expect(validateSimplified(text, "Return only what it returns.\n```\nif (a) return 1\n```")).toEqual([])
    expect(validateSimplified(text, "Return only what it returns.")).toEqual(['Missing code: "if (a) return 1"'])
  })

  it("names the rule and the part that it lost", () => {
    expect(validateSimplified("The agent must not shout at the caller.", "Agent shouts at the caller.")).toEqual([
      'Changed: "The agent must not shout at the caller." lost "a negation".'
    ])
    expect(validateSimplified("The agent must not shout at the caller.", "Be kind.")).toEqual([
      'Missing: "The agent must not shout at the caller."'
    ])
  })

  for (const { check, name } of SimplificationKit.checkProperties(validateSimplified)) it(name, check)

  it("terminates for any two texts", () => {
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

describe("a rule whose parts are all present", () => {
  it("counts as changed if its parts are reordered or it is weakened", () => {
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
