import * as Redaction from "@earshot/redaction"
import { describe, expect, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"

type Raw = Parameters<typeof Redaction.redactTranscript>[0]
type Turn = Raw["turns"][number]
type Field = Redaction.SensitiveField

const turn = (line: string, more: Partial<Turn> = {}): Turn => ({
  speaker: line.startsWith("A:") ? "main_agent" : "testing_agent",
  content: line.replace(/^[AC]: /, ""),
  startTime: undefined,
  endTime: undefined,
  words: [],
  ...more
})
const call = (...lines: ReadonlyArray<string>): Raw => ({
  toolCalls: [],
  turns: lines.map((line) => turn(line))
})
const redacted = (
  raw: Raw,
  fields: ReadonlyArray<Field> = Redaction.sensitiveFields,
  options: Redaction.RedactOptions = {}
): ReadonlyArray<string> => Redaction.redactTranscript(raw, fields, options).transcript.turns.map((one) => one.content)

describe("many values of one kind in a row", () => {
  for (const [field, separator, valueOf] of [
    ["ssn", " ", (at: number) => `308 63 ${1000 + at}`],
    ["ssn", ", ", (at: number) => `308-63-${1000 + at}`],
    ["phone_number", " ", (at: number) => `415 555 ${1000 + at}`],
    ["phone_number", ", ", (at: number) => `415-555-${1000 + at}`],
    ["credit_card", " ", () => "4000 0566 5566 5556"],
    ["credit_card", ", ", () => "4000056655665556"]
  ] as const) {
    it(`are found: ${field}, separated by "${separator}"`, () => {
      for (const count of [2, 3, 4, 7, 20, 40]) {
        const list = Array.from({ length: count }, (_, at) => valueOf(at)).join(separator)
        const [text = ""] = redacted(call(`C: ${list}`), [field])
        expect([count, text.match(/\d+/g)]).toEqual([count, null])
      }
    })
  }
})

describe("a single requested field", () => {
  for (const [field, lines, expected] of [
    [
      "ssn",
      ["A: i need your social and your date of birth", "C: 308 63 0237 and august fourth seventy nine"],
      ["i need your social and your date of birth", "[SSN] and august fourth seventy nine"]
    ],
    [
      "dob",
      ["A: i need your social and your date of birth", "C: 308 63 0237 and august fourth seventy nine"],
      ["i need your social and your date of birth", "308 63 0237 and [DOB]"]
    ],
    [
      "phone_number",
      ["A: i need your phone and your social", "C: 4155552671 and 308630237"],
      ["i need your phone and your social", "[PHONE_NUMBER] and 308630237"]
    ],
    [
      "dob",
      ["A: your dob and last four of social", "C: five five eighty one, 0237"],
      ["your dob and last four of social", "[DOB]"]
    ],
    [
      "ssn",
      [
        "A: social?",
        "C: three oh eight",
        "A: sorry, my system is slow today, one second",
        "C: no problem",
        "A: okay go ahead",
        "C: six three",
        "A: mm",
        "C: oh two three seven"
      ],
      [
        "social?",
        "[SSN]",
        "sorry, my system is slow today, one second",
        "no problem",
        "okay go ahead",
        "[SSN]",
        "mm",
        "[SSN]"
      ]
    ],
    ["age", ["A: and how old's the patient", "C: she's eight months"], ["and how old's the patient", "she's [AGE]"]],
    [
      "person_name",
      ["A: name and social", "C: dorvel quimbla social is three oh eight six three oh two three seven"],
      ["name and social", "[PERSON_NAME] social is three oh eight six three oh two three seven"]
    ],
    [
      "location",
      ["A: and the address", "C: it says the ip is 135.147.75.114"],
      ["and the address", "it says the ip is 135.147.75.114"]
    ],
    ["location", ["A: and your apartment number", "C: four c"], ["and your apartment number", "[LOCATION]"]],
    [
      "bank_account",
      ["A: routing number?", "C: 021000021", "A: mm-hm and the account", "C: five five eight one two two nine"],
      ["routing number?", "[BANK_ACCOUNT]", "mm-hm and the account", "[BANK_ACCOUNT]"]
    ],
    [
      "phone_number",
      ["A: verify the last four of your phone number", "C: twenty six seventy one"],
      ["verify the last four of your phone number", "[PHONE_NUMBER]"]
    ],
    [
      "numerical_pii",
      ["A: and the last four of your social", "C: oh two three seven"],
      ["and the last four of your social", "[NUMERICAL_PII]"]
    ],
    ["numerical_pii", ["A: last three on the back", "C: 319"], ["last three on the back", "[NUMERICAL_PII]"]],
    ["credit_card", ["A: last three on the back", "C: 319"], ["last three on the back", "[CREDIT_CARD]"]],
    [
      "account_number",
      ["A: account ending 4471?", "C: no, it ends in 4417"],
      ["account ending [ACCOUNT_NUMBER]?", "no, it ends in [ACCOUNT_NUMBER]"]
    ],
    [
      "dob",
      ["A: birthday?", "C: the twenty second", "A: of?", "C: november", "A: year?", "C: ninety three"],
      ["birthday?", "[DOB]", "of?", "[DOB]", "year?", "[DOB]"]
    ],
    [
      "ssn",
      ["A: your social?", "C: 308-63-0237", "A: in the last three months how many visits", "C: twelve"],
      ["your social?", "[SSN]", "in the last three months how many visits", "twelve"]
    ],
    ["person_name", ["C: Quimbla Zorvetti here"], ["[PERSON_NAME] here"]],
    ["person_name", ["C: Quimbla Zorvetti, phone 415-555-7392"], ["[PERSON_NAME], phone 415-555-7392"]],
    [
      "person_name",
      ["A: May I have your full name?", "C: Ravi Dubey, ssn 308-63-7392"],
      ["May I have your full name?", "[PERSON_NAME], ssn 308-63-7392"]
    ],
    ["location", ["C: phone 415-555-7392, ssn 308-63-7392"], ["phone 415-555-7392, ssn 308-63-7392"]],
    [
      "credit_card",
      [
        "A: card number?",
        "C: fifty five fifty five fifty five fifty five",
        "A: ok",
        "C: fifty five fifty five four four four four",
        "A: and the expiry?",
        "C: december twenty six"
      ],
      ["card number?", "[CREDIT_CARD]", "ok", "[CREDIT_CARD]", "and the expiry?", "[CREDIT_CARD]"]
    ],
    ["password", ["A: mother's maiden name?", "C: It's Garcia"], ["mother's maiden name?", "It's [PASSWORD]"]],
    ["person_name", ["A: mother's maiden name?", "C: It's Garcia"], ["mother's maiden name?", "It's [PERSON_NAME]"]],
    [
      "email_address",
      ["A: email?", "C: jane doe ninety two", "A: mhm", "C: at hotmail dot com"],
      ["email?", "[EMAIL_ADDRESS]", "[EMAIL_ADDRESS]", "[EMAIL_ADDRESS]"]
    ]
  ] as const) {
    it(`${field}: ${lines.join(" / ")}`, () => expect(redacted(call(...lines), [field])).toEqual(expected))
  }
})

describe("a value in the midst of harmless talk", () => {
  const parking = (line: string) =>
    call(
      "C: Is there parking?",
      `A: Yes, behind the building. ${line}`,
      "C: Great, do you have gluten free?",
      "A: We do."
    )
  for (const [line, expected] of [
    ["Lockbox code is 8841.", "Lockbox code is [PASSWORD]."],
    ["The extension is 8841.", "The extension is [PHONE_NUMBER]."],
    ["The routing number is 12345.", "The routing number is [BANK_ACCOUNT]."]
  ] as const) {
    it(`is found: ${line}`, () => expect(redacted(parking(line))[1]).toBe(`Yes, behind the building. ${expected}`))
  }

  for (const [line, expected] of [
    ["I'm [PERSON_NAME]. My balance is 412.", "I'm [PERSON_NAME]. My balance is [MONEY]."],
    ["[PERSON_NAME] here, my salary is 52000", "[PERSON_NAME] here, my salary is [MONEY]"]
  ] as const) {
    it(`is found beside a placeholder: ${line}`, () => expect(redacted(call(`C: ${line}`))).toEqual([expected]))
  }
})

describe("text that only resembles a value", () => {
  for (const lines of [
    ["C: I ordered 12 34 56 mobile cases"],
    ["C: my order number is 0712 345 678"],
    ["C: I said hello", "A: there you can buy it"],
    ["C: call back ticket 123456"],
    ["A: Unlimited for twenty. First month half price with the code SUMMER50.", "C: And after that?"],
    ["C: Hello, what's the minimum for buffet?", "A: Fifty plates. Veg is four fifty rupees, non-veg six hundred."]
  ]) {
    it(`is kept: ${lines.join(" / ")}`, () =>
      expect(redacted(call(...lines))).toEqual(lines.map((line) => line.slice(3))))
  }
  it("is kept next to a web address in the following turn", () =>
    expect(redacted(call("C: I said hello", "A: at example dot com you can buy it"))[0]).toBe("I said hello"))
})

describe("addresses by their form", () => {
  for (const [line, expected] of [
    ["C: mail it to PSC 808, Box 21, APO AE 09618 please", "mail it to [LOCATION] please"],
    ["C: send it to unit 3050 box 17, dpo aa 34024", "send it to [LOCATION]"],
    ["C: pick me up at the corner of Birch and Larkin Street", "pick me up at [LOCATION]"]
  ] as const)
    it(line, () => expect(redacted(call(line), ["location"])).toEqual([expected]))

  for (const line of [
    "C: the unit 3050 box 17 is broken",
    "C: put it in the corner of the kitchen and close the door",
    "C: it stood at the corner of the table and the wall"
  ])
    it(`keeps: ${line}`, () => expect(redacted(call(line), ["location"])).toEqual([line.slice(3)]))
})

describe("spoken values", () => {
  for (const [text, expected] of [
    ["my social is four oh two, double seven, one two three four", "my social is [SSN]"],
    ["Here's my SSN: 308-63-0237", "Here's my SSN: [SSN]"],
    ["call me at four one five five five five two six seven one", "call me at [PHONE_NUMBER]"],
    ["it's john dot smith at gmail dot com", "it's [EMAIL_ADDRESS]"],
    ["nurse practitioner Bob Lee saw me", "[MEDICAL_PROFESSIONAL] saw me"],
    ["sort code 20-00-00 account 55779911", "sort code [BANK_ACCOUNT] account [BANK_ACCOUNT]"],
    ["(978)645-9740x11144 or 833.719.3994x1887", "[PHONE_NUMBER] or [PHONE_NUMBER]"],
    ["Utrecht:\n9885 1152 office", "[LOCATION]:\n[PHONE_NUMBER] office"],
    ["call 0171 4234567 when you can", "call [PHONE_NUMBER] when you can"],
    ["my card is 4111 1111 1111 1111", "my card is [CREDIT_CARD]"],
    ["I was born on March 3rd, 1985", "I was born on [DOB]"],
    ["The meeting was on 3 May 2021 at 5:30 pm", "The meeting was on [DATE] at [TIME]"],
    ["I am thirty two years old", "I am [AGE]"],
    ["the server is at one ninety two dot one sixty eight dot one dot one", "the server is at [IP_ADDRESS]"],
    ["I paid two hundred and fifty dollars", "I paid [MONEY]"],
    ["My IBAN is GB82 WEST 1234 5698 7654 32", "My IBAN is [BANK_ACCOUNT]"],
    ["the vin is 1HGCM82633A004352", "the vin is [VEHICLE_ID]"],
    ["open budget_2023.xlsx please", "open [FILENAME] please"],
    ["I'm Nigerian and I work as a plumber", "I'm [ORIGIN] and I work as a [OCCUPATION]"],
    ["I live at 42 Oak Street, Springfield, IL 62704", "I live at [LOCATION]"]
  ] as const) {
    it(`redacts "${text}"`, () => expect(redacted(call(`C: ${text}`))).toEqual([expected]))
  }
})

describe("context across turns", () => {
  it("joins a number that is spoken over several turns", () => {
    expect(
      redacted(
        call(
          "A: What's your phone number?",
          "C: Four one five",
          "A: Okay",
          "C: five five five",
          "A: mm-hm",
          "C: two six seven one"
        )
      )
    ).toEqual(["What's your phone number?", "[PHONE_NUMBER]", "Okay", "[PHONE_NUMBER]", "mm-hm", "[PHONE_NUMBER]"])
  })
  it("uses the other speaker's question as the cue", () => {
    expect(redacted(call("A: And your account number?", "C: 88213345"))).toEqual([
      "And your account number?",
      "[ACCOUNT_NUMBER]"
    ])
  })
  it("finds a later occurrence of a value in another form", () => {
    const [, , later] = redacted(
      call("A: Your account number please?", "C: four four three two one nine", "A: So that was 443219, right?")
    )
    expect(later).toBe("So that was [ACCOUNT_NUMBER], right?")
  })
  it("prefers the nearest cue", () => {
    expect(redacted(call("C: My account number is 55512345 and my order number is 99812345"))).toEqual([
      "My account number is [ACCOUNT_NUMBER] and my order number is 99812345"
    ])
  })
  it("keeps order numbers, counts and brands", () => {
    const lines = [
      "C: The order number is 4482 and I tried two three times",
      "A: May I put you on hold?",
      "C: Will you? We stayed at the Paris Hilton Hotel."
    ]
    expect(redacted(call(...lines))).toEqual(lines.map((line) => line.slice(3)))
  })
  it("redacts a doctor's name without the title when only person names are requested", () => {
    const raw = call("C: I saw Dr. Gregory Chen")
    expect(redacted(raw, ["medical_professional"])).toEqual(["I saw [MEDICAL_PROFESSIONAL]"])
    expect(redacted(raw, ["person_name"])).toEqual(["I saw Dr. [PERSON_NAME]"])
  })
  it("redacts weekdays and relative days only with everyday readings enabled", () => {
    const raw = call("C: Let's talk on Tuesday or tomorrow")
    expect(redacted(raw)).toEqual(["Let's talk on Tuesday or tomorrow"])
    expect(redacted(raw, ["date"], { everyday: true })).toEqual(["Let's talk on [DATE] or [DATE]"])
  })
})

describe("styles of replacement", () => {
  const raw = call(
    "C: Reach me at 415-555-2671 or 212-555-0188.",
    "A: So four one five, five five five, two six seven one?"
  )
  it("gives the same value the same number, spoken or written", () => {
    expect(redacted(raw, ["phone_number"], { replacement: { style: "numbered" } })).toEqual([
      "Reach me at [PHONE_NUMBER_1] or [PHONE_NUMBER_2].",
      "So [PHONE_NUMBER_1]?"
    ])
  })
  it("hashes with a key", () => {
    const [first, second] = redacted(raw, ["phone_number"], { replacement: { style: "hashed", key: "k1" } })
    const hashes = [...`${first} ${second}`.matchAll(/#([0-9a-f]{12})\]/g)].map((match) => match[1])
    expect(hashes).toHaveLength(3)
    expect(hashes[0]).toBe(hashes[2])
    expect(hashes[0]).not.toBe(hashes[1])
    expect(redacted(raw, ["phone_number"], { replacement: { style: "hashed", key: "k2" } })[0]).not.toBe(first)
  })
})

describe("words and audio", () => {
  const words = (text: string, from = 0) =>
    text.split(" ").map((word, at) => ({ text: word, startTime: from + at, endTime: from + at + 0.8 }))
  it("mutes the words of a value with a padding of 0.25 s, and replaces them by one word", () => {
    const content = "my pin is 4 4 2 1 thanks"
    const result = Redaction.redactTranscript(
      {
        toolCalls: [],
        turns: [turn(`C: ${content}`, { words: words(content, 10), startTime: 10, endTime: 18 })]
      },
      ["password"]
    )
    expect(result.ranges).toEqual({ _tag: "Known", ranges: [{ speaker: "testing_agent", start: 12.75, end: 17.05 }] })
    expect(result.transcript.turns[0]?.words).toEqual([
      { text: "my", startTime: 10, endTime: 10.8 },
      { text: "pin", startTime: 11, endTime: 11.8 },
      { text: "is", startTime: 12, endTime: 12.8 },
      { text: "[PASSWORD]", startTime: 13, endTime: 16.8 },
      { text: "thanks", startTime: 17, endTime: 17.8 }
    ])
  })
  it("mutes the whole turn if only the turn has times", () => {
    const raw: Raw = { ...call(), turns: [turn("C: my pin is 4421", { startTime: 3, endTime: 6 })] }
    expect(Redaction.redactTranscript(raw, ["password"]).ranges).toEqual({
      _tag: "Known",
      ranges: [{ speaker: "testing_agent", start: 2.75, end: 6.25 }]
    })
  })
  it("reports that audio cannot be muted if nothing has times", () => {
    expect(Redaction.redactTranscript(call("C: my pin is 4421"), ["password"]).ranges).toEqual({ _tag: "Unknown" })
  })
  it("needs no times if nothing is redacted", () => {
    expect(Redaction.redactTranscript(call("C: hello"), ["password"]).ranges).toEqual({ _tag: "Known", ranges: [] })
  })
  it("removes words that do not occur in the content, since they cannot be checked", () => {
    const raw: Raw = {
      ...call(),
      turns: [turn("C: okay then", { words: words("okay 5551234567 then"), startTime: 0, endTime: 3 })]
    }
    expect(
      Redaction.redactTranscript(raw, ["phone_number"]).transcript.turns[0]?.words.map((word) => word.text)
    ).toEqual(["okay", "", "then"])
  })
  it("returns sorted ranges that do not overlap", () => {
    const content = "pin 4421 or 4421"
    const raw: Raw = {
      ...call(),
      turns: [
        turn(`C: my pin 4421`, { startTime: 5, endTime: 6 }),
        turn(`C: ${content}`, { startTime: 5.5, endTime: 8 })
      ]
    }
    expect(Redaction.redactTranscript(raw, ["password"]).ranges).toEqual({
      _tag: "Known",
      ranges: [{ speaker: "testing_agent", start: 4.75, end: 8.25 }]
    })
  })
})

describe("tool calls and free JSON", () => {
  const tool = { id: undefined, name: "lookup", succeeded: true, startTime: undefined, endTime: undefined }
  it("redacts arguments and results by their keys and by values of the conversation", () => {
    const raw: Raw = {
      ...call("A: Your account number?", "C: 88213345"),
      toolCalls: [
        {
          ...tool,
          arguments: `{"phone_number": 4155552671, "note": "asked about 88213345", "n": 2}`,
          result: "ok 88213345"
        }
      ]
    }
    const { toolCalls } = Redaction.redactTranscript(raw, Redaction.sensitiveFields).transcript
    expect(toolCalls[0]?.arguments).toBe(
      `{"phone_number":"[PHONE_NUMBER]","note":"asked about [ACCOUNT_NUMBER]","n":2}`
    )
    expect(toolCalls[0]?.result).toBe("ok [ACCOUNT_NUMBER]")
  })
  it("returns JSON without sensitive values unchanged", () => {
    const raw: Raw = {
      ...call(),
      toolCalls: [{ ...tool, arguments: `{ "size": "large",  "n": 2 }`, result: undefined }]
    }
    expect(Redaction.redactTranscript(raw, Redaction.sensitiveFields).transcript.toolCalls[0]?.arguments).toBe(
      `{ "size": "large",  "n": 2 }`
    )
  })
  it("redacts values of duplicate keys", () => {
    const raw: Raw = {
      ...call(),
      toolCalls: [{ ...tool, arguments: `{"email":"john@example.com","email":"x"}`, result: undefined }]
    }
    expect(Redaction.redactTranscript(raw, Redaction.sensitiveFields).transcript.toolCalls[0]?.arguments).not.toContain(
      "john@"
    )
  })
  it("redacts metadata", () => {
    expect(
      Redaction.redactJson(
        { email: "a.b@example.com", deep: [{ ssn: "308-63-0237", ok: true }], plan: "basic" },
        Redaction.sensitiveFields
      )
    ).toEqual({
      email: "[EMAIL_ADDRESS]",
      deep: [{ ssn: "[SSN]", ok: true }],
      plan: "basic"
    })
    expect(Redaction.redactCustomerNumber("+1 415-555-2671", ["phone_number"])).toBe("[PHONE_NUMBER]")
    expect(Redaction.redactCustomerNumber("+1 415-555-2671", ["ssn"])).toBe("+1 415-555-2671")
    expect(Redaction.redactCustomerNumber("C-1234", ["account_number"])).toBe("[ACCOUNT_NUMBER]")
  })
})

describe("a host's own model", () => {
  const raw = call("C: the zorblax is here")
  const provider = (recognize: Redaction.NerProvider["Type"]["recognize"]) =>
    Layer.succeed(Redaction.NerProvider, { recognize })
  it("adds valid spans and ignores those out of bounds", async () => {
    const found = provider(() =>
      Effect.succeed([
        { turn: 0, start: 4, end: 11, field: "person_name" as const, score: 0.9, evidence: ["model"] },
        { turn: 0, start: 4, end: 999, field: "person_name" as const, score: 0.9, evidence: [] },
        { turn: 7, start: 0, end: 1, field: "person_name" as const, score: 0.9, evidence: [] }
      ])
    )
    const result = await Effect.runPromise(Redaction.redactCall(raw, ["person_name"]).pipe(Effect.provide(found)))
    expect(result.transcript.turns[0]?.content).toBe("the [PERSON_NAME] is here")
  })
  it("yields to the event loop while reading a long call", async () => {
    const raw = call(...Array.from({ length: 400 }, (_, at) => `C: my number is 415-555-${2000 + at}, thank you`))
    let turns = 0
    let immediate = setImmediate(function count() {
      turns++
      immediate = setImmediate(count)
    })
    const result = await Effect.runPromise(
      Redaction.redactCall(raw, ["phone_number"]).pipe(Effect.provide(Redaction.nerProviderNone))
    )
    clearImmediate(immediate)
    expect(turns).toBeGreaterThan(10)
    expect(result).toEqual(Redaction.redactTranscript(raw, ["phone_number"]))
  })
  it("fails the redaction if the model fails", async () => {
    const broken = provider(() => Effect.fail(new Redaction.NerFailed({ cause: "down" })))
    const result = await Effect.runPromise(
      Effect.either(Redaction.redactCall(raw, ["person_name"]).pipe(Effect.provide(broken)))
    )
    expect(Either.isLeft(result)).toBe(true)
  })
})
