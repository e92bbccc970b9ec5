import type { CallText } from "./CallText.js"
import { isApart, speakerAt } from "./CallText.js"
import type { SensitiveField } from "./SensitiveField.js"

/**
 * What a value is can often be told only by the words around it. A cue is such a phrase; the cue nearest to a value
 * decides. `nothing` marks numbers that are nobody's: orders, tickets, rooms.
 */
export interface CueMeaning {
  readonly field: SensitiveField | "nothing"
  /** A finer kind within the field, where it has rules of its own. */
  readonly kind: "plain" | "cvv" | "expiry" | "zip" | "extension" | "generic"
  /** Fewest and most letters and digits of a value it can announce. */
  readonly min: number
  readonly max: number
  /** How much it says alone, 0 to 1. */
  readonly strength: number
}

export interface Cue extends CueMeaning {
  /** Tokens, `to` exclusive. */
  readonly from: number
  readonly to: number
  readonly phrase: string
}

interface Node {
  readonly next: Map<string, Node>
  meaning: CueMeaning | undefined
}

const root: Node = { next: new Map(), meaning: undefined }

const add = (
  field: SensitiveField | "nothing",
  min: number,
  max: number,
  strength: number,
  list: string,
  kind: CueMeaning["kind"] = "plain"
): void => {
  for (const phrase of list
    .split(/[,\n]/)
    .map((one) => one.trim())
    .filter((one) => one !== "")) {
    let node = root
    for (const word of phrase.split(" ")) {
      const known = node.next.get(word)
      const next = known ?? { next: new Map<string, Node>(), meaning: undefined }
      if (known === undefined) node.next.set(word, next)
      node = next
    }
    node.meaning = { field, kind, min, max, strength }
  }
}

add(
  "ssn",
  4,
  11,
  0.97,
  `social security number, social security, social security no, ssn, s s n, ss number, ss #, social number, social, soc sec, social insurance number, sin number, itin`
)
add(
  "nothing",
  0,
  0,
  0,
  `social media, social worker, social distancing, social event, social network, social club, social life, social services`
)
add(
  "credit_card",
  4,
  19,
  0.95,
  `credit card number, card number, credit card, debit card number, debit card, card ending in, card ending with, card that ends in,
 card ends in, card ending, visa card, visa ending in, visa, mastercard, master card, amex, american express, discover card, card on file, long number on the front,
 sixteen digit number, sixteen digits, 16 digit, 16 digits, number on the front of the card, number on the card, primary account number, card, card no, gift card number`
)
add(
  "credit_card",
  3,
  4,
  0.95,
  `cvv, c v v, cvv2, cvc, c v c, cvv code, cvv number, csc, cid, card verification, card verification code, security code, security code on the back, three digit code, three digits on the back,
 code on the back, number on the back, digits on the back, three digit number on the back, four digit code on the front, back of the card, back of your card, back of it`,
  "cvv"
)
add(
  "credit_card",
  3,
  6,
  0.9,
  `expiration date, expiration, expiry date, expiry, expires, expires in, expires on, expiring, exp date, exp, valid through, valid thru, valid until, good through, good thru, month and year on the card, expire`,
  "expiry"
)
add(
  "phone_number",
  7,
  15,
  0.93,
  `phone number, phone numbers, phone, cell number, cell phone number, cell phone, cell, cellphone, mobile number, mobile phone, mobile, telephone number, telephone, tel, tel no, fax, fax number,
 callback number, callback, call back number, call back, call me at, call me on, call me back at, reach me at, reach me on, reach you at, reach him at, reach her at, reach us at, contact me at, contact number, contact us at, best number, a good number, another number,
 text me at, text me on, text, dial, dialed, whatsapp, landline, home number, work number, office number, house number is not, number to reach, number to call, number on file, call us at, calling from, called from, get me at, get me on, call my,
 ring me on, ring me at, phone me on, answering at, can call, voicemail at, caller id, pager, hotline, sms`
)
add(
  "phone_number",
  7,
  15,
  0.85,
  `my number is, my number's, my number, your number, his number, her number, their number, number is`,
  "generic"
)
add("phone_number", 3, 3, 0.85, `area code`, "extension")
add("phone_number", 2, 6, 0.85, `extension, ext`, "extension")
add(
  "account_number",
  4,
  20,
  0.93,
  `account number, account no, account #, acct number, acct, acct no, account id, account i d, account ending in, customer number, customer id, customer i d, customer no, customer account, member number, membership number, membership id, membership, member no,
 member id, member i d, loyalty number, loyalty card, rewards number, rewards card, frequent flyer number, frequent flyer, skymiles number, mileage plan number, client number, client id, policy number, policy no, policy, utility account, gym membership, library card number, library card, subscription number, subscription id, account reference,
 guest id, patron number, merchant id, account is, contract number, loan number, mortgage number, loan account number`
)
add("account_number", 5, 20, 0.75, `account`)
add(
  "bank_account",
  5,
  34,
  0.95,
  `routing number, routing, routing and account, aba number, aba, aba routing number, iban, i b a n, iban number, swift code, swift, bic, b i c, sort code, bank account number, bank account, bank account no, bank acct, checking account number, checking account, checking, checking number, savings account number,
 savings account, savings number, account and routing, transit number, institution number, direct deposit, wire transfer, wire, wire it to, bsb, bsb number, clabe, bank details`
)
add(
  "healthcare_number",
  4,
  20,
  0.95,
  `medical record number, medical record, medical records number, medical number, record number, mrn, m r n, health plan number, health plan id, health plan, health insurance number, health insurance id, health insurance, insurance id, insurance id number, insurance i d, insurance number, insurance member id, insurance policy number,
 insurance card, insurance card number, insurance, medicare number, medicare id, medicare, medicare beneficiary identifier, medicare card, medicaid number, medicaid id, medicaid, beneficiary number, beneficiary id, patient id, patient i d, patient number, patient account, chart number, group number, group id, rx bin, rx group, rx number, plan id, plan number, health id, health card number, health card,
 nhs number, n h s number, subscriber id, subscriber number, hospital number, hospital id, npi, npi number, n p i, health policy number, prescription number, member id on my insurance, id on my insurance card, blue cross, cigna, aetna, dea number`
)
add(
  "passport_number",
  6,
  12,
  0.95,
  `passport number, passport no, passport, passport card, passport id, passport book number`
)
add(
  "driver_license",
  4,
  20,
  0.95,
  `driver's license number, driver's license, drivers license number, drivers license, driver license number, driver license, driving licence number, driving licence, driving license, driver's licence, license number, licence number, dl number, dl, d l, dl #, d l number, state id, state id number, learner's permit, permit number, license no, license, licence, driver's, driver's license no`
)
add(
  "vehicle_id",
  2,
  20,
  0.95,
  `vin, vin number, v i n, v i n number, vehicle identification number, vehicle identification, vehicle id, chassis number, license plate number, license plate, license plates, licence plate, plate number, number plate, plate, plates, tag number, car registration, vehicle registration, registration number, registration plate, registration, reg number, reg plate, car reg, car's tag, tag is, plates are`
)
add(
  "password",
  3,
  14,
  0.93,
  `pin, pin number, p i n, pin code, pin is, passcode, pass code, access code, one time code, one-time code, otp, verification code, security pin, passphrase, password, six digit code, four digit code, voicemail code, unlock code, gate code, door code, alarm code, entry code, login code, authentication code, auth code, two factor code, code we texted, code i texted, code we sent, code i sent, combination, account pin, secret code, temporary code, debit pin, recovery code, backup code`
)
add("password", 3, 14, 0.8, `code is, the code`, "generic")
add("location", 4, 10, 0.9, `zip code, zip, zipcode, postal code, postcode, post code, area zip, eircode`, "zip")
add(
  "age",
  1,
  3,
  0.9,
  `my age is, his age is, her age is, age is, your age, how old are you, how old is he, how old is she, how old, age, aged, patient age, age of`
)
add(
  "dob",
  3,
  10,
  0.95,
  `date of birth, birth date, birthdate, birthday, birthday is, dob, d o b, d.o.b, born on, born, born in, when were you born, birth, day of birth, year of birth, birth year, month and day of birth, was born`
)
add(
  "numerical_pii",
  4,
  24,
  0.9,
  `tax id, tax i d, tax id number, tax identification number, taxpayer id, taxpayer identification, ein, e i n, employer identification number, tin, employee id, employee i d, employee number, employee no, badge number, badge id, badge, staff number, staff id, payroll number, student id, student number, student i d, national id, national id number, national identity, national insurance number, national insurance, ni number,
 visa number, green card number, green card, alien number, alien registration number, a number, uscis number, voter id, voter registration, military id, military service number, service number, imei, imei number, device id, device serial, serial number, id number, identification number, i d number, id card number, identity number, identity card, aadhaar, aadhaar number, pan number, claim number, claim id, docket number, inmate number,
 probation number, registration id, certificate number, license id, professional license number, reservation number, insurance claim, mac address, fingerprint id, sim number, meter number, parcel number, application number, application id, case id number, dod id, matriculation number, union number, national provider, personal number, personal id`
)
add("numerical_pii", 4, 24, 0.8, `id is, my id, your id, id`, "generic")
add(
  "money",
  2,
  9,
  0.7,
  `balance is, balance of, balance was, total is, total of, total comes to, total was, salary is, salary, salary of, income is, income of, annual income, income, i make, i earn, earning, payment of, payment is, charged me, charged, paid, fee of, fee is, price is, price of, costs, cost me, refund of, owe, owes, deposit of, credit limit, limit of, rent is, copay is, copay of, amount of, amount is, bill was, bill is, withdraw, transfer of, premium is, worth, amount due`
)
add(
  "nothing",
  1,
  24,
  0.95,
  `order number, order no, order id, order #, order, orders, purchase order, po number, ticket number, ticket, tracking number, tracking, tracking id, invoice number, invoice, confirmation number, confirmation code, confirmation, reference number, reference, ref number, ref, case number, case, support case, incident number, incident,
 flight number, flight, room number, room, floor, gate, seat, exit, route, highway, interstate, terminal, platform, bus, train, model number, model, part number, item number, item, sku, product code, product number, product id, product, error code, error, error number, version, promo code, coupon code, coupon, discount code, chapter, page, step, option, press, channel, bus number, line number, article, section, windows, iphone, galaxy, batch number, lot number, quantity, score, ratio, form, level, apollo, boeing, airbus, number of, count of, isbn, upc, barcode, build, build number, firmware, size, warehouse, aisle, shelf, area 51, request number, work order, service request, parcel tracking, catalog number, queue position, question, phase, episode, season, track, line, unit price, temperature, port, pages, extension cord`
)

const maxPhrase = 8

/** "my pin's" is a cue as "my pin" is. */
const step = (node: Node, word: string): Node | undefined =>
  node.next.get(word) ?? (word.endsWith("'s") ? node.next.get(word.slice(0, -2)) : undefined)

/** Every cue in a call, longest phrase first where several start at one word; none overlap. */
export const cuesOf = (call: CallText): ReadonlyArray<Cue> => {
  const { all } = call.tokens
  const cues: Array<Cue> = []
  for (let at = 0; at < all.length;) {
    let node = step(root, all[at]?.lower ?? "")
    if (node === undefined) {
      at++
      continue
    }
    let best: { readonly meaning: CueMeaning; readonly to: number } | undefined
    let to = at + 1
    for (let depth = 0; depth < maxPhrase; depth++) {
      if (node.meaning !== undefined) best = { meaning: node.meaning, to }
      const next: Node | undefined = step(node, all[to]?.lower ?? "")
      if (next === undefined) break
      node = next
      to++
    }
    if (best === undefined) at++
    else {
      if (best.meaning.strength > 0) {
        cues.push({
          ...best.meaning,
          from: at,
          to: best.to,
          phrase: all
            .slice(at, best.to)
            .map((token) => token.lower)
            .join(" ")
        })
      }
      at = best.to
    }
  }
  return cues
}

/** How many tokens before a value a cue may stand, and how many turns back. */
export const CUE_REACH = 32
export const CUE_TURNS = 4

/** The last cue that ends at or before a token, by binary search in reading order; -1 where none does. */
export const lastCueBefore = (cues: ReadonlyArray<Cue>, token: number): number => {
  let low = 0
  let high = cues.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((cues[middle]?.to ?? Infinity) <= token) low = middle + 1
    else high = middle
  }
  return low - 1
}

export interface Weighed {
  readonly cue: Cue
  /** Strength after distance, 0 to 1. */
  readonly weight: number
  readonly distance: number
  readonly side: "before" | "after"
}

const afterLinks = new Set(["is", "was", "as", "for", "that's", "'s", "being", "that"])

/**
 * The cue that decides about tokens `from` to `to`: the nearest before them within reach, or one just after them that
 * is tied to them ("... is my phone number", "... on the back"). A cue's word loses weight with distance. `accepts`
 * leaves out cues that cannot mean such a value.
 */
export const nearestCue = (
  call: CallText,
  cues: ReadonlyArray<Cue>,
  from: number,
  to: number,
  accepts: (cue: Cue) => boolean
): Weighed | undefined => {
  const { all } = call.tokens
  const turn = call.turnOf[from] ?? 0
  let before: Weighed | undefined
  for (let at = lastCueBefore(cues, from); at >= 0; at--) {
    const cue = cues[at]
    if (cue === undefined) break
    const distance = from - cue.to
    const turns = turn - (call.turnOf[cue.from] ?? 0)
    if (distance > CUE_REACH || turns > CUE_TURNS || isApart(call, cue.from, from)) break
    if (!accepts(cue)) continue
    // A question put by the other side in the turn before holds until it is answered.
    const asked = turns > 0 && speakerAt(call, cue.from) !== speakerAt(call, from)
    const fade = distance <= 4 ? 0 : (distance - 4) / (asked ? 120 : 70)
    const weighed: Weighed = { cue, distance, side: "before", weight: cue.strength * (1 - fade) }
    // "member id ... number is": what a bare "number" is the number of was said just before it.
    if (before !== undefined) {
      if (distance - before.distance <= 8 && cue.kind !== "generic" && turns <= 1) before = weighed
      break
    }
    before = weighed
    if (cue.kind !== "generic") break
  }
  for (let next = lastCueBefore(cues, from) + 1; next < cues.length; next++) {
    const cue = cues[next]
    if (cue === undefined || cue.from - to > 5 || call.turnOf[cue.from] !== call.turnOf[to - 1]) break
    if (cue.from < to || !accepts(cue)) continue
    let linked = cue.from === to
    for (let token = to; token < cue.from; token++) {
      const word = all[token]
      if (word === undefined || /^[.?!;]$/.test(word.text)) {
        linked = false
        break
      }
      if (afterLinks.has(word.lower)) linked = true
    }
    if (!linked) break
    const distance = cue.from - to + 3
    if (before === undefined || before.distance > distance || call.turnOf[before.cue.from] !== turn) {
      return { cue, distance, side: "after", weight: cue.strength * 0.9 }
    }
    break
  }
  return before
}
