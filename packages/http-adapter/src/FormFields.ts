import { isUtf8 } from "node:buffer"
import { Upload } from "@earshot/core"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { fieldError, messageErrors, type HttpResponseError } from "./ErrorResponses.js"
import { alternativesOf, type JsonSchema, makeSchemaGenerator, propertiesOf } from "./JsonSchemas.js"
import { parseJson } from "./JsonText.js"
import type { HttpLimits } from "./Limits.js"

/** A decoded field of a form. */
export type FormEntry = readonly [name: string, value: string | Upload]

/**
 * Converts the fields of a form or a query to the equivalent JSON body: repeated fields become a list, and the text of a
 * list, an object or an untyped value is parsed as JSON if it is JSON. Other values stay text, which the engine's fields
 * accept (`"5"` for an integer).
 */
export interface FormFields {
  readonly collect: (
    limits: HttpLimits,
    entries: ReadonlyArray<FormEntry>
  ) => Either.Either<Readonly<Record<string, unknown>>, HttpResponseError>
}

interface FieldKind {
  readonly type: "file" | "list" | "json" | "scalar"
  /** What an empty value means: an empty string, null, or whatever the engine makes of it. */
  readonly empty: "text" | "null" | "unchanged"
}

const unknownField: FieldKind = { type: "scalar", empty: "text" }

const kindsBySchema = new WeakMap<Schema.Schema.All, ReadonlyMap<string, FieldKind>>()

/** Worked out once for each schema, whatever the number of servers. */
const kindsOf = (schema: Schema.Schema.All): ReadonlyMap<string, FieldKind> => {
  const known = kindsBySchema.get(schema)
  if (known !== undefined) return known
  const describer = makeSchemaGenerator()
  const kinds = new Map(
    propertiesOf(describer.follow(describer.describe(schema))).map(([name, one]) => [name, fieldKind(one)])
  )
  kindsBySchema.set(schema, kinds)
  return kinds
}

export const formFields = (schema: Schema.Schema.All): FormFields => {
  const kinds = kindsOf(schema)

  /** The JSON equivalent of one value. */
  const read = (
    limits: HttpLimits,
    kind: FieldKind,
    value: string | Upload
  ): Either.Either<unknown, HttpResponseError> => {
    if (kind.type === "file") return Either.right(value === "" ? null : value)
    return Either.flatMap(decodeText(value), (text): Either.Either<unknown, HttpResponseError> => {
      if (text === "" && kind.empty === "null") return Either.right(null)
      if (text === "" && kind.type === "list") return Either.right([])
      return kind.type === "scalar" ? Either.right(text) : parseStructured(limits, kind, text)
    })
  }

  return {
    collect: (limits, entries) =>
      Either.gen(function* () {
        if (entries.length > limits.parts) return yield* Either.left(messageErrors.tooManyParts(limits.parts))
        const given = new Map<string, Array<unknown>>()
        for (const [name, value] of entries) {
          const kind = kinds.get(name) ?? unknownField
          const seen = given.get(name) ?? []
          if (kind.type === "file" && seen.length > 0) {
            return yield* Either.left(fieldError(name, "Ensure there is at most one file."))
          }
          seen.push(yield* read(limits, kind, value))
          given.set(name, seen)
        }
        return Object.fromEntries(
          [...given].map(([name, values]) => {
            const isList = kinds.get(name)?.type === "list"
            const last = values[values.length - 1]
            // A single value of a list field is a list of one. If another field is repeated, its last value is taken.
            return [name, !isList || (values.length === 1 && (Array.isArray(last) || last === null)) ? last : values]
          })
        )
      })
  }
}

/** A file is accepted for a text field, as `curl -F transcript_json=@call.json` sends it. */
const decodeText = (value: string | Upload): Either.Either<string, HttpResponseError> =>
  !(value instanceof Upload)
    ? Either.right(value)
    : isUtf8(value.bytes)
      ? Either.right(Buffer.from(value.bytes).toString())
      : Either.left(messageErrors.malformedText)

/** Parses a text as JSON. Text that is not JSON is kept, so that the engine reports the field error. */
const parseStructured = (
  limits: HttpLimits,
  kind: FieldKind,
  text: string
): Either.Either<unknown, HttpResponseError> =>
  Either.match(parseJson(limits, Buffer.from(text)), {
    onRight: (value) =>
      Either.right(kind.type === "list" && (typeof value !== "object" || value === null) ? text : value),
    onLeft: (error) => (error === messageErrors.malformedJson ? Either.right(text) : Either.left(error))
  })

const fieldKind = (schema: JsonSchema): FieldKind => {
  const alternatives = alternativesOf(schema)
  const has = (type: string) => alternatives.some((one) => one.type === type)
  const isUntyped = alternatives.some(
    (one) => one.type === undefined && one.enum === undefined && one.const === undefined
  )
  const empty = has("string") ? "text" : has("null") || isUntyped ? "null" : "unchanged"
  return alternatives.some((one) => one.format === "binary")
    ? { type: "file", empty }
    : has("array")
      ? { type: "list", empty }
      : has("object") || isUntyped
        ? { type: "json", empty }
        : { type: "scalar", empty }
}
