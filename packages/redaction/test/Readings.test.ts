import * as Redaction from "@earshot/redaction"
import { describe, expect, it } from "@effect/vitest"
import { expectHidden, expectUntouched, redacted } from "./Hidden.js"

describe("a request of a few words", () => {
  for (const [field, lines, ...values] of [
    [
      "dob",
      ["A: dob", "C: nineteen fifty four", "A: and the month and day", "C: february twelve"],
      "february",
      "twelve"
    ],
    ["person_name", ["A: name and number", "C: odalys pinnock 8765550192"], "odalys", "pinnock"],
    ["location", ["A: license number and state", "C: oh nine eight seven six five four texas"], "texas"],
    ["physical_attribute", ["A: how tall are you", "C: five four"], "five four"],
    ["physical_attribute", ["A: age and weight", "C: forty four and one eighty five"], "one eighty five"],
    ["age", ["A: age and weight", "C: forty four and one eighty five"], "forty four"],
    ["time", ["A: when do you close", "C: around twenty one thirty"], "twenty one thirty"],
    ["numerical_pii", ["A: badge number", "C: seven seven one"], "seven seven one"],
    ["ssn", ["A: sorry the last four again", "C: eight eight oh two"], "eight eight oh two"]
  ] as const)
    it(`${field}: ${lines.join(" / ")}`, () => {
      expectHidden(field, lines, ...values)
    })

  it("does not take the age of a thing for that of a person", () => {
    expectUntouched("A: how old is the boiler", "C: twelve years")
  })

  it("does not take a number of an order for one to call", () => {
    expectUntouched("A: order number", "C: 8841209")
  })
})

describe("a value that may be of either of two fields", () => {
  for (const [field, lines, ...values] of [
    ["healthcare_number", ["A: member id", "C: w two two oh nine one"], "two two oh"],
    ["account_number", ["A: member id", "C: w two two oh nine one"], "two two oh"],
    ["bank_account", ["A: from which account", "C: eight eight one two oh oh four seven one"], "eight eight one"],
    [
      "ssn",
      ["A: i need the nine digits from your tax card", "C: four two eight one nine double six oh three"],
      "four two"
    ],
    [
      "credit_card",
      ["A: read me the number", "C: four one four seven two oh two two nine nine oh one one six six oh"],
      "four one"
    ],
    ["password", ["A: password please", "C: sunflower twelve"], "sunflower", "twelve"],
    ["phone_number", ["C: license S530460819 call 503 555 0142"], "0142"],
    ["person_name", ["C: Guadalupe wants the July 19 slot moved to July 22."], "Guadalupe"]
  ] as const)
    it(`${field}: ${lines.join(" / ")}`, () => {
      expectHidden(field, lines, ...values)
    })

  it("leaves a number that was asked for by its name to that name", () => {
    expect(redacted(["A: i need your phone and your social", "C: 4155552671 and 308630237"], ["phone_number"])).toEqual(
      ["i need your phone and your social", "[PHONE_NUMBER] and 308630237"]
    )
  })

  it("hides two numbers that were asked for and follow each other without a break", () => {
    const asked = "A: read me your medicare number and your phone"
    for (const field of ["healthcare_number", "phone_number"] as const)
      expectHidden(field, [asked, "C: 1EG4TE5MK73 5035550142"], field === "phone_number" ? "5035550142" : "1EG4TE5MK73")
    const dates = "A: phone and date of birth"
    for (const field of ["dob", "phone_number"] as const)
      expectHidden(
        field,
        [dates, "C: seven oh four two two nine eight one one six four nineteen eighty two"],
        "nineteen"
      )
  })
})

describe("a question in words of everyday calls", () => {
  for (const [field, lines, ...values] of [
    ["password", ["A: tell me the six figures in the text", "C: oh nine oh three three one"], "nine", "one"],
    ["password", ["A: and your mother's birth surname", "C: featherstonehaugh"], "featherstonehaugh"],
    ["password", ["A: and your mother's name before she married", "C: pemberton"], "pemberton"],
    ["username", ["A: and what name do you sign in with", "C: grumpy underscore otter"], "grumpy", "otter"],
    ["origin", ["A: where were your parents from originally", "C: eritrea both of them"], "eritrea"],
    ["location", ["A: where were your parents from originally", "C: eritrea both of them"], "eritrea"],
    ["location", ["C: i'm over at lindenhof farm"], "lindenhof", "farm"],
    ["location", ["C: it's a little place called yarrow"], "yarrow"],
    ["driver_license", ["C: my permit's d four four one oh nine eight eight"], "four", "eight"],
    ["numerical_pii", ["C: it says s one one oh four nine seven six"], "one", "six"],
    ["time", ["C: any time past half two"], "half", "two"],
    ["time", ["C: i was on the nine forty train"], "nine", "forty"],
    ["date", ["C: could we do the twenty third instead"], "twenty third"]
  ] as const)
    it(`${field}: ${lines.join(" / ")}`, () => {
      expectHidden(field, lines, ...values)
    })

  it("asks for no number of a person where it asks what a device shows", () => {
    expectUntouched("A: what code does the machine show", "C: it shows e twenty four")
    expectUntouched("A: what's the reading on the meter", "C: four four oh nine one")
    expectUntouched("A: what does the gauge read", "C: two two four one")
  })

  it("takes no name for a place, and no farm without a name for one", () => {
    expectUntouched("C: we stayed at a farm", "C: it's a farm shop", "A: how many are in the text", "C: eighteen")
  })
})

describe("a value that corrects one the other side has said", () => {
  for (const [field, lines, ...values] of [
    ["time", ["A: so two pm", "C: no two forty five"], "two forty five"],
    ["person_name", ["A: i have jon smithe here", "C: no it's john smythe"], "john", "smythe"],
    ["location", ["A: so that's baton rouge", "C: no shreveport"], "shreveport"],
    [
      "phone_number",
      ["A: the number i have ends in four four seven nine", "C: no it ends in four four nine seven"],
      "nine seven"
    ],
    ["ssn", ["A: so that was two three one forty four", "C: right and then nine eight oh seven"], "nine eight oh"]
  ] as const)
    it(`${field}: ${lines.join(" / ")}`, () => {
      expectHidden(field, lines, ...values)
    })
})

it("leaves the number of an order that is read back to the order", () => {
  expectUntouched("A: so your order is four four nine one two oh", "C: no it's four four nine one two one")
})

describe("words that recognizers of speech write for digits", () => {
  it("are part of the number that they stand in", () => {
    expectHidden("phone_number", ["C: my number is six one nine for for two one eight eight oh"], "for", "six", "oh")
  })

  it("stay words beside amounts and scores", () => {
    expectUntouched("C: they won four to two last night", "C: a two for one deal")
  })
})

describe("other languages than English", () => {
  for (const [field, line, ...values] of [
    ["dob", "C: nací el veintiuno de marzo de mil novecientos ochenta y cinco", "veintiuno", "mil", "ochenta", "cinco"],
    ["dob", "C: ich bin am elften mai neunzehnhundertsechzig geboren", "elften", "neunzehnhundertsechzig"],
    ["date", "C: la cita era el quince de octubre", "quince", "octubre"],
    [
      "phone_number",
      "C: meu celular é onze nove oito sete meia cinco quatro três dois um zero",
      "onze",
      "meia",
      "zero"
    ],
    ["location", "C: ich wohne in der lindenstraße vierzehn in mannheim", "lindenstraße", "vierzehn"],
    ["email_address", "C: escríbame a maria punto lopez arroba gmail punto com", "maria", "gmail"]
  ] as const)
    it(`${field}: ${line}`, () => {
      expectHidden(field, [line], ...values)
    })

  it("reads numbers of another language as an answer in an English call", () => {
    const lines = ["A: what is the best number to reach you at", "C: it is cinco cinco cinco dos cero uno nueve"]
    expectHidden("phone_number", lines, "cinco", "nueve")
  })

  it("takes no word of the language for a name or a place", () => {
    expect(redacted(["C: la cita era el quince de octubre"], Redaction.sensitiveFields)).toEqual([
      "la cita era el [DATE]"
    ])
  })
})

describe("written text", () => {
  for (const [field, line, ...values] of [
    ["vehicle_id", "C: Hi team, the KX19 ZRV still beeps at 40.", "KX19", "ZRV"],
    ["date", "C: On 12DEC to Durban.", "12DEC"],
    ["time", "C: Ihr Termin ist um 14h30.", "14h30"],
    ["person_name", "C: Forwarding this on behalf of Oluwaseun Adebayo-Clarke.", "Adebayo", "Clarke"],
    ["person_name", "C: O'Shaughnessy called about the lift.", "Shaughnessy"],
    ["age", "C: My father Cornelius, 91, fell on the stairs.", "91"],
    ["age", "C: The account holder, Rosalind Achebe, is 72 and hard of hearing.", "72"],
    ["occupation", "C: Our veterinary nurse will phone you back.", "veterinary", "nurse"],
    ["money", "C: Please wire USD 12,400 to the supplier.", "12,400"],
    ["money", "C: He paid CHF 89.50 on the spot.", "89.50"],
    ["username", "C: User n.harkonnen was locked after 5 attempts.", "harkonnen"],
    ["location", "C: Send it to Ludlow SY8 1AZ.", "1AZ"],
    ["location", "C: The guests stay at 14 Rue d'Antibes.", "14", "Antibes"],
    ["location", "C: send it to nine ninety nine sycamore", "nine ninety", "sycamore"],
    ["time", "C: The technician left at 15.30.", "15.30"],
    ["person_name", "C: Ragnhild called about the depot.", "Ragnhild"],
    ["person_name", "C: did you say bryan with a y", "bryan"],
    ["person_name", "C: Jacqueline du Preez is waiting.", "du", "Preez"],
    ["account_number", "C: the one ending double two oh nine", "two oh nine"],
    ["person_name", "C: my wife ottavia is seventy one and she cannot hear well", "ottavia"],
    ["age", "C: my wife ottavia is seventy one and she cannot hear well", "seventy"],
    ["password", "C: Access code is 4471# for the door.", "4471", "#"],
    ["location", "C: Is anybody still working in the Durban branch?", "Durban"],
    ["vehicle_id", "C: Your car MH 12 AB 1234 is ready.", "MH 12", "1234"],
    ["url", "C: She can be found on linkedin.com/in/chukwuemeka-o.", "chukwuemeka"],
    ["url", "C: w w w dot holm and sons dot net", "holm", "sons", "net"],
    ["password", "C: temp password Tulip#44marsh. Change it please!", "Tulip", "44marsh"]
  ] as const)
    it(`${field}: ${line}`, () => {
      expectHidden(field, [line], ...values)
    })

  it("leaves what a phrase of a question means in another sense", () => {
    for (const [question, answer] of [
      ["which part of it broke", "hinge"],
      ["what part of the order is missing", "napkins"],
      ["is there a shop near you", "tesco"],
      ["how hot is it near you", "very hot"],
      ["thanks for that where you live is it hot", "very"],
      ["does the village have a shop", "yes lidl"],
      ["who's it for", "the guests"],
      ["whose is it", "nobody's"],
      ["which slot did you insert it in", "the left one"],
      ["what's your username", "that one i can't remember"]
    ])
      expectUntouched(`A: ${question}`, `C: ${answer}`)
  })

  it("still reads answers to longer forms of the same questions", () => {
    expectHidden("location", ["A: tell me where you live", "C: nether wallop"], "nether", "wallop")
    expectHidden("location", ["A: the village", "C: nether wallop"], "nether", "wallop")
    expectHidden("time", ["A: which slot suits", "C: four fifteen"], "four", "fifteen")
    expectHidden("time", ["A: does the afternoon suit", "C: three"], "three")
  })

  it("takes no other word or number for a part of a value", () => {
    expect(redacted(["C: order two not 3 pm"], ["time"])).toEqual(["order two not [TIME]"])
    expect(redacted(["C: could you come at 2 not 3 pm"], ["time"])).toEqual(["could you come at [TIME]"])
    expect(redacted(["C: the score was four to five p m local"], ["time"])[0]).toContain("score was four to ")
    expect(redacted(["C: open four to five p m"], ["time"])).toEqual(["open [TIME]"])
    expect(redacted(["A: name tag surname sticker"], ["person_name"])[0]).toContain("name tag")
    expect(redacted(["C: name olu surname adebayo"], ["person_name"])[0]).not.toContain("olu")
    expect(redacted(["C: we work with rose and violet paint"], ["person_name"])[0]).toContain("violet paint")
    expectHidden("person_name", ["C: ask for bill or sunny"], "bill", "sunny")
  })

  it("leaves things alone that are called after places, peoples and names", () => {
    expectUntouched(
      "C: My plants love the Boston fern fertilizer.",
      "C: The Turkish delight arrived melted.",
      "C: the panama hat and the kendall dresser",
      "C: my amber light is on",
      "C: brazil nuts and a dutch oven",
      "C: the windsor chair",
      "C: the robin nested in the vent",
      "C: it's forty two degrees in here",
      "C: The brass handle is scratched on both sides."
    )
  })
})
