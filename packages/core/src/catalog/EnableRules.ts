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
import { ANY_OBJECT, isPlainObject } from "../kernel/Json.js"
import { LanguageCode } from "./LanguageCode.js"

/** Which personalities to enable in a project. */
export interface EnableRequest {
  readonly personalities: "all" | ReadonlyArray<PersonalityId>
  /** Enables only those of this language; null for all languages. */
  readonly language: LanguageCode | null
}

/** The request as far as it could be parsed: of several personalities, those given by a valid id. */
export interface ParsedEnableRequest {
  readonly request: EnableRequest
  readonly errors: FieldErrors
}

/** The most personalities that one request may name. */
const MAX_ENABLED_AT_ONCE = 1000

const FORMS = 'Expected an id, a list of ids or of {id}, a comma-separated text of ids, or "all".'

const parseId = (value: unknown): PersonalityId | undefined =>
  Fields.wellFormedIds(PersonalityId, [isPlainObject(value) ? value.id : value], 1)[0]

interface ParsedPersonalities {
  readonly personalities: EnableRequest["personalities"]
  readonly errors: FieldErrors
}

const invalid = (...messages: ReadonlyArray<string>): ParsedPersonalities => ({
  personalities: [],
  errors: fieldError("personalities", ...messages)
})

const parseIds = (values: ReadonlyArray<unknown>): ParsedPersonalities => {
  if (values.length === 0) return invalid(Messages.tooFew(1))
  if (values.length > MAX_ENABLED_AT_ONCE) return invalid(Messages.tooMany(MAX_ENABLED_AT_ONCE))
  const ids = values.map(parseId)
  const errors = ids.flatMap((id, at) =>
    id === undefined ? [fieldError(`personalities[${at}]`, Messages.notAnInteger)] : []
  )
  return { personalities: [...new Set(ids.filter((id) => id !== undefined))], errors: mergeFieldErrors(...errors) }
}

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const parsePersonalities = (value: unknown): ParsedPersonalities => {
  if (value === undefined) return invalid(Messages.required)
  if (value === null) return invalid(Messages.notNull)
  if (Array.isArray(value)) {
    // A form field arrives as a list of one item.
    const only: unknown = value.length === 1 ? value[0] : undefined
    return typeof only === "string" ? parsePersonalities(only) : parseIds(value)
  }
  if (typeof value !== "string") {
    const id = parseId(value)
    return id === undefined ? invalid(FORMS) : { personalities: [id], errors: noFieldErrors }
  }
  const text = value.trim()
  if (text === "") return invalid(Messages.notBlank)
  if (text === "all") return { personalities: "all", errors: noFieldErrors }
  // A form sends lists and objects as JSON text.
  if (text.startsWith("[") || text.startsWith("{")) {
    const json = parseJson(text)
    return json === undefined ? invalid(FORMS) : parsePersonalities(json)
  }
  const parts = text.split(",").map((part) => part.trim())
  return parts.every((part) => parseId(part) !== undefined) ? parseIds(parts) : invalid(FORMS)
}

const languageField = Fields.choiceOrNone(LanguageCode.literals)

const validatePersonalities = (value: unknown): Either.Either<EnableRequest["personalities"], FieldErrors> => {
  const { errors, personalities } = parsePersonalities(value)
  return failIfFieldErrors(errors, () => personalities)
}

type PersonalityReference = number | string | { readonly id: number | string }

/** The forms in which personalities are named (`FORMS`). */
type PersonalitiesInput = PersonalityReference | ReadonlyArray<PersonalityReference>

/** The schema of E7's body; `parseEnableRequest` parses it. */
export const EnableInput = Fields.object({
  personalities: Fields.custom<EnableRequest["personalities"], PersonalitiesInput>(
    validatePersonalities,
    (value) => value,
    {
      anyOf: [{ type: "integer" }, { type: "string" }, { type: "array", items: {} }, ANY_OBJECT],
      description: FORMS
    }
  ),
  language: Fields.optional(languageField)
})

/** Parses a request to enable personalities, with every error that shows without a lookup. Source: interface E7, design section 3. */
export const parseEnableRequest = (input: unknown): ParsedEnableRequest => {
  const read = inputReader(input)
  const named = isPlainObject(input)
    ? parsePersonalities(Object.hasOwn(input, "personalities") ? input.personalities : undefined)
    : { personalities: [], errors: noFieldErrors }
  const language = read.optional("language", languageField) ?? null
  return {
    request: { personalities: named.personalities, language },
    errors: mergeFieldErrors(named.errors, read.errors())
  }
}
