import * as Redaction from "@earshot/redaction"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"

const runs = (text: string): ReadonlyArray<string> => Redaction.runsOf(Redaction.tokenize(text)).map((run) => run.chars)
const written = (text: string): Redaction.WrittenForm => {
  const tokens = Redaction.tokenize(text)
  const found = Redaction.runsOf(tokens)
  return Redaction.writtenFormOf(tokens, found, Redaction.spokenAddressesOf(tokens, found))
}

describe("spoken numbers", () => {
  for (const [spoken, chars] of [
    ["four oh two double seven one two three four", "402771234"],
    ["triple five zero nine", "55509"],
    ["nineteen eighty five", "1985"],
    ["twenty twenty-four", "2024"],
    ["four hundred and two", "402"],
    ["two thousand seventeen", "2017"],
    ["b as in boy, c for charlie, seven", "BC7"],
    ["alpha bravo one two", "AB12"],
    ["november two x-ray", "N2X"],
    ["eight um zero, nine", "809"],
    ["555-0199", "5550199"],
    ["d u b o i s", "DUBOIS"]
  ] as const) {
    it(`reads "${spoken}" as ${chars}`, () => expect(runs(spoken)).toEqual([chars]))
  }
  it("does not read pronouns and single letters in sentences as spelled characters", () => {
    expect(runs("i have a dog and i am fine")).toEqual([])
    expect(runs("oh no")).toEqual([])
  })
})

describe("the written form of spoken addresses", () => {
  for (const [spoken, form] of [
    ["my email is john dot smith at gmail dot com", "my email is john.smith@gmail.com"],
    ["it's j o e underscore four two at example dot co dot uk", "it's joe_42@example.co.uk"],
    ["go to w w w dot example dot com slash login", "go to www.example.com/login"],
    ["the file is tax dash return dot pdf", "the file is tax-return.pdf"]
  ] as const) {
    it(`writes "${spoken}"`, () => expect(written(spoken).text).toBe(form))
  }
  it("maps every character to its offset in the original text", () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.constantFrom(
            "four",
            "oh",
            "two",
            "👍",
            "é",
            "double",
            "seven",
            "at",
            "dot",
            "com",
            "john",
            ",",
            "twenty",
            "x",
            "[DATE]",
            "שלום"
          )
        ),
        (words) => {
          const text = words.join(" ")
          const form = written(text)
          for (let at = 0; at < form.text.length; at++) {
            const start = form.starts[at] ?? -1
            const end = form.ends[at] ?? -1
            if (start < 0 || end < start || end > text.length || (at > 0 && start < (form.starts[at - 1] ?? 0)))
              return false
          }
          return form.starts.length === form.text.length
        }
      ),
      { seed: 7 }
    )
  })
})
