import { randomOf } from "@earshot/test-kit/redaction"
import { describe, expect, it } from "@effect/vitest"
import { expectHidden, expectUntouched, type Field, redacted } from "./Hidden.js"

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
    ["url", ["C: i signed the petition at petitions dot townhall dot org"], "petitions dot", "townhall"]
  ] as const)
    it(`${field}: ${lines.join(" / ")}`, () => {
      expectHidden(field, lines, ...values)
    })

  it("does not reach over what belongs to nobody", () => {
    expectUntouched(
      "C: that was in fiscal year twenty twenty three",
      "C: we sold it in fiscal twenty four",
      "C: it's an r f two fifty with the tow hook",
      "C: the machine weighs about nine kilos",
      "C: a grande mocha and a scone",
      "A: bus route eleven stops right outside",
      "C: one second let me look",
      "C: i like the corner of the garden and the patio",
      "C: block seven is full"
    )
  })
})
