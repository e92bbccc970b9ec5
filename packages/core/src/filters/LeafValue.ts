/** Which values a leaf's operator takes on a field of each type. */
import * as Either from "effect/Either"
import { Messages } from "../kernel/FieldErrors.js"
import { isWithin, textError } from "../kernel/Text.js"
import { type FieldType, type LeafOperator, type Scalar, STATUSES } from "./Filter.js"
import * as Regex from "./Regex.js"
import * as RelativeTime from "./RelativeTime.js"

/** The longest text value, in characters. */
const MAX_VALUE = 10_000

type ParsedValue<A extends Scalar = Scalar> = Either.Either<A, string>

/** Parses one value (for `in`: one of its values) for an operator on a field of this type, or returns the error message. */
export const parseValue = (op: LeafOperator, type: FieldType, value: unknown): ParsedValue => {
  if (value === null) return Either.left(`${Messages.notNull} Use isnull to ask whether there is a value.`)
  switch (op) {
    case "isnull":
      return booleanOf(value)
    case "contains":
    case "startswith":
    case "endswith":
      return textOf(value)
    case "regex":
      return Either.flatMap(textOf(value), (pattern) => Either.map(Regex.compile(pattern), () => pattern))
    case "gt":
    case "gte":
    case "lt":
    case "lte":
      return type === "dynamic" && typeof value === "boolean"
        ? Either.left("A number or a text is required: booleans have no order.")
        : scalarOf(type, value)
    case "eq":
    case "neq":
    case "in":
      return scalarOf(type, value)
  }
}

const scalarOf = (type: FieldType, value: unknown): ParsedValue => {
  switch (type) {
    case "integer":
      return typeof value === "number" && Number.isSafeInteger(value)
        ? Either.right(unsigned(value))
        : Either.left(Messages.notAnInteger)
    case "number":
      return numberOf(value)
    case "boolean":
      return booleanOf(value)
    case "text":
      return textOf(value)
    case "status":
      return typeof value !== "string"
        ? Either.left(Messages.notAString)
        : Either.fromNullable(
            STATUSES.find((status) => status === value),
            () => Messages.notAChoice(value, STATUSES)
          )
    case "timestamp":
      return typeof value === "string" && RelativeTime.parse(value) !== undefined
        ? Either.right(value)
        : Either.left("Not a valid time. Use ISO 8601, or now or today with steps such as today-7d (s m h d w M y).")
    case "dynamic":
      switch (typeof value) {
        case "boolean":
          return Either.right(value)
        case "number":
          return numberOf(value)
        case "string":
          return textOf(value)
        default:
          return Either.left("A boolean, a number or a text is required.")
      }
  }
}

const booleanOf = (value: unknown): ParsedValue<boolean> =>
  typeof value === "boolean" ? Either.right(value) : Either.left(Messages.notABoolean)

const numberOf = (value: unknown): ParsedValue<number> =>
  typeof value !== "number" || !Number.isFinite(value)
    ? Either.left(Messages.notANumber)
    : Number.isInteger(value) && !Number.isSafeInteger(value)
      ? Either.left("Ensure integers are within 2^53 - 1.")
      : Either.right(unsigned(value))

/** JSON has no minus zero. */
const unsigned = (value: number): number => (value === 0 ? 0 : value)

const textOf = (value: unknown): ParsedValue<string> => {
  if (typeof value !== "string") return Either.left(Messages.notAString)
  const error = textError(value) ?? (isWithin(MAX_VALUE, value) ? undefined : Messages.tooLong(MAX_VALUE))
  return error === undefined ? Either.right(value) : Either.left(error)
}
