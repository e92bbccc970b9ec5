import { costOf, Credits, EvaluationStatus, isCharged } from "@earshot/core"
import { describe, expect, it } from "vitest"

const cost = (metric: Parameters<typeof costOf>[0]) => Credits.format(costOf(metric))

describe("costOf and isCharged", () => {
  it("is zero for a formula, unless custom code overrides it", () => {
    expect(cost({ type: "custom_code", functionName: "talk_ratio" })).toBe("0.000000")
    expect(cost({ type: "custom_code", functionName: "talk_ratio", customCode: "" })).toBe("0.000000")
    expect(cost({ type: "custom_code", functionName: "talk_ratio", customCode: "return 1" })).toBe("0.005000")
  })

  it("is the sandbox price for custom code", () => {
    expect(cost({ type: "custom_code", functionName: "", customCode: "return 1" })).toBe("0.005000")
    expect(cost({ type: "custom_code", functionName: "no_such_formula" })).toBe("0.005000")
  })

  it("is the language-model price for everything else", () => {
    for (const type of ["llm_judge", "basic", "custom_prompt"] as const) {
      expect(cost({ type, functionName: "talk_ratio", customCode: "" })).toBe("0.050000")
    }
  })

  it("charges for a value, and for a question that the language model could not answer", () => {
    expect(EvaluationStatus.literals.filter(isCharged)).toEqual(["scored", "could_not_judge"])
  })
})
