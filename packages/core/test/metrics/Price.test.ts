import { costOf, Credits, EvaluationStatus, isCharged } from "@earshot/core"
import { describe, expect, it } from "vitest"

const cost = (metric: Parameters<typeof costOf>[0]) => Credits.format(costOf(metric))

describe("the price of an evaluation", () => {
  it("is nothing for a formula, unless code of its own takes the formula's place", () => {
    expect(cost({ type: "custom_code", functionName: "talk_ratio" })).toBe("0.000000")
    expect(cost({ type: "custom_code", functionName: "talk_ratio", customCode: "" })).toBe("0.000000")
    expect(cost({ type: "custom_code", functionName: "talk_ratio", customCode: "return 1" })).toBe("0.005000")
  })

  it("is that of a sandbox for code", () => {
    expect(cost({ type: "custom_code", functionName: "", customCode: "return 1" })).toBe("0.005000")
    expect(cost({ type: "custom_code", functionName: "no_such_formula" })).toBe("0.005000")
  })

  it("is that of a question to a language model for everything else", () => {
    for (const type of ["llm_judge", "basic", "custom_prompt"] as const) {
      expect(cost({ type, functionName: "talk_ratio", customCode: "" })).toBe("0.050000")
    }
  })

  it("is charged for a value, and for asking a judge that could not tell", () => {
    expect(EvaluationStatus.literals.filter(isCharged)).toEqual(["scored", "could_not_judge"])
  })
})
