import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import {
  decode,
  type FieldErrors,
  fieldError,
  mergeFieldErrors,
  NON_FIELD,
  Messages,
  underPath
} from "./FieldErrors.js"
import * as Fields from "./Fields.js"
import { isPlainObject } from "./Json.js"

/**
 * Reads an input field by field, for inputs that are judged against what storage knows as well: what is well formed can
 * be looked up although something beside it is not, and all faults are told together.
 */
export interface InputReader {
  /** Whether the input has a field of this name at all, be it null. */
  readonly has: (name: string) => boolean
  /** A field's value; undefined where it was left out or has a fault. */
  readonly optional: <A, I>(name: string, field: Schema.Schema<A, I>) => A | undefined
  /** As `optional`, and leaving it out is a fault. */
  readonly required: <A, I>(name: string, field: Schema.Schema<A, I>) => A | undefined
  /**
   * A list of ids; where it has a fault, those of its items that are ids, so that they can be looked up. Undefined where
   * it was left out.
   */
  readonly ids: <A extends number>(
    name: string,
    of: Schema.Schema<A, number>,
    limits: { readonly min?: number; readonly max: number }
  ) => ReadonlyArray<A> | undefined
  /** Adds faults that the caller found itself. */
  readonly addErrors: (faults: FieldErrors) => void
  /** Every fault that was found so far. */
  readonly errors: () => FieldErrors
}

export const inputReader = (input: unknown): InputReader => {
  const body = isPlainObject(input) ? input : {}
  const found: Array<FieldErrors> = isPlainObject(input)
    ? []
    : [fieldError(NON_FIELD, input === null ? Messages.notNull : Messages.notAnObject)]
  const given = (name: string): unknown => (Object.hasOwn(body, name) ? body[name] : undefined)
  const optional = <A, I>(name: string, field: Schema.Schema<A, I>): A | undefined => {
    const value = given(name)
    if (value === undefined) return undefined
    const read = decode(field)(value)
    if (Either.isRight(read)) return read.right
    found.push(underPath(name, read.left))
    return undefined
  }
  return {
    has: (name) => given(name) !== undefined,
    optional,
    required: (name, field) => {
      if (isPlainObject(input) && given(name) === undefined) found.push(fieldError(name, Messages.required))
      return optional(name, field)
    },
    ids: (name, of, limits) =>
      given(name) === undefined
        ? undefined
        : (optional(name, Fields.ids(of, limits)) ?? Fields.wellFormedIds(of, given(name), limits.max)),
    addErrors: (faults) => {
      found.push(faults)
    },
    errors: () => mergeFieldErrors(...found)
  }
}
