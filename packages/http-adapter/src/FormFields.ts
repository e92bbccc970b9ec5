import { isUtf8 } from "node:buffer"
import { Upload } from "@earshot/core"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { fieldError, messageErrors, type HttpResponseError } from "./ErrorResponses.js"
import { alternativesOf, type JsonSchema, makeSchemaGenerator, propertiesOf } from "./JsonSchemas.js"
import { parseJson } from "./JsonText.js"
import type { HttpLimits } from "./Limits.js"

/** A field of a form as it arrived. */
export type FormEntry = readonly [name: string, value: string | Upload]

/**
 * How the fields of a form, or of a query, become what the same body would be in JSON: repeated fields make a list, and
 * the text of a list, an object or a free value is read as JSON where it is JSON. Everything else stays text, which the
 * engine's fields read (`"5"` is a whole number to them).
 */
export interface FormFields {
  readonly collect: (
    limits: HttpLimits,
    entries: ReadonlyArray<FormEntry>
  ) => Either.Either<Readonly<Record<string, unknown>>, HttpResponseError>
}

interface FieldKind {
  readonly is: "file" | "list" | "document" | "word"
  /** Whether a blank is a word like any other, or says that there is nothing. */
  readonly blank: "text" | "null" | "as it is"
}

const unknownField: FieldKind = { is: "word", blank: "text" }

export const formFields = (schema: Schema.Schema.All): FormFields => {
  const describer = makeSchemaGenerator()
  const kinds = new Map(
    propertiesOf(describer.follow(describer.describe(schema))).map(([name, one]) => [name, fieldKind(one)])
  )

  /** One value of a field, as it would stand in JSON. */
  const read = (
    limits: HttpLimits,
    kind: FieldKind,
    value: string | Upload
  ): Either.Either<unknown, HttpResponseError> => {
    if (kind.is === "file") return Either.right(value === "" ? null : value)
    return Either.flatMap(decodeText(value), (text): Either.Either<unknown, HttpResponseError> => {
      if (text === "" && kind.blank === "null") return Either.right(null)
      if (text === "" && kind.is === "list") return Either.right([])
      return kind.is === "word" ? Either.right(text) : parseStructured(limits, kind, text)
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
          if (kind.is === "file" && seen.length > 0) {
            return yield* Either.left(fieldError(name, "Ensure that there is no more than one file."))
          }
          seen.push(yield* read(limits, kind, value))
          given.set(name, seen)
        }
        return Object.fromEntries(
          [...given].map(([name, values]) => {
            const isList = kinds.get(name)?.is === "list"
            const last = values[values.length - 1]
            // One plain value in a list field is a list of one; a field that is no list takes the last word said.
            return [name, !isList || (values.length === 1 && (Array.isArray(last) || last === null)) ? last : values]
          })
        )
      })
  }
}

/** Files can stand for texts, as `curl -F transcript_json=@call.json` sends them. */
const decodeText = (value: string | Upload): Either.Either<string, HttpResponseError> =>
  !(value instanceof Upload)
    ? Either.right(value)
    : isUtf8(value.bytes)
      ? Either.right(Buffer.from(value.bytes).toString())
      : Either.left(messageErrors.malformedText)

/** The JSON that a text is. One that is none stays a text, of which the engine says what is wrong with it. */
const parseStructured = (
  limits: HttpLimits,
  kind: FieldKind,
  text: string
): Either.Either<unknown, HttpResponseError> =>
  Either.match(parseJson(limits, Buffer.from(text)), {
    onRight: (value) =>
      Either.right(kind.is === "list" && (typeof value !== "object" || value === null) ? text : value),
    onLeft: (refused) => (refused === messageErrors.malformedJson ? Either.right(text) : Either.left(refused))
  })

const fieldKind = (schema: JsonSchema): FieldKind => {
  const alternatives = alternativesOf(schema)
  const has = (type: string) => alternatives.some((one) => one.type === type)
  const isFree = alternatives.some((one) => one.type === undefined && one.enum === undefined && one.const === undefined)
  const blank = has("string") ? "text" : has("null") || isFree ? "null" : "as it is"
  return alternatives.some((one) => one.format === "binary")
    ? { is: "file", blank }
    : has("array")
      ? { is: "list", blank }
      : has("object") || isFree
        ? { is: "document", blank }
        : { is: "word", blank }
}
