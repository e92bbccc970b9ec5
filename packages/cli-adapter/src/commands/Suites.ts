import { writeFile } from "node:fs/promises"
import {
  Credits,
  encodeValidated,
  Faults,
  JUnit,
  locator,
  type Place,
  type PlannedScenario,
  type SuitePlan,
  Suites,
  Upload
} from "@earshot/core"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { faultLines, PartlyRefused, Refused } from "../Faults.js"
import { readBytes, shownName } from "../ReadText.js"
import type { Running } from "../Running.js"
import { Screen } from "../Screen.js"
import { calling, findCaller, withEngine } from "../Session.js"
import { type CallerOptions, plainEngine } from "../Settings.js"
import { type Column, table } from "../Table.js"
import { neutralised, printJson } from "../Text.js"

/** What every command over a suite file takes. */
export interface SuiteFileOptions extends CallerOptions {
  readonly database: string
  readonly json: boolean
  readonly file: string
  readonly agent: Option.Option<number>
  readonly channel: Option.Option<string>
  readonly name: Option.Option<string>
  readonly junit: Option.Option<string>
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

/** Credits without the zeros that say nothing. */
const shortCredits = (credits: Credits.MicroCredits): string => Credits.print(credits).replace(/\.?0+$/, "")

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const summary = (plan: SuitePlan): string =>
  `${plan.suiteName}: ${counted(plan.scenarios.length, "scenario")}, ${counted(plan.totalRuns, "run")} by ${plan.channel}, about ${shortCredits(plan.estimatedCost)} credits.`

/** A fault with its place in the file; null for one of the options. */
interface Found {
  readonly path: string
  /** What the path is called in sentences. */
  readonly name: string
  readonly place: Place | null
  readonly messages: ReadonlyArray<string>
}

const found = (options: SuiteFileOptions, text: string, faults: Faults.Faults): ReadonlyArray<Found> => {
  const locate = locator(text)
  // The option went before what the file says.
  const placeOf = (path: string) =>
    path === "agent_id" && Option.isSome(options.agent) ? null : locate(path === "file" ? Faults.NON_FIELD : path)
  return Object.entries(faults)
    .map(([path, messages]) => ({ path, name: namedAs(path, options), messages, place: placeOf(path) }))
    .toSorted((a, b) => order(a.place, b.place))
}

const order = (a: Place | null, b: Place | null): number =>
  a === null || b === null ? Number(b === null) - Number(a === null) : a.line - b.line || a.column - b.column

/** What is wrong in the words of who wrote it: the file's or the command line's, either of which may name the agent. */
const namedAs = (path: string, options: SuiteFileOptions): string =>
  path === "file"
    ? Faults.NON_FIELD
    : path === "agent_id"
      ? Option.isSome(options.agent)
        ? "--agent"
        : "agent_id (--agent)"
      : path === "channel" || path === "name" || path === "phone_number"
        ? `--${path.replace("_", "-")}`
        : path

/** `suite.json:12:5: scenarios[0].name: This field may not be blank.`, as editors and compilers have it. */
const lineOf = (file: string, { messages, name, place }: Found): ReadonlyArray<string> =>
  faultLines({ [name]: messages }).map((line) =>
    neutralised(`${file}${place === null ? "" : `:${place.line}:${place.column}`}: ${line}`)
  )

/** A case a scenario, and one for the suite itself; what is wrong is told in the case that it is about. */
const report = (file: string, name: string, keys: ReadonlyArray<string>, faults: ReadonlyArray<Found>): string => {
  const wrongIn = (position: number | null) =>
    faults.filter(({ path }) => {
      const at = /^scenarios\[(\d+)\]/.exec(path)?.[1]
      return position === null ? at === undefined || Number(at) >= keys.length : Number(at) === position
    })
  const caseOf = (title: string, position: number | null): JUnit.JUnitCase => {
    const lines = wrongIn(position).flatMap((one) => lineOf(file, one))
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

/** The keys of a spec's scenarios, as far as there are any: a report names cases also of a spec that is wrong. */
const keysIn = (text: string): ReadonlyArray<string> => {
  const steps = Effect.runSync(Effect.option(Effect.try((): unknown => JSON.parse(text))))
  const scenarios: unknown = Option.match(steps, {
    onNone: () => [],
    onSome: (one) => (typeof one === "object" && one !== null && "scenarios" in one ? one.scenarios : [])
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

/** Writes a report to a file, where one is asked for. */
export const writeReport = (path: Option.Option<string>, text: () => string): Effect.Effect<void, Refused> =>
  Option.match(path, {
    onNone: () => Effect.void,
    onSome: (file) =>
      Effect.tryPromise({
        try: () => writeFile(file, text()),
        catch: () => new Refused({ reason: `${file} cannot be written.` })
      })
  })

export const orNothing = <A>(name: string, value: Option.Option<A>) =>
  Option.match(value, { onNone: () => ({}), onSome: (given) => ({ [name]: given }) })

/** A suite file with what is said beside it, as the engine takes it. */
export const readSuite = (options: SuiteFileOptions) =>
  Effect.map(readBytes(options.file), (bytes) => {
    // As the engine reads it: without the byte order mark that some editors begin a file with.
    const text = new TextDecoder().decode(bytes)
    return {
      text,
      keys: keysIn(text),
      body: {
        // Whatever the file is called here: the name is no matter of the spec.
        file: new Upload(bytes, "application/json", ""),
        ...orNothing("agent_id", options.agent),
        ...orNothing("channel", options.channel),
        ...orNothing("name", options.name)
      }
    }
  })

/** Tells what is wrong with a suite, each with its place in the file, on stderr and in the report. */
export const tellFaults = (
  options: SuiteFileOptions,
  { keys, text }: { readonly text: string; readonly keys: ReadonlyArray<string> },
  faults: Faults.Faults
) =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const file = shownName(options.file)
    const all = found(options, text, faults)
    yield* writeReport(options.junit, () => report(file, file, keys, all))
    yield* screen.note(
      options.json
        ? printJson({
            file,
            valid: false,
            faults: all.map(({ messages, path, place }) => ({
              path,
              messages,
              line: place?.line ?? null,
              column: place?.column ?? null
            }))
          })
        : all.flatMap((one) => lineOf(file, one)).join("\n")
    )
  })

/** Says what a suite would do and cost, or what is wrong with it and where. */
export const validate = (options: ValidateOptions): Running =>
  Effect.gen(function* () {
    const screen = yield* Screen
    const suite = yield* readSuite(options)
    const { body, keys } = suite
    const caller = yield* findCaller(options)
    const refused = yield* calling(
      caller,
      (yield* Suites).validate
    )(body).pipe(
      Effect.flatMap((plan) =>
        Effect.gen(function* () {
          yield* writeReport(options.junit, () => report(shownName(options.file), plan.suiteName, keys, []))
          yield* screen.print(
            options.json
              ? printJson(encodeValidated(plan))
              : [...table(columns, plan.scenarios, screen.columns), "", neutralised(summary(plan))].join("\n")
          )
          return false
        })
      ),
      Effect.catchTag("ValidationFailed", ({ faults }) => Effect.as(tellFaults(options, suite, faults), true))
    )
    if (refused) return yield* new PartlyRefused()
  }).pipe(withEngine(plainEngine(options.database), { existing: true }))
