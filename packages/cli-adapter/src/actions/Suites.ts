import { writeFile } from "node:fs/promises"
import { basename } from "node:path"
import {
  Credits,
  encodeValidatedSuite,
  FieldErrors,
  JUnit,
  loadSyntax,
  locator,
  parseSuiteText,
  type SuiteSyntax,
  syntaxOf,
  type SyntaxName,
  type TextPosition,
  type PlannedScenario,
  type SuitePlan,
  Suites,
  Upload
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { fieldErrorLines, ReportedFailure, CommandRejected } from "../Errors.js"
import { readBytes, displayName } from "../ReadText.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import { callAs, resolveCaller, withEngine } from "../Session.js"
import { type CommonOptions, defined, plainEngine } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { sanitize, jsonLine } from "../Text.js"

/** What the commands over a suite file take. */
export interface SuiteFileOptions extends CommonOptions {
  readonly file: string
  readonly agent: number | undefined
  readonly channel: string | undefined
  readonly name: string | undefined
  readonly junit: string | undefined
  readonly scenarios: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
}

export type ValidateOptions = SuiteFileOptions

const columns: ReadonlyArray<Column<PlannedScenario>> = [
  { name: "KEY", of: ({ key }) => key, least: 12 },
  { name: "NAME", of: ({ name }) => name, least: 10 },
  { name: "TYPE", of: ({ type }) => type, least: 8 },
  { name: "RUNS", of: ({ frequency }) => String(frequency), right: true },
  { name: "METRICS", of: ({ metricIds }) => String(metricIds.length), right: true },
  { name: "PERSONALITY", of: ({ personality }) => personality?.name ?? "", least: 8 },
  { name: "CREDITS", of: ({ estimatedCost }) => shortCredits(estimatedCost), right: true }
]

/** Credits without trailing zeros. */
const shortCredits = (credits: Credits.MicroCredits): string => Credits.format(credits).replace(/\.?0+$/, "")

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const summary = (plan: SuitePlan): string =>
  `${plan.suiteName}: ${counted(plan.scenarios.length, "scenario")}, ${counted(plan.totalRuns, "run")} by ${plan.channel}, about ${shortCredits(plan.estimatedCost)} credits.`

/** The text of a suite file, and the reader of its syntax. */
interface SuiteFile {
  readonly text: string
  readonly syntax: SuiteSyntax
}

/** A field error with its place in the file; null for an option. */
interface LocatedError {
  readonly path: string
  /** The name of the path in messages. */
  readonly name: string
  readonly place: TextPosition | null
  readonly messages: ReadonlyArray<string>
}

const locateErrors = (
  options: SuiteFileOptions,
  { syntax, text }: SuiteFile,
  errors: FieldErrors.FieldErrors
): ReadonlyArray<LocatedError> => {
  const locate = locator(text, syntax)
  // The option overrides the file.
  const placeOf = (path: string) =>
    path === "agent_id" && options.agent !== undefined ? null : locate(path === "file" ? FieldErrors.NON_FIELD : path)
  return Object.entries(errors)
    .map(([path, messages]) => ({ path, name: nameOf(path, options), messages, place: placeOf(path) }))
    .toSorted((a, b) => order(a.place, b.place))
}

const order = (a: TextPosition | null, b: TextPosition | null): number =>
  a === null || b === null ? Number(b === null) - Number(a === null) : a.line - b.line || a.column - b.column

/** The name of a path in messages: an option, if the value came from one. Either may give the agent. */
const nameOf = (path: string, options: SuiteFileOptions): string =>
  path === "file"
    ? FieldErrors.NON_FIELD
    : path === "agent_id"
      ? options.agent !== undefined
        ? "--agent"
        : "agent_id (--agent)"
      : path.startsWith("scenario_keys")
        ? "--scenario"
        : path.startsWith("scenario_tags")
          ? "--tag"
          : path === "channel" || path === "name" || path === "phone_number"
            ? `--${path.replace("_", "-")}`
            : path

/** `suite.json:12:5: scenarios[0].name: This field may not be blank.`, as editors and compilers have it. */
const lineOf = (file: string, { messages, name, place }: LocatedError): ReadonlyArray<string> =>
  fieldErrorLines({ [name]: messages }).map((line) =>
    sanitize(`${file}${place === null ? "" : `:${place.line}:${place.column}`}: ${line}`)
  )

/** A JUnit report with one case per scenario and one for the suite, each failing with its errors. */
const report = (
  file: string,
  name: string,
  keys: ReadonlyArray<string>,
  errors: ReadonlyArray<LocatedError>
): string => {
  const errorsOf = (position: number | null) =>
    errors.filter(({ path }) => {
      const at = /^scenarios\[(\d+)\]/.exec(path)?.[1]
      return position === null ? at === undefined || Number(at) >= keys.length : Number(at) === position
    })
  const caseOf = (title: string, position: number | null): JUnit.JUnitCase => {
    const lines = errorsOf(position).flatMap((one) => lineOf(file, one))
    const [first] = lines
    return {
      name: title,
      group: file,
      seconds: null,
      outcome: first === undefined ? null : { is: "failure", message: first, details: lines.join("\n") }
    }
  }
  return JUnit.printJUnit(name, [caseOf("suite", null), ...keys.map((key, position) => caseOf(key, position))])
}

/** The keys of the scenarios, as far as they can be read: the report of an invalid suite names them too. */
const keysIn = ({ syntax, text }: SuiteFile): ReadonlyArray<string> => {
  const scenarios: unknown = Either.match(parseSuiteText(text, syntax), {
    onLeft: () => [],
    onRight: (one) => (typeof one === "object" && one !== null && "scenarios" in one ? one.scenarios : [])
  })
  return Array.isArray(scenarios)
    ? scenarios
        .slice(0, 200)
        .map((one: unknown, position) =>
          typeof one === "object" && one !== null && "key" in one && typeof one.key === "string"
            ? one.key
            : `scenarios[${position}]`
        )
    : []
}

/** Writes a report to the file, if one is given. */
export const writeReport = (path: string | undefined, text: () => string): Effect.Effect<void, CommandRejected> =>
  path === undefined
    ? Effect.void
    : Effect.tryPromise({
        try: () => writeFile(path, text()),
        catch: () => new CommandRejected({ reason: `Cannot write ${path}.` })
      })

const MEDIA_TYPES: Readonly<Record<SyntaxName, string>> = {
  json: "application/json",
  yaml: "application/yaml",
  csv: "text/csv"
}

/** A suite file with the options that override it, as the engine takes it. */
export const readSuite = (options: SuiteFileOptions) =>
  Effect.flatMap(readBytes(options.file), (bytes) => {
    // As the engine reads it: without a byte order mark.
    const text = new TextDecoder().decode(bytes)
    const name = syntaxOf(text, { name: options.file })
    return Effect.map(
      Effect.promise(() => loadSyntax(name)),
      (syntax) => ({
        text,
        syntax,
        keys: keysIn({ text, syntax }),
        body: {
          // A table states no name of the suite; otherwise the file's name is not part of it.
          file: new Upload(
            bytes,
            MEDIA_TYPES[name],
            name === "csv" && options.file !== "-" ? basename(options.file) : ""
          ),
          ...defined({ agent_id: options.agent, channel: options.channel, name: options.name }),
          ...(options.scenarios.length === 0 ? {} : { scenario_keys: options.scenarios }),
          ...(options.tags.length === 0 ? {} : { scenario_tags: options.tags })
        }
      })
    )
  })

/** Prints the errors of a suite with their places in the file on stderr, and writes the report. */
export const printErrors = (
  options: SuiteFileOptions,
  { keys, ...suite }: SuiteFile & { readonly keys: ReadonlyArray<string> },
  errors: FieldErrors.FieldErrors
) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const file = displayName(options.file)
    const all = locateErrors(options, suite, errors)
    yield* writeReport(options.junit, () => report(file, file, keys, all))
    yield* screen.note(
      options.json
        ? jsonLine({
            file,
            valid: false,
            errors: all.map(({ messages, path, place }) => ({
              path,
              messages,
              line: place?.line ?? null,
              column: place?.column ?? null
            }))
          })
        : all.flatMap((one) => lineOf(file, one)).join("\n")
    )
  })

/** Prints the plan of a suite and its cost, or its errors with their places. */
export const validate = (options: ValidateOptions): CommandEffect =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const suite = yield* readSuite(options)
    const { body, keys } = suite
    const caller = yield* resolveCaller(options)
    const invalid = yield* callAs(
      caller,
      (yield* Suites).validate
    )(body).pipe(
      Effect.flatMap((plan) =>
        Effect.gen(function* () {
          yield* writeReport(options.junit, () => report(displayName(options.file), plan.suiteName, keys, []))
          yield* screen.print(
            options.json
              ? jsonLine(encodeValidatedSuite(plan))
              : [...table(columns, plan.scenarios, screen.columns), "", sanitize(summary(plan))].join("\n")
          )
          return false
        })
      ),
      Effect.catchTag("ValidationFailed", ({ errors }) => Effect.as(printErrors(options, suite, errors), true))
    )
    if (invalid) return yield* new ReportedFailure()
  }).pipe(withEngine(plainEngine(options), { existing: true }))
