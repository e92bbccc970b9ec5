/**
 * `expand`: what a list leaves out unless a request names it. A resource has one table of names with a description each;
 * decoding, errors, types and the OpenAPI document follow from it.
 */
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import { type FieldErrors, fieldError, Messages, NON_FIELD } from "./FieldErrors.js"
import * as Fields from "./Fields.js"

/** The names that can be expanded, with what each adds to an item. */
export type Expansions = Readonly<Record<string, string>>

/** The names of a table that a request expands. */
export type Expanded<Table extends Expansions> = ReadonlySet<keyof Table & string>

const isNameOf = <Table extends Expansions>(table: Table, name: unknown): name is keyof Table & string =>
  typeof name === "string" && Object.hasOwn(table, name)

const namesIn = (input: unknown): Either.Either<ReadonlyArray<unknown>, FieldErrors> => {
  if (typeof input === "string") {
    const names = input.split(",").map((name) => name.trim())
    return Either.right(names.filter((name) => name !== ""))
  }
  if (Array.isArray(input)) return Either.right(input)
  return Either.left(fieldError(NON_FIELD, input === null ? Messages.notNull : Messages.notAList))
}

/** Names separated by commas, or a list of names. Every unknown name is an error; a name may be repeated. */
export const expandField = <const Table extends Expansions>(table: Table): Schema.Schema<Expanded<Table>, unknown> =>
  Fields.custom<Expanded<Table>>(
    (input) =>
      Either.flatMap(namesIn(input), (names) => {
        const known = names.filter((name) => isNameOf(table, name))
        return known.length === names.length
          ? Either.right(new Set(known))
          : Either.left({
              [NON_FIELD]: [
                ...new Set(
                  names
                    .filter((name) => !isNameOf(table, name))
                    .map((name) => Messages.notAChoice(name, Object.keys(table)))
                )
              ]
            })
      }),
    (names) => [...names].join(","),
    {
      type: "string",
      description: [
        "Names separated by commas, each of which adds fields to every item:",
        Object.entries(table)
          .map(([name, adds]) => `\`${name}\`: ${adds}`)
          .join("; ")
      ].join(" ")
    }
  )
