import { writeFile } from "node:fs/promises"
import { basename } from "node:path"
import {
  JUnit,
  loadSyntax,
  locator,
  parseSuiteText,
  type SuiteSyntax,
  syntaxOf,
  type SyntaxName,
  type TextPosition
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type ApiRejected, send } from "../Api.js"
import { fieldErrorLines, type FieldErrors, isFieldErrors, ReportedFailure, CommandRejected } from "../Errors.js"
import { readBytes, displayName } from "../ReadText.js"
import type { CommandEffect } from "../CommandEffect.js"
import { Screen } from "../Screen.js"
import type { CommonOptions } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { onTarget } from "../Target.js"
import { sanitize, jsonLine } from "../Text.js"
import type { Wire } from "../Wire.js"

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

type Plan = Wire<"SuitePlan">

const columns: ReadonlyArray<Column<Plan["scenarios"][number]>> = [
  { name: "KEY", of: ({ key }) => key, least: 12 },
  { name: "NAME", of: ({ name }) => name, least: 10 },
  { name: "TYPE", of: ({ type }) => type, least: 8 },
  { name: "RUNS", of: ({ frequency }) => String(frequency), right: true },
  { name: "METRICS", of: ({ metric_ids: metrics }) => String(metrics.length), right: true },
  { name: "PERSONALITY", of: ({ personality }) => personality?.name ?? "", least: 8 },
  { name: "CREDITS", of: ({ estimated_cost: cost }) => shortCredits(cost), right: true }
]

/** Credits without trailing zeros. */
const shortCredits = (credits: string): string => credits.replace(/\.?0+$/, "")

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const summary = (plan: Plan): string =>
  `${counts(plan)}${plan.runnable ? "" : ` Earshot does not execute these runs: ${plan.not_runnable_reason ?? ""}`}`

const counts = (plan: Plan): string =>
  `${plan.suite_name}: ${counted(plan.scenarios.length, "scenario")}, ${counted(plan.total_runs, "run")} by ${plan.channel}, about ${shortCredits(plan.estimated_cost)} credits.`

/** The text of a suite file, and the reader of its syntax. */
interface SuiteText {
  readonly text: string
  readonly syntax: SuiteSyntax
}

/** The name of errors that are about no field. */
const NON_FIELD = "non_field_errors"

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
  { syntax, text }: SuiteText,
  errors: FieldErrors
): ReadonlyArray<LocatedError> => {
  const locate = locator(text, syntax)
  // The option overrides the file.
  const placeOf = (path: string) =>
    path === "agent_id" && options.agent !== undefined ? null : locate(path === "file" ? NON_FIELD : path)
  return Object.entries(errors)
    .map(([path, messages]) => ({ path, name: nameOf(path, options), messages, place: placeOf(path) }))
    .toSorted((a, b) => order(a.place, b.place))
}

const order = (a: TextPosition | null, b: TextPosition | null): number =>
  a === null || b === null ? Number(b === null) - Number(a === null) : a.line - b.line || a.column - b.column

/** The name of a path in messages: an option, if the value came from one. Either may give the agent. */
const nameOf = (path: string, options: SuiteFileOptions): string =>
  path === "file"
    ? NON_FIELD
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
const keysIn = ({ syntax, text }: SuiteText): ReadonlyArray<string> => {
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

/** A suite file with the options that override it. */
interface SuiteFile extends SuiteText {
  /** The keys of its scenarios. */
  readonly keys: ReadonlyArray<string>
  /** As the API takes it. */
  readonly form: FormData
}

export const readSuite = (options: SuiteFileOptions): Effect.Effect<SuiteFile, CommandRejected> =>
  Effect.gen(function* () {
    const bytes = yield* readBytes(options.file)
    // As the API reads it: without a byte order mark.
    const text = new TextDecoder().decode(bytes)
    const syntaxName = syntaxOf(text, { name: options.file })
    const syntax = yield* Effect.promise(() => loadSyntax(syntaxName))
    const form = new FormData()
    form.set(
      "file",
      new Blob([new Uint8Array(bytes)], { type: MEDIA_TYPES[syntaxName] }),
      // A table states no name of the suite; otherwise the file's name is not part of it.
      syntaxName === "csv" && options.file !== "-" ? basename(options.file) : ""
    )
    const { agent, channel, name, scenarios, tags } = options
    if (agent !== undefined) form.set("agent_id", String(agent))
    if (channel !== undefined) form.set("channel", channel)
    if (name !== undefined) form.set("name", name)
    if (scenarios.length > 0) form.set("scenario_keys", JSON.stringify(scenarios))
    if (tags.length > 0) form.set("scenario_tags", JSON.stringify(tags))
    return { text, syntax, keys: keysIn({ text, syntax }), form }
  })

/** The errors of the suite; any other error response fails. */
export const errorsOf = (rejected: ApiRejected): Effect.Effect<FieldErrors, ApiRejected> =>
  rejected.status === 400 && isFieldErrors(rejected.body) ? Effect.succeed(rejected.body) : rejected

/** Prints the errors of a suite with their places in the file on stderr, and writes the report. */
export const printErrors = (
  options: SuiteFileOptions,
  { keys, ...suite }: Pick<SuiteFile, "keys" | "syntax" | "text">,
  errors: FieldErrors
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
    const { form, keys } = suite
    const invalid = yield* send("post", "/test_framework/v2/scenarios/validate_scenarios_json/", { form }).pipe(
      Effect.flatMap((validated) =>
        Effect.gen(function* () {
          const { plan } = validated
          yield* writeReport(options.junit, () => report(displayName(options.file), plan.suite_name, keys, []))
          yield* screen.print(
            options.json
              ? jsonLine(validated)
              : [...table(columns, plan.scenarios, screen.columns), "", sanitize(summary(plan))].join("\n")
          )
          return false
        })
      ),
      Effect.catchTag("ApiRejected", (rejected) =>
        Effect.flatMap(errorsOf(rejected), (errors) => Effect.as(printErrors(options, suite, errors), true))
      )
    )
    if (invalid) return yield* new ReportedFailure()
  }).pipe(onTarget(options))
