import * as Either from "effect/Either"
import { type Faults, fault, mergeFaults, noFaults, Said } from "../kernel/Faults.js"
import * as Fields from "../kernel/Fields.js"
import { PersonalityId } from "../kernel/Ids.js"
import { isPlainObject } from "../kernel/Json.js"
import { LanguageCode } from "./Language.js"

/** Which personalities a project is to enable. */
export interface EnableRequest {
  readonly personalities: "all" | ReadonlyArray<PersonalityId>
  /** Keeps those of this language alone; null for those of any. */
  readonly language: LanguageCode | null
}

/** The most personalities that one request may name. */
export const MAX_ENABLED_AT_ONCE = 1000

const FORMS = 'Name personalities by an id, a list of ids or of {id}, a comma-separated text of ids, or "all".'

const readId = (value: unknown): PersonalityId | undefined => {
  const plain = isPlainObject(value) ? value.id : value
  const number = typeof plain === "string" && /^\d{1,16}$/.test(plain.trim()) ? Number(plain) : plain
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0
    ? PersonalityId.make(number)
    : undefined
}

const readIds = (values: ReadonlyArray<unknown>): Either.Either<ReadonlyArray<PersonalityId>, Faults> => {
  if (values.length === 0) return Either.left(fault("personalities", Said.tooFew(1)))
  if (values.length > MAX_ENABLED_AT_ONCE) return Either.left(fault("personalities", Said.tooMany(MAX_ENABLED_AT_ONCE)))
  const ids = values.map(readId)
  const faults = ids.flatMap((id, at) => (id === undefined ? [fault(`personalities[${at}]`, Said.notAnInteger)] : []))
  return faults.length > 0
    ? Either.left(mergeFaults(...faults))
    : Either.right([...new Set(ids.filter((id) => id !== undefined))])
}

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const readPersonalities = (value: unknown): Either.Either<EnableRequest["personalities"], Faults> => {
  if (value === undefined) return Either.left(fault("personalities", Said.required))
  if (value === null) return Either.left(fault("personalities", Said.notNull))
  if (Array.isArray(value)) {
    // A form's one field arrives as a list of one, whatever stands in it.
    const only: unknown = value.length === 1 ? value[0] : undefined
    return typeof only === "string" ? readPersonalities(only) : readIds(value)
  }
  if (typeof value !== "string") {
    const id = readId(value)
    return id === undefined ? Either.left(fault("personalities", FORMS)) : Either.right([id])
  }
  const text = value.trim()
  if (text === "") return Either.left(fault("personalities", Said.notBlank))
  if (text === "all") return Either.right("all")
  // A form sends lists and objects as JSON text.
  if (text.startsWith("[") || text.startsWith("{")) {
    const json = readJson(text)
    return json === undefined ? Either.left(fault("personalities", FORMS)) : readPersonalities(json)
  }
  const parts = text.split(",").map((part) => part.trim())
  return parts.every((part) => readId(part) !== undefined) ? readIds(parts) : Either.left(fault("personalities", FORMS))
}

const languageField = Fields.choiceOrNone(LanguageCode.literals)

/** What E7's body looks like from outside; `readEnableRequest` is what reads it. */
export const EnableInput = Fields.object({
  personalities: Fields.judged(readPersonalities, (value) => value, {
    anyOf: [{ type: "integer" }, { type: "string" }, { type: "array", items: {} }, { type: "object" }],
    description: FORMS
  }),
  language: Fields.optional(languageField)
})

/** Reads what a project is asked to enable; every fault at once. Source: interface E7, design section 3. */
export const readEnableRequest = (input: unknown): Either.Either<EnableRequest, Faults> => {
  if (!isPlainObject(input)) {
    return Either.left(fault("non_field_errors", input === null ? Said.notNull : Said.notAnObject))
  }
  const personalities = readPersonalities(Object.hasOwn(input, "personalities") ? input.personalities : undefined)
  const given = Object.hasOwn(input, "language") ? input.language : null
  const language = given === null || given === undefined || given === "" ? null : given
  const known = LanguageCode.literals.find((code) => code === language)
  const languageFaults = language === null || known !== undefined ? noFaults : fault("language", Said.notAChoice(given))
  if (Either.isLeft(personalities)) return Either.left(mergeFaults(personalities.left, languageFaults))
  return languageFaults === noFaults
    ? Either.right({ personalities: personalities.right, language: known ?? null })
    : Either.left(languageFaults)
}
