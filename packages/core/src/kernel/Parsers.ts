/**
 * Parsers that collect errors, for inputs that Effect Schema alone does not suit: an invalid part must not stop the rest
 * from being parsed, since it is looked up in storage or reported with a position. Each parser adds its errors to one
 * collector and returns undefined for an invalid value. `schema` makes a parser of a Schema field.
 */
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { closestName } from "./ClosestName.js"
import type { FieldErrorCollector } from "./FieldErrorCollector.js"
import { decode, Messages } from "./FieldErrors.js"
import { isPlainObject } from "./Json.js"
import { isWithin, textError } from "./Text.js"

/** Parses the value at a path; undefined where it is invalid, which an error under that path then says. */
export type Parser<A> = (value: unknown, path: string) => A | undefined

/** The fields of one object. A field that is left out is undefined. */
export interface ObjectFields {
  readonly has: (name: string) => boolean
  readonly path: (name: string) => string
  readonly optional: <A>(name: string, parse: Parser<A>) => A | undefined
  /** As `optional`; leaving the field out is an error. */
  readonly required: <A>(name: string, parse: Parser<A>) => A | undefined
}

/** How unknown keys are reported: errors must not repeat a hostile body. */
export interface UnknownKeyLimits {
  /** Unknown keys reported per object. */
  readonly keys: number
  /** The longest key in a path. */
  readonly length: number
  /** What stands in for a longer key: its beginning, or the path of the object. */
  readonly longer: "truncate" | "report object"
}

const DEFAULT_LIMITS: UnknownKeyLimits = { keys: 20, length: 100, longer: "truncate" }

const childPath = (path: string, name: string): string => (path === "" ? name : `${path}.${name}`)

const textErrorOf = (value: unknown, max: number, isBlankAllowed: boolean): string | undefined => {
  if (value === null) return Messages.notNull
  if (typeof value !== "string") return Messages.notAString
  if (!isWithin(max, value)) return Messages.tooLong(max)
  return isBlankAllowed || value.trim() !== "" ? undefined : Messages.notBlank
}

const choiceErrorOf = (value: unknown, words: ReadonlyArray<string>): string => {
  if (value === null) return Messages.notNull
  const closest = typeof value === "string" ? closestName(value, words) : undefined
  return closest === undefined ? Messages.notAChoice(value, words) : Messages.closeToAChoice(value, closest)
}

export const parsers = (errors: FieldErrorCollector, limits: UnknownKeyLimits = DEFAULT_LIMITS) => {
  /** Adds an error. The result stands for an invalid value of any type. */
  const fail = <A = never>(path: string, message: string): A | undefined => {
    errors.add(path, message)
    return undefined
  }

  const addUnknownKeys = (value: object, path: string, known: ReadonlyArray<string>): void => {
    let reported = 0
    for (const key of Object.keys(value)) {
      // No record of errors can have "__proto__" as a key; `jsonErrors` reports it where it matters.
      if (known.includes(key) || key === "__proto__" || reported++ >= limits.keys) continue
      const closest = closestName(key, known)
      // A key that is not a valid text cannot be part of a path either.
      const isShown = textError(key) === undefined && (limits.longer === "truncate" || key.length <= limits.length)
      errors.add(
        isShown ? childPath(path, key.slice(0, limits.length)) : path,
        closest === undefined ? Messages.unknownField : `Unknown field; did you mean "${closest}"?`
      )
    }
  }

  /** An object with these keys and no others. */
  const object =
    (known: ReadonlyArray<string>): Parser<ObjectFields> =>
    (value, at) => {
      if (!isPlainObject(value)) return fail(at, value === null ? Messages.notNull : Messages.notAnObject)
      addUnknownKeys(value, at, known)
      const path = (name: string) => childPath(at, name)
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
      return error === undefined && typeof value === "string" ? value : fail(path, error ?? Messages.notAString)
    }

  /** A JSON number, whole and from 1. Unlike `Fields.integer`, no text: these inputs are always JSON. */
  const integer =
    (max: number): Parser<number> =>
    (value, path) => {
      if (typeof value !== "number" || !Number.isSafeInteger(value)) {
        return fail(path, value === null ? Messages.notNull : Messages.notAnInteger)
      }
      return value >= 1 && value <= max ? value : fail(path, value < 1 ? Messages.tooSmall(1) : Messages.tooLarge(max))
    }

  const choice =
    <Word extends string>(words: ReadonlyArray<Word>): Parser<Word> =>
    (value, path) =>
      words.find((one) => one === value) ?? fail(path, choiceErrorOf(value, words))

  const nullable =
    <A>(parse: Parser<A>): Parser<A | null> =>
    (value, path) =>
      value === null ? null : parse(value, path)

  /** The items of a list, each with its path; at most `max`. */
  const items = (value: unknown, path: string, max: number): ReadonlyArray<readonly [item: unknown, path: string]> => {
    if (!Array.isArray(value)) {
      errors.add(path, value === null ? Messages.notNull : Messages.notAList)
      return []
    }
    if (value.length > max) errors.add(path, Messages.tooMany(max))
    return value.slice(0, max).map((item: unknown, position) => [item, `${path}[${position}]`])
  }

  /** What a Schema field decodes. */
  const schema =
    <A, I>(field: Schema.Schema<A, I>): Parser<A> =>
    (value, path) =>
      Either.getOrElse(decode(field)(value), (found) => {
        errors.addUnder(path, found)
        return undefined
      })

  return { fail, object, text, integer, choice, nullable, items, schema }
}
