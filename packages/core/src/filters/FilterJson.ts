import { type Filter, GROUP_OPERATORS, isGroup, LEAF_OPERATORS, type Scalar } from "./Filter.js"

/** A filter in its wire form. */
export type FilterJson =
  | { readonly field: string; readonly op: string; readonly value: Scalar | ReadonlyArray<Scalar> }
  | { readonly operator: string; readonly conditions: ReadonlyArray<FilterJson> }
  | null

/** A filter as an input has it: `{}` matches everything, as null does. */
export type FilterInput = FilterJson | Readonly<Record<string, never>>

/** The wire form of a filter: `parse(encode(filter))` is the filter, and null stays null. */
export const encode = (filter: Filter): FilterJson =>
  filter === null
    ? null
    : isGroup(filter)
      ? { operator: filter.operator, conditions: filter.conditions.map(encode) }
      : { field: filter.field, op: filter.op, value: filter.value }

/** The JSON Schema of a filter's wire form, without its nested conditions. */
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
