/** JSON Schemas of the engine's Effect schemas, reduced to the keywords that OpenAPI tools agree on. */
import * as JSONSchema from "effect/JSONSchema"
import type * as Schema from "effect/Schema"

/** A JSON Schema. */
export interface JsonSchema {
  readonly [keyword: string]: unknown
}

export const isObject = (value: unknown): value is JsonSchema =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const schemaList = (value: unknown): ReadonlyArray<JsonSchema> => (Array.isArray(value) ? value.filter(isObject) : [])

const mapValues = (object: unknown, change: (value: unknown) => unknown): JsonSchema =>
  Object.fromEntries(Object.entries(isObject(object) ? object : {}).map(([key, value]) => [key, change(value)]))

export const propertiesOf = (schema: JsonSchema): ReadonlyArray<readonly [name: string, property: JsonSchema]> =>
  Object.entries(isObject(schema.properties) ? schema.properties : {}).flatMap(([name, property]) =>
    isObject(property) ? [[name, property] as const] : []
  )

export const requiredOf = (schema: JsonSchema): ReadonlyArray<unknown> =>
  Array.isArray(schema.required) ? schema.required : []

/** The members of `anyOf`, flattened; the schema itself if it has no `anyOf`. */
export const alternativesOf = (schema: JsonSchema): ReadonlyArray<JsonSchema> => {
  const members = schemaList(schema.anyOf)
  return members.length === 0 ? [schema] : members.flatMap(alternativesOf)
}

const REFERENCE = "#/components/schemas/"

export interface SchemaGenerator {
  /** The JSON Schema of an Effect schema's encoded side. Named schemas in it are references, resolved by `named`. */
  readonly describe: (schema: Schema.Schema.All) => JsonSchema
  /** The schemas that references point to, by name. */
  readonly named: () => ReadonlyMap<string, JsonSchema>
  /** The same schema with its references resolved. */
  readonly follow: (schema: JsonSchema) => JsonSchema
}

export const makeSchemaGenerator = (): SchemaGenerator => {
  // Filled in by JSONSchema.fromAST.
  const definitions: Parameters<typeof JSONSchema.fromAST>[1]["definitions"] = {}
  const definition = (reference: unknown): unknown =>
    typeof reference === "string" ? definitions[reference.slice(REFERENCE.length)] : undefined

  const simplify = (node: unknown): JsonSchema => {
    if (!isObject(node)) return {}
    const { $ref, allOf, anyOf, ...rest } = node
    if ($ref !== undefined) {
      const target = overrideFor($ref) ?? simplify(definition($ref))
      // Scalars are inlined: keywords next to a reference confuse tools.
      return isNamed(target) ? { $ref } : { ...target, ...keywords(rest) }
    }
    const parts = schemaList(allOf)
    if (parts.length === 1) return { ...simplify(parts[0]), ...keywords(rest) }
    const members = schemaList(anyOf)
      .map(simplify)
      .flatMap((member) => (isPlainUnion(member) ? schemaList(member.anyOf) : [member]))
    const distinct = members.filter(
      (member, position) => members.findIndex((other) => JSON.stringify(other) === JSON.stringify(member)) === position
    )
    const only = distinct[0]
    return distinct.length === 1 && only !== undefined
      ? { ...only, ...keywords(rest) }
      : { ...keywords(rest), ...(distinct.length === 0 ? {} : { anyOf: distinct }) }
  }

  const keywords = (node: JsonSchema): JsonSchema =>
    Object.fromEntries(
      Object.entries(node).flatMap(([keyword, value]): ReadonlyArray<readonly [string, unknown]> => {
        switch (keyword) {
          case "$id":
          case "$schema":
          case "title":
            return []
          case "description":
            return typeof value === "string" && GENERATED_DESCRIPTION.test(value) ? [] : [[keyword, value]]
          case "additionalProperties":
            // Unknown fields of bodies are ignored, and responses may gain fields.
            return value === false ? [] : [[keyword, simplify(value)]]
          case "required":
            return Array.isArray(value) && value.length === 0 ? [] : [[keyword, value]]
          case "properties":
            return isObject(value) && Object.keys(value).length === 0 ? [] : [[keyword, mapValues(value, simplify)]]
          case "items":
          case "not":
            return [[keyword, simplify(value)]]
          default:
            return [[keyword, value]]
        }
      })
    )

  const follow = (node: unknown): JsonSchema => {
    if (!isObject(node)) return {}
    if (node.$ref !== undefined) return follow(simplify(definition(node.$ref)))
    return Object.fromEntries(
      Object.entries(node).map(([keyword, value]) => [
        keyword,
        keyword === "properties"
          ? mapValues(value, follow)
          : keyword === "items" || keyword === "additionalProperties"
            ? follow(value)
            : keyword === "anyOf" && Array.isArray(value)
              ? value.map(follow)
              : value
      ])
    )
  }

  return {
    describe: (schema) =>
      simplify(JSONSchema.fromAST(schema.ast, { definitions, definitionPath: REFERENCE, target: "openApi3.1" })),
    named: () =>
      new Map(
        Object.entries(definitions)
          .map(([name, node]) => [name, overrideFor(REFERENCE + name) ?? simplify(node)] as const)
          .filter(([, schema]) => isNamed(schema))
      ),
    follow
  }
}

/** Descriptions that the library generates. */
const GENERATED_DESCRIPTION = /^(?:an? (?:number|integer|string|non-|positive|finite)|a string to be decoded)/

/** Replaces schemas of the library whose description is not standard. */
const overrideFor = (reference: unknown): JsonSchema | undefined =>
  reference === `${REFERENCE}DateTimeUtc` ? { type: "string", format: "date-time" } : undefined

/** Whether a schema gets a name in the document: objects and unions of objects. */
const isNamed = (schema: JsonSchema): boolean =>
  alternativesOf(schema).some((one) => one.properties !== undefined || one.$ref !== undefined)

const isPlainUnion = (schema: JsonSchema): boolean => schema.anyOf !== undefined && Object.keys(schema).length === 1
