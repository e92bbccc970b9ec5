import * as Either from "effect/Either"
import * as JSONSchema from "effect/JSONSchema"
import { describe, expect, it } from "vitest"
import { decode, fieldError, mergeFieldErrors } from "../../src/kernel/FieldErrors.js"
import * as Fields from "../../src/kernel/Fields.js"

const body = Fields.object({ words: Fields.list(Fields.choice(["a", "b"]), { min: 1, max: 3 }) })
const faultsOf = (words: unknown) => Either.flip(decode(body)({ words }))

describe("a list", () => {
  it("has one fault where it holds too many or too few items, whatever they are", () => {
    expect(faultsOf(["x", "x", "x", "x"])).toEqual(
      Either.right({ words: ["Ensure this field has no more than 3 elements."] })
    )
    expect(faultsOf([])).toEqual(Either.right({ words: ["Ensure this field has at least 1 elements."] }))
    // As many faults as items would not fit the stack.
    expect(faultsOf(Array.from({ length: 500_000 }, () => "x"))).toEqual(
      Either.right({ words: ["Ensure this field has no more than 3 elements."] })
    )
  })

  it("has the faults of its items by their place", () => {
    expect(faultsOf(["a", "x", "y"])).toEqual(
      Either.right({
        "words[1]": ['"x" is not a valid choice.'],
        "words[2]": ['"y" is not a valid choice.']
      })
    )
    expect(decode(body)({ words: ["b", "a", "b"] })).toEqual(Either.right({ words: ["b", "a", "b"] }))
  })

  it("is no single item and not nothing", () => {
    expect(faultsOf("a")).toEqual(Either.right({ words: ["Expected a list of items."] }))
    expect(faultsOf({ 0: "a" })).toEqual(Either.right({ words: ["Expected a list of items."] }))
    expect(faultsOf(null)).toEqual(Either.right({ words: ["This field may not be null."] }))
    expect(Either.flip(decode(body)({}))).toEqual(Either.right({ words: ["This field is required."] }))
  })

  it("is described with its items and how many there may be", () => {
    expect(JSONSchema.make(body)).toMatchObject({
      properties: { words: { type: "array", items: { type: "string", enum: ["a", "b"] }, minItems: 1, maxItems: 3 } }
    })
  })
})

describe("faults under one path", () => {
  it("are kept once each, in the order in which they were found", () => {
    expect(mergeFieldErrors(fieldError("a", "2", "1"), fieldError("b", "1"), fieldError("a", "1", "3"))).toEqual({
      a: ["2", "1", "3"],
      b: ["1"]
    })
  })
})
