import { describe, expect, it } from "vitest"
import { errorsOf, notAnObject, required } from "./decoding.js"

describe("a payload that is a list", () => {
  it.each(["service_legacy", "provider_a", "provider_b", "provider_c", "provider_d", "provider_e", "provider_f"])(
    "%s: requires a list of objects and reports errors by position",
    (type) => {
      expect(errorsOf(type, 5)).toStrictEqual({ non_field_errors: ["Expected a list of items."] })
      expect(errorsOf(type, [5])).toStrictEqual({ "[0]": notAnObject })
    }
  )

  it.each([
    ["service_legacy", { role: "user" }, "content"],
    ["provider_a", { role: "bot" }, "message"],
    ["provider_b", { role: "agent" }, "content"],
    ["provider_c", { speaker: 0 }, "word"],
    ["provider_d", { role: "user" }, "content"],
    ["provider_e", { role: "user" }, "content"],
    ["provider_f", { role: "user" }, "message"]
  ])("%s: reports a missing text", (type, row, field) => {
    expect(errorsOf(type, [row])).toStrictEqual({ [`[0].${field}`]: required })
  })
})
