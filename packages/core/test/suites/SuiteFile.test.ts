import { FieldErrors, locator, parseSuiteText, parseSuite } from "@earshot/core"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"

const errorsOf = (text: string): FieldErrors.FieldErrors =>
  Either.match(parseSuiteText(text), { onLeft: (errors) => errors, onRight: () => FieldErrors.noFieldErrors })

describe("suite file", () => {
  it("is parsed as JSON, with or without a byte order mark", () => {
    expect(parseSuiteText('{"a": [1]}')).toEqual(Either.right({ a: [1] }))
    expect(parseSuiteText('\u{feff}{"a": [1]}')).toEqual(Either.right({ a: [1] }))
  })

  it("that is not JSON is rejected with line and column", () => {
    expect(errorsOf('{\n  "a": 1,\n}')).toEqual({ non_field_errors: ["This is not valid JSON (line 3, column 1)."] })
    expect(errorsOf("{} // comment")).toEqual({ non_field_errors: ["This is not valid JSON (line 1, column 4)."] })
    expect(errorsOf("version: 1\nsuite:\n  name: x\n")).toEqual({
      non_field_errors: ["This is not valid JSON (line 1, column 1)."]
    })
    expect(errorsOf("  \n")).toEqual({ non_field_errors: ["The file is empty."] })
    expect(errorsOf(`"${"x".repeat(1_048_576)}"`)).toEqual({
      non_field_errors: ["Ensure this file has no more than 1048576 bytes."]
    })
    expect(errorsOf("[".repeat(100_000))).toEqual({
      non_field_errors: ["Ensure this value is nested no deeper than 64 levels."]
    })
  })

  it("is rejected with duplicate keys", () => {
    expect(errorsOf('{"suite": {"name": "a",\n "name": "b"}, "scenarios": [{"key": 1, "key": 2}]}')).toEqual({
      "suite.name": ["The key is given more than once (again at line 2, column 2)."],
      "scenarios[0].key": ["The key is given more than once (again at line 2, column 41)."]
    })
  })

  it("is parsed or rejected, whatever bytes it has", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), (text) => {
        const parsed = parseSuiteText(text)
        const isJson = Either.isRight(Either.try((): unknown => JSON.parse(text)))
        if (Either.isRight(parsed)) expect(parsed.right).toEqual(JSON.parse(text))
        else
          expect(
            !isJson ||
              Object.values(parsed.left)
                .flat()
                .some((messages) => messages.includes("once") || messages.includes("64"))
          ).toBe(true)
      })
    )
  })

  it("has errors located at the key, the item, or the node that lacks something", () => {
    const text = `{
  "version": "1",
  "suite": {},
  "scenarios": [
    { "key": "a", "name": "A", "type": "instruction", "instructions": "x",
      "metrics": ["latency_ms",
        "nope"] },
    { "key": "b", "frequncy": 3 }
  ]
}`
    const at = locator(text)
    expect(at("scenarios[0].metrics[1]")).toEqual({ line: 7, column: 9 })
    expect(at("scenarios[1].frequncy")).toEqual({ line: 8, column: 19 })
    expect(at("scenarios[1].name")).toEqual({ line: 8, column: 5 })
    expect(at("suite.name")).toEqual({ line: 3, column: 3 })
    expect(at("defaults")).toEqual({ line: 1, column: 1 })
    expect(at("channel")).toBeNull()
    expect(at("non_field_errors")).toEqual({ line: 1, column: 1 })
    const document: unknown = JSON.parse(text)
    for (const path of Object.keys(parseSuite(document).errors)) expect(at(path), path).not.toBeNull()
  })

  it("has errors located for every line ending and every key", () => {
    for (const end of ["\n", "\r\n", "\r"]) {
      const text = ["{", '  "suite": { "a.b": 1, "c[0]": { "a.b": 2 }, "a": { "b": 3 } },', '\t"x.y": 4', "}"].join(end)
      for (const at of [locator(text), locator(`\u{feff}${text}`)]) {
        expect(at("suite.a.b")).toEqual({ line: 2, column: 14 })
        expect(at("suite.c[0].a.b")).toEqual({ line: 2, column: 34 })
        expect(at("x.y")).toEqual({ line: 3, column: 2 })
      }
    }
  })

  it("that is not JSON has its error located where the syntax breaks", () => {
    for (const [text, place] of [
      ['{\n  "a": 1,\n}', { line: 3, column: 1 }],
      ['{"version": "1",\r\n // no\r\n}', { line: 2, column: 2 }],
      ["version: 1\n", { line: 1, column: 1 }]
    ] as const) {
      expect(locator(text)("non_field_errors"), text).toEqual(place)
      expect(errorsOf(text).non_field_errors?.[0]).toContain(`(line ${place.line}, column ${place.column})`)
    }
  })
})
