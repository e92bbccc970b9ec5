import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import { type FieldErrors, fieldError, mergeFieldErrors, NON_FIELD, type PathSegment, formatPath, Messages } from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { isPlainObject } from "../kernel/Json.js"
import { isWithin, textError } from "../kernel/Text.js"
import {
  type Condition,
  MATCH_ALL,
  FIELD_NAMES,
  fieldOf,
  type FieldType,
  type Filter,
  GROUP_OPERATORS,
  type GroupOperator,
  isMatchAll,
  isGroup,
  LEAF_OPERATORS,
  type LeafOperator,
  OPERATORS,
  type Scalar,
  STATUSES
} from "./Filter.js"
import * as Regex from "./Regex.js"
import * as RelativeTime from "./RelativeTime.js"

/** How large a filter may be. */
export interface FilterLimits {
  /** Groups inside groups; a leaf adds no level. */
  readonly depth: number
  /** Leaves and groups. */
  readonly nodes: number
  /** Values in the lists of all `in` leaves together. */
  readonly values: number
}

/** What a dashboard or a widget may keep. */
export const LIMITS: FilterLimits = { depth: 32, nodes: 1000, values: 10_000 }

/** What a query may ask: as much as merging two kept filters can give, since that is what `effective_filters` is for. */
export const QUERY_LIMITS: FilterLimits = {
  depth: LIMITS.depth + 1,
  nodes: 2 * LIMITS.nodes + 1,
  values: 2 * LIMITS.values
}

/** The most values in one `in` list. */
export const MAX_IN = 1000

/** The longest text value, in characters. */
export const MAX_VALUE = 10_000

/** The longest filter as JSON text, in UTF-16 units. */
export const MAX_TEXT = 1_000_000

/** Unknown keys are named up to this many an object, each up to this long: faults must not repeat a hostile body. */
const MAX_KEYS_NAMED = 10
const MAX_KEY_NAMED = 100

const SEE_FIELDS = `Fields are ${FIELD_NAMES.join(", ")}, metadata.<path> and dynamic_variables.<path>.`

const LEAF_KEYS = ["field", "op", "value"]
const GROUP_KEYS = ["operator", "conditions"]

type Path = ReadonlyArray<PathSegment>

/**
 * Reads a filter from its wire form: null, `{}`, a leaf `{field, op, value}` or a group `{operator, conditions}`. Total
 * on any input. Faults are keyed by path from the filter's root: `conditions[2].op`; those of the root as a whole by
 * `non_field_errors`, so that `FieldErrors.underPath("filters", ...)` places them all.
 *
 * Values are kept as they came. Conditions that hold for every call are simplified away, so that the empty filter has one
 * form, null.
 */
export const parse = (input: unknown, limits: FilterLimits = LIMITS): Either.Either<Filter, FieldErrors> => {
  const reading = new Reading(limits)
  const condition = reading.condition(input ?? {}, [], { depth: 0, inRow: false })
  return Option.isSome(condition) && reading.faults.length === 0
    ? Either.right(isMatchAll(condition.value) ? null : condition.value)
    : Either.left(mergeFieldErrors(...reading.faults))
}

/**
 * Reads a filter given as JSON text, as the `filters_v2` query parameter and form bodies carry it; a blank text is the
 * empty filter. Faults are keyed as those of `parse`.
 */
export const parseText = (text: unknown, limits: FilterLimits = QUERY_LIMITS): Either.Either<Filter, FieldErrors> => {
  if (text === null || text === undefined) return Either.right(null)
  if (typeof text !== "string") return Either.left(fieldError(NON_FIELD, Messages.notAString))
  if (text.length > MAX_TEXT) return Either.left(fieldError(NON_FIELD, Messages.tooLong(MAX_TEXT)))
  if (text.trim() === "") return Either.right(null)
  return Either.flatMap(
    Either.try({ try: (): unknown => JSON.parse(text), catch: () => fieldError(NON_FIELD, "Value must be valid JSON.") }),
    (input) => parse(input, limits)
  )
}

interface Place {
  readonly depth: number
  /** Inside a `same_row`, where conditions are about one metric evaluation. */
  readonly inRow: boolean
}

/**
 * One walk over an input, which gathers the faults. What cannot be read is None, and has been said then. It recurses as
 * deep as the limits allow and no deeper.
 */
class Reading {
  readonly faults: Array<FieldErrors> = []
  private nodes = 0
  private values = 0

  constructor(private readonly limits: FilterLimits) {}

  private refuse(path: Path, message: string): Option.Option<never> {
    this.faults.push(fieldError(formatPath(path), message))
    return Option.none()
  }

  condition(input: unknown, path: Path, place: Place): Option.Option<Condition> {
    if (++this.nodes > this.limits.nodes) {
      return this.refuse([], `Ensure this filter has no more than ${this.limits.nodes} conditions.`)
    }
    if (!isPlainObject(input)) return this.refuse(path, input === null ? Messages.notNull : Messages.notAnObject)
    const keys = Object.keys(input)
    if (keys.length === 0) return Option.some(MATCH_ALL)
    if (keys.includes("operator") || keys.includes("conditions")) {
      this.refuseUnknown(keys, GROUP_KEYS, path)
      return this.group(input, path, place)
    }
    this.refuseUnknown(keys, LEAF_KEYS, path)
    return this.leaf(input, path, place)
  }

  private refuseUnknown(keys: ReadonlyArray<string>, known: ReadonlyArray<string>, path: Path): void {
    for (const key of keys.filter((key) => !known.includes(key)).slice(0, MAX_KEYS_NAMED)) {
      const isTellable = key.length <= MAX_KEY_NAMED && textError(key) === undefined
      this.refuse(isTellable ? [...path, key] : path, Messages.unknownField)
    }
  }

  private group(input: Record<string, unknown>, path: Path, place: Place): Option.Option<Condition> {
    if (place.depth >= this.limits.depth) {
      return this.refuse(path, `Ensure this filter is nested no deeper than ${this.limits.depth} levels.`)
    }
    const operator = this.oneOf(GROUP_OPERATORS, input.operator, [...path, "operator"])
    const isRow = Option.contains(operator, "same_row")
    if (isRow && place.inRow) {
      this.refuse([...path, "operator"], "same_row cannot stand inside another same_row.")
    }
    const conditions = this.conditions(input.conditions, [...path, "conditions"], {
      depth: place.depth + 1,
      inRow: place.inRow || isRow
    })
    if (Option.isNone(operator) || Option.isNone(conditions)) return Option.none()
    return operator.value === "not" && conditions.value.length !== 1
      ? this.refuse([...path, "conditions"], "not takes exactly one condition.")
      : Option.some(simplified(operator.value, conditions.value))
  }

  private conditions(input: unknown, path: Path, place: Place): Option.Option<ReadonlyArray<Condition>> {
    if (input === undefined) return this.refuse(path, Messages.required)
    if (!Array.isArray(input)) return this.refuse(path, input === null ? Messages.notNull : Messages.notAList)
    const conditions: Array<Option.Option<Condition>> = []
    for (let i = 0; i < input.length && this.nodes <= this.limits.nodes; i++) {
      conditions.push(this.condition(input[i], [...path, i], place))
    }
    return Option.all(conditions)
  }

  private leaf(input: Record<string, unknown>, path: Path, place: Place): Option.Option<Condition> {
    const field = this.field(input.field, [...path, "field"], place)
    const op = this.op(input.op, [...path, "op"], field)
    const value = Option.flatMap(op, (op) => this.value(input.value, [...path, "value"], op, field))
    return Option.all({ field: Option.map(field, ({ name }) => name), op, value })
  }

  private field(input: unknown, path: Path, place: Place): Option.Option<KnownField> {
    if (input === undefined) return this.refuse(path, Messages.required)
    if (typeof input !== "string") return this.refuse(path, input === null ? Messages.notNull : Messages.notAString)
    const field = fieldOf(input)
    if (field === undefined) return this.refuse(path, textError(input) ?? `${Messages.notAChoice(input)} ${SEE_FIELDS}`)
    if (place.inRow && field.of !== "evaluation") {
      this.refuse(path, "Only metric_evaluations fields can stand inside same_row.")
    }
    return Option.some({ name: input, type: field.type })
  }

  private op(input: unknown, path: Path, field: Option.Option<KnownField>): Option.Option<LeafOperator> {
    return Option.filter(this.oneOf(LEAF_OPERATORS, input, path), (op) => {
      if (Option.isNone(field) || OPERATORS[field.value.type].includes(op)) return true
      this.refuse(path, `"${op}" cannot be asked of this field; it takes ${OPERATORS[field.value.type].join(", ")}.`)
      return false
    })
  }

  private oneOf<Word extends string>(words: ReadonlyArray<Word>, input: unknown, path: Path): Option.Option<Word> {
    if (input === undefined) return this.refuse(path, Messages.required)
    if (typeof input !== "string") return this.refuse(path, input === null ? Messages.notNull : Messages.notAString)
    const word = words.find((word) => word === input)
    return word === undefined ? this.refuse(path, Messages.notAChoice(input)) : Option.some(word)
  }

  private value(
    input: unknown,
    path: Path,
    op: LeafOperator,
    field: Option.Option<KnownField>
  ): Option.Option<Scalar | ReadonlyArray<Scalar>> {
    // A field that is not known takes whatever some field takes, so that a value that none takes is still told.
    const type = Option.match(field, { onNone: () => "dynamic" as const, onSome: (known) => known.type })
    if (input === undefined) return this.refuse(path, Messages.required)
    return op === "in" ? this.list(input, path, type) : this.scalar(op, type, input, path)
  }

  private list(input: unknown, path: Path, type: FieldType): Option.Option<ReadonlyArray<Scalar>> {
    if (!Array.isArray(input)) return this.refuse(path, input === null ? Messages.notNull : Messages.notAList)
    if (input.length === 0) return this.refuse(path, Messages.tooFew(1))
    if (input.length > MAX_IN) return this.refuse(path, Messages.tooMany(MAX_IN))
    this.values += input.length
    return this.values > this.limits.values
      ? this.refuse([], `Ensure this filter has no more than ${this.limits.values} values in its lists.`)
      : Option.all(Array.from(input, (item: unknown, i) => this.scalar("in", type, item, [...path, i])))
  }

  private scalar(op: LeafOperator, type: FieldType, input: unknown, path: Path): Option.Option<Scalar> {
    return Either.match(valueOf(op, type, input), {
      onLeft: (wrong) => this.refuse(path, wrong),
      onRight: Option.some
    })
  }
}

interface KnownField {
  readonly name: string
  readonly type: FieldType
}

/** A group without the conditions that hold anyway. */
const simplified = (operator: GroupOperator, conditions: ReadonlyArray<Condition>): Condition => {
  switch (operator) {
    case "not":
      return { operator, conditions: conditions.map((condition) => (isMatchAll(condition) ? MATCH_ALL : condition)) }
    case "or":
      return conditions.some(isMatchAll) ? MATCH_ALL : { operator, conditions }
    case "and":
    case "same_row":
      return { operator, conditions: conditions.filter((condition) => !isMatchAll(condition)) }
  }
}

type ReadValue<A extends Scalar = Scalar> = Either.Either<A, string>

/**
 * One value (for `in`: one of its values) as this operator takes it on a field of this type, or the sentence that says
 * what is wrong with it.
 */
export const valueOf = (op: LeafOperator, type: FieldType, value: unknown): ReadValue => {
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

const scalarOf = (type: FieldType, value: unknown): ReadValue => {
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
            () => Messages.notAChoice(value)
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

const booleanOf = (value: unknown): ReadValue<boolean> =>
  typeof value === "boolean" ? Either.right(value) : Either.left(Messages.notABoolean)

const numberOf = (value: unknown): ReadValue<number> =>
  typeof value !== "number" || !Number.isFinite(value)
    ? Either.left(Messages.notANumber)
    : Number.isInteger(value) && !Number.isSafeInteger(value)
      ? Either.left("Ensure integers are within 2^53 - 1.")
      : Either.right(unsigned(value))

/** Minus zero has no form of its own in JSON. */
const unsigned = (value: number): number => (value === 0 ? 0 : value)

const textOf = (value: unknown): ReadValue<string> => {
  if (typeof value !== "string") return Either.left(Messages.notAString)
  const wrong = textError(value) ?? (isWithin(MAX_VALUE, value) ? undefined : Messages.tooLong(MAX_VALUE))
  return wrong === undefined ? Either.right(value) : Either.left(wrong)
}

/** A filter in its wire form. */
export type FilterJson =
  | { readonly field: string; readonly op: string; readonly value: Scalar | ReadonlyArray<Scalar> }
  | { readonly operator: string; readonly conditions: ReadonlyArray<FilterJson> }
  | null

/** The wire form of a filter: `parse(print(filter))` is the filter, and null is printed as null. */
export const encode = (filter: Filter): FilterJson =>
  filter === null
    ? null
    : isGroup(filter)
      ? { operator: filter.operator, conditions: filter.conditions.map(encode) }
      : { field: filter.field, op: filter.op, value: filter.value }

/** The JSON Schema of a filter's wire form, its nested conditions left open. */
export const FilterJsonSchema = {
  title: "Filter",
  anyOf: [
    {
      type: "object",
      required: ["field", "op", "value"],
      properties: { field: { type: "string" }, op: { type: "string", enum: [...LEAF_OPERATORS] }, value: {} },
      additionalProperties: false
    },
    {
      type: "object",
      required: ["operator", "conditions"],
      properties: {
        operator: { type: "string", enum: [...GROUP_OPERATORS] },
        conditions: { type: "array", items: { type: "object" } }
      },
      additionalProperties: false
    },
    { type: "object", maxProperties: 0 },
    { type: "null" }
  ]
}

/** A field that holds a filter in its wire form: for the inputs of use cases. */
export const FilterField: Schema.Schema<Filter, unknown> = Fields.custom(
  (input) => parse(input),
  encode,
  FilterJsonSchema
)

/** A query parameter that holds a filter, as JSON text or as an object: `filters_v2`. */
export const FilterQuery: Schema.Schema<Filter, unknown> = Fields.custom(
  (input) => (typeof input === "string" ? parseText(input) : parse(input, QUERY_LIMITS)),
  (filter) => JSON.stringify(encode(filter)),
  { type: "string", contentMediaType: "application/json" }
)
