/** Properties of every filter parser. */
import { type FieldErrors, Filters } from "@earshot/core"
import * as Either from "effect/Either"
import * as fc from "fast-check"
import { isDeepStrictEqual } from "node:util"
import { invariant, type Property, property, expectEqual, expectEvery, expectIncludes } from "../Property.js"
import { condition, filter, filterJson } from "./FilterArbitraries.js"
import { invalidFilter, invalidFilters } from "./InvalidFilters.js"

/** Parses the wire form, or returns every error by its path from the filter's root: `conditions[2].op`. */
export type Parse = (input: unknown) => Either.Either<Filters.Filter, FieldErrors.FieldErrors>
export type Print = (filter: Filters.Filter) => unknown

const pathsOf = (read: ReturnType<Parse>): ReadonlyArray<string> =>
  Either.match(read, { onLeft: Object.keys, onRight: () => [] })

/** A known operator on a field that does not take it. */
const foreignOperator = fc
  .constantFrom(...Filters.FIELD_NAMES)
  .chain((field) => {
    const taken: ReadonlyArray<string> = Filters.OPERATORS[Filters.fieldOf(field)?.type ?? "dynamic"]
    const others = Filters.LEAF_OPERATORS.filter((op) => !taken.includes(op))
    return others.length === 0
      ? fc.constant(null)
      : fc.record({ field: fc.constant(field), op: fc.constantFrom(...others), value: fc.constantFrom("a", 1, true) })
  })
  .filter((one) => one !== null)

/** Properties of parsing and encoding filters. */
export const parseProperties = (parse: Parse, print: Print): ReadonlyArray<Property> => [
  ...invalidFilters.map(({ input, path, wrong }) =>
    invariant(`${wrong} is a fault of ${path.slice(0, 40)}`, () => {
      expectEqual("pathsOf(parse(input))", pathsOf(parse(input)), [path])
    })
  ),
  property(
    "an error is reported under its path, wherever in a filter it is, and no other error",
    [invalidFilter],
    (flaw) => {
      expectEqual("pathsOf(parse(flaw.input))", pathsOf(parse(flaw.input)), [flaw.path])
    }
  ),
  property(
    "an operator that a field does not take is reported under its op",
    [foreignOperator, fc.boolean()],
    (leaf, inGroup) => {
      if (inGroup) {
        expectIncludes(
          'pathsOf(parse({ operator: "not", conditions: [leaf] }))',
          pathsOf(parse({ operator: "not", conditions: [leaf] })),
          "conditions[0].op"
        )
      } else {
        expectIncludes("pathsOf(parse(leaf))", pathsOf(parse(leaf)), "op")
      }
    }
  ),
  property(
    "not takes exactly one condition",
    [fc.array(condition, { maxLength: 3 }), fc.boolean()],
    (conditions, isInner) => {
      const not = { operator: "not", conditions }
      const paths = pathsOf(parse(isInner ? { operator: "and", conditions: [not] } : not))
      const path = isInner ? "conditions[0].conditions" : "conditions"
      if (conditions.length === 1) {
        expectEqual("paths.length", paths.length, 0)
      } else {
        expectIncludes("paths", paths, path)
      }
    }
  ),
  property(
    "an unknown key is reported by its name",
    [condition, fc.constantFrom("label", "Field", "operators", "not", "toString")],
    (input, key) => {
      expectIncludes('pathsOf(parse({ ...input, [key]: "a" }))', pathsOf(parse({ ...input, [key]: "a" })), key)
    }
  ),
  property(
    "every error is reported, not just the first",
    [fc.array(fc.constantFrom(...invalidFilters.slice(0, 30)), { minLength: 2, maxLength: 4 })],
    (flaws) => {
      const paths = pathsOf(parse({ operator: "and", conditions: flaws.map(({ input }) => input) }))
      expectEvery("flaws", flaws, ({ path }, at) =>
        paths.includes(path === "non_field_errors" ? `conditions[${at}]` : `conditions[${at}].${path}`)
      )
    }
  ),
  property("parsing an encoded filter returns the filter", [filter], (one) => {
    const printed: unknown = JSON.parse(JSON.stringify(print(one)))
    expectEqual("the parsed filter", Either.merge(parse(printed)), one)
  }),
  property("a parsed filter is normalized, however many empty filters it contained", [filterJson], (input) => {
    expectEqual(
      "Either.match(parse(input), { onLeft: () => false, onRight: (read) => Either.match(parse...",
      Either.match(parse(input), {
        onLeft: () => false,
        onRight: (read) =>
          Either.match(parse(print(read)), { onLeft: () => false, onRight: (again) => isDeepStrictEqual(again, read) })
      }),
      true
    )
  }),
  property(
    "any input is parsed or rejected, and never throws",
    [fc.anything({ withBigInt: true, withDate: true, withMap: true, withNullPrototype: true })],
    (input) => {
      expectEvery(
        '[input, { operator: "and", conditions: [input, { field: input, op: ...',
        [input, { operator: "and", conditions: [input, { field: input, op: input, value: input }] }],
        (one) => {
          const read = parse(one)
          return Either.isRight(read) || pathsOf(read).length > 0
        }
      )
    }
  )
]
