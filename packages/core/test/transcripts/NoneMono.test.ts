import { describe, expect, it } from "vitest"
import { decode, errorsOf } from "./decoding.js"

describe("decoding none-mono", () => {
  it("decodes to a transcript without turns, and rejects a payload that would be ignored", () => {
    expect(decode("none-mono", undefined).turns).toStrictEqual([])
    expect(Object.keys(errorsOf("none-mono", [{ role: "user" }]))).toStrictEqual(["non_field_errors"])
  })
})
