import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import { describe, expect, it } from "vitest"
import { decode, fieldError, mergeFieldErrors } from "../../src/kernel/FieldErrors.js"
import * as Fields from "../../src/kernel/Fields.js"

const body = Fields.object({ words: Fields.list(Fields.choice(["a", "b"]), { min: 1, max: 3 }) })
const errorsOf = (words: unknown) => Either.flip(decode(body)({ words }))

describe("Fields.list", () => {
  it("reports one error for too many or too few items, whatever the items are", () => {
    expect(errorsOf(["x", "x", "x", "x"])).toEqual(
      Either.right({ words: ["Ensure this field has no more than 3 elements."] })
    )
    expect(errorsOf([])).toEqual(Either.right({ words: ["Ensure this field has at least 1 elements."] }))
    // As many errors as items would not fit the stack.
    expect(errorsOf(Array.from({ length: 500_000 }, () => "x"))).toEqual(
      Either.right({ words: ["Ensure this field has no more than 3 elements."] })
    )
  })

  it("reports the errors of items by their position", () => {
    expect(errorsOf(["a", "x", "y"])).toEqual(
      Either.right({
        "words[1]": [expect.stringContaining('"x" is not a valid choice. Choose from ')],
        "words[2]": [expect.stringContaining('"y" is not a valid choice. Choose from ')]
      })
    )
    expect(decode(body)({ words: ["b", "a", "b"] })).toEqual(Either.right({ words: ["b", "a", "b"] }))
  })

  it("rejects a single item, null and a missing value", () => {
    expect(errorsOf("a")).toEqual(Either.right({ words: ["Expected a list of items."] }))
    expect(errorsOf({ 0: "a" })).toEqual(Either.right({ words: ["Expected a list of items."] }))
    expect(errorsOf(null)).toEqual(Either.right({ words: ["This field may not be null."] }))
    expect(Either.flip(decode(body)({}))).toEqual(Either.right({ words: ["This field is required."] }))
  })

  it("describes the items and their number in the JSON Schema", () => {
    expect(JSONSchema.make(body)).toMatchObject({
      properties: { words: { type: "array", items: { type: "string", enum: ["a", "b"] }, minItems: 1, maxItems: 3 } }
    })
  })
})

describe("mergeFieldErrors", () => {
  it("keeps each message under a path once, in order", () => {
    expect(mergeFieldErrors(fieldError("a", "2", "1"), fieldError("b", "1"), fieldError("a", "1", "3"))).toEqual({
      a: ["2", "1", "3"],
      b: ["1"]
    })
  })
})
