/** Values in answers, by what the question asks for. */
import { speakerAt } from "../../CallText.js"
import { lastCueBefore } from "../../Cues.js"
import { AGENT, type AnswerPlace, type Exchange } from "../../dialogue/Dialogue.js"
import { type Asked, mayBeOf, type Reading, unknownNumber } from "../../dialogue/Questions.js"
import { acknowledgements, fillers, functionWords, wordSet } from "../../Lexicon.js"
import { isNanp } from "../../Numbering.js"
import type { SensitiveField } from "../../SensitiveField.js"
import type { Candidate } from "../../TextSpan.js"
import { isCardNumber, isSsn, isVin } from "../../Validators.js"
import { nameParticles } from "../../WordLists.js"
import type { CallReader } from "../CallReader.js"
import { alsoReadings, CARD_FIGURES, furtherFields, mayBeAnyCard } from "../NumbersByCue.js"
import { bodyColors } from "../PhysicalAttributes.js"
import { around, type Content, contentsOf, givesNone, wholeAnswer } from "./Contents.js"
import {
  codeStretches,
  dateStretches,
  MAX_DATE_DIGITS,
  measureStretches,
  moneyStretches,
  numberStretches,
  spelledStretches,
  type Stretch,
  timeStretches
} from "./Stretches.js"

/** Score of an answer to a question: above any cue at a distance, below check digits of a form. */
const ANSWER = 0.975

/** Score of a harmless number that was asked for: above a form that proves little, below one with groups or check digits. */
const HARMLESS = 0.575

/** Fields by how much harm a leak does, for questions that ask for either of two. */
const sensitivity: ReadonlyArray<SensitiveField> = [
  "ssn",
  "credit_card",
  "bank_account",
  "password",
  "passport_number",
  "driver_license",
  "healthcare_number",
  "dob",
  "phone_number",
  "account_number",
  "numerical_pii",
  "vehicle_id"
]

/** Fields whose values are figures alone. */
const figuresOnly: ReadonlySet<string> = new Set(["phone_number", "ssn", "credit_card", "age", "ip_address", "nothing"])

const charsIn = (stretches: ReadonlyArray<Stretch>): string => stretches.map(({ chars }) => chars).join("")

const isValid = (field: string, chars: string): boolean => {
  switch (field) {
    case "credit_card":
      return isCardNumber(chars)
    case "ssn":
      return isSsn(chars)
    case "phone_number":
      return isNanp(chars)
    case "vehicle_id":
      return isVin(chars)
    default:
      return false
  }
}

const rankOf = (field: string): number => {
  if (field === "nothing") return sensitivity.length + 1
  const rank = sensitivity.findIndex((one) => one === field)
  return rank < 0 ? sensitivity.length : rank
}

/**
 * Which of the things that were asked for the answer is: one whose length and check digits fit, otherwise the most
 * sensitive one. Words that name a number only beside others ("account", "id") come last.
 */
const chosen = (asked: ReadonlyArray<Asked>, values: ReadonlyArray<string>): Asked | undefined => {
  const some = asked.filter(({ max, min }) => values.some(({ length }) => length >= min && length <= max))
  // Two values without a break are longer than either.
  const isLonger = asked.length > 1 && values.some(({ length }) => asked.every(({ max }) => length > max))
  const fits = some.length === 0 && isLonger ? asked : some
  const valid = fits.find(({ field }) => values.some((value) => isValid(field, value)))
  if (valid !== undefined) return valid
  return [...fits].sort((a, b) => Number(a.isWeak) - Number(b.isWeak) || rankOf(a.field) - rankOf(b.field))[0]
}

const candidateOf = (reader: CallReader, asked: Asked, { from, to }: { from: number; to: number }, score: number) =>
  reader.candidate(asked.field, from, to, score, `answers "${asked.phrase}"`)

/** What was answered as a whole, by speaker, and in the longest stretch. */
const valuesOf = (reader: CallReader, stretches: ReadonlyArray<Stretch>): ReadonlyArray<string> => {
  const together = new Map<string, string>()
  for (const one of stretches) {
    const speaker = speakerAt(reader.call, one.from)
    together.set(speaker, (together.get(speaker) ?? "") + one.chars)
  }
  return [...stretches.map(({ chars }) => chars), ...together.values()]
}

/** Fewest parts of a code that is said part by part, and least length of one that is written. */
const BARE_PARTS = 4
const BARE_LENGTH = 5

/** Whether figures are counted up or are one figure again and again. */
const isCounting = (digits: string): boolean => "123456789".startsWith(digits) || /^(\d)\1*$/.test(digits)

/** Whether all that was answered is one code, said digit by digit or written: no amount, year or count. */
const isBareCode = (
  reader: CallReader,
  answers: ReadonlyArray<AnswerPlace>,
  stretches: ReadonlyArray<Stretch>
): boolean => {
  const own = answers.find(({ byAsker }) => !byAsker)
  const [code] = stretches
  if (own === undefined || code === undefined || code.turn !== own.turn) return false
  const run = reader.runFrom(code.from)
  const digits = code.chars.replace(/\D/g, "")
  const isSpelledOut = run !== undefined && run.pieces.filter(({ spoken }) => spoken).length >= BARE_PARTS
  const isWritten = run !== undefined && !run.spoken && digits.length >= BARE_LENGTH
  // "one two three four five", "one one one one"
  if (isCounting(digits) && digits.length === code.chars.length) return false
  // "b d five one s m r": a plate has few figures.
  const isMixed = digits.length > 1 && code.chars.length >= BARE_LENGTH
  if (!(digits.length > 2 || isMixed) || !(isSpelledOut || isWritten)) return false
  return !anyToken(own.from, own.end, (at) => {
    const isInside = stretches.some(({ from, to }) => from <= at && at < to)
    return !isInside && /[\p{L}\p{N}]/u.test(reader.written(at)) && !isTalk(reader, at)
  })
}

/** Whether a word says nothing: "yeah it's", "um", "so that's". */
const isTalk = (reader: CallReader, at: number): boolean =>
  fillers.has(reader.word(at)) ||
  acknowledgements.has(reader.word(at)) ||
  /^(it's|it|is|that's|says|reads)$/.test(reader.word(at))

/** Least letters of a code that is of no payment card. */
const MIN_LETTERS = 2

/** What is asked for by "the number on the card" where its answer is a code with letters: a number of any card. */
const ofOtherCards = (
  reader: CallReader,
  answers: ReadonlyArray<AnswerPlace>,
  asked: ReadonlyArray<Asked>
): ReadonlyArray<Asked> => {
  if (!asked.some(mayBeAnyCard)) return asked
  const chars = charsIn(
    answers.filter(({ byAsker }) => !byAsker).flatMap((place) => codeStretches(reader, place, true, false))
  )
  const letters = chars.replace(/\d/g, "").length
  return letters < MIN_LETTERS || chars.length - letters >= CARD_FIGURES || letters === chars.length
    ? asked
    : asked.map((one) => (mayBeAnyCard(one) ? { ...one, ...unknownNumber } : one))
}

/** Digits, letters and check digits decide which of the numbers that were asked for is answered. */
const codes = (
  reader: CallReader,
  { answers, asked: all }: Exchange,
  phrases: ReadonlyArray<Asked>
): ReadonlyArray<Candidate> => {
  const asked = ofOtherCards(reader, answers, phrases)
  const letters = asked.some(({ field }) => !figuresOnly.has(field))
  const stretches = answers.flatMap((place) => codeStretches(reader, place, letters, asked.length > 1))
  const values = valuesOf(reader, stretches)
  const longest = values.reduce((most, value) => (value.length > most.length ? value : most), "")
  const one = chosen(asked, values)
  if (one?.isUnnamed === true && !isBareCode(reader, answers, stretches)) return []
  if (one === undefined || !/\d/.test(charsIn(stretches)) === (one.field !== "vehicle_id")) return []
  // Where a date was asked for as well, figures behind a month or beside a whole number are of the date.
  const withDate = all.some(({ reads }) => reads === "date")
  // "the phone and the date of birth": two values without a break may both be anywhere in what is said.
  const dates = all.filter(({ reads }) => reads === "date")
  const isOne =
    stretches.length === 1 &&
    all.length > 1 &&
    charsIn(stretches).length > MAX_DATE_DIGITS &&
    !answers.some((place) => hasOther(reader, place, stretches))
  const isWhole = stretches.some(({ chars }) => isValid(one.field, chars))
  return stretches
    .filter(
      ({ chars, from }) => !withDate || !(/^[Mm]$/.test(reader.cls(from - 1)) || (isWhole && chars.length < one.min))
    )
    .filter(({ chars }) => !(isCardNumber(chars) && one.field !== "credit_card") && !isVin(chars))
    .flatMap((stretch) =>
      readingsOf(isOne ? [...asked, ...dates] : asked, one, stretch.chars, isOne).flatMap((reading, at) => {
        const score = (reading.field === "nothing" ? HARMLESS : ANSWER) - at * SCORE_STEP
        const answer = { ...candidateOf(reader, reading, stretch, score), isNamed: reading.isNamed === true }
        const further = furtherFields(reading, longest.length)
        return [
          answer,
          ...alsoReadings(
            reading.isOfAnyKind === true
              ? further.filter((field) => mayBeOf(field, longest) || mayBeOf(field, stretch.chars))
              : further,
            answer
          )
        ]
      })
    )
}

/** Whether a date, or a value that is redacted by now, stands beside what was answered. */
const hasOther = (reader: CallReader, place: AnswerPlace, codeParts: ReadonlyArray<Stretch>): boolean =>
  anyToken(place.from, place.to, (at) => reader.cls(at) === "P") ||
  dateStretches(reader, place).some((date) => codeParts.every((code) => isApartFrom(code, date)))

const isApartFrom = (a: Stretch, b: Stretch): boolean => a.to <= b.from || b.to <= a.from

/** By how much the score of each further reading of an answer is below that of the one before. */
const SCORE_STEP = 0.001

/**
 * What a part of an answer may be of what was asked for, the likeliest first: all that it is long enough for, and only those
 * that pass their check where one does.
 */
const readingsOf = (asked: ReadonlyArray<Asked>, whole: Asked, chars: string, isOne: boolean): ReadonlyArray<Asked> => {
  if (asked.length === 1 || whole.field === "nothing") return [whole]
  const fitting = asked.filter(
    ({ field, max, min }) =>
      field !== "nothing" && field !== whole.field && (isOne || (chars.length >= min && chars.length <= max))
  )
  if (isOne) return [whole, ...fitting]
  const valid = [whole, ...fitting].filter(({ field }) => isValid(field, chars))
  return valid.length > 0 ? valid : [whole, ...fitting]
}

/** Whether figures and months may be a date where one is expected. */
const isDate = (reader: CallReader, { from, to, chars }: Stretch, asked: Asked): boolean => {
  if (asked.field === "dob" || asked.field === "credit_card") return true
  for (let at = from; at < to; at++) if (/^[FsMmX/]$/.test(reader.cls(at))) return true
  return to - from > 1 || /^(19|20)\d\d$|^\d{6,8}$/.test(chars) || asked.phrase.includes("year")
}

const present = (one: Asked | undefined): one is Asked => one !== undefined

/** Answers of one way to be read: stretches of figures and the like. */
const measured = (
  reader: CallReader,
  { answers }: Exchange,
  asked: Asked | undefined,
  read: (reader: CallReader, place: AnswerPlace) => ReadonlyArray<Stretch>,
  accepts: (stretch: Stretch, all: ReadonlyArray<Stretch>) => boolean = () => true
): ReadonlyArray<Candidate> =>
  asked === undefined
    ? []
    : answers
        .flatMap((place) => read(reader, place))
        .filter((one, _, all) => accepts(one, all))
        .flatMap((stretch) => {
          const answer = candidateOf(reader, asked, stretch, ANSWER)
          const ofCard: ReadonlyArray<SensitiveField> =
            mayExpire(reader, asked, stretch) && reader.isNearCard(stretch.turn) ? ["credit_card"] : []
          return [answer, ...alsoReadings([...(asked.also ?? []), ...ofCard], answer)]
        })

/** Whether what answers a question for a date may be a month and a year: it has no day. */
const mayExpire = (reader: CallReader, asked: Asked, { from, to }: Stretch): boolean =>
  asked.reads.endsWith("date") && !anyToken(from, to, (at) => /^[FTs]$/.test(reader.cls(at)))

const particles: ReadonlySet<string> = new Set([...nameParticles, "dr", "doctor", "mr", "mrs", "ms", "st"])
const placeWords = wordSet(
  "of the city street st apartment apt unit north south east west saint new fort port upper lower"
)
const addressWords = wordSet("at dot underscore dash hyphen point period plus")
const noExtra: ReadonlySet<string> = new Set()

const isKnownName = (reader: CallReader, at: number): boolean => {
  const word = reader.word(at).replace(/'s$/, "")
  return reader.isIn("firstNames", word) || reader.isIn("lastNames", word)
}

const isCommonWord = (reader: CallReader, at: number): boolean =>
  functionWords.has(reader.word(at)) ||
  reader.isIn("common1", reader.word(at)) ||
  reader.isIn("common2", reader.word(at))

/** Whether any word of a stretch may be what was asked for rather than talk. */
const anyToken = (from: number, to: number, test: (at: number) => boolean): boolean => {
  for (let at = from; at < to; at++) if (test(at)) return true
  return false
}

type Accepts = (reader: CallReader, from: number, to: number) => boolean

const isName: Accepts = (reader, from, to) =>
  to - from <= 5 &&
  anyToken(from, to, (at) => {
    if (reader.cls(at) !== "w" && reader.cls(at) !== "m") return false
    const isCapital = reader.isCapitalized(at) && reader.isCapitalized(at + 1 < to ? at + 1 : at)
    return isKnownName(reader, at)
      ? !reader.isIn("common1", reader.word(at)) || reader.isCapitalized(at)
      : !isCommonWord(reader, at) || (isCapital && at > from)
  })

/** Least ordinal that is the name of a street rather than one of a few: "fulton and ninth". */
const STREET = 4

const isPlace: Accepts = (reader, from, to) =>
  (to - from === 1 && reader.cls(from) === "F" && reader.value(from) >= STREET) ||
  reader.isIn("places", reader.phrase(from, to)) ||
  anyToken(from, to, (at) => reader.cls(at) === "w" && !isCommonWord(reader, at)) ||
  (anyToken(from, to, (at) => /^[dtyzNXh]$/.test(reader.cls(at))) && to - from >= 3)

/** Whether an answer to a question of no list is a file or a web address: it has a sign of one. */
const hasSigns: Accepts = (reader, from, to) =>
  anyToken(from, to, (at) => /^(?:dot|underscore|slash|dash|hyphen|[._/@-])$/.test(reader.word(at)))

const isAddress: Accepts = (reader, from, to) =>
  anyToken(from, to, (at) => /^(@|at|dot|underscore|gmail|yahoo|hotmail|outlook|icloud)$/.test(reader.word(at))) ||
  anyToken(from, to, (at) => reader.cls(at) === "w" && !isCommonWord(reader, at))

const isAny: Accepts = (reader, from, to) =>
  to - from <= 8 && anyToken(from, to, (at) => /\p{L}/u.test(reader.written(at)))
const isLook: Accepts = (reader, from, to) =>
  to - from <= 4 && anyToken(from, to, (at) => bodyColors.has(reader.word(at)))
const isFew: Accepts = (reader, from, to) =>
  to - from <= 3 && anyToken(from, to, (at) => reader.cls(at) === "w" && !reader.isIn("common1", reader.word(at)))

const genderWords = wordSet(
  "straight gay bi man woman male female boy girl lady guy trans queer lesbian ace pan nonbinary they he she"
)
const isGender: Accepts = (reader, from, to) =>
  anyToken(from, to, (at) => genderWords.has(reader.word(at))) || isFew(reader, from, to)

/** How answers in words are read: what belongs to them, and what they have to be. */
const wordReadings: Partial<
  Readonly<Record<Reading, readonly [extra: ReadonlySet<string>, accepts: Accepts, score: number]>>
> = {
  name: [particles, isName, 0.92],
  spelling: [particles, isName, 0.8],
  place: [placeWords, isPlace, 0.93],
  email: [addressWords, isAddress, 0.96]
}

/** How answers in words of a field are read, where it is not like names of jobs and origins. */
const byFields: Partial<
  Readonly<Record<string, readonly [extra: ReadonlySet<string>, accepts: Accepts, score: number]>>
> = {
  username: [addressWords, isAny, 0.93],
  gender_sexuality: [noExtra, isGender, 0.915],
  physical_attribute: [noExtra, isLook, 0.915]
}

const LONG = 14

/**
 * The parts of an answer in words: what the other side says until it says something long. Read-backs repeat values, which
 * are found again without this.
 */
const wordAnswers = (answers: ReadonlyArray<AnswerPlace>): ReadonlyArray<AnswerPlace> => {
  const own = answers.filter(({ byAsker }) => !byAsker)
  const long = own.findIndex(({ from, end }) => end - from > LONG)
  return long < 0 ? own : own.slice(0, long === 0 ? 1 : long)
}

/** Most tokens of an answer that is a user name with small words in it: "rain or shine". */
const MAX_USER_NAME = 5

/** Words that end an answer and belong to no user name. */
const USER_NAME_EDGE = /^(please|thanks|all|one|word|i|think|yeah|yes|okay|ok)$/

/** What is said of a user name that is not known: "that one i can't remember". */
const UNKNOWING = /^(?:can['’]t|cannot|couldn['’]t|don['’]t|forgot|forget|forgotten)$/

/** A short answer to a question for a user name as a whole: "big daddy forty two", "mountain goat underscore seven". */
const wholeUserName = (reader: CallReader, place: AnswerPlace): ReadonlyArray<Content> => {
  let { from } = place
  let to = place.end
  while (
    from < to &&
    (around.has(reader.word(from)) || /^[,.]$/.test(reader.written(from)) || fillers.has(reader.word(from)))
  )
    from++
  while (to > from && (USER_NAME_EDGE.test(reader.word(to - 1)) || /^[n.,?!]$/.test(reader.cls(to - 1)))) to--
  const isName =
    to > from &&
    to - from <= MAX_USER_NAME_PARTS &&
    !anyToken(
      from,
      to,
      (at) =>
        /^[nP.,?!]$/.test(reader.cls(at)) ||
        /^(i|i'm|you|we|not|don't|no|sorry|know|what|have|do|can|forgot|was|were|am|are)$/.test(reader.word(at))
    )
  return isName ? [{ from, to }] : []
}

/** Most tokens of a user name, with signs and figures. */
const MAX_USER_NAME_PARTS = 7

/** Small words inside a place or a description: "hay on wye", "the co-op in burford", "bald with a big beard". */
const INSIDE =
  /^(?:on|upon|under|le|les|by|sur|am|of|the|in|at|a|an|with|near|off|past|just|opposite|behind|above|from|to|my|'s|-)$/
const COMMA = /^,$/

/** Most tokens between two parts of an answer that belong together. */
const MAX_INSIDE = 4

type Join = (all: ReadonlyArray<Content>, next: Content) => ReadonlyArray<Content>

const apart: Join = (all, next) => [...all, next]

/** Joins parts with nothing but words of `isInside` between them. */
const joinedOver =
  (isInside: (at: number) => boolean, most: number): Join =>
  (all, next) => {
    const last = all[all.length - 1]
    if (last === undefined || next.from - last.to > most) return [...all, next]
    for (let at = last.to; at < next.from; at++) if (!isInside(at)) return [...all, next]
    return [...all.slice(0, -1), { from: last.from, to: next.to }]
  }

/** How the parts of an answer go together: over small words inside a place, an address, a description or a user name. */
const joining = (reader: CallReader, asked: Asked, place: AnswerPlace): Join => {
  const isUserName = asked.field === "username" && place.end - place.from <= MAX_USER_NAME
  if (asked.reads === "place") return joinedOver((at) => INSIDE.test(reader.word(at)), MAX_INSIDE)
  if (asked.reads === "words" && !isUserName)
    return joinedOver((at) => INSIDE.test(reader.word(at)) || COMMA.test(reader.written(at)), MAX_INSIDE)
  if (asked.reads !== "email" && !isUserName) return apart
  return (all, next) =>
    isUserName || /^(?:at|dot|underscore|dash)$/.test(reader.word(next.from))
      ? joinedOver((at) => reader.cls(at) !== "P" && functionWords.has(reader.word(at)), 1)(all, next)
      : [...all, next]
}

/** "the isle of lewis", "a beard": a place or a feature with its article. */
const withArticle = (reader: CallReader, asked: Asked, place: AnswerPlace, content: Content): Content =>
  (asked.reads === "place" || asked.field === "physical_attribute") &&
  content.from > place.from &&
  /^(?:the|a|an)$/.test(reader.word(content.from - 1))
    ? { ...content, from: content.from - 1 }
    : content

/** Most words of an answer that is the value whatever they are. */
const MAX_WHOLE = 2

/** Whether words are all of the answer, fillers aside: "what do they call you" - "skip". */
const isWholeAnswer = (reader: CallReader, place: AnswerPlace, { from, to }: Content): boolean =>
  !place.byAsker &&
  to - from <= MAX_WHOLE &&
  !anyToken(from, to, (at) => reader.cls(at) !== "w") &&
  !anyToken(place.from, place.end, (at) => (at < from || at >= to) && !fillers.has(reader.word(at)))

/** Fewest figures, letters and signs of a secret that is a code. */
const LEAST_SIGNS = 2

/** Most tokens of an answer that is a secret in words. */
const MAX_SECRET = 10

/** Whether an answer of a caller may be a secret: anything for a password, figures and letters for a code that was sent. */
const isSecret = (reader: CallReader, { phrase }: Asked, place: AnswerPlace, { from, to }: Content): boolean => {
  if (speakerAt(reader.call, from) === AGENT || reader.word(from - 1) === "no") return false
  let signs = 0
  if (anyToken(from, to, (at) => UNKNOWING.test(reader.word(at)))) return false
  for (let at = from; at < to; at++)
    if (/^[dtyzoxNXL]$/.test(reader.cls(at)) || /^(?:hash|star|pound)$/.test(reader.word(at))) signs++
  return signs >= LEAST_SIGNS || (phrase !== "the code" && place.end - place.from <= MAX_SECRET)
}

/** What else an answer in words may be: somebody who is asked for a name also says where they are. */
const namesAndPlaces: Readonly<Partial<Record<Reading, ReadonlyArray<SensitiveField>>>> = {
  name: ["person_name", "location", "username"],
  place: ["location", "person_name", "origin"],
  email: ["email_address", "url", "username", "filename"],
  words: ["person_name", "location"]
}

/** The first answer, if nothing of it is redacted; only it may be anything, what is said after it may be of something else. */
const firstAnswer = (reader: CallReader, [first]: ReadonlyArray<AnswerPlace>): AnswerPlace | undefined =>
  first === undefined || anyToken(first.from, first.end, (at) => reader.cls(at) === "P") ? undefined : first

const COPULA = /^(?:is|are|was|were)$/

/**
 * An answer without the words behind it that name another value: "john smith social is ...", "it says the ip is ...". Some phrases
 * that name one end in "is".
 */
const withoutNext = (reader: CallReader, content: Content): ReadonlyArray<Content> => {
  const { from, to } = content
  const cue = COPULA.test(reader.word(to)) ? reader.cues[lastCueBefore(reader.cues, to + 1)] : undefined
  if (cue === undefined || cue.from < from || cue.to < to) return [content]
  let end = cue.from
  while (end > from && functionWords.has(reader.word(end - 1))) end--
  return end > from ? [{ from, to: end }] : []
}

/** Whether words of an answer are what was asked for. */
const isAnswer = (
  reader: CallReader,
  asked: Asked,
  place: AnswerPlace,
  content: Content,
  accepts: Accepts,
  isFirst: boolean
): boolean => {
  const { from, to } = content
  if (asked.field === "password") return isFirst && isSecret(reader, asked, place, content)
  if (accepts(reader, from, to)) return true
  if (asked.reads === "words") return isFirst && isAny(reader, from, to)
  const isKnown = (): boolean => asked.isGuessed !== true || anyToken(from, to, (at) => isKnownName(reader, at))
  return asked.reads === "name" && isWholeAnswer(reader, place, content) && isKnown()
}

/** Whether figures, letters or signs are said in an answer: "is it b forty two". */
const hasCode = (reader: CallReader, { end, from }: AnswerPlace): boolean =>
  anyToken(from, end, (at) => /^[dtyzoxNXL]$/.test(reader.cls(at)) && reader.word(at) !== "i")

/** Answers in words: names, places, addresses, user names. */
const inWords = (reader: CallReader, { answers }: Exchange, asked: Asked): ReadonlyArray<Candidate> => {
  const byField = byFields[asked.field] ?? ([noExtra, isFew, 0.915] as const)
  const [extra, acceptsAny, score] = wordReadings[asked.reads] ?? byField
  const accepts = asked.isGuessed === true && /^(?:filename|url)$/.test(asked.field) ? hasSigns : acceptsAny
  const places = wordAnswers(answers)
  const first = firstAnswer(reader, places)
  const partsOf = (place: AnswerPlace): ReadonlyArray<Content> => {
    const mayBeAnything = asked.reads === "words" || asked.field === "username"
    if (mayBeAnything && givesNone(reader, place.from, place.end) && !hasCode(reader, place)) return []
    if (asked.field === "username" && anyToken(place.from, place.end, (at) => UNKNOWING.test(reader.word(at))))
      return []
    const whole =
      asked.field === "username" && !place.byAsker
        ? wholeUserName(reader, place)
        : asked.reads === "words" && place === first
          ? wholeAnswer(reader, place)
          : []
    return whole.length > 0 ? whole : contentsOf(reader, { ...place, to: place.end }, extra)
  }
  return places.flatMap((place) =>
    partsOf(place)
      .reduce<ReadonlyArray<Content>>(joining(reader, asked, place), [])
      .flatMap((content) => withoutNext(reader, content))
      .filter((content) => isAnswer(reader, asked, place, content, accepts, place === first))
      .flatMap((content) => {
        const one = candidateOf(reader, asked, withArticle(reader, asked, place, content), score)
        const also = asked.field === "medical_professional" ? [] : (namesAndPlaces[asked.reads] ?? [])
        return [one, ...alsoReadings(also, one)]
      })
  )
}

/** A name that is spelled: at least two letters in all. */
const spelledOut = (reader: CallReader, exchange: Exchange, asked: Asked): ReadonlyArray<Candidate> => {
  const stretches = exchange.answers.flatMap((place) => spelledStretches(reader, place))
  if (
    charsIn(stretches).length < 2 ||
    !stretches.some(({ from }) => reader.cls(from) === "L" || reader.cls(from + 1) === "L")
  )
    return []
  return stretches.map((stretch) => candidateOf(reader, asked, stretch, 0.9))
}

/** What the answers of an exchange say of what was asked for. */
export const inExchange = (reader: CallReader, exchange: Exchange): ReadonlyArray<Candidate> => {
  const asking = (...readings: ReadonlyArray<Reading>): ReadonlyArray<Asked> =>
    exchange.asked.filter(({ reads }) => readings.includes(reads))
  const dates = asking("date", "more date")
  // "good through what date": a date of something is more than a date.
  const date = dates.find(({ field }) => field === "dob") ?? dates.find(({ field }) => field !== "date") ?? dates[0]
  return [
    ...codes(reader, exchange, asking("code")),
    ...measured(
      reader,
      exchange,
      date,
      dateStretches,
      (_, all) => date !== undefined && all.some((one) => isDate(reader, one, date))
    ),
    ...measured(reader, exchange, asking("time")[0], timeStretches),
    ...measured(reader, exchange, asking("number")[0], numberStretches, ({ chars }) => Number(chars) <= 120),
    ...measured(reader, exchange, asking("measure")[0], measureStretches),
    ...measured(reader, exchange, asking("money")[0], moneyStretches),
    ...asking("spelling")
      .slice(0, 1)
      // "spell the part before the at": letters of what else is asked for
      .flatMap((one) =>
        spelledOut(reader, exchange, { ...one, field: asking("email", "place")[0]?.field ?? one.field })
      ),
    ...[
      ...[asking("name")[0], asking("spelling")[0], asking("place")[0], asking("email")[0], ...asking("words")],
      // "what's the password" - "bluebottle forty two"
      ...asking("code")
        .filter(({ field }) => field === "password")
        .slice(0, 1)
        .map((one) => ({ ...one, reads: "words" as const }))
    ]
      .filter(present)
      .flatMap((one) => inWords(reader, exchange, one))
  ]
}
