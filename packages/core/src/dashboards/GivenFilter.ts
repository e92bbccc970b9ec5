import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Filter } from "../filters/Filter.js"
import { type FilterInput, FilterJsonSchema } from "../filters/FilterJson.js"
import { parse } from "../filters/ParseFilter.js"
import * as Fields from "../kernel/Fields.js"
import type { Json } from "../kernel/Json.js"

/** Whatever the filter parser accepts is JSON. */
const isParsed = (_: unknown): _ is Json => true

/** The JSON form of a filter. */
export const FilterWire: Schema.Schema<Json> = Schema.declare(isParsed, {
  identifier: "Filter",
  jsonSchema: FilterJsonSchema
})

/** A parsed filter with its JSON as given by the client, in which form it is returned. */
export interface GivenFilter {
  readonly given: Json
  readonly filter: Filter
}

export const noFilter: GivenFilter = { given: null, filter: null }

/** A field of an input with a filter. */
export const GivenFilter: Schema.Schema<GivenFilter, FilterInput> = Fields.custom(
  (input) => Either.map(parse(input), (filter) => ({ given: isParsed(input) ? input : null, filter })),
  ({ given }) => given,
  FilterJsonSchema
)
