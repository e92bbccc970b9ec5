import * as Redaction from "@earshot/redaction"
import * as RedactionKit from "@earshot/test-kit/redaction"
import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { codePoint } from "@earshot/test-kit/redaction"

type Raw = Parameters<typeof Redaction.redactTranscript>[0]
type Turn = Raw["turns"][number]
type Field = Redaction.SensitiveField

const { redactionPredicates, someFields } = RedactionKit
const asked: ReadonlyArray<Field> = ["phone_number", "credit_card", "ssn", "email_address"]

const callOf = (content: string, more: Partial<Turn> = {}): Raw => ({
  toolCalls: [],
  turns: [{ speaker: "testing_agent", content, startTime: undefined, endTime: undefined, words: [], ...more }]
})
const redacted = (content: string, fields = asked): string =>
  Redaction.redactTranscript(callOf(content), fields).transcript.turns[0]?.content ?? ""

const digits = (length: number): fc.Arbitrary<string> =>
  fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length }).map((all) => all.join(""))

const phone = fc
  .tuple(
    fc.constantFrom("-", ".", " "),
    fc.integer({ min: 2, max: 9 }),
    digits(2),
    fc.integer({ min: 2, max: 9 }),
    digits(6)
  )
  .map(([sign, a, area, b, rest]) => [`${a}${area}`, `${b}${rest.slice(0, 2)}`, rest.slice(2)].join(sign))
const withCheckDigit = (bare: string): string =>
  `${bare}${Array.from("0123456789").find((last) => Redaction.Validators.isLuhn(bare + last)) ?? ""}`
const card = fc
  .tuple(fc.constantFrom("", " ", "-"), digits(14))
  .map(([sign, bare]) => (withCheckDigit(`4${bare}`).match(/.{4}/g) ?? []).join(sign))
const ssn = fc
  .tuple(fc.integer({ min: 1, max: 665 }), fc.integer({ min: 1, max: 99 }), fc.integer({ min: 1, max: 9999 }))
  .map(([area, group, serial]) =>
    [String(area).padStart(3, "0"), String(group).padStart(2, "0"), String(serial).padStart(4, "0")].join("-")
  )
const email = fc
  .tuple(fc.constantFrom("john", "mary.smith", "j-doe", "k9"), fc.constantFrom("example.com", "mail.example.org"))
  .map(([name, host]) => `${name}@${host}`)

const numbers = [
  ["phone_number", phone],
  ["credit_card", card],
  ["ssn", ssn]
] as const
const values = [...numbers, ["email_address", email] as const]

const digitsFrom =
  (zero: number) =>
  (value: string): string =>
    value.replace(/\d/g, (digit) => String.fromCodePoint(zero + Number(digit)))
const between =
  (odd: string) =>
  (value: string): string =>
    [...value].join(odd)
const signs =
  (pattern: RegExp, odd: string) =>
  (value: string): string =>
    value.replace(pattern, odd)
const fullWidth = (value: string): string =>
  value.replace(/[!-~]/g, (char) => String.fromCharCode(char.charCodeAt(0) + 0xfee0)).replace(/ /g, "\u3000")

/** What writes a value in another form, inside of it alone. */
const forms: Readonly<Record<string, (value: string) => string>> = {
  "full-width": fullWidth,
  "Arabic-Indic digits": digitsFrom(0x660),
  "Persian digits": digitsFrom(0x6f0),
  "Devanagari digits": digitsFrom(0x966),
  "digits beyond the basic plane": digitsFrom(0x1d7ce),
  keycaps: (value) => value.replace(/\d/g, "$&\uFE0F\u20E3"),
  hyphens: signs(/-/g, "\u2010"),
  "hyphens that do not break": signs(/-/g, "\u2011"),
  "figure dashes": signs(/-/g, "\u2012"),
  "en dashes": signs(/-/g, "\u2013"),
  "em dashes": signs(/-/g, "\u2014"),
  "minus signs": signs(/-/g, "\u2212"),
  "small hyphens": signs(/-/g, "\uFE63"),
  "spaces that do not break": signs(/ /g, "\u00A0"),
  "thin spaces": signs(/ /g, "\u2009"),
  "narrow spaces": signs(/ /g, "\u202F"),
  "ideographic full stops": signs(/\./g, "\u3002"),
  "full-width full stops": signs(/\./g, "\uFF0E"),
  "small commercial at": signs(/@/g, "\uFE6B"),
  "zero-width spaces": between("\u200B"),
  "zero-width joiners": between("\u200D"),
  "byte order marks": between("\uFEFF"),
  "soft hyphens": between("\u00AD"),
  "marks of direction": between("\u200E"),
  isolates: (value) => `\u2066${between("\u2069")(value)}\u2069`,
  bells: between("\u0007"),
  "zero bytes": between("\u0000"),
  colors: between("\u001B[1;31m"),
  "colors of eight bits": between("\u009B0m"),
  tags: between("\u{E0041}"),
  "lone surrogates": between("\uD800")
}

describe("a value in an unusual Unicode form", () => {
  for (const [name, form] of Object.entries(forms))
    it(`is redacted like its plain form: ${name}`, () => {
      for (const [field, value] of values)
        fc.assert(
          fc.property(
            value,
            fc.constantFrom("", "it is ", "so, "),
            fc.constantFrom("", " then", ", right?"),
            (text, before, after) => {
              const plain = redacted(`${before}${text}${after}`)
              const odd = redacted(`${before}${form(text)}${after}`).replace(/[\p{Cf}\p{Cs}]/gu, "")
              expect(plain).toBe(`${before}[${field.toUpperCase()}]${after}`)
              expect(odd).toBe(plain)
            }
          ),
          { numRuns: 12, seed: 7 }
        )
    })
  it("is redacted next to any letters", () => {
    for (const [, value] of numbers)
      fc.assert(
        fc.property(
          value,
          fc.constantFrom("", "Tel", "x", "ABC", "foo", "電話", "\u001B[31m", "é", "m"),
          fc.constantFrom("", "please", "z", "OK", "まで", "\u001B[0m"),
          (text, before, after) => {
            const left = redacted(`it is ${before}${text}${after}`)
            expect(left.startsWith(`it is ${before}[`)).toBe(true)
            expect(left.slice(`it is ${before}`.length).replace("\u001B[0m", "")).not.toMatch(/\d/)
          }
        ),
        { numRuns: 60, seed: 7 }
      )
  })
  it("is redacted in mixed forms", () => {
    const some = fc.subarray(Object.keys(forms), { minLength: 2, maxLength: 3 })
    for (const [field, value] of numbers)
      fc.assert(
        fc.property(value, some, (text, names) => {
          const odd = names.reduce((text, name) => forms[name]?.(text) ?? text, text)
          const left = redacted(`it is ${odd} then`)
          expect(
            left
              .replaceAll("\u001B[1;31m", "")
              .replaceAll("\u009B0m", "")
              .replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, "")
          ).toBe(`it is [${field.toUpperCase()}] then`)
        }),
        { numRuns: 60, seed: 7 }
      )
  })
  for (const [text, expected] of [
    ["Tel415-555-2671", "Tel[PHONE_NUMBER]"],
    ["phone4155552671", "phone[PHONE_NUMBER]"],
    ["Tel(415) 555-2671", "Tel[PHONE_NUMBER]"],
    ["VISA4111 1111 1111 1111exp", "VISA[CREDIT_CARD]exp"],
    ["TEL 415-555-2671 OK", "TEL [PHONE_NUMBER] OK"],
    ["MY NUMBER IS 415-555-2671 CALL ME", "MY NUMBER IS [PHONE_NUMBER] CALL ME"],
    ["SSN 308630237", "SSN [SSN]"],
    ["m 415-555-2671", "m [PHONE_NUMBER]"],
    ["call me \u001b[31m415-555-2671\u001b[0m now", "call me \u001b[31m[PHONE_NUMBER]\u001b[0m now"],
    ["john.smith@example。com", "[EMAIL_ADDRESS]"],
    ["john–smith@example.com", "[EMAIL_ADDRESS]"],
    ["０９０-１２３４-５６７８", "[PHONE_NUMBER]"],
    ["０９０ー１２３４ー５６７８", "[PHONE_NUMBER]"],
    ["415·555·2671", "[PHONE_NUMBER]"],
    ["⁴¹⁵-⁵⁵⁵-²⁶⁷¹", "[PHONE_NUMBER]"],
    ["415-555-2671¹", "[PHONE_NUMBER]¹"],
    ["415-555-2671\u001f308-63-0237", "[PHONE_NUMBER]\u001f[SSN]"],
    ["415-555-2671, 212-555-0188", "[PHONE_NUMBER], [PHONE_NUMBER]"],
    ["415 555 2671 212 555 0188", "[PHONE_NUMBER] [PHONE_NUMBER]"],
    ["4155552671 2125550188", "[PHONE_NUMBER] [PHONE_NUMBER]"],
    ["5 415-555-2671", "5 [PHONE_NUMBER]"],
    ["4111-1111-1111-1111 415-555-2671", "[CREDIT_CARD] [PHONE_NUMBER]"],
    ["\u001b]8;;mailto:john@example.com\u0007", "\u001b]8;;mailto:[EMAIL_ADDRESS]\u0007"]
  ] as const)
    it(`is redacted: ${JSON.stringify(text)}`, () => {
      expect(redacted(text)).toBe(expected)
      if (!text.includes("MY")) expect(redacted(text, [...Redaction.sensitiveFields])).toBe(expected)
    })
})

describe("text in unusual forms without a value", () => {
  for (const text of [
    "SKU4155552671",
    "the part is XR12345678",
    "order AB-415-555-2671",
    "flight BA2490 leaves from gate B12",
    "50 m² and 3½ hours",
    "Ａ—Ｂ, né en 1990–1995",
    "مرحبا بك في ٣ مدن",
    "👩‍👩‍👧 नमस्ते \u200F שלום"
  ])
    it(`is kept: ${text}`, () => expect(redacted(text)).toBe(text))
  it("keeps the invisible characters around a value", () =>
    expect(redacted("a\u200b \u200e415-555-2671\u200f\u200b b")).toBe("a\u200b \u200e[PHONE_NUMBER]\u200f\u200b b"))
  it("does not skip a value as a terminal escape sequence", () =>
    expect(redacted("call \u001b[4155552671m")).not.toContain("\u001b[m"))
})

describe("unusual forms outside turns", () => {
  it("matches a value with its words, whichever form either has", () => {
    const { ranges, transcript } = Redaction.redactTranscript(
      callOf("call ４１５-５５５\u200b-２６７１ now", {
        words: ["call", "415\u200b-555-2671", "now"].map((text, at) => ({ text, startTime: at, endTime: at + 0.5 }))
      }),
      ["phone_number"]
    )
    expect(transcript.turns[0]?.words).toEqual([
      { text: "call", startTime: 0, endTime: 0.5 },
      { text: "[PHONE_NUMBER]", startTime: 1, endTime: 1.5 },
      { text: "now", startTime: 2, endTime: 2.5 }
    ])
    expect(ranges).toEqual({ _tag: "Known", ranges: [{ speaker: "testing_agent", start: 0.75, end: 1.75 }] })
  })
  it("redacts free JSON, its keys and a customer's number", () => {
    expect(Redaction.redactJson({ "４１５-５５５-２６７１": "x", n: "٤١٥-٥٥٥-٢٦٧١" }, ["phone_number"])).toEqual({
      "[PHONE_NUMBER]": "x",
      n: "[PHONE_NUMBER]"
    })
    expect(Redaction.redactCustomerNumber("＋１ ４１５\u200b-５５５-２６７１", ["phone_number"])).toBe("[PHONE_NUMBER]")
  })
  it("numbers a value like its plain form", () => {
    expect(Redaction.canonicalValue("４１５-５５５\u200b-２６７１")).toBe(Redaction.canonicalValue("415-555-2671"))
    const { transcript } = Redaction.redactTranscript(
      callOf("415-555-2671, that is ４１５-５５５-２６７１"),
      ["phone_number"],
      {
        replacement: { style: "numbered" }
      }
    )
    expect(transcript.turns[0]?.content).toBe("[PHONE_NUMBER_1], that is [PHONE_NUMBER_1]")
  })
  it("applies a host's own spans at their offsets", () => {
    const content = "a\u200bb ｃ４１５ Zorb\u200blax 👋"
    const start = content.indexOf("Zorb")
    const { transcript } = Redaction.redactTranscript(callOf(content), ["person_name"], {
      extra: [{ turn: 0, start, end: start + 8, field: "person_name", score: 0.9, evidence: [] }]
    })
    expect(transcript.turns[0]?.content).toBe("a\u200bb ｃ４１５ [PERSON_NAME] 👋")
  })
})

describe("redaction of any call in unusual forms", () => {
  const piece = fc.oneof(
    fc
      .oneof(...values.map(([, value]) => value))
      .chain((value) => fc.constantFrom("plain", ...Object.keys(forms)).map((name) => forms[name]?.(value) ?? value)),
    fc.string({ unit: codePoint, maxLength: 8 }),
    fc.constantFrom(
      "Tel",
      "my card is",
      "\u001B[",
      "\u001B[31m",
      "ー",
      "。",
      "²",
      "5",
      "x",
      "@",
      "[SSN]",
      "\uD83D",
      "\n",
      "\uFFFC",
      "("
    )
  )
  const oddCall = fc
    .array(fc.tuple(fc.array(piece, { maxLength: 7 }), fc.constantFrom("", " ")), { maxLength: 4 })
    .map((turns): Raw => ({ ...callOf(""), turns: turns.flatMap(([pieces, sign]) => callOf(pieces.join(sign)).turns) }))
  const runs = { numRuns: 300, seed: 42 }
  it("returns offsets that rebuild the redacted text", () => {
    fc.assert(fc.property(oddCall, someFields, redactionPredicates.offsets), runs)
  })
  it("is idempotent", () => {
    fc.assert(fc.property(oddCall, someFields, redactionPredicates.stable), runs)
  })
  it("redacts no less when more fields are requested", () => {
    fc.assert(fc.property(oddCall, someFields, someFields, redactionPredicates.monotone), runs)
  })
  it("never splits a surrogate pair", () => {
    fc.assert(fc.property(oddCall, someFields, redactionPredicates.wellFormed), runs)
  })
})
