import { Filters } from "@earshot/core"
import * as fc from "fast-check"
import { AGENTS, METRICS } from "./FilterableCalls.js"
import { instant, key, number, text } from "./Vocabulary.js"

const path = fc.oneof(
  { weight: 2, arbitrary: fc.tuple(key) },
  { weight: 1, arbitrary: fc.array(key, { minLength: 2, maxLength: 3 }) }
)

/** A field that some filter can name. */
export const fieldName: fc.Arbitrary<string> = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...Filters.FIELD_NAMES) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom("metadata", "dynamic_variables"), path)
      .map(([document, path]) => [document, ...path].join("."))
  }
)

/** A field of metric evaluations, which is what `same_row` takes. */
export const evaluationField: fc.Arbitrary<string> = fc.constantFrom(
  ...Filters.FIELD_NAMES.filter((name) => name.startsWith("metric_evaluations."))
)

const steps = fc
  .array(
    fc
      .tuple(
        fc.constantFrom("+", "-"),
        fc.integer({ min: 0, max: 40 }),
        fc.constantFrom("s", "m", "h", "d", "w", "M", "y")
      )
      .map((step) => step.join("")),
    { maxLength: 2 }
  )
  .map((all) => all.join(""))

/** A relative time with steps of up to 40 units. */
export const relativeTime: fc.Arbitrary<string> = fc
  .tuple(fc.constantFrom("now", "today"), fc.oneof(fc.constantFrom("", "-1d", "-7d", "-1M", "-12h"), steps))
  .map((parts) => parts.join(""))

/** A time as a filter says it: relative, an instant, or a day. */
export const time: fc.Arbitrary<string> = fc.oneof(
  relativeTime,
  instant.map((millis) => new Date(millis).toISOString()),
  instant.map((millis) => new Date(millis).toISOString().slice(0, 10)),
  instant.map((millis) => new Date(millis).toISOString().replace("Z", "+00:00"))
)

const pattern = fc.constantFrom(
  "a",
  "^a",
  "b$",
  "^$",
  "(?i)CALLER",
  "[0-9]+",
  "a|b",
  ".",
  "(?s)a.b",
  "\\pL",
  "\\bhung\\b",
  "é",
  "%",
  "^(reviewed_)?success$"
)

const name = fc.constantFrom(...AGENTS, ...METRICS).map((one) => one.name)

/** A value that an operator takes on a field of this type (for `in`: one of its values). */
const scalar = (op: Filters.LeafOperator, type: Filters.FieldType): fc.Arbitrary<Filters.Scalar> => {
  switch (op) {
    case "isnull":
      return fc.boolean()
    case "regex":
      return pattern
    case "contains":
    case "startswith":
    case "endswith":
      return fc.oneof(text, name, fc.constantFrom("re", "success", "view"))
    default:
  }
  switch (type) {
    case "integer":
      return fc.oneof(fc.integer({ min: -1, max: 6 }), fc.integer({ min: 1, max: 100 }), fc.maxSafeInteger())
    case "number":
      return number
    case "boolean":
      return fc.boolean()
    case "text":
      return fc.oneof({ weight: 3, arbitrary: text }, { weight: 1, arbitrary: name })
    case "status":
      return fc.constantFrom(...Filters.STATUSES)
    case "timestamp":
      return time
    case "dynamic":
      return ["gt", "gte", "lt", "lte"].includes(op) ? fc.oneof(number, text) : fc.oneof(number, text, fc.boolean())
  }
}

const leafOf = (fields: fc.Arbitrary<string>): fc.Arbitrary<Filters.Leaf> =>
  fields.chain((field) => {
    const type = Filters.fieldOf(field)?.type ?? "dynamic"
    return fc.constantFrom(...Filters.OPERATORS[type]).chain((op) => {
      const value = scalar(op, type)
      return op === "in"
        ? fc.array(value, { minLength: 1, maxLength: 4 }).map((values): Filters.Leaf => ({ field, op, value: values }))
        : value.map((value): Filters.Leaf => ({ field, op, value }))
    })
  })

/** A leaf with an operator and a value that its field takes. */
export const leaf: fc.Arbitrary<Filters.Leaf> = leafOf(fieldName)

/** A leaf about metric evaluations. */
export const evaluationLeaf: fc.Arbitrary<Filters.Leaf> = leafOf(evaluationField)

const several = <A>(arbitrary: fc.Arbitrary<A>) => fc.array(arbitrary, { minLength: 1, maxLength: 3 })

const group = (
  operator: Filters.GroupOperator,
  conditions: fc.Arbitrary<ReadonlyArray<Filters.Condition>>
): fc.Arbitrary<Filters.Condition> => conditions.map((conditions) => ({ operator, conditions }))

const groups = (inner: fc.Arbitrary<Filters.Condition>) =>
  fc.oneof(
    group("and", several(inner)),
    group("or", several(inner)),
    group(
      "not",
      inner.map((one) => [one])
    )
  )

const depth = { maxDepth: 3, depthSize: "small", withCrossShrink: true } as const

/** What stands inside `same_row`: conditions on one evaluation. */
export const rowCondition: fc.Arbitrary<Filters.Condition> = fc.letrec<{ condition: Filters.Condition }>((tie) => ({
  condition: fc.oneof(
    depth,
    { weight: 3, arbitrary: evaluationLeaf },
    { weight: 1, arbitrary: groups(tie("condition")) }
  )
})).condition

/** A condition that is not empty, with groups a few levels deep. It shrinks to a leaf. */
export const condition: fc.Arbitrary<Filters.Condition> = fc.letrec<{ condition: Filters.Condition }>((tie) => ({
  condition: fc.oneof(
    depth,
    { weight: 4, arbitrary: leaf },
    { weight: 3, arbitrary: groups(tie("condition")) },
    { weight: 1, arbitrary: group("same_row", several(rowCondition)) }
  )
})).condition

/** Leaves whose values print alike and differ in type, or that differ in one part only. */
const collidingLeaf: fc.Arbitrary<Filters.Condition> = fc
  .record({
    field: fc.constantFrom("metadata.region", "metadata.region", "metadata.eu"),
    op: fc.constantFrom("eq" as const, "neq" as const),
    value: fc.constantFrom<Filters.Scalar>(1, "1", true, "true", "eu")
  })
  .map((leaf): Filters.Leaf => leaf)

/** Filters of few leaves that collide across types, alone, in groups of one and in groups with doubles. */
const collidingFilter: fc.Arbitrary<Filters.Condition> = fc.oneof(
  collidingLeaf,
  group("and", fc.array(collidingLeaf, { minLength: 1, maxLength: 4, size: "max" })),
  group("or", fc.array(collidingLeaf, { minLength: 1, maxLength: 2 }))
)

/** A filter as `Filters.parse` gives it, now and then the empty one; half of them collide with others. */
export const filter: fc.Arbitrary<Filters.Filter> = fc.option(
  fc.oneof({ withCrossShrink: true }, { weight: 1, arbitrary: condition }, { weight: 1, arbitrary: collidingFilter }),
  { freq: 30 }
)

/**
 * A filter in its wire form with empty filters strewn into its groups, which `Filters.parse` accepts and simplifies.
 */
export const filterJson: fc.Arbitrary<unknown> = fc.letrec<{ filter: unknown }>((tie) => {
  const inner = (): fc.Arbitrary<Array<unknown>> => fc.array(tie("filter"), { maxLength: 3 })
  return {
    filter: fc.oneof(
      depth,
      { weight: 3, arbitrary: leaf },
      {
        weight: 1,
        arbitrary: fc.constantFrom({}, { operator: "and", conditions: [] }, { operator: "or", conditions: [] })
      },
      { weight: 1, arbitrary: inner().map((conditions) => ({ operator: "and", conditions })) },
      { weight: 1, arbitrary: inner().map((conditions) => ({ operator: "or", conditions })) },
      { weight: 1, arbitrary: tie("filter").map((one) => ({ operator: "not", conditions: [one] })) },
      {
        weight: 1,
        arbitrary: fc
          .array(fc.oneof(rowCondition, fc.constant({})), { maxLength: 3 })
          .map((conditions) => ({ operator: "same_row", conditions }))
      }
    )
  }
}).filter
