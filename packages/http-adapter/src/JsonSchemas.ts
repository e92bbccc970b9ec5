/** The JSON Schemas of the engine's own schemas, in the plain words that OpenAPI tools agree on. */
import * as JSONSchema from "effect/JSONSchema"
import type * as Schema from "effect/Schema"

/** A JSON Schema; the functions below read its keywords. */
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

/** The schemas of which a value has to meet one; the schema itself where it names no alternatives. */
export const alternativesOf = (schema: JsonSchema): ReadonlyArray<JsonSchema> => {
  const members = schemaList(schema.anyOf)
  return members.length === 0 ? [schema] : members.flatMap(alternativesOf)
}

const REFERENCE = "#/components/schemas/"

export interface SchemaGenerator {
  /** The schema of a wire form. What has a name of its own in it is referred to, and found in `named`. */
  readonly describe: (schema: Schema.Schema.All) => JsonSchema
  /** The schemas that are referred to, by name. */
  readonly named: () => ReadonlyMap<string, JsonSchema>
  /** The same with references followed. */
  readonly follow: (schema: JsonSchema) => JsonSchema
}

export const makeSchemaGenerator = (): SchemaGenerator => {
  // The library fills in what it refers to.
  const definitions: Parameters<typeof JSONSchema.fromAST>[1]["definitions"] = {}
  const definition = (reference: unknown): unknown =>
    typeof reference === "string" ? definitions[reference.slice(REFERENCE.length)] : undefined

  const tidy = (node: unknown): JsonSchema => {
    if (!isObject(node)) return {}
    const { $ref, allOf, anyOf, ...rest } = node
    if ($ref !== undefined) {
      const said = overrideFor($ref) ?? tidy(definition($ref))
      // Numbers, texts and the like are said where they stand: a reference with something beside it confuses tools.
      return isNamed(said) ? { $ref } : { ...said, ...keywords(rest) }
    }
    const parts = schemaList(allOf)
    if (parts.length === 1) return { ...tidy(parts[0]), ...keywords(rest) }
    const members = schemaList(anyOf)
      .map(tidy)
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
            // Bodies may have more fields than are known, and answers may get more.
            return value === false ? [] : [[keyword, tidy(value)]]
          case "required":
            return Array.isArray(value) && value.length === 0 ? [] : [[keyword, value]]
          case "properties":
            return isObject(value) && Object.keys(value).length === 0 ? [] : [[keyword, mapValues(value, tidy)]]
          case "items":
          case "not":
            return [[keyword, tidy(value)]]
          default:
            return [[keyword, value]]
        }
      })
    )

  const follow = (node: unknown): JsonSchema => {
    if (!isObject(node)) return {}
    if (node.$ref !== undefined) return follow(tidy(definition(node.$ref)))
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
      tidy(JSONSchema.fromAST(schema.ast, { definitions, definitionPath: REFERENCE, target: "openApi3.1" })),
    named: () =>
      new Map(
        Object.entries(definitions)
          .map(([name, node]) => [name, overrideFor(REFERENCE + name) ?? tidy(node)] as const)
          .filter(([, schema]) => isNamed(schema))
      ),
    follow
  }
}

/** What the library writes of its own accord. */
const GENERATED_DESCRIPTION = /^(?:an? (?:number|integer|string|non-|positive|finite)|a string to be decoded)/

/** Definitions that the library describes in words of its own. */
const overrideFor = (reference: unknown): JsonSchema | undefined =>
  reference === `${REFERENCE}DateTimeUtc` ? { type: "string", format: "date-time" } : undefined

/** Whether a schema is worth a name in the document: objects and choices between them. */
const isNamed = (schema: JsonSchema): boolean =>
  alternativesOf(schema).some((one) => one.properties !== undefined || one.$ref !== undefined)

const isPlainUnion = (schema: JsonSchema): boolean => schema.anyOf !== undefined && Object.keys(schema).length === 1
