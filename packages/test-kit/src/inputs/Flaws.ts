/** Invalid values of one field each, with the path of the error. */
import type * as fc from "fast-check"

export type Input = Readonly<Record<string, unknown>>

/** An invalid value of one field. */
export interface InputFlaw {
  /** A description for failures. */
  readonly wrong: string
  readonly patch: Input
  /** The path of the error. */
  readonly path: string
}

export interface InputSubject {
  readonly valid: fc.Arbitrary<Input>
  readonly flaws: ReadonlyArray<InputFlaw>
}

/** An input with one invalid field. */
export interface InvalidInput extends InputFlaw {
  readonly input: Input
}

export const flaw = (wrong: string, path: string, value: unknown, field = path): InputFlaw => ({
  wrong,
  patch: { [field]: value },
  path
})

/** Invalid values of a text that may not be blank. */
export const ofName = (field: string, max: number): ReadonlyArray<InputFlaw> => [
  flaw("nothing", field, undefined),
  flaw("null", field, null),
  flaw("a number", field, 5),
  flaw("a blank text", field, "  "),
  flaw("a character too many", field, "😀".repeat(max + 1)),
  flaw("NUL", field, "a\0"),
  flaw("half a character", field, "\ud800a")
]

export const ofText = (field: string, max: number): ReadonlyArray<InputFlaw> => [
  flaw("a list", field, ["x"]),
  flaw("a character too many", field, "x".repeat(max + 1)),
  flaw("NUL", field, "a\0")
]

export const ofId = (field: string): ReadonlyArray<InputFlaw> => [
  flaw("a word", field, "one"),
  flaw("nothing before the first", field, 0),
  flaw("a fraction", field, 1.5),
  flaw("beyond 2^53", field, 2 ** 53),
  flaw("an object", field, { id: 1 })
]

export const ofRequiredId = (field: string) => [
  flaw("nothing", field, undefined),
  flaw("null", field, null),
  ...ofId(field)
]

export const ofChoice = (field: string): ReadonlyArray<InputFlaw> => [
  flaw("an unknown word", field, "color"),
  flaw("what objects inherit", field, "constructor"),
  flaw("a number", field, 1)
]
