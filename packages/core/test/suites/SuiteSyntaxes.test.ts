import { FieldErrors, loadSyntax, locator, parseSuite, parseSuiteText, type SuiteSyntax, syntaxOf } from "@earshot/core"
import { beforeAll, describe, expect, it } from "vitest"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { stringify } from "yaml"

const errorsOf = (text: string, syntax: SuiteSyntax): FieldErrors.FieldErrors =>
  Either.match(parseSuiteText(text, syntax), { onLeft: (errors) => errors, onRight: () => FieldErrors.noFieldErrors })

const BOOKING = `# Calls before every release
version: "1"
suite: { name: Booking }
defaults:
  metrics: [latency_ms]
scenarios:
  - key: two-on-friday
    name: Books a table
    type: instruction
    instructions: |
      Ask for a table for two.
      Change it to four.
    personality: &patient { name: Patient }
  - key: hangs-up
    name: Hangs up
    type: instruction
    instructions: Say "no" and hang up.
    personality: *patient
`

describe("a spec as YAML", () => {
  let yaml: SuiteSyntax
  beforeAll(async () => {
    yaml = await loadSyntax("yaml")
  })

  it("is the same document as the JSON of it", () => {
    const parsed = Either.getOrThrow(parseSuiteText(BOOKING, yaml))
    expect(parsed).toEqual({
      version: "1",
      suite: { name: "Booking" },
      defaults: { metrics: ["latency_ms"] },
      scenarios: [
        {
          key: "two-on-friday",
          name: "Books a table",
          type: "instruction",
          instructions: "Ask for a table for two.\nChange it to four.\n",
          personality: { name: "Patient" }
        },
        {
          key: "hangs-up",
          name: "Hangs up",
          type: "instruction",
          instructions: 'Say "no" and hang up.',
          personality: { name: "Patient" }
        }
      ]
    })
    expect(parseSuite(parsed).errors).toEqual({})
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string().filter((key) => key !== "__proto__"),
          fc.jsonValue()
        ),
        (document) => {
          const plain: unknown = JSON.parse(JSON.stringify(document))
          expect(Either.getOrThrow(parseSuiteText(`---\n${stringify(plain)}`, yaml))).toEqual(plain)
        }
      )
    )
  })

  it("has every error at the line and column of what is wrong", () => {
    const text = BOOKING.replace("name: Books a table", "nmae: Books a table").replace(
      "[latency_ms]",
      "[latency_ms, 0.5]"
    )
    const at = locator(text, yaml)
    const errors = parseSuite(Either.getOrThrow(parseSuiteText(text, yaml))).errors
    expect(Object.fromEntries(Object.keys(errors).map((path) => [path, at(path)]))).toEqual({
      "defaults.metrics[1]": { line: 5, column: 25 },
      "scenarios[0].nmae": { line: 8, column: 5 },
      "scenarios[0].name": { line: 7, column: 5 }
    })
    // What an alias stands for is wrong where it is written.
    expect(at("scenarios[1].personality.name")).toEqual({ line: 13, column: 29 })
  })

  it("reports duplicate keys, tags, other keys than texts and several documents", () => {
    expect(errorsOf("a:\n  b: 1\n  b: 2\n", yaml)).toEqual({
      "a.b": ["The key is given more than once (again at line 3, column 3)."]
    })
    for (const [text, place, about] of [
      ["a: !!binary aGk=\n", "line 1, column 13", "tag"],
      ["a: !local b\n", "line 1, column 4", "tag"],
      ["a: !!set { b }\n", "line 1, column 10", "tag"],
      ["a: 1\n? [b]\n: 2\n", "line 2, column 3", "Keys are texts"],
      ["1: 2\n", "line 1, column 1", "Keys are texts"],
      ["a: 1\n---\nb: 2\n", "line 2, column 1", "A spec is one document."],
      ["a: [1\nb: 2\n", "line 2, column 1", ""],
      ["a: *b\n", "line 1, column 4", "b"]
    ] as const) {
      const [message = ""] = errorsOf(text, yaml).non_field_errors ?? []
      expect(message, text).toContain(`This is not valid YAML (${place})`)
      expect(message, text).toContain(about)
    }
  })

  it("is bounded in size, depth and in what its aliases expand to", () => {
    const laughs = Array.from(
      { length: 12 },
      (_, n) =>
        `a${n}: &a${n} [${
          n === 0
            ? "x"
            : Array(9)
                .fill(`*a${n - 1}`)
                .join(", ")
        }]`
    )
    expect(errorsOf(laughs.join("\n"), yaml).non_field_errors?.[0]).toContain("no more than 100000 parts")
    expect(errorsOf("a: &a [*a]\n", yaml).non_field_errors?.[0]).toMatch(/nested no deeper|no anchor/)
    for (const text of [
      `a: ${"[".repeat(200_000)}`,
      "- ".repeat(100_000),
      "a: ".repeat(50_000),
      `a: ${"{b: ".repeat(70)}`
    ]) {
      expect(errorsOf(text, yaml)).toHaveProperty("non_field_errors")
    }
    const nested = Array.from({ length: 70 }, (_, depth) => `${" ".repeat(depth)}a:`).join("\n")
    expect(errorsOf(nested, yaml).non_field_errors?.[0]).toContain("nested no deeper than 64 levels")
    expect(errorsOf(`a: "${"x".repeat(256_000)}"`, yaml)).toEqual({
      non_field_errors: ["Ensure this file has no more than 256000 bytes as YAML."]
    })
  })

  it("is read without an exception, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(..."{}[]:,-?&*!|>'\"%@`#~ \n\tab1") }), (text) => {
        errorsOf(text, yaml)
        locator(text, yaml)("scenarios[0].name")
      }),
      { numRuns: 500 }
    )
  })

  it("is recognized by name, by media type, or by how it begins", () => {
    expect(syntaxOf("{}", { name: "suite.yml" })).toBe("yaml")
    expect(syntaxOf("{}", { name: "suite.JSON" })).toBe("json")
    expect(syntaxOf("a", { type: "application/yaml" })).toBe("yaml")
    expect(syntaxOf("a,b", { name: "a.csv" })).toBe("csv")
    for (const text of ["version: '1'\n", "# a suite\n", "---\n", "\u{feff}suite:\n"])
      expect(syntaxOf(text)).toBe("yaml")
    for (const text of ['{"a": 1}', "[", "", "hello", '"a": 1']) expect(syntaxOf(text)).toBe("json")
  })
})

describe("scenarios as CSV", () => {
  let csv: SuiteSyntax
  beforeAll(async () => {
    csv = await loadSyntax("csv")
  })

  const TABLE = [
    "key,name,instructions,tags,metrics,frequency,variables.guests,assertions",
    'two,"Books, for two","Say ""hello"".\nThen ask.",smoke; nightly,latency_ms;7,3,2,"[{""type"":""turns"",""max"":9}]"',
    "",
    "four,Ünï four,Ask for four.,,,,,"
  ].join("\r\n")

  it("is a suite of one scenario per row", () => {
    const document = Either.getOrThrow(parseSuiteText(TABLE, csv))
    expect(document).toEqual({
      version: "1",
      suite: { name: "Scenarios" },
      scenarios: [
        {
          key: "two",
          name: "Books, for two",
          type: "instruction",
          instructions: 'Say "hello".\nThen ask.',
          tags: ["smoke", "nightly"],
          metrics: ["latency_ms", 7],
          frequency: 3,
          assertions: [{ type: "turns", max: 9 }],
          test_profile: { name: "Variables of two", information: { main_agent_variables: { guests: "2" } } }
        },
        { key: "four", name: "Ünï four", type: "instruction", instructions: "Ask for four." }
      ]
    })
  })

  it("has every error at the line and column of the cell", () => {
    const text = "name,key,frequncy,frequency\nÄ,a,1,0\n,b,,\n"
    const { errors } = parseSuite(Either.getOrThrow(parseSuiteText(text, csv)))
    const at = locator(text, csv)
    expect(Object.fromEntries(Object.keys(errors).map((path) => [path, at(path)]))).toEqual({
      "scenarios[0].frequncy": { line: 2, column: 5 },
      "scenarios[0].frequency": { line: 2, column: 7 },
      "scenarios[0].instructions": { line: 2, column: 1 },
      "scenarios[1].name": { line: 3, column: 1 },
      "scenarios[1].instructions": { line: 3, column: 1 }
    })
    expect(locator(TABLE, csv)("scenarios[0].tags")).toEqual({ line: 3, column: 12 })
    expect(locator(TABLE, csv)("scenarios[1].name")).toEqual({ line: 5, column: 6 })
  })

  it("reports quotation marks, cells beyond the header, repeated columns and invalid JSON", () => {
    expect(errorsOf('key\n"a', csv)).toEqual({
      non_field_errors: ["This is not valid CSV (line 2): A quotation mark is not closed."]
    })
    expect(errorsOf('key\n"a"b\n', csv).non_field_errors?.[0]).toContain("followed by more text")
    expect(errorsOf('key\na"b\n', csv).non_field_errors?.[0]).toContain("does not begin with one")
    expect(errorsOf("key,key\na,b\n", csv).non_field_errors?.[0]).toContain("again at line 1, column 5")
    expect(errorsOf("key\na,b\n", csv)).toEqual({ "scenarios[0]": ["The row has more cells than the header."] })
    expect(errorsOf("key,assertions\na,[\n", csv)).toEqual({ "scenarios[0].assertions": ["This is not valid JSON."] })
  })

  it("is read without an exception, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'key,"\n\r;é1') }), (text) => {
        errorsOf(text, csv)
        locator(text, csv)("scenarios[0].name")
      }),
      { numRuns: 500 }
    )
  })
})
