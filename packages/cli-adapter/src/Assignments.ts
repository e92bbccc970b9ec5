/** An input given as `FIELD=VALUE` words, with a JSON document under them where there is one. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Misused, Refused } from "./Faults.js"
import { readText, shownName } from "./ReadText.js"

export interface InputOptions {
  readonly fields: ReadonlyArray<string>
  /** A file with a JSON object; `-` is stdin. */
  readonly input: Option.Option<string>
}

/** A value as the same field would be in JSON: lists, objects and null are JSON, everything else is text. */
const readValue = (field: string, value: string): Either.Either<unknown, Misused> =>
  /^[[{]/.test(value) || value === "null"
    ? Either.try({
        try: (): unknown => JSON.parse(value),
        catch: () => new Misused({ reason: `${field}: this is not valid JSON.` })
      })
    : Either.right(value)

/** The fields of `name=Ann` words; of one that is named twice the last counts. */
export const readAssignments = (
  words: ReadonlyArray<string>
): Either.Either<Readonly<Record<string, unknown>>, Misused> =>
  Either.map(
    Either.all(
      words.map((word) => {
        const at = word.indexOf("=")
        const field = word.slice(0, at)
        return at < 1
          ? Either.left(new Misused({ reason: `Write FIELD=VALUE instead of ${JSON.stringify(word)}.` }))
          : Either.map(readValue(field, word.slice(at + 1)), (value) => [field, value] as const)
      })
    ),
    (entries) => Object.fromEntries(entries)
  )

const readDocument = (path: string): Effect.Effect<unknown, Refused> =>
  Effect.flatMap(readText(path), (text) =>
    Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => new Refused({ reason: `${shownName(path)}: This is not valid JSON.` })
    })
  )

/** The input that is meant, as the engine takes it. */
export const readInput = ({ fields, input }: InputOptions): Effect.Effect<unknown, Misused | Refused> =>
  Effect.gen(function* () {
    const assigned = yield* readAssignments(fields)
    if (Option.isNone(input)) return assigned
    const document = yield* readDocument(input.value)
    // What is no object is judged by the engine, in its own words.
    return typeof document === "object" && document !== null && !Array.isArray(document)
      ? { ...document, ...assigned }
      : document
  })
