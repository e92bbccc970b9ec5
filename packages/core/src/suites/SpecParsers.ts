/** Parsers of the values in a spec. Each adds field errors to one collector and returns undefined for an invalid value. */
import type { FieldErrorCollector } from "../kernel/FieldErrorCollector.js"
import { Messages } from "../kernel/FieldErrors.js"
import { closestName } from "../kernel/ClosestName.js"
import { isPlainObject } from "../kernel/Json.js"
import { isWithin } from "../kernel/Text.js"
import { MAX_KEY_IN_ERROR, type Placed, type Reference, SuiteLimits } from "./Suite.js"

/** Parses the value at a path; undefined where it is invalid, which an error under that path then says. */
export type Parser<A> = (value: unknown, path: string) => A | undefined

/** The fields of one object of a spec. A field that is left out is undefined. */
export interface ObjectFields {
  readonly has: (name: string) => boolean
  readonly path: (name: string) => string
  readonly optional: <A>(name: string, parse: Parser<A>) => A | undefined
  /** As `optional`; leaving the field out is an error. */
  readonly required: <A>(name: string, parse: Parser<A>) => A | undefined
}

/** How many unknown keys of one object are reported. */
const MAX_UNKNOWN_KEYS = 20

const NAME_OR_ID = "Expected a name or an id."

const isId = (value: unknown): value is number => typeof value === "number" && Number.isSafeInteger(value) && value > 0

const textErrorOf = (value: unknown, max: number, isBlankAllowed: boolean): string | undefined => {
  if (value === null) return Messages.notNull
  if (typeof value !== "string") return Messages.notAString
  if (!isWithin(max, value)) return Messages.tooLong(max)
  return isBlankAllowed || value.trim() !== "" ? undefined : Messages.notBlank
}

const choiceErrorOf = (value: unknown, words: ReadonlyArray<string>): string => {
  if (value === null) return Messages.notNull
  const closest = typeof value === "string" ? closestName(value, words) : undefined
  const message = Messages.notAChoice(value)
  return closest === undefined ? message : `${message.slice(0, -1)}; did you mean "${closest}"?`
}

export const specParsers = (errors: FieldErrorCollector) => {
  const addUnknownKeys = (value: object, path: (name: string) => string, known: ReadonlyArray<string>): void => {
    let reported = 0
    for (const key of Object.keys(value)) {
      // "__proto__" is reported with what no JSON may have; no record of errors can have it as a key.
      if (known.includes(key) || key === "__proto__" || reported++ >= MAX_UNKNOWN_KEYS) continue
      const closest = closestName(key, known)
      errors.add(
        path(key.slice(0, MAX_KEY_IN_ERROR)),
        closest === undefined ? Messages.unknownField : `Unknown field; did you mean "${closest}"?`
      )
    }
  }

  /** An object with these keys and no others. */
  const object =
    (known: ReadonlyArray<string>): Parser<ObjectFields> =>
    (value, at) => {
      if (!isPlainObject(value)) {
        errors.add(at, value === null ? Messages.notNull : Messages.notAnObject)
        return undefined
      }
      const path = (name: string) => (at === "" ? name : `${at}.${name}`)
      addUnknownKeys(value, path, known)
      const has = (name: string) => Object.hasOwn(value, name) && value[name] !== undefined
      const optional: ObjectFields["optional"] = (name, parse) =>
        has(name) ? parse(value[name], path(name)) : undefined
      return {
        has,
        path,
        optional,
        required: (name, parse) => {
          if (!has(name)) errors.add(path(name), Messages.required)
          return optional(name, parse)
        }
      }
    }

  const text =
    (max: number, blank: "blank allowed" | "not blank" = "not blank"): Parser<string> =>
    (value, path) => {
      const error = textErrorOf(value, max, blank === "blank allowed")
      if (error === undefined && typeof value === "string") return value
      errors.add(path, error ?? Messages.notAString)
      return undefined
    }

  /** A JSON number, whole and from 1. Unlike the fields of other inputs, no text: a spec is always JSON. */
  const integer =
    (max: number): Parser<number> =>
    (value, path) => {
      if (typeof value !== "number" || !Number.isSafeInteger(value)) {
        errors.add(path, value === null ? Messages.notNull : Messages.notAnInteger)
        return undefined
      }
      if (value >= 1 && value <= max) return value
      errors.add(path, value < 1 ? Messages.tooSmall(1) : Messages.tooLarge(max))
      return undefined
    }

  const choice =
    <Word extends string>(words: ReadonlyArray<Word>): Parser<Word> =>
    (value, path) => {
      const word = words.find((one) => one === value)
      if (word === undefined) errors.add(path, choiceErrorOf(value, words))
      return word
    }

  const nullable =
    <A>(parse: Parser<A>): Parser<A | null> =>
    (value, path) =>
      value === null ? null : parse(value, path)

  /** The items of a list, each with its path; no more than `max`. */
  const items = (value: unknown, path: string, max: number): ReadonlyArray<readonly [item: unknown, path: string]> => {
    if (!Array.isArray(value)) {
      errors.add(path, value === null ? Messages.notNull : Messages.notAList)
      return []
    }
    if (value.length > max) errors.add(path, Messages.tooMany(max))
    return value.slice(0, max).map((item: unknown, position) => [item, `${path}[${position}]`])
  }

  const reference =
    <Id extends number>(make: (id: number) => Id): Parser<Reference<Id>> =>
    (value, path) => {
      if (isId(value)) return { by: "id", id: make(value) }
      if (typeof value === "string") {
        const name = text(SuiteLimits.name)(value, path)
        return name === undefined ? undefined : { by: "name", name }
      }
      errors.add(
        path,
        value === null ? Messages.notNull : typeof value === "number" ? Messages.notAnInteger : NAME_OR_ID
      )
      return undefined
    }

  /** Names and ids, none of them twice. */
  const references =
    <Id extends number>(max: number, make: (id: number) => Id): Parser<ReadonlyArray<Placed<Reference<Id>>>> =>
    (value, path) => {
      const seen = new Set<unknown>()
      return items(value, path, max).flatMap(([item, itemPath], position) => {
        if (seen.has(item)) {
          errors.add(itemPath, "This is given more than once.")
          return []
        }
        seen.add(item)
        const parsed = reference(make)(item, itemPath)
        return parsed === undefined ? [] : [{ position, value: parsed }]
      })
    }

  return { object, text, integer, choice, nullable, items, reference, references }
}

export type SpecParsers = ReturnType<typeof specParsers>
