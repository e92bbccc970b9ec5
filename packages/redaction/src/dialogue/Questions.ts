import * as Schema from "effect/Schema"
import questionGroups from "../data/questions.json" with { type: "json" }
import type { AskedKind } from "../asked/Kinds.js"
import type { Cue } from "../Cues.js"
import { functionWords, wordSet } from "../Lexicon.js"
import { phraseTrie } from "../PhraseTrie.js"
import { SensitiveField } from "../SensitiveField.js"
import type { Token } from "../Tokens.js"

/** How the answer to a question is read. */
const Reading = Schema.Literal(
  "code",
  "date",
  "more date",
  "time",
  "number",
  "measure",
  "money",
  "name",
  "spelling",
  "place",
  "email",
  "words"
)
export type Reading = typeof Reading.Type

/** Something that is asked for: a field, how its answer is read, and how many letters and digits the answer has. */
export interface Asked {
  readonly field: SensitiveField | "nothing"
  readonly reads: Reading
  readonly min: number
  readonly max: number
  readonly phrase: string
  /** Says little alone: "account", "id". */
  readonly isWeak: boolean
  /** Asked for by a name that no other field has. */
  readonly isNamed?: boolean
  /** A number of a kind that no list has: it is only what its length allows it to be. */
  readonly isOfAnyKind?: boolean
  /** Asked for in words that name no value: only an answer that is nothing else than a code of some length is one. */
  readonly isUnnamed?: boolean
  /** Told by the words of the whole question, none of which is on a list. */
  readonly isGuessed?: boolean
  /** What it may be as well (see Cues.ts). */
  readonly also?: ReadonlyArray<SensitiveField> | undefined
  /** Tokens of the phrase that asks, `to` exclusive. */
  readonly from: number
  readonly to: number
}

const Group = Schema.Struct({
  field: Schema.Union(SensitiveField, Schema.Literal("nothing")),
  reads: Reading,
  phrases: Schema.Array(Schema.String),
  /** Asks for it only in a turn of a few words: "name and number". */
  isShort: Schema.optional(Schema.Boolean)
})

type Meaning = Pick<typeof Group.Type, "field" | "reads" | "isShort">

const phrases = phraseTrie<Meaning>()
for (const { field, isShort, phrases: all, reads } of Schema.decodeUnknownSync(Schema.Array(Group))(questionGroups))
  for (const phrase of all) phrases.add(phrase.split(" "), { field, reads, isShort })

/** "and the last four": more of what was asked for before. */
const MORE = wordSet("two three four five six 2 3 4 5 6 digits numbers letters characters bit part half group")

const PART = wordSet("last final first second other remaining next")

/** "in the last three months" asks for no part of a value. */
const PERIOD = /^(minutes?|hours?|days?|nights?|weeks?|months?|years?|times|calls?|visits?|orders?)$/

/** Fewest letters and digits of the answer to a question for a number that may be of any length: "badge number?" */
const MIN_ANSWER = 3

/** A number of a kind that no list has, "avios number", "pan card number": any of those that identify a person. */
export const unknownNumber = {
  field: "numerical_pii",
  min: MIN_ANSWER,
  max: 34,
  isOfAnyKind: true,
  also: [
    ...(["account_number", "ssn", "healthcare_number", "bank_account", "driver_license"] as const),
    ...(["passport_number", "vehicle_id", "phone_number", "credit_card", "dob", "date"] as const)
  ]
} as const

/** Fewest and most letters and digits of values, so that a number of an unknown kind counts only for fields that it may be of. */
const lengths: ReadonlyMap<SensitiveField, readonly [min: number, max: number]> = new Map([
  ["ssn", [9, 12]],
  ["credit_card", [12, 19]],
  ["phone_number", [7, 15]],
  ["bank_account", [6, 34]],
  ["passport_number", [6, 12]],
  ["driver_license", [6, 20]]
])

/** Fewest figures of a vehicle's number that has no letters. */
const VEHICLE_FIGURES = 6

/** Most figures of the code on a card's back, and of its last figures. */
const CARD_PART = 4

/** As many figures as a date has, some of them without a 0. */
const DATE_FIGURES = /^\d{3,8}$/

/** Whether what a question of no list asks for may be of a field by the letters and digits of the answer. */
export const mayBeOf = (field: SensitiveField, chars: string): boolean => {
  if (field === "vehicle_id") return chars.length >= VEHICLE_FIGURES || /\p{L}/u.test(chars)
  if (field === "credit_card" && chars.length <= CARD_PART) return true
  if (field === "dob" || field === "date") return DATE_FIGURES.test(chars.replace(/\D/g, ""))
  const [min, max] = lengths.get(field) ?? [0, Infinity]
  return chars.length >= min && chars.length <= max
}

/** What a number is called whatever it is the number of. */
const numberNouns =
  wordSet(`number numbers no num ref digit digits code codes id ids reference identifier identification figure figures registration
 license plate tag badge credential credentials passcode`)

const hasNumberNoun = (all: ReadonlyArray<Token>, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) if (numberNouns.has(all[at]?.lower ?? "")) return true
  return false
}

/** What shows or has numbers of its own, and what is no identifier: "what does the meter say", "what was the mileage". */
const ofThings =
  wordSet(`machine printer dishwasher washer dryer oven stove fridge freezer boiler furnace heater thermostat meter gauge odometer
 dial engine display appliance footage acreage bid bids figure figures`)

/** "what was the mileage", but not "your mileage number", which an airline gives out */
const isMileage = (all: ReadonlyArray<Token>, at: number): boolean =>
  all[at]?.lower === "mileage" && !numberNouns.has(all[at + 1]?.lower ?? "")

/** What is said of a number that is known, "are the numbers right", rather than asked for. */
const QUALITY = /^(?:right|correct|ok|okay|fine|good|wrong|same|matching|match|work|working)$/
const VERB_FIRST = /^(?:is|are|was|were|does|do|did|has|have)$/

/** Whether tokens are about a number of a thing, a quantity, or whether a number is right: none of a person is asked for. */
export const isOfThing = (all: ReadonlyArray<Token>, from: number, to: number): boolean => {
  const opensWithVerb = VERB_FIRST.test(all[from]?.lower ?? "")
  for (let at = from; at < to; at++) {
    const word = all[at]?.lower ?? ""
    if (ofThings.has(word) || isMileage(all, at)) return true
    if (!numberNouns.has(word)) continue
    if (OTHER_CODE.has(all[at - 1]?.lower ?? "") || (opensWithVerb && QUALITY.test(all[at + 1]?.lower ?? "")))
      return true
  }
  return false
}

/** "and the little code", "what's your tenant id": a question that names no number of a list, but one of a person. */
const unlistedNumber = (all: ReadonlyArray<Token>, from: number, to: number): Asked | undefined => {
  for (let at = to - 1; at >= from; at--) {
    const phrase = all[at]?.lower ?? ""
    // "the code of the building"
    const isOther = all[at + 1]?.cls === "f"
    if (numberNouns.has(phrase) && all[at]?.cls === "w" && !isOther && !isOfThing(all, from, to))
      return { ...unknownNumber, reads: "code", phrase, isWeak: true, from: at, to: at + 1 }
  }
  return undefined
}

const notKinds =
  wordSet(`good best better right correct same new old current other another second first alternate direct next
 different main local full whole entire last own a the your his her their that this and or with call what which any by`)

/** What a question asks for that names nothing known, "what's printed along the top": any number of a person. */
export const unnamedNumber = (from: number, to: number): Asked => ({
  ...unknownNumber,
  reads: "code",
  min: MIN_UNNAMED,
  phrase: "what no list has",
  isWeak: true,
  isUnnamed: true,
  from,
  to
})

/** How the answer to a question of no list is read, by what it asks for. */
const guessedReadings: Readonly<Partial<Record<AskedKind, readonly [SensitiveField, ...ReadonlyArray<Reading>]>>> = {
  expiry: ["credit_card", "date"],
  secret: ["password", "words"],
  ip_address: ["ip_address", "code"],
  url: ["url", "email"],
  filename: ["filename", "email"],
  username: ["username", "words"],
  email_address: ["email_address", "email"],
  person_name: ["person_name", "name", "spelling"],
  medical_professional: ["medical_professional", "name"],
  location: ["location", "place"],
  postcode: ["location", "code", "place"],
  dob: ["dob", "date"],
  date: ["date", "date"],
  time: ["time", "time"],
  age: ["age", "number"],
  money: ["money", "money"],
  occupation: ["occupation", "words"],
  origin: ["origin", "words"],
  gender_sexuality: ["gender_sexuality", "words"],
  physical_attribute: ["physical_attribute", "measure", "words"],
  event: ["event", "words"]
}

/** What a question of no list most likely asks for; a number of a person where it asks for a number of any kind. */
export const guessed = (kind: AskedKind, from: number, to: number): ReadonlyArray<Asked> => {
  if (kind === "nothing") return []
  const [field, ...readings] = guessedReadings[kind] ?? []
  if (field === undefined) return [unnamedNumber(from, to)]
  const one = { field, min: 1, max: 34, phrase: "what no list has", isWeak: true, isGuessed: true, from, to }
  return readings.map((reads) => ({ ...one, reads }))
}

/** Fewest letters and digits of a code that answers a question which names none. */
const MIN_UNNAMED = 4

/** Whether a word before "number" says what kind of number it is. */
const isKind = (token: Token | undefined): boolean =>
  token !== undefined && /^[wL]$/.test(token.cls) && !notKinds.has(token.lower) && !functionWords.has(token.lower)

/** What a word before "number" says that nobody's number is asked for: "warranty number". */
const ofNobody = { field: "nothing", min: 1, max: 34 } as const

/** Whether a short question is for a number of an unknown kind. */
const isUnknownKind = (all: ReadonlyArray<Token>, from: number, { from: at, phrase }: Asked): boolean =>
  phrase === "number" && at > from && isKind(all[at - 1])

/** Most tokens of a question that is a word alone: "year?", "and the month". */
const MAX_WORD = 3
/** Most tokens of a turn in which the name of something asks for it: "name and number please". */
const MAX_SHORT = 6

const readingOf = ({ field, kind }: Cue): Reading => {
  if (kind === "expiry") return "date"
  switch (field) {
    case "dob":
      return "date"
    case "age":
      return "number"
    case "money":
      return "money"
    default:
      return "code"
  }
}

const anyLength: ReadonlySet<string> = new Set(["numerical_pii", "account_number", "healthcare_number"])

/** Least strength of a phrase that asks for a number of one field and no other. */
const NAMES = 0.93

const ofCue = (cue: Cue): Asked => ({
  field: cue.field,
  reads: readingOf(cue),
  min: cue.kind === "expiry" || cue.field === "age" ? 1 : anyLength.has(cue.field) ? MIN_ANSWER : cue.min,
  max: cue.kind === "expiry" ? 8 : cue.max,
  phrase: cue.phrase,
  isWeak: cue.kind === "generic" || cue.strength < 0.8,
  isNamed: cue.kind === "plain" && cue.strength >= NAMES && cue.also === undefined,
  also: cue.also,
  from: cue.from,
  to: cue.to
})

/** Whether a phrase is a part of a cue: the "number" of "order number". */
const isInCue = (cues: ReadonlyArray<Cue>, from: number, to: number): boolean =>
  cues.some((cue) => cue.from < to && from < cue.to)

const SENDING = wordSet(
  "text texted texting sent send sending emailed email messaged message phone mobile screen app received"
)
/** Behind which also a number is a code: "I just pushed a six digit number to your phone". */
const SENT = /^(texted|sent|emailed|messaged|pushed)$/
/** "the six figures in the text" */
const MESSAGE = /^(text|message|sms|email|mail|notification)$/
const IN_MESSAGE = /^(?:in|from|on|inside) (?:the|that|our|your|a|this)$/
const NUMBER = /^(number|numbers|digits|figures)$/
const OTHER_CODE = wordSet(
  "zip post postal promo coupon discount error area dress country product color bar qr source part batch lot stock warranty order ticket tracking"
)

/** Whether a token names a code that was sent; behind "texted" and the like also a number is one. */
const isCode = (all: ReadonlyArray<Token>, at: number, wasSent: boolean): boolean => {
  const word = all[at]?.lower ?? ""
  const isNamed = word === "code" || word === "passcode" || (wasSent && /^(number|digits)$/.test(word))
  return isNamed && !OTHER_CODE.has(all[at - 1]?.lower ?? "")
}

/** Where a number of a message is asked for, "the six figures in the text"; -1 where none is. */
const numberInMessage = (all: ReadonlyArray<Token>, from: number, to: number): number => {
  let number = -1
  for (let at = from; at < to; at++) {
    const word = all[at]?.lower ?? ""
    if (NUMBER.test(word)) number = at
    if (number < 0 || !MESSAGE.test(word)) continue
    if (IN_MESSAGE.test(`${all[at - 2]?.lower ?? ""} ${all[at - 1]?.lower ?? ""}`)) return number
  }
  return -1
}

/** "I've texted you a code, could you read it out": a code that was sent is a password. */
const sentCode = (
  all: ReadonlyArray<Token>,
  from: number,
  to: number,
  found: ReadonlyArray<Asked>
): Asked | undefined => {
  let sent = -1
  let isSent = false
  let wasSent = false
  for (let at = from; at < to; at++) {
    const word = all[at]?.lower ?? ""
    isSent ||= SENDING.has(word)
    wasSent ||= SENT.test(word)
    if (isCode(all, at, wasSent)) sent = at
  }
  const code = sent >= 0 && isSent ? sent : numberInMessage(all, from, to)
  const isNamed = found.some((one) => one.from <= code && code < one.to)
  return code < 0 || isNamed
    ? undefined
    : { field: "password", reads: "code", min: 4, max: 10, phrase: "the code", isWeak: false, from: code, to: code + 1 }
}

const FROM_PEOPLE = /(?:family|family's|parents|originally) from$|^from originally$|\bborn$/

/** Whether a turn is about signing in: "log in", "sign you in", "login". */
const signsIn = (all: ReadonlyArray<Token>, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) {
    const word = all[at]?.lower ?? ""
    const isVerb = /^(?:log|logs|logged|logging|sign|signs|signed|signing)$/.test(word)
    if (/^(?:login|signin|online)$/.test(word)) return true
    if (isVerb && (all[at + 1]?.lower === "in" || all[at + 2]?.lower === "in")) return true
  }
  return false
}

/** What else a phrase may ask for. */
const furtherReadings = (all: ReadonlyArray<Token>, from: number, to: number, one: Asked): ReadonlyArray<Asked> => {
  const { phrase, reads } = one
  // "when do you close": a day or an hour.
  if (reads === "date" && phrase.startsWith("when")) return [{ ...one, field: "time", reads: "time" }]
  // "where are your parents from": a place or what they are.
  if (reads === "place" && FROM_PEOPLE.test(phrase)) return [{ ...one, field: "origin", reads: "words" }]
  // "what name do you log in with": a person's or a user's.
  return reads === "name" && signsIn(all, from, to) ? [{ ...one, field: "username", reads: "words" }] : []
}

/** Everything that tokens `from` to `to` ask for, in reading order. `cues` are those of the same tokens. */
export const questionsIn = (
  all: ReadonlyArray<Token>,
  from: number,
  to: number,
  cues: ReadonlyArray<Cue>
): ReadonlyArray<Asked> => {
  const found: Array<Asked> = cues.map(ofCue)
  for (let at = from; at < to; at++) {
    const hit = phrases.longestAt(all, at)
    if (hit === undefined || hit.to > to) continue
    if (hit.value.isShort === true && (to - from > MAX_SHORT || isInCue(cues, at, hit.to))) continue
    const phrase = all
      .slice(at, hit.to)
      .map(({ lower }) => lower)
      .join(" ")
    const [min, max] = hit.value.field === "phone_number" ? [7, 15] : [1, 34]
    const { field, reads } = hit.value
    const one = { field, reads, min, max, phrase, isWeak: false, from: at, to: hit.to }
    const ofKind = isOfThing(all, at - 1, hit.to) ? ofNobody : unknownNumber
    found.push(isUnknownKind(all, from, one) ? { ...one, ...ofKind } : one)
    found.push(...furtherReadings(all, from, to, one))
    at = hit.to - 1
  }
  // Most turns have no such word, and looking for one costs less than the rest.
  if (hasNumberNoun(all, from, to)) {
    const sent = sentCode(all, from, to, found)
    if (sent !== undefined) found.push(sent)
    const unlisted = found.length === 0 ? unlistedNumber(all, from, to) : undefined
    if (unlisted !== undefined) found.push(unlisted)
  }
  for (let at = from; found.length === 0 && to - from <= MAX_WORD && at < to; at++) {
    const phrase = all[at]?.lower ?? ""
    if (/^(year|month|day)$/.test(phrase))
      found.push({ field: "date", reads: "more date", min: 1, max: 34, phrase, isWeak: false, from: at, to: at + 1 })
  }
  return found.sort((a, b) => a.from - b.from)
}

/** "and the last four", "and the rest": whether a turn asks for more of the same value. */
export const asksForMore = (all: ReadonlyArray<Token>, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) {
    const word = all[at]?.lower ?? ""
    const next = all[at + 1]?.lower ?? ""
    const isPart = PART.has(word) && at + 1 < to && MORE.has(next)
    if (isPart && !PERIOD.test(all[at + 2]?.lower ?? "")) return true
    if (word === "middle" && /^(the|that)$/.test(all[at - 1]?.lower ?? "") && at + 1 === to) return true
    if (word === "rest" || word === "remainder" || word === "others") return true
  }
  return false
}
