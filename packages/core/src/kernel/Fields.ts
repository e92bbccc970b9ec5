/**
 * The Schema fields of untrusted inputs. Each is total on hostile input and describes an invalid value in one message;
 * `FieldErrors.decode` returns all errors of an input at once, keyed by path.
 */
import * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"
import { type FieldErrors, NON_FIELD, Messages } from "./FieldErrors.js"
import { isWithin, textError } from "./Text.js"

/** One message for whatever is invalid below this schema. */
const withMessage =
  (messageOf: (actual: unknown) => string): SchemaAST.MessageAnnotation =>
  (issue) => ({ message: messageOf(issue.actual), override: true })

/** A text of at most `max` characters (code points), without NUL and lone surrogates. Default: blank allowed. */
export const text = (limits: { readonly max?: number; readonly blank?: boolean } = {}): Schema.Schema<string> => {
  const { blank = true, max = Number.POSITIVE_INFINITY } = limits
  const errorOf = (value: unknown): string | undefined =>
    value === null
      ? Messages.notNull
      : typeof value !== "string"
        ? Messages.notAString
        : (textError(value) ??
          (!isWithin(max, value)
            ? Messages.tooLong(max)
            : !blank && value.trim() === ""
              ? Messages.notBlank
              : undefined))
  return Schema.declare((value): value is string => errorOf(value) === undefined, {
    message: withMessage((actual) => errorOf(actual) ?? Messages.notAString),
    jsonSchema: {
      type: "string",
      ...(Number.isFinite(max) ? { maxLength: max } : {}),
      ...(blank ? {} : { minLength: 1, pattern: "\\S" })
    }
  })
}

/** Parses a value from a wider encoded form; `parse` returns the value or the error message. */
const parsed = <A, I, Plain>(
  to: Schema.Schema<A, Plain>,
  parse: (value: unknown) => Either.Either<A, string>,
  jsonSchema: object
): Schema.Schema<A, I> =>
  // eslint-disable-next-line typescript/consistent-type-assertions -- `parse` takes any value; I is what clients should send
  Schema.transformOrFail(Schema.Unknown as unknown as Schema.Schema<I>, Schema.typeSchema(to), {
    strict: true,
    decode: (value, _, ast) => Either.mapLeft(parse(value), (message) => new ParseResult.Type(ast, value, message)),
    // eslint-disable-next-line typescript/consistent-type-assertions -- the plain form is one of the wider forms
    encode: (value) => ParseResult.succeed(value as unknown as I)
  }).annotations({
    message: withMessage((actual) =>
      Either.match(parse(actual), { onLeft: (message) => message, onRight: () => Messages.notAString })
    ),
    jsonSchema
  })

/** A whole number within limits; forms and paths send it as decimal digits, so those are accepted too. */
export const integer = (
  limits: { readonly min?: number; readonly max?: number } = {}
): Schema.Schema<number, number | string> => {
  const { max = Number.MAX_SAFE_INTEGER, min = Number.MIN_SAFE_INTEGER } = limits
  return parsed(
    Schema.Number,
    (value) => {
      if (value === null) return Either.left(Messages.notNull)
      const number = typeof value === "string" && /^[+-]?\d{1,16}$/.test(value.trim()) ? Number(value) : value
      if (typeof number !== "number" || !Number.isSafeInteger(number)) return Either.left(Messages.notAnInteger)
      if (number < min) return Either.left(Messages.tooSmall(min))
      if (number > max) return Either.left(Messages.tooLarge(max))
      return Either.right(number)
    },
    {
      type: "integer",
      ...(min === Number.MIN_SAFE_INTEGER ? {} : { minimum: min }),
      ...(max === Number.MAX_SAFE_INTEGER ? {} : { maximum: max })
    }
  )
}

const parseId = (value: unknown): number | undefined => {
  const number = typeof value === "string" && /^\d{1,16}$/.test(value.trim()) ? Number(value) : value
  return typeof number === "number" && Number.isSafeInteger(number) && number > 0 ? number : undefined
}

/** Why a value is not an id: not positive, or not a whole number. */
const idError = (value: unknown): string => {
  if (value === null) return Messages.notNull
  const number = typeof value === "string" && /^[+-]?\d{1,16}$/.test(value.trim()) ? Number(value) : value
  return Number.isSafeInteger(number) ? Messages.notPositive : Messages.notAnInteger
}

/** An identifier of one kind, for example `Fields.id(ProjectId)`. */
export const id = <A extends number>(of: Schema.Schema<A, number>): Schema.Schema<A, number | string> =>
  parsed(
    of,
    (value) => {
      const number = parseId(value)
      return number !== undefined
        ? // eslint-disable-next-line typescript/consistent-type-assertions -- the brand is what was just checked
          Either.right(number as A)
        : Either.left(idError(value))
    },
    { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER }
  )

/**
 * A list of distinct identifiers of one kind. Parsed in one pass, since a request may name thousands; an item that is
 * not an id is an error at its position.
 */
export const ids = <A extends number>(
  _: Schema.Schema<A, number>,
  limits: { readonly min?: number; readonly max?: number } = {}
): Schema.Schema<ReadonlyArray<A>, ReadonlyArray<number | string>> => {
  const { max = Number.MAX_SAFE_INTEGER, min = 0 } = limits
  return custom<ReadonlyArray<A>, ReadonlyArray<number | string>>(
    (input) => {
      if (!Array.isArray(input))
        return Either.left({ [NON_FIELD]: [input === null ? Messages.notNull : Messages.notAList] })
      if (input.length < min) return Either.left({ [NON_FIELD]: [Messages.tooFew(min)] })
      if (input.length > max) return Either.left({ [NON_FIELD]: [Messages.tooMany(max)] })
      const errors: Record<string, Array<string>> = {}
      const seen = new Set<number>()
      const repeated = new Set<number>()
      input.forEach((value: unknown, position) => {
        const number = parseId(value)
        if (number !== undefined) {
          ;(seen.has(number) ? repeated : seen).add(number)
        } else errors[`[${position}]`] = [idError(value)]
      })
      if (repeated.size > 0) errors[NON_FIELD] = Array.from(repeated, Messages.repeatedId)
      return Object.keys(errors).length > 0
        ? Either.left(errors)
        : // eslint-disable-next-line typescript/consistent-type-assertions -- the brand is what was just checked
          Either.right([...seen] as unknown as ReadonlyArray<A>)
    },
    (value) => value,
    {
      type: "array",
      items: { type: "integer", minimum: 1, maximum: Number.MAX_SAFE_INTEGER },
      uniqueItems: true,
      ...(min === 0 ? {} : { minItems: min }),
      ...(max === Number.MAX_SAFE_INTEGER ? {} : { maxItems: max })
    }
  )
}

/**
 * The items of a list that are ids, each once: what can be looked up although the list is invalid. Empty for what is not
 * a list or has more than `max` items.
 */
export const wellFormedIds = <A extends number>(
  _: Schema.Schema<A, number>,
  input: unknown,
  max: number
): ReadonlyArray<A> =>
  !Array.isArray(input) || input.length > max
    ? []
    : // eslint-disable-next-line typescript/consistent-type-assertions -- the brand is what was just checked
      ([...new Set(input.map(parseId))].filter((id) => id !== undefined) as unknown as ReadonlyArray<A>)

/** A finite number within limits, of which an error names both. */
export const numberWithin = (
  limits: { readonly min?: number; readonly max?: number } = {}
): Schema.Schema<number, number | string> => {
  const { max = Number.POSITIVE_INFINITY, min = Number.NEGATIVE_INFINITY } = limits
  return parsed(
    Schema.Number,
    (value) => {
      if (value === null) return Either.left(Messages.notNull)
      const number =
        typeof value === "string" && /^[+-]?\d+(\.\d+)?([eE][+-]?\d+)?$/.test(value.trim()) ? Number(value) : value
      if (typeof number !== "number" || !Number.isFinite(number)) return Either.left(Messages.notANumber)
      if (number >= min && number <= max) return Either.right(number)
      if (Number.isFinite(min) && Number.isFinite(max)) return Either.left(Messages.notWithin(min, max))
      return Either.left(number < min ? Messages.tooSmall(min) : Messages.tooLarge(max))
    },
    {
      type: "number",
      ...(Number.isFinite(min) ? { minimum: min } : {}),
      ...(Number.isFinite(max) ? { maximum: max } : {})
    }
  )
}

/** A finite number. */
export const number = numberWithin()

/** True or false; forms send `true` and `false` as text. */
export const boolean: Schema.Schema<boolean, boolean | string> = parsed(
  Schema.Boolean,
  (value) =>
    value === null
      ? Either.left(Messages.notNull)
      : typeof value === "boolean"
        ? Either.right(value)
        : typeof value === "string" && /^(true|false)$/i.test(value)
          ? Either.right(value.toLowerCase() === "true")
          : Either.left(Messages.notABoolean),
  { type: "boolean" }
)

/** One of a closed list of words. An error names what was sent, and the words. */
export const choice = <const Words extends ReadonlyArray<string>>(words: Words): Schema.Schema<Words[number]> =>
  Schema.declare((value): value is Words[number] => typeof value === "string" && words.includes(value), {
    message: withMessage((actual) => (actual === null ? Messages.notNull : Messages.notAChoice(actual, words))),
    jsonSchema: { type: "string", enum: [...words] }
  })

/** One of a closed list of words, or null; a blank means null. */
export const choiceOrNone = <const Words extends ReadonlyArray<string>>(
  words: Words
): Schema.Schema<Words[number] | null, Words[number] | "" | null> =>
  parsed(
    // eslint-disable-next-line typescript/consistent-type-assertions -- Literal loses the words' types in a spread
    Schema.NullOr(Schema.Literal(...words)) as Schema.Schema<Words[number] | null>,
    (value) =>
      value === null || value === ""
        ? Either.right(null)
        : typeof value === "string" && words.includes(value)
          ? Either.right(value)
          : Either.left(Messages.notAChoice(value, words)),
    { anyOf: [{ type: "string", enum: [...words, ""] }, { type: "null" }] }
  )

/**
 * An ISO 8601 date-time, kept in UTC at millisecond precision. A text without an offset is UTC. Years outside 0001 to
 * 9999 are rejected: ISO 8601's plain form and many clients cannot express them.
 */
export const timestamp: Schema.Schema<DateTime.Utc, string> = parsed(
  Schema.DateTimeUtcFromSelf,
  (value) => {
    if (value === null) return Either.left(Messages.notNull)
    const parsed = typeof value === "string" ? parseTimestamp(value) : undefined
    return parsed === undefined ? Either.left(Messages.notATimestamp) : Either.right(DateTime.unsafeMake(parsed))
  },
  { type: "string", format: "date-time" }
)

const ISO_8601 =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2})(?::(\d{2})(?:[.,](\d{1,9}))?)?\s?([Zz]|[+-]\d{2}(?::?\d{2})?)?)?$/

/** The instants whose year in UTC is 0001 to 9999: an offset may lead outside. */
const FIRST_INSTANT = Date.parse("0001-01-01T00:00:00.000Z")
const LAST_INSTANT = Date.parse("9999-12-31T23:59:59.999Z")

/**
 * Epoch milliseconds of an ISO 8601 text, or undefined where it names no instant (month 13, 30 February, hour 25) or one
 * that is outside the years 1 to 9999 in UTC.
 */
export const parseTimestamp = (value: string): number | undefined => {
  const match = ISO_8601.exec(value.trim())
  if (match === null) return undefined
  const [, year, month, day, hour = "0", minute = "0", second = "0", fraction = "0", offset = "Z"] = match
  const milliseconds = Math.trunc(Number(`0.${fraction}`) * 1000)
  const parts = [Number(year), Number(month), Number(day), Number(hour), Number(minute), Number(second)] as const
  if (parts[0] === 0 || parts[3] > 23 || parts[4] > 59 || parts[5] > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(parts[0], parts[1] - 1, parts[2])
  date.setUTCHours(parts[3], parts[4], parts[5], milliseconds)
  if (date.getUTCMonth() !== parts[1] - 1 || date.getUTCDate() !== parts[2]) return undefined
  if (/^z$/i.test(offset)) return date.getTime()
  const digits = offset.slice(1).replace(":", "").padEnd(4, "0")
  const hours = Number(digits.slice(0, 2))
  const minutes = Number(digits.slice(2))
  if (hours > 23 || minutes > 59) return undefined
  const instant = date.getTime() - (offset.startsWith("-") ? -1 : 1) * (hours * 60 + minutes) * 60_000
  return instant < FIRST_INSTANT || instant > LAST_INSTANT ? undefined : instant
}

/**
 * A field with its own parser, whose errors are keyed by path from the field itself, its own by `non_field_errors`;
 * `FieldErrors.decode` moves them under the field's path.
 */
export const custom = <A, I = unknown>(
  parse: (input: unknown) => Either.Either<A, FieldErrors>,
  encode: (value: A) => unknown,
  jsonSchema: object
): Schema.Schema<A, I> =>
  Schema.transformOrFail(
    // eslint-disable-next-line typescript/consistent-type-assertions -- `parse` takes any value; I is what callers should send
    Schema.Unknown as unknown as Schema.Schema<I>,
    // The value is what `parse` returned; nothing else gets here.
    Schema.declare((_): _ is A => true),
    {
      strict: true,
      decode: (input, _, ast) => Either.mapLeft(parse(input), (errors) => toIssue(ast, input, errors)),
      // eslint-disable-next-line typescript/consistent-type-assertions -- what is encoded is one of the forms that are sent
      encode: (value) => ParseResult.succeed(encode(value) as I)
    }
  ).annotations({ jsonSchema })

const toIssue = (ast: ParseResult.Composite["ast"], input: unknown, errors: FieldErrors): ParseResult.ParseIssue => {
  const [first, ...rest] = Object.entries(errors).flatMap(([path, messages]) =>
    messages.map((message): ParseResult.ParseIssue => {
      const issue = new ParseResult.Type(ast, undefined, message)
      return path === NON_FIELD ? issue : new ParseResult.Pointer(path, undefined, issue)
    })
  )
  return first === undefined
    ? new ParseResult.Type(ast, undefined)
    : new ParseResult.Composite(ast, input, [first, ...rest])
}

/**
 * A list of items. A single value, as a form sends it, is not a list here: adapters make lists of repeated fields. Items
 * are counted before they are decoded, so that half a million of them do not cost half a million errors.
 */
export const list = <A, I>(
  item: Schema.Schema<A, I>,
  limits: { readonly min?: number; readonly max?: number } = {}
): Schema.Schema<ReadonlyArray<A>, ReadonlyArray<I>> => {
  const { max = Number.MAX_SAFE_INTEGER, min = 0 } = limits
  const errorOf = (value: unknown): string | undefined =>
    value === null
      ? Messages.notNull
      : !Array.isArray(value)
        ? Messages.notAList
        : value.length < min
          ? Messages.tooFew(min)
          : value.length > max
            ? Messages.tooMany(max)
            : undefined
  const items = Schema.Array(item)
  const described = items.pipe(
    Schema.filter(() => true, {
      jsonSchema: {
        ...(min === 0 ? {} : { minItems: min }),
        ...(max === Number.MAX_SAFE_INTEGER ? {} : { maxItems: max })
      }
    })
  )
  const counted = Schema.declare((value): value is ReadonlyArray<I> => errorOf(value) === undefined, {
    message: withMessage((actual) => errorOf(actual) ?? Messages.notAList),
    [SchemaAST.SurrogateAnnotationId]: described.ast
  })
  return Schema.compose(counted, items)
}

/** An object with these fields; other keys are ignored. */
export const object = <Fields extends Schema.Struct.Fields>(fields: Fields): Schema.Struct<Fields> =>
  Schema.Struct(fields).annotations({
    message: (issue) => (issue.actual === null ? Messages.notNull : Messages.notAnObject)
  })

/** A field that may be left out; undefined and left out are the same. */
export const optional = <A, I>(field: Schema.Schema<A, I>) => Schema.optionalWith(field, { exact: true })

/** A field that may be left out, undefined or null, all of which mean `value`. */
export const withDefault = <A, I>(field: Schema.Schema<A, I>, value: NoInfer<A>) =>
  Schema.optionalWith(field, { nullable: true, default: () => value })

export { NullOr as nullable } from "effect/Schema"

/** A property with another name in the wire form: `createdAt` is `created_at`. */
export const named = <A, I, const Name extends string>(wireName: Name, schema: Schema.Schema<A, I>) =>
  Schema.propertySignature(schema).pipe(Schema.fromKey(wireName))
