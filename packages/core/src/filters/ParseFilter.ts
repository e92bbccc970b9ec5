import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { type FieldErrorCollector, fieldErrorCollector } from "../kernel/FieldErrorCollector.js"
import { fieldError, type FieldErrors, hasFieldErrors, Messages, NON_FIELD } from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import { isPlainObject } from "../kernel/Json.js"
import { type ObjectFields, type Parser, parsers } from "../kernel/Parsers.js"
import { textError } from "../kernel/Text.js"
import {
  type Condition,
  FIELD_NAMES,
  fieldOf,
  type FieldType,
  type Filter,
  GROUP_OPERATORS,
  type GroupOperator,
  isMatchAll,
  type Leaf,
  LEAF_OPERATORS,
  type LeafOperator,
  MATCH_ALL,
  OPERATORS,
  type Scalar
} from "./Filter.js"
import { costOf, WEIGHTS } from "./FilterCost.js"
import { encode, type FilterInput, FilterJsonSchema } from "./FilterJson.js"
import { parseValue } from "./LeafValue.js"

/** How large a filter may be. */
export interface FilterLimits {
  /** Groups inside groups; a leaf adds no level. */
  readonly depth: number
  /** Leaves and groups. */
  readonly nodes: number
  /** Values in the lists of all `in` leaves together. */
  readonly values: number
  /** What it may cost to evaluate: see `FilterCost`. */
  readonly cost: number
}

/** Limits of a stored filter: a dashboard's or a widget's. */
export const LIMITS: FilterLimits = { depth: 32, nodes: 1000, values: 10_000, cost: 2000 }

/** Limits of a query's filter: what merging two stored filters can give, since `effective_filters` is queried. */
export const QUERY_LIMITS: FilterLimits = {
  depth: LIMITS.depth + 1,
  nodes: 2 * LIMITS.nodes + 1,
  values: 2 * LIMITS.values,
  cost: 2 * LIMITS.cost
}

/** The most values in one `in` list. */
const MAX_IN = 1000

/** The longest filter as JSON text, in UTF-16 units. */
const MAX_TEXT = 1_000_000

const FIELD_CHOICES = [...FIELD_NAMES, "metadata.<path>", "dynamic_variables.<path>"]

const LEAF_KEYS = ["field", "op", "value"]
const GROUP_KEYS = ["operator", "conditions"]

/**
 * Parses a filter's wire form: null, `{}`, a leaf `{field, op, value}` or a group `{operator, conditions}`. Total on any
 * input. Errors are keyed by path from the filter's root (`conditions[2].op`), those of the root itself by
 * `non_field_errors`, so that `FieldErrors.underPath("filters", ...)` places them all.
 *
 * Values are kept as they came. Conditions that match every call are simplified away, so that the empty filter has one
 * form, null.
 */
export const parse = (input: unknown, limits: FilterLimits = LIMITS): Either.Either<Filter, FieldErrors> => {
  const errors = fieldErrorCollector()
  const condition = conditionParser(errors, limits)(input ?? {}, "")
  const found = errors.errors()
  if (condition === undefined || hasFieldErrors(found)) return Either.left(found)
  const cost = costOf(condition)
  return cost > limits.cost
    ? Either.left(fieldError(NON_FIELD, tooCostly(cost, limits.cost)))
    : Either.right(isMatchAll(condition) ? null : condition)
}

const tooCostly = (cost: number, limit: number): string =>
  `This filter costs ${cost}, more than ${limit}. Use fewer conditions: a path of metadata or dynamic_variables costs ` +
  `${WEIGHTS.path}, a regex ${WEIGHTS.pattern} more, a metric evaluation ${WEIGHTS.evaluation}, any other ${WEIGHTS.column}.`

/**
 * Parses a filter given as JSON text, as the `filters_v2` query parameter and form bodies carry it; a blank text is the
 * empty filter. Errors are keyed as those of `parse`.
 */
export const parseText = (text: unknown, limits: FilterLimits = QUERY_LIMITS): Either.Either<Filter, FieldErrors> => {
  if (text === null || text === undefined) return Either.right(null)
  if (typeof text !== "string") return Either.left(fieldError(NON_FIELD, Messages.notAString))
  if (text.length > MAX_TEXT) return Either.left(fieldError(NON_FIELD, Messages.tooLong(MAX_TEXT)))
  if (text.trim() === "") return Either.right(null)
  return Either.flatMap(
    Either.try({
      try: (): unknown => JSON.parse(text),
      catch: () => fieldError(NON_FIELD, "Value must be valid JSON.")
    }),
    (input) => parse(input, limits)
  )
}

interface Position {
  readonly depth: number
  /** Inside a `same_row`, where conditions are about one metric evaluation. */
  readonly inRow: boolean
}

interface KnownField {
  readonly name: string
  readonly type: FieldType
}

/** The parser of one filter, which counts its nodes and values. It recurses as deep as the limits allow and no deeper. */
const conditionParser = (errors: FieldErrorCollector, limits: FilterLimits): Parser<Condition> => {
  const parse = parsers(errors, { keys: 10, length: 100, longer: "report object" })
  let nodes = 0
  let values = 0

  const condition = (input: unknown, path: string, at: Position): Condition | undefined => {
    if (++nodes > limits.nodes) return parse.fail("", `Ensure this filter has no more than ${limits.nodes} conditions.`)
    const hasKey = (key: string) => isPlainObject(input) && Object.hasOwn(input, key)
    if (isPlainObject(input) && Object.keys(input).length === 0) return MATCH_ALL
    // `parsers` leaves this key to the checks of whole documents.
    if (hasKey("__proto__")) errors.add(path === "" ? "__proto__" : `${path}.__proto__`, Messages.unknownField)
    const isGroup = GROUP_KEYS.some(hasKey)
    const fields = parse.object(isGroup ? GROUP_KEYS : LEAF_KEYS)(input, path)
    return fields === undefined ? undefined : isGroup ? group(fields, path, at) : leaf(fields, at)
  }

  const group = (fields: ObjectFields, path: string, at: Position): Condition | undefined => {
    if (at.depth >= limits.depth) {
      return parse.fail(path, `Ensure this filter is nested no deeper than ${limits.depth} levels.`)
    }
    const operator = fields.required("operator", parse.choice(GROUP_OPERATORS))
    const isRow = operator === "same_row"
    if (isRow && at.inRow) errors.add(fields.path("operator"), "same_row cannot be nested in another same_row.")
    const conditions = fields.required("conditions", conditionList({ depth: at.depth + 1, inRow: at.inRow || isRow }))
    if (operator === undefined || conditions === undefined) return undefined
    return operator === "not" && conditions.length !== 1
      ? parse.fail(fields.path("conditions"), "not takes exactly one condition.")
      : simplified(operator, conditions)
  }

  const conditionList =
    (at: Position): Parser<ReadonlyArray<Condition>> =>
    (input, path) => {
      if (!Array.isArray(input)) return parse.fail(path, input === null ? Messages.notNull : Messages.notAList)
      const conditions: Array<Condition> = []
      for (let i = 0; i < input.length && nodes <= limits.nodes; i++) {
        const one = condition(input[i], `${path}[${i}]`, at)
        if (one !== undefined) conditions.push(one)
      }
      return conditions.length === input.length ? conditions : undefined
    }

  const leaf = (fields: ObjectFields, at: Position): Condition | undefined => {
    const field = fields.required("field", fieldParser(at))
    const op = fields.required("op", operatorParser(field))
    // A value for an unknown field is checked as that of a document, so that what no field takes is still reported.
    const type = field?.type ?? "dynamic"
    const valueOf: Parser<Leaf["value"]> | undefined =
      op === undefined ? undefined : op === "in" ? valueList(type) : valueParser(op, type)
    const value = valueOf === undefined ? undefined : fields.required("value", valueOf)
    return field === undefined || op === undefined || value === undefined ? undefined : { field: field.name, op, value }
  }

  const fieldParser =
    (at: Position): Parser<KnownField> =>
    (input, path) => {
      if (typeof input !== "string") return parse.fail(path, input === null ? Messages.notNull : Messages.notAString)
      const field = fieldOf(input)
      if (field === undefined) {
        return parse.fail(path, textError(input) ?? Messages.notAChoice(input, FIELD_CHOICES))
      }
      if (at.inRow && field.of !== "evaluation") {
        errors.add(path, "Only metric_evaluations fields can be used inside same_row.")
      }
      return { name: input, type: field.type }
    }

  const operatorParser =
    (field: KnownField | undefined): Parser<LeafOperator> =>
    (input, path) => {
      const op = parse.choice(LEAF_OPERATORS)(input, path)
      if (op === undefined || field === undefined || OPERATORS[field.type].includes(op)) return op
      return parse.fail(path, `"${op}" does not apply to this field; it takes ${OPERATORS[field.type].join(", ")}.`)
    }

  const valueParser =
    (op: LeafOperator, type: FieldType): Parser<Scalar> =>
    (input, path) =>
      Either.getOrElse(parseValue(op, type, input), (message) => parse.fail(path, message))

  const valueList =
    (type: FieldType): Parser<ReadonlyArray<Scalar>> =>
    (input, path) => {
      if (!Array.isArray(input)) return parse.fail(path, input === null ? Messages.notNull : Messages.notAList)
      if (input.length === 0) return parse.fail(path, Messages.tooFew(1))
      if (input.length > MAX_IN) return parse.fail(path, Messages.tooMany(MAX_IN))
      values += input.length
      if (values > limits.values) {
        return parse.fail("", `Ensure this filter has no more than ${limits.values} values in its lists.`)
      }
      const parsed = Array.from(input, (item: unknown, i) => valueParser("in", type)(item, `${path}[${i}]`))
      const valid = parsed.filter((value) => value !== undefined)
      return valid.length === input.length ? valid : undefined
    }

  return (input, path) => condition(input, path, { depth: 0, inRow: false })
}

/** A group without the conditions that match every call. */
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

/** A field that holds a filter in its wire form: for the inputs of use cases. */
export const FilterField: Schema.Schema<Filter, FilterInput> = Fields.custom(
  (input) => parse(input),
  encode,
  FilterJsonSchema
)

/** A query parameter that holds a filter, as JSON text or as an object: `filters_v2`. */
export const FilterQuery: Schema.Schema<Filter, FilterInput | string> = Fields.custom(
  (input) => (typeof input === "string" ? parseText(input) : parse(input, QUERY_LIMITS)),
  (filter) => JSON.stringify(encode(filter)),
  { type: "string", contentMediaType: "application/json" }
)
