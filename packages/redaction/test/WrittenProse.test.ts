import * as Redaction from "@earshot/redaction"
import { describe, expect, it } from "@effect/vitest"

const redacted = (
  content: string,
  fields: ReadonlyArray<Redaction.SensitiveField> = Redaction.sensitiveFields
): string =>
  Redaction.redactTranscript(
    {
      toolCalls: [],
      turns: [{ speaker: "testing_agent", content, startTime: undefined, endTime: undefined, words: [] }]
    },
    fields
  ).transcript.turns[0]?.content ?? ""

describe("of written text, redaction keeps", () => {
  it("the label of a phone number", () => {
    expect(redacted("96 228011 office\n166-684-7899 fax\n2813882583 mobile")).toBe(
      "[PHONE_NUMBER] office\n[PHONE_NUMBER] fax\n[PHONE_NUMBER] mobile"
    )
  })

  it("what is said to be somebody's", () => {
    expect(redacted("The verses from Elizabeth Mitchell's Cautionary Tales are read here.")).toBe(
      "The verses from [PERSON_NAME]'s Cautionary Tales are read here."
    )
  })

  it("an occupation in front of a name, where occupations are not requested", () => {
    expect(redacted("Producer Fernando Brabec explained the song.", ["person_name"])).toBe(
      "Producer [PERSON_NAME] explained the song."
    )
  })

  it.each([
    "Great, thanks a lot. Bye!",
    "Great, thanks. Bye bye.",
    "Thanks, take care. Bye-bye.",
    "Cheers mate, bye now.",
    "Hello? Hello!",
    "Ta",
    "Amen to that.",
    "Okey dokey"
  ])("greetings: %s", (text) => {
    expect(redacted(text)).toBe(text)
  })

  it("a number that is joined to a word", () => {
    expect(redacted("Blink-182 pay tribute here to the fans.")).toContain("Blink-182 pay tribute")
  })

  it("a length of time that begins with a position", () => {
    expect(redacted("Pedestrians must enter on Main Street the first three months.")).toContain(
      "the first three months"
    )
  })

  it.each(["Think Computer Corporation", "Universal Design Partners", "Compendia Bioscience Life Technologies"])(
    "the name of a company: %s",
    (company) => {
      expect(redacted(`Brian Keller\n${company}\n52 Baker Street, London`)).toContain(company)
    }
  )
})

describe("of written text, redaction takes", () => {
  it("the address behind the name of a company", () => {
    expect(redacted("We'll meet Friday at Kroll Bond Ratings Agency, 61 Wiesenstrasse 31, Barzheim")).not.toMatch(
      /Wiesenstrasse|Barzheim|61|31/
    )
  })

  it.each(["i'm calling from Stockton", "i'm calling from baton rouge"])(
    "a place that is a name too, requested alone or with all: %s",
    (content) => {
      expect(redacted(content, ["location"])).toBe("i'm calling from [LOCATION]")
      expect(redacted(content)).toBe("i'm calling from [LOCATION]")
    }
  )

  it("both names around a possessive", () => {
    expect(redacted("my name is Anna Keller and this is Tom Miller's account")).toBe(
      "my name is [PERSON_NAME] and this is [PERSON_NAME]'s account"
    )
  })
})

describe("of spoken times, redaction takes", () => {
  it.each([
    ["Friday at two thirty it is.", "Friday at [TIME] it is."],
    ["Let's say tomorrow at four forty five then.", "Let's say tomorrow at [TIME] then."]
  ])("the minutes too: %s", (text, expected) => {
    expect(redacted(text, ["time"])).toBe(expected)
  })
})
