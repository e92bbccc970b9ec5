import * as Either from "effect/Either"
import { RE2JS } from "re2js"

/** The longest pattern, in UTF-16 units. */
const MAX_PATTERN = 1000

/**
 * The largest program a pattern may compile to, in instructions. Matching takes time in proportion to text and program,
 * and `(?:a?){1000}` is a large program in few characters.
 */
const MAX_PROGRAM = 1000

/** Whether a text contains a match. */
export type Pattern = (text: string) => boolean

/**
 * Compiles an RE2 pattern, which matches in linear time: no backtracking, hence no backreferences and no lookaround.
 * Returns the error message of an invalid pattern.
 */
export const compile = (pattern: string): Either.Either<Pattern, string> => {
  if (pattern.length > MAX_PATTERN) {
    return Either.left(`Ensure this regular expression has no more than ${MAX_PATTERN} characters.`)
  }
  return Either.try({
    try: () => RE2JS.compile(pattern),
    catch: (error) => `Not a valid regular expression: ${error instanceof Error ? error.message : String(error)}.`
  }).pipe(
    Either.filterOrLeft(
      (compiled) => compiled.programSize() <= MAX_PROGRAM,
      () => "This regular expression is too large: use fewer repetitions."
    ),
    Either.map((compiled) => (text) => compiled.test(text))
  )
}
