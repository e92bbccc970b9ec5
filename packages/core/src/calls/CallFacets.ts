/** Facets: how many calls of a selection have each value of a field. */
import type * as DateTime from "effect/DateTime"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type CallField, type Field, fieldOf, type Scalar } from "../filters/Filter.js"
import { decode, type FieldErrors, fieldError, Messages, NON_FIELD, ValidationFailed } from "../kernel/FieldErrors.js"
import * as Fields from "../kernel/Fields.js"
import type { Json } from "../kernel/Json.js"
import { type CallCriteria, callCriteria, selectionFields } from "./CallQuery.js"

/** A field that calls are counted by, with the name that filters have for it. */
export interface FacetField {
  readonly name: string
  readonly field: Exclude<Field, { readonly of: "evaluation" }>
}

/** The fields of a call with few values. Others, such as a time or a duration, have nearly as many values as calls. */
const FACET_FIELDS: ReadonlyArray<CallField> = [
  "status",
  "call_ended_reason",
  "agent.agent_name",
  "topic",
  "is_reviewed",
  "success",
  "dropoff_point",
  "customer_number",
  "agent.id"
]

/** The fields of a request that names none; the paths in use of `metadata` are added. */
const DEFAULT_FIELDS: ReadonlyArray<CallField> = FACET_FIELDS.slice(0, 5)

/** The most fields of a request. */
const MAX_FIELDS = 20

/** The most paths of `metadata` that are added. */
const MAX_PATHS = 5

/** The most values of a field that a request may ask for, and those without a limit. */
const MAX_VALUES = 50
const DEFAULT_VALUES = 10

/** Texts of more characters are counted with the other values: nobody chooses a paragraph from a list. */
export const MAX_FACET_TEXT = 200

/** The newest calls whose `metadata` is read to find the paths in use, and the longest that is read, in characters. */
export const SAMPLED_DOCUMENTS = 200
export const MAX_SAMPLED_CHARACTERS = 16_384

const facetField = (name: string): FacetField | undefined => {
  const field = fieldOf(name)
  return field === undefined || field.of === "evaluation" || (field.of === "call" && !FACET_FIELDS.includes(field.name))
    ? undefined
    : { name, field }
}

const NOT_A_FACET = `Calls cannot be counted by this field. Use ${FACET_FIELDS.join(", ")}, metadata.<path> or dynamic_variables.<path>.`

const namesIn = (input: unknown): unknown => {
  if (typeof input !== "string") return input
  if (!input.trimStart().startsWith("[")) return input.split(",").flatMap((name) => name.trim() || [])
  return Either.getOrNull(Either.try((): unknown => JSON.parse(input)))
}

const parseFields = (input: unknown): Either.Either<ReadonlyArray<FacetField>, FieldErrors> => {
  const names = namesIn(input)
  if (!Array.isArray(names)) return Either.left(fieldError(NON_FIELD, Messages.notAList))
  if (names.length > MAX_FIELDS) return Either.left(fieldError(NON_FIELD, Messages.tooMany(MAX_FIELDS)))
  const found = new Map<string, FacetField>()
  const errors: Record<string, ReadonlyArray<string>> = {}
  names.forEach((name: unknown, position) => {
    const field = typeof name === "string" ? facetField(name) : undefined
    if (field === undefined) errors[`[${position}]`] = [typeof name === "string" ? NOT_A_FACET : Messages.notAString]
    else found.set(field.name, field)
  })
  return Object.keys(errors).length > 0 ? Either.left(errors) : Either.right([...found.values()])
}

/** The query of facets: the selection of a list, the fields and how many values of each. */
export const CallFacetsQuery = Fields.object({
  ...selectionFields,
  fields: Fields.optional(
    Fields.custom<ReadonlyArray<FacetField>>(parseFields, (fields) => fields.map(({ name }) => name).join(","), {
      type: "string",
      description:
        `Names of fields, separated by commas or as a JSON list: ${FACET_FIELDS.join(", ")}, metadata.<path>, ` +
        `dynamic_variables.<path>; at most ${MAX_FIELDS}. Default: ${DEFAULT_FIELDS.join(", ")}, and the paths of metadata ` +
        `in use, at most ${MAX_PATHS}.`
    })
  ),
  limit: Fields.withDefault(Fields.integer({ min: 1, max: MAX_VALUES }), DEFAULT_VALUES)
})

/** What to count. */
export interface FacetRequest {
  readonly criteria: CallCriteria
  readonly fields: ReadonlyArray<FacetField>
  /** Whether the paths of `metadata` in use are added to the fields. */
  readonly withPaths: boolean
  /** Values of each field. */
  readonly limit: number
}

const decodeQuery = decode(CallFacetsQuery)

/** What a query asks for, or all of its field errors. */
export const parseFacetsQuery = (query: unknown, now: DateTime.Utc): Either.Either<FacetRequest, ValidationFailed> =>
  Either.flatMap(decodeQuery(query), (decoded) => {
    const { fields, limit } = decoded
    return Either.map(callCriteria(decoded, now), (criteria) => ({
      criteria,
      fields: fields ?? DEFAULT_FIELDS.flatMap((name) => facetField(name) ?? []),
      withPaths: fields === undefined,
      limit
    }))
  }).pipe(Either.mapLeft((errors) => new ValidationFailed({ errors })))

/** How many calls have a value. */
const FacetValue = Schema.Struct({
  value: Schema.Union(Schema.String, Schema.Number, Schema.Boolean).annotations({
    description: "The value, as a condition of a filter with eq has it."
  }),
  count: Schema.Int.annotations({ description: "How many calls have the value." })
}).annotations({ identifier: "FacetValue" })
export type FacetValue = typeof FacetValue.Type

const CallFacet = Schema.Struct({
  field: Schema.String.annotations({ description: "Name of the field, as in filters." }),
  values: Schema.Array(FacetValue).annotations({ description: "The most frequent values, the most frequent first." }),
  missing: Schema.Int.annotations({ description: "How many calls have no value." }),
  other: Schema.Int.annotations({
    description: `How many calls have another value, a text of more than ${MAX_FACET_TEXT} characters, an object or a list.`
  })
}).annotations({ identifier: "CallFacet" })
export type CallFacet = typeof CallFacet.Type

export const CallFacets = Schema.Struct({
  total: Schema.Int.annotations({ description: "How many calls match." }),
  facets: Schema.Array(CallFacet).annotations({ description: "The fields, in the order of the request." }),
  timedOut: Fields.named(
    "timed_out",
    Schema.Array(Schema.String).annotations({
      description: "Fields that were not counted within the time limit; they are not among the facets."
    })
  )
}).annotations({ identifier: "CallFacets" })
export type CallFacets = typeof CallFacets.Type

export const encodeCallFacets = Schema.encodeSync(CallFacets)

/** The rows of a field: how many calls have a value; null is no value that a filter names. */
export interface CountedValue {
  readonly value: Scalar | null
  /** Whether the field is missing, as `isnull` has it. */
  readonly isMissing: boolean
  readonly count: number
}

/** The facet of a field, of the rows of its most frequent values and those without a value. */
export const facetOf = (field: string, total: number, rows: ReadonlyArray<CountedValue>, limit: number): CallFacet => {
  const values = rows
    .flatMap(({ count, value }): ReadonlyArray<FacetValue> => (value === null ? [] : [{ value, count }]))
    .slice(0, limit)
  const missing = rows.reduce((sum, { count, isMissing }) => sum + (isMissing ? count : 0), 0)
  const named = values.reduce((sum, { count }) => sum + count, 0)
  return { field, values, missing, other: total - missing - named }
}

/** How deep paths in use lead. Filters take longer ones. */
const MAX_DEPTH = 3

/** The values of a document that a filter can name, by path. Keys with a dot cannot be part of a path. */
const leavesOf = (
  value: Json,
  path: ReadonlyArray<string>,
  found: Map<string, Scalar>
): ReadonlyMap<string, Scalar> => {
  if (typeof value === "object" && value !== null) {
    if (Array.isArray(value) || path.length > MAX_DEPTH) return found
    for (const [key, inner] of Object.entries(value)) if (!key.includes(".")) leavesOf(inner, [...path, key], found)
  } else if (value !== null && path.length > 1) found.set(path.join("."), value)
  return found
}

/**
 * The paths in use of some calls' `metadata`, the most frequent first. One whose value is another in every call, such as an
 * id, is none: it divides nothing.
 */
export const pathsInUse = (documents: ReadonlyArray<Json>): ReadonlyArray<FacetField> => {
  const paths = new Map<string, { count: number; readonly values: Set<Scalar> }>()
  for (const document of documents) {
    for (const [path, value] of leavesOf(document, ["metadata"], new Map())) {
      const known = paths.get(path) ?? { count: 0, values: new Set() }
      known.count++
      known.values.add(value)
      paths.set(path, known)
    }
  }
  return [...paths]
    .filter(([, { count, values }]) => values.size < count || documents.length === 1)
    .toSorted(([a, one], [b, other]) => other.count - one.count || (a < b ? -1 : 1))
    .flatMap(([path]) => facetField(path) ?? [])
    .slice(0, MAX_PATHS)
}
