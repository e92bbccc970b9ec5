import { callVariables, fillPlaceholders, isLegacyFlat, placeholdersOf } from "@earshot/core"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const legacy = { name: "Ann", plan: "gold" }

describe("isLegacyFlat", () => {
  it.each([
    [{}, false],
    [{ name: "Ann" }, true],
    [{ main_agent_variables: {} }, false],
    [{ main_agent_variables: { name: "Ann" }, plan: "gold" }, false],
    [{ account: { plan: "gold" } }, false],
    [{ account: { plan: "gold" }, name: "Ann" }, true],
    [{ main_agent_variables: "Ann" }, true],
    [{ list: [1] }, true]
  ])("%j is legacy-flat: %s", (information, flat) => {
    expect(isLegacyFlat(information)).toBe(flat)
  })
})

describe("callVariables", () => {
  it("takes the variables of a sectioned profile only", () => {
    expect(
      callVariables({ information: { main_agent_variables: { name: "Bo" } }, dynamicVariableValues: legacy })
    ).toEqual({
      name: "Bo"
    })
    expect(callVariables({ information: { account: { plan: "x" } }, dynamicVariableValues: legacy })).toEqual({})
    expect(callVariables({ information: {}, dynamicVariableValues: legacy })).toEqual({})
  })

  it("takes the legacy values of an evaluator if its profile is legacy-flat or absent", () => {
    expect(callVariables({ information: null, dynamicVariableValues: legacy })).toEqual(legacy)
    expect(callVariables({ information: { name: "Bo", city: "Oslo" }, dynamicVariableValues: legacy })).toEqual({
      name: "Ann",
      plan: "gold",
      city: "Oslo"
    })
    expect(callVariables({ information: { name: "Bo" }, dynamicVariableValues: null })).toEqual({ name: "Bo" })
    for (const odd of [null, "text", [1], 7, true]) {
      expect(callVariables({ information: null, dynamicVariableValues: odd })).toEqual({})
    }
  })

  it("ignores the legacy values if the profile is sectioned", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.dictionary(fc.string(), fc.string())),
        fc.dictionary(fc.string(), fc.string()),
        (sections, values) => {
          const information = { ...sections, main_agent_variables: { a: "1" } }
          expect(callVariables({ information, dynamicVariableValues: values })).toEqual({ a: "1" })
        }
      )
    )
  })
})

describe("fillPlaceholders", () => {
  it("fills placeholders once, with text unchanged and other values as JSON", () => {
    const text = "{{name}} of {{ account.id }}: {{n}} {{list}} {{none}}{{missing}} {{__proto__}} {not} {{}}"
    const variables = { name: "{{n}}", account: { id: 7 }, n: 5, list: [1, "a"], none: null }
    expect(fillPlaceholders(text, variables)).toBe(`{{n}} of 7: 5 [1,"a"] {{missing}} {{__proto__}} {not} {{}}`)
    expect(placeholdersOf(text)).toEqual(["name", "account.id", "n", "list", "none", "missing", "__proto__"])
    const filled = fillPlaceholders("{{n}}".repeat(3), { n: "x".repeat(400_000) })
    expect([filled.length, filled.endsWith("{{n}}")]).toEqual([800_005, true])
    expect(fillPlaceholders("{{a.b}}", { "a.b": "whole", a: { b: "step" } })).toBe("whole")
  })

  it("leaves text without placeholders unchanged", () => {
    fc.assert(
      fc.property(
        fc.string().map((text) => text.replaceAll("{", "(")),
        fc.dictionary(fc.string(), fc.string()),
        (text, variables) => {
          expect(fillPlaceholders(text, variables)).toBe(text)
        }
      )
    )
  })
})
