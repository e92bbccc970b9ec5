import { randomOf } from "@earshot/test-kit/redaction"
import { describe, expect, it } from "@effect/vitest"
import { expectHidden, expectUntouched, type Field, redacted } from "./Hidden.js"
import questionGroups from "../src/data/questions.json" with { type: "json" }

const digitWords = ["oh", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
const spoken = (digits: string): string => Array.from(digits, (digit) => digitWords[Number(digit)]).join(" ")

/** What speakers say in the middle of a number: pauses, and remarks that only the whole number shows to be asides. */
const asides = [
  "hang on",
  "just a second",
  "let me think",
  "and then",
  "sorry my kettle is boiling",
  "hold on the screen went dark",
  "i am walking upstairs"
]

describe("an aside in the middle of a number", () => {
  const random = randomOf(20)
  const phone = (): string => `${random.pick(["415", "212", "617", "972"])}${random.int(2, 9)}${random.digits(6)}`
  const kinds = [
    ["phone_number", "you can get me on", phone, [3, 6]],
    ["phone_number", "my cell is", phone, [3, 7]],
    ["ssn", "my social is", () => `${random.int(101, 665)}${random.int(11, 99)}${random.int(1001, 9999)}`, [3, 5]],
    ["credit_card", "the card is", () => "4012888888881881", [4, 12]]
  ] as const
  for (const [field, lead, value, splits] of kinds)
    it(`does not end it: ${field} after "${lead}"`, () => {
      for (const aside of asides)
        for (const split of splits) {
          const digits = value()
          const parts = [spoken(digits.slice(0, split)), spoken(digits.slice(split))] as const
          for (const fields of [[field], [field, "person_name"]] as ReadonlyArray<ReadonlyArray<Field>>) {
            const [left = ""] = redacted([`C: ${lead} ${parts[0]} ${aside} ${parts[1]}`], fields)
            expect(left).not.toContain(parts[0])
            expect(left).not.toContain(parts[1])
          }
        }
    })

  it("is no part of it", () => {
    expect(
      redacted(["C: my cell is nine seven two five five five oh one hang on i'm in the car six four"], ["phone_number"])
    ).toEqual(["my cell is [PHONE_NUMBER] hang on i'm in the car [PHONE_NUMBER]"])
  })

  it("does not join counts of things to a number", () => {
    expectUntouched("C: there were two one day and then four the next", "C: i bought six then seven more")
  })
})

describe("a value of a phone call", () => {
  for (const [field, lines, ...values] of [
    ["phone_number", ["C: it's plus four four seven seven double oh nine hundred one two three"], "four four", "three"],
    ["phone_number", ["C: mum's on oh one two two five eight one six oh four four"], "oh one", "four four"],
    ["phone_number", ["A: the caller id", "C: six oh two five five five a hundred and nine"], "hundred", "nine"],
    [
      "phone_number",
      ["A: so that's four one five five five five oh one seven", "C: oh one seven three"],
      "oh one",
      "three"
    ],
    ["ssn", ["C: s s n four one eight three three double two nine oh"], "four one", "nine oh"],
    ["driver_license", ["C: d l four four oh nine one seven two"], "four four", "seven two"],
    ["bank_account", ["A: i f s c code", "C: s b i n zero zero zero four five six one"], "s b i n", "six one"],
    ["location", ["A: pin code", "C: four zero zero oh five three"], "four zero", "five three"],
    ["password", ["A: pin code", "C: four zero zero oh five three"], "four zero", "five three"],
    ["ip_address", ["A: what ip is it showing", "C: ten two fifty five zero seventeen"], "ten", "seventeen"],
    ["location", ["C: that's l s eleven four d b"], "l s", "d b"],
    ["age", ["C: my nan's ninety three she lives alone"], "ninety three"],
    ["age", ["A: ages of the children", "C: seven and twelve"], "seven", "twelve"],
    ["age", ["C: i'll be fifty in march"], "fifty"],
    ["time", ["C: i'm around from eight fifteen til noon"], "eight fifteen", "noon"],
    ["time", ["A: morning or evening", "C: evening six ish no make it six thirty"], "six ish", "six thirty"],
    ["time", ["C: we get in at seventeen fifty"], "seventeen fifty"],
    ["location", ["C: i'm at plot nine sector twenty two noida"], "plot", "nine", "twenty two"],
    ["location", ["C: house number two two four b t road"], "two two four", "b t road"],
    ["location", ["C: meet me on the corner of seventh and broadway"], "seventh", "broadway"],
    ["location", ["A: and the street number", "C: fourteen ninety"], "fourteen ninety"],
    ["location", ["C: it goes to the old mill quarry lane nether wallop"], "quarry", "nether", "wallop"],
    ["password", ["A: and the passphrase", "C: ready purple giraffe ladder"], "ready", "purple", "giraffe", "ladder"],
    [
      "password",
      ["A: we just messaged you a code can you read that to me", "C: two oh six eight eight one"],
      "two oh",
      "eight one"
    ],
    ["money", ["C: they want three lakh twenty thousand rupees"], "three lakh", "rupees"],
    ["money", ["C: it cost me two and a half grand"], "two", "half grand"],
    ["date", ["C: either the ninth or the tenth of october"], "ninth", "tenth"],
    ["person_name", ["C: a lady called hope said she would ring"], "hope"],
    ["numerical_pii", ["A: velocity number", "C: four oh one nine two two"], "four oh", "two two"],
    ["account_number", ["A: velocity number", "C: four oh one nine two two"], "four oh", "two two"],
    ["ssn", ["A: n i number", "C: j k twenty one thirty two forty three b"], "twenty one", "forty three"],
    ["account_number", ["C: the two accounts are five five oh one two and five five oh two two"], "one two", "two two"],
    ["person_name", ["C: please speak to faith she deals with it"], "faith"],
    ["person_name", ["C: my son's called hunter he lost it"], "hunter"],
    ["person_name", ["A: what should i call you", "C: buzz"], "buzz"],
    ["person_name", ["C: it's for t k mcgillicuddy"], "t k", "mcgillicuddy"],
    ["email_address", ["A: spell the bit before the at", "C: d a i s y nine"], "d a", "nine"],
    ["email_address", ["C: write to info at lakeside dot dental"], "info", "lakeside"],
    ["email_address", ["C: nine one nine five five five oh one two eight and ana at solmar dot mx"], "ana", "solmar"],
    ["credit_card", ["A: the digits on the reverse", "C: four double two"], "four double"],
    ["credit_card", ["A: so the one that ends three three oh nine", "C: yes"], "three three oh"],
    [
      "credit_card",
      [
        "A: card and expiry",
        "C: four five three nine one four eight eight oh three four three six four six seven oh six thirty"
      ],
      "four five",
      "thirty"
    ],
    ["dob", ["C: i was born in seventy eight"], "seventy eight"],
    ["dob", ["C: my birthday is the second of march sixty four"], "second", "sixty four"],
    ["age", ["A: how old is the new one", "C: two and a half"], "two", "half"],
    ["age", ["C: at eighty one he still drives"], "eighty one"],
    ["age", ["C: she's only seven months"], "seven"],
    ["age", ["C: i turn sixty in april"], "sixty"],
    ["age", ["C: she's nearing seventy"], "seventy"],
    ["date", ["A: what's the date on the invoice", "C: three four twenty four"], "three four", "twenty four"],
    ["date", ["C: we bought it in the winter of twenty nineteen"], "winter", "nineteen"],
    ["time", ["C: let's do ten thirty sharp"], "ten thirty"],
    ["time", ["C: they came ten past six"], "ten past", "six"],
    ["time", ["C: come over around half seven"], "half seven"],
    ["location", ["A: where's home", "C: fourteen b upper quay street galway"], "fourteen", "quay", "galway"],
    ["location", ["A: house name", "C: fernbank"], "fernbank"],
    ["location", ["C: turn onto county road nine"], "county road nine"],
    ["location", ["C: i'm in flat two nelson house"], "flat two", "nelson house"],
    ["location", ["C: c two oh six silver oak apartments"], "two oh six", "silver oak"],
    ["location", ["C: the junction of queen street and bathurst"], "queen", "bathurst"],
    ["location", ["A: which town", "C: stow on wold"], "stow", "wold"],
    ["location", ["C: eleven west forty fourth"], "eleven west", "forty fourth"],
    ["password", ["A: say your passphrase", "C: salt and pepper mill"], "salt", "pepper", "mill"],
    ["password", ["C: the keypad code's eight eight oh two"], "eight eight"],
    ["money", ["C: we agreed on two and a half thousand euros"], "two", "half", "thousand"],
    ["money", ["C: it's fifty nine p each"], "fifty nine p"],
    ["money", ["A: yearly salary", "C: sixty two k"], "sixty two k"],
    ["money", ["C: i have two crore ten lakh there"], "two crore", "ten lakh"],
    ["origin", ["A: ethnic origin", "C: bangladeshi"], "bangladeshi"],
    ["ip_address", ["C: the gateway's ten zero zero one"], "ten zero zero one"],
    ["event", ["C: it's a gift for eid"], "eid"],
    ["medical_professional", ["A: which consultant is it", "C: mr okonjo"], "okonjo"],
    ["time", ["A: what time do you want us to be over there", "C: nine twenty if that works"], "nine twenty"],
    ["time", ["C: could it be two instead of three fifteen"], "two", "three fifteen"],
    ["time", ["A: either nine forty or eleven fifteen"], "nine forty", "eleven fifteen"],
    ["person_name", ["A: can i please have the surname that is on the booking", "C: archuleta"], "archuleta"],
    [
      "phone_number",
      ["A: just the area code", "C: two one six", "A: and the rest", "C: five five five oh one nine one"],
      "five five",
      "nine one"
    ],
    [
      "phone_number",
      ["A: so i have six one four five five five oh one", "C: five oh one nine one more digit"],
      "five oh",
      "nine"
    ],
    ["age", ["A: how old's your nephew", "C: nine he'll be ten soon"], "nine"],
    ["money", ["C: they quoted me seven hundred flat"], "seven hundred"],
    ["password", ["A: what high school did you go to", "C: lincoln"], "lincoln"],
    ["time", ["C: we've waited since seven twenty"], "seven twenty"],
    ["dob", ["C: her birthday's june ninth oh six"], "june ninth", "oh six"],
    ["location", ["C: my address is thirty one c clifton parade"], "thirty one c", "clifton"],
    ["url", ["C: i signed the petition at petitions dot townhall dot org"], "petitions dot", "townhall"]
  ] as const)
    it(`${field}: ${lines.join(" / ")}`, () => {
      expectHidden(field, lines, ...values)
    })

  it("does not reach over what belongs to nobody", () => {
    for (const line of [
      "C: that was in fiscal year twenty twenty three",
      "C: we sold it in fiscal twenty four",
      "C: it's an r f two fifty with the tow hook",
      "C: the machine weighs about nine kilos",
      "C: a grande mocha and a scone",
      "A: bus route eleven stops right outside",
      "C: one second let me look",
      "C: i like the corner of the garden and the patio",
      "C: block seven is full",
      "C: six hundred at three each",
      "C: the panel is twenty five sixty by fourteen forty",
      "A: the rate is five percent apr",
      "C: the paint code is q t six oh one",
      "C: half two dozen of them broke",
      "C: a ray of hope came in",
      "C: give me one more",
      "C: it takes forty watts"
    ])
      expectUntouched(line)
  })
})

it("no phrase asks in turns of any length and in short ones alone, of which the latter would hide the former", () => {
  const reach = new Map<string, boolean>()
  for (const { isShort = false, phrases } of questionGroups as ReadonlyArray<{
    readonly isShort?: boolean
    readonly phrases: ReadonlyArray<string>
  }>)
    for (const phrase of phrases) {
      expect(reach.get(phrase) ?? isShort, phrase).toBe(isShort)
      reach.set(phrase, isShort)
    }
  expect(reach.size).toBeGreaterThan(300)
})
