import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

/** The key of errors that belong to no field. */
export const NON_FIELD = "non_field_errors"

/**
 * The field errors of an input: field paths (`scenarios[1].metrics[0]`, `filters.conditions[2].op`) to one or more
 * messages for a person. Never empty in a failure.
 */
export type FieldErrors = Readonly<Record<string, ReadonlyArray<string>>>

/** An invalid input, with every field error and not just the first. */
export class ValidationFailed extends Schema.TaggedError<ValidationFailed>("@earshot/core/ValidationFailed")(
  "ValidationFailed",
  { errors: Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) }) }
) {
  override get message(): string {
    return Object.entries(this.errors)
      .map(([path, messages]) => `${path}: ${messages.join(" ")}`)
      .join("\n")
  }
}

export type PathSegment = PropertyKey

/** Formats a path as the key of an error: names joined by dots, positions in brackets. */
export const formatPath = (path: ReadonlyArray<PathSegment>): string =>
  path.reduce<string>(
    (printed, segment) =>
      typeof segment === "number"
        ? `${printed}[${segment}]`
        : printed === "" || String(segment).startsWith("[")
          ? `${printed}${String(segment)}`
          : `${printed}.${String(segment)}`,
    ""
  ) || NON_FIELD

export const fieldError = (path: string, ...messages: ReadonlyArray<string>): FieldErrors => ({ [path]: messages })

export const noFieldErrors: FieldErrors = {}

export const hasFieldErrors = (errors: FieldErrors): boolean => Object.keys(errors).length > 0

/** Merges field errors; messages under the same path are kept once each, in order. */
export const mergeFieldErrors = (...all: ReadonlyArray<FieldErrors>): FieldErrors => {
  const merged = new Map<string, Set<string>>()
  for (const errors of all) {
    for (const [path, messages] of Object.entries(errors)) {
      const known = merged.get(path) ?? new Set()
      for (const message of messages) known.add(message)
      merged.set(path, known)
    }
  }
  return Object.fromEntries([...merged].map(([path, messages]) => [path, [...messages]]))
}

/** Moves errors under a parent: `op` found inside `filters` becomes `filters.op`, `[0]` becomes `filters[0]`. */
export const underPath = (parent: string, errors: FieldErrors): FieldErrors =>
  Object.fromEntries(
    Object.entries(errors).map(([path, messages]) => [
      path === NON_FIELD ? parent : path.startsWith("[") ? `${parent}${path}` : `${parent}.${path}`,
      messages
    ])
  )

/** The value, or the errors if there are any. */
export const failIfFieldErrors = <A>(errors: FieldErrors, value: () => A): Either.Either<A, FieldErrors> =>
  hasFieldErrors(errors) ? Either.left(errors) : Either.right(value())

/** More choices than that are not listed in a message. There are 49 languages. */
const MAX_LISTED = 50

/** Messages used in more than one place; clients match on them, so each has one wording. */
export const Messages = {
  unknownField: "Unknown field.",
  required: "This field is required.",
  notNull: "This field may not be null.",
  notBlank: "This field may not be blank.",
  notAString: "Not a valid string.",
  notAnInteger: "A valid integer is required.",
  notPositive: "A positive whole number is required.",
  notANumber: "A valid number is required.",
  notABoolean: "Must be a valid boolean.",
  notATimestamp:
    "Datetime has wrong format. Use one of these formats instead: YYYY-MM-DDThh:mm[:ss[.uuuuuu]][+HH:MM|-HH:MM|Z].",
  notAList: "Expected a list of items.",
  notAnObject: "Expected an object.",
  notAChoice: (value: unknown, choices: ReadonlyArray<string>) => {
    const message = `"${shorten(value)}" is not a valid choice.`
    return choices.length > MAX_LISTED ? message : `${message} Choose from ${choices.join(", ")}.`
  },
  closeToAChoice: (value: unknown, closest: string) =>
    `"${shorten(value)}" is not a valid choice; did you mean "${closest}"?`,
  notAHeader: (name: string) => `"${shorten(name)}" is not a valid header name.`,
  otherProject: (id: number) => `The id ${id} is of another project.`,
  unknownId: (id: unknown) => `Invalid pk "${shorten(id)}" - object does not exist.`,
  repeatedId: (id: number) => `The id ${id} is given more than once.`,
  tooLong: (limit: number) => `Ensure this field has no more than ${limit} characters.`,
  tooMany: (limit: number) => `Ensure this field has no more than ${limit} elements.`,
  tooFew: (limit: number) => `Ensure this field has at least ${limit} elements.`,
  tooLarge: (limit: number) => `Ensure this value is less than or equal to ${limit}.`,
  tooSmall: (limit: number) => `Ensure this value is greater than or equal to ${limit}.`,
  notWithin: (min: number, max: number) => `Ensure this value is between ${min} and ${max}.`
} as const

/**
 * Quotes what a client sent, shortened, so that a message never repeats a whole hostile body. Objects and lists are only
 * indicated: printing one that is nested 100,000 deep would overflow the stack.
 */
const shorten = (value: unknown): string => {
  const text = Array.isArray(value) ? "[...]" : typeof value === "object" && value !== null ? "{...}" : String(value)
  return text.length > 60 ? `${Array.from(text.slice(0, 60)).slice(0, 57).join("")}...` : text
}

/**
 * Every error of a failed decode, keyed by path. A schema gives its message with a `message` annotation (see
 * `kernel/Fields.ts`); the default is the schema library's own message.
 */
export const fromParseError = (error: ParseResult.ParseError): FieldErrors =>
  mergeFieldErrors(...collect(error.issue, []))

const collect = (issue: ParseResult.ParseIssue, path: ReadonlyArray<PathSegment>): ReadonlyArray<FieldErrors> => {
  switch (issue._tag) {
    case "Missing":
      return [fieldError(formatPath(path), Messages.required)]
    case "Unexpected":
      return [fieldError(formatPath(path), Messages.unknownField)]
    case "Pointer":
      return collect(issue.issue, [...path, ...Arr.ensure(issue.path)])
    case "Composite": {
      if (overrides(issue.ast)) return [messageOf(issue, path)]
      const issues = Arr.ensure(issue.issues)
      // "Expected null" does not help a client that sent an invalid value to a nullable field.
      const relevant = issue.ast._tag === "Union" ? issues.filter((member) => !expectsNull(member)) : issues
      return relevant.flatMap((inner) => collect(inner, path))
    }
    case "Refinement":
    case "Transformation":
      return overrides(issue.ast) ? [messageOf(issue, path)] : collect(issue.issue, path)
    case "Type":
    case "Forbidden":
      // A struct whose fields have defaults or other names is a transformation, which keeps no message of its own.
      return issue.ast._tag === "TypeLiteral" && Option.isNone(SchemaAST.getMessageAnnotation(issue.ast))
        ? [fieldError(formatPath(path), issue.actual === null ? Messages.notNull : Messages.notAnObject)]
        : [messageOf(issue, path)]
  }
}

const messageOf = (issue: ParseResult.ParseIssue, path: ReadonlyArray<PathSegment>): FieldErrors =>
  fieldError(formatPath(path), ParseResult.TreeFormatter.formatIssueSync(issue))

const overrides = (ast: SchemaAST.AST): boolean =>
  Option.match(SchemaAST.getMessageAnnotation(ast), {
    onNone: () => false,
    onSome: (message) => {
      const result = message(new ParseResult.Type(ast, undefined))
      return typeof result === "object" && "override" in result && result.override
    }
  })

const expectsNull = (member: ParseResult.ParseIssue): boolean =>
  member._tag === "Type" &&
  (member.ast._tag === "UndefinedKeyword" || (member.ast._tag === "Literal" && member.ast.literal === null))

/** An object without its fields that are undefined. */
const withoutUndefined = (input: unknown): unknown =>
  typeof input === "object" && input !== null && !Array.isArray(input) && Object.values(input).includes(undefined)
    ? Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined))
    : input

/**
 * Decodes an untrusted input: the value, or every field error. Unknown fields are ignored, and a field of the input that is
 * undefined is one that was left out.
 */
export const decode = <A, I>(schema: Schema.Schema<A, I>): ((input: unknown) => Either.Either<A, FieldErrors>) => {
  const decodeUnknown = Schema.decodeUnknownEither(schema, { errors: "all", onExcessProperty: "ignore" })
  return (input) => Either.mapLeft(decodeUnknown(withoutUndefined(input)), fromParseError)
}

/** `decode` as a step of a use case. */
export const decodeInput = <A, I>(schema: Schema.Schema<A, I>, input: unknown): Either.Either<A, ValidationFailed> =>
  Either.mapLeft(decode(schema)(input), (errors) => new ValidationFailed({ errors }))
