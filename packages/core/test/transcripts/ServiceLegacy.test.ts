import { describe, expect, it } from "vitest"
import { decode, errorsOf, required, turnsOf } from "./decoding.js"

describe("decoding service_legacy", () => {
  it("accepts roles in any case, and text as an alternative to content", () => {
    const roles = ["testing_agent", "USER", "Testing Agent", "main_agent", "Assistant", "AGENT", "Main-Agent"]
    expect(
      decode(
        "service_legacy",
        roles.map((role) => ({ role, text: "hi" }))
      ).turns.map(({ speaker }) => speaker)
    ).toStrictEqual([...Array<string>(3).fill("testing_agent"), ...Array<string>(4).fill("main_agent")])
  })

  it("prefers content to text, and reports content as missing without either", () => {
    expect(turnsOf(decode("service_legacy", [{ role: "user", content: "a", text: "b" }]))).toStrictEqual([
      ["testing_agent", "a", undefined, undefined]
    ])
    expect(errorsOf("service_legacy", [{ role: "customer" }])).toStrictEqual({
      "[0].role": [expect.stringContaining('"customer" is not a valid choice. Choose from ')],
      "[0].content": ["This field is required."]
    })
  })
})

describe("decoding unusual service_legacy payloads", () => {
  it("reports why a role is invalid", () => {
    expect(
      errorsOf("service_legacy", [{ content: "x" }, { role: null, content: "x" }, { role: 5, content: "x" }])
    ).toStrictEqual({
      "[0].role": required,
      "[1].role": ["This field may not be null."],
      "[2].role": [expect.stringContaining('"5" is not a valid choice. Choose from ')]
    })
  })

  it("ignores spaces and dashes in roles, and reads text when content is null", () => {
    expect(
      turnsOf(
        decode("service_legacy", [{ role: " main - Agent ", content: null, text: "Hi", start_time: 1, end_time: 1 }])
      )
    ).toStrictEqual([["main_agent", "Hi", 1, 1]])
    expect(errorsOf("service_legacy", [{ role: "user", content: null, text: null }])).toStrictEqual({
      "[0].content": ["This field may not be null."]
    })
    expect(errorsOf("service_legacy", [{ role: "user", content: "x", start_time: 2, end_time: 1 }])).toStrictEqual({
      "[0].end_time": ["Ensure the end is not before the start."]
    })
  })
})
