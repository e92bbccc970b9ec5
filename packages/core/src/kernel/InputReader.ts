import type * as Schema from "effect/Schema"
import { fieldErrorCollector } from "./FieldErrorCollector.js"
import { type FieldErrors, Messages, NON_FIELD } from "./FieldErrors.js"
import * as Fields from "./Fields.js"
import { isPlainObject } from "./Json.js"
import { parsers } from "./Parsers.js"

/**
 * Reads an object field by field with Schema fields and collects the errors, for inputs that are also checked against
 * storage: valid fields can be looked up although others are invalid, and all errors are reported together.
 */
export interface InputReader {
  /** Whether the input has a field of this name, null included. */
  readonly has: (name: string) => boolean
  /** A field's value; undefined where it was left out or is invalid. */
  readonly optional: <A, I>(name: string, field: Schema.Schema<A, I>) => A | undefined
  /** As `optional`; leaving the field out is an error. */
  readonly required: <A, I>(name: string, field: Schema.Schema<A, I>) => A | undefined
  /**
   * A list of ids; of an invalid list those items that are ids, so that they can be looked up. Undefined where it was left
   * out.
   */
  readonly ids: <A extends number>(
    name: string,
    of: Schema.Schema<A, number>,
    limits: { readonly min?: number; readonly max: number }
  ) => ReadonlyArray<A> | undefined
  /** Adds errors that the caller found. */
  readonly addErrors: (errors: FieldErrors) => void
  /** Every error found so far. */
  readonly errors: () => FieldErrors
}

export const inputReader = (input: unknown): InputReader => {
  const collected = fieldErrorCollector()
  const parse = parsers(collected)
  const body = isPlainObject(input) ? input : {}
  if (!isPlainObject(input)) collected.add(NON_FIELD, input === null ? Messages.notNull : Messages.notAnObject)
  const valueOf = (name: string): unknown => (Object.hasOwn(body, name) ? body[name] : undefined)
  const optional = <A, I>(name: string, field: Schema.Schema<A, I>): A | undefined => {
    const value = valueOf(name)
    return value === undefined ? undefined : parse.schema(field)(value, name)
  }
  return {
    has: (name) => valueOf(name) !== undefined,
    optional,
    required: (name, field) => {
      if (isPlainObject(input) && valueOf(name) === undefined) collected.add(name, Messages.required)
      return optional(name, field)
    },
    ids: (name, of, limits) =>
      valueOf(name) === undefined
        ? undefined
        : (optional(name, Fields.ids(of, limits)) ?? Fields.wellFormedIds(of, valueOf(name), limits.max)),
    addErrors: (errors) => {
      collected.addUnder("", errors)
    },
    errors: collected.errors
  }
}
