import { isInternational, isNanp, isNational } from "../Numbering.js"
import type { SensitiveField } from "../SensitiveField.js"
import type { Run } from "../SpokenNumbers.js"
import { type Candidate, candidate } from "../TextSpan.js"
import { hasVinShape, isAbaRouting, isCardNumber, isSsn, isVin } from "../Validators.js"
import type { CallReader } from "./CallReader.js"

/** A run with what its forms are told by. */
interface Form {
  readonly run: Run
  /** Figures alone. */
  readonly isDigits: boolean
  /** Lengths of the parts as they were given: "402", "77", "1234" is 3-2-4. */
  readonly groups: string
  readonly hasPlus: boolean
  /** An article stands before it, as before the name of a model: "an r f two fifty". */
  readonly isThing: boolean
  readonly found: (field: SensitiveField, score: number, ...evidence: ReadonlyArray<string>) => Candidate
  /** The same of what nothing but its length tells. */
  readonly guess: (field: SensitiveField, score: number, evidence: string) => Candidate
}

/** A run's place in the text, with the bracket or plus it opens with. */
export const placeOf = (reader: CallReader, run: Run): readonly [start: number, end: number] => {
  let from = run.from
  if (reader.written(from - 1) === "(" && run.joints.includes("(")) from--
  if (/^(?:[+#]|plus)$/.test(reader.written(from - 1))) from--
  return [reader.start(from), reader.end(run.to)]
}

const groupsOf = (run: Run): string => {
  const groups: Array<number> = []
  run.pieces.forEach((piece, index) => {
    const joint = run.joints[index] ?? ""
    const last = groups.length - 1
    const breaks = joint !== "" && (joint !== " " || !piece.spoken)
    if (index === 0 || breaks) groups.push(piece.chars.length)
    else groups[last] = (groups[last] ?? 0) + piece.chars.length
  })
  return groups.join("-")
}

/** "a f one fifty": the article and the name of a model. */
const MODEL = /^A[A-Z]\d+$/

const formOf = (reader: CallReader, run: Run): Form => {
  const [start, end] = placeOf(reader, run)
  return {
    run,
    isDigits: run.digits === run.chars.length,
    groups: groupsOf(run),
    hasPlus: reader.written(run.from - 1) === "+",
    isThing: /^an?$/.test(reader.word(run.from - 1)) || MODEL.test(run.chars),
    found: (field, score, ...evidence) => candidate(field, start, end, score, ...evidence),
    guess: (field, score, evidence) => ({ ...candidate(field, start, end, score, evidence), isGuess: true })
  }
}

type FormRule = (form: Form) => Candidate | undefined

const creditCard: FormRule = ({ found, isDigits, run: { chars } }) =>
  isDigits && chars.length >= 13 && chars.length <= 19 && isCardNumber(chars)
    ? found("credit_card", 0.93, "payment card length", "check digit: Luhn")
    : undefined

const socialSecurityNumber: FormRule = ({ found, groups, isDigits, run }) =>
  isDigits && run.chars.length === 9 && groups === "3-2-4" && isSsn(run.chars)
    ? found("ssn", run.spoken ? 0.7 : 0.85, "given as 3-2-4", "a range that is given out")
    : undefined

/** Nine figures in a row may be one: the most sensitive reading of what nothing explains, beside likelier ones. */
const plainSocialSecurityNumber: FormRule = ({ found, groups, isDigits, run }) =>
  isDigits && run.chars.length === 9 && groups !== "3-2-4" && isSsn(run.chars)
    ? found("ssn", 0.505, "nine digits", "a range that is given out")
    : undefined

const CARD = /^3\d{14}$|^[3-6]\d{15}$/

/** Figures as long as a phone number of some country. */
const plainPhoneNumber: FormRule = ({ guess, isDigits, run: { chars, pieces, spoken } }) =>
  isDigits && (spoken || pieces.length === 1) && chars.length >= 9 && chars.length <= 15
    ? guess("phone_number", 0.502, "as long as a phone number")
    : undefined

/** "b t nine five e q": the form of a British postal code. */
const POSTCODE = /^(?:[A-PR-UWYZ]\d[A-HJKPSTUW\d]?|[A-PR-UWYZ][A-HK-Y]\d[ABEHMNPRVWXY\d]?)\d[ABD-HJLNP-UW-Z]{2}$/

const postcode: FormRule = ({ found, run: { chars, pieces } }) =>
  pieces.length > 2 && POSTCODE.test(chars) ? found("location", 0.56, "form of a postal code") : undefined

/** As many figures as a card has, which a caller or a recognizer of speech may have got wrong. */
const plainCreditCard: FormRule = ({ found, isDigits, run: { chars } }) =>
  isDigits && CARD.test(chars) && !isCardNumber(chars) ? found("credit_card", 0.505, "payment card length") : undefined

const northAmerican = ({ found, groups, hasPlus, run: { chars } }: Form): Candidate => {
  if (/^(1-)?3-3-4$|^(1-)?3-7$|^(1-)?3-3-2-2$|^6-4$/.test(groups))
    return found("phone_number", 0.8, `given as ${groups}`, "North American numbering plan")
  return hasPlus
    ? found("phone_number", 0.85, "international form")
    : found("phone_number", chars.length === 10 ? 0.56 : 0.52, "North American numbering plan")
}

/** A number of a country where a 0 leads to other areas: "oh one six one four nine six oh three four nine". */
const TRUNK = /^0[1-9]\d{8,9}$/

const phoneNumber: FormRule = (form) => {
  const { found, groups, hasPlus, isDigits, run } = form
  if (!isDigits) return undefined
  if (isNanp(run.chars)) return northAmerican(form)
  const { length } = run.chars
  if (hasPlus && length >= 8 && length <= 15 && isInternational(run.chars))
    return found("phone_number", 0.9, "international form")
  if (run.spoken) return TRUNK.test(run.chars) ? found("phone_number", 0.53, "a trunk prefix and a number") : undefined
  if (groups.includes("-") && isNational(run.chars))
    return found("phone_number", 0.62, `given as ${groups}`, "national form")
  return groups === "3-4" && run.joints[1] === "-" ? found("phone_number", 0.6, "given as 3-4") : undefined
}

const vehicleId: FormRule = ({ found, run: { chars, pieces } }) => {
  // A card's number and a letter beside it may pass for one.
  if (!hasVinShape(chars) || isCardNumber(chars.replace(/\D/g, ""))) return undefined
  if (isVin(chars)) return found("vehicle_id", 0.95, "vehicle number shape", "check digit: VIN")
  return pieces.length === 1 ? found("vehicle_id", 0.65, "vehicle number shape") : undefined
}

/** Fewest figures of a number that nothing explains, and of one that is given figure by figure in speech. */
const LONG = 9
const LONG_SPOKEN = 7

const isLong = ({ chars, pieces }: Run): boolean =>
  chars.length >= LONG ||
  (chars.length >= LONG_SPOKEN && pieces.every((piece) => piece.spoken && piece.chars.length === 1))

const longNumber: FormRule = ({ guess, isDigits, run }) =>
  isDigits && isLong(run) && run.chars.length <= 34
    ? guess("numerical_pii", 0.51, "a long number that nothing explains")
    : undefined

/** Fewest figures beside one letter of a spelled code: "s one one oh four nine seven six". */
const MANY_FIGURES = 6

const spelledCode: FormRule = ({ guess, isDigits, isThing, run: { chars, digits, pieces, spoken } }) =>
  !isDigits &&
  !isThing &&
  spoken &&
  digits >= 2 &&
  (chars.length - digits >= 2 || digits >= MANY_FIGURES) &&
  chars.length >= 5 &&
  pieces.length >= 4
    ? guess("numerical_pii", 0.52, "a spelled code that nothing explains")
    : undefined

const routingNumber: FormRule = ({ found, isDigits, run: { chars } }) =>
  isDigits && chars.length === 9 && isAbaRouting(chars) ? found("bank_account", 0.515, "check digit: ABA") : undefined

const present = (one: Candidate | undefined): one is Candidate => one !== undefined

const ofCode: ReadonlyArray<SensitiveField> = [
  ...(["account_number", "healthcare_number", "driver_license"] as const),
  ...(["passport_number", "vehicle_id", "ssn"] as const)
]
const ofFigures: ReadonlyArray<SensitiveField> = ["phone_number", "account_number", "bank_account", "healthcare_number"]

/** What a number that nothing explains may be, for those who request these fields alone. */
const alsoOf = (one: Candidate, { isDigits }: Form): ReadonlyArray<Candidate> =>
  (isDigits ? ofFigures : ofCode).map((field) => ({ ...one, field, score: 0.5, isAlso: true }))

/** What a run is by its form alone: groups, length, check digits. */
export const byForm = (reader: CallReader, run: Run): ReadonlyArray<Candidate> => {
  const form = formOf(reader, run)
  const explained = [creditCard, socialSecurityNumber, phoneNumber, vehicleId, postcode]
    .map((rule) => rule(form))
    .filter(present)
  const others = [
    ...(explained.length === 0 ? [longNumber] : []),
    plainSocialSecurityNumber,
    ...(explained.length === 0 ? [plainPhoneNumber] : []),
    plainCreditCard,
    spelledCode,
    routingNumber
  ]
  return [...explained, ...others.map((rule) => rule(form)).filter(present)].flatMap((one) =>
    one.field === "numerical_pii" ? [one, ...alsoOf(one, form)] : [one]
  )
}

/** Least score of a form that harmless words beside it do not explain away: groups of a telephone plan, check digits, a plus. */
const PROVEN = 0.7

/** Whether a run passes a check digit, has the groups of a social security or phone number, or an international prefix. */
export const hasProvenForm = (reader: CallReader, run: Run): boolean =>
  byForm(reader, run).some(({ field, score }) => field !== "vehicle_id" && score >= PROVEN)
