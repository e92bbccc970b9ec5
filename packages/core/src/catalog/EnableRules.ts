import type * as Either from "effect/Either"
import {
  failIfFieldErrors,
  type FieldErrors,
  fieldError,
  mergeFieldErrors,
  noFieldErrors,
  Messages
} from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { PersonalityId } from "../kernel/Ids.js"
import { inputReader } from "../kernel/InputReader.js"
import { isPlainObject } from "../kernel/Json.js"
import { LanguageCode } from "./LanguageCode.js"

/** Which personalities a project is to enable. */
export interface EnableRequest {
  readonly personalities: "all" | ReadonlyArray<PersonalityId>
  /** Keeps those of this language alone; null for those of any. */
  readonly language: LanguageCode | null
}

/** What was asked, as far as it could be read: of several personalities those that are named by an id. */
export interface ParsedEnableRequest {
  readonly request: EnableRequest
  readonly errors: FieldErrors
}

/** The most personalities that one request may name. */
export const MAX_ENABLED_AT_ONCE = 1000

const FORMS = 'Name personalities by an id, a list of ids or of {id}, a comma-separated text of ids, or "all".'

const readId = (value: unknown): PersonalityId | undefined =>
  Fields.wellFormedIds(PersonalityId, [isPlainObject(value) ? value.id : value], 1)[0]

interface Named {
  readonly personalities: EnableRequest["personalities"]
  readonly faults: FieldErrors
}

const nobody = (...said: ReadonlyArray<string>): Named => ({
  personalities: [],
  faults: fieldError("personalities", ...said)
})

const readIds = (values: ReadonlyArray<unknown>): Named => {
  if (values.length === 0) return nobody(Messages.tooFew(1))
  if (values.length > MAX_ENABLED_AT_ONCE) return nobody(Messages.tooMany(MAX_ENABLED_AT_ONCE))
  const ids = values.map(readId)
  const faults = ids.flatMap((id, at) =>
    id === undefined ? [fieldError(`personalities[${at}]`, Messages.notAnInteger)] : []
  )
  return { personalities: [...new Set(ids.filter((id) => id !== undefined))], faults: mergeFieldErrors(...faults) }
}

const readJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const readPersonalities = (value: unknown): Named => {
  if (value === undefined) return nobody(Messages.required)
  if (value === null) return nobody(Messages.notNull)
  if (Array.isArray(value)) {
    // A form's one field arrives as a list of one, whatever stands in it.
    const only: unknown = value.length === 1 ? value[0] : undefined
    return typeof only === "string" ? readPersonalities(only) : readIds(value)
  }
  if (typeof value !== "string") {
    const id = readId(value)
    return id === undefined ? nobody(FORMS) : { personalities: [id], faults: noFieldErrors }
  }
  const text = value.trim()
  if (text === "") return nobody(Messages.notBlank)
  if (text === "all") return { personalities: "all", faults: noFieldErrors }
  // A form sends lists and objects as JSON text.
  if (text.startsWith("[") || text.startsWith("{")) {
    const json = readJson(text)
    return json === undefined ? nobody(FORMS) : readPersonalities(json)
  }
  const parts = text.split(",").map((part) => part.trim())
  return parts.every((part) => readId(part) !== undefined) ? readIds(parts) : nobody(FORMS)
}

const languageField = Fields.choiceOrNone(LanguageCode.literals)

const validatePersonalities = (value: unknown): Either.Either<EnableRequest["personalities"], FieldErrors> => {
  const { faults, personalities } = readPersonalities(value)
  return failIfFieldErrors(faults, () => personalities)
}

/** What E7's body looks like from outside; `readEnableRequest` is what reads it. */
export const EnableInput = Fields.object({
  personalities: Fields.custom(validatePersonalities, (value) => value, {
    anyOf: [{ type: "integer" }, { type: "string" }, { type: "array", items: {} }, { type: "object" }],
    description: FORMS
  }),
  language: Fields.optional(languageField)
})

/** Reads what a project is asked to enable, with every fault that shows without looking anything up. Source: interface E7, design section 3. */
export const parseEnableRequest = (input: unknown): ParsedEnableRequest => {
  const read = inputReader(input)
  const named = isPlainObject(input)
    ? readPersonalities(Object.hasOwn(input, "personalities") ? input.personalities : undefined)
    : { personalities: [], faults: noFieldErrors }
  const language = read.optional("language", languageField) ?? null
  return {
    request: { personalities: named.personalities, language },
    errors: mergeFieldErrors(named.faults, read.errors())
  }
}
