import * as Redaction from "@earshot/redaction"
import { describe, expect, it } from "@effect/vitest"
import { expectHidden, type Field, redacted } from "./Hidden.js"

const opening = "A: Thank you for calling, how can I help you today?"
const colors = "A: do you want the blue one or the red one"
const machine = "C: My washing machine is leaking and it makes a loud noise"

describe("the tagger of calls", () => {
  it.each<readonly [field: Field, lines: ReadonlyArray<string>, value: string]>([
    ["username", ["A: what name does the little one play under", "C: turbo toast"], "turbo"],
    ["person_name", ["A: welcome back, what do we call you", "C: harbhajan"], "harbhajan"],
    ["occupation", ["A: and what fills your days then", "C: i'm a lighthouse keeper"], "lighthouse"]
  ])("finds what is said in answer to a question of no list: %s", (field, lines, value) => {
    expectHidden(field, lines, value)
  })

  it("takes away what words alone make a value", () => {
    const lines = [
      "A: what's the name of the paint",
      "C: it's called elephant's breath, five litres",
      "A: and the undercoat, grey or white"
    ]
    expect(redacted(lines, Redaction.sensitiveFields)).toEqual(lines.map((line) => line.slice(3)))
  })

  it.each<readonly [field: Field, lines: ReadonlyArray<string>, value: string]>([
    ["person_name", [opening, "C: My last name is Banks."], "Banks"],
    ["person_name", [opening, "C: My surname is Field."], "Field"],
    ["person_name", ["C: I'd like to check my order please", "A: the name on the account is Church"], "Church"],
    ["ssn", [machine, "A: so the last four of your social are six seven eight nine"], "seven"],
    ["credit_card", [machine, "A: your card ending in four two four two"], "four"],
    ["phone_number", [machine, "A: your phone number ends in oh one three two"], "three"],
    ["money", ["C: I'd like to check my order please", "A: your credit limit is five thousand"], "five"],
    ["age", [machine, "A: your daughter is nine"], "nine"],
    ["money", [colors, "C: the blue one and I tipped him 5 dollars"], "dollars"],
    ["time", [colors, "C: the blue one and my shift starts at nine"], "nine"],
    ["person_name", [opening, "C: My name is Will Young."], "Young"],
    ["phone_number", ["A: How many miles does the odometer show?", "C: anyway my direct line is 415-555-2671"], "2671"]
  ])("takes nothing away that a phrase names, whatever was said before: %s", (field, lines, value) => {
    expectHidden(field, lines, value)
  })

  it("reads no turn near a placeholder, so that a redacted call stays as it is", () => {
    const lines = ["A: and who's that", "C: harbhajan and gulnara", "A: what do they play under", "C: turbo toast"]
    for (const fields of [Redaction.sensitiveFields, ["username"], ["person_name"]] as const) {
      const once = redacted(lines, fields)
      expect(
        redacted(
          once.map((content, at) => `${(lines[at] ?? "").slice(0, 3)}${content}`),
          fields
        )
      ).toEqual(once)
    }
  })

  it("reads a code that is read back the same way however far away a placeholder is", () => {
    const between = ["A: okay", "C: yes", "A: right then", "C: fine", "A: go on", "C: sure", "A: mm hm", "C: okay"]
    for (let count = 0; count <= between.length; count += 2)
      for (const code of ["44172", "90210", "5512"]) {
        const lines = [
          "C: my name is John Porter",
          ...between.slice(0, count),
          "A: what does it say on the label there",
          `C: ${code}`,
          `A: ${code}`
        ]
        const once = redacted(lines, Redaction.sensitiveFields)
        const again = once.map((content, at) => `${(lines[at] ?? "").slice(0, 3)}${content}`)
        expect(redacted(again, Redaction.sensitiveFields)).toEqual(once)
      }
  })

  it("leaves a list price near a placeholder, and one behind it", () => {
    const lines = ["C: John Porter. do you sell lamps", "A: Yes, table lamps start at $15.", "C: okay"]
    expect(redacted(lines, Redaction.sensitiveFields)[1]).toBe("Yes, table lamps start at $15.")
  })

  it("reads a question and its answer wherever in a long call they are", () => {
    const filler = ["A: okay then", "C: that's fine", "A: let me look at that for you", "C: sure, thanks"]
    for (let before = 0; before <= 56; before += 2) {
      const opened = Array.from({ length: before }, (_, at) => filler[at % filler.length] ?? "")
      const lines = [opening, ...opened, "A: what name does the little one play under", "C: turbo toast", ...filler]
      const { [before + 2]: answer } = redacted(lines, ["username"])
      expect(answer, `after ${before} turns`).not.toContain("turbo")
    }
  })

  it("reads values in a turn of any length", () => {
    const story = "and then we went on and on about the weather and the garden ".repeat(60)
    const lines = [opening, `C: my name is Gulnara Petrosyan ${story} so please ask for Gulnara Petrosyan`]
    expect(redacted(lines, ["person_name"]).join()).not.toContain("Gulnara")
  })

  it.each([1, 24, 25, 49, 50])("reads a call of %i turns that ends in a turn without words", (count) => {
    const lines = Array.from({ length: count }, (_, at) => `${at % 2 === 0 ? "A" : "C"}: okay then`)
    const expected = [...lines, "A: "].map((line) => line.slice(3))
    expect(redacted([...lines, "A: "], Redaction.sensitiveFields)).toEqual(expected)
  })

  it("reads turns beside a tool call whose values were redacted before", () => {
    const turn = { startTime: undefined, endTime: undefined, words: [] }
    const tool = { id: undefined, name: "pay", succeeded: true, startTime: undefined, endTime: undefined }
    const raw = {
      turns: [
        { ...turn, speaker: "main_agent" as const, content: "what name does the little one play under" },
        { ...turn, speaker: "testing_agent" as const, content: "turbo toast" }
      ],
      toolCalls: [
        { ...tool, arguments: `{"card": "[CREDIT_CARD]", "phone": "415 555 2671", "who": "nobody"}`, result: undefined }
      ]
    }
    for (const fields of [["username", "phone_number"], Redaction.sensitiveFields] as const) {
      const { transcript } = Redaction.redactTranscript(raw, fields)
      expect(transcript.turns[1]?.content).not.toContain("turbo")
      expect(transcript.toolCalls[0]?.arguments).toContain("[PHONE_NUMBER]")
    }
  })

  it.each([0.6, 0.8])("uses the tagger of sentences for all turns where the threshold is %d", (threshold) => {
    const lines = [
      "A: Who looked at the boiler last time?",
      "C: I think it was Rajesh Kulkarni from Hyderabad, he lives in Pune now.",
      "A: Right."
    ]
    const [, answer] = redacted(lines, Redaction.sensitiveFields, { threshold })
    for (const value of ["Rajesh", "Kulkarni", "Hyderabad"]) expect(answer).not.toContain(value)
  })

  it("finds a value that is said right after one of another field, where its field alone is requested", () => {
    expectHidden("location", ["A: And your driver's license number and the state?", "C: 23981107, Texas."], "Texas")
  })

  it("finds a value elsewhere in the call that was said after a preposition", () => {
    const turn = { startTime: undefined, endTime: undefined, words: [] }
    const tool = { id: undefined, name: "find", succeeded: true, startTime: undefined, endTime: undefined }
    const { transcript } = Redaction.redactTranscript(
      {
        turns: [
          { ...turn, speaker: "main_agent", content: "what line is that" },
          { ...turn, speaker: "testing_agent", content: "number for llewellyn prothero in machynlleth" }
        ],
        toolCalls: [{ ...tool, arguments: `{"query": "machynlleth"}`, result: undefined }]
      },
      Redaction.sensitiveFields
    )
    expect(transcript.toolCalls[0]?.arguments).not.toContain("machynlleth")
  })

  it("finds a name that is introduced near a placeholder", () => {
    expectHidden("person_name", ["C: my card is [CREDIT_CARD]", "C: my name is Will Young."], "Will", "Young")
  })

  it("reads an answer with its question wherever in long turns they are", () => {
    const story = "and then we went on about the weather and the garden and the neighbors who are never in ".repeat(3)
    for (let before = 0; before <= 24; before += 2) {
      const opened = Array.from({ length: before }, (_, at) => `${at % 2 === 0 ? "A" : "C"}: ${story}`)
      const lines = [...opened, "A: what name does the little one play under", "C: turbo toast", "A: lovely"]
      expect(redacted(lines, ["username"])[before + 1], `after ${before} turns`).not.toContain("turbo")
    }
  })

  it("answers a question of any length", () => {
    const codes = `C: ${"q one two three four then ".repeat(4000)}`
    for (const asked of ["what was the mileage and ", "what is it that you see on the "])
      expect(redacted([`A: ${asked.repeat(8000)}`, codes], ["account_number"])).toHaveLength(2)
  })
})
