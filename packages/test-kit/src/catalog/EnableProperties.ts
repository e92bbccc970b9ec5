/** Properties of every parser of E7's body. Source: interface, E7; docs/evaluators.md. */
import { type ParsedEnableRequest, LanguageCode } from "@earshot/core"
import * as fc from "fast-check"
import { expectEqual, type Property, property, expectOrdered } from "../Property.js"

/** Parses which personalities to enable: the request as far as it is valid, and every error. */
export type ReadEnable = (input: unknown) => ParsedEnableRequest

const ids = fc.uniqueArray(fc.integer({ min: 1, max: 1_000_000 }), { minLength: 1, maxLength: 8 })

/** The forms in which a body may name several personalities, as JSON and as a form. */
const forms: ReadonlyArray<(ids: ReadonlyArray<number>) => unknown> = [
  (all) => all,
  (all) => all.map((id) => ({ id })),
  (all) => all.map((id, at) => (at % 2 === 0 ? id : { id })),
  (all) => all.join(","),
  (all) => all.join(" , "),
  (all) => [all.join(",")],
  (all) => JSON.stringify(all),
  (all) => JSON.stringify(all.map((id) => ({ id }))),
  (all) => [...all, ...all]
]
const form = fc.constantFrom(...forms)
const language = fc.constantFrom(...LanguageCode.literals)

/** Invalid personalities, with the path of the error. */
export const enableFlaws: ReadonlyArray<readonly [wrong: string, personalities: unknown, path: string]> = [
  ["nothing", undefined, "personalities"],
  ["null", null, "personalities"],
  ["a blank text", " ", "personalities"],
  ["a word", "everybody", "personalities"],
  ["an id and a word", "1,two", "personalities"],
  ["no id between commas", "1,,2", "personalities"],
  ["no ids", [], "personalities"],
  ["a word among ids", [1, "two"], "personalities[1]"],
  ["null among ids", [null, 2], "personalities[0]"],
  ["half an id", [1, 2, 1.5], "personalities[2]"],
  ["nothing before the first", [0, 1], "personalities[0]"],
  ["an object without an id", [{ name: "Patient" }, 1], "personalities[0]"],
  ["0", 0, "personalities"],
  ["true", true, "personalities"],
  ["an object without an id, alone", {}, "personalities"],
  ["JSON that is cut", "[1, 2", "personalities"]
]

const wrongLanguage = fc.constantFrom<unknown>("xx", "EN", "english", "constructor", 5, ["en"], {})

const withLanguage = (personalities: unknown, given: unknown): object => ({
  ...(personalities === undefined ? {} : { personalities }),
  ...(given === undefined ? {} : { language: given })
})

/** Properties of every parser of E7's body. */
export const enableProperties = (read: ReadEnable): ReadonlyArray<Property> => [
  property("every form of naming personalities gives the same ids, once each", [ids, form], (all, written) => {
    expectEqual("what is read", read({ personalities: written(all) }), {
      request: { personalities: all, language: null },
      errors: {}
    })
  }),
  property("a single id names one personality", [ids], ([id]) => {
    for (const personalities of [id, { id }, String(id), ` ${id} `]) {
      expectEqual("what is read", read({ personalities }).request.personalities, [id])
    }
  }),
  property('all are meant by "all"', [fc.constantFrom<unknown>("all", " all ", ["all"])], (personalities) => {
    const { errors: errors, request } = read({ personalities })
    expectEqual("request.personalities", request.personalities, "all")
    expectEqual("Object.keys(errors).length", Object.keys(errors).length, 0)
  }),
  property(
    "a language limits the request, and a missing or blank one does not",
    [fc.oneof(fc.constant("all"), ids), fc.option(language), fc.constantFrom<unknown>(undefined, null, "")],
    (personalities, given, none) => {
      const { errors: errors, request } = read(withLanguage(personalities, given ?? none))
      expectEqual("the language", [request.language, errors], [given, {}])
    }
  ),
  ...enableFlaws.map(([wrong, personalities, path]) =>
    property(
      `${wrong} names no personalities`,
      [fc.option(language, { nil: undefined })],
      (given) => {
        expectEqual("the errors", Object.keys(read(withLanguage(personalities, given)).errors), [path])
      },
      20
    )
  ),
  property(
    "an unknown language is an error, whichever personalities are named",
    [ids, form, wrongLanguage],
    (all, written, wrong) => {
      expectEqual("the errors", Object.keys(read(withLanguage(written(all), wrong)).errors), ["language"])
    }
  ),
  property(
    "errors of the personalities and of the language are both reported",
    [fc.constantFrom(...enableFlaws), wrongLanguage],
    ([, personalities, path], wrong) => {
      const reported = Object.keys(read(withLanguage(personalities, wrong)).errors)
      expectEqual("reported.toSorted().join()", reported.toSorted().join(), ["language", path].join())
    }
  ),
  property(
    "any input gives personalities or errors",
    [fc.oneof(fc.anything(), fc.record({ personalities: fc.anything(), language: fc.anything() }))],
    (input) => {
      const { errors: errors, request } = read(input)
      if (!(Object.keys(errors).length > 0 || request.personalities === "all")) {
        expectOrdered("request.personalities.length", request.personalities.length, ">", 0)
      }
    }
  )
]
