import * as Redaction from "@earshot/redaction"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"

const turn = (content: string, speaker: Redaction.Speaker = "testing_agent"): Redaction.Turn => ({
  speaker,
  content,
  startTime: undefined,
  endTime: undefined,
  words: []
})

const redacted = (contents: ReadonlyArray<string>, options: Redaction.RedactOptions): ReadonlyArray<string> =>
  Redaction.redactTranscript(
    { turns: contents.map((content) => turn(content)), toolCalls: [] },
    Redaction.sensitiveFields,
    options
  ).transcript.turns.map(({ content }) => content)

describe("values that are known of a call", () => {
  it("are redacted where they are said, spelled or spoken, and nowhere else", () => {
    const known: ReadonlyArray<Redaction.KnownValue> = [
      { value: "Zorvan Quillip", field: "person_name" },
      { value: "88213", field: "account_number" }
    ]
    expect(redacted(["so zorvan said eight eight two one three", "z o r v a n like that", "zorva"], { known })).toEqual(
      ["so [PERSON_NAME] said [ACCOUNT_NUMBER]", "[PERSON_NAME] like that", "zorva"]
    )
  })

  it("are found in documents by their keys", () => {
    const known = Redaction.knownValuesIn({ customer: { first_name: "Zorvan", phone: "+14155552671" }, plan: "gold" })
    expect(
      redacted(["zorvan has the gold plan and four one five five five five two six seven one"], { known })
    ).toEqual(["[PERSON_NAME] has the gold plan and [PHONE_NUMBER]"])
  })
})

describe("values that are known of a document", () => {
  it("are redacted in its texts and are no part of the answer", () => {
    const known: ReadonlyArray<Redaction.KnownValue> = [{ value: "Zorvan Quillip", field: "person_name" }]
    expect(Redaction.redactJson([{ note: "zorvan called" }, "for quillip", 5], ["person_name"], { known })).toEqual([
      { note: "[PERSON_NAME] called" },
      "for [PERSON_NAME]",
      5
    ])
  })
})

describe("a lexicon as a named-entity provider", () => {
  const recognizing = (turns: ReadonlyArray<string>) =>
    Effect.flatMap(Redaction.NerProvider, (ner) => ner.recognize(turns, Redaction.sensitiveFields)).pipe(
      Effect.provide(
        Redaction.nerProviderAll([
          Redaction.nerProviderNone,
          Redaction.nerProviderLexicon({ location: ["Zubrovka", "New Zubrovka"], event: ["Founders' Gala"] })
        ])
      )
    )
  const recognize = (turns: ReadonlyArray<string>) => Effect.runSync(recognizing(turns))

  it("finds its values as whole words in any case, the longest one first", () => {
    const content = "from new zubrovka to ZUBROVKA for the founders' gala, not zubrovkan"
    expect(recognize([content]).map(({ end, field, start }) => [field, content.slice(start, end)])).toEqual([
      ["location", "new zubrovka"],
      ["location", "ZUBROVKA"],
      ["event", "founders' gala"]
    ])
  })

  it("finds them wherever they are in a long turn", async () => {
    const value = "new zubrovka"
    // At every place about the ends of the parts that are searched one after the other.
    for (const shift of [0, 1, 5, 9, 12]) {
      const content = `${"x".repeat(shift)} ${`to ${value} `.repeat(5_000)}`
      const spans = await Effect.runPromise(recognizing([content]))
      expect(spans).toHaveLength(5_000)
      expect(new Set(spans.map(({ end, start }) => content.slice(start, end)))).toEqual(new Set([value]))
    }
  })

  it("returns offsets of the original text where characters are invisible", () => {
    const content = "to \u200bzub\u200brovka"
    const [one] = recognize([content])
    expect(content.slice(one?.start, one?.end)).toBe("zub\u200brovka")
  })
})

describe("muting of values whose words have no times", () => {
  const words = (texts: ReadonlyArray<string>): ReadonlyArray<Redaction.Word> =>
    texts.map((text, at) => ({ text, startTime: at, endTime: at + 0.9 }))

  it("covers the rest of the turn where the list of words stops early", () => {
    const one: Redaction.Turn = {
      ...turn("my social is 308 63 0237"),
      startTime: 0,
      endTime: 9,
      words: words(["my", "social", "is", "308"])
    }
    const { ranges } = Redaction.redactTranscript({ turns: [one], toolCalls: [] }, ["ssn"])
    expect(ranges).toEqual({ _tag: "Known", ranges: [{ speaker: "testing_agent", start: 2.75, end: 9.25 }] })
  })

  it("covers the turn from its beginning where the list of words begins late", () => {
    const one: Redaction.Turn = {
      ...turn("308 63 0237 is my social"),
      startTime: 0,
      endTime: 9,
      words: [
        { text: "0237", startTime: 3, endTime: 4 },
        { text: "is", startTime: 5, endTime: 6 }
      ]
    }
    const { ranges } = Redaction.redactTranscript({ turns: [one], toolCalls: [] }, ["ssn"])
    expect(ranges).toEqual({ _tag: "Known", ranges: [{ speaker: "testing_agent", start: 0, end: 4.25 }] })
  })
})

describe("values in other languages", () => {
  const answered = (question: string, answer: string): string =>
    Redaction.redactTranscript({ turns: [turn(question, "main_agent"), turn(answer)], toolCalls: [] }, [
      "phone_number",
      "dob"
    ]).transcript.turns[1]?.content ?? ""

  it("are found by their cues and spoken digits", () => {
    expect(answered("cuál es su número de teléfono", "seis uno dos, tres cuatro cinco, seis siete ocho")).toBe(
      "[PHONE_NUMBER]"
    )
    expect(answered("quel est votre numéro de téléphone", "zéro six douze trente-quatre cinquante-six douze")).toBe(
      "[PHONE_NUMBER]"
    )
    expect(answered("wie ist ihre telefonnummer bitte", "null eins sieben sechs zwei drei vier fünf")).toBe(
      "[PHONE_NUMBER]"
    )
    expect(answered("qual é o seu telefone por favor", "nove oito sete seis cinco quatro três dois um")).toBe(
      "[PHONE_NUMBER]"
    )
    expect(answered("aapka phone number kya hai", "nau aath saat chhe paanch chaar teen do ek shunya")).toBe(
      "[PHONE_NUMBER]"
    )
  })

  it("leave English words alone that are numbers in another language", () => {
    expect(answered("what is your phone number", "i had it once but do not ask me, that is fine")).toBe(
      "i had it once but do not ask me, that is fine"
    )
  })
})
