/** Input given as `FIELD=VALUE` arguments, which override the fields of a JSON document. */
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { UsageError, CommandRejected } from "./Errors.js"
import { readText, displayName } from "./ReadText.js"

export interface InputOptions {
  readonly fields: ReadonlyArray<string>
  /** A file with a JSON object; `-` is stdin. */
  readonly input: string | undefined
}

/** The value of a field: lists, objects and null are JSON, everything else is text. */
const parseValue = (field: string, value: string): Either.Either<unknown, UsageError> =>
  /^[[{]/.test(value) || value === "null"
    ? Either.try({
        try: (): unknown => JSON.parse(value),
        catch: () => new UsageError({ reason: `${field}: This is not valid JSON.` })
      })
    : Either.right(value)

/** The fields of `name=Ann` arguments; the last value of a field counts. */
const parseAssignments = (words: ReadonlyArray<string>): Either.Either<Readonly<Record<string, unknown>>, UsageError> =>
  Either.map(
    Either.all(
      words.map((word) => {
        const at = word.indexOf("=")
        const field = word.slice(0, at)
        return at < 1
          ? Either.left(new UsageError({ reason: `Expected FIELD=VALUE, got ${JSON.stringify(word)}.` }))
          : Either.map(parseValue(field, word.slice(at + 1)), (value) => [field, value] as const)
      })
    ),
    (entries) => Object.fromEntries(entries)
  )

const readDocument = (path: string): Effect.Effect<unknown, CommandRejected> =>
  Effect.flatMap(readText(path), (text) =>
    Effect.try({
      try: (): unknown => JSON.parse(text),
      catch: () => new CommandRejected({ reason: `${displayName(path)}: This is not valid JSON.` })
    })
  )

/** The input, as the engine takes it. */
export const readInput = ({ fields, input }: InputOptions): Effect.Effect<unknown, UsageError | CommandRejected> =>
  Effect.gen(function* () {
    const assigned = yield* parseAssignments(fields)
    if (input === undefined) return assigned
    const document = yield* readDocument(input)
    // The engine validates what is not an object.
    return typeof document === "object" && document !== null && !Array.isArray(document)
      ? { ...document, ...assigned }
      : document
  })
