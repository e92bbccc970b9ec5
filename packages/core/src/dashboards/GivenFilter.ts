import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Filter } from "../filters/Filter.js"
import { FilterJsonSchema } from "../filters/FilterJson.js"
import { parse } from "../filters/ParseFilter.js"
import * as Fields from "../kernel/Fields.js"
import type { Json } from "../kernel/Json.js"

/** Whatever the parser of filters lets through is JSON; it has limits of its own. */
const isParsed = (_: unknown): _ is Json => true

/** A filter as it travels. */
export const FilterWire: Schema.Schema<Json> = Schema.declare(isParsed, {
  identifier: "Filter",
  jsonSchema: FilterJsonSchema
})

/** A filter with the words in which a client gave it, which is how it is shown to that client again. */
export interface GivenFilter {
  readonly given: Json
  readonly filter: Filter
}

export const noFilter: GivenFilter = { given: null, filter: null }

/** A field that holds a filter and keeps the words. */
export const GivenFilter: Schema.Schema<GivenFilter, unknown> = Fields.custom(
  (input) => Either.map(parse(input), (filter) => ({ given: isParsed(input) ? input : null, filter })),
  ({ given }) => given,
  FilterJsonSchema
)
